/* Whoever is killed, at whatever moment: the run is answered, the next one works, nothing is left. And what is missing
 * from the start is told by name. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tree.h"

/* ---- in the middle of a run ---- */

typedef struct killer {
    int depth, killed;
} killer;

static void kill_now(void *user, int fd, const char *data, size_t length)
{
    killer *k = user;

    (void)fd, (void)data, (void)length;
    k->killed += kill_at(k->depth);
}

static void expect_survived(cloche_sandbox *sandbox, int depth, const char *code)
{
    killer k = {.depth = depth};
    cloche_request request = ask_for(code, 3000);
    request.on_output = kill_now;
    request.on_output_user = &k;

    double start = now_ms();
    cloche_result *result = run(sandbox, request);
    ck_assert_int_ge(k.killed, 1);
    ck_assert_msg(result->code == CLOCHE_CODE_EXECUTION_ERROR || result->code == CLOCHE_CODE_INTERNAL,
                  "depth %d: ended as %s: %s %s after %.0f ms", depth,
                  result->ok ? "ok" : cloche_code_name(result->code), shown(result->value), shown(result->error),
                  now_ms() - start);
    assert_text(result->out, "now\n");
    if (depth == DEPTH_CHILD) {
        assert_code(result, CLOCHE_CODE_EXECUTION_ERROR);
        assert_contains(result->error, "SIGKILL");
    }
    cloche_result_destroy(result);
    expect_next_run_right(sandbox);
    expect_next_run_right(sandbox);
}

START_TEST(whoever_is_killed_in_the_middle_of_a_run_the_next_one_works)
{
    static const char *const codes[] = {"console.log('now'); for (;;);",
                                        "console.log('now'); await new Promise(r => setTimeout(r, 1e6))"};

    for (int freshness = CLOCHE_FRESHNESS_PROCESS; freshness <= CLOCHE_FRESHNESS_JAIL; freshness++) {
        cloche_sandbox *sandbox = open_process((cloche_freshness)freshness);
        for (int depth = DEPTH_CHILD; depth >= DEPTH_GUARD; depth--)
            for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
                expect_survived(sandbox, depth, codes[i]);
        cloche_sandbox_destroy(sandbox);
        await(count_below(0) == 0, 5000);
    }
}
END_TEST

/* ---- between two runs ---- */

START_TEST(a_run_does_not_pay_for_a_death_before_it)
{
    for (int freshness = CLOCHE_FRESHNESS_PROCESS; freshness <= CLOCHE_FRESHNESS_JAIL; freshness++) {
        cloche_sandbox *sandbox = open_process((cloche_freshness)freshness);
        for (int depth = DEPTH_CHILD; depth >= DEPTH_GUARD; depth--) {
            static process_list children;
            expect_next_run_right(sandbox);
            await_ready(&children);
            ck_assert_int_ge(kill_at(depth), 1);
            await(are_gone(&children), 5000); /* all of them go with whom they hang on */
            cloche_result *result = run(sandbox, ask("return 1"));
            ck_assert_msg(result->ok, "freshness %d, depth %d: %s: %s", freshness, depth,
                          cloche_code_name(result->code), shown(result->error));
            cloche_result_destroy(result);
        }
        cloche_sandbox_destroy(sandbox);
        await(count_below(0) == 0, 5000);
    }
}
END_TEST

START_TEST(kills_at_any_moment_leave_nothing)
{
    cloche_sandbox *sandbox = open_process(CLOCHE_FRESHNESS_PROCESS);

    expect_next_run_right(sandbox);
    int fds = count_fds();
    for (int i = 0; i < 60; i++) {
        int depth = i % 6 == 5 ? DEPTH_SERVER : DEPTH_CHILD;
        pid_t killer_pid = fork(); /* not below this process's sandbox: depth 1 is not what it kills */
        if (killer_pid == 0) {
            static process_list list;
            pause_ms(i % 8);
            list_below(getppid(), depth, &list);
            for (int k = 0; k < list.count; k++)
                kill(list.pids[k], SIGKILL);
            _exit(0);
        }
        for (int k = 0; k < 5; k++) {
            cloche_result *result =
                run(sandbox, ask_for("const t = performance.now(); while (performance.now() - t < 2); return 1", 3000));
            ck_assert_msg(result->ok || result->code == CLOCHE_CODE_EXECUTION_ERROR ||
                              result->code == CLOCHE_CODE_INTERNAL,
                          "%s: %s", cloche_code_name(result->code), shown(result->error));
            cloche_result_destroy(result);
        }
        ck_assert_int_eq(waitpid(killer_pid, NULL, 0), killer_pid);
        cloche_result_destroy(run(sandbox, ask("return 1"))); /* may meet what was killed */
        expect_next_run_right(sandbox);
    }
    ck_assert_int_le(count_fds(), fds + 8); /* a few places more may be ready now; each has a socket */
    cloche_sandbox_destroy(sandbox);
    await(count_below(0) == 0, 5000);
}
END_TEST

