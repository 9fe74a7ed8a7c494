#include <cloche/json.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../alloc_fail.h"
#include "../guard.h"
#include "../runner.h"

/* The answer to a request text that ends at a guard page; the caller destroys it. */
static cloche_json_request *accepted(const char *text)
{
    guarded input = guard_text(text, strlen(text));
    cloche_json_request *request = NULL;
    cloche_error err = { .text = "" };

    ck_assert_msg(cloche_request_from_json(input.data, input.length, &request, NULL, &err) == CLOCHE_OK, "%s: %s", text,
                  err.text);
    ck_assert_ptr_nonnull(request);
    guard_free(&input);
    return request;
}

static void accept(const char *text)
{
    cloche_json_request_destroy(accepted(text));
}

static void refuse(const char *text, const char *expected)
{
    guarded input = guard_text(text, strlen(text));
    cloche_json_request *request = (cloche_json_request *)&input;
    cloche_error err;

    ck_assert_int_eq(cloche_request_from_json(input.data, input.length, &request, NULL, &err), CLOCHE_E_INVAL);
    ck_assert_ptr_null(request);
    ck_assert_int_eq(err.status, CLOCHE_E_INVAL);
    ck_assert_str_eq(err.text, expected);
    guard_free(&input);
}

#define OPTION(option) "{\"code\":\"\",\"options\":{" option "}}"

START_TEST(a_request_needs_only_its_code)
{
    cloche_json_request *request = accepted("{\"code\": \"return 1\"}");

    ck_assert_uint_eq(request->request.size, sizeof(cloche_request));
    ck_assert_str_eq(request->request.code, "return 1");
    ck_assert_uint_eq(request->request.code_length, 8);
    ck_assert_ptr_null(request->request.context);
    ck_assert_ptr_null(request->request.filename);
    ck_assert_int_eq(request->request.language, CLOCHE_LANGUAGE_AUTO);
    ck_assert_int_eq(request->request.kind, CLOCHE_KIND_AUTO);
    ck_assert_uint_eq(request->request.limits.size, sizeof(cloche_limits));
    ck_assert_uint_eq(request->request.limits.timeout_ms, 0);
    ck_assert(!request->request.drain);
    ck_assert(!request->request.deterministic);
    ck_assert_ptr_null(request->id.data);
    cloche_json_request_destroy(request);
    cloche_json_request_destroy(NULL);
}
END_TEST

START_TEST(every_field_reaches_the_request)
{
    cloche_json_request *request = accepted(
        " {\"id\": {\"n\": [1, \"x\"]}, \"code\": \"a\\n\\u00e9\\ud83d\\ude00\\u0000z\", \"language\": \"ts\","
        " \"kind\": \"function\", \"context\": { \"a\": 1.50, \"a\": \"\\ud800\" }, \"filename\": \"tool.ts\","
        " \"options\": {\"timeoutMs\": 1e3, \"memoryLimitMb\": 64.0, \"drain\": true,"
        " \"deterministic\": {\"seed\": \"18446744073709551615\", \"now\": 1700000000000.5},"
        " \"allowFs\": false, \"allowNetwork\": false}} ");

    ck_assert_str_eq(request->id.data, "{\"n\": [1, \"x\"]}");
    ck_assert_uint_eq(request->request.code_length, 10);
    ck_assert_mem_eq(request->request.code, "a\n\xc3\xa9\xf0\x9f\x98\x80\0z", 10);
    ck_assert_int_eq(request->request.language, CLOCHE_LANGUAGE_TS);
    ck_assert_int_eq(request->request.kind, CLOCHE_KIND_FUNCTION);
    ck_assert_str_eq(request->request.context, "{ \"a\": 1.50, \"a\": \"\\ud800\" }");
    ck_assert_uint_eq(request->request.context_length, strlen(request->request.context));
    ck_assert_str_eq(request->request.filename, "tool.ts");
    ck_assert_uint_eq(request->request.limits.timeout_ms, 1000);
    ck_assert_uint_eq(request->request.limits.memory_limit_mb, 64);
    ck_assert(request->request.drain);
    ck_assert(request->request.deterministic);
    ck_assert_uint_eq(request->request.seed, UINT64_MAX);
    ck_assert_double_eq(request->request.now_ms, 1700000000000.5);
    cloche_json_request_destroy(request);
}
END_TEST

