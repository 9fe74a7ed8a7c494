/* Nothing of a run is left for the next one.
 *
 * Twice, from two sides. As a guest sees it: a fingerprint of everything reachable, taken by the same script in a fresh
 * sandbox and after runs that replaced, deleted, froze or hid all they could reach. As the host sees it: after any way a
 * run can end, a probe run with fixed seed and clock leaves its whole slot byte for byte equal to a slot that was never
 * used before the same probe. Both comparisons are shown to be able to fail.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "api.h"
#include "base/clock.h"
#include "base/json_span.h"
#include "core/sandbox.h"
#include "isolate/image.h"
#include "isolate/result.h"
#include "isolate/step.h"
#include "isolate/table.h"
#include "policy/limits.h"

/* ---- random numbers ---- */

START_TEST(a_thousand_runs_have_a_thousand_first_random_numbers)
{
    enum { RUNS = 1000 };
    cloche_sandbox *sandbox = open_sandbox();
    static char *seen[RUNS];

    for (int i = 0; i < RUNS; i++) {
        cloche_result *result = run(sandbox, ask("return Math.random()"));
        ck_assert(result->ok);
        seen[i] = text_of("%s", result->value.data);
        for (int k = 0; k < i; k++)
            ck_assert_str_ne(seen[k], seen[i]);
        cloche_result_destroy(result);
    }
    ck_assert_uint_eq(stats_of(sandbox).slots, 1); /* all of them in one memory */
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(runs_with_the_same_seed_have_the_same_first_random_number)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_request request = ask("return Math.random()");
    cloche_result *first, *second;

    request.deterministic = true;
    request.seed = 7;
    first = run(sandbox, request);
    second = run(sandbox, request);
    assert_value(second, first->value.data);
    cloche_result_destroy(first);
    cloche_result_destroy(second);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- what a guest can see ---- */

/* Every object that can be reached from the globals, from syntax and from the built-in modules, in the order found. */
#define REACH_JS                                                                                             \
    "const R = Reflect, O = Object, ids = new Map(), found = [];"                                            \
    "const isObject = v => (typeof v === 'object' && v !== null) || typeof v === 'function';"                \
    "const reach = v => { if (isObject(v) && !ids.has(v)) { ids.set(v, found.length); found.push(v); } return v; };" \
    "reach(globalThis);"                                                                                     \
    "for (const v of [function () {}, async () => {}, function* () {}, async function* () {}, class {},"     \
    "  [].values(), new Map().keys(), new Set().keys(), ''[Symbol.iterator](), 'a'.matchAll(/a/g),"          \
    "  [].values().map(x => x), Iterator.from({next() {}}), (function* () {})(), (async function* () {})(),"  \
    "  Promise.resolve(), /x/, new Date(0), new Error('x'), 1n, 1, true, '', Symbol(), new Proxy({}, {}),"   \
    "  new WeakMap(), new WeakSet(), new WeakRef({}), new ArrayBuffer(1), new DataView(new ArrayBuffer(1)),"  \
    "  new Uint8Array(1), new Float64Array(1), new FinalizationRegistry(() => {}), Iterator.prototype,"      \
    "  (function () { return O.getOwnPropertyDescriptor(arguments, Symbol.iterator).value })(),"             \
    "  (function () { 'use strict'; return O.getOwnPropertyDescriptor(arguments, 'callee').get })()])"       \
    "  reach(isObject(v) && !ids.has(O.getPrototypeOf(v)) ? O.getPrototypeOf(v) : O.getPrototypeOf(O(v)));"   \
    "for (const name of ['assert', 'events', 'path', 'querystring', 'timers', 'timers/promises', 'util'])"   \
    "  reach(require(name));"                                                                                \
    "for (let i = 0; i < found.length; i++) {"                                                               \
    "  const o = found[i];"                                                                                  \
    "  reach(R.getPrototypeOf(o));"                                                                          \
    "  for (const k of R.ownKeys(o)) {"                                                                      \
    "    const d = R.getOwnPropertyDescriptor(o, k);"                                                        \
    "    reach(d.get); reach(d.set); reach(d.value);"                                                        \
    "  }"                                                                                                    \
    "}\n"

#define FINGERPRINT_JS                                                                                       \
    REACH_JS                                                                                                 \
    "const show = v => isObject(v) ? '#' + ids.get(v) : typeof v + ' ' + String(v);"                         \
    "const lines = [];"                                                                                      \
    "for (let i = 0; i < found.length; i++) {"                                                               \
    "  const o = found[i];"                                                                                  \
    "  lines.push('#' + i + ' ' + typeof o + ' ' + O.prototype.toString.call(o) + ' proto ' +"               \
    "    show(R.getPrototypeOf(o)) + (R.isExtensible(o) ? '' : ' closed') +"                                 \
    "    (typeof o === 'function' ? ' ' + Function.prototype.toString.call(o) : ''));"                       \
    "  for (const k of R.ownKeys(o)) {"                                                                      \
    "    const d = R.getOwnPropertyDescriptor(o, k);"                                                        \
    "    lines.push('  ' + String(k) + (d.enumerable ? ' e' : ' -') + (d.configurable ? 'c' : '-') +"        \
    "      (d.writable ? 'w ' : '- ') + ('value' in d ? show(d.value) : show(d.get) + ' ' + show(d.set)));"  \
    "  }"                                                                                                    \
    "}"                                                                                                      \
    "return lines.join('\\n');"

/* What is done to each property of each object found. Only what was captured before is used. */
#define POLLUTE_JS(change)                                                                                   \
    REACH_JS                                                                                                 \
    "const define = R.defineProperty, remove = R.deleteProperty, freeze = O.freeze, cut = R.setPrototypeOf;" \
    "const keys = [], count = found.length; for (const o of found) keys.push(R.ownKeys(o));"                 \
    "const evil = function leftover() { return evil }; evil.then = evil; let changed = 0;"                   \
    "for (let i = count - 1; i >= 0; i--) { const o = found[i];"                                             \
    "  for (let k = 0, n = keys[i].length; k < n; k++) { const key = keys[i][k]; try {" change "} catch {} } }"  \
    "return changed > 1000 ? 'polluted' : changed;"

static const struct {
    const char *name, *code;
} pollutions[] = {
    {"replaced", POLLUTE_JS("if (define(o, key, {value: evil})) changed++; else if ((o[key] = evil) === o[key]) changed++;")},
    {"deleted", POLLUTE_JS("if (remove(o, key)) changed++;")},
    {"frozen", POLLUTE_JS("freeze(o); changed++;")},
    {"hidden behind getters", POLLUTE_JS("if (define(o, key, {get: evil, set: evil})) changed++;")},
    {"without prototypes", POLLUTE_JS("if (cut(o, null)) changed++;")},
    {"getters on Object.prototype",
     "let n = 0; for (const k of ['get', 'set', 'value', 'then', 'toJSON', 'length', 'name', 'message', 'stack', 'cause', '0',"
     " '1', 'next', 'done', 'writable', 'enumerable', 'configurable', 'constructor', 'lineNumber', 'errors', 'code'])"
     "  Object.defineProperty(Object.prototype, k, {get() { n++; return leftover }, set() { n++ }, configurable: true});"
     "globalThis.leftover = 1; return 'done'"},
    {"new globals", "for (let i = 0; i < 2000; i++) globalThis['leftover' + i] = i; Array.prototype.leftover = [1];"
                    "Symbol.for('leftover'); require('util').leftover = 1; return 'done'"},
};

static cloche_request fingerprint(void)
{
    cloche_request request = ask(FINGERPRINT_JS);
    request.deterministic = true;
    request.seed = 1;
    request.now_ms = 1e12;
    return request;
}

static char *fingerprint_of(cloche_sandbox *sandbox)
{
    cloche_result *result = run(sandbox, fingerprint());
    ck_assert_msg(result->ok, "fingerprint: %s", shown(result->error));
    char *text = text_of("%s", result->value.data);
    cloche_result_destroy(result);
    return text;
}

/* The first place where two texts differ, for the message. */
static const char *difference(const char *a, const char *b)
{
    size_t at = 0;
    while (a[at] != '\0' && a[at] == b[at])
        at++;
    return a[at] == b[at] ? "none" : text_of("'%.120s' became '%.120s'", a + (at < 60 ? 0 : at - 60), b + (at < 60 ? 0 : at - 60));
}

START_TEST(a_fingerprint_covers_thousands_of_properties_and_is_the_same_everywhere)
{
    cloche_sandbox *one = open_sandbox(), *other = open_sandbox();
    char *text = fingerprint_of(one);
    size_t lines = 0;

    for (const char *at = text; (at = strstr(at, "\\n")) != NULL; at++)
        lines++;
    ck_assert_uint_gt(lines, 2000);
    ck_assert_str_eq(text, fingerprint_of(other));
    cloche_sandbox_destroy(one);
    cloche_sandbox_destroy(other);
}
END_TEST

/* The control of the test below: within one run each of these would show. */
START_TEST(a_fingerprint_shows_a_change_made_in_its_own_run)
{
    static const char *const changes[] = {
        "Array.prototype.push.leftover = 1;",
        "delete String.prototype.at;",
        "Object.freeze(Math);",
        "Object.setPrototypeOf(JSON, null);",
        "globalThis.leftover = undefined;",
        "Object.defineProperty(Map.prototype, 'size', {enumerable: true});",
        "require('util').inspect.leftover = 1;",
    };
    cloche_sandbox *sandbox = open_sandbox();
    char *clean = fingerprint_of(sandbox);

    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        cloche_request request = fingerprint();
        request.code = text_of("%s\n%s", changes[i], FINGERPRINT_JS);
        request.code_length = strlen(request.code);
        cloche_result *result = run(sandbox, request);
        ck_assert_msg(result->ok, "%s: %s", changes[i], shown(result->error));
        ck_assert_msg(strcmp(clean, result->value.data) != 0, "not seen: %s", changes[i]);
        cloche_result_destroy(result);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_run_that_changed_everything_it_could_reach_leaves_nothing_behind)
{
    cloche_sandbox *fresh = open_sandbox(), *used = open_sandbox();
    char *clean = fingerprint_of(fresh);

    for (size_t i = 0; i < sizeof pollutions / sizeof pollutions[0]; i++) {
        cloche_result *result = run(used, ask_for(pollutions[i].code, 20000));
        /* Most end in an error, their own promise being polluted too; all have run. */
        ck_assert_msg(result->started, "%s: %s", pollutions[i].name, shown(result->error));
        cloche_result_destroy(result);
        char *after = fingerprint_of(used);
        ck_assert_msg(strcmp(clean, after) == 0, "%s: %s", pollutions[i].name, difference(clean, after));
        expect_next_run_right(used);
    }
    ck_assert_uint_eq(stats_of(used).slots, 1);
    cloche_sandbox_destroy(fresh);
    cloche_sandbox_destroy(used);
}
END_TEST

/* The result's own machinery must not be the guest's: a value comes out right whatever was replaced. */
START_TEST(a_value_comes_out_right_when_everything_around_it_is_replaced)
{
    static const char *const breakers[] = {
        "JSON.stringify = () => '\"leftover\"';",
        "Promise.prototype.then = function () { throw 1 };",
        "Promise.prototype.constructor = null; Promise.resolve = null;",
        "Object.defineProperty(Object.prototype, 'toJSON', {set() { throw 2 }, configurable: true});",
        "for (const k of Reflect.ownKeys(Array.prototype)) try { delete Array.prototype[k] } catch {}",
        "Object.defineProperty(Array.prototype, '0', {set() { throw 3 }, get() { return 4 }, configurable: true});",
        "Object.defineProperty(Object.prototype, 'a', {set() { throw 5 }, configurable: true});",
        "globalThis.JSON = globalThis.Promise = globalThis.Object = globalThis.Reflect = undefined;",
        "Symbol.iterator; Array.prototype[Symbol.iterator] = null; Function.prototype.call = Function.prototype.apply = null;",
    };
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof breakers / sizeof breakers[0]; i++) {
        cloche_result *result = run(sandbox, ask(text_of("%s\nreturn {a: [1, {b: 'x'}]}", breakers[i])));
        ck_assert_msg(result->ok && strcmp(result->value.data, "{\"a\":[1,{\"b\":\"x\"}]}") == 0, "%s: %s %s",
                      breakers[i], shown(result->value), shown(result->error));
        cloche_result_destroy(result);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- the slot's memory ---- */

static cl_thread *thread;

static cl_guest *open_guest(void)
{
    cloche_error err = {0};
    cl_guest *guest = NULL;

    ck_assert_msg(cl_threads_init(0, &err) == CLOCHE_OK, "%s", err.text);
    cl_table_init();
    thread = cl_thread_get(&err);
    ck_assert_msg(thread != NULL, "%s", err.text);
    ck_assert_msg(cl_guest_open(&guest, &err) == CLOCHE_OK, "%s", err.text);
    return guest;
}

/* A run from its start to its end; the slot is left as it was at the end, for the caller to look at and to reset. */
static cloche_result *run_in(cl_guest *guest, const cl_run_request *request)
{
    cloche_result *result = cl_result_new();

    cl_step_begin(guest, request, result, cl_clock_ns(CLOCK_MONOTONIC));
    while (cl_step_work(thread, guest) == CL_STEP_WAITING) {
        uint64_t deadline_ns = guest->run.deadline_ns;
        uint64_t until_ns = guest->run.wake_ns < deadline_ns ? guest->run.wake_ns : deadline_ns;
        struct timespec until = {.tv_sec = (time_t)(until_ns / CL_NS_PER_S), .tv_nsec = (long)(until_ns % CL_NS_PER_S)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        if (until_ns == deadline_ns) {
            cl_step_stop(guest, CL_STOP_WALL);
            break;
        }
    }
    return result;
}

static const cl_run_limits probe_limits = {
    .memory_pages = 128 * 16, .max_timers = 1000, .wall_ns = 60 * CL_NS_PER_S,
    .max_stdout_bytes = 1 << 20, .max_stderr_bytes = 1 << 20, .max_result_bytes = 16 << 20,
};

static cl_run_request request_of(const char *code)
{
    return (cl_run_request){.code = code, .code_length = strlen(code), .filename = "main.js", .limits = probe_limits};
}

/* Uses the heap, the shadow stack, growth, timers, jobs, output, random numbers and the clock; nothing that differs
 * between two runs. */
static cl_run_request probe(void)
{
    cl_run_request request = request_of(
        "const a = []; for (let i = 0; i < 2000; i++) a.push({i, s: 'x' + i * Math.random(), f: () => i});"
        "const grown = new Uint8Array(3 << 20).fill(7);"
        "const deep = n => n === 0 ? 0 : 1 + deep(n - 1);"
        "await new Promise(r => setTimeout(r, 20)); console.log('%o', {date: new Date(), random: Math.random()});"
        "try { null.x } catch (e) { a.push(e.stack) }"
        "return [a.length, deep(50), grown.length, JSON.stringify(a).length, 'aXbX'.replace(/x/gi, '-'), Date.now()]");
    request.deterministic = true;
    request.seed = 42;
    request.now_ms = 1e12;
    request.context = "{\"k\": [1, 2, 3]}";
    request.context_length = strlen(request.context);
    return request;
}

/* Everything of a slot that a guest can reach or a later run depends on. */
typedef struct snapshot {
    uint8_t *memory;
    uint32_t size;
    uint32_t stack_pointer, pages, max_pages;
    wasm_rt_funcref_table_t table;
    char *value, *out;
} snapshot;

static snapshot take_snapshot(const cl_guest *guest, const cloche_result *result)
{
    uint32_t start = cl_image_get()->shape.window_start;
    const Z_quickjs_instance_t *instance = guest->instance;
    snapshot shot = {
        .size = instance->w2c_memory.size,
        .stack_pointer = instance->w2c___stack_pointer,
        .pages = instance->w2c_memory.pages,
        .max_pages = instance->w2c_memory.max_pages,
        .table = instance->w2c___indirect_function_table,
    };

    ck_assert_msg(result->ok, "the probe failed: %s", shown(result->error));
    shot.memory = malloc(shot.size - start);
    memcpy(shot.memory, guest->slot.memory + start, shot.size - start);
    shot.value = text_of("%s", result->value.data);
    shot.out = text_of("%s", shown(result->out));
    return shot;
}

static void drop_snapshot(snapshot *shot)
{
    free(shot->memory);
    free(shot->value);
    free(shot->out);
}

/* NULL: the same. Else what differs first. */
static const char *compare(const snapshot *a, const snapshot *b)
{
    uint32_t start = cl_image_get()->shape.window_start;
    uint32_t differing = 0, first = 0;

    if (strcmp(a->value, b->value) != 0 || strcmp(a->out, b->out) != 0)
        return text_of("the value or output: %s%s and %s%s", a->value, a->out, b->value, b->out);
    if (a->size != b->size)
        return text_of("the memory's size: %u and %u", a->size, b->size);
    if (a->stack_pointer != b->stack_pointer || a->pages != b->pages || a->max_pages != b->max_pages)
        return "the instance's stack pointer or memory";
    if (a->table.data != b->table.data || a->table.size != b->table.size || a->table.max_size != b->table.max_size)
        return "the function table";
    for (uint32_t i = 0; i < a->size - start; i++)
        if (a->memory[i] != b->memory[i] && differing++ == 0)
            first = start + i;
    return differing == 0 ? NULL : text_of("%u bytes, the first at %#x", differing, first);
}

static snapshot probe_in(cl_guest *guest)
{
    const cl_run_request request = probe();
    cloche_result *result = run_in(guest, &request);
    snapshot shot = take_snapshot(guest, result);

    ck_assert(!guest->slot.is_deep);
    cloche_result_destroy(result);
    cl_guest_reset(guest);
    return shot;
}

static snapshot probe_in_a_never_used_slot(void)
{
    cl_guest *guest = open_guest();
    snapshot shot = probe_in(guest);
    cl_guest_close(guest);
    return shot;
}

#define expect_same_as(fresh, guest, after)                                         \
    do {                                                                            \
        snapshot shot_ = probe_in(guest);                                           \
        const char *wrong_ = compare((fresh), &shot_);                              \
        ck_assert_msg(wrong_ == NULL, "after %s the probe differs in %s", (after), wrong_); \
        drop_snapshot(&shot_);                                                      \
    } while (0)

START_TEST(two_never_used_slots_are_equal_after_the_same_probe)
{
    snapshot one = probe_in_a_never_used_slot(), other = probe_in_a_never_used_slot();
    const char *wrong = compare(&one, &other);

    ck_assert_msg(wrong == NULL, "%s", wrong);
    ck_assert_uint_gt(one.size, cl_image_get()->shape.pages * CL_WASM_PAGE + (3u << 20)); /* growth is compared too */
}
END_TEST

/* Controls of what follows. */
START_TEST(the_comparison_sees_one_flipped_bit_before_the_probe)
{
    const cl_image *image = cl_image_get();
    snapshot fresh = probe_in_a_never_used_slot();
    const uint32_t places[] = {image->shape.window_start + 8, image->names_at + 100, image->random_at + 16};

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        cl_guest *guest = open_guest();
        guest->slot.memory[places[i]] ^= 1;
        const cl_run_request request = probe();
        cloche_result *result = run_in(guest, &request);
        if (result->ok) {
            snapshot shot = take_snapshot(guest, result);
            ck_assert_msg(compare(&fresh, &shot) != NULL, "a bit at %#x is not seen", places[i]);
        }
        cl_guest_close(guest);
    }
}
END_TEST

START_TEST(the_comparison_sees_a_reset_that_did_not_happen)
{
    snapshot fresh = probe_in_a_never_used_slot();
    cl_guest *guest = open_guest();
    const cl_run_request small = request_of("return 1 + 1"), request = probe();

    cloche_result_destroy(run_in(guest, &small));
    /* As if it were clean: only the host's half is put back. */
    memset(&guest->run, 0, sizeof guest->run);
    guest->slot.is_dirty = false;
    cloche_result *result = run_in(guest, &request);
    ck_assert(result->ok);
    snapshot shot = take_snapshot(guest, result);
    ck_assert_ptr_nonnull(compare(&fresh, &shot));
}
END_TEST

/* ---- the ways a run can end ---- */

static sem_t asked;

static void ask_for_stop(void *user, int fd, const char *data, size_t length)
{
    (void)user, (void)fd, (void)data, (void)length;
    sem_post(&asked);
}

static void stop_now(void *user, int fd, const char *data, size_t length)
{
    (void)fd, (void)data, (void)length;
    atomic_store(&((cl_guest *)user)->run.stop, CL_STOP_ABORT);
}

static void *stopper(void *user)
{
    sem_wait(&asked);
    atomic_store(&((cl_guest *)user)->run.stop, CL_STOP_ABORT);
    return NULL;
}

typedef struct ending {
    const char *name, *code;
    cloche_code expect;
    uint32_t wall_ms, memory_mb; /* 0: the probe's */
    cloche_kind kind;
} ending;

static const ending endings[] = {
    {"a value", "return {a: [1, 2, 'three']}", CLOCHE_CODE_NONE, 0, 0, 0},
    {"an empty source", "", CLOCHE_CODE_NONE, 0, 0, 0},
    {"a throw", "const e = new Error('x', {cause: new Error('y')}); throw e", CLOCHE_CODE_EXECUTION_ERROR, 0, 0, 0},
    {"a syntax error", "return 1 +", CLOCHE_CODE_INVALID_CODE, 0, 0, 0},
    {"process.exit", "console.log('bye'); process.exit(3)", CLOCHE_CODE_EXECUTION_ERROR, 0, 0, 0},
    {"process.exit in a finally", "try { null.x } finally { process.exit(3) }", CLOCHE_CODE_EXECUTION_ERROR, 0, 0, 0},
    {"a module", "import util from 'node:util'; export default util.format('%d', 1)", CLOCHE_CODE_NONE, 0, 0, CLOCHE_KIND_MODULE},
    {"a timeout in a loop", "let s = ''; for (let i = 0;; i++) s = 'k' + i", CLOCHE_CODE_TIMEOUT, 50, 0, 0},
    {"a timeout in a regular expression", "return /^(a+)+$/.test('a'.repeat(40) + 'b')", CLOCHE_CODE_TIMEOUT, 50, 0, 0},
    {"a timeout in sort", "const a = Array.from({length: 2e5}, Math.random); for (;;) a.sort((x, y) => x < y ? 1 : -1)", CLOCHE_CODE_TIMEOUT, 100, 0, 0},
    {"a timeout while the value is written", "return {toJSON() { for (;;); }}", CLOCHE_CODE_TIMEOUT, 50, 0, 0},
    {"a timeout while it waits", "await new Promise(r => setTimeout(r, 60000))", CLOCHE_CODE_TIMEOUT, 50, 0, 0},
    {"a timeout in growth", "const a = []; for (;;) { a.push(new Uint8Array(1 << 20).fill(1)); if (a.length > 20) a.length = 0 }", CLOCHE_CODE_TIMEOUT, 100, 64, 0},
    {"memory exceeded by objects", "const a = []; for (;;) a.push({a: 1, b: [a.length]})", CLOCHE_CODE_MEMORY_EXCEEDED, 0, 16, 0},
    {"memory exceeded by one buffer", "return new Uint8Array(64 << 20).length", CLOCHE_CODE_MEMORY_EXCEEDED, 0, 16, 0},
    {"memory exceeded in a job", "await Promise.resolve().then(() => { const a = []; for (;;) a.push('x'.repeat(1e5) + a.length) })", CLOCHE_CODE_MEMORY_EXCEEDED, 0, 16, 0},
    {"growth by 40 MiB", "return new Uint8Array(40 << 20).fill(5).length", CLOCHE_CODE_NONE, 0, 0, 0},
    {"growth by 500 KiB", "return new Uint8Array(500 << 10).fill(5).length", CLOCHE_CODE_NONE, 0, 0, 0},
    {"deep recursion", "const f = () => 1 + f(); try { f() } catch (e) { return e.name }", CLOCHE_CODE_NONE, 0, 0, 0},
    {"deep recursion through natives", "const f = () => [1].map(f); try { f() } catch (e) { return e.name }", CLOCHE_CODE_NONE, 0, 0, 0},
    {"deep JSON", "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; try { return JSON.stringify(a).length } catch (e) { return e.name }", CLOCHE_CODE_NONE, 0, 0, 0},
    {"a promise that nothing settles", "await new Promise(() => {})", CLOCHE_CODE_EXECUTION_ERROR, 0, 0, 0},
    {"an unhandled rejection", "Promise.reject(new Error('x')); await new Promise(r => setTimeout(r, 5))", CLOCHE_CODE_EXECUTION_ERROR, 0, 0, 0},
    {"pending timers", "for (let i = 0; i < 500; i++) setTimeout(() => {}, 1e6); return 1", CLOCHE_CODE_NONE, 0, 0, 0},
    {"a flood of output", "for (let i = 0; i < 20000; i++) console.log('%o', {i, text: 'x'.repeat(100)})", CLOCHE_CODE_NONE, 0, 0, 0},
    {"a huge value", "return 'x'.repeat(15 << 20)", CLOCHE_CODE_NONE, 0, 0, 0},
    {"a value that is too large", "return 'x'.repeat(17 << 20)", CLOCHE_CODE_EXECUTION_ERROR, 0, 0, 0},
    {"random bytes and names", "for (let i = 0; i < 3000; i++) globalThis['leftover' + Math.random()] = Symbol.for('s' + i)", CLOCHE_CODE_NONE, 0, 0, 0},
    {"everything replaced", POLLUTE_JS("if (define(o, key, {value: evil})) changed++;"), CLOCHE_CODE_NONE, 0, 0, 0},
};

START_TEST(after_any_ending_a_slot_equals_one_never_used)
{
    snapshot fresh = probe_in_a_never_used_slot();
    cl_guest *guest = open_guest();

    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const ending *e = &endings[i];
        cl_run_request request = request_of(e->code);
        request.kind = e->kind;
        request.limits.wall_ns = e->wall_ms != 0 ? e->wall_ms * CL_NS_PER_MS : request.limits.wall_ns;
        request.limits.memory_pages = e->memory_mb != 0 ? e->memory_mb * 16 : request.limits.memory_pages;
        cloche_result *result = run_in(guest, &request);
        ck_assert_msg(result->code == e->expect || i == sizeof endings / sizeof endings[0] - 1,
                      "%s ended as %s: %s", e->name, cloche_code_name(result->code), shown(result->error));
        cloche_result_destroy(result);
        cl_guest_reset(guest);
        expect_same_as(&fresh, guest, e->name);
    }
    cl_guest_close(guest);
}
END_TEST

START_TEST(after_an_abort_a_slot_equals_one_never_used)
{
    snapshot fresh = probe_in_a_never_used_slot();
    cl_guest *guest = open_guest();
    cl_run_request in_callback = request_of("console.log('x'.repeat(9000)); for (;;);");
    cl_run_request from_afar = request_of("console.log('now'); const a = []; for (let i = 0;; i++) a[i % 1000] = 'x' + i;");

    in_callback.on_output = stop_now;
    in_callback.on_output_user = guest;
    from_afar.on_output = ask_for_stop;
    sem_init(&asked, 0, 0);
    for (int i = 0; i < 20; i++) {
        pthread_t helper;
        ck_assert_int_eq(pthread_create(&helper, NULL, stopper, guest), 0);
        cloche_result *result = run_in(guest, &from_afar);
        pthread_join(helper, NULL);
        assert_code(result, CLOCHE_CODE_ABORTED);
        cloche_result_destroy(result);
        cl_guest_reset(guest);
        expect_same_as(&fresh, guest, "an abort in a loop");
        result = run_in(guest, &in_callback);
        assert_code(result, CLOCHE_CODE_ABORTED);
        cloche_result_destroy(result);
        cl_guest_reset(guest);
        expect_same_as(&fresh, guest, "an abort inside a callback");
    }
    cl_guest_close(guest);
}
END_TEST

static void make_fault(cl_slot *slot)
{
    cl_guest *guest = cl_guest_of(slot);

    Z_quickjsZ_JS_NewStringLen(guest->instance, cl_image_get()->context, 0xF0000000u, 100);
}

static void make_null_fault(cl_slot *slot)
{
    cl_guest *guest = cl_guest_of(slot);

    Z_quickjsZ_JS_NewStringLen(guest->instance, cl_image_get()->context, 16, 100);
}

static void make_trap(cl_slot *slot)
{
    cl_guest *guest = cl_guest_of(slot);

    Z_quickjsZ_JS_NewStringLen(guest->instance, cl_image_get()->context, cl_image_get()->names_at, 10);
    wasm_rt_trap(WASM_RT_TRAP_UNREACHABLE);
}

/* What only a bug in the engine would do, done by hand in its name. */
START_TEST(after_a_fault_or_trap_a_slot_equals_one_never_used)
{
    static const struct {
        const char *name;
        void (*main)(cl_slot *);
        cl_leave why;
    } accidents[] = {
        {"an access beyond the memory", make_fault, CL_LEAVE_FAULT},
        {"an access to the null page", make_null_fault, CL_LEAVE_FAULT},
        {"a trap", make_trap, CL_LEAVE_TRAP},
    };
    snapshot fresh = probe_in_a_never_used_slot();
    cl_guest *guest = open_guest();

    for (size_t i = 0; i < sizeof accidents / sizeof accidents[0]; i++) {
        cl_run_request request = request_of("");
        cloche_result *result = cl_result_new();
        cl_step_begin(guest, &request, result, cl_clock_ns(CLOCK_MONOTONIC));
        cl_until until = {.deadline_ns = guest->run.deadline_ns, .stop = &guest->run.stop};
        ck_assert_int_eq(cl_thread_enter(thread, &guest->slot, accidents[i].main, &until), accidents[i].why);
        cloche_result_destroy(result);
        cl_guest_reset(guest);
        expect_same_as(&fresh, guest, accidents[i].name);
    }
    cl_guest_close(guest);
}
END_TEST

START_TEST(after_going_deep_a_slot_equals_one_never_used)
{
    static const char *const codes[] = {
        "const f = n => { const g = () => f(n + 1); return [g()].concat(g()) }; return f(0)",
        "let p = {}; for (let i = 0; i < 2e5; i++) p = new Proxy(p, {}); return p.x",
        "let s = ''; for (let i = 0; i < 2e5; i++) s = [s] + ''; return eval('('.repeat(2e5) + ')'.repeat(2e5))",
        "class A { get [Symbol.toStringTag]() { return String(this) } toString() { return Object.prototype.toString.call(this) } } return String(new A())",
        "let o = {}; o.toJSON = function () { return JSON.stringify(o) }; return o",
        "return new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).test('x')",
        "let e = new Error('x'); for (let i = 0; i < 1e5; i++) e = new Error('y', {cause: e}); throw e",
        "const a = []; a[0] = a; return String([a].flat(Infinity))",
    };
    snapshot fresh = probe_in_a_never_used_slot();
    cl_guest *guest = open_guest();
    bool went_deep = false;

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        cl_run_request request = request_of(codes[i]);
        request.limits.wall_ns = 2 * CL_NS_PER_S;
        cloche_result_destroy(run_in(guest, &request));
        went_deep |= guest->slot.is_deep;
        cl_guest_reset(guest);
        expect_same_as(&fresh, guest, codes[i]);
    }
    ck_assert_msg(went_deep, "no run used the closed part of the shadow stack: the test tests nothing");
    cl_guest_close(guest);
}
END_TEST

