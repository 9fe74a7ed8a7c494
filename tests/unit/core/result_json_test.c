#include <cloche/json.h>

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../alloc_fail.h"
#include "../runner.h"
#include "base/json_span.h"
#include "isolate/result.h"

#define SET(field, bytes) ck_assert(cl_result_set_text(&(field), bytes, sizeof bytes - 1))

static void json_is(const cloche_result *result, const char *id, const char *expected)
{
    char *text;
    size_t length;
    cl_json_fault fault;

    ck_assert_int_eq(cloche_result_to_json(result, (cloche_text){ id, id == NULL ? 0 : strlen(id) }, &text, &length, NULL),
                     CLOCHE_OK);
    ck_assert_str_eq(text, expected);
    ck_assert_uint_eq(length, strlen(expected));
    ck_assert_msg(cl_json_check(text, length, 10, NULL, &fault), "%s at %zu", fault.what, fault.offset);
    free(text);
}

static cloche_result *good_result(void)
{
    cloche_result *result = cl_result_new();

    ck_assert_ptr_nonnull(result);
    result->ok = true;
    result->started = true;
    result->code = CLOCHE_CODE_NONE;
    result->exit_code = 0;
    SET(result->value, "{\"any\":\"JSON\"}");
    SET(result->out, "a line\n");
    SET(result->err, "");
    result->duration_ms = 0.42;
    result->queue_ms = 0.0104;
    result->usage = (cloche_usage){ .cpu_ms = 12.3, .memory_peak_bytes = 1048576, .host_calls = 2, .pending = 1 };
    result->isolation = CLOCHE_LAYER_SFI | CLOCHE_LAYER_SECCOMP;
    return result;
}

static cloche_result *thrown_result(void)
{
    cloche_result *result = cl_result_new();

    ck_assert_ptr_nonnull(result);
    result->started = true;
    result->code = CLOCHE_CODE_EXECUTION_ERROR;
    result->exit_code = 1;
    SET(result->error, "TypeError: x is not a function\n    at f (main.js:3:7)");
    result->has_detail = true;
    SET(result->detail.name, "TypeError");
    SET(result->detail.message, "x is not a function");
    SET(result->detail.stack, "    at f (main.js:3:7)");
    result->detail.line = 3;
    result->detail.column = 7;
    SET(result->detail.cause, "{\"name\":\"Error\"}");
    SET(result->detail.errors, "[1,2]");
    result->out_truncated = 5;
    result->err_truncated = 18446744073709551615u;
    return result;
}

START_TEST(a_result_with_a_value_has_the_contracts_shape)
{
    cloche_result *result = good_result();

    json_is(result, "\"job-1\"",
            "{\"id\":\"job-1\",\"ok\":true,\"value\":{\"any\":\"JSON\"},\"stdout\":\"a line\\n\",\"stderr\":\"\","
            "\"duration\":0.42,\"exitCode\":0,"
            "\"usage\":{\"cpuMs\":12.3,\"memoryPeakBytes\":1048576,\"hostCalls\":2,\"pending\":1},\"queueMs\":0.01,"
            "\"truncated\":{\"stdout\":0,\"stderr\":0},\"started\":true,\"isolation\":[\"sfi\",\"seccomp\"]}");
    cloche_result_destroy(result);
}
END_TEST

START_TEST(a_result_with_an_error_has_the_contracts_shape)
{
    cloche_result *result = thrown_result();

    json_is(result, NULL,
            "{\"ok\":false,\"stdout\":\"\",\"stderr\":\"\",\"duration\":0,\"exitCode\":1,"
            "\"error\":\"TypeError: x is not a function\\n    at f (main.js:3:7)\","
            "\"errorCode\":\"SANDBOX_EXECUTION_ERROR\","
            "\"errorDetail\":{\"name\":\"TypeError\",\"message\":\"x is not a function\","
            "\"stack\":\"    at f (main.js:3:7)\",\"line\":3,\"column\":7,\"cause\":{\"name\":\"Error\"},"
            "\"errors\":[1,2]},\"usage\":{\"cpuMs\":0,\"memoryPeakBytes\":0,\"hostCalls\":0,\"pending\":0},"
            "\"queueMs\":0,\"truncated\":{\"stdout\":5,\"stderr\":18446744073709551615},\"started\":true,"
            "\"isolation\":[]}");
    cloche_result_destroy(result);
}
END_TEST