START_TEST(names_may_be_written_with_escapes)
{
    cloche_json_request *request = accepted("{\"\\u0063ode\": \"1\", \"k\\u0069nd\": \"scr\\u0069pt\"}");

    ck_assert_str_eq(request->request.code, "1");
    ck_assert_int_eq(request->request.kind, CLOCHE_KIND_SCRIPT);
    cloche_json_request_destroy(request);
}
END_TEST

START_TEST(a_request_is_one_json_object)
{
    refuse("", "request: unexpected end of the text at byte 0");
    refuse("[]", "request: must be an object, got array");
    refuse("null", "request: must be an object, got null");
    refuse("{\"code\": \"\"} {}", "request: more text after the value at byte 13");
    refuse("{\"code\": \"\",}", "request: expected a member's name in quotes at byte 12");
    refuse("{\"code\": \"\n\"}", "code: control character in a string at byte 10");
    refuse("{\"code\": \"\xff\"}", "code: not UTF-8 at byte 10");
    refuse("{\"context\": {\"a\": [1, 02]}}", "context.a[1]: digit after a leading zero at byte 23");
}
END_TEST

START_TEST(fields_that_are_unknown_or_given_twice_are_refused)
{
    refuse("{\"code\": \"\", \"foo\": 1}", "unknown field \"foo\"");
    refuse("{\"code\": \"\", \"Code\": \"\"}", "unknown field \"Code\"");
    refuse("{\"code\": \"\", \"a\\nb\": 1}", "unknown field \"a\\nb\"");
    refuse("{\"code\": \"\", \"code\": \"\"}", "field given twice: \"code\"");
    refuse("{\"code\": \"\", \"\\u0063ode\": \"\"}", "field given twice: \"\\u0063ode\"");
    refuse("{\"code\": \"\", \"a name that is longer than anybody would want to read in a message\": 1}",
           "unknown field \"a name that is longer than anybody would want t\xe2\x80\xa6");
}
END_TEST

START_TEST(fields_of_a_wrong_type_are_refused_by_name)
{
    refuse("{}", "code: missing; a request needs the source as a string");
    refuse("{\"code\": 5}", "code: must be a string, got 5");
    refuse("{\"code\": null}", "code: must be a string, got null");
    refuse("{\"code\": \"\", \"context\": [1]}", "context: must be an object, got array");
    refuse("{\"code\": \"\", \"context\": \"{}\"}", "context: must be an object, got \"{}\"");
    refuse("{\"code\": \"\", \"context\": null}", "context: must be an object, got null");
    refuse("{\"code\": \"\", \"language\": \"python\"}", "language: must be \"js\", \"ts\" or \"auto\", got \"python\"");
    refuse("{\"code\": \"\", \"language\": 1}", "language: must be \"js\", \"ts\" or \"auto\", got 1");
    refuse("{\"code\": \"\", \"kind\": {}}",
           "kind: must be \"auto\", \"body\", \"module\", \"function\" or \"script\", got object");
    refuse("{\"code\": \"\", \"options\": []}", "options: must be an object, got array");
}
END_TEST

START_TEST(every_language_and_kind_has_its_name)
{
    accept("{\"code\": \"\", \"language\": \"auto\", \"kind\": \"auto\"}");
    accept("{\"code\": \"\", \"language\": \"js\", \"kind\": \"body\"}");
    accept("{\"code\": \"\", \"language\": \"ts\", \"kind\": \"module\"}");
    accept("{\"code\": \"\", \"kind\": \"function\"}");
    accept("{\"code\": \"\", \"kind\": \"script\"}");
}
END_TEST

START_TEST(a_file_name_is_1_to_255_bytes_of_text)
{
    char text[400];

    accept("{\"code\": \"\", \"filename\": \"\\u00e9.js\"}");
    snprintf(text, sizeof text, "{\"code\": \"\", \"filename\": \"%0255d\"}", 0);
    accept(text);
    snprintf(text, sizeof text, "{\"code\": \"\", \"filename\": \"%0256d\"}", 0);
    refuse(text, "filename: must be 1 to 255 bytes, got 256");
    refuse("{\"code\": \"\", \"filename\": \"\"}", "filename: must be 1 to 255 bytes, got 0");
    refuse("{\"code\": \"\", \"filename\": \"a\\u0000b\"}", "filename: must not contain a NUL");
    refuse("{\"code\": \"\", \"filename\": \"\\ud800\"}", "filename: must not contain a lone surrogate");
    refuse("{\"code\": \"\", \"filename\": 1}", "filename: must be a string, got 1");
}
END_TEST