/* ---- the host ---- */

static void tell(void *user, int fd, const char *data, size_t length)
{
    (void)fd, (void)length;
    ck_assert_int_eq(write(*(int *)user, data, 1), 1);
}

START_TEST(all_ends_with_the_host)
{
    static const char *const codes[] = {"console.log('x'); for (;;);",
                                        "console.log('x'); await new Promise(r => setTimeout(r, 1e6))",
                                        "for (;;) console.log('x'.repeat(10000))"};

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        static process_list below;
        int ends[2];
        char byte;
        ck_assert_int_eq(pipe(ends), 0);
        pid_t host = fork();
        if (host == 0) {
            cloche_sandbox *sandbox = open_process(CLOCHE_FRESHNESS_PROCESS);
            cloche_request request = ask_for(codes[i], 60000);
            request.on_output = tell;
            request.on_output_user = &ends[1];
            run(sandbox, request);
            _exit(1);
        }
        close(ends[1]);
        ck_assert_int_eq(read(ends[0], &byte, 1), 1);
        list_below(host, 0, &below);
        ck_assert_int_ge(below.count, 4);
        kill(host, SIGKILL);
        ck_assert_int_eq(waitpid(host, NULL, 0), host);
        close(ends[0]);
        await(are_gone(&below), 5000);
        await(count_groups_of(host) == 0, 5000);
    }
}
END_TEST

/* ---- layers that are refused ---- */

/* From here on unshare(2) answers EPERM, as in a container that does not permit it. */
static void refuse_unshare(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};

    ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

START_TEST(a_required_layer_that_is_refused_fails_the_creation_by_name)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } refused[] = {
        {CLOCHE_LAYER_USERNS, "userns"},
        {CLOCHE_LAYER_PIDNS, "pidns"},
        {CLOCHE_LAYER_NETNS, "netns"},
        {CLOCHE_LAYER_MOUNTNS, "mountns"},
    };

    refuse_unshare();
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        cloche_options options = CLOCHE_OPTIONS_INIT;
        cloche_sandbox *sandbox;
        cloche_error err;
        options.backend = CLOCHE_BACKEND_PROCESS;
        options.require_isolation = refused[i].bit | CLOCHE_LAYER_SECCOMP;
        ck_assert_int_eq(cloche_sandbox_create(&options, &sandbox, &err), CLOCHE_E_NOSYS);
        ck_assert_ptr_null(sandbox);
        ck_assert_msg(strstr(err.text, refused[i].name) != NULL, "%s", err.text);
        ck_assert_msg(strstr(err.text, "Operation not permitted") != NULL, "%s", err.text);
        ck_assert_int_eq(err.os_errno, EPERM);
    }
    await(count_below(0) == 0, 5000);
}
END_TEST

START_TEST(without_the_layers_that_are_refused_runs_still_work)
{
    cloche_layer layers[CLOCHE_LAYER_COUNT];
    uint32_t count;

    refuse_unshare();
    cloche_sandbox *sandbox = open_process(CLOCHE_FRESHNESS_PROCESS);
    uint32_t bits = cloche_sandbox_isolation(sandbox);
    ck_assert_uint_eq(bits & (CLOCHE_LAYER_USERNS | CLOCHE_LAYER_PIDNS | CLOCHE_LAYER_NETNS | CLOCHE_LAYER_MOUNTNS), 0);
    ck_assert_uint_ne(bits & CLOCHE_LAYER_SECCOMP, 0);
    for (int i = 0; i < 5; i++)
        expect_next_run_right(sandbox);
    expect_end(sandbox, ask_for("for (;;);", 30), CLOCHE_CODE_TIMEOUT);
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
    await(count_below(0) == 0, 5000);
    ck_assert_int_eq(cloche_isolation_probe(layers, CLOCHE_LAYER_COUNT, &count, NULL), CLOCHE_OK);
    for (uint32_t i = 0; i < count; i++)
        if (layers[i].bit == CLOCHE_LAYER_USERNS) {
            ck_assert(!layers[i].stands);
            ck_assert_int_eq(layers[i].os_errno, EPERM);
            ck_assert_ptr_nonnull(strstr(layers[i].step, "unshare"));
            ck_assert_uint_gt(strlen(layers[i].remedy), 0);
        }
}
END_TEST

TEST_MAIN("process/kill", whoever_is_killed_in_the_middle_of_a_run_the_next_one_works,
          a_run_does_not_pay_for_a_death_before_it, kills_at_any_moment_leave_nothing, all_ends_with_the_host,
          a_required_layer_that_is_refused_fails_the_creation_by_name,
          without_the_layers_that_are_refused_runs_still_work)
