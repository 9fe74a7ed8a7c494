/* A deadline ends the run it was given to, soon after it falls due, whatever that run does; and no other run.
 *
 * The edge is found by steering: a run that was stopped makes the next one a little shorter, one that ended in time a
 * little longer, so that thousands of deadlines fall at the very end of runs on a machine of any speed.
 */
#include <pthread.h>

#include "api.h"

enum { LATE_MOST_MS = 250 }; /* the contract says 50; test machines are busy */

/* ---- the edge ---- */

typedef struct edge {
    cloche_sandbox *sandbox;
    const char *code;    /* spins %d rounds, then ends in a way of its own; its value is "edge" */
    uint32_t timeout_ms;
    int runs;
    int stopped, ended;
    const char *wrong;   /* NULL: every run after was right */
} edge;

static const struct {
    const char *code;
    uint32_t least_ms; /* what it takes without its rounds, rounded up */
} edges[] = {
    {"for (let i = 0; i < %d; i++); return 'edge'", 1},
    /* its last part is in the result's own machinery */
    {"for (let i = 0; i < %d; i++); return {toJSON() { for (let i = 0; i < 300; i++) [i] + ''; return 'edge' }}", 1},
    /* in an import */
    {"for (let i = 0; i < %d; i++); for (let i = 0; i < 40; i++) console.log(i); return 'edge'", 1},
    /* in jobs */
    {"for (let i = 0; i < %d; i++); for (let i = 0; i < 50; i++) await i; return 'edge'", 1},
    /* resumed after a wait */
    {"await new Promise(r => setTimeout(r, 1)); for (let i = 0; i < %d; i++); return 'edge'", 3},
};

/* Runs with no deadline near, right behind one that had. */
static const char *check_next(cloche_sandbox *sandbox, uint32_t salt)
{
    char code[160], value[32];
    cloche_result *result = NULL;
    cloche_request request;

    snprintf(code, sizeof code, "let x = %u; for (let i = 0; i < 3000; i++) x = (x * 31 + i) %% 65521; return x", salt);
    uint32_t x = salt;
    for (uint32_t i = 0; i < 3000; i++)
        x = (x * 31 + i) % 65521;
    snprintf(value, sizeof value, "%u", x);
    request = ask_for(code, 60000);
    if (cloche_sandbox_run(sandbox, &request, &result, NULL) != CLOCHE_OK)
        return "no result";
    const char *wrong = NULL;
    if (!result->ok || strcmp(result->value.data, value) != 0)
        wrong = text_of("value %s, expected %s, error %s", shown(result->value), value, shown(result->error));
    cloche_result_destroy(result);
    return wrong;
}

static void *walk_the_edge(void *arg)
{
    edge *e = arg;
    int rounds = 10000;

    for (int i = 0; i < e->runs && e->wrong == NULL; i++) {
        char code[256];
        cloche_result *result = NULL;
        snprintf(code, sizeof code, e->code, rounds);
        cloche_request request = ask_for(code, e->timeout_ms);
        if (cloche_sandbox_run(e->sandbox, &request, &result, NULL) != CLOCHE_OK) {
            e->wrong = "no result";
            break;
        }
        bool is_stopped = result->code == CLOCHE_CODE_TIMEOUT;
        if (!is_stopped && (!result->ok || strcmp(result->value.data, "\"edge\"") != 0))
            e->wrong = text_of("a run at the edge: %s %s", shown(result->value), shown(result->error));
        cloche_result_destroy(result);
        e->stopped += is_stopped;
        e->ended += !is_stopped;
        rounds = is_stopped ? rounds - rounds / 64 - 1 : rounds + rounds / 64 + 1;
        if (e->wrong == NULL)
            e->wrong = check_next(e->sandbox, (uint32_t)i % 65521);
    }
    return NULL;
}

static void expect_clean_edge(const edge *e)
{
    ck_assert_msg(e->wrong == NULL, "after %d stopped and %d ended (%s): %s", e->stopped, e->ended, e->code, e->wrong);
    /* Else the deadlines did not fall at the ends. */
    ck_assert_msg(e->stopped > e->runs / 8 && e->ended > e->runs / 8, "%d stopped, %d ended (%s)", e->stopped, e->ended,
                  e->code);
}