START_TEST(every_limit_of_a_run_is_an_option_with_its_bounds)
{
    uint32_t count;
    const cloche_limit_info *table = cloche_limits_table(&count);

    for (uint32_t i = 0; i < count; i++) {
        char text[200], expected[200];

        if (!table[i].per_run)
            continue;
        snprintf(text, sizeof text, "{\"code\":\"\",\"options\":{\"%s\":%u}}", table[i].option, table[i].most);
        cloche_json_request *request = accepted(text);
        ck_assert_uint_eq(cloche_limits_get(&request->request.limits, &table[i]), table[i].most);
        cloche_json_request_destroy(request);
        snprintf(text, sizeof text, "{\"code\":\"\",\"options\":{\"%s\":%u}}", table[i].option, table[i].most + 1);
        snprintf(expected, sizeof expected, "options.%s: must be an integer from %u to %u, got %u", table[i].option,
                 table[i].least, table[i].most, table[i].most + 1);
        refuse(text, expected);
    }
}
END_TEST

START_TEST(an_option_that_is_no_integer_in_range_is_refused)
{
    refuse(OPTION("\"timeoutMs\": \"5s\""), "options.timeoutMs: must be an integer from 1 to 3600000, got \"5s\"");
    refuse(OPTION("\"timeoutMs\": 1.5"), "options.timeoutMs: must be an integer from 1 to 3600000, got 1.5");
    refuse(OPTION("\"timeoutMs\": 0"), "options.timeoutMs: must be an integer from 1 to 3600000, got 0");
    refuse(OPTION("\"timeoutMs\": -1"), "options.timeoutMs: must be an integer from 1 to 3600000, got -1");
    refuse(OPTION("\"timeoutMs\": 1e99"), "options.timeoutMs: must be an integer from 1 to 3600000, got 1e99");
    refuse(OPTION("\"timeoutMs\": 4294967297"), "options.timeoutMs: must be an integer from 1 to 3600000, got 4294967297");
    refuse(OPTION("\"timeoutMs\": null"), "options.timeoutMs: must be an integer from 1 to 3600000, got null");
    refuse(OPTION("\"timeoutMs\": [1]"), "options.timeoutMs: must be an integer from 1 to 3600000, got array");
}
END_TEST

START_TEST(options_that_are_not_a_runs_to_set_are_refused)
{
    refuse(OPTION("\"maxQueue\": 5"), "options.maxQueue: belongs to the sandbox, not to a run");
    refuse(OPTION("\"maxConcurrency\": \"x\""), "options.maxConcurrency: belongs to the sandbox, not to a run");
    refuse(OPTION("\"backend\": \"process\""), "options.backend: a request cannot choose the backend; it is the sandbox's");
    refuse(OPTION("\"backend\": \"worker\""), "options.backend: a request cannot choose the backend; it is the sandbox's");
    refuse(OPTION("\"foo\": 1"), "options: unknown option \"foo\"");
    refuse(OPTION("\"timeout_ms\": 1"), "options: unknown option \"timeout_ms\"");
    refuse(OPTION("\"drain\": true, \"drain\": true"), "options: given twice: \"drain\"");
    refuse(OPTION("\"timeoutMs\": 1, \"timeoutMs\": 1"), "options: given twice: \"timeoutMs\"");
}
END_TEST

START_TEST(doors_that_do_not_exist_can_only_be_closed)
{
    accept(OPTION("\"allowFs\": false, \"allowNetwork\": false"));
    refuse(OPTION("\"allowFs\": true"),
           "options.allowFs: not available in this build; leave it out or set it to false");
    refuse(OPTION("\"allowNetwork\": [\"example.com\"]"),
           "options.allowNetwork: not available in this build; leave it out or set it to false");
    refuse(OPTION("\"allowNetwork\": null"),
           "options.allowNetwork: not available in this build; leave it out or set it to false");
}
END_TEST

START_TEST(drain_is_true_or_false)
{
    accept(OPTION("\"drain\": false"));
    refuse(OPTION("\"drain\": 1"), "options.drain: must be true or false, got 1");
}
END_TEST

START_TEST(a_deterministic_run_has_a_seed_and_a_time)
{
    cloche_json_request *request = accepted(OPTION("\"deterministic\": {}"));

    ck_assert(request->request.deterministic);
    ck_assert_uint_eq(request->request.seed, 0);
    ck_assert_double_eq(request->request.now_ms, 0);
    cloche_json_request_destroy(request);
    request = accepted(OPTION("\"deterministic\": {\"now\": 18446744073000, \"seed\": 9007199254740992}"));
    ck_assert_uint_eq(request->request.seed, 9007199254740992u);
    ck_assert_double_eq(request->request.now_ms, 18446744073000.0);
    cloche_json_request_destroy(request);
}
END_TEST

