/* A sandbox does not survive fork(): the child is told so, the parent does not notice. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api.h"

/* Runs child(arg) in a forked process, which has a few seconds; its answer. */
static int in_child(int (*child)(void *), void *arg)
{
    int status;

    fflush(NULL);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        signal(SIGALRM, SIG_DFL);
        alarm(5);
        _exit(child(arg));
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(!WIFSIGNALED(status), "the child was ended by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

/* What a run answers, without libcheck: this is the child. */
static cloche_code code_of_run(cloche_sandbox *sandbox, const char *code)
{
    cloche_request request = ask(code);
    cloche_result *result = NULL;
    cloche_code answer = CLOCHE_CODE_NONE;

    if (cloche_sandbox_run(sandbox, &request, &result, NULL) == CLOCHE_OK && !result->ok && strchr(result->error.data, '\n') == NULL)
        answer = result->code;
    cloche_result_destroy(result);
    return answer;
}

static int child_runs(void *sandbox)
{
    for (int i = 0; i < 3; i++)
        if (code_of_run(sandbox, "return 1") != CLOCHE_CODE_INTERNAL)
            return 1;
    return 0;
}

START_TEST(in_the_child_a_run_is_the_hosts_failure_and_the_parent_goes_on)
{
    cloche_sandbox *sandbox = open_sandbox();

    for (int i = 0; i < 10; i++) {
        expect_next_run_right(sandbox);
        ck_assert_int_eq(in_child(child_runs, sandbox), 0);
        expect_end(sandbox, ask_for("for (;;);", 20), CLOCHE_CODE_TIMEOUT);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_child_of_a_process_that_has_run_nothing_yet_is_told_as_well)
{
    cloche_sandbox *sandbox = open_sandbox();

    ck_assert_int_eq(in_child(child_runs, sandbox), 0);
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

static _Atomic int answers;
static cloche_code answered_code;

static void take_answer(void *user, cloche_result *result)
{
    (void)user;
    answered_code = result->code;
    cloche_result_destroy(result);
    atomic_fetch_add(&answers, 1);
}

static int child_submits(void *sandbox)
{
    cloche_request request = ask("return 1");
    int before = atomic_load(&answers);

    if (cloche_sandbox_submit(sandbox, &request, take_answer, NULL, NULL) != CLOCHE_OK)
        return 1;
    if (atomic_load(&answers) != before + 1)
        return 2; /* nobody is there who could answer later */
    return answered_code == CLOCHE_CODE_INTERNAL ? 0 : 3;
}

START_TEST(in_the_child_a_submitted_run_is_answered_at_once)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_request request = ask("return 1");

    ck_assert_int_eq(in_child(child_submits, sandbox), 0); /* before there is a pool */
    ck_assert_int_eq(cloche_sandbox_submit(sandbox, &request, take_answer, NULL, NULL), CLOCHE_OK);
    while (atomic_load(&answers) == 0)
        ;
    ck_assert_int_eq(in_child(child_submits, sandbox), 0);
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

static int child_checks(void *sandbox)
{
    cloche_request request = ask("return 1");
    cloche_result *result = NULL;

    if (cloche_sandbox_check(sandbox, &request, &result, NULL) != CLOCHE_OK)
        return 1;
    int answer = result->code == CLOCHE_CODE_INTERNAL ? 0 : 2;
    cloche_result_destroy(result);
    return answer;
}

START_TEST(in_the_child_a_check_is_the_hosts_failure)
{
    cloche_sandbox *sandbox = open_sandbox();

    ck_assert_int_eq(in_child(child_checks, sandbox), 0);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

static int child_creates(void *unused)
{
    cloche_sandbox *sandbox = NULL;
    cloche_request request = ask_for("for (;;);", 50);
    cloche_result *result = NULL;

    (void)unused;
    if (cloche_sandbox_create(NULL, &sandbox, NULL) != CLOCHE_OK)
        return 1;
    if (cloche_sandbox_run(sandbox, &request, &result, NULL) != CLOCHE_OK || result->code != CLOCHE_CODE_TIMEOUT)
        return 2;
    cloche_result_destroy(result);
    request = ask("return 6 * 7");
    if (cloche_sandbox_run(sandbox, &request, &result, NULL) != CLOCHE_OK || !result->ok || strcmp(result->value.data, "42") != 0)
        return 3;
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
    return 0;
}

/* <cloche/sandbox.h>: "in the child every run answers SANDBOX_INTERNAL; create another". */
START_TEST(the_child_may_create_a_sandbox_of_its_own)
{
    cloche_sandbox *sandbox = open_sandbox();

    expect_next_run_right(sandbox);
    ck_assert_int_eq(in_child(child_creates, NULL), 0);
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

static int child_destroys(void *sandbox)
{
    cloche_sandbox_destroy(sandbox);
    return 0;
}

START_TEST(the_child_may_destroy_the_sandbox_it_inherited)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_request request = ask("return 1");

    ck_assert_int_eq(in_child(child_destroys, sandbox), 0);
    expect_next_run_right(sandbox);
    ck_assert_int_eq(in_child(child_destroys, sandbox), 0);
    ck_assert_int_eq(cloche_sandbox_submit(sandbox, &request, take_answer, NULL, NULL), CLOCHE_OK); /* pool threads exist */
    while (atomic_load(&answers) == 0)
        ;
    ck_assert_int_eq(in_child(child_destroys, sandbox), 0);
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

static int child_ends(void *unused)
{
    (void)unused;
    cloche_thread_release();
    return 0;
}

START_TEST(the_child_may_release_its_thread)
{
    cloche_sandbox *sandbox = open_sandbox();

    expect_next_run_right(sandbox);
    ck_assert_int_eq(in_child(child_ends, NULL), 0);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- while others run ---- */

/* AddressSanitizer's allocator does not survive a fork while another thread allocates: its locks stay held in the child. */
#ifdef __SANITIZE_ADDRESS__
#define WHILE_OTHERS_RUN
#else
#define WHILE_OTHERS_RUN forks_in_the_middle_of_other_threads_runs_disturb_neither,

typedef struct busy {
    cloche_sandbox *sandbox;
    _Atomic bool is_over;
    int runs;
    const char *wrong;
} busy;

static void *keep_running(void *arg)
{
    busy *b = arg;

    while (!atomic_load(&b->is_over) && b->wrong == NULL) {
        cloche_result *result = run(b->sandbox, ask_for(b->runs++ % 2 == 0 ? PROBE_CODE : "for (;;);", 20));
        if (result->code == CLOCHE_CODE_INTERNAL)
            b->wrong = text_of("%s", shown(result->error));
        cloche_result_destroy(result);
    }
    return NULL;
}

START_TEST(forks_in_the_middle_of_other_threads_runs_disturb_neither)
{
    cloche_sandbox *sandbox = open_sandbox();
    busy threads[2];
    pthread_t ids[2];

    for (int i = 0; i < 2; i++) {
        threads[i] = (busy){.sandbox = sandbox};
        ck_assert_int_eq(pthread_create(&ids[i], NULL, keep_running, &threads[i]), 0);
    }
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(in_child(child_runs, sandbox), 0);
    for (int i = 0; i < 2; i++) {
        atomic_store(&threads[i].is_over, true);
        pthread_join(ids[i], NULL);
        ck_assert_msg(threads[i].wrong == NULL, "%s", threads[i].wrong);
    }
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST
#endif

static void fork_inside(void *user, int fd, const char *data, size_t length)
{
    (void)fd, (void)data, (void)length;
    ck_assert_int_eq(in_child(child_runs, user), 0);
}

START_TEST(a_fork_inside_a_callback_leaves_the_parents_run_alone)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_request request = ask("let x = 0; for (let i = 0; i < 5; i++) { console.log(i); x += i } return x");

    request.on_output = fork_inside;
    request.on_output_user = sandbox;
    cloche_result *result = run(sandbox, request);
    assert_value(result, "10");
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

static void fork_and_go_on(void *user, int fd, const char *data, size_t length)
{
    (void)fd, (void)data, (void)length;
    *(pid_t *)user = fork();
}

/* Nobody watches its deadline there any more. */
START_TEST(a_guest_does_not_go_on_in_a_child_forked_inside_its_callback)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_request request = ask("console.log('fork'); return 'went on'");
    cloche_result *result = NULL;
    pid_t pid = -1;
    int status;

    request.on_output = fork_and_go_on;
    request.on_output_user = &pid;
    cloche_status rc = cloche_sandbox_run(sandbox, &request, &result, NULL);
    if (pid == 0)
        _exit(rc == CLOCHE_OK && result->code == CLOCHE_CODE_INTERNAL ? 0 : 1);
    ck_assert_int_gt(pid, 0);
    assert_value(result, "\"went on\"");
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(other_programs_can_be_started)
{
    cloche_sandbox *sandbox = open_sandbox();

    for (int i = 0; i < 5; i++) {
        expect_next_run_right(sandbox);
        ck_assert_int_eq(system("exit 7"), 7 << 8);
        expect_end(sandbox, ask_for("for (;;);", 10), CLOCHE_CODE_TIMEOUT);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

TEST_MAIN("api/fork", in_the_child_a_run_is_the_hosts_failure_and_the_parent_goes_on,
          a_child_of_a_process_that_has_run_nothing_yet_is_told_as_well,
          in_the_child_a_submitted_run_is_answered_at_once, in_the_child_a_check_is_the_hosts_failure,
          the_child_may_create_a_sandbox_of_its_own, the_child_may_destroy_the_sandbox_it_inherited,
          the_child_may_release_its_thread, WHILE_OTHERS_RUN
          a_fork_inside_a_callback_leaves_the_parents_run_alone,
          a_guest_does_not_go_on_in_a_child_forked_inside_its_callback, other_programs_can_be_started)