START_TEST(absent_fields_are_left_out)
{
    cloche_result *result = cloche_result_invalid(CLOCHE_CODE_INVALID_OPTIONS, "context: must be an object, got array");

    ck_assert_ptr_nonnull(result);
    ck_assert_str_eq(result->out.data, "");
    json_is(result, NULL,
            "{\"ok\":false,\"stdout\":\"\",\"stderr\":\"\",\"duration\":0,"
            "\"error\":\"context: must be an object, got array\",\"errorCode\":\"SANDBOX_INVALID_OPTIONS\","
            "\"usage\":{\"cpuMs\":0,\"memoryPeakBytes\":0,\"hostCalls\":0,\"pending\":0},\"queueMs\":0,"
            "\"truncated\":{\"stdout\":0,\"stderr\":0},\"started\":false,\"isolation\":[]}");
    cloche_result_destroy(result);
}
END_TEST

START_TEST(a_detail_without_a_place_has_no_line)
{
    cloche_result *result = thrown_result();
    char *text;

    result->detail.line = 0;
    result->detail.column = 0;
    cl_result_take_text(&result->detail.cause, NULL, 0);
    ck_assert_int_eq(cloche_result_to_json(result, (cloche_text){ 0 }, &text, NULL, NULL), CLOCHE_OK);
    ck_assert_ptr_nonnull(strstr(text, "main.js:3:7)\",\"errors\":[1,2]}"));
    free(text);
    cloche_result_destroy(result);
}
END_TEST

START_TEST(an_invalid_result_is_never_a_success)
{
    cloche_result *result = cloche_result_invalid(CLOCHE_CODE_NONE, NULL);

    ck_assert_ptr_nonnull(result);
    ck_assert(!result->ok);
    ck_assert_int_eq(result->code, CLOCHE_CODE_INTERNAL);
    ck_assert_int_eq(result->exit_code, -1);
    ck_assert_str_eq(result->error.data, "SANDBOX_INTERNAL");
    cloche_result_destroy(result);
    result = cloche_result_invalid(CLOCHE_CODE_ABORTED, "aborted");
    ck_assert_int_eq(result->exit_code, 130);
    cloche_result_destroy(result);
}
END_TEST

START_TEST(a_result_is_one_line_whatever_is_in_it)
{
    cloche_result *result = good_result();
    char *text;
    size_t length;

    SET(result->value, "{\n\"a\" :\r\n1}");
    SET(result->out, "a\nb\r\0\xff\xed\xa0\x80");
    ck_assert_int_eq(cloche_result_to_json(result, (cloche_text){ "[\n1]", 4 }, &text, &length, NULL), CLOCHE_OK);
    ck_assert_uint_eq(strlen(text), length);
    ck_assert_ptr_null(strpbrk(text, "\r\n"));
    ck_assert_ptr_nonnull(strstr(text, "{\"id\":[ 1],\"ok\":true,\"value\":{ \"a\" :  1},"));
    ck_assert_ptr_nonnull(strstr(text, "\"stdout\":\"a\\nb\\r\\u0000\xef\xbf\xbd\\ud800\""));
    free(text);
    cloche_result_destroy(result);
}
END_TEST

static void duration_is(double ms, const char *expected)
{
    cloche_result *result = good_result();
    char *text, wanted[64] = "\"duration\":";

    result->duration_ms = ms;
    strcat(wanted, expected);
    strcat(wanted, ",\"exitCode\"");
    ck_assert_int_eq(cloche_result_to_json(result, (cloche_text){ 0 }, &text, NULL, NULL), CLOCHE_OK);
    ck_assert_msg(strstr(text, wanted) != NULL, "%s", text);
    free(text);
    cloche_result_destroy(result);
}

START_TEST(durations_have_up_to_three_decimals)
{
    duration_is(0, "0");
    duration_is(5, "5");
    duration_is(0.5, "0.5");
    duration_is(0.05, "0.05");
    duration_is(0.001, "0.001");
    duration_is(0.0004, "0");
    duration_is(0.9996, "1");
    duration_is(1.23456, "1.235");
    duration_is(3600000.125, "3600000.125");
    duration_is(10.01, "10.01");
}
END_TEST

START_TEST(durations_that_are_no_time_are_zero)
{
    duration_is(-1, "0");
    duration_is((double)NAN, "0");
    duration_is((double)INFINITY, "0");
}
END_TEST

/* In a country that writes 0,42. Where no such locale is installed this shows nothing; the writer uses no function
 * that asks the locale. */
