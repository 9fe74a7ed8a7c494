/* A callback runs on the caller's own stack and may run again: each run has its own deadline, its own stop, its own end. */
#include <pthread.h>
#include <semaphore.h>

#include "api.h"

typedef struct level {
    cloche_sandbox *sandbox;
    cloche_sandbox *other;      /* for every second level; may be the same */
    int depth;
    int calls;
    const char *wrong;
} level;

static cloche_result *run_with_callback(cloche_sandbox *sandbox, cloche_request request, cloche_output_fn fn, void *user)
{
    request.on_output = fn;
    request.on_output_user = user;
    return run(sandbox, request);
}

/* ---- levels ---- */

static void run_one_deeper(void *user, int fd, const char *data, size_t length)
{
    level *outer = user;
    level inner = {.sandbox = outer->other, .other = outer->sandbox, .depth = outer->depth - 1};

    (void)fd, (void)data, (void)length;
    outer->calls++;
    if (outer->depth == 0)
        return;
    char *code = text_of("let x = %d; console.log(x); for (let i = 0; i < 1e4; i++) x += i; return x", outer->depth);
    cloche_result *result = run_with_callback(inner.sandbox, ask(code), run_one_deeper, &inner);
    assert_value(result, text_of("%d", 49995000 + outer->depth));
    assert_text(result->out, text_of("%d\n", outer->depth));
    ck_assert_int_eq(inner.calls, 1);
    cloche_result_destroy(result);
}

static void expect_levels(cloche_sandbox *one, cloche_sandbox *other)
{
    level outermost = {.sandbox = one, .other = other, .depth = 3};
    cloche_result *result = run_with_callback(
        one, ask("let r = []; for (let i = 0; i < 5; i++) { console.log(i); r.push(i * i) } return r"), run_one_deeper, &outermost);

    assert_value(result, "[0,1,4,9,16]");
    assert_text(result->out, "0\n1\n2\n3\n4\n");
    ck_assert_int_eq(outermost.calls, 5);
    cloche_result_destroy(result);
}

