/* A run means the same on both backends: what comes back is compared field by field.
 *
 * Times are not compared, and where a text tells one ("stopped after 51.3 ms") its digits are not either.
 */
#include <ctype.h>

#include "tree.h"

enum { SLOW_MS = 60, GRACE_MS = 10 };

typedef struct both {
    cloche_sandbox *worker, *process, *jail;
} both;

static both open_both(void)
{
    return (both){open_sandbox(), open_process(CLOCHE_FRESHNESS_PROCESS), open_process(CLOCHE_FRESHNESS_JAIL)};
}

static void close_both(both *b)
{
    cloche_sandbox_destroy(b->worker);
    cloche_sandbox_destroy(b->process);
    cloche_sandbox_destroy(b->jail);
}

/* Without what follows "after " up to " ms". */
static char *without_times(cloche_text text)
{
    char *copy = text_of("%s", shown(text)), *to = copy;

    for (const char *at = copy; *at != '\0';) {
        if (strncmp(at, "after ", 6) == 0) {
            memmove(to, at, 6);
            to += 6;
            at += 6;
            while (isdigit((unsigned char)*at) || *at == '.')
                at++;
        } else {
            *to++ = *at++;
        }
    }
    *to = '\0';
    return copy;
}

static void same_text(const char *code, const char *field, cloche_text worker, cloche_text process)
{
    ck_assert_msg((worker.data == NULL) == (process.data == NULL), "%.200s: %s: worker %.300s, process %.300s", code,
                  field, shown(worker), shown(process));
    ck_assert_msg(worker.data == NULL || worker.length == process.length,
                  "%.200s: %s: %zu bytes and %zu: %.300s | %.300s", code, field, worker.length, process.length,
                  worker.data, process.data);
    ck_assert_msg(worker.data == NULL || memcmp(worker.data, process.data, worker.length) == 0,
                  "%.200s: %s: worker %.300s, process %.300s", code, field, worker.data, process.data);
}

#define same_number(code, field)                                                                         \
    ck_assert_msg(w->field == p->field, "%.200s: " #field ": worker %lld, process %lld (%s | %s)", code, \
                  (long long)w->field, (long long)p->field, shown(w->error), shown(p->error))

static void same_result(const char *code, const cloche_result *w, const cloche_result *p)
{
    char *worker_error = without_times(w->error), *process_error = without_times(p->error);

    same_number(code, ok);
    same_number(code, code);
    same_number(code, exit_code);
    same_number(code, started);
    same_number(code, has_detail);
    if (p->code != CLOCHE_CODE_TIMEOUT ||
        p->duration_ms < SLOW_MS + GRACE_MS - 1) /* else the host has ended it, unheard */
        same_number(code, usage.pending);
    same_number(code, out_truncated);
    same_number(code, err_truncated);
    same_text(code, "value", w->value, p->value);
    same_text(code, "out", w->out, p->out);
    same_text(code, "err", w->err, p->err);
    ck_assert_msg(strcmp(worker_error, process_error) == 0, "%.200s: error: worker %s, process %s", code, worker_error,
                  process_error);
    if (w->has_detail) {
        same_text(code, "detail.name", w->detail.name, p->detail.name);
        same_text(code, "detail.message", w->detail.message, p->detail.message);
        same_text(code, "detail.stack", w->detail.stack, p->detail.stack);
        same_text(code, "detail.cause", w->detail.cause, p->detail.cause);
        same_text(code, "detail.errors", w->detail.errors, p->detail.errors);
        same_number(code, detail.line);
        same_number(code, detail.column);
    }
    free(worker_error);
    free(process_error);
}

static void expect_same(both *b, cloche_request request)
{
    cloche_result *worker = run(b->worker, request);
    cloche_result *process = run(b->process, request);
    cloche_result *jail = run(b->jail, request);

    same_result(request.code, worker, process);
    same_result(request.code, worker, jail);
    cloche_result_destroy(worker);
    cloche_result_destroy(process);
    cloche_result_destroy(jail);
}

