/* What a run may have of memory, in whatever shape it asks; and what is left of the process's after very many. */
#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include "api.h"

enum { LIMIT_MB = 16 };

static cloche_request ask_within(const char *code, uint32_t memory_limit_mb)
{
    cloche_request request = ask_for(code, 30000);
    request.limits.memory_limit_mb = memory_limit_mb;
    return request;
}

static void expect_exceeded(cloche_sandbox *sandbox, const char *name, cloche_request request, const char *out)
{
    cloche_result *result = run(sandbox, request);

    ck_assert_msg(result->code == CLOCHE_CODE_MEMORY_EXCEEDED, "%s ended as %s: %.200s %.200s", name,
                  result->ok ? "ok" : cloche_code_name(result->code), shown(result->error), shown(result->value));
    ck_assert_int_eq(result->exit_code, 137);
    ck_assert_msg(strstr(result->error.data, "memoryLimitMb 16") != NULL && strchr(result->error.data, '\n') == NULL, "%s",
                  result->error.data);
    ck_assert_msg(strcmp(shown(result->out), out) == 0, "%s: output '%.100s'", name, shown(result->out));
    ck_assert_uint_le(result->usage.memory_peak_bytes, (uint64_t)LIMIT_MB << 20);
    ck_assert_ptr_null(result->value.data);
    cloche_result_destroy(result);
}

/* ---- over the limit ---- */