START_TEST(runs_nest_in_the_same_sandbox)
{
    cloche_sandbox *sandbox = open_sandbox();

    expect_levels(sandbox, sandbox);
    ck_assert_uint_eq(stats_of(sandbox).slots, 4); /* one memory per level */
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(runs_nest_in_another_sandbox)
{
    cloche_sandbox *one = open_sandbox(), *other = open_sandbox();

    expect_levels(one, other);
    cloche_sandbox_destroy(one);
    cloche_sandbox_destroy(other);
}
END_TEST

/* ---- deadlines ---- */

static void run_hostile_inside(void *user, int fd, const char *data, size_t length)
{
    level *outer = user;
    static const char *const codes[] = {"for (;;);", "return /^(a+)+$/.test('a'.repeat(40) + 'b')", "return {toJSON() { for (;;); }}"};

    (void)fd, (void)data, (void)length;
    cloche_result *result = run(outer->sandbox, ask_for(codes[outer->calls++ % 3], 10));
    assert_code(result, CLOCHE_CODE_TIMEOUT);
    ck_assert_double_lt(result->duration_ms, 10 + 250);
    cloche_result_destroy(result);
}

START_TEST(an_inner_run_times_out_and_the_outer_goes_on)
{
    cloche_sandbox *sandbox = open_sandbox();
    level outer = {.sandbox = sandbox};

    for (int i = 0; i < 10; i++) {
        cloche_result *result = run_with_callback(
            sandbox, ask_for("let x = 0; for (let i = 0; i < 12; i++) { console.log(i); for (let k = 0; k < 1000; k++) x += k } return x", 60000),
            run_hostile_inside, &outer);
        assert_value(result, "5994000");
        cloche_result_destroy(result);
    }
    ck_assert_int_eq(outer.calls, 120);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

static void run_longer_than_the_outer(void *user, int fd, const char *data, size_t length)
{
    level *outer = user;

    (void)fd, (void)data, (void)length;
    cloche_result *result = run(outer->sandbox, ask_for(SPIN_JS "spin(150); return 'inner'", 60000));
    assert_value(result, "\"inner\""); /* the outer's deadline is not the inner's */
    cloche_result_destroy(result);
    outer->calls++;
}

START_TEST(a_deadline_that_passes_while_an_inner_run_goes_on_ends_the_outer_after_the_callback)
{
    cloche_sandbox *sandbox = open_sandbox();
    level outer = {.sandbox = sandbox};
    cloche_result *result = run_with_callback(sandbox, ask_for("console.log(1); console.log(2); return 'no'", 50),
                                              run_longer_than_the_outer, &outer);

    assert_code(result, CLOCHE_CODE_TIMEOUT);
    ck_assert_int_eq(outer.calls, 1);
    assert_text(result->out, "1\n");
    ck_assert_double_ge(result->duration_ms, 149);
    ck_assert_double_lt(result->duration_ms, 150 + 250);
    cloche_result_destroy(result);
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

static void spin_for_a_while(void *user, int fd, const char *data, size_t length)
{
    level *outer = user;
    double end = now_ms() + 120;

    (void)fd, (void)data, (void)length;
    while (now_ms() < end)
        ;
    outer->calls++;
}

START_TEST(a_callback_that_outlasts_the_deadline_is_not_cut_short_and_is_the_last)
{
    cloche_sandbox *sandbox = open_sandbox();
    level outer = {.sandbox = sandbox};
    cloche_result *result =
        run_with_callback(sandbox, ask_for("console.log(1); for (;;) console.log(2)", 40), spin_for_a_while, &outer);

    assert_code(result, CLOCHE_CODE_TIMEOUT);
    ck_assert_int_eq(outer.calls, 1);
    ck_assert_double_ge(result->duration_ms, 119);
    cloche_result_destroy(result);
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* Deadlines of the outer run that fall just when an inner one begins or ends. */
static void run_shortly_inside(void *user, int fd, const char *data, size_t length)
{
    level *outer = user;

    (void)fd, (void)data, (void)length;
    cloche_result *result = run(outer->sandbox, ask_for("let x = 0; for (let i = 0; i < 500; i++) x += i; return x", 60000));
    if (!result->ok || strcmp(result->value.data, "124750") != 0)
        outer->wrong = text_of("%s %s", shown(result->value), shown(result->error));
    cloche_result_destroy(result);
    outer->calls++;
}

START_TEST(an_outer_deadline_never_hits_an_inner_run)
{
    cloche_sandbox *sandbox = open_sandbox();
    level outer = {.sandbox = sandbox};

    for (int i = 0; i < 800; i++) {
        cloche_result *result = run_with_callback(sandbox, ask_for("for (;;) console.log('x')", 1 + i % 3), run_shortly_inside, &outer);
        assert_code(result, CLOCHE_CODE_TIMEOUT);
        ck_assert_msg(outer.wrong == NULL, "%s", outer.wrong);
        cloche_result_destroy(result);
        expect_value(sandbox, "return 'next'", "\"next\"");
    }
    ck_assert_int_gt(outer.calls, 800);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

static void time_out_inside(void *user, int fd, const char *data, size_t length)
{
    level *outer = user;

    (void)fd, (void)data, (void)length;
    cloche_result *result = run(outer->sandbox, ask_for("for (;;);", 1));
    if (result->code != CLOCHE_CODE_TIMEOUT)
        outer->wrong = text_of("%s %s", shown(result->value), shown(result->error));
    cloche_result_destroy(result);
    outer->calls++;
}

START_TEST(an_inner_deadline_never_hits_the_outer_run)
{
    cloche_sandbox *sandbox = open_sandbox();
    level outer = {.sandbox = sandbox};
    cloche_result *result = run_with_callback(
        sandbox, ask_for("let x = 0; for (let i = 0; i < 1000; i++) { console.log(i); for (let k = 0; k < 100; k++) x += k } return x", 60000),
        time_out_inside, &outer);

    assert_value(result, "4950000");
    ck_assert_msg(outer.wrong == NULL, "%s", outer.wrong);
    ck_assert_int_eq(outer.calls, 1000);
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- dispose and abort from inside ---- */

static void dispose_inside(void *user, int fd, const char *data, size_t length)
{
    level *outer = user;

    (void)fd, (void)data, (void)length;
    if (cloche_sandbox_dispose(outer->sandbox) != CLOCHE_E_BUSY)
        outer->wrong = "dispose did not answer CLOCHE_E_BUSY";
    outer->calls++;
}

START_TEST(dispose_from_inside_a_callback_answers_busy_and_ends_the_run)
{
    cloche_sandbox *sandbox = open_sandbox();
    level outer = {.sandbox = sandbox};
    cloche_result *result = run_with_callback(sandbox, ask("console.log(1); console.log(2); return 1"), dispose_inside, &outer);

    assert_code(result, CLOCHE_CODE_DISPOSED);
    ck_assert_int_eq(outer.calls, 1);
    ck_assert_msg(outer.wrong == NULL, "%s", outer.wrong);
    assert_text(result->out, "1\n");
    cloche_result_destroy(result);
    expect_end(sandbox, ask("return 1"), CLOCHE_CODE_DISPOSED);
    ck_assert_int_eq(cloche_sandbox_dispose(sandbox), CLOCHE_OK);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

static void dispose_outer_from_inner(void *user, int fd, const char *data, size_t length)
{
    level *outer = user;

    cloche_request request = ask("console.log('inner'); for (let i = 0; i < 10; i++); return 2");
    (void)fd, (void)data, (void)length;
    request.on_output = dispose_inside;
    request.on_output_user = outer;
    cloche_result *result = run(outer->other, request);
    assert_value(result, "2"); /* another sandbox's run goes on */
    cloche_result_destroy(result);
}

START_TEST(dispose_of_the_outer_sandbox_from_an_inner_run_answers_busy)
{
    cloche_sandbox *sandbox = open_sandbox(), *other = open_sandbox();
    level outer = {.sandbox = sandbox, .other = other};
    cloche_result *result = run_with_callback(sandbox, ask("console.log(1); return 1"), dispose_outer_from_inner, &outer);

    assert_code(result, CLOCHE_CODE_DISPOSED);
    ck_assert_int_eq(outer.calls, 1);
    ck_assert_msg(outer.wrong == NULL, "%s", outer.wrong);
    cloche_result_destroy(result);
    cloche_sandbox_destroy(other);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

static void abort_inside(void *user, int fd, const char *data, size_t length)
{
    (void)fd, (void)data, (void)length;
    cloche_abort_trigger(user);
}

START_TEST(abort_from_inside_a_callback_ends_the_run)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_abort *abort_switch;
    cloche_request request = ask("console.log(1); console.log(2); return 1");

    ck_assert_int_eq(cloche_abort_create(&abort_switch, NULL), CLOCHE_OK);
    request.abort = abort_switch;
    cloche_result *result = run_with_callback(sandbox, request, abort_inside, abort_switch);
    assert_code(result, CLOCHE_CODE_ABORTED);
    assert_text(result->out, "1\n");
    ck_assert_int_eq(result->exit_code, 130);
    ck_assert(cloche_abort_is_triggered(abort_switch));
    cloche_result_destroy(result);
    expect_next_run_right(sandbox);
    cloche_abort_destroy(abort_switch);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* One switch for an outer and an inner run. */
static void abort_both(void *user, int fd, const char *data, size_t length)
{
    cloche_request *inner = user;

    (void)fd, (void)data, (void)length;
    cloche_result *result = run(((void **)inner->on_output_user)[0], *inner);
    assert_code(result, CLOCHE_CODE_ABORTED);
    cloche_result_destroy(result);
}

static void abort_second(void *user, int fd, const char *data, size_t length)
{
    (void)fd, (void)data, (void)length;
    cloche_abort_trigger(((void **)user)[1]);
}

START_TEST(one_switch_ends_an_outer_and_an_inner_run)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_abort *abort_switch;
    cloche_request outer = ask("console.log('outer'); return 1"), inner = ask("console.log('inner'); for (;;);");

    ck_assert_int_eq(cloche_abort_create(&abort_switch, NULL), CLOCHE_OK);
    void *both[] = {sandbox, abort_switch};
    outer.abort = inner.abort = abort_switch;
    inner.on_output = abort_second;
    inner.on_output_user = both;
    cloche_result *result = run_with_callback(sandbox, outer, abort_both, &inner);
    assert_code(result, CLOCHE_CODE_ABORTED);
    cloche_result_destroy(result);
    expect_next_run_right(sandbox);
    cloche_abort_destroy(abort_switch);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* A release asked for in the middle must not pull the thread's signals from under the run. */
static void release_inside(void *user, int fd, const char *data, size_t length)
{
    (void)user, (void)fd, (void)data, (void)length;
    cloche_thread_release();
}

START_TEST(a_release_inside_a_callback_leaves_the_run_its_deadline)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_result *result = run_with_callback(sandbox, ask_for("console.log(1); for (;;);", 40), release_inside, NULL);

    assert_code(result, CLOCHE_CODE_TIMEOUT);
    cloche_result_destroy(result);
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

static void *make_a_run(void *sandbox)
{
    expect_next_run_right(sandbox);
    return NULL;
}

static void run_on_another_thread(void *user, int fd, const char *data, size_t length)
{
    pthread_t thread;

    (void)fd, (void)data, (void)length;
    ck_assert_int_eq(pthread_create(&thread, NULL, make_a_run, user), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

START_TEST(a_callback_may_wait_for_a_run_on_another_thread)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_result *result = run_with_callback(sandbox, ask("console.log(1); return 1"), run_on_another_thread, sandbox);

    assert_value(result, "1");
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- submitted runs ---- */

typedef struct pooled {
    cloche_sandbox *sandbox;
    pthread_t submitter;
    sem_t answered;
    cloche_result *result;
    int outputs;
    bool is_elsewhere;
} pooled;

static void output_on_the_pool(void *user, int fd, const char *data, size_t length)
{
    pooled *p = user;

    ck_assert_int_eq(fd, 1);
    ck_assert(length == 2 && data[1] == '\n');
    p->is_elsewhere = !pthread_equal(pthread_self(), p->submitter);
    p->outputs++;
    expect_value(p->sandbox, "return 'nested'", "\"nested\"");
    expect_end(p->sandbox, ask_for("for (;;);", 5), CLOCHE_CODE_TIMEOUT);
}

static void take_answer(void *user, cloche_result *result)
{
    pooled *p = user;

    p->result = result;
    expect_value(p->sandbox, "return 'in done'", "\"in done\""); /* done may call the library */
    sem_post(&p->answered);
}

START_TEST(a_submitted_run_gives_its_output_on_the_pools_thread_and_may_nest)
{
    cloche_sandbox *sandbox = open_sandbox();
    pooled p = {.sandbox = sandbox, .submitter = pthread_self()};
    cloche_request request = ask("for (let i = 0; i < 3; i++) { console.log(i); await new Promise(r => setTimeout(r, 5)) } return 'ok'");

    sem_init(&p.answered, 0, 0);
    request.on_output = output_on_the_pool;
    request.on_output_user = &p;
    ck_assert_int_eq(cloche_sandbox_submit(sandbox, &request, take_answer, &p, NULL), CLOCHE_OK);
    while (sem_wait(&p.answered) != 0)
        ;
    assert_value(p.result, "\"ok\"");
    assert_text(p.result->out, "0\n1\n2\n");
    ck_assert_int_eq(p.outputs, 3);
    ck_assert(p.is_elsewhere);
    cloche_result_destroy(p.result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

TEST_MAIN("api/nesting", runs_nest_in_the_same_sandbox, runs_nest_in_another_sandbox,
          an_inner_run_times_out_and_the_outer_goes_on,
          a_deadline_that_passes_while_an_inner_run_goes_on_ends_the_outer_after_the_callback,
          a_callback_that_outlasts_the_deadline_is_not_cut_short_and_is_the_last,
          an_outer_deadline_never_hits_an_inner_run, an_inner_deadline_never_hits_the_outer_run,
          dispose_from_inside_a_callback_answers_busy_and_ends_the_run,
          dispose_of_the_outer_sandbox_from_an_inner_run_answers_busy, abort_from_inside_a_callback_ends_the_run,
          one_switch_ends_an_outer_and_an_inner_run, a_release_inside_a_callback_leaves_the_run_its_deadline,
          a_callback_may_wait_for_a_run_on_another_thread,
          a_submitted_run_gives_its_output_on_the_pools_thread_and_may_nest)