START_TEST(a_seed_or_time_that_is_none_is_refused)
{
    static const char seed[] = "options.deterministic.seed: must be an integer from 0 to 2^53, or one up to 2^64-1 in "
                               "quotes, got ";
    static const char now[] = "options.deterministic.now: must be milliseconds since 1970, from 0 to 18446744073000, got ";
    static const char *const cases[][3] = {
        { OPTION("\"deterministic\": {\"seed\": 9007199254740993}"), seed, "9007199254740993" },
        { OPTION("\"deterministic\": {\"seed\": \"18446744073709551616\"}"), seed, "\"18446744073709551616\"" },
        { OPTION("\"deterministic\": {\"seed\": \"\"}"), seed, "\"\"" },
        { OPTION("\"deterministic\": {\"seed\": \"1e3\"}"), seed, "\"1e3\"" },
        { OPTION("\"deterministic\": {\"seed\": \"-1\"}"), seed, "\"-1\"" },
        { OPTION("\"deterministic\": {\"seed\": -1}"), seed, "-1" },
        { OPTION("\"deterministic\": {\"now\": \"2024-01-01\"}"), now, "\"2024-01-01\"" },
        { OPTION("\"deterministic\": {\"now\": 18446744073001}"), now, "18446744073001" },
        { OPTION("\"deterministic\": {\"now\": -1}"), now, "-1" },
        { OPTION("\"deterministic\": {\"now\": 1e999}"), now, "1e999" },
        { OPTION("\"deterministic\": true"), "options.deterministic: must be an object {seed, now}, got ", "true" },
        { OPTION("\"deterministic\": {\"time\": 1}"), "options.deterministic: unknown option ", "\"time\"" },
        { OPTION("\"deterministic\": {\"now\": 1, \"now\": 1}"), "options.deterministic: given twice: ", "\"now\"" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[300];

        snprintf(expected, sizeof expected, "%s%s", cases[i][1], cases[i][2]);
        refuse(cases[i][0], expected);
    }
}
END_TEST

static char *context_of_depth(size_t depth, const char *before, const char *behind)
{
    char *text = malloc(depth * 2 + 200);
    size_t length = (size_t)sprintf(text, "{%s\"context\":{\"a\":", before);

    memset(text + length, '[', depth - 1);
    memset(text + length + depth - 1, ']', depth - 1);
    sprintf(text + length + 2 * (depth - 1), "}%s}", behind);
    return text;
}

START_TEST(a_context_is_1000_deep_and_no_deeper)
{
    char *fits = context_of_depth(1000, "\"code\":\"\",", ""), *deep = context_of_depth(1001, "\"code\":\"\",", "");
    cloche_json_request *request;
    cloche_error err;

    accept(fits);
    ck_assert_int_eq(cloche_request_from_json(deep, strlen(deep), &request, NULL, &err), CLOCHE_E_INVAL);
    ck_assert_ptr_eq(strstr(err.text, "context.a[0][0][0]"), err.text);
    ck_assert_ptr_nonnull(strstr(err.text, "\xe2\x80\xa6: nested deeper than 1000 at byte "));
    free(fits);
    free(deep);
}
END_TEST

static void reports_id(const char *text, const char *expected)
{
    cloche_json_request *request;
    cloche_text id = { "unset", 5 };

    ck_assert_int_eq(cloche_request_from_json(text, strlen(text), &request, &id, NULL), CLOCHE_E_INVAL);
    ck_assert_ptr_null(request);
    ck_assert_uint_eq(id.length, strlen(expected));
    ck_assert_mem_eq(id.data, expected, id.length);
    ck_assert(id.data > text && id.data < text + strlen(text));
}

static void reports_no_id(const char *text)
{
    cloche_json_request *request;
    cloche_text id = { "unset", 5 };

    ck_assert_int_eq(cloche_request_from_json(text, strlen(text), &request, &id, NULL), CLOCHE_E_INVAL);
    ck_assert_ptr_null(id.data);
    ck_assert_uint_eq(id.length, 0);
}

START_TEST(a_wrong_request_still_has_its_id)
{
    char *deep = context_of_depth(2000, "\"code\":\"id\",\"id\": 7 ,", ""), *late = context_of_depth(2000, "", ",\"id\":7");

    reports_id("{\"code\": 5, \"id\": \"a\\\"b\"}", "\"a\\\"b\"");
    reports_id("{\"foo\": 5, \"foo\": 6, \"id\": [1, {}]}", "[1, {}]");
    reports_id("{\"id\": null}", "null");
    reports_id("{\"id\": 1, \"id\": 2, \"code\": \"\"}", "1");
    reports_id(deep, "7");
    reports_no_id(late);
    reports_no_id("{\"code\": 5}");
    reports_no_id("{\"id\": 1, \"code\"}");
    reports_no_id("[{\"id\": 1}]");
    free(deep);
    free(late);
}
END_TEST

START_TEST(a_good_request_reports_its_id_too)
{
    static const char text[] = "{\"code\": \"\", \"id\": 12.0}";
    cloche_json_request *request;
    cloche_text id;

    ck_assert_int_eq(cloche_request_from_json(text, sizeof text - 1, &request, &id, NULL), CLOCHE_OK);
    ck_assert_ptr_eq(id.data, text + 19);
    ck_assert_uint_eq(id.length, 4);
    ck_assert_str_eq(request->id.data, "12.0");
    cloche_json_request_destroy(request);
}
END_TEST

static const char sample[] = "{\"id\": 1, \"code\": \"return \\u00e9\", \"kind\": \"body\", \"language\": \"js\", \"context\": "
                             "{\"a\": [1, 2]}, \"filename\": \"a.js\", \"options\": {\"timeoutMs\": 10, "
                             "\"deterministic\": {\"seed\": \"7\"}}}";

START_TEST(every_truncation_of_a_request_is_refused)
{
    for (size_t length = 0; length < sizeof sample - 1; length++) {
        guarded input = guard_text(sample, length);
        cloche_json_request *request;
        cloche_error err = { .text = "" };

        ck_assert_int_eq(cloche_request_from_json(input.data, length, &request, NULL, &err), CLOCHE_E_INVAL);
        ck_assert_ptr_null(request);
        ck_assert_str_ne(err.text, "");
        guard_free(&input);
    }
}
END_TEST

START_TEST(every_mutation_of_a_byte_is_a_request_or_an_error_of_one_line)
{
    guarded input = guard_text(sample, sizeof sample - 1);

    for (size_t at = 0; at < input.length; at++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            cloche_json_request *request;
            cloche_error err = { .text = "" };
            cloche_status rc;

            input.data[at] = (char)byte;
            rc = cloche_request_from_json(input.data, input.length, &request, NULL, &err);
            ck_assert(rc == CLOCHE_OK || rc == CLOCHE_E_INVAL);
            ck_assert((rc == CLOCHE_OK) == (request != NULL));
            ck_assert((rc == CLOCHE_OK) == (err.text[0] == '\0'));
            ck_assert_ptr_null(strpbrk(err.text, "\r\n"));
            cloche_json_request_destroy(request);
        }
        input.data[at] = sample[at];
    }
    guard_free(&input);
}
END_TEST

