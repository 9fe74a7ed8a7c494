/* Bad input, and what it gets: the contract's code, one clear line, and a sandbox that goes on. */
#include <stddef.h>
#include <stdint.h>

#include "api.h"

#define MIB (1u << 20)

/* Ends as `code` with an error text of one line. */
static void expect_refused(cloche_sandbox *sandbox, const char *what, cloche_request request, cloche_code code)
{
    cloche_result *result = run(sandbox, request);

    ck_assert_msg(result->code == code, "%s ended as %s (%.300s, value %.100s), expected %s", what,
                  result->ok ? "ok" : cloche_code_name(result->code), shown(result->error), shown(result->value), cloche_code_name(code));
    ck_assert_msg(result->error.length > 0 && result->error.length < 1000, "%s: the error text has %zu bytes", what, result->error.length);
    ck_assert_msg(code != CLOCHE_CODE_INVALID_OPTIONS || strchr(result->error.data, '\n') == NULL, "%s: %s", what, result->error.data);
    ck_assert_msg(!result->started, "%s: guest code ran", what);
    cloche_result_destroy(result);
    expect_next_run_right(sandbox);
}

static cloche_request ask_bytes(const char *code, size_t length)
{
    cloche_request request = ask_for("", 20000);
    request.code = code;
    request.code_length = length;
    return request;
}

static char *repeated(const char *part, size_t times, const char *before, const char *after)
{
    size_t length = strlen(part);
    char *text = malloc(strlen(before) + length * times + strlen(after) + 1), *at = stpcpy(text, before);

    for (size_t i = 0; i < times; i++)
        at = mempcpy(at, part, length);
    strcpy(at, after);
    return text;
}

/* ---- source ---- */

