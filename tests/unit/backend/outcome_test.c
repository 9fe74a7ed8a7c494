#include "backend/process/outcome.h"

#include <signal.h>
#include <string.h>

#include "../runner.h"

/* Statuses as of waitpid(2): a signal is its number, an exit code the second byte. */
static const struct {
    const char *what;
    cl_child_exit how;
    bool was_ready, fills_group;
    cloche_code code;
    const char *text;
} ends[] = {
    { "refused call", { .status = SIGSYS }, true, false, CLOCHE_CODE_EXECUTION_ERROR, "policy kill (SIGSYS)" },
    { "refused call while it is set up", { .status = SIGSYS }, false, false, CLOCHE_CODE_EXECUTION_ERROR, "policy kill" },
    { "total used up", { .status = SIGKILL, .is_oom = true }, true, false, CLOCHE_CODE_INTERNAL, "host memory" },
    { "one run is the total", { .status = SIGKILL, .is_oom = true }, true, true, CLOCHE_CODE_MEMORY_EXCEEDED, "memory over" },
    { "killed by others", { .status = SIGKILL }, true, true, CLOCHE_CODE_EXECUTION_ERROR, "(SIGKILL)" },
    { "CPU limit of the kernel", { .status = SIGXCPU }, true, false, CLOCHE_CODE_TIMEOUT, "CPU time over" },
    { "crash", { .status = SIGSEGV }, true, false, CLOCHE_CODE_EXECUTION_ERROR, "(SIGSEGV)" },
    { "crash with a core", { .status = SIGSEGV | 0x80 }, true, false, CLOCHE_CODE_EXECUTION_ERROR, "(SIGSEGV)" },
    { "exit without a word", { .status = 3 << 8 }, true, false, CLOCHE_CODE_EXECUTION_ERROR, "(exit status 3)" },
    { "exit before it was ready", { .status = 121 << 8 }, false, false, CLOCHE_CODE_INTERNAL, "could not be set up (exit status 121)" },
};

START_TEST(every_end_of_a_child_has_its_code_and_text)
{
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++) {
        cl_outcome outcome = cl_outcome_of_exit(&ends[i].how, ends[i].was_ready, ends[i].fills_group);
        ck_assert_msg(outcome.code == ends[i].code, "%s: code %d", ends[i].what, outcome.code);
        ck_assert_msg(strstr(outcome.text, ends[i].text) != NULL, "%s: %s", ends[i].what, outcome.text);
    }
}
END_TEST

START_TEST(an_end_that_nobody_saw_is_the_zygotes)
{
    cl_outcome outcome = cl_outcome_of_exit(NULL, true, false);

    ck_assert_int_eq(outcome.code, CLOCHE_CODE_INTERNAL);
    ck_assert_ptr_nonnull(strstr(outcome.text, "makes the jailed children was killed"));
}
END_TEST

START_TEST(every_stop_of_the_host_has_its_code_and_names_the_limit)
{
    static const struct { cl_stop why; cloche_code code; const char *text; } stops[] = {
        { CL_STOP_WALL, CLOCHE_CODE_TIMEOUT, "timeoutMs 50" }, { CL_STOP_CPU, CLOCHE_CODE_TIMEOUT, "cpuTimeMs 20" },
        { CL_STOP_ABORT, CLOCHE_CODE_ABORTED, "aborted" },     { CL_STOP_DISPOSE, CLOCHE_CODE_DISPOSED, "disposed" },
    };
    cl_run_limits limits = { .wall_ns = 50000000, .cpu_ns = 20000000 };

    for (unsigned i = 0; i < sizeof stops / sizeof *stops; i++) {
        cl_outcome outcome = cl_outcome_of_stop(stops[i].why, &limits, 51.0);
        ck_assert_int_eq(outcome.code, stops[i].code);
        ck_assert_msg(strstr(outcome.text, stops[i].text) != NULL, "%s", outcome.text);
    }
}
END_TEST

TEST_MAIN("backend/outcome", every_end_of_a_child_has_its_code_and_text, an_end_that_nobody_saw_is_the_zygotes,
          every_stop_of_the_host_has_its_code_and_names_the_limit)
