/* Time as a guest has it: timers, and runs whose clock and random numbers are fixed. */
#include "api.h"

/* ---- timers ---- */

START_TEST(timers_fire_in_order)
{
    cloche_sandbox *sandbox = open_sandbox();

    expect_value(sandbox, "const r = []; await new Promise(done => { setTimeout(() => r.push('b'), 4); setTimeout(() => r.push('a'), 1);"
                          " setTimeout(() => { r.push('c'); setTimeout(() => { r.push('d'); done() }, 1) }, 8) }); return r.join('')", "\"abcd\"");
    expect_value(sandbox, "let n = 0; await new Promise(done => { const t = setInterval(() => { if (++n === 3) { clearInterval(t); done() } }, 1) }); return n", "3");
    expect_value(sandbox, "let n = 0; clearTimeout(setTimeout(() => n++, 1)); await new Promise(r => setTimeout(r, 5)); return n", "0");
    expect_value(sandbox, "const r = []; setTimeout(() => r.push(3), 0); setImmediate(() => r.push(4)); Promise.resolve().then(() => r.push(2)); process.nextTick(() => r.push(1));"
                          " r.push(0); await new Promise(f => setTimeout(f, 10)); return [r[0], r.length]", "[0,5]");
    expect_value(sandbox, "return await new Promise(r => setTimeout((a, b) => r(a + b), 1, 2, 3))", "5");
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(pending_timers_are_dropped_and_counted)
{
    cloche_sandbox *sandbox = open_sandbox();
    double start = now_ms();
    cloche_result *result = run(sandbox, ask("for (let i = 0; i < 5; i++) setTimeout(() => console.log('late'), 5000); return 1"));

    assert_value(result, "1");
    ck_assert_uint_eq(result->usage.pending, 5);
    ck_assert_double_lt(now_ms() - start, 2000);
    ck_assert_ptr_null(strstr(shown(result->out), "late"));
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(drain_waits_for_what_is_pending)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_request request = ask("setTimeout(() => console.log('a'), 5); setTimeout(() => setTimeout(() => console.log('b'), 5), 5);"
                                 " setTimeout(() => console.log('never'), 1e6).unref(); return 'value'");

    request.drain = true;
    cloche_result *result = run(sandbox, request);
    assert_value(result, "\"value\"");
    assert_text(result->out, "a\nb\n");
    cloche_result_destroy(result);
    request = ask_for("setInterval(() => {}, 1); return 1", 50);
    request.drain = true;
    expect_end(sandbox, request, CLOCHE_CODE_TIMEOUT);
    request = ask("setTimeout(() => { throw new Error('late') }, 5); return 1");
    request.drain = true;
    result = run(sandbox, request);
    assert_code(result, CLOCHE_CODE_EXECUTION_ERROR);
    assert_text(result->detail.message, "late");
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(too_many_timers_throw_in_the_guest)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_request request = ask("let n = 0; try { for (;;) { setTimeout(() => {}, 1e6); n++ } } catch (e) { return [n, e.code] }");

    request.limits.max_timers = 10;
    cloche_result *result = run(sandbox, request);
    assert_value(result, "[10,\"ERR_LIMIT\"]");
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- deterministic ---- */

static cloche_request deterministic(const char *code, uint64_t seed, double now)
{
    cloche_request request = ask(code);
    request.deterministic = true;
    request.seed = seed;
    request.now_ms = now;
    return request;
}

#define EVERYTHING_THAT_VARIES                                                                                     \
    "const a = [Date.now(), new Date().toISOString(), performance.now(), Math.random(), Math.random()];"            \
    "await new Promise(r => setTimeout(r, 1234)); a.push(Date.now(), performance.now(), Math.random());"            \
    "a.push(String(process.hrtime?.()), new Date(0).getTimezoneOffset()); console.log(a); return a"

START_TEST(a_deterministic_run_gives_the_same_bytes_every_time)
{
    cloche_sandbox *one = open_sandbox(), *other = open_sandbox();
    double start = now_ms();
    cloche_result *first = run(one, deterministic(EVERYTHING_THAT_VARIES, 5, 1.7e12));

    ck_assert_msg(first->ok, "%s", shown(first->error));
    for (int i = 0; i < 5; i++) {
        cloche_result *again = run(i % 2 == 0 ? one : other, deterministic(EVERYTHING_THAT_VARIES, 5, 1.7e12));
        assert_value(again, first->value.data);
        assert_text(again->out, first->out.data);
        cloche_result_destroy(again);
    }
    ck_assert_double_lt(now_ms() - start, 1000); /* waits cost no time */
    cloche_result *seeded = run(one, deterministic(EVERYTHING_THAT_VARIES, 6, 1.7e12));
    ck_assert_str_ne(seeded->value.data, first->value.data);
    cloche_result_destroy(seeded);
    cloche_result *later = run(one, deterministic("const a = Date.now(); await new Promise(r => setTimeout(r, 1234)); return [a, Date.now(), performance.now()]", 5, 1.7e12));
    assert_value(later, "[1700000000000,1700000001234,1234]");
    cloche_result_destroy(later);
    cloche_result_destroy(first);
    cloche_sandbox_destroy(one);
    cloche_sandbox_destroy(other);
}
END_TEST

START_TEST(other_runs_have_the_real_clock)
{
    cloche_sandbox *sandbox = open_sandbox();
    struct timespec now;
    cloche_result *result = run(sandbox, ask("return Date.now()"));

    clock_gettime(CLOCK_REALTIME, &now);
    ck_assert_double_lt((double)now.tv_sec * 1e3 - strtod(result->value.data, NULL), 5000);
    ck_assert_double_gt((double)now.tv_sec * 1e3 - strtod(result->value.data, NULL), -5000);
    cloche_result_destroy(result);
    expect_value(sandbox, "return performance.now() < 100", "true");
    expect_value(sandbox, "return new Date().getTimezoneOffset()", "0");
    cloche_sandbox_destroy(sandbox);
}
END_TEST

TEST_MAIN("api/time", timers_fire_in_order, pending_timers_are_dropped_and_counted, drain_waits_for_what_is_pending,
          too_many_timers_throw_in_the_guest, a_deterministic_run_gives_the_same_bytes_every_time,
          other_runs_have_the_real_clock)