/* ---- a slot that nobody uses ---- */

static bool find_in_slot(cl_guest *guest, const char *needle)
{
    enum { PIECE = 1 << 16 };
    static uint8_t piece[PIECE + 64];
    const uint32_t most = cl_image_get()->shape.pages * CL_WASM_PAGE + (96u << 20);
    int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC); /* reads what is inaccessible as well */
    bool is_found = false;

    ck_assert_int_ge(mem, 0);
    for (uint32_t at = 0; at < most && !is_found; at += PIECE) {
        ssize_t got = pread(mem, piece, sizeof piece, (off_t)(uintptr_t)(guest->slot.memory + at));
        is_found = got > 0 && memmem(piece, (size_t)got, needle, strlen(needle)) != NULL;
    }
    close(mem);
    return is_found;
}

START_TEST(an_idle_slot_holds_nobodys_data)
{
    cl_guest *guest = open_guest();
    cl_run_request request = request_of(
        "const secret = 'top' + 'Secret' + 'Word'; const bytes = []; let i;"
        "const f = (s, n) => n === 0 ? s : f(s + n, n - 1) + secret; globalThis.kept = [];"
        "for (i = 0; i < 3e5; i++) kept.push(secret + i);"
        "try { (function deep(s) { return deep(s + '') + s })(secret) } catch {}"
        "kept.push(f(secret, 100)); console.log(secret); return kept.slice(0, 1000)");

    cloche_result *result = run_in(guest, &request);
    assert_contains(result->value, "topSecretWord");
    ck_assert(guest->slot.is_deep);
    ck_assert(find_in_slot(guest, "topSecretWord")); /* the control: it was there */
    cloche_result_destroy(result);
    cl_guest_reset(guest);
    ck_assert(!find_in_slot(guest, "topSecretWord"));
    ck_assert(!find_in_slot(guest, "SecretWord"));
    for (size_t i = 0; i < sizeof guest->run; i++)
        ck_assert_uint_eq(((const uint8_t *)&guest->run)[i], 0);
    cl_guest_close(guest);
}
END_TEST

