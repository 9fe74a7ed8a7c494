/* What comes back: values, errors with the user's own positions, output. */
#include "api.h"

/* ---- values ---- */

static const struct {
    const char *code, *value; /* NULL: absent */
} values[] = {
    {"return 42", "42"},
    {"return -0", "0"},
    {"return 1.5e300", "1.5e+300"},
    {"return NaN", "null"},
    {"return Infinity", "null"},
    {"return 'h\xc3\xa9llo \xf0\x9f\x98\x80'", "\"h\xc3\xa9llo \xf0\x9f\x98\x80\""},
    {"return true", "true"},
    {"return null", "null"},
    {"return undefined", NULL},
    {"return", NULL},
    {"return () => 1", NULL},
    {"return Symbol('x')", NULL},
    {"return [undefined, () => 1, Symbol('x')]", "[null,null,null]"},
    {"return {a: undefined, b: () => 1, c: 1}", "{\"c\":1}"},
    {"return new Date(0)", "\"1970-01-01T00:00:00.000Z\""},
    {"return {toJSON() { return 'json' }}", "\"json\""},
    {"return {get a() { return 1 }}", "{\"a\":1}"},
    {"return new Map([[1, 2]])", "{}"},
    {"return new Uint8Array([1, 2])", "{\"0\":1,\"1\":2}"},
    {"return Promise.resolve(7)", "7"},
    {"return {then(f) { f(8) }}", "8"},
    {"return Promise.resolve(Promise.resolve({then(f) { f([9]) }}))", "[9]"},
    {"return new Promise(r => setTimeout(() => r('late'), 2))", "\"late\""},
    {"return [new Number(1), new String('s'), new Boolean(false)]", "[1,\"s\",false]"},
    {"return {'__proto__': 1, ['__proto__']: 2}", "{\"__proto__\":2}"},
    {"return Object.create({inherited: 1}, {own: {value: 2, enumerable: true}, hidden: {value: 3}})", "{\"own\":2}"},
    {"return new Proxy([1, 2], {})", "[1,2]"},
    {"return new Array(3)", "[null,null,null]"},
    {"return {1: 'b', 0: 'a', c: 'c'}", "{\"0\":\"a\",\"1\":\"b\",\"c\":\"c\"}"},
    {"return JSON.parse('{\"a\":[1,2,{\"b\":null}]}')", "{\"a\":[1,2,{\"b\":null}]}"},
    {"return await (async () => { await null; return 'awaited' })()", "\"awaited\""},
    {"return this === undefined || this === globalThis", "true"},
    {"return (function () { return this === globalThis })()", "true"}, /* sloppy */
    {"'use strict'; return (function () { return this === undefined })()", "true"},
    {"return typeof arguments", "\"object\""},
    {"const a = [1]; const b = {a, c: a}; return b", "{\"a\":[1],\"c\":[1]}"}, /* shared is no cycle */
    {"return 1 // the end", "1"},
    {"#!/usr/bin/env cloche\nreturn 2", "2"},
    {"return eval('1 + 1')", "2"},
    {"return new Function('a', 'return a * 2')(4)", "8"},
};

