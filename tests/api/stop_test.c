/* Runs that are ended from outside: abort and dispose, before, during and after. */
#include "submit.h"

/* ---- abort ---- */

static cloche_request abortable(const char *code, cloche_abort *abort_switch)
{
    cloche_request request = ask_for(code, 60000);
    request.abort = abort_switch;
    return request;
}

START_TEST(an_abort_before_the_start_starts_nothing)
{
    answer a;
    cloche_sandbox *sandbox = open_sandbox();
    cloche_abort *abort_switch = make_switch();

    begin();
    cloche_abort_trigger(abort_switch);
    submit(sandbox, abortable("console.log('ran')", abort_switch), &a);
    ck_assert_int_eq(atomic_load(&a.count), 1); /* before submit returned */
    ck_assert(a.is_on_submitter);
    ck_assert(!a.result->started);
    ck_assert_ptr_null(strstr(shown(a.result->out), "ran"));
    ck_assert_int_eq(a.result->exit_code, 130);
    expect_answer(&a, CLOCHE_CODE_ABORTED);
    cloche_result *result = run(sandbox, abortable("console.log('ran')", abort_switch));
    assert_code(result, CLOCHE_CODE_ABORTED);
    ck_assert(!result->started);
    cloche_result_destroy(result);
    cloche_abort_destroy(abort_switch);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

static sem_t has_begun;

static void tell_begun(void *user, int fd, const char *data, size_t length)
{
    (void)user, (void)fd, (void)data, (void)length;
    sem_post(&has_begun);
}

static void await_begun(void)
{
    while (sem_wait(&has_begun) != 0)
        ;
}

START_TEST(an_abort_ends_a_busy_and_a_waiting_run_soon)
{
    static const char *const codes[] = {
        "console.log('begun'); for (;;);",
        "console.log('begun'); return /^(a+)+$/.test('a'.repeat(40) + 'b')",
        "console.log('begun'); await new Promise(r => setTimeout(r, 1e6))",
        "console.log('begun'); for (;;) await new Promise(r => setTimeout(r, 1))",
        "console.log('begun'); return {toJSON() { for (;;); }}",
    };
    cloche_sandbox *sandbox = open_sandbox();

    sem_init(&has_begun, 0, 0);
    begin();
    for (size_t i = 0; i < sizeof codes / sizeof codes[0] * 4; i++) {
        answer a;
        cloche_abort *abort_switch = make_switch();
        cloche_request request = abortable(codes[i % (sizeof codes / sizeof codes[0])], abort_switch);
        request.on_output = tell_begun;
        submit(sandbox, request, &a);
        await_begun();
        double start = now_ms();
        cloche_abort_trigger(abort_switch);
        await_answers(1);
        ck_assert_double_lt(now_ms() - start, 250);
        ck_assert(a.result->started);
        assert_text(a.result->out, "begun\n");
        expect_answer(&a, CLOCHE_CODE_ABORTED);
        cloche_abort_trigger(abort_switch); /* after the end: nothing */
        expect_next_run_right(sandbox);
        cloche_abort_destroy(abort_switch);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(an_abort_ends_a_queued_run_that_never_starts)
{
    answer first, queued, last;
    cloche_sandbox *sandbox = open_limited(1, 1, 16);
    cloche_abort *abort_switch = make_switch(), *of_first = make_switch();

    begin();
    submit(sandbox, abortable("await new Promise(r => setTimeout(r, 1e6))", of_first), &first);
    submit(sandbox, abortable("console.log('ran')", abort_switch), &queued);
    submit(sandbox, ask("return 'last'"), &last);
    cloche_abort_trigger(abort_switch);
    await_answers(1);
    ck_assert(!queued.result->started);
    expect_answer(&queued, CLOCHE_CODE_ABORTED);
    cloche_abort_trigger(of_first);
    await_answers(2);
    expect_answer(&first, CLOCHE_CODE_ABORTED);
    expect_answer(&last, CLOCHE_CODE_NONE);
    cloche_sandbox_destroy(sandbox);
    cloche_abort_destroy(abort_switch);
    cloche_abort_destroy(of_first);
}
END_TEST

START_TEST(an_abort_ends_a_queued_run_while_every_thread_is_busy)
{
    answer busy, queued;
    cloche_sandbox *sandbox = open_limited(1, 1, 16);
    cloche_abort *abort_switch = make_switch();

    begin();
    submit(sandbox, ask_for("for (;;);", 1500), &busy);
    submit(sandbox, abortable("return 1", abort_switch), &queued);
    await_stats(sandbox, stats.active == 1 && stats.queued == 1);
    double start = now_ms();
    cloche_abort_trigger(abort_switch);
    await_answers(1);
    ck_assert_msg(now_ms() - start < 250, "the aborted run had to wait %.0f ms for the busy one", now_ms() - start);
    await_answers(1);
    expect_answer(&queued, CLOCHE_CODE_ABORTED);
    expect_answer(&busy, CLOCHE_CODE_TIMEOUT);
    cloche_sandbox_destroy(sandbox);
    cloche_abort_destroy(abort_switch);
}
END_TEST

START_TEST(one_switch_ends_many_runs_of_several_sandboxes)
{
    enum { RUNS = 20 };
    answer answers[2][RUNS];
    cloche_sandbox *sandboxes[2] = {open_sandbox(), open_sandbox()};
    cloche_abort *abort_switch = make_switch();

    begin();
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < RUNS; i++)
            submit(sandboxes[s], abortable(i % 2 == 0 ? "for (;;);" : "await new Promise(r => setTimeout(r, 1e6))", abort_switch),
                   &answers[s][i]);
    cloche_abort_trigger(abort_switch);
    await_answers(2 * RUNS);
    for (int s = 0; s < 2; s++) {
        cloche_sandbox_destroy(sandboxes[s]);
        for (int i = 0; i < RUNS; i++)
            expect_answer(&answers[s][i], CLOCHE_CODE_ABORTED);
    }
    cloche_abort_destroy(abort_switch);
}
END_TEST

typedef struct switched {
    cloche_abort *abort_switch;
    sem_t answered;
} switched;

static void destroy_switch(void *user, cloche_result *result)
{
    switched *s = user;

    cloche_result_destroy(result);
    cloche_abort_destroy(s->abort_switch);
    sem_post(&s->answered);
}

/* "Destroy it after the last run that uses it has been answered": the answer is the call of done. */
START_TEST(a_switch_may_be_destroyed_once_its_run_is_answered)
{
    cloche_sandbox *sandbox = open_sandbox();

    for (int i = 0; i < 20; i++) {
        switched s = {.abort_switch = make_switch()};
        cloche_request request = abortable("return 1", s.abort_switch);
        sem_init(&s.answered, 0, 0);
        ck_assert_int_eq(cloche_sandbox_submit(sandbox, &request, destroy_switch, &s, NULL), CLOCHE_OK);
        while (sem_wait(&s.answered) != 0)
            ;
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_switch_may_be_destroyed_as_soon_as_the_answer_was_seen)
{
    cloche_sandbox *sandbox = open_sandbox();

    begin();
    for (int i = 0; i < 2000; i++) {
        answer a;
        cloche_abort *abort_switch = make_switch();
        submit(sandbox, abortable("return 1", abort_switch), &a);
        while (atomic_load(&a.count) == 0)
            ;
        cloche_abort_destroy(abort_switch);
        await_answers(1);
        expect_answer(&a, CLOCHE_CODE_NONE);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- dispose ---- */

START_TEST(dispose_answers_busy_waiting_and_queued_runs_before_it_returns)
{
    enum { RUNS = 12 };
    answer answers[RUNS];
    cloche_sandbox *sandbox = open_limited(2, 6, 64);

    begin();
    for (int i = 0; i < RUNS; i++)
        submit(sandbox, ask_for(i % 3 == 0 ? "for (;;);" : "await new Promise(r => setTimeout(r, 1e6))", 60000), &answers[i]);
    await_stats(sandbox, stats.active == 6 && stats.queued == 6);
    double start = now_ms();
    ck_assert_int_eq(cloche_sandbox_dispose(sandbox), CLOCHE_OK);
    ck_assert_double_lt(now_ms() - start, 1000);
    for (int i = 0; i < RUNS; i++) {
        ck_assert_int_eq(atomic_load(&answers[i].count), 1);
        ck_assert(i < 6 || !answers[i].result->started);
        expect_answer(&answers[i], CLOCHE_CODE_DISPOSED);
    }
    ck_assert_uint_eq(stats_of(sandbox).active, 0);
    ck_assert_uint_eq(stats_of(sandbox).queued, 0);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

typedef struct blocked_run {
    cloche_sandbox *sandbox;
    const char *code;
    cloche_result *result;
} blocked_run;

static void *run_blocking(void *arg)
{
    blocked_run *b = arg;
    b->result = run(b->sandbox, ask_for(b->code, 60000));
    return NULL;
}

START_TEST(dispose_ends_blocking_runs_on_other_threads)
{
    enum { RUNS = 6 };
    cloche_sandbox *sandbox = open_limited(2, 3, 64);
    pthread_t threads[RUNS];
    blocked_run runs[RUNS];

    for (int i = 0; i < RUNS; i++) {
        runs[i] = (blocked_run){.sandbox = sandbox, .code = i % 2 == 0 ? "for (;;);" : "await new Promise(r => setTimeout(r, 1e6))"};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_blocking, &runs[i]), 0);
    }
    await_stats(sandbox, stats.active == 3 && stats.queued == 3);
    ck_assert_int_eq(cloche_sandbox_dispose(sandbox), CLOCHE_OK);
    for (int i = 0; i < RUNS; i++) {
        pthread_join(threads[i], NULL);
        assert_code(runs[i].result, CLOCHE_CODE_DISPOSED);
        cloche_result_destroy(runs[i].result);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(runs_after_dispose_are_answered_disposed_and_dispose_again_is_fine)
{
    answer a;
    cloche_sandbox *sandbox = open_sandbox();
    cloche_result *checked = NULL;
    cloche_request request = ask("return 1");

    begin();
    expect_value(sandbox, "return 1", "1");
    ck_assert_int_eq(cloche_sandbox_dispose(sandbox), CLOCHE_OK);
    ck_assert_int_eq(cloche_sandbox_dispose(sandbox), CLOCHE_OK);
    cloche_result *result = run(sandbox, ask("return 1"));
    assert_code(result, CLOCHE_CODE_DISPOSED);
    ck_assert_int_eq(result->exit_code, -1);
    ck_assert(!result->started);
    cloche_result_destroy(result);
    ck_assert_int_eq(cloche_sandbox_check(sandbox, &request, &checked, NULL), CLOCHE_OK);
    assert_code(checked, CLOCHE_CODE_DISPOSED);
    cloche_result_destroy(checked);
    submit(sandbox, ask("return 1"), &a);
    ck_assert_int_eq(atomic_load(&a.count), 1);
    ck_assert(a.is_on_submitter);
    expect_answer(&a, CLOCHE_CODE_DISPOSED);
    cloche_sandbox_destroy(sandbox);
    cloche_sandbox_destroy(NULL);
}
END_TEST

static void *dispose_on_a_thread(void *sandbox)
{
    ck_assert_int_eq(cloche_sandbox_dispose(sandbox), CLOCHE_OK);
    return NULL;
}

START_TEST(dispose_from_two_threads_returns_on_both)
{
    cloche_sandbox *sandbox = open_sandbox();
    answer answers[8];
    pthread_t threads[2];

    begin();
    for (int i = 0; i < 8; i++)
        submit(sandbox, ask_for("for (;;);", 60000), &answers[i]);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, dispose_on_a_thread, sandbox), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 8; i++)
        expect_answer(&answers[i], CLOCHE_CODE_DISPOSED);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

TEST_MAIN("api/stop", an_abort_before_the_start_starts_nothing, an_abort_ends_a_busy_and_a_waiting_run_soon,
          an_abort_ends_a_queued_run_that_never_starts, an_abort_ends_a_queued_run_while_every_thread_is_busy,
          one_switch_ends_many_runs_of_several_sandboxes, a_switch_may_be_destroyed_once_its_run_is_answered,
          a_switch_may_be_destroyed_as_soon_as_the_answer_was_seen,
          dispose_answers_busy_waiting_and_queued_runs_before_it_returns, dispose_ends_blocking_runs_on_other_threads,
          runs_after_dispose_are_answered_disposed_and_dispose_again_is_fine, dispose_from_two_threads_returns_on_both)