START_TEST(numbers_do_not_depend_on_the_locale)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ru_RU.UTF-8" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        cl_json_span number = { "0.42", 4, CL_JSON_NUMBER };
        double value;

        setlocale(LC_ALL, names[i]);
        duration_is(0.42, "0.42");
        ck_assert(cl_json_double(&number, &value));
        ck_assert_double_eq(value, 0.42);
    }
}
END_TEST

START_TEST(texts_are_replaced_and_may_be_absent)
{
    cloche_text text = { 0 };

    ck_assert(cl_result_set_text(&text, "a\0b", 3));
    ck_assert_uint_eq(text.length, 3);
    ck_assert_int_eq(text.data[3], '\0');
    ck_assert(cl_result_set_text(&text, "", 0));
    ck_assert_str_eq(text.data, "");
    ck_assert(cl_result_set_text(&text, NULL, 0));
    ck_assert_ptr_null(text.data);
    cl_result_take_text(&text, strdup("taken"), 5);
    ck_assert_str_eq(text.data, "taken");
    cl_result_take_text(&text, NULL, 9);
    ck_assert_uint_eq(text.length, 0);
}
END_TEST

START_TEST(codes_and_statuses_have_their_names)
{
    ck_assert_str_eq(cloche_code_name(CLOCHE_CODE_NONE), "");
    ck_assert_str_eq(cloche_code_name(CLOCHE_CODE_TIMEOUT), "SANDBOX_TIMEOUT");
    ck_assert_int_eq(cloche_code_exit(CLOCHE_CODE_MEMORY_EXCEEDED), 137);
    ck_assert_int_eq(cloche_code_exit(CLOCHE_CODE_BUSY), -1);
    ck_assert_str_eq(cloche_code_name((cloche_code)99), "SANDBOX_INTERNAL");
    ck_assert_str_eq(cloche_status_name(CLOCHE_E_INVAL), "CLOCHE_E_INVAL");
    ck_assert_str_eq(cloche_status_text(CLOCHE_E_INVAL), "invalid argument");
    ck_assert_str_eq(cloche_status_name((cloche_status)-99), "CLOCHE_E_UNKNOWN");
    ck_assert_str_eq(cloche_version(), CLOCHE_VERSION);
    ck_assert_str_eq(cloche_kind_name(CLOCHE_KIND_MODULE), "module");
    ck_assert_str_eq(cloche_language_name(CLOCHE_LANGUAGE_TS), "ts");
}
END_TEST

START_TEST(each_allocation_of_the_writer_may_fail)
{
    cloche_result *result = thrown_result();
    long n;

    for (n = 1;; n++) {
        char *text;
        size_t length;
        cloche_error err;
        cloche_status rc;
        bool is_refused;

        alloc_fail_at(n);
        rc = cloche_result_to_json(result, (cloche_text){ "1", 1 }, &text, &length, &err);
        is_refused = alloc_fail_end();
        ck_assert_int_eq(rc, is_refused ? CLOCHE_E_NOMEM : CLOCHE_OK);
        ck_assert((text == NULL) == is_refused);
        ck_assert((length == 0) == is_refused);
        free(text);
        if (!is_refused)
            break;
    }
    ck_assert_int_gt(n, 3);
    cloche_result_destroy(result);
    cloche_result_destroy(NULL);
}
END_TEST

START_TEST(each_allocation_of_an_invalid_result_may_fail)
{
    long n;

    for (n = 1;; n++) {
        cloche_result *result;
        bool is_refused;

        alloc_fail_at(n);
        result = cloche_result_invalid(CLOCHE_CODE_BUSY, "the queue is full");
        is_refused = alloc_fail_end();
        ck_assert((result == NULL) == is_refused);
        cloche_result_destroy(result);
        if (!is_refused)
            break;
    }
    ck_assert_int_eq(n, 5);
}
END_TEST

TEST_MAIN("core/result_json", a_result_with_a_value_has_the_contracts_shape,
          a_result_with_an_error_has_the_contracts_shape, absent_fields_are_left_out,
          a_detail_without_a_place_has_no_line, an_invalid_result_is_never_a_success,
          a_result_is_one_line_whatever_is_in_it, durations_have_up_to_three_decimals,
          durations_that_are_no_time_are_zero, numbers_do_not_depend_on_the_locale,
          texts_are_replaced_and_may_be_absent, codes_and_statuses_have_their_names,
          each_allocation_of_the_writer_may_fail, each_allocation_of_an_invalid_result_may_fail)