START_TEST(runs_of_every_kind_give_the_same)
{
    static const char *const codes[] = {
        /* values */
        "",
        "return 1",
        "return undefined",
        "return null",
        "return -0",
        "return NaN",
        "return 'ä€😀\\0\\ud800'",
        "return {a: [1, {b: null}], d: new Date(0), toString() {}}",
        "return [1.5e300, 2 ** 53, 0.1 + 0.2]",
        "return new Map([[1, 2]])",
        "return await Promise.all([1, 2, 3].map(async n => n * 2))",
        "return {toJSON() { return 'own' }}",
        "return new Array(2000).fill({x: 'y'.repeat(100)})",
        /* values that do not cross */
        "return 10n",
        "const a = {}; a.a = a; return a",
        "return {items: [1, Promise.resolve(2)]}",
        "return Symbol('s')",
        "return () => 1",
        /* output */
        "console.log('one', {a: 1}); console.error('two'); return 3",
        "process.stdout.write('no line feed'); process.stderr.write('\\0\\x1b[31m')",
        "for (let i = 0; i < 5000; i++) console[i & 1 ? 'log' : 'error']('line %d', i)",
        "console.log('x'.repeat(100000)); console.log('ä'.repeat(100000))",
        /* output over the limit */
        "for (let i = 0; i < 3000; i++) console.log('x'.repeat(1000))",
        "console.error('é'.repeat(1 << 20))",
        "console.log('x'.repeat(3 << 20)); console.log('y')",
        "console.log('x'.repeat((1 << 20) - 3)); console.log('€€'); console.log('z')",
        /* errors */
        "throw new TypeError('x is wrong')",
        "\n\n  null.x",
        "const f = () => { throw new Error('deep') };\nconst g = () => f();\ng()",
        "throw 'text'",
        "throw {a: 1}",
        "throw undefined",
        "throw new Error('outer', {cause: new RangeError('inner')})",
        "throw new AggregateError([new Error('a'), 5], 'both')",
        "await Promise.reject(new Error('rejected'))",
        "Promise.reject(new Error('unhandled')); await new Promise(r => setTimeout(r, 5))",
        "setTimeout(() => { throw new Error('in a timer') }, 1); await new Promise(() => {})",
        "await new Promise(() => {})",
        "throw new Error('m'.repeat(20000))",
        "const f = () => 1 + f(); f()",
        "throw Object.defineProperty(new Error('x'), 'message', {get() { throw 1 }})",
        /* sources that do not parse */
        "return 1 +",
        "let x = 1; let x = 2",
        "\n  )",
        "return '",
        "import fs from 'fs'; export default fs",
        "\xff\xfe",
        /* modules */
        "export default 40 + 2",
        "export const a = 1, b = 2",
        "export default function (context) { return Object.keys(context) }",
        /* ends of the guest's own */
        "process.exit(3)",
        "process.exit(0)",
        "console.log('before'); process.exit(300)",
        /* timers */
        "setTimeout(() => {}, 1e6); setTimeout(() => {}, 1e6); return 1",
        "const a = []; for (const ms of [9, 3, 6]) setTimeout(() => a.push(ms), ms); await new Promise(r => "
        "setTimeout(r, 15)); return a",
        /* what there is */
        "return Object.getOwnPropertyNames(globalThis).sort()",
        "return [typeof require, typeof fetch, typeof WebAssembly]",
        "return Object.keys(process.env)",
        "return require('fs')",
        "return require('node:path').join('a', '..', 'b')",
        "return [leftover, 1]",
        PROBE_CODE,
    };
    both b = open_both();

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        expect_same(&b, ask(codes[i]));
    close_both(&b);
}
END_TEST

START_TEST(requests_of_every_kind_give_the_same)
{
    both b = open_both();
    cloche_request request;

    expect_same(&b, with_context(ask("return [a, context, typeof __proto__]"),
                                 "{\"a\": 1.50, \"__proto__\": {\"x\": 1}, \"undefined\": 3, \"JSON\": \"\\ud800\"}"));
    expect_same(&b, with_context(ask("return 1"), "{\"a\": "));
    expect_same(&b, with_context(ask("return 1"), "[1]"));
    expect_same(&b, ask_kind("1; 2; 'three'", CLOCHE_KIND_SCRIPT));
    expect_same(&b, ask_kind("({a}) => a * 2", CLOCHE_KIND_FUNCTION));
    expect_same(&b, ask_kind("return 1", CLOCHE_KIND_MODULE));
    request = ask("throw new Error(import.meta.url)");
    request.filename = "rule.mjs";
    expect_same(&b, request);
    request = ask("setTimeout(() => console.log('late'), 20); return 1");
    request.drain = true;
    expect_same(&b, request);
    request = ask("await new Promise(r => setTimeout(r, 1e6)); return [Math.random(), Date.now(), performance.now(), "
                  "crypto.randomUUID()]");
    request.deterministic = true;
    request.seed = 42;
    request.now_ms = 1e12;
    expect_same(&b, request);
    request = ask("for (let i = 0; i < 100; i++) { console.log('out'); console.error('err') }");
    request.limits.max_stdout_bytes = 10;
    request.limits.max_stderr_bytes = 1;
    expect_same(&b, request);
    request = ask("return 'x'.repeat(100)");
    request.limits.max_result_bytes = 101;
    expect_same(&b, request);
    request.limits.max_result_bytes = 102;
    expect_same(&b, request);
    request = ask("for (let i = 0; i < 5; i++) setTimeout(() => {}, 1)");
    request.limits.max_timers = 3;
    expect_same(&b, request);
    request = ask("return 1");
    request.limits.max_source_bytes = 5;
    expect_same(&b, request);
    request.limits.timeout_ms = 4000000;
    expect_same(&b, request);
    close_both(&b);
}
END_TEST