START_TEST(a_deadline_at_the_very_end_of_a_run_never_hits_the_next_one)
{
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
        for (uint32_t more_ms = 0; more_ms <= 1; more_ms++) {
            edge e = {.sandbox = sandbox, .code = edges[i].code, .timeout_ms = edges[i].least_ms + more_ms, .runs = 300};
            walk_the_edge(&e);
            expect_clean_edge(&e);
        }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_deadline_on_one_thread_never_hits_a_run_on_another)
{
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        pthread_t threads[2];
        edge walks[2];
        for (int t = 0; t < 2; t++) {
            walks[t] = (edge){.sandbox = sandbox, .code = edges[i].code, .timeout_ms = edges[i].least_ms + (uint32_t)t, .runs = 300};
            ck_assert_int_eq(pthread_create(&threads[t], NULL, walk_the_edge, &walks[t]), 0);
        }
        for (int t = 0; t < 2; t++) {
            pthread_join(threads[t], NULL);
            expect_clean_edge(&walks[t]);
        }
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* A slot that one thread has just left is the next one's. */
START_TEST(a_deadline_at_the_end_never_hits_the_slots_next_thread)
{
    enum { THREADS = 4 };
    cloche_sandbox *sandbox = open_sandbox();
    pthread_t threads[THREADS];
    edge walks[THREADS];

    for (int t = 0; t < THREADS; t++) {
        walks[t] = (edge){.sandbox = sandbox, .code = edges[0].code, .timeout_ms = 1, .runs = 400};
        ck_assert_int_eq(pthread_create(&threads[t], NULL, walk_the_edge, &walks[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        ck_assert_msg(walks[t].wrong == NULL, "%s", walks[t].wrong);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- the hostile set ---- */

static const struct {
    const char *name, *code;
} hostile[] = {
    {"a loop", "for (;;);"},
    {"a loop that catches", "for (;;) try { for (;;); } catch {}"},
    {"a loop in finally", "try { throw 1 } finally { for (;;); }"},
    {"a regular expression", "return /^(a+)+$/.test('a'.repeat(40) + 'b')"},
    {"a regular expression with lookbehind", "return /(?<=(a*)*b)c/.test('a'.repeat(5000) + 'c'.repeat(5000)) || (() => { for (;;) /(x+x+)+y/.test('x'.repeat(40)) })()"},
    {"sort", "const a = Array.from({length: 3e5}, (_, i) => (i * 7919) % 3e5); for (;;) a.slice().sort()"},
    {"sort with a comparator", "const a = Array.from({length: 1e5}, (_, i) => (i * 7919) % 1e5); for (;;) a.slice().sort((x, y) => x - y)"},
    {"sort with a comparator that lies", "const a = Array.from({length: 1e6}, (_, i) => i); return a.sort(() => Math.random() - 0.5), (() => { for (;;); })()"},
    {"repeat", "for (;;) 'abc'.repeat(1e7)"},
    {"replace", "for (;;) 'ab'.repeat(1e6).replace(/a/g, '$&$&')"},
    {"replaceAll with a function", "for (;;) 'ab'.repeat(1e6).replaceAll('a', () => 'x')"},
    {"a power of BigInt", "return String(7n ** 5000000n).length"},
    {"a product of BigInt", "let a = 3n ** 200000n; for (;;) a * a"},
    {"a huge array as text", "return (Array(1e9) + '').length"},
    {"an array method on a forged length", "return Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1)"},
    {"includes on a forged length", "return Array.prototype.includes.call({length: 2 ** 32 - 1}, 1)"},
    {"reverse of a forged length", "return Array.prototype.reverse.call({length: 2 ** 53 - 1})"},
    {"fill of a forged length", "return Array.prototype.copyWithin.call({length: 2 ** 53 - 1}, 0, 1)"},
    {"join of a forged length", "return Array.prototype.join.call({length: 2 ** 32 - 1}, '')"},
    {"JSON.parse of nested arrays", "const s = '['.repeat(3000) + ']'.repeat(3000); for (;;) JSON.parse(s)"},
    {"JSON.stringify of a shared graph", "let a = [1]; for (let i = 0; i < 40; i++) a = [a, a]; return a"},
    {"a promise flood", "const f = () => Promise.resolve().then(f); for (let i = 0; i < 100; i++) f(); await new Promise(() => {})"},
    {"a microtask that makes itself", "const f = () => queueMicrotask(f); f(); await new Promise(r => setTimeout(r, 1))"},
    {"ticks without end", "const f = () => process.nextTick(f); f(); await new Promise(r => setTimeout(r, 1))"},
    {"timers without end", "const f = () => setTimeout(f, 0); f(); await new Promise(() => {})"},
    {"setImmediate without end", "const f = () => setImmediate(f); f(); await new Promise(() => {})"},
    {"a proxy that answers forever", "const p = new Proxy({}, {ownKeys() { for (;;); }}); return Object.keys(p)"},
    {"proxies in each other", "let p = {}; for (let i = 0; i < 1000; i++) p = new Proxy(p, {}); for (;;) p.x"},
    {"a getter in the value", "return {get a() { for (;;); }}"},
    {"a proxy as the value", "return new Proxy({}, {get() { for (;;); }})"},
    {"toJSON in the value", "return {toJSON() { for (;;); }}"},
    {"then of the value", "return {then() { for (;;); }}"},
    {"a getter named then", "return {get then() { for (;;); }}"},
    {"deep recursion", "const f = () => { try { f() } catch { f() } }; f(); for (;;);"},
    {"message of what was thrown", "throw {get message() { for (;;); }}"},
    {"stack of what was thrown", "const e = new Error('x'); Object.defineProperty(e, 'stack', {get() { for (;;); }}); throw e"},
    {"name of what was thrown", "throw Object.defineProperty(new Error('x'), 'name', {get() { for (;;); }})"},
    {"cause of what was thrown", "throw new Error('x', {cause: new Proxy({}, {get() { for (;;); }})})"},
    {"errors of what was thrown", "const e = new AggregateError([]); e.errors = Object.defineProperty([], 0, {get() { for (;;); }}); throw e"},
    {"executors that spin", "for (;;) new Promise(() => { for (;;); })"},
    {"an async generator", "async function* g() { for (;;) yield 1 } for await (const x of g());"},
    {"an async generator that spins", "async function* g() { try { for (;;); } finally { for (;;); } } for await (const x of g());"},
    {"import() of an object", "for (;;) import({toString() { for (;;); }}).catch(() => {})"},
    {"Error.prepareStackTrace", "Error.prepareStackTrace = () => { for (;;); }; for (;;) try { null.x } catch (e) { e.stack }"},
    {"return() of an iterator", "const it = {[Symbol.iterator]() { return {next() { return {value: 1, done: false} }, return() { for (;;); }} }}; for (const x of it) break"},
    {"dispose of a resource", "const d = {[Symbol.dispose ?? 'x']() { for (;;); }}; try { eval('{ using r = d; }') } catch {} for (;;);"},
    {"Promise.all of a hostile iterable", "for (;;) Promise.all({[Symbol.iterator]() { for (;;); }})"},
    {"a finally that never ends", "process.on?.('exit', () => {}); return Promise.resolve(1).finally(() => new Promise(() => { for (;;); }))"},
    {"a tagged template of raw strings", "return String.raw({raw: {length: 2 ** 53 - 1}})"},
    {"from of a forged length", "return Array.from({length: 2 ** 32 - 1}).length"},
    {"a typed array's sort", "const a = new Float64Array(2e6).map((_, i) => -i); for (;;) a.slice().sort()"},
    {"a typed array's fill", "const a = new Uint8Array(50 << 20); for (let i = 0;; i++) a.fill(i)"},
    {"a periodic indexOf", "const s = 'a'.repeat(1e6), t = 'a'.repeat(5e5) + 'b'; return s.indexOf(t)"},
    {"a rope without end", "let s = 'x'; for (let i = 0; i < 1e5; i++) s = s + 'y' + s.length; for (;;) s.charCodeAt(1), s += 'z'"},
    {"a source with very many names", "let s = 'class A {'; for (let i = 0; i < 30000; i++) s += '#a' + i + ';'; eval(s + '}'); for (;;);"},
    {"eval without end", "for (;;) eval('[' + '1,'.repeat(10000) + ']')"},
    {"new Function", "for (;;) new Function('a', 'return a' + '+a'.repeat(5000))"},
    {"a label in a loop", "a: for (;;) { b: for (;;) { continue a } }"},
    {"output without end", "for (;;) console.log('x')"},
    {"formatting without end", "const o = {}; let p = o; for (let i = 0; i < 100; i++) p = p.x = {y: {z: [1, 2, 3]}}; for (;;) require('util').inspect(o, {depth: 1e9})"},
    {"crypto without end", "const u = new Uint8Array(65536); for (;;) globalThis.crypto?.getRandomValues(u)"},
    {"Date without end", "for (;;) new Date(2020, 1, 1).toString()"},
    {"normalize", "const s = '\\u1E9B\\u0323'.repeat(1e5); for (;;) s.normalize('NFKD')"},
    {"structuredClone or JSON", "const a = Array.from({length: 1e5}, (_, i) => ({i})); for (;;) JSON.parse(JSON.stringify(a))"},
    {"WeakRef and finalizers", "const r = new FinalizationRegistry(() => {}); for (;;) { const o = {}; r.register(o, 1); new WeakRef(o) }"},
    {"Map with colliding keys", "const m = new Map(); for (let i = 0;; i++) { m.set(i % 50000 * 4294967296, i) }"},
};

/* How late an answer is, by the caller's own clock. */
static double expect_stopped(cloche_sandbox *sandbox, const char *name, const char *code)
{
    enum { TIMEOUT_MS = 50 };
    cloche_request request = ask_for(code, TIMEOUT_MS);
    double start = now_ms();
    cloche_result *result = run(sandbox, request);
    double late = now_ms() - start - TIMEOUT_MS;

    ck_assert_msg(result->code == CLOCHE_CODE_TIMEOUT, "%s ended as %s: %.300s %.100s", name,
                  cloche_code_name(result->code), shown(result->error), shown(result->value));
    ck_assert_int_eq(result->exit_code, 124);
    ck_assert_msg(strstr(result->error.data, "time") != NULL && strchr(result->error.data, '\n') == NULL, "%s: %s", name,
                  result->error.data);
    ck_assert_msg(late < LATE_MOST_MS, "%s: the answer came %.1f ms after the deadline", name, late);
    ck_assert_msg(late >= -1, "%s: the answer came %.1f ms before the deadline", name, -late);
    cloche_result_destroy(result);
    return late;
}

START_TEST(hostile_code_is_stopped_at_its_deadline_and_the_next_run_is_right)
{
    cloche_sandbox *sandbox = open_sandbox();
    double latest = 0;
    const char *latest_name = "";

    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        double late = expect_stopped(sandbox, hostile[i].name, hostile[i].code);
        if (late > latest) {
            latest = late;
            latest_name = hostile[i].name;
        }
        expect_next_run_right(sandbox);
    }
    fprintf(stderr, "latest answer: %.2f ms after its deadline (%s)\n", latest, latest_name);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_source_that_takes_long_to_compile_is_stopped_at_its_deadline)
{
    cloche_sandbox *sandbox = open_sandbox();
    enum { NAMES = 200000 };
    size_t used = 0, room = NAMES * 16 + 64;
    char *code = malloc(room);

    used += (size_t)snprintf(code, room, "class A {");
    for (int i = 0; i < NAMES; i++)
        used += (size_t)snprintf(code + used, room - used, "#a%d;", i);
    snprintf(code + used, room - used, "}");
    expect_stopped(sandbox, "compilation", code);
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(the_time_of_earlier_waits_counts)
{
    cloche_sandbox *sandbox = open_sandbox();

    expect_stopped(sandbox, "waits in a row", "for (;;) await new Promise(r => setTimeout(r, 7))");
    expect_stopped(sandbox, "one long wait", "await new Promise(r => setTimeout(r, 100000))");
    expect_stopped(sandbox, "a wait and a loop", "await new Promise(r => setTimeout(r, 10)); for (;;);");
    expect_stopped(sandbox, "an interval", "setInterval(() => {}, 1); await new Promise(() => {})");
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(output_before_the_deadline_is_kept)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_result *result = run(sandbox, ask_for("console.log('out'); console.error('err'); for (;;);", 50));

    assert_code(result, CLOCHE_CODE_TIMEOUT);
    assert_text(result->out, "out\n");
    assert_text(result->err, "err\n");
    ck_assert(result->started);
    ck_assert_ptr_null(result->value.data);
    ck_assert_double_ge(result->duration_ms, 49);
    ck_assert_double_le(result->duration_ms, 50 + LATE_MOST_MS);
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(the_runs_deadline_takes_the_place_of_the_sandboxs)
{
    cloche_options options = CLOCHE_OPTIONS_INIT;
    options.limits.timeout_ms = 50;
    cloche_sandbox *sandbox = open_with(&options);

    expect_end(sandbox, ask("for (;;);"), CLOCHE_CODE_TIMEOUT);
    cloche_result *result = run(sandbox, ask_for(SPIN_JS "spin(150); return 'longer'", 10000));
    assert_value(result, "\"longer\"");
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- CPU time ---- */

START_TEST(a_busy_run_is_stopped_when_its_cpu_time_is_over)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_request request = ask_for("console.log('began'); for (;;);", 20000);
    request.limits.cpu_time_ms = 50;
    double before = thread_cpu_ms();
    cloche_result *result = run(sandbox, request);
    double used = thread_cpu_ms() - before;

    assert_code(result, CLOCHE_CODE_TIMEOUT);
    assert_contains(result->error, "CPU");
    assert_contains(result->error, "cpuTimeMs 50");
    assert_text(result->out, "began\n");
    ck_assert_double_ge(used, 49);
    ck_assert_double_le(used, 50 + LATE_MOST_MS);
    ck_assert_double_ge(result->usage.cpu_ms, 49);
    cloche_result_destroy(result);
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_run_that_sleeps_uses_no_cpu_time)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_request request = ask_for("await new Promise(r => setTimeout(r, 200)); return 'slept'", 20000);
    request.limits.cpu_time_ms = 50;
    cloche_result *result = run(sandbox, request);

    assert_value(result, "\"slept\"");
    ck_assert_double_lt(result->usage.cpu_ms, 50);
    ck_assert_double_ge(result->duration_ms, 199);
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(cpu_time_adds_up_over_waits)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_request request = ask_for("for (;;) { for (let i = 0; i < 1e5; i++); await new Promise(r => setTimeout(r, 1)) }", 30000);
    request.limits.cpu_time_ms = 60;
    cloche_result *result = run(sandbox, request);

    assert_code(result, CLOCHE_CODE_TIMEOUT);
    assert_contains(result->error, "CPU");
    ck_assert_double_ge(result->usage.cpu_ms, 59);
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(wall_time_is_over_before_a_longer_cpu_time)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_request request = ask_for("for (;;);", 50);
    request.limits.cpu_time_ms = 10000;
    cloche_result *result = run(sandbox, request);

    assert_code(result, CLOCHE_CODE_TIMEOUT);
    ck_assert_ptr_null(strstr(result->error.data, "CPU"));
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

TEST_MAIN("api/deadline", a_deadline_at_the_very_end_of_a_run_never_hits_the_next_one,
          a_deadline_on_one_thread_never_hits_a_run_on_another,
          a_deadline_at_the_end_never_hits_the_slots_next_thread,
          hostile_code_is_stopped_at_its_deadline_and_the_next_run_is_right,
          a_source_that_takes_long_to_compile_is_stopped_at_its_deadline, the_time_of_earlier_waits_counts,
          output_before_the_deadline_is_kept, the_runs_deadline_takes_the_place_of_the_sandboxs,
          a_busy_run_is_stopped_when_its_cpu_time_is_over, a_run_that_sleeps_uses_no_cpu_time,
          cpu_time_adds_up_over_waits, wall_time_is_over_before_a_longer_cpu_time)
