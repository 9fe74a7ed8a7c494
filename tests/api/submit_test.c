/* Submitted runs: each is answered exactly once, whatever happens to it, and one that waits holds no thread. */
#include "submit.h"

/* ---- waiting ---- */

START_TEST(hundreds_of_waiting_runs_need_two_threads)
{
    enum { RUNS = 500 };
    static answer answers[RUNS];
    cloche_sandbox *sandbox = open_limited(2, 1024, 4096);

    begin();
    double start = now_ms();
    for (int i = 0; i < RUNS; i++)
        submit(sandbox, ask(WAIT_CODE(100)), &answers[i]);
    await_answers(RUNS);
    double took = now_ms() - start;
    for (int i = 0; i < RUNS; i++) {
        ck_assert_double_ge(answers[i].result->duration_ms, 99);
        assert_value(answers[i].result, "\"waited\"");
        expect_answer(&answers[i], CLOCHE_CODE_NONE);
    }
    ck_assert_double_lt(took, RUNS * 100 / 5); /* one after the other on two threads: 25 s */
    await_stats(sandbox, stats.active == 0);
    ck_assert_uint_eq(stats_of(sandbox).threads, 2);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_waiting_run_holds_no_thread)
{
    enum { WAITING = 20 };
    answer waiting[WAITING], quick;
    cloche_sandbox *sandbox = open_limited(1, 1024, 16);

    begin();
    for (int i = 0; i < WAITING; i++)
        submit(sandbox, ask_for("await new Promise(r => setTimeout(r, 1e6))", 60000), &waiting[i]);
    submit(sandbox, ask("return 'quick'"), &quick);
    await_answers(1);
    assert_value(quick.result, "\"quick\"");
    expect_answer(&quick, CLOCHE_CODE_NONE);
    await_stats(sandbox, stats.active == WAITING);
    ck_assert_int_eq(cloche_sandbox_dispose(sandbox), CLOCHE_OK);
    for (int i = 0; i < WAITING; i++)
        expect_answer(&waiting[i], CLOCHE_CODE_DISPOSED);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(waiting_runs_keep_their_state_apart)
{
    enum { RUNS = 60 };
    answer answers[RUNS];
    cloche_sandbox *sandbox = open_limited(2, 1024, 16);

    begin();
    for (int i = 0; i < RUNS; i++)
        submit(sandbox,
               ask(text_of("let x = %d, y = []; globalThis.mine = x; for (let i = 0; i < 20; i++) {"
                           " await new Promise(r => setTimeout(r, i %% 4)); y.push(mine * i); x += y.at(-1); console.log(x) } return x", i)),
               &answers[i]);
    await_answers(RUNS);
    for (int i = 0; i < RUNS; i++) {
        assert_value(answers[i].result, text_of("%d", i + i * 190));
        expect_answer(&answers[i], CLOCHE_CODE_NONE);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- one answer ---- */

START_TEST(every_outcome_is_answered_exactly_once)
{
    static const struct {
        const char *code;
        cloche_code expect;
    } outcomes[] = {
        {"return 1", CLOCHE_CODE_NONE},
        {"", CLOCHE_CODE_NONE},
        {WAIT_CODE(20), CLOCHE_CODE_NONE},
        {"throw new Error('x')", CLOCHE_CODE_EXECUTION_ERROR},
        {"process.exit(7)", CLOCHE_CODE_EXECUTION_ERROR},
        {"await new Promise(() => {})", CLOCHE_CODE_EXECUTION_ERROR},
        {"return 1 +", CLOCHE_CODE_INVALID_CODE},
        {"for (;;);", CLOCHE_CODE_TIMEOUT},
        {"await new Promise(r => setTimeout(r, 1e6))", CLOCHE_CODE_TIMEOUT},
        {"const a = []; for (;;) a.push(new Uint8Array(1 << 20))", CLOCHE_CODE_MEMORY_EXCEEDED},
        {"\xff", CLOCHE_CODE_INVALID_CODE},
    };
    enum { KINDS = sizeof outcomes / sizeof outcomes[0], ROUNDS = 8 };
    static answer answers[ROUNDS][KINDS];
    cloche_sandbox *sandbox = open_limited(4, 64, 4096);

    begin();
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < KINDS; i++) {
            cloche_request request = ask_for(outcomes[i].code, 100);
            if (outcomes[i].expect == CLOCHE_CODE_MEMORY_EXCEEDED || outcomes[i].expect == CLOCHE_CODE_NONE)
                request.limits.timeout_ms = 30000;
            request.limits.memory_limit_mb = 16;
            submit(sandbox, request, &answers[r][i]);
        }
    await_answers(ROUNDS * KINDS);
    ck_assert_int_eq(cloche_sandbox_dispose(sandbox), CLOCHE_OK);
    ck_assert_int_ne(sem_trywait(&arrived), 0); /* no second answer */
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < KINDS; i++)
            expect_answer(&answers[r][i], outcomes[i].expect);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(the_request_is_copied)
{
    answer a, first;
    cloche_sandbox *sandbox = open_limited(1, 1, 16);
    char *code = text_of("return [context.k, k]"), *context = text_of("{\"k\":\"copied\"}"), *name = text_of("own.js");

    begin();
    submit(sandbox, ask(WAIT_CODE(30)), &first); /* so that the second has not begun when its texts go */
    cloche_request request = with_context(ask(code), context);
    request.filename = name;
    submit(sandbox, request, &a);
    memset(code, '!', strlen(code));
    memset(context, '!', strlen(context));
    memset(name, '!', strlen(name));
    memset(&request, 0xff, sizeof request);
    await_answers(2);
    assert_value(a.result, "[\"copied\",\"copied\"]");
    expect_answer(&first, CLOCHE_CODE_NONE);
    expect_answer(&a, CLOCHE_CODE_NONE);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(misuse_of_submit_is_a_status_and_no_answer)
{
    answer a = {0};
    cloche_sandbox *sandbox = open_sandbox();
    cloche_request request = ask("return 1");
    cloche_error err;

    begin();
    ck_assert_int_eq(cloche_sandbox_submit(sandbox, &request, NULL, &a, &err), CLOCHE_E_INVAL);
    request.size = 0;
    ck_assert_int_eq(cloche_sandbox_submit(sandbox, &request, take_answer, &a, &err), CLOCHE_E_INVAL);
    request = ask("return 1");
    request.code = NULL;
    ck_assert_int_eq(cloche_sandbox_submit(sandbox, &request, take_answer, &a, &err), CLOCHE_E_INVAL);
    ck_assert_int_eq(atomic_load(&a.count), 0);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- admission ---- */

START_TEST(a_full_queue_answers_busy_at_once)
{
    answer first, queued[2], refused;
    cloche_sandbox *sandbox = open_limited(1, 1, 2);

    begin();
    submit(sandbox, ask_for("await new Promise(r => setTimeout(r, 1e6))", 60000), &first);
    submit(sandbox, ask("return 1"), &queued[0]);
    submit(sandbox, ask("return 2"), &queued[1]);
    submit(sandbox, ask("console.log('ran')"), &refused);
    ck_assert_int_eq(atomic_load(&refused.count), 1);
    ck_assert(refused.is_on_submitter);
    ck_assert(!refused.result->started);
    ck_assert_int_eq(refused.result->exit_code, -1);
    assert_contains(refused.result->error, "queue");
    expect_answer(&refused, CLOCHE_CODE_BUSY);
    expect_end(sandbox, ask("return 1"), CLOCHE_CODE_BUSY);
    ck_assert_int_eq(cloche_sandbox_dispose(sandbox), CLOCHE_OK);
    expect_answer(&first, CLOCHE_CODE_DISPOSED);
    expect_answer(&queued[0], CLOCHE_CODE_DISPOSED);
    expect_answer(&queued[1], CLOCHE_CODE_DISPOSED);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_run_that_gets_no_place_in_time_is_answered_busy)
{
    answer first, late;
    cloche_sandbox *sandbox = open_limited(1, 1, 16);
    cloche_request request = ask("console.log('ran')");

    begin();
    request.limits.queue_timeout_ms = 60;
    submit(sandbox, ask_for("await new Promise(r => setTimeout(r, 1e6))", 60000), &first);
    double start = now_ms();
    submit(sandbox, request, &late);
    await_answers(1);
    ck_assert_double_ge(now_ms() - start, 59);
    ck_assert_double_lt(now_ms() - start, 60 + 250);
    ck_assert(!late.result->started);
    ck_assert_double_ge(late.result->queue_ms, 59);
    assert_contains(late.result->error, "queueTimeoutMs 60");
    expect_answer(&late, CLOCHE_CODE_BUSY);
    start = now_ms();
    cloche_result *result = run(sandbox, request); /* the blocking call as well */
    ck_assert_double_ge(now_ms() - start, 59);
    ck_assert_double_lt(now_ms() - start, 60 + 250);
    assert_code(result, CLOCHE_CODE_BUSY);
    ck_assert(!result->started);
    cloche_result_destroy(result);
    ck_assert_int_eq(cloche_sandbox_dispose(sandbox), CLOCHE_OK);
    expect_answer(&first, CLOCHE_CODE_DISPOSED);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* The only pool thread is busy: somebody else has to look at the queue's clock. */
START_TEST(queue_time_is_over_even_while_every_thread_is_busy)
{
    answer busy, late;
    cloche_sandbox *sandbox = open_limited(1, 1, 16);
    cloche_request request = ask("return 1");

    begin();
    request.limits.queue_timeout_ms = 50;
    submit(sandbox, ask_for("for (;;);", 1000), &busy);
    submit(sandbox, request, &late);
    await_answers(2);
    /* Whenever it was looked at, it has not run: its time was over when the place became free. */
    expect_answer(&busy, CLOCHE_CODE_TIMEOUT);
    ck_assert(!late.result->started);
    expect_answer(&late, CLOCHE_CODE_BUSY);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(one_place_is_given_in_the_order_of_asking)
{
    enum { RUNS = 200 };
    static answer answers[RUNS];
    cloche_sandbox *sandbox = open_limited(4, 1, RUNS);

    begin();
    for (int i = 0; i < RUNS; i++)
        submit(sandbox, ask(i % 10 == 0 ? WAIT_CODE(3) : "let x = 0; for (let i = 0; i < 1000; i++) x += i; return x"), &answers[i]);
    await_answers(RUNS);
    for (int i = 0; i < RUNS; i++) {
        ck_assert_int_eq(answers[i].order, i);
        expect_answer(&answers[i], CLOCHE_CODE_NONE);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(runs_that_do_not_fit_the_total_queue_instead_of_failing)
{
    enum { RUNS = 60 };
    static answer answers[RUNS];
    cloche_options options = CLOCHE_OPTIONS_INIT;
    bool has_queued = false;

    options.limits.max_total_memory_mb = 16;
    options.thread_count = 2;
    cloche_sandbox *sandbox = open_with(&options);
    begin();
    for (int i = 0; i < RUNS; i++) {
        submit(sandbox, ask(WAIT_CODE(10)), &answers[i]);
        has_queued |= stats_of(sandbox).queued > 0;
    }
    await_answers(RUNS);
    ck_assert(has_queued);
    for (int i = 0; i < RUNS; i++)
        expect_answer(&answers[i], CLOCHE_CODE_NONE);
    await_stats(sandbox, stats.memory_bytes == 0);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(growth_that_the_total_refuses_is_the_hosts_failure_and_the_sandbox_goes_on)
{
    cloche_options options = CLOCHE_OPTIONS_INIT;

    options.limits.max_total_memory_mb = 16;
    cloche_sandbox *sandbox = open_with(&options);
    for (int i = 0; i < 5; i++) {
        cloche_result *result = run(sandbox, ask("console.log('before'); return new Uint8Array(32 << 20).length"));
        assert_code(result, CLOCHE_CODE_INTERNAL);
        assert_contains(result->error, "host memory");
        assert_text(result->out, "before\n");
        cloche_result_destroy(result);
        expect_value(sandbox, "return new Uint8Array(8 << 20).length", "8388608");
        ck_assert_uint_eq(stats_of(sandbox).memory_bytes, 0);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(queues_of_two_sandboxes_share_the_total)
{
    answer answers[2][20];
    cloche_options options = CLOCHE_OPTIONS_INIT;

    options.limits.max_total_memory_mb = 16;
    options.thread_count = 2;
    cloche_sandbox *sandboxes[2] = {open_with(&options), open_with(&options)};
    begin();
    for (int i = 0; i < 20; i++)
        for (int s = 0; s < 2; s++)
            submit(sandboxes[s], ask(WAIT_CODE(10)), &answers[s][i]);
    await_answers(40);
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < 20; i++)
            expect_answer(&answers[s][i], CLOCHE_CODE_NONE);
        cloche_sandbox_destroy(sandboxes[s]);
    }
}
END_TEST

/* ---- storm ---- */

typedef struct storm {
    cloche_sandbox *sandbox;
    unsigned seed;
    double until;
    _Atomic int *submitted, *answered;
    int blocking;
    const char *wrong;
} storm;

typedef struct drop {
    _Atomic int *answered;
    cloche_abort *abort_switch;
    _Atomic bool is_answered;
} drop;

static void count_answer(void *user, cloche_result *result)
{
    drop *d = user;
    cloche_result_destroy(result);
    atomic_store(&d->is_answered, true);
    atomic_fetch_add(d->answered, 1);
}

static const char *const storm_codes[] = {
    "return 1",
    "for (;;);",
    "await new Promise(r => setTimeout(r, 2)); return 2",
    "await new Promise(r => setTimeout(r, 1e6))",
    "const a = []; for (;;) a.push('x'.repeat(1e5) + a.length)",
    "throw new Error('x')",
    "console.log('x'.repeat(5000)); return 3",
    "const f = () => [1].map(f); f()",
};

static void *rage(void *arg)
{
    enum { HELD = 16 };
    storm *s = arg;
    drop *held[HELD] = {0};

    while (now_ms() < s->until) {
        unsigned dice = (unsigned)rand_r(&s->seed);
        drop **place = &held[dice / 7 % HELD];
        cloche_request request = ask_for(storm_codes[dice % 8], 3 + dice / 11 % 20);
        request.limits.memory_limit_mb = 16;
        if (*place != NULL)
            cloche_abort_trigger((*place)->abort_switch); /* before, during or after its run */
        if (dice / 13 % 3 == 0) {
            cloche_result *result = run(s->sandbox, request);
            if (result->code == CLOCHE_CODE_INTERNAL)
                s->wrong = text_of("%s", shown(result->error));
            cloche_result_destroy(result);
            s->blocking++;
        } else if (*place == NULL) {
            *place = calloc(1, sizeof **place);
            (*place)->answered = s->answered;
            (*place)->abort_switch = make_switch();
            request.abort = (*place)->abort_switch;
            atomic_fetch_add(s->submitted, 1);
            if (cloche_sandbox_submit(s->sandbox, &request, count_answer, *place, NULL) != CLOCHE_OK)
                s->wrong = "submit failed";
        }
        /* Switches and records are released after dispose: when exactly one may go is another test's matter. */
        if (*place != NULL && atomic_load(&(*place)->is_answered))
            *place = NULL;
    }
    for (int i = 0; i < HELD; i++)
        if (held[i] != NULL && i % 2 == 0)
            cloche_abort_trigger(held[i]->abort_switch);
    return NULL;
}

static void rage_on(uint32_t concurrency, bool with_dispose)
{
    enum { THREADS = 8 };
    cloche_sandbox *sandbox = open_limited(3, concurrency, 1000);
    pthread_t threads[THREADS];
    storm storms[THREADS];
    _Atomic int submitted = 0, answered = 0;
    int blocking = 0;

    for (int i = 0; i < THREADS; i++) {
        storms[i] = (storm){.sandbox = sandbox, .seed = (unsigned)i + 1, .until = now_ms() + 2000, .submitted = &submitted, .answered = &answered};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, rage, &storms[i]), 0);
    }
    if (with_dispose) {
        await_stats(sandbox, stats.runs_total > 200);
        ck_assert_int_eq(cloche_sandbox_dispose(sandbox), CLOCHE_OK);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_msg(storms[i].wrong == NULL, "%s", storms[i].wrong);
        blocking += storms[i].blocking;
    }
    if (!with_dispose)
        expect_next_run_right(sandbox);
    ck_assert_int_eq(cloche_sandbox_dispose(sandbox), CLOCHE_OK);
    ck_assert_int_eq(atomic_load(&submitted), atomic_load(&answered));
    ck_assert_int_gt(atomic_load(&submitted), 50);
    cloche_stats stats = stats_of(sandbox);
    ck_assert_uint_eq(stats.active, 0);
    ck_assert_uint_eq(stats.queued, 0);
    ck_assert_uint_eq(stats.memory_bytes, 0);
    ck_assert_uint_eq(stats.runs_total, (unsigned)(submitted + blocking + !with_dispose));
    cloche_sandbox_destroy(sandbox);
}

START_TEST(a_storm_of_submits_runs_and_aborts_leaves_nothing_unanswered)
{
    rage_on(64, false);
}
END_TEST

START_TEST(a_storm_on_few_places_leaves_nothing_unanswered)
{
    rage_on(4, false);
}
END_TEST

START_TEST(a_storm_with_a_dispose_in_the_middle_leaves_nothing_unanswered)
{
    rage_on(16, true);
}
END_TEST

TEST_MAIN("api/submit", hundreds_of_waiting_runs_need_two_threads, a_waiting_run_holds_no_thread,
          waiting_runs_keep_their_state_apart, every_outcome_is_answered_exactly_once, the_request_is_copied,
          misuse_of_submit_is_a_status_and_no_answer, a_full_queue_answers_busy_at_once,
          a_run_that_gets_no_place_in_time_is_answered_busy, queue_time_is_over_even_while_every_thread_is_busy,
          one_place_is_given_in_the_order_of_asking, runs_that_do_not_fit_the_total_queue_instead_of_failing,
          growth_that_the_total_refuses_is_the_hosts_failure_and_the_sandbox_goes_on,
          queues_of_two_sandboxes_share_the_total, a_storm_of_submits_runs_and_aborts_leaves_nothing_unanswered,
          a_storm_on_few_places_leaves_nothing_unanswered,
          a_storm_with_a_dispose_in_the_middle_leaves_nothing_unanswered)