START_TEST(values_come_back_as_json_writes_them)
{
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        cloche_result *result = run(sandbox, ask(values[i].code));
        const char *value = result->value.data;
        ck_assert_msg(result->ok && (values[i].value == NULL ? value == NULL : value != NULL && strcmp(value, values[i].value) == 0),
                      "%s: value %s, error %s", values[i].code, shown(result->value), shown(result->error));
        ck_assert_int_eq(result->exit_code, 0);
        ck_assert(result->started);
        ck_assert(!result->has_detail);
        ck_assert_uint_eq(result->isolation, CLOCHE_LAYER_SFI);
        ck_assert_double_ge(result->duration_ms, 0);
        ck_assert_double_ge(result->queue_ms, 0);
        cloche_result_destroy(result);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(values_that_json_cannot_hold_are_errors_that_name_the_path)
{
    static const struct {
        const char *code, *text;
    } bad[] = {
        {"return 10n", "value is a BigInt"},
        {"return {items: [1, {n: 10n}]}", "value.items[1].n is a BigInt"},
        {"return {items: [0, 1, 2, Promise.resolve()]}", "value.items[3] is a Promise; await it or use Promise.all"},
        {"const a = {b: {}}; a.b.c = a; return a", "value.b.c is a cycle"},
        {"return {get a() { throw new TypeError('getter') }}", "getter"},
        {"return {toJSON() { throw new RangeError('tojson') }}", "tojson"},
    };
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cloche_result *result = run(sandbox, ask(text_of("console.log('out'); %s", bad[i].code)));
        assert_code(result, CLOCHE_CODE_EXECUTION_ERROR);
        assert_contains(result->error, bad[i].text);
        assert_text(result->out, "out\n");
        ck_assert_int_eq(result->exit_code, 1);
        cloche_result_destroy(result);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- positions ---- */

/* `null.x` stands at this place. */
static const struct {
    const char *code;
    uint32_t line, column;
    cloche_kind kind;
} places[] = {
    {"null.x", 1, 1, CLOCHE_KIND_AUTO},
    {"null.x", 1, 1, CLOCHE_KIND_BODY},
    {"null.x", 1, 1, CLOCHE_KIND_SCRIPT},
    {"null.x; export default 1", 1, 1, CLOCHE_KIND_AUTO},
    {"null.x; export default 1", 1, 1, CLOCHE_KIND_MODULE},
    {"\t\tnull.x", 1, 3, CLOCHE_KIND_AUTO},
    {"    null.x", 1, 5, CLOCHE_KIND_AUTO},
    {"\n\n  null.x", 3, 3, CLOCHE_KIND_AUTO},
    {"1;\r\n2;\r\n null.x", 3, 2, CLOCHE_KIND_AUTO},
    {"1;\n2;\n null.x", 3, 2, CLOCHE_KIND_MODULE},
    {"1;\n2;\n null.x", 3, 2, CLOCHE_KIND_SCRIPT},
    {"/* a\n b */ null.x", 2, 7, CLOCHE_KIND_AUTO},
    {"`a\nb`; null.x", 2, 5, CLOCHE_KIND_AUTO},
    {"#!/usr/bin/env cloche\nnull.x", 2, 1, CLOCHE_KIND_AUTO},
    {"#!/usr/bin/env cloche\nnull.x; export default 1", 2, 1, CLOCHE_KIND_AUTO},
    {"#!/usr/bin/env cloche\nnull.x", 2, 1, CLOCHE_KIND_SCRIPT},
    {"context => { null.x }", 1, 14, CLOCHE_KIND_FUNCTION},
    {"() => {\n  null.x }", 2, 3, CLOCHE_KIND_FUNCTION},
    {"async function f() {\n  await 1;\n  null.x }\nawait f()", 3, 3, CLOCHE_KIND_AUTO},
    {"setTimeout(() => {\n  null.x }, 1);\nawait new Promise(r => setTimeout(r, 1000))", 2, 3, CLOCHE_KIND_AUTO},
    {"'use strict';\nnull.x", 2, 1, CLOCHE_KIND_AUTO},
    {"return [1].map(() => {\n  null.x })", 2, 3, CLOCHE_KIND_AUTO},
    {"return {get a() {\n  null.x }}", 2, 3, CLOCHE_KIND_AUTO},
};

static void expect_place(cloche_sandbox *sandbox, const char *code, cloche_kind kind, uint32_t line, uint32_t column)
{
    cloche_result *result = run(sandbox, ask_kind(code, kind));

    ck_assert_msg(!result->ok && result->has_detail, "%s: %s", code, shown(result->value));
    ck_assert_msg(result->detail.line == line && result->detail.column == column, "'%s' (%s): %u:%u, expected %u:%u\n%s", code,
                  cloche_kind_name(kind), result->detail.line, result->detail.column, line, column, shown(result->error));
    assert_contains(result->error, text_of("main.js:%u:%u", line, column));
    assert_contains(result->detail.stack, text_of("main.js:%u:%u", line, column));
    cloche_result_destroy(result);
}

START_TEST(positions_of_errors_are_the_users)
{
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        expect_place(sandbox, places[i].code, places[i].kind, places[i].line, places[i].column);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(positions_of_syntax_errors_are_the_users)
{
    cloche_sandbox *sandbox = open_sandbox();
    static const cloche_kind kinds[] = {CLOCHE_KIND_AUTO, CLOCHE_KIND_BODY, CLOCHE_KIND_MODULE, CLOCHE_KIND_SCRIPT};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        expect_place(sandbox, "let x = ;", kinds[i], 1, 9);
        expect_place(sandbox, "1;\r\n\tlet x = ;", kinds[i], 2, 10);
        expect_place(sandbox, "#!x\nlet x = ;", kinds[i], 2, 9);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(columns_count_as_editors_do_behind_other_alphabets)
{
    cloche_sandbox *sandbox = open_sandbox();

    /* UTF-16 units, as cl_utf8_place has them for a source that is no UTF-8. */
    expect_place(sandbox, "'\xc3\xa9\xc3\xa9'; null.x", CLOCHE_KIND_AUTO, 1, 7);
    expect_place(sandbox, "'\xf0\x9f\x98\x80'; null.x", CLOCHE_KIND_AUTO, 1, 7);
    expect_place(sandbox, "let \xc3\xa9 = ;", CLOCHE_KIND_AUTO, 1, 9);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(all_line_ends_of_the_language_count)
{
    cloche_sandbox *sandbox = open_sandbox();

    expect_place(sandbox, "1;\r2;\r null.x", CLOCHE_KIND_AUTO, 3, 2);
    expect_place(sandbox, "1;\xe2\x80\xa8" "2;\xe2\x80\xa9 null.x", CLOCHE_KIND_AUTO, 3, 2);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* What the source is wrapped in is not the user's: neither its line nor its brace. */
START_TEST(an_unfinished_source_is_blamed_where_it_ends)
{
    static const char *const codes[] = {"return 1 +", "return (1", "if (1) {", "const a = [1,", "foo(", "`a${", "x ="};
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        cloche_result *result = run(sandbox, ask(codes[i]));
        assert_code(result, CLOCHE_CODE_INVALID_CODE);
        ck_assert_msg(result->detail.line == 1, "'%s' is blamed in line %u: %s", codes[i], result->detail.line, result->error.data);
        ck_assert_uint_le(result->detail.column, strlen(codes[i]) + 1);
        cloche_result_destroy(result);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(stacks_show_frames_of_the_users_source_only)
{
    static const char *const codes[] = {
        "require('nope')",
        "require('fs')",
        "setTimeout(() => { null.x }, 1); await new Promise(r => setTimeout(r, 100))",
        "process.nextTick(() => { null.x }); await new Promise(r => setTimeout(r, 100))",
        "queueMicrotask(() => { null.x }); await new Promise(r => setTimeout(r, 100))",
        "return 10n",
        "return {a: Promise.resolve()}",
        "new (require('events'))().emit('error', new Error('x'))",
        "require('assert').strictEqual(1, 2)",
        "console.log({get [Symbol.toStringTag]() { throw new Error('x') }}); null.x",
        "structuredClone(() => 1)",
    };
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        cloche_result *result = run(sandbox, ask(codes[i]));
        assert_code(result, CLOCHE_CODE_EXECUTION_ERROR);
        ck_assert_msg(strstr(result->error.data, "<null>") == NULL && strstr(result->error.data, "(native)") == NULL, "%s: %s", codes[i],
                      result->error.data);
        cloche_result_destroy(result);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- errors ---- */

START_TEST(an_error_comes_with_name_message_and_stack)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_result *result = run(sandbox, ask("function inner() { throw new TypeError('the message') }\nfunction outer() { inner() }\nouter()"));

    assert_code(result, CLOCHE_CODE_EXECUTION_ERROR);
    ck_assert_int_eq(result->exit_code, 1);
    assert_text(result->detail.name, "TypeError");
    assert_text(result->detail.message, "the message");
    ck_assert_int_eq(strncmp(result->error.data, "TypeError: the message\n", strlen("TypeError: the message\n")), 0);
    assert_contains(result->detail.stack, "inner (main.js:1:");
    assert_contains(result->detail.stack, "outer (main.js:2:");
    ck_assert_uint_eq(result->detail.line, 1);
    ck_assert_ptr_null(result->detail.cause.data);
    ck_assert_ptr_null(result->detail.errors.data);
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        count++;
    return count;
}

START_TEST(a_chain_of_causes_is_told_eight_deep)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_result *result = run(sandbox, ask("let e = new Error('c0'); for (let i = 1; i <= 20; i++) e = new RangeError('c' + i, {cause: e}); throw e"));

    assert_text(result->detail.message, "c20");
    ck_assert_uint_eq(count_of(result->detail.cause.data, "\"message\":\"c"), 8);
    assert_contains(result->detail.cause, "\"message\":\"c12\"");
    ck_assert_ptr_null(strstr(result->detail.cause.data, "\"c11\""));
    cloche_result_destroy(result);
    result = run(sandbox, ask("throw new Error('x', {cause: {code: 7, list: [1]}})"));
    assert_text(result->detail.cause, "{\"code\":7,\"list\":[1]}");
    cloche_result_destroy(result);
    result = run(sandbox, ask("throw new Error('x', {cause: 'text'})"));
    assert_text(result->detail.cause, "\"text\"");
    cloche_result_destroy(result);
    result = run(sandbox, ask("const e = new Error('x'); e.cause = e; throw e")); /* its own cause */
    assert_code(result, CLOCHE_CODE_EXECUTION_ERROR);
    ck_assert_uint_le(count_of(result->detail.cause.data, "\"message\""), 8);
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(an_aggregate_error_tells_its_errors_sixteen_at_most)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_result *result = run(sandbox, ask("await Promise.any([Promise.reject(new TypeError('a')), Promise.reject('b'), Promise.reject(null)])"));

    assert_text(result->detail.name, "AggregateError");
    assert_contains(result->detail.errors, "\"name\":\"TypeError\",\"message\":\"a\"");
    assert_contains(result->detail.errors, "b");
    cloche_result_destroy(result);
    result = run(sandbox, ask("throw new AggregateError(Array.from({length: 40}, (_, i) => new Error('e' + i)), 'many')"));
    assert_text(result->detail.message, "many");
    ck_assert_uint_eq(count_of(result->detail.errors.data, "\"message\":\"e"), 16);
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(whatever_is_thrown_is_told)
{
    static const struct {
        const char *code, *message; /* a part of it; NULL: any, or none */
    } thrown[] = {
        {"throw 'text'", "text"},        {"throw ''", ""},
        {"throw 42", "42"},              {"throw null", "null"},
        {"throw undefined", "undefined"}, {"throw false", "false"},
        {"throw 12n", "12"},             {"throw {code: 1}", "code"},
        {"throw [1, 2]", "1"},       {"throw {name: 'N', message: 'M'}", "M"},
        {"throw new Proxy({}, {})", "{}"},
        {"return Promise.reject('rejected')", "rejected"},
        {"throw Object.create(null)", "[Object: null prototype] {}"},
        {"const e = new Error('x'); e.message = 5; throw e", NULL},
        {"throw new Proxy({}, {get() { throw 1 }, ownKeys() { throw 2 }, getPrototypeOf() { throw 3 }})", NULL},
        {"const o = {}; o.o = o; throw o", NULL},
        {"throw Object.freeze(new Error('frozen'))", "frozen"},
        {"throw new (class extends Error { get name() { throw 1 } get message() { throw 2 } get stack() { throw 3 } })", NULL},
        {"throw globalThis", NULL},
        {"throw Promise.resolve(1)", NULL},
        {"throw new Map([[1, 2]])", NULL},
    };
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof thrown / sizeof thrown[0]; i++) {
        cloche_result *result = run(sandbox, ask(thrown[i].code));
        assert_code(result, CLOCHE_CODE_EXECUTION_ERROR);
        ck_assert_msg(result->has_detail, "%s: no detail", thrown[i].code);
        if (thrown[i].message != NULL)
            ck_assert_msg(result->detail.message.data != NULL && strstr(result->detail.message.data, thrown[i].message) != NULL, "%s: message '%s'",
                          thrown[i].code, shown(result->detail.message));
        cloche_result_destroy(result);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_thrown_symbol_or_function_is_told_as_what_it_is)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_result *result = run(sandbox, ask("throw Symbol('s')"));

    assert_contains(result->error, "Symbol(s)");
    cloche_result_destroy(result);
    result = run(sandbox, ask("throw function named() {}"));
    assert_contains(result->error, "named");
    cloche_result_destroy(result);
    result = run(sandbox, ask("throw () => 1"));
    assert_contains(result->error, "Function");
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(an_error_of_a_module_is_told_wherever_it_comes_from)
{
    static const char *const codes[] = {
        "export default 1; throw new TypeError('told')",
        "await null; throw new TypeError('told'); export default 1",
        "export default await Promise.reject(new TypeError('told'))",
        "export default Promise.reject(new TypeError('told'))",
        "export default (async () => { throw new TypeError('told') })()",
        "export default {then(_, reject) { reject(new TypeError('told')) }}",
        "export default async () => { throw new TypeError('told') }",
        "export default async () => { await null; throw new TypeError('told') }",
        "export default () => { throw new TypeError('told') }",
        "export default function () { throw new TypeError('told') }",
        "export default () => Promise.reject(new TypeError('told'))",
        "export default () => ({get then() { throw new TypeError('told') }})",
    };
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        cloche_result *result = run(sandbox, ask(codes[i]));
        ck_assert_msg(result->code == CLOCHE_CODE_EXECUTION_ERROR && result->has_detail &&
                          strcmp(shown(result->detail.message), "told") == 0 && result->detail.line == 1,
                      "%s: %s %s", codes[i], shown(result->value), shown(result->error));
        cloche_result_destroy(result);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(process_exit_ends_the_run_with_its_code)
{
    static const struct {
        const char *code;
        int exit_code;
    } exits[] = {
        {"process.exit()", 0},  {"process.exit(0)", 0},   {"process.exit(1)", 1},    {"process.exit(255)", 255},
        {"process.exit(256)", 0}, {"process.exit(-1)", 255}, {"process.exit('3')", 3}, {"process.exitCode = 4; process.exit()", 4},
        {"try { process.exit(5) } catch {} finally { process.exit(6) }", 5},
        {"setTimeout(() => process.exit(7), 2); await new Promise(() => {})", 7},
        {"await Promise.resolve().then(() => process.exit(8))", 8},
        {"return {toJSON() { process.exit(9) }}", 9},
    };
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof exits / sizeof exits[0]; i++) {
        cloche_result *result = run(sandbox, ask(text_of("console.log('before'); %s; console.log('after')", exits[i].code)));
        assert_code(result, CLOCHE_CODE_EXECUTION_ERROR);
        ck_assert_msg(result->exit_code == exits[i].exit_code, "%s: %d", exits[i].code, result->exit_code);
        ck_assert_int_eq(strncmp(result->out.data, "before\n", 7), 0);
        cloche_result_destroy(result);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(what_nobody_handles_ends_the_run)
{
    static const struct {
        const char *code, *message;
    } unhandled[] = {
        {"Promise.reject(new Error('first')); await new Promise(r => setTimeout(r, 50)); console.log('after')", "first"},
        {"setTimeout(() => { throw new Error('timer') }, 1); await new Promise(r => setTimeout(r, 50)); console.log('after')", "timer"},
        {"queueMicrotask(() => { throw new Error('microtask') }); await new Promise(r => setTimeout(r, 50)); console.log('after')", "microtask"},
        {"process.nextTick(() => { throw new Error('tick') }); await new Promise(r => setTimeout(r, 50)); console.log('after')", "tick"},
        {"(async () => { await 1; throw new Error('async') })(); await new Promise(r => setTimeout(r, 50)); console.log('after')", "async"},
        {"new Promise((_, j) => j(new Error('executor'))).then(() => {}); await new Promise(r => setTimeout(r, 50)); console.log('after')", "executor"},
    };
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof unhandled / sizeof unhandled[0]; i++) {
        cloche_result *result = run(sandbox, ask(unhandled[i].code));
        assert_code(result, CLOCHE_CODE_EXECUTION_ERROR);
        assert_text(result->detail.message, unhandled[i].message);
        ck_assert_ptr_null(strstr(shown(result->out), "after"));
        cloche_result_destroy(result);
    }
    expect_value(sandbox, "const p = Promise.reject(1); p.catch(() => {}); await new Promise(r => setTimeout(r, 5)); return 'handled'", "\"handled\"");
    expect_value(sandbox, "const p = Promise.reject(1); await null; try { await p } catch { return 'handled' }", "\"handled\"");
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_value_that_nothing_can_settle_is_reported_at_once)
{
    static const char *const codes[] = {
        "await new Promise(() => {})",
        "return new Promise(() => {})",
        "return {then() {}}",
        "await Promise.all([1, new Promise(() => {})])",
        "const t = setTimeout(() => {}, 1e6); clearTimeout(t); await new Promise(() => {})",
        "for await (const x of {[Symbol.asyncIterator]() { return {next: () => new Promise(() => {})} }});",
        "export default new Promise(() => {})",
        "await new Promise(() => {}); export default 1",
    };
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        double start = now_ms();
        cloche_result *result = run(sandbox, ask_for(codes[i], 60000));
        assert_code(result, CLOCHE_CODE_EXECUTION_ERROR);
        ck_assert_msg(now_ms() - start < 1000, "%s: after %.0f ms", codes[i], now_ms() - start);
        assert_contains(result->error, "settle");
        cloche_result_destroy(result);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- output ---- */

START_TEST(output_over_its_limit_is_cut_at_a_character_and_counted)
{
    cloche_sandbox *sandbox = open_sandbox();

    for (uint32_t most = 1; most <= 40; most++) {
        cloche_request request = ask("process.stdout.write('ab\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80'.repeat(5)); process.stdout.write('xyz');"
                                     " console.error('\xf0\x9f\x98\x80'.repeat(10)); return 1");
        const uint64_t whole = 5 * 11 + 3, whole_err = 41;
        request.limits.max_stdout_bytes = most;
        request.limits.max_stderr_bytes = most;
        cloche_result *result = run(sandbox, request);
        assert_value(result, "1");
        ck_assert_uint_eq(result->out.length + result->out_truncated, whole);
        ck_assert_uint_eq(result->err.length + result->err_truncated, whole_err);
        ck_assert_uint_le(result->out.length, most);
        ck_assert_uint_gt(result->out.length + 4, most);
        ck_assert_uint_eq(result->err.length, most / 4 * 4);
        /* Whole characters: a run that returns the text again would not be UTF-8 otherwise. */
        cloche_result *checked = run(sandbox, ask(text_of("return '%s'", shown(result->out))));
        ck_assert_msg(checked->ok, "%u: %s", most, shown(checked->error));
        cloche_result_destroy(checked);
        cloche_result_destroy(result);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

typedef struct heard {
    size_t bytes[3];
    char text[64];
    size_t used;
    bool is_odd;
} heard;

static void hear(void *user, int fd, const char *data, size_t length)
{
    heard *h = user;

    h->is_odd |= fd != 1 && fd != 2;
    h->bytes[fd == 2 ? 2 : 1] += length;
    for (size_t i = 0; i < length && h->used < sizeof h->text - 1; i++)
        h->text[h->used++] = data[i];
}

START_TEST(the_callback_hears_everything_in_order_whatever_is_kept)
{
    cloche_sandbox *sandbox = open_sandbox();
    heard h = {0};
    cloche_request request = ask("console.log('one'); console.error('two'); console.log('three'); for (let i = 0; i < 1000; i++) console.log('x'.repeat(999));"
                                 " console.error('y'.repeat(100000)); return 1");

    request.limits.max_stdout_bytes = 10;
    request.limits.max_stderr_bytes = 10;
    request.on_output = hear;
    request.on_output_user = &h;
    cloche_result *result = run(sandbox, request);
    assert_value(result, "1");
    ck_assert(!h.is_odd);
    ck_assert_uint_eq(h.bytes[1], 4 + 6 + 1000 * 1000);
    ck_assert_uint_eq(h.bytes[2], 4 + 100001);
    ck_assert_int_eq(strncmp(h.text, "one\ntwo\nthree\nxxx", 17), 0);
    assert_text(result->out, "one\nthree\n");
    ck_assert_uint_eq(result->out_truncated, 1000 * 1000);
    ck_assert_uint_eq(result->err.length, 10);
    ck_assert_uint_eq(result->err_truncated, 4 + 100001 - 10);
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(console_writes_where_it_says)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_result *result = run(sandbox, ask("console.log('log'); console.info('info'); console.debug('debug'); console.warn('warn'); console.error('error');"
                                             " console.log('%s %d %j', 'a', 4.5, {b: 1}); process.stderr.write('raw')"));

    assert_text(result->out, "log\ninfo\ndebug\na 4.5 {\"b\":1}\n");
    assert_text(result->err, "warn\nerror\nraw");
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- check ---- */

START_TEST(check_parses_and_runs_nothing)
{
    cloche_sandbox *sandbox = open_sandbox();
    static const char *const right[] = {"", "return 1", "console.log('ran'); for (;;);", "export default 1", "import x from 'node:util'; export default x",
                                        "await 1", "throw 1", "process.exit(3)", "#!x\nreturn 1"};
    static const char *const wrong[] = {"return 1 +", "let x = ;", "a b", "}", "export default 1; return 2", "let a; let a", "});({"};
    heard h = {0};

    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        cloche_request request = ask(right[i]);
        cloche_result *result = NULL;
        request.on_output = hear;
        request.on_output_user = &h;
        ck_assert_int_eq(cloche_sandbox_check(sandbox, &request, &result, NULL), CLOCHE_OK);
        ck_assert_msg(result->ok, "%s: %s", right[i], shown(result->error));
        ck_assert(!result->started);
        ck_assert_ptr_null(result->value.data);
        cloche_result_destroy(result);
    }
    ck_assert_uint_eq(h.used, 0);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cloche_request request = ask(wrong[i]);
        cloche_result *result = NULL;
        ck_assert_int_eq(cloche_sandbox_check(sandbox, &request, &result, NULL), CLOCHE_OK);
        ck_assert_msg(result->code == CLOCHE_CODE_INVALID_CODE, "%s: %s", wrong[i], cloche_code_name(result->code));
        ck_assert_msg(result->has_detail && result->detail.line >= 1 && result->detail.column >= 1, "%s: %s at %u:%u", wrong[i],
                      shown(result->error), result->detail.line, result->detail.column);
        ck_assert(!result->started);
        cloche_result_destroy(result);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* Errors that the engine itself gives no place. */
START_TEST(every_invalid_source_has_a_place)
{
    cloche_sandbox *sandbox = open_sandbox();
    static const char *const codes[] = {"/(/", "1;\nreturn /(?<a>)(?<a>)/", "/x/zz", "}", "});({", "return 1 }); (function () { return 2"};

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        cloche_result *result = run(sandbox, ask(codes[i]));
        assert_code(result, CLOCHE_CODE_INVALID_CODE);
        ck_assert_msg(result->has_detail && result->detail.line >= 1 && result->detail.column >= 1, "%s: %s at %u:%u", codes[i],
                      shown(result->error), result->detail.line, result->detail.column);
        cloche_result_destroy(result);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

TEST_MAIN("api/outcome", values_come_back_as_json_writes_them,
          values_that_json_cannot_hold_are_errors_that_name_the_path, positions_of_errors_are_the_users,
          positions_of_syntax_errors_are_the_users, columns_count_as_editors_do_behind_other_alphabets,
          all_line_ends_of_the_language_count, an_unfinished_source_is_blamed_where_it_ends,
          stacks_show_frames_of_the_users_source_only, an_error_comes_with_name_message_and_stack,
          a_chain_of_causes_is_told_eight_deep, an_aggregate_error_tells_its_errors_sixteen_at_most,
          whatever_is_thrown_is_told, a_thrown_symbol_or_function_is_told_as_what_it_is,
          an_error_of_a_module_is_told_wherever_it_comes_from, process_exit_ends_the_run_with_its_code,
          what_nobody_handles_ends_the_run, a_value_that_nothing_can_settle_is_reported_at_once,
          output_over_its_limit_is_cut_at_a_character_and_counted,
          the_callback_hears_everything_in_order_whatever_is_kept, console_writes_where_it_says,
          check_parses_and_runs_nothing, every_invalid_source_has_a_place)