static const struct {
    const char *name, *code;
} shapes[] = {
    {"many small objects", "const a = []; for (;;) a.push({a: 1})"},
    {"linked objects", "let o = null; for (;;) o = {next: o}"},
    {"one array that doubles", "let a = [1]; for (;;) a = a.concat(a)"},
    {"one array filled by index", "const a = []; for (let i = 0;; i++) a[i] = i"},
    {"a filled huge array", "new Array(1e8).fill(0)"},
    {"Array.from", "Array.from({length: 5e6}, (_, i) => ({i}))"},
    {"spread", "let a = [1, 2, 3]; for (;;) a = [...a, ...a]"},
    {"one ArrayBuffer", "new ArrayBuffer(64 << 20)"},
    {"one typed array", "new Float64Array(8 << 20)"},
    {"many typed arrays", "const a = []; for (;;) a.push(new Uint8Array(1000))"},
    {"a buffer that grows", "const b = new ArrayBuffer(8, {maxByteLength: 64 << 20}); for (let n = 8; n <= 64 << 20; n *= 2) b.resize(n); for (;;) b.transfer(64 << 20)"},
    {"repeat", "'abc'.repeat(64 << 20)"},
    {"padEnd", "'x'.padEnd(100 << 20, 'abc')"},
    {"padStart", "'x'.padStart(100 << 20, 'abc')"},
    {"strings that stay", "const a = []; for (;;) a.push('x'.repeat(100) + a.length)"},
    {"a flattened rope", "let s = 'xy'; for (let i = 0; i < 25; i++) s += s; /z/.test(s); s + s"},
    {"join", "new Array(1 << 20).fill('x'.repeat(100)).join('-')"},
    {"replace", "'ab'.repeat(1e6).replace(/a/g, '$&'.repeat(50))"},
    {"split", "'x,'.repeat(3e6).split(',')"},
    {"captures of a regular expression", "'a'.repeat(1e6).match(/(a)/g); [...'ab'.repeat(1e6).matchAll(/(a)(b)/g)]"},
    {"a regular expression that backtracks", "for (let n = 1;; n *= 2) /^(?:(a)|(b)|(c))*$/.exec('abc'.repeat(n))"},
    {"JSON.parse", "JSON.parse('[' + '[1,2,3],'.repeat(1e6) + '1]')"},
    {"JSON.stringify", "const a = new Array(1e6).fill('x'.repeat(50)); JSON.stringify(a)"},
    {"Map", "const m = new Map(); for (let i = 0;; i++) m.set('k' + i, i)"},
    {"Set", "const s = new Set(); for (let i = 0;; i++) s.add({i})"},
    {"WeakMap", "const w = new WeakMap(), a = []; for (;;) { const o = {}; a.push(o); w.set(o, a.length) }"},
    {"symbols as keys", "const o = {}; for (;;) o[Symbol('x')] = 1"},
    {"registered symbols", "const a = []; for (let i = 0;; i++) a.push(Symbol.for('leftover' + i))"},
    {"property names", "const o = {}; for (let i = 0;; i++) o['key' + i] = i"},
    {"globals", "for (let i = 0;; i++) globalThis['key' + i] = i"},
    {"closures", "const a = []; for (let i = 0;; i++) a.push(() => i)"},
    {"generators", "const a = []; function* g() { yield a } for (;;) { const it = g(); it.next(); a.push(it) }"},
    {"promises", "const a = []; for (;;) a.push(new Promise(() => {}))"},
    {"jobs that wait", "for (;;) Promise.resolve().then(() => {})"},
    {"Error objects", "const a = []; for (;;) a.push(new Error('x'))"},
    {"classes", "const a = []; for (;;) a.push(class { x = 1; static y = 2; m() {} })"},
    {"BigInt", "const a = []; for (let n = 1n;; n = n * 3n + 1n) a.push(n << 1000n)"},
    {"proxies", "const a = []; for (;;) a.push(new Proxy({}, {}))"},
    {"dates and regular expressions", "const a = []; for (let i = 0;; i++) a.push(new Date(i), new RegExp('x' + i))"},
    {"source text", "const a = []; for (let i = 0;; i++) a.push(new Function('return ' + i))"},
    {"eval", "eval('[' + '{a: 1, b: [2, 3]},'.repeat(1e6) + ']')"},
    {"in a promise job", "await Promise.resolve().then(() => { const a = []; for (;;) a.push({a: 1}) })"},
    {"in a microtask", "queueMicrotask(() => { const a = []; for (;;) a.push({a: 1}) }); await new Promise(r => setTimeout(r, 10))"},
    {"in a timer", "setTimeout(() => { const a = []; for (;;) a.push({a: 1}) }, 1); await new Promise(() => {})"},
    {"in a tick", "process.nextTick(() => { const a = []; for (;;) a.push({a: 1}) }); await new Promise(() => {})"},
    {"in a comparator", "[3, 1, 2].sort(() => { const a = []; for (;;) a.push({a: 1}) })"},
    {"in a replacer", "'x'.replace('x', () => { const a = []; for (;;) a.push({a: 1}) })"},
    {"in a reviver", "JSON.parse('[1]', () => { const a = []; for (;;) a.push({a: 1}) })"},
    {"in an iterator", "for (const x of (function* () { const a = []; for (;;) { a.push({a: 1}); yield 1 } })());"},
    {"caught and tried again", "const a = []; for (;;) try { for (;;) a.push(new Uint8Array(1 << 16)) } catch { }"},
    {"in a finally", "try { throw 1 } finally { const a = []; for (;;) a.push({a: 1}) }"},
    {"after it was caught once", "let a = []; try { for (;;) a.push(new Array(1e4).fill(1)) } catch (e) { a = null; console.log('caught') } return 'went on'"},
};