/* ---- every case of tests/cases ---- */

static char *cases_folder(void)
{
    char *path = text_of("%s", __FILE__);
    char *slash = strrchr(path, '/');
    *(slash != NULL ? slash : path) = '\0';
    return text_of("%s/../cases", slash != NULL ? path : ".");
}

static cl_json_span member(const cl_json_span *object, const char *name)
{
    size_t cursor = 0;
    cl_json_span key, value;

    while (cl_json_member(object, &cursor, &key, &value))
        if (cl_json_equals(&key, name))
            return value;
    return (cl_json_span){.text = "", .type = CL_JSON_NONE};
}

/* The request that a case's line asks for; NULL: it is none for this build. */
static cloche_json_request *request_of_case(const char *line, size_t length, char **id)
{
    cl_json_span whole, code, context, options;
    cloche_json_request *request = NULL;
    cloche_error err;

    ck_assert_msg(cl_json_check(line, length, CL_JSON_DEPTH_MOST, &whole, NULL), "%.80s", line);
    code = member(&whole, "id");
    *id = text_of("%.*s", (int)code.length, code.text);
    code = member(&whole, "lang");
    if (!cl_json_equals(&code, "js"))
        return NULL;
    code = member(&whole, "code");
    context = member(&whole, "context");
    options = member(&whole, "options");
    char *text = text_of("{\"language\":\"js\",\"code\":%.*s,\"context\":%.*s,\"options\":%.*s}", (int)code.length, code.text,
                         context.type == CL_JSON_NONE ? 2 : (int)context.length, context.type == CL_JSON_NONE ? "{}" : context.text,
                         options.type == CL_JSON_NONE ? 2 : (int)options.length, options.type == CL_JSON_NONE ? "{}" : options.text);
    cloche_status rc = cloche_request_from_json(text, strlen(text), &request, NULL, &err);
    ck_assert_msg(rc == CLOCHE_OK || rc == CLOCHE_E_INVAL, "%s: %s", *id, err.text);
    free(text);
    return request;
}