START_TEST(empty_code_has_the_value_undefined)
{
    cloche_sandbox *sandbox = open_sandbox();
    const cloche_request empty[] = {ask_bytes("", 0), ask_bytes(NULL, 0), ask_bytes("return 1", 0), ask_bytes("  \n\t ", 5), ask_bytes("// x", 4)};

    for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i++) {
        cloche_result *result = run(sandbox, empty[i]);
        ck_assert_msg(result->ok, "%zu: %s", i, shown(result->error));
        ck_assert_ptr_null(result->value.data);
        ck_assert_int_eq(result->exit_code, 0);
        cloche_result_destroy(result);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(code_that_is_null_with_a_length_is_misuse)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_request request = ask_bytes(NULL, 1);
    cloche_result *result = (cloche_result *)1;
    cloche_error err;

    ck_assert_int_eq(cloche_sandbox_run(sandbox, &request, &result, &err), CLOCHE_E_INVAL);
    ck_assert_ptr_null(result);
    ck_assert_int_eq(err.status, CLOCHE_E_INVAL);
    ck_assert_ptr_nonnull(strstr(err.text, "code"));
    request = ask("return 1");
    request.context_length = 5;
    ck_assert_int_eq(cloche_sandbox_run(sandbox, &request, &result, &err), CLOCHE_E_INVAL);
    ck_assert_ptr_null(result);
    ck_assert_int_eq(cloche_sandbox_run(sandbox, &request, &result, NULL), CLOCHE_E_INVAL); /* err may be NULL */
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(source_that_is_not_utf8_is_invalid_code_with_its_place)
{
    static const struct {
        const char *code;
        uint32_t line, column;
    } sources[] = {
        {"\xff", 1, 1},
        {"return '\x80'", 1, 9},
        {"return 1;\nreturn '\xc3", 2, 9},
        {"// \xc0\x80", 1, 4},          /* overlong */
        {"\n\n  '\xe2\x82'", 3, 4},     /* cut */
        {"'\xf5\x80\x80\x80'", 1, 2},   /* beyond Unicode */
        {"'\xf0\x80\x80\x80'", 1, 2},   /* overlong */
        {"'\xf4\x90\x80\x80'", 1, 2},
        {"\xfe\xff", 1, 1},             /* UTF-16's mark */
        {"return '\xe4'", 1, 9},        /* Latin-1 */
    };
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        cloche_result *result = run(sandbox, ask(sources[i].code));
        assert_code(result, CLOCHE_CODE_INVALID_CODE);
        assert_contains(result->error, "UTF-8");
        ck_assert_ptr_null(strchr(result->error.data, '\n'));
        ck_assert(result->has_detail);
        ck_assert_uint_eq(result->detail.line, sources[i].line);
        ck_assert_uint_eq(result->detail.column, sources[i].column);
        ck_assert_int_eq(result->exit_code, 1);
        cloche_result_destroy(result);
    }
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_nul_is_data_in_a_string_and_no_end_of_the_source)
{
    cloche_sandbox *sandbox = open_sandbox();
    static const char in_string[] = "return ['a\0b'.length, `\0`.charCodeAt(0), '\0\0'.length, /\0/.test('\0')]";
    static const char in_comment[] = "// a\0b\nreturn 5 /* \0 */";
    static const char outside[] = "return 1; \0 return 2";
    static const char at_end[] = "return 1\0";

    cloche_result *result = run(sandbox, ask_bytes(in_string, sizeof in_string - 1));
    assert_value(result, "[3,0,2,true]");
    cloche_result_destroy(result);
    result = run(sandbox, ask_bytes(in_comment, sizeof in_comment - 1));
    assert_value(result, "5");
    cloche_result_destroy(result);
    expect_refused(sandbox, "a NUL between statements", ask_bytes(outside, sizeof outside - 1), CLOCHE_CODE_INVALID_CODE);
    expect_refused(sandbox, "a NUL at the end", ask_bytes(at_end, sizeof at_end - 1), CLOCHE_CODE_INVALID_CODE);
    for (cloche_kind kind = CLOCHE_KIND_BODY; kind <= CLOCHE_KIND_SCRIPT; kind++) {
        cloche_request request = ask_bytes("1; \0 2", 6);
        request.kind = kind;
        expect_refused(sandbox, cloche_kind_name(kind), request, CLOCHE_CODE_INVALID_CODE);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_nul_comes_out_in_values_and_output)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_result *result = run(sandbox, ask("console.log('a\\0b'); throw new Error('x\\0y')"));

    ck_assert_uint_eq(result->out.length, 4);
    ck_assert_mem_eq(result->out.data, "a\0b\n", 5);
    ck_assert_uint_eq(result->detail.message.length, 3);
    ck_assert_mem_eq(result->detail.message.data, "x\0y", 4);
    cloche_result_destroy(result);
    expect_value(sandbox, "return 'a\\0b'", "\"a\\u0000b\"");
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(lone_surrogates_pass_in_and_out)
{
    cloche_sandbox *sandbox = open_sandbox();

    expect_value(sandbox, "return ['\xed\xa0\x80'.length, '\xed\xa0\x80'.charCodeAt(0), '\xed\xbf\xbf'.charCodeAt(0)]", "[1,55296,57343]");
    expect_value(sandbox, "return '\xed\xa0\x80'", "\"\\ud800\"");
    cloche_result *result = run(sandbox, with_context(ask("return [s.length, s, context.s.charCodeAt(0)]"), "{\"s\":\"\\ud800\"}"));
    assert_value(result, "[1,\"\\ud800\",55296]");
    cloche_result_destroy(result);
    result = run(sandbox, ask("console.log('\\ud800'); throw new Error('\\udfff')"));
    assert_text(result->out, "\xef\xbf\xbd\n");
    assert_text(result->detail.message, "\xef\xbf\xbd");
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(four_mebibytes_of_source_run)
{
    cloche_sandbox *sandbox = open_sandbox();
    const size_t most = 4 * MIB;
    char *sources[] = {
        repeated(" ", most - 8, "", "return 1"),
        repeated("\n", most - 8, "", "return 1"),
        repeated("//abcdef\n", most / 9 - 2, "", "return 1"),
        repeated("x", most - 20, "/*", "*/return 1"),
        repeated("x", most - 30, "const s = '", "';return 1"),
        repeated("x", most - 30, "const s = `", "`;return 1"),
        repeated("1,", most / 2 - 20, "const a = [", "];return 1"),
        repeated(";", most - 8, "", "return 1"),
    };

    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        ck_assert_uint_le(strlen(sources[i]), most);
        cloche_result *result = run(sandbox, ask_for(sources[i], 60000));
        assert_value(result, "1");
        cloche_result_destroy(result);
        free(sources[i]);
    }
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_source_over_the_limit_is_refused_by_its_size)
{
    cloche_sandbox *sandbox = open_sandbox();
    char *code = repeated(" ", 4 * MIB + 1 - 8, "", "return 1");
    cloche_request request = ask("return 12345678901");
    cloche_result *result = run(sandbox, ask(code));

    assert_code(result, CLOCHE_CODE_INVALID_OPTIONS);
    assert_contains(result->error, "maxSourceBytes is 4194304");
    cloche_result_destroy(result);
    request.limits.max_source_bytes = (uint32_t)request.code_length - 1;
    expect_refused(sandbox, "a source over its own limit", request, CLOCHE_CODE_INVALID_OPTIONS);
    request.limits.max_source_bytes = (uint32_t)request.code_length;
    expect_end(sandbox, request, CLOCHE_CODE_NONE);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_hundred_thousand_nested_brackets_are_invalid_code)
{
    static const char *const parts[] = {"[", "(", "{", "`${", "!", "- ", "typeof ", "a=>", "function f(){", "class A{x=", "if(1)", "x?", "a[", "f(",
                                        "new ", "async()=>", "{a:", "...", "/(", "<", "await ", "void ", "...[", "((", "[[", "x:"};
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char *code = repeated(parts[i], 100000, "return ", "");
        expect_refused(sandbox, parts[i], ask_for(code, 20000), CLOCHE_CODE_INVALID_CODE);
        free(code);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* Closed again, so that only the depth is wrong. */
START_TEST(a_hundred_thousand_nested_brackets_that_close_never_crash)
{
    static const struct {
        const char *open, *middle, *close;
    } nests[] = {{"[", "1", "]"}, {"(", "1", ")"}, {"{", ";", "}"}, {"`${", "1", "}`"}, {"(()=>", "1", ")"}, {"{a:", "1", "}"}, {"- ", "1", ""}, {"!", "1", ""}};
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof nests / sizeof nests[0]; i++) {
        char *opened = repeated(nests[i].open, 100000, "", nests[i].middle), *code = repeated(nests[i].close, 100000, opened, "");
        cloche_result *result = run(sandbox, ask_for(code, 20000));
        ck_assert_msg(result->ok || result->code == CLOCHE_CODE_INVALID_CODE, "%s: %s %s", nests[i].open,
                      cloche_code_name(result->code), shown(result->error));
        cloche_result_destroy(result);
        expect_next_run_right(sandbox);
        free(opened);
        free(code);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- context ---- */

START_TEST(sixteen_mebibytes_of_context_arrive)
{
    cloche_sandbox *sandbox = open_sandbox();
    const size_t most = 16 * MIB;
    char *context = repeated("x", most - 8, "{\"s\":\"", "\"}");
    cloche_request request = with_context(ask("return s.length"), context);

    ck_assert_uint_eq(request.context_length, most);
    cloche_result *result = run(sandbox, request);
    assert_value(result, text_of("%zu", most - 8));
    cloche_result_destroy(result);
    free(context);
    context = repeated("x", most - 7, "{\"s\":\"", "\"}");
    result = run(sandbox, with_context(ask("return s.length"), context));
    assert_code(result, CLOCHE_CODE_INVALID_OPTIONS);
    assert_contains(result->error, "maxContextBytes is 16777216");
    cloche_result_destroy(result);
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_context_that_is_no_json_object_is_refused)
{
    static const char *const contexts[] = {
        "",           "[]",         "[{}]",        "\"x\"",      "1",         "null",         "true",       "   ",        "{",
        "}",          "{]",         "{\"a\"}",     "{\"a\":}",   "{a:1}",     "{'a':1}",      "{\"a\":1,}", "{\"a\":1}}", "{\"a\":1} x",
        "{} {}",      "{\"a\":01}", "{\"a\":.5}",  "{\"a\":1.}", "{\"a\":+1}", "{\"a\":NaN}", "{\"a\":undefined}", "{\"a\":\"\n\"}", "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12\"}", "{\"a\":\"", "{\"a\":[1,2}", "{\"a\":1 \"b\":2}", "// x\n{}", "{/**/}", "{\"a\":\"\xff\"}", "\xef\xbb\xbf{}", "{\"a\":tru}",
        "{1:1}",      "{,}",        "{\"a\":1e}",  "{\"a\":-}",  "\0",
    };
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof contexts / sizeof contexts[0]; i++) {
        expect_refused(sandbox, contexts[i], with_context(ask("return 1"), contexts[i]), CLOCHE_CODE_INVALID_OPTIONS);
    }
    cloche_request request = with_context(ask("return 1"), "{}");
    request.context = "{}\0";
    request.context_length = 3;
    expect_refused(sandbox, "a NUL behind it", request, CLOCHE_CODE_INVALID_OPTIONS);
    request.context = "\0{}";
    expect_refused(sandbox, "a NUL before it", request, CLOCHE_CODE_INVALID_OPTIONS);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(every_cut_of_a_context_is_refused)
{
    static const char whole[] = " {\"a\":[1,-2.5e3,null,true,\"\\u00e9\xc3\xa9\"],\"b\":{\"c\":{}}}";
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t length = 0; length < sizeof whole - 1; length++) {
        cloche_request request = ask("return 1");
        char *cut = malloc(length + 1); /* its end is the memory's, for a checker to see */
        memcpy(cut, whole, length);
        request.context = realloc(cut, length == 0 ? 1 : length);
        request.context_length = length;
        expect_end(sandbox, request, CLOCHE_CODE_INVALID_OPTIONS);
        free((void *)(uintptr_t)request.context);
    }
    cloche_result *result = run(sandbox, with_context(ask("return context"), whole));
    assert_value(result, "{\"a\":[1,-2500,null,true,\"\xc3\xa9\xc3\xa9\"],\"b\":{\"c\":{}}}");
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_context_may_be_a_thousand_deep_and_no_deeper)
{
    cloche_sandbox *sandbox = open_sandbox();
    static const size_t too_deep[] = {1000, 1001, 10000, 100000};

    char *text = repeated("]", 999, repeated("[", 999, "{\"a\":", ""), "}");
    cloche_result *result = run(sandbox, with_context(ask("let n = 1; for (let v = a; v !== undefined; v = v[0]) n++; return n"), text));
    assert_value(result, "1000");
    cloche_result_destroy(result);
    for (size_t i = 0; i < sizeof too_deep / sizeof too_deep[0]; i++) {
        text = repeated("]", too_deep[i], repeated("[", too_deep[i], "{\"a\":", ""), "}");
        result = run(sandbox, with_context(ask("return 1"), text));
        assert_code(result, CLOCHE_CODE_INVALID_OPTIONS);
        assert_contains(result->error, "context.a");
        assert_contains(result->error, "1000");
        ck_assert_uint_lt(result->error.length, 400);
        cloche_result_destroy(result);
    }
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_value_may_be_a_thousand_deep_and_no_deeper)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_result *result = run(sandbox, ask("let a = []; for (let i = 1; i < 1000; i++) a = [a]; return a"));

    ck_assert_msg(result->ok, "%s", shown(result->error));
    ck_assert_uint_eq(result->value.length, 2000);
    cloche_result_destroy(result);
    static const int too_deep[] = {1001, 1100, 5000, 10000};
    for (size_t i = 0; i < sizeof too_deep / sizeof too_deep[0]; i++) {
        result = run(sandbox, ask(text_of("let a = []; for (let i = 1; i < %d; i++) a = [a]; return {items: a}", too_deep[i])));
        assert_code(result, CLOCHE_CODE_EXECUTION_ERROR);
        cloche_result_destroy(result);
    }
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(odd_keys_and_numbers_of_a_context_are_plain_data)
{
    static const struct {
        const char *context, *code, *value;
    } odd[] = {
        {"{\"n\":123456789012345678901234567890}", "return n === 123456789012345678901234567890 && n", "1.2345678901234568e+29"},
        {"{\"n\":9007199254740993}", "return n", "9007199254740992"},
        {"{\"n\":1e400}", "return n === Infinity", "true"},
        {"{\"n\":-0}", "return Object.is(n, -0)", "true"},
        {"{\"n\":1e-400}", "return n", "0"},
        {"{\"a\":1,\"a\":2,\"a\":3}", "return [a, context.a, Object.keys(context).length]", "[3,3,1]"},
        {"{\"__proto__\":{\"x\":1}}", "return [Object.keys(context), context.x === undefined, ({}).x === undefined, Object.getPrototypeOf(context) === Object.prototype]",
         "[[\"__proto__\"],true,true,true]"},
        {"{\"a\":{\"__proto__\":null,\"constructor\":1,\"toString\":2}}", "return [Object.keys(a), a.constructor]", "[[\"__proto__\",\"constructor\",\"toString\"],1]"},
        {"{\"constructor\":1,\"prototype\":2,\"hasOwnProperty\":3}", "return [constructor, prototype, hasOwnProperty]", "[1,2,3]"},
        {"{\"undefined\":1,\"NaN\":2,\"Infinity\":3,\"globalThis\":4,\"context\":5}",
         "return [undefined === void 0, NaN !== NaN, Infinity > 0, typeof globalThis, typeof context, context.undefined, context.globalThis, context.context]",
         "[true,true,true,\"object\",\"object\",1,4,5]"},
        {"{\"JSON\":1,\"Promise\":2,\"Object\":3,\"Array\":4,\"console\":5,\"Error\":6}", "return {a: [JSON, Promise, Object, Array, console, Error], b: await 7}",
         "{\"a\":[1,2,3,4,5,6],\"b\":7}"},
        {"{\"\":1,\"a b\":2,\"0\":3,\"-1\":4}", "return [context[''], globalThis['a b'], globalThis[0], context[-1]]", "[1,2,3,4]"},
        {"{\"k\":\"\\u0000\\ud83d\\ude00\"}", "return [k.length, k.codePointAt(1)]", "[3,128512]"},
        {"{\"await\":1,\"let\":2,\"this\":3,\"if\":4}", "return [globalThis.await, globalThis['let'], globalThis['this'], context['if']]", "[1,2,3,4]"},
        {"{\"then\":1}", "return [then, context.then]", "[1,1]"},
        {"{\"toJSON\":1,\"length\":2}", "return context", "{\"toJSON\":1,\"length\":2}"},
        {" \t\r\n{ \"a\" : [ ] } \n", "return context", "{\"a\":[]}"},
    };
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        cloche_result *result = run(sandbox, with_context(ask(odd[i].code), odd[i].context));
        ck_assert_msg(result->ok && strcmp(result->value.data, odd[i].value) == 0, "%s: %s %s, expected %s", odd[i].context,
                      shown(result->value), shown(result->error), odd[i].value);
        cloche_result_destroy(result);
        expect_next_run_right(sandbox);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- options ---- */

START_TEST(a_limit_out_of_its_bounds_is_refused_for_a_run)
{
    cloche_sandbox *sandbox = open_sandbox();
    uint32_t count;
    const cloche_limit_info *table = cloche_limits_table(&count);

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t wrong[] = {table[i].most + 1, UINT32_MAX, table[i].least > 1 ? table[i].least - 1 : UINT32_MAX};
        for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
            cloche_request request = ask("return 1");
            cloche_limits_set(&request.limits, &table[i], wrong[k]);
            cloche_result *result = run(sandbox, request);
            assert_code(result, CLOCHE_CODE_INVALID_OPTIONS);
            assert_contains(result->error, table[i].option);
            ck_assert_ptr_null(strchr(result->error.data, '\n'));
            cloche_result_destroy(result);
        }
    }
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_limit_at_its_bounds_is_taken)
{
    cloche_sandbox *sandbox = open_sandbox();
    uint32_t count;
    const cloche_limit_info *table = cloche_limits_table(&count);

    for (uint32_t i = 0; i < count; i++) {
        cloche_request request = ask_bytes(";", 1);
        cloche_limits_set(&request.limits, &table[i], table[i].most);
        cloche_result *result = run(sandbox, request);
        if (table[i].per_run)
            assert_code(result, CLOCHE_CODE_NONE);
        else
            assert_code(result, CLOCHE_CODE_INVALID_OPTIONS);
        cloche_result_destroy(result);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_limit_out_of_its_bounds_is_refused_for_a_sandbox)
{
    uint32_t count;
    const cloche_limit_info *table = cloche_limits_table(&count);

    for (uint32_t i = 0; i < count; i++) {
        cloche_options options = CLOCHE_OPTIONS_INIT;
        cloche_sandbox *sandbox = (cloche_sandbox *)1;
        cloche_error err;
        cloche_limits_set(&options.limits, &table[i], table[i].most + 1);
        ck_assert_int_eq(cloche_sandbox_create(&options, &sandbox, &err), CLOCHE_E_INVAL);
        ck_assert_ptr_null(sandbox);
        ck_assert_ptr_nonnull(strstr(err.text, table[i].option));
        ck_assert_ptr_null(strchr(err.text, '\n'));
    }
}
END_TEST

START_TEST(values_that_no_enum_has_are_refused)
{
    cloche_sandbox *sandbox = open_sandbox(), *other = (cloche_sandbox *)1;
    cloche_options options = CLOCHE_OPTIONS_INIT;
    cloche_error err;
    static const int wrong[] = {-1, 5, 99, INT32_MAX, INT32_MIN};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cloche_request request = ask("return 1");
        request.kind = (cloche_kind)wrong[i];
        expect_refused(sandbox, "kind", request, CLOCHE_CODE_INVALID_OPTIONS);
        request = ask("return 1");
        request.language = (cloche_language)wrong[i];
        expect_refused(sandbox, "language", request, CLOCHE_CODE_INVALID_OPTIONS);
        options.backend = (cloche_backend)wrong[i];
        ck_assert_int_lt(cloche_sandbox_create(&options, &other, &err), 0);
        ck_assert_ptr_null(other);
        ck_assert_ptr_nonnull(strstr(err.text, "backend"));
    }
    options = (cloche_options)CLOCHE_OPTIONS_INIT;
    options.freshness = CLOCHE_FRESHNESS_JAIL;
    ck_assert_int_eq(cloche_sandbox_create(&options, &other, &err), CLOCHE_E_INVAL);
    ck_assert_ptr_nonnull(strstr(err.text, "freshness"));
    ck_assert_ptr_null(other);
    options = (cloche_options)CLOCHE_OPTIONS_INIT;
    options.require_isolation = CLOCHE_LAYER_SFI | CLOCHE_LAYER_SECCOMP;
    ck_assert_int_eq(cloche_sandbox_create(&options, &other, &err), CLOCHE_E_NOSYS);
    ck_assert_ptr_nonnull(strstr(err.text, "seccomp"));
    options.require_isolation = 1u << 30;
    ck_assert_int_lt(cloche_sandbox_create(&options, &other, &err), 0);
    options = (cloche_options)CLOCHE_OPTIONS_INIT;
    options.thread_count = 5000;
    ck_assert_int_eq(cloche_sandbox_create(&options, &other, &err), CLOCHE_E_INVAL);
    ck_assert_ptr_nonnull(strstr(err.text, "thread_count"));
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_clock_that_is_no_time_is_refused)
{
    cloche_sandbox *sandbox = open_sandbox();
    const double wrong[] = {-1, 8.64e15 + 1000, __builtin_nan(""), __builtin_inf(), -__builtin_inf()};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cloche_request request = ask("return 1");
        request.deterministic = true;
        request.now_ms = wrong[i];
        expect_refused(sandbox, "now", request, CLOCHE_CODE_INVALID_OPTIONS);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_file_name_that_would_spoil_stacks_is_refused)
{
    static const char *const wrong[] = {"", "a\nb", "a:b", "a(b)", "\x1b[0m", "\xff", "a\tb", "\x7f"};
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cloche_request request = ask("return 1");
        request.filename = wrong[i];
        expect_refused(sandbox, "file name", request, CLOCHE_CODE_INVALID_OPTIONS);
    }
    cloche_request request = ask("return 1");
    request.filename = repeated("x", 256, "", "");
    expect_refused(sandbox, "long file name", request, CLOCHE_CODE_INVALID_OPTIONS);
    request = ask("null.x");
    request.filename = "d\xc3\xa9j\xc3\xa0 vu/b.js";
    cloche_result *result = run(sandbox, request);
    assert_contains(result->error, "d\xc3\xa9j\xc3\xa0 vu/b.js:1:");
    ck_assert_uint_eq(result->detail.line, 1);
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- structs of another size ---- */

START_TEST(a_struct_that_was_not_set_up_is_misuse)
{
    cloche_sandbox *sandbox = open_sandbox(), *other = (cloche_sandbox *)1;
    cloche_request request = ask("return 1");
    cloche_options options = CLOCHE_OPTIONS_INIT;
    cloche_result *result = (cloche_result *)1;
    cloche_error err;

    request.size = 0;
    ck_assert_int_eq(cloche_sandbox_run(sandbox, &request, &result, &err), CLOCHE_E_INVAL);
    ck_assert_ptr_null(result);
    ck_assert_ptr_nonnull(strstr(err.text, "size"));
    options.size = 0;
    ck_assert_int_eq(cloche_sandbox_create(&options, &other, &err), CLOCHE_E_INVAL);
    ck_assert_ptr_null(other);
    options = (cloche_options)CLOCHE_OPTIONS_INIT;
    options.limits.size = 0;
    ck_assert_int_eq(cloche_sandbox_create(&options, &other, &err), CLOCHE_E_INVAL);
    ck_assert_ptr_nonnull(strstr(err.text, "limits"));
    request = ask("return 1");
    request.limits.size = 0;
    expect_refused(sandbox, "limits", request, CLOCHE_CODE_INVALID_OPTIONS);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_newer_callers_struct_is_taken_while_what_is_new_is_zero)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_result *result = NULL;
    cloche_error err;
    struct {
        cloche_request request;
        uint64_t newer[4];
    } longer = {.request = ask("return 'longer'")};

    longer.request.size = sizeof longer;
    ck_assert_int_eq(cloche_sandbox_run(sandbox, &longer.request, &result, &err), CLOCHE_OK);
    assert_value(result, "\"longer\"");
    cloche_result_destroy(result);
    longer.newer[2] = 1;
    ck_assert_int_eq(cloche_sandbox_run(sandbox, &longer.request, &result, &err), CLOCHE_E_TOOBIG);
    ck_assert_ptr_null(result);
    longer.request.size = UINT32_MAX;
    ck_assert_int_eq(cloche_sandbox_run(sandbox, &longer.request, &result, &err), CLOCHE_E_TOOBIG);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(an_older_callers_struct_is_taken_and_what_it_lacks_is_default)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_request request = ask("setTimeout(() => console.log('late'), 5); return 'shorter'");

    request.size = offsetof(cloche_request, drain);
    request.drain = true; /* beyond its size: not looked at */
    request.deterministic = true;
    request.now_ms = -5;
    cloche_result *result = run(sandbox, request);
    assert_value(result, "\"shorter\"");
    ck_assert_ptr_null(strstr(shown(result->out), "late"));
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- results that are too large ---- */

START_TEST(a_value_over_its_limit_is_an_error_that_names_the_limit)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_request request = ask("return 'x'.repeat(98)");

    request.limits.max_result_bytes = 100;
    expect_end(sandbox, request, CLOCHE_CODE_NONE);
    request = ask("console.log('before'); return 'x'.repeat(99)");
    request.limits.max_result_bytes = 100;
    cloche_result *result = run(sandbox, request);
    assert_code(result, CLOCHE_CODE_EXECUTION_ERROR);
    assert_contains(result->error, "maxResultBytes is 100");
    assert_text(result->out, "before\n");
    ck_assert_ptr_null(result->value.data);
    cloche_result_destroy(result);
    request = ask("return 12345");
    request.limits.max_result_bytes = 4;
    expect_end(sandbox, request, CLOCHE_CODE_EXECUTION_ERROR);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(error_texts_are_cut_and_marked)
{
    cloche_sandbox *sandbox = open_sandbox();
    cloche_result *result = run(sandbox, ask("throw new Error('\xc3\xa9'.repeat(1e6))"));

    assert_code(result, CLOCHE_CODE_EXECUTION_ERROR);
    ck_assert_uint_le(result->detail.message.length, 8192 + 3);
    ck_assert_uint_ge(result->detail.message.length, 8192 - 4);
    ck_assert_str_eq(result->detail.message.data + result->detail.message.length - 3, "\xe2\x80\xa6");
    ck_assert_int_eq((unsigned char)result->detail.message.data[result->detail.message.length - 4], 0xa9); /* not cut in two */
    ck_assert_uint_le(result->error.length, 8192 + 16384 + 100);
    cloche_result_destroy(result);
    result = run(sandbox, ask("const e = new Error('x'); e.stack = 's'.repeat(1e6); e.name = 'n'.repeat(1e6); throw e"));
    ck_assert_uint_le(result->detail.stack.length, 16384 + 3);
    ck_assert_uint_le(result->error.length, 3 * 16384);
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

TEST_MAIN("api/input", empty_code_has_the_value_undefined, code_that_is_null_with_a_length_is_misuse,
          source_that_is_not_utf8_is_invalid_code_with_its_place, a_nul_is_data_in_a_string_and_no_end_of_the_source,
          a_nul_comes_out_in_values_and_output, lone_surrogates_pass_in_and_out, four_mebibytes_of_source_run,
          a_source_over_the_limit_is_refused_by_its_size, a_hundred_thousand_nested_brackets_are_invalid_code,
          a_hundred_thousand_nested_brackets_that_close_never_crash, sixteen_mebibytes_of_context_arrive,
          a_context_that_is_no_json_object_is_refused, every_cut_of_a_context_is_refused,
          a_context_may_be_a_thousand_deep_and_no_deeper, a_value_may_be_a_thousand_deep_and_no_deeper,
          odd_keys_and_numbers_of_a_context_are_plain_data, a_limit_out_of_its_bounds_is_refused_for_a_run,
          a_limit_at_its_bounds_is_taken, a_limit_out_of_its_bounds_is_refused_for_a_sandbox,
          values_that_no_enum_has_are_refused, a_clock_that_is_no_time_is_refused,
          a_file_name_that_would_spoil_stacks_is_refused, a_struct_that_was_not_set_up_is_misuse,
          a_newer_callers_struct_is_taken_while_what_is_new_is_zero,
          an_older_callers_struct_is_taken_and_what_it_lacks_is_default,
          a_value_over_its_limit_is_an_error_that_names_the_limit, error_texts_are_cut_and_marked)
