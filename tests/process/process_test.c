/* What the process backend promises beside equal results: streams, stops, load, freshness, and that nothing is left. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "tree.h"

/* ---- isolation ---- */

START_TEST(the_result_and_the_sandbox_tell_the_layers_that_the_probe_found)
{
    cloche_layer layers[CLOCHE_LAYER_COUNT];
    uint32_t count, bits = 0;
    cloche_error err;
    cloche_sandbox *sandbox = open_process(CLOCHE_FRESHNESS_PROCESS);
    cloche_result *result = run(sandbox, ask("return 1"));

    ck_assert_msg(cloche_isolation_probe(layers, CLOCHE_LAYER_COUNT, &count, &err) == CLOCHE_OK, "%s", err.text);
    ck_assert_uint_eq(count, CLOCHE_LAYER_COUNT);
    for (uint32_t i = 0; i < count; i++) {
        bits |= layers[i].stands ? layers[i].bit : 0;
        ck_assert_msg(layers[i].stands == (layers[i].step[0] == '\0'), "%s: %s", layers[i].name, layers[i].step);
        ck_assert_msg(layers[i].stands == (layers[i].remedy[0] == '\0'), "%s: %s", layers[i].name, layers[i].remedy);
    }
    ck_assert_uint_eq(result->isolation, bits);
    ck_assert_uint_eq(cloche_sandbox_isolation(sandbox), bits);
    ck_assert(bits & CLOCHE_LAYER_SFI);
    ck_assert(bits & CLOCHE_LAYER_SECCOMP);
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_probe_leaves_nothing_and_writes_no_more_than_there_is_room_for)
{
    cloche_layer layers[3] = {{0}};
    uint32_t count;
    int fds = count_fds();

    ck_assert_int_eq(cloche_isolation_probe(layers, 2, &count, NULL), CLOCHE_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_ptr_null(layers[2].name);
    ck_assert_int_eq(cloche_isolation_probe(NULL, 0, &count, NULL), CLOCHE_OK);
    ck_assert_int_eq(count_fds(), fds);
    ck_assert_int_eq(count_below(0), 0);
}
END_TEST

START_TEST(the_plan_is_text_that_is_cut_where_there_is_no_room)
{
    size_t length = cloche_isolation_plan(NULL, 0);
    char *whole = malloc(length + 1), cut[20];

    ck_assert_uint_gt(length, 500);
    ck_assert_uint_eq(cloche_isolation_plan(whole, length + 1), length);
    ck_assert_uint_eq(strlen(whole), length);
    ck_assert_uint_eq(cloche_isolation_plan(cut, sizeof cut), length);
    ck_assert_uint_eq(strlen(cut), sizeof cut - 1);
    ck_assert(memcmp(whole, cut, sizeof cut - 1) == 0);
    ck_assert_ptr_nonnull(strstr(whole, "seccomp"));
    free(whole);
}
END_TEST

START_TEST(freshness_belongs_to_the_process_backend)
{
    cloche_options options = CLOCHE_OPTIONS_INIT;
    cloche_sandbox *sandbox;
    cloche_error err;

    options.freshness = CLOCHE_FRESHNESS_JAIL;
    ck_assert_int_eq(cloche_sandbox_create(&options, &sandbox, &err), CLOCHE_E_INVAL);
    ck_assert_ptr_null(sandbox);
    ck_assert_ptr_nonnull(strstr(err.text, "freshness"));
}
END_TEST

/* ---- output while it runs ---- */

typedef struct heard {
    char text[4096];
    size_t length;
    double first_ms;
    size_t bytes;
} heard;

static void hear(void *user, int fd, const char *data, size_t length)
{
    heard *h = user;

    if (h->first_ms == 0)
        h->first_ms = now_ms();
    h->bytes += length;
    if (h->length + length + 2 < sizeof h->text)
        h->length += (size_t)sprintf(h->text + h->length, "%d%.*s", fd, (int)length, data);
}

START_TEST(output_comes_in_order_while_the_guest_runs)
{
    cloche_sandbox *sandbox = open_process(CLOCHE_FRESHNESS_PROCESS);
    heard h = {.length = 0};
    cloche_request request =
        ask(SPIN_JS "console.log('a'); spin(200); console.error('b'); console.log('c'); console.error('d')");

    request.on_output = hear;
    request.on_output_user = &h;
    cloche_result *result = run(sandbox, request);
    double end_ms = now_ms();
    ck_assert(result->ok);
    ck_assert_str_eq(h.text, "1a\n2b\n1c\n2d\n");
    ck_assert_double_ge(end_ms - h.first_ms, 150);
    assert_text(result->out, "a\nc\n");
    assert_text(result->err, "b\nd\n");
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_listener_hears_what_is_over_the_limit_as_well)
{
    cloche_sandbox *sandbox = open_process(CLOCHE_FRESHNESS_PROCESS);
    heard h = {.length = 0};
    cloche_request request = ask("for (let i = 0; i < 3000; i++) console.log('x'.repeat(999)); return 1");

    request.on_output = hear;
    request.on_output_user = &h;
    cloche_result *result = run(sandbox, request);
    assert_value(result, "1");
    ck_assert_uint_eq(h.bytes, 3000 * 1000);
    ck_assert_uint_eq(result->out.length + result->out_truncated, 3000 * 1000);
    ck_assert_uint_le(result->out.length, 1 << 20);
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_flood_of_output_ends_at_the_deadline)
{
    cloche_sandbox *sandbox = open_process(CLOCHE_FRESHNESS_PROCESS);
    double start = now_ms();
    cloche_result *result =
        run(sandbox, ask_for("for (;;) { console.log('x'.repeat(5000)); console.error('y') }", 200));

    assert_code(result, CLOCHE_CODE_TIMEOUT);
    ck_assert_double_lt(now_ms() - start, 200 + 300);
    ck_assert_uint_le(result->out.length, 1 << 20);
    ck_assert_uint_gt(result->out.length, (1 << 20) - 5001);
    cloche_result_destroy(result);
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

static void run_inside(void *user, int fd, const char *data, size_t length)
{
    (void)fd, (void)data, (void)length;
    expect_next_run_right(user);
}

START_TEST(a_run_can_be_started_from_the_output_of_another)
{
    for (int freshness = CLOCHE_FRESHNESS_PROCESS; freshness <= CLOCHE_FRESHNESS_JAIL; freshness++) {
        cloche_sandbox *sandbox = open_process((cloche_freshness)freshness);
        cloche_request request =
            ask("for (let i = 0; i < 3; i++) { console.log(i); globalThis.leftover = 1 } return 'outer'");
        request.on_output = run_inside;
        request.on_output_user = sandbox;
        cloche_result *result = run(sandbox, request);
        assert_value(result, "\"outer\"");
        cloche_result_destroy(result);
        cloche_sandbox_destroy(sandbox);
    }
}
END_TEST

/* ---- stops ---- */

typedef struct trigger {
    cloche_abort *abort;
    int after_ms;
} trigger;

static void *pull(void *user)
{
    trigger *t = user;
    pause_ms(t->after_ms);
    cloche_abort_trigger(t->abort);
    return NULL;
}

START_TEST(a_run_is_aborted_before_and_while_it_runs_or_waits)
{
    static const char *const codes[] = {"for (;;);", "await new Promise(r => setTimeout(r, 1e6))",
                                        "for (;;) console.log('x'.repeat(1000))"};
    cloche_sandbox *sandbox = open_process(CLOCHE_FRESHNESS_PROCESS);

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        pthread_t thread;
        trigger t = {.after_ms = 50};
        cloche_request request = ask_for(codes[i], 30000);
        ck_assert_int_eq(cloche_abort_create(&t.abort, NULL), CLOCHE_OK);
        request.abort = t.abort;
        ck_assert_int_eq(pthread_create(&thread, NULL, pull, &t), 0);
        double start = now_ms();
        cloche_result *result = run(sandbox, request);
        ck_assert_msg(now_ms() - start < 1000, "%s: aborted after %.1f ms", codes[i], now_ms() - start);
        assert_code(result, CLOCHE_CODE_ABORTED);
        cloche_result_destroy(result);
        pthread_join(thread, NULL);
        result = run(sandbox, request);
        assert_code(result, CLOCHE_CODE_ABORTED);
        ck_assert(!result->started);
        cloche_result_destroy(result);
        cloche_abort_destroy(t.abort);
        expect_next_run_right(sandbox);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_child_that_was_stopped_is_gone_soon)
{
    static process_list children;
    cloche_sandbox *sandbox = open_process(CLOCHE_FRESHNESS_PROCESS);

    expect_next_run_right(sandbox);
    await_ready(&children); /* one of them gets the run */
    expect_end(sandbox, ask_for("for (;;);", 50), CLOCHE_CODE_TIMEOUT);
    double start = now_ms();
    await(are_gone(&children), 5000);
    ck_assert_double_lt(now_ms() - start, 250); /* the figure is 50; test machines are busy */
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(the_cpu_time_of_a_run_is_its_own)
{
    static const char work[] = "let n = 0; for (let i = 0; i < 2e6; i++) n = (n * 31 + i) % 65521; return n";
    cloche_sandbox *worker = open_sandbox();
    cloche_result *measure = run(worker, ask(work));
    double worker_ms = measure->usage.cpu_ms; /* as this thread's clock tells it */

    cloche_result_destroy(measure);
    cloche_sandbox_destroy(worker);
    for (int freshness = CLOCHE_FRESHNESS_PROCESS; freshness <= CLOCHE_FRESHNESS_JAIL; freshness++) {
        cloche_sandbox *sandbox = open_process((cloche_freshness)freshness);
        for (int i = 0; i < 4; i++) {
            cloche_result *worked = run(sandbox, ask(work));
            cloche_result *slept = run(sandbox, ask("await new Promise(r => setTimeout(r, 100)); return 1"));
            ck_assert(worked->ok && slept->ok);
            /* The clock of another process goes by the tick. */
            ck_assert_double_ge(worked->usage.cpu_ms, worker_ms / 3 - 10);
            ck_assert_double_le(worked->usage.cpu_ms, worked->duration_ms + 10);
            ck_assert_double_lt(slept->usage.cpu_ms, 50);
            cloche_result_destroy(worked);
            cloche_result_destroy(slept);
        }
        cloche_sandbox_destroy(sandbox);
    }
}
END_TEST

/* ---- load ---- */

typedef struct answer {
    cloche_result *result;
    _Atomic int count;
} answer;

static sem_t arrived;

static void take_answer(void *user, cloche_result *result)
{
    answer *a = user;
    a->result = result;
    atomic_fetch_add(&a->count, 1);
    sem_post(&arrived);
}

static void submit(cloche_sandbox *sandbox, const char *code, uint32_t timeout_ms, answer *to)
{
    cloche_request request = ask_for(code, timeout_ms);
    cloche_error err;
    cloche_status rc = cloche_sandbox_submit(sandbox, &request, take_answer, to, &err);
    ck_assert_msg(rc == CLOCHE_OK, "submit: %s", err.text);
}

static void await_answers(int count)
{
    for (int i = 0; i < count; i++) {
        struct timespec until;
        int rc;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 40;
        while ((rc = sem_timedwait(&arrived, &until)) != 0 && errno == EINTR)
            continue;
        ck_assert_msg(rc == 0, "only %d of %d answers came", i, count);
    }
}

START_TEST(two_hundred_runs_at_once_are_answered_right)
{
    enum { RUNS = 200 };
    static answer answers[2][RUNS];
    static const char *const codes[] = {
        "return %d * 3",
        "await new Promise(r => setTimeout(r, 30)); return %d * 3",
        "let n = 0; for (let i = 0; i < 20; i++) { await new Promise(r => setTimeout(r, i %% 3)); n++ } return %d * 3 "
        "* n / 20",
        "console.log('x'.repeat(10000)); return %d * 3",
    };

    sem_init(&arrived, 0, 0);
    for (int freshness = CLOCHE_FRESHNESS_PROCESS; freshness <= CLOCHE_FRESHNESS_JAIL; freshness++) {
        cloche_sandbox *sandbox = open_process((cloche_freshness)freshness);
        for (int i = 0; i < RUNS; i++)
            submit(sandbox, text_of(codes[i % 4], i), 30000, &answers[freshness][i]);
        await_answers(RUNS);
        for (int i = 0; i < RUNS; i++) {
            answer *a = &answers[freshness][i];
            ck_assert_int_eq(atomic_load(&a->count), 1);
            assert_value(a->result, text_of("%d", i * 3));
            cloche_result_destroy(a->result);
        }
        expect_next_run_right(sandbox);
        cloche_sandbox_destroy(sandbox);
        ck_assert_int_eq(count_below(0), 0);
    }
}
END_TEST

START_TEST(dispose_ends_what_runs_and_what_waits)
{
    enum { RUNS = 12 };
    static answer answers[RUNS];
    cloche_sandbox *sandbox = open_process(CLOCHE_FRESHNESS_PROCESS);

    sem_init(&arrived, 0, 0);
    for (int i = 0; i < RUNS; i++)
        submit(sandbox, i % 2 == 0 ? "for (;;);" : "await new Promise(r => setTimeout(r, 1e6))", 60000, &answers[i]);
    pause_ms(100);
    double start = now_ms();
    ck_assert_int_eq(cloche_sandbox_dispose(sandbox), CLOCHE_OK);
    ck_assert_double_lt(now_ms() - start, 3000);
    await_answers(RUNS);
    for (int i = 0; i < RUNS; i++) {
        ck_assert_int_eq(atomic_load(&answers[i].count), 1);
        assert_code(answers[i].result, CLOCHE_CODE_DISPOSED);
        cloche_result_destroy(answers[i].result);
    }
    expect_end(sandbox, ask("return 1"), CLOCHE_CODE_DISPOSED);
    cloche_sandbox_destroy(sandbox);
    ck_assert_int_eq(count_below(0), 0);
}
END_TEST

static void *keep_running(void *user)
{
    for (int i = 0; i < 60; i++) {
        cloche_result *result = NULL;
        cloche_request request = i % 10 == 9 ? ask_for("for (;;);", 5) : ask("return 'x'.repeat(70000).length");
        if (cloche_sandbox_run(user, &request, &result, NULL) != CLOCHE_OK)
            return "no result";
        bool is_right =
            i % 10 == 9 ? result->code == CLOCHE_CODE_TIMEOUT : result->ok && strcmp(result->value.data, "70000") == 0;
        const char *wrong = is_right ? NULL : text_of("%s %s", shown(result->value), shown(result->error));
        cloche_result_destroy(result);
        if (wrong != NULL)
            return (void *)(uintptr_t)wrong;
    }
    return NULL;
}

START_TEST(threads_run_side_by_side)
{
    enum { THREADS = 6 };
    pthread_t threads[THREADS];
    cloche_sandbox *sandbox = open_process(CLOCHE_FRESHNESS_PROCESS);

    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, keep_running, sandbox), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        ck_assert_msg(wrong == NULL, "%s", (const char *)wrong);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- freshness ---- */

#define POLLUTE                                                                                                 \
    "if (typeof leftover !== 'undefined' || [].polluted || JSON.stringify({}) !== '{}') return 'seen';"         \
    "globalThis.leftover = 1; Array.prototype.polluted = 1; JSON.stringify = () => 'gone'; Object.freeze(Map);" \
    "globalThis.big = new Uint8Array(1 << 20).fill(7); setTimeout(() => {}, 1e6); return %d"

START_TEST(a_thousand_runs_in_one_jail_see_nothing_of_each_other)
{
    cloche_sandbox *sandbox = open_process(CLOCHE_FRESHNESS_JAIL);

    for (int i = 0; i < 1100; i++) { /* past the replacement of a child */
        char code[640], value[16];
        snprintf(code, sizeof code, POLLUTE, i);
        snprintf(value, sizeof value, "%d", i);
        expect_value(sandbox, code, value);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_jail_keeps_its_process_until_a_run_had_to_be_stopped)
{
    static process_list before, after;
    cloche_sandbox *sandbox = open_process(CLOCHE_FRESHNESS_JAIL);

    expect_next_run_right(sandbox);
    await_ready(&before);
    for (int i = 0; i < 50; i++)
        expect_end(sandbox, ask(i % 2 ? "throw new Error('x')" : "globalThis.a = 1; return 1"),
                   i % 2 ? CLOCHE_CODE_EXECUTION_ERROR : CLOCHE_CODE_NONE);
    list_below(getpid(), DEPTH_CHILD, &after);
    ck_assert_int_eq(before.count, after.count);
    ck_assert(memcmp(before.pids, after.pids, sizeof before.pids[0] * (size_t)before.count) == 0);
    expect_end(sandbox, ask_for("for (;;);", 20), CLOCHE_CODE_TIMEOUT);
    await(are_gone(&before), 5000);
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_fresh_process_is_another_one)
{
    static process_list before;
    cloche_sandbox *sandbox = open_process(CLOCHE_FRESHNESS_PROCESS);

    expect_next_run_right(sandbox);
    await_ready(&before);
    for (int i = 0; i < before.count + 2; i++)
        expect_value(sandbox, "return 1", "1");
    await(are_gone(&before), 5000);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- nothing is left ---- */

enum { PLACES_MOST = 8 }; /* that one thread makes the sandbox keep ready */

START_TEST(no_process_descriptor_or_group_is_left_behind)
{
    cloche_sandbox *sandbox;
    int fds;

    cloche_sandbox_destroy(open_process(CLOCHE_FRESHNESS_PROCESS));
    expect_next_run_right(sandbox = open_sandbox()); /* what the library keeps for the process is there now */
    cloche_sandbox_destroy(sandbox);
    fds = count_fds();
    sandbox = open_process(CLOCHE_FRESHNESS_PROCESS);
    ck_assert_int_eq(count_groups_of(getpid()), cloche_sandbox_isolation(sandbox) & CLOCHE_LAYER_CGROUP ? 1 : 0);
    expect_next_run_right(sandbox);
    int fds_open = count_fds();
    for (int i = 0; i < 300; i++) /* a few places may be made on the way, each with a socket */
        if (i % 10 == 5)
            expect_end(sandbox, ask_for("for (;;);", 5), CLOCHE_CODE_TIMEOUT);
        else
            expect_value(sandbox, "return 1", "1");
    ck_assert_int_le(count_fds(), fds_open + PLACES_MOST);
    await(count_below(DEPTH_CHILD) <= PLACES_MOST, 5000);
    cloche_sandbox_destroy(sandbox);
    await(count_below(0) == 0, 5000);
    ck_assert_int_eq(count_fds(), fds);
    await(count_groups_of(getpid()) == 0, 5000);
}
END_TEST

START_TEST(sandboxes_that_come_and_go_leave_nothing)
{
    cloche_sandbox_destroy(open_process(CLOCHE_FRESHNESS_PROCESS));
    int fds = count_fds();

    for (int i = 0; i < 40; i++) {
        cloche_sandbox *sandbox = open_process(i % 2 ? CLOCHE_FRESHNESS_JAIL : CLOCHE_FRESHNESS_PROCESS);
        if (i % 4 < 2)
            expect_value(sandbox, "return 1", "1");
        cloche_sandbox_destroy(sandbox);
    }
    ck_assert_int_eq(count_fds(), fds);
    await(count_below(0) == 0, 5000);
    await(count_groups_of(getpid()) == 0, 5000);
}
END_TEST

static atomic_int children_ended;

static void sig_child(int number)
{
    (void)number;
    atomic_fetch_add(&children_ended, 1);
}

START_TEST(the_hosts_own_children_are_not_disturbed)
{
    cloche_sandbox *sandbox;

    signal(SIGCHLD, sig_child);
    sandbox = open_process(CLOCHE_FRESHNESS_PROCESS);
    for (int i = 0; i < 20; i++)
        expect_value(sandbox, "return 1", "1");
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
    pid_t child = fork();
    if (child == 0)
        _exit(7);
    int status;
    ck_assert_int_eq(waitpid(-1, &status, 0), child);
    ck_assert_int_eq(WEXITSTATUS(status), 7);
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
    ck_assert_int_eq(atomic_load(&children_ended), 1);
}
END_TEST

static void ignore_result(void *user, cloche_result *result)
{
    (void)user;
    cloche_result_destroy(result);
}

START_TEST(in_a_forked_child_a_run_is_the_hosts_failure_and_destroy_waits_for_nobody)
{
    cloche_options options = CLOCHE_OPTIONS_INIT;
    cloche_sandbox *sandbox = NULL;

    options.backend = CLOCHE_BACKEND_PROCESS;
    ck_assert_int_eq(cloche_sandbox_create(&options, &sandbox, NULL), CLOCHE_OK);
    expect_value(sandbox, "return 1", "1");
    pid_t child = fork();
    if (child == 0) {
        cloche_request request = CLOCHE_REQUEST_INIT;
        cloche_result *result = NULL;
        alarm(10);
        request.code = "return 1";
        request.code_length = 8;
        bool is_right = cloche_sandbox_run(sandbox, &request, &result, NULL) == CLOCHE_OK &&
                        result->code == CLOCHE_CODE_INTERNAL;
        cloche_sandbox_destroy(sandbox);
        _exit(is_right ? 0 : 1);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    expect_value(sandbox, "return 2", "2");
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* As a user without a memory cgroup: the total is kept by counting each run for its limit. */
START_TEST(without_a_memory_group_runs_wait_until_their_limits_fit_the_total)
{
    pid_t child = fork();
    if (child == 0) {
        cloche_options options = CLOCHE_OPTIONS_INIT;
        cloche_sandbox *sandbox = NULL;
        cloche_error err = {0};
        alarm(20);
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(2);
        options.backend = CLOCHE_BACKEND_PROCESS;
        options.limits.memory_limit_mb = 64;
        options.limits.max_total_memory_mb = 32;
        if (cloche_sandbox_create(&options, &sandbox, &err) != CLOCHE_E_INVAL ||
            strstr(err.text, "maxTotalMemoryMb") == NULL)
            _exit(3);
        options.limits.max_total_memory_mb = 100; /* one at a time */
        if (cloche_sandbox_create(&options, &sandbox, &err) != CLOCHE_OK)
            _exit(4);
        for (int i = 0; i < 4; i++) {
            cloche_request request = CLOCHE_REQUEST_INIT;
            cloche_stats stats;
            request.code = "await new Promise(r => setTimeout(r, 20)); return 1";
            request.code_length = strlen(request.code);
            if (cloche_sandbox_submit(sandbox, &request, ignore_result, NULL, &err) != CLOCHE_OK)
                _exit(5);
            cloche_sandbox_stats(sandbox, &stats);
            if (stats.active > 1)
                _exit(6);
        }
        cloche_sandbox_destroy(sandbox);
        _exit(0);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(status == 0, "ended with %x", status);
}
END_TEST

TEST_MAIN("process/process", the_result_and_the_sandbox_tell_the_layers_that_the_probe_found,
          a_probe_leaves_nothing_and_writes_no_more_than_there_is_room_for,
          the_plan_is_text_that_is_cut_where_there_is_no_room, freshness_belongs_to_the_process_backend,
          output_comes_in_order_while_the_guest_runs, a_listener_hears_what_is_over_the_limit_as_well,
          a_flood_of_output_ends_at_the_deadline, a_run_can_be_started_from_the_output_of_another,
          a_run_is_aborted_before_and_while_it_runs_or_waits, a_child_that_was_stopped_is_gone_soon,
          the_cpu_time_of_a_run_is_its_own, two_hundred_runs_at_once_are_answered_right,
          dispose_ends_what_runs_and_what_waits, threads_run_side_by_side,
          a_thousand_runs_in_one_jail_see_nothing_of_each_other, a_jail_keeps_its_process_until_a_run_had_to_be_stopped,
          a_fresh_process_is_another_one, no_process_descriptor_or_group_is_left_behind,
          sandboxes_that_come_and_go_leave_nothing, the_hosts_own_children_are_not_disturbed,
          in_a_forked_child_a_run_is_the_hosts_failure_and_destroy_waits_for_nobody,
          without_a_memory_group_runs_wait_until_their_limits_fit_the_total)