static int run_cases_of(const char *path, cl_guest *guest, const snapshot *fresh)
{
    cl_backend backend = {.name = "none"};
    cloche_sandbox defaults = {.options = CLOCHE_OPTIONS_INIT, .backend = &backend}; /* what a request is resolved against */
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    int ran = 0;

    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(cl_limits_resolve(NULL, NULL, CL_SCOPE_SANDBOX, &defaults.options.limits, NULL), CLOCHE_OK);
    for (ssize_t length; (length = getline(&line, &room, file)) > 0;) {
        char *id;
        cloche_json_request *request = request_of_case(line, (size_t)length, &id);
        if (request == NULL)
            continue;
        cl_job job = {.sandbox = &defaults, .result = cl_result_new()};
        ck_assert_int_eq(cl_request_resolve(&job, &request->request, false, NULL), CLOCHE_OK);
        if (job.state != CL_JOB_ENDED) {
            cloche_result_destroy(job.result);
            job.result = run_in(guest, &job.request);
            cl_guest_reset(guest);
            expect_same_as(fresh, guest, id);
            ran++;
        }
        cloche_result_destroy(job.result);
        cloche_json_request_destroy(request);
        free(id);
    }
    free(line);
    fclose(file);
    return ran;
}

START_TEST(after_every_case_a_slot_equals_one_never_used)
{
    snapshot fresh = probe_in_a_never_used_slot();
    cl_guest *guest = open_guest();
    char *folder = cases_folder();
    DIR *dir = opendir(folder);
    int ran = 0;

    ck_assert_msg(dir != NULL, "%s", folder);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (strstr(entry->d_name, ".jsonl") != NULL)
            ran += run_cases_of(text_of("%s/%s", folder, entry->d_name), guest, &fresh);
    closedir(dir);
    ck_assert_msg(ran > 150, "only %d cases were run", ran);
    cl_guest_close(guest);
}
END_TEST

TEST_MAIN("api/reset", a_thousand_runs_have_a_thousand_first_random_numbers,
          runs_with_the_same_seed_have_the_same_first_random_number,
          a_fingerprint_covers_thousands_of_properties_and_is_the_same_everywhere,
          a_fingerprint_shows_a_change_made_in_its_own_run,
          a_run_that_changed_everything_it_could_reach_leaves_nothing_behind,
          a_value_comes_out_right_when_everything_around_it_is_replaced,
          two_never_used_slots_are_equal_after_the_same_probe, the_comparison_sees_one_flipped_bit_before_the_probe,
          the_comparison_sees_a_reset_that_did_not_happen, after_any_ending_a_slot_equals_one_never_used,
          after_an_abort_a_slot_equals_one_never_used, after_a_fault_or_trap_a_slot_equals_one_never_used,
          after_going_deep_a_slot_equals_one_never_used,
          an_idle_slot_holds_nobodys_data, after_every_case_a_slot_equals_one_never_used)