START_TEST(typescript_gives_the_same)
{
    static const char *const sources[] = {
        "let a: number = 1; return a",
        "enum A { B = 2 } return [A.B, A[2]]",
        "export default 1 as number",
        "enum A { B }\nconst f = (x: any) => x.y.z;\nf({})",
        "interface A { b: any }\nlet a: A = {b: 1};\nthrow new TypeError('x')",
        "let a: number = ;",
        "@d class A { }",
        "let a: string = '\xed\xa0\x80'; return a.length",
        "let a: number = 1 }; function g() {",
        "```ts\nreturn 1\n```",
    };
    both b = open_both();

    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        for (int language = CLOCHE_LANGUAGE_AUTO; language <= CLOCHE_LANGUAGE_TS; language++) {
            cloche_request request = ask(sources[i]);
            request.language = (cloche_language)language;
            expect_same(&b, request);
        }
    close_both(&b);
}
END_TEST

START_TEST(limits_that_are_hit_give_the_same)
{
    static const char *const slow[] = {
        "for (;;);",
        "console.log('before'); console.error('b'); for (;;);",
        "for (;;) { try { for (;;); } finally { continue } }",
        "await new Promise(r => setTimeout(r, 1e6))",
        "/^(a+)+$/.test('a'.repeat(40) + 'b')",
        "return {toJSON() { for (;;); }}",
        "const f = () => Promise.resolve().then(f); f(); await new Promise(() => {})",
    };
    static const char *const large[] = {
        "const a = []; for (;;) a.push(new Uint8Array(1 << 20))",
        "console.log('before'); 'x'.repeat(5e8).split('')",
        "const a = []; for (;;) a.push({})",
        "return {get a() { const a = []; for (;;) a.push({a: 1}) }}",
        "return new Uint8Array(64 << 20).length",
    };
    both b = open_both();

    for (size_t i = 0; i < sizeof slow / sizeof slow[0]; i++)
        expect_same(&b, ask_for(slow[i], SLOW_MS));
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        cloche_request request = ask_for(large[i], 60000);
        request.limits.memory_limit_mb = 16;
        expect_same(&b, request);
    }
    cloche_request request = ask_for("console.log('before'); for (;;);", 20000);
    for (uint32_t ms = 11; ms < 60; ms += 6) { /* clocks of other processes go by the tick */
        request.limits.cpu_time_ms = ms;
        expect_same(&b, request);
    }
    request = ask("await new Promise(r => setTimeout(r, 150)); return 'slept'");
    request.limits.cpu_time_ms = 100;
    expect_same(&b, request);
    close_both(&b);
}
END_TEST

START_TEST(the_largest_context_and_result_are_the_same)
{
    enum { BYTES = 16 << 20 };
    char *context = malloc(BYTES + 1);
    both b = open_both();

    memset(context, 'x', BYTES);
    memcpy(context, "{\"k\":\"", 6);
    strcpy(context + BYTES - 2, "\"}");
    ck_assert_uint_eq(strlen(context), BYTES);
    expect_same(&b, with_context(ask("return k.length"), context));
    expect_same(&b, with_context(ask("return k + 'yyyyyy'"), context)); /* 16 MiB with its quotes */
    expect_same(&b, with_context(ask("return k + 'yyyyyyy'"), context));
    free(context);
    close_both(&b);
}
END_TEST

START_TEST(checking_gives_the_same)
{
    static const char *const codes[] = {"return 1", "return 1 +", "export default 1", "\n\n  )"};
    both b = open_both();

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        cloche_request request = ask(codes[i]);
        cloche_result *worker = NULL, *process = NULL;
        ck_assert_int_eq(cloche_sandbox_check(b.worker, &request, &worker, NULL), CLOCHE_OK);
        ck_assert_int_eq(cloche_sandbox_check(b.process, &request, &process, NULL), CLOCHE_OK);
        same_result(codes[i], worker, process);
        cloche_result_destroy(worker);
        cloche_result_destroy(process);
    }
    close_both(&b);
}
END_TEST

TEST_MAIN("process/same", runs_of_every_kind_give_the_same, requests_of_every_kind_give_the_same,
          limits_that_are_hit_give_the_same, typescript_gives_the_same, the_largest_context_and_result_are_the_same, checking_gives_the_same)