START_TEST(memory_over_the_limit_ends_the_run_in_whatever_shape_it_is_asked_for)
{
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        expect_exceeded(sandbox, shapes[i].name, ask_within(text_of("console.log('before'); %s", shapes[i].code), LIMIT_MB), "before\n");
        expect_next_run_right(sandbox);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(memory_over_while_the_value_is_written_ends_the_run)
{
    static const char *const codes[] = {
        "return {get a() { const a = []; for (;;) a.push({a: 1}) }}",
        "return {toJSON() { const a = []; for (;;) a.push({a: 1}) }}",
        "return new Proxy({}, {ownKeys() { const a = []; for (;;) a.push({a: 1}) }})",
        "return {then() { const a = []; for (;;) a.push({a: 1}) }}",
        "const s = 'x'.repeat(1e6); return new Array(100).fill(s)",
        "let a = [1, 2]; for (let i = 0; i < 24; i++) a = [a, a]; return a",
    };
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        expect_exceeded(sandbox, codes[i], ask_within(text_of("console.log('before'); %s", codes[i]), LIMIT_MB), "before\n");
        expect_next_run_right(sandbox);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(memory_over_while_the_error_is_read_ends_the_run)
{
    static const char *const codes[] = {
        "throw {get message() { const a = []; for (;;) a.push({a: 1}) }}",
        "throw Object.defineProperty(new Error('x'), 'stack', {get() { const a = []; for (;;) a.push({a: 1}) }})",
        "throw Object.defineProperty(new Error('x'), 'name', {get() { const a = []; for (;;) a.push({a: 1}) }})",
        "throw new Error('x', {cause: {toJSON() { const a = []; for (;;) a.push({a: 1}) }}})",
        "throw new Error('x', {cause: Object.defineProperty(new Error('y'), 'message', {get() { const a = []; for (;;) a.push({a: 1}) }})})",
        "throw new AggregateError([{toJSON() { const a = []; for (;;) a.push({a: 1}) }}])",
    };
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        expect_exceeded(sandbox, codes[i], ask_within(text_of("console.log('before'); %s", codes[i]), LIMIT_MB), "before\n");
        expect_next_run_right(sandbox);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(memory_over_while_a_source_is_compiled_ends_the_run)
{
    enum { ITEMS = 200000 };
    cloche_sandbox *sandbox = open_sandbox();
    char *code = malloc(ITEMS * 24 + 64), *at = code + sprintf(code, "return [");

    for (int i = 0; i < ITEMS; i++)
        at += sprintf(at, "{a%d:()=>%d},", i % 90000, i);
    strcpy(at, "]");
    ck_assert_uint_lt(strlen(code), 4u << 20);
    expect_exceeded(sandbox, "compilation", ask_within(code, LIMIT_MB), "(absent)");
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_context_over_the_limit_ends_the_run)
{
    cloche_sandbox *sandbox = open_sandbox();
    size_t room = 15 << 20, used;
    char *context = malloc(room + 64);

    used = (size_t)sprintf(context, "{\"k\":[");
    while (used < room)
        used += (size_t)sprintf(context + used, "[1,{}],");
    strcpy(context + used, "1]}");
    expect_exceeded(sandbox, "the context", with_context(ask_within("return 1", LIMIT_MB), context), "(absent)");
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(sizes_the_language_forbids_are_range_errors_that_can_be_caught)
{
    static const char *const codes[] = {
        "new Array(-1)",        "[].length = -1",           "'x'.repeat(2 ** 30)",        "'x'.repeat(-1)",
        "'x'.repeat(Infinity)", "new ArrayBuffer(2 ** 53)", "new Uint8Array(2 ** 53)",    "new ArrayBuffer(-1)",
        "2n ** (2n ** 40n)",    "(1).toFixed(101)",         "'x'.padEnd(2 ** 30)",        "new Float64Array(2 ** 40)",
        "String.fromCodePoint(0x110000)",                   "new Array(1.5)",
    };
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        cloche_result *result = run(sandbox, ask_within(text_of("try { %s } catch (e) { return e instanceof RangeError ? 'caught' : String(e) } return 'nothing'", codes[i]), LIMIT_MB));
        ck_assert_msg(result->ok && strcmp(result->value.data, "\"caught\"") == 0, "%s: %s %s", codes[i], shown(result->value), shown(result->error));
        cloche_result_destroy(result);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(memory_within_the_limit_is_there)
{
    static const uint32_t limits[] = {8, 16, 64, 512};
    cloche_options options = CLOCHE_OPTIONS_INIT;
    options.limits.max_total_memory_mb = 2048;
    cloche_sandbox *sandbox = open_with(&options);

    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        uint32_t most = limits[i] - 2;
        cloche_result *result = run(sandbox, ask_within(text_of("return new Uint8Array(%u << 20).length", most), limits[i]));
        assert_value(result, text_of("%u", most << 20));
        ck_assert_uint_ge(result->usage.memory_peak_bytes, (uint64_t)most << 20);
        ck_assert_uint_le(result->usage.memory_peak_bytes, (uint64_t)limits[i] << 20);
        cloche_result_destroy(result);
        expect_end(sandbox, ask_within(text_of("return new Uint8Array(%u << 20).length", limits[i] + 1), limits[i]), CLOCHE_CODE_MEMORY_EXCEEDED);
        ck_assert_uint_eq(stats_of(sandbox).memory_bytes, 0);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(the_peak_is_the_growth_of_this_run_and_counts_what_was_freed)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_result *big = run(sandbox, ask("new Uint8Array(50 << 20); return 1"));
    cloche_result *small = run(sandbox, ask("return 1"));

    ck_assert_uint_ge(big->usage.memory_peak_bytes, 50u << 20);
    ck_assert_uint_le(big->usage.memory_peak_bytes, 52u << 20);
    ck_assert_uint_lt(small->usage.memory_peak_bytes, 1u << 20);
    cloche_result_destroy(big);
    cloche_result_destroy(small);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- the host's memory ---- */

static uint64_t statm(int field)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages[2] = {0};

    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%lu %lu", &pages[0], &pages[1]), 2);
    fclose(file);
    return (uint64_t)pages[field] * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limit_address_space(rlim_t bytes)
{
    struct rlimit limit;

    ck_assert_int_eq(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = bytes;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
}

static void run_without_a_slot(void *user, int fd, const char *data, size_t length)
{
    cloche_sandbox *sandbox = user;

    (void)fd, (void)data, (void)length;
    for (int i = 0; i < 3; i++) {
        cloche_result *result = run(sandbox, ask("return 1")); /* a second slot does not fit */
        assert_code(result, CLOCHE_CODE_INTERNAL);
        ck_assert_ptr_null(strchr(result->error.data, '\n'));
        ck_assert(!result->started);
        cloche_result_destroy(result);
    }
}

START_TEST(a_slot_that_the_system_refuses_is_the_hosts_failure_and_the_sandbox_goes_on)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_request request = ask("console.log(1); return 'outer'");

    request.on_output = run_without_a_slot;
    request.on_output_user = sandbox;
    expect_next_run_right(sandbox);
    limit_address_space((rlim_t)statm(0) + (64 << 20));
    cloche_result *result = run(sandbox, request);
    assert_value(result, "\"outer\"");
    cloche_result_destroy(result);
    limit_address_space(RLIM_INFINITY);
    ck_assert_uint_eq(stats_of(sandbox).slots, 1);
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(the_first_slot_refused_is_the_hosts_failure_and_a_later_run_works)
{
    cloche_sandbox *sandbox = open_sandbox();

    limit_address_space((rlim_t)statm(0) + (64 << 20));
    for (int i = 0; i < 3; i++) {
        cloche_result *result = run(sandbox, ask("return 1"));
        assert_code(result, CLOCHE_CODE_INTERNAL);
        assert_contains(result->error, "8 GiB");
        cloche_result_destroy(result);
    }
    limit_address_space(RLIM_INFINITY);
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* RLIMIT_DATA counts private writable memory: opening more of the reservation is what fails now. */
START_TEST(growth_that_the_system_refuses_is_the_hosts_failure_and_the_sandbox_goes_on)
{
    cloche_sandbox *sandbox = open_sandbox();
    struct rlimit limit;

    expect_next_run_right(sandbox);
    ck_assert_int_eq(getrlimit(RLIMIT_DATA, &limit), 0);
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = 64 << 20;
    ck_assert_int_eq(setrlimit(RLIMIT_DATA, &limit), 0);
    for (int i = 0; i < 3; i++) {
        cloche_result *result = run(sandbox, ask("console.log('before'); return new Uint8Array(100 << 20).length"));
        assert_code(result, CLOCHE_CODE_INTERNAL);
        assert_contains(result->error, "host memory");
        assert_text(result->out, "before\n");
        cloche_result_destroy(result);
        ck_assert_uint_eq(stats_of(sandbox).memory_bytes, 0);
    }
    limit.rlim_cur = before;
    ck_assert_int_eq(setrlimit(RLIMIT_DATA, &limit), 0);
    expect_value(sandbox, "return new Uint8Array(100 << 20).length", "104857600");
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- very many runs ---- */

static int count_entries(const char *folder)
{
    DIR *dir = opendir(folder);
    int count = 0;

    ck_assert_ptr_nonnull(dir);
    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    return count;
}

static int count_lines(const char *path)
{
    FILE *file = fopen(path, "r");
    int count = 0;

    ck_assert_ptr_nonnull(file);
    for (int c; (c = getc(file)) != EOF;)
        count += c == '\n';
    fclose(file);
    return count;
}

static const struct {
    const char *code;
    uint32_t timeout_ms;
    cloche_code expect;
} mixed[] = {
    {"return 1 + 1", 0, CLOCHE_CODE_NONE},
    {"return 'x'.repeat(20000)", 0, CLOCHE_CODE_NONE},
    {"for (let i = 0; i < 50; i++) console.log('%o', {i})", 0, CLOCHE_CODE_NONE},
    {"throw new Error('x', {cause: new Error('y')})", 0, CLOCHE_CODE_EXECUTION_ERROR},
    {"throw new AggregateError([new Error('a'), new Error('b')])", 0, CLOCHE_CODE_EXECUTION_ERROR},
    {"return 1 +", 0, CLOCHE_CODE_INVALID_CODE},
    {"process.exit(1)", 0, CLOCHE_CODE_EXECUTION_ERROR},
    {"return new Uint8Array(500 << 10).fill(1).length", 0, CLOCHE_CODE_NONE},
    {"setTimeout(() => {}, 1e6); return await Promise.all([1, 2, 3])", 0, CLOCHE_CODE_NONE},
    {"const f = () => 1 + f(); try { f() } catch (e) { return e.name }", 0, CLOCHE_CODE_NONE},
    {"return JSON.stringify(Array.from({length: 500}, (_, i) => ({i})))", 0, CLOCHE_CODE_NONE},
    {"return /(\\d+)-(\\d+)/.exec('a 12-34 b')", 0, CLOCHE_CODE_NONE},
};

/* Every fortieth is one that costs more. */
static const struct {
    const char *code;
    uint32_t timeout_ms;
    cloche_code expect;
} costly[] = {
    {"for (;;);", 1, CLOCHE_CODE_TIMEOUT},
    {"return /^(a+)+$/.test('a'.repeat(40) + 'b')", 2, CLOCHE_CODE_TIMEOUT},
    {"const a = []; for (;;) a.push('x'.repeat(1e5) + a.length)", 0, CLOCHE_CODE_MEMORY_EXCEEDED},
    {"return new Uint8Array(64 << 20).length", 0, CLOCHE_CODE_MEMORY_EXCEEDED},
    {"const f = () => [1].map(f); try { f() } catch (e) { return e.name }", 0, CLOCHE_CODE_NONE},
    {"return new Uint8Array(12 << 20).fill(1).length", 0, CLOCHE_CODE_NONE},
    {"await new Promise(r => setTimeout(r, 1)); return 1", 0, CLOCHE_CODE_NONE},
};

static void run_mixed(cloche_sandbox *sandbox, int count)
{
    enum { MIXED = sizeof mixed / sizeof mixed[0], COSTLY = sizeof costly / sizeof costly[0] };

    for (int i = 0; i < count; i++) {
        bool is_costly = i % 40 == 39;
        const char *code = is_costly ? costly[i / 40 % COSTLY].code : mixed[i % MIXED].code;
        uint32_t timeout_ms = is_costly ? costly[i / 40 % COSTLY].timeout_ms : mixed[i % MIXED].timeout_ms;
        cloche_code expect = is_costly ? costly[i / 40 % COSTLY].expect : mixed[i % MIXED].expect;
        cloche_request request = ask_for(code, timeout_ms != 0 ? timeout_ms : 30000);
        request.limits.memory_limit_mb = LIMIT_MB;
        expect_end(sandbox, request, expect);
    }
}

START_TEST(the_process_is_as_large_after_twenty_thousand_runs_as_before)
{
    cloche_sandbox *sandbox = open_sandbox();

    run_mixed(sandbox, 2000);
    uint64_t resident = statm(1), size = statm(0);
    int descriptors = count_entries("/proc/self/fd"), mappings = count_lines("/proc/self/maps");
    run_mixed(sandbox, 20000);
    int64_t drift = (int64_t)statm(1) - (int64_t)resident;
    ck_assert_msg(drift < 1 << 20, "resident memory grew by %lld bytes", (long long)drift);
    ck_assert_msg((int64_t)statm(0) - (int64_t)size < 1 << 20, "address space grew by %lld bytes", (long long)(statm(0) - size));
    ck_assert_int_le(count_entries("/proc/self/fd"), descriptors);
    ck_assert_int_le(count_lines("/proc/self/maps"), mappings + 1);
    ck_assert_uint_eq(stats_of(sandbox).slots, 1);
    ck_assert_uint_eq(stats_of(sandbox).memory_bytes, 0);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(sandboxes_that_come_and_go_leave_nothing)
{
    for (int i = 0; i < 20; i++) {
        cloche_sandbox *sandbox = open_sandbox();
        expect_next_run_right(sandbox);
        cloche_sandbox_destroy(sandbox);
    }
    uint64_t resident = statm(1), size = statm(0);
    int descriptors = count_entries("/proc/self/fd"), mappings = count_lines("/proc/self/maps");
    for (int i = 0; i < 200; i++) {
        cloche_sandbox *sandbox = open_sandbox();
        expect_next_run_right(sandbox);
        cloche_sandbox_destroy(sandbox);
    }
    ck_assert_int_lt((int64_t)statm(1) - (int64_t)resident, 1 << 20);
    ck_assert_int_lt((int64_t)statm(0) - (int64_t)size, 1 << 20);
    ck_assert_int_le(count_entries("/proc/self/fd"), descriptors);
    ck_assert_int_le(count_lines("/proc/self/maps"), mappings + 1);
}
END_TEST

TEST_MAIN("api/memory", memory_over_the_limit_ends_the_run_in_whatever_shape_it_is_asked_for,
          memory_over_while_the_value_is_written_ends_the_run, memory_over_while_the_error_is_read_ends_the_run,
          memory_over_while_a_source_is_compiled_ends_the_run, a_context_over_the_limit_ends_the_run,
          sizes_the_language_forbids_are_range_errors_that_can_be_caught, memory_within_the_limit_is_there,
          the_peak_is_the_growth_of_this_run_and_counts_what_was_freed,
          a_slot_that_the_system_refuses_is_the_hosts_failure_and_the_sandbox_goes_on,
          the_first_slot_refused_is_the_hosts_failure_and_a_later_run_works,
          growth_that_the_system_refuses_is_the_hosts_failure_and_the_sandbox_goes_on,
          the_process_is_as_large_after_twenty_thousand_runs_as_before, sandboxes_that_come_and_go_leave_nothing)