START_TEST(each_allocation_may_fail)
{
    long n;

    for (n = 1;; n++) {
        cloche_json_request *request;
        cloche_error err;
        cloche_status rc;
        bool is_refused;

        alloc_fail_at(n);
        rc = cloche_request_from_json(sample, sizeof sample - 1, &request, NULL, &err);
        is_refused = alloc_fail_end();
        ck_assert_int_eq(rc, is_refused ? CLOCHE_E_NOMEM : CLOCHE_OK);
        ck_assert((request == NULL) == is_refused);
        cloche_json_request_destroy(request);
        if (!is_refused)
            break;
    }
    ck_assert_int_gt(n, 4);
}
END_TEST

TEST_MAIN("core/request_json", a_request_needs_only_its_code, every_field_reaches_the_request,
          names_may_be_written_with_escapes, a_request_is_one_json_object,
          fields_that_are_unknown_or_given_twice_are_refused, fields_of_a_wrong_type_are_refused_by_name,
          every_language_and_kind_has_its_name, a_file_name_is_1_to_255_bytes_of_text,
          every_limit_of_a_run_is_an_option_with_its_bounds, an_option_that_is_no_integer_in_range_is_refused,
          options_that_are_not_a_runs_to_set_are_refused, doors_that_do_not_exist_can_only_be_closed,
          drain_is_true_or_false, a_deterministic_run_has_a_seed_and_a_time, a_seed_or_time_that_is_none_is_refused,
          a_context_is_1000_deep_and_no_deeper, a_wrong_request_still_has_its_id, a_good_request_reports_its_id_too,
          every_truncation_of_a_request_is_refused, every_mutation_of_a_byte_is_a_request_or_an_error_of_one_line,
          each_allocation_may_fail)
