#include "base/buf.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../alloc_fail.h"
#include "../guard.h"
#include "../runner.h"

START_TEST(a_buffer_never_written_has_no_data)
{
    cl_buf buf;
    size_t length = 7;

    cl_buf_init(&buf, 0);
    ck_assert_ptr_null(buf.data);
    ck_assert_ptr_null(cl_buf_take(&buf, &length));
    ck_assert_uint_eq(length, 0);
    cl_buf_fini(&buf);
}
END_TEST

START_TEST(an_empty_append_makes_an_empty_text)
{
    cl_buf buf;
    char *text;

    cl_buf_init(&buf, 0);
    ck_assert(cl_buf_append(&buf, NULL, 0));
    ck_assert_ptr_nonnull(text = cl_buf_take(&buf, NULL));
    ck_assert_str_eq(text, "");
    free(text);
}
END_TEST

START_TEST(data_ends_in_a_nul_after_every_append)
{
    cl_buf buf;

    cl_buf_init(&buf, 0);
    for (size_t i = 0; i < 1000; i++) {
        ck_assert(cl_buf_append(&buf, "x", 1));
        ck_assert_uint_eq(buf.length, i + 1);
        ck_assert_int_eq(buf.data[buf.length], '\0');
    }
    cl_buf_fini(&buf);
    ck_assert_ptr_null(buf.data);
}
END_TEST

START_TEST(a_buffer_holds_exactly_its_ceiling)
{
    cl_buf buf;

    cl_buf_init(&buf, 5);
    ck_assert(cl_buf_puts(&buf, "12345"));
    ck_assert(!cl_buf_puts(&buf, "6"));
    ck_assert_str_eq(buf.data, "12345");
    cl_buf_fini(&buf);
}
END_TEST

START_TEST(a_failed_buffer_stays_failed_and_gives_nothing)
{
    cl_buf buf;
    size_t length = 7;

    cl_buf_init(&buf, 4);
    ck_assert(!cl_buf_puts(&buf, "12345"));
    ck_assert(!cl_buf_puts(&buf, "1"));
    ck_assert(!cl_buf_printf(&buf, "%d", 1));
    ck_assert(!cl_buf_json_string(&buf, "", 0));
    ck_assert_ptr_null(cl_buf_take(&buf, &length));
    ck_assert_uint_eq(length, 0);
    ck_assert(cl_buf_puts(&buf, "1"));
    cl_buf_fini(&buf);
}
END_TEST

START_TEST(a_length_no_memory_has_fails_without_overflow)
{
    cl_buf buf;

    cl_buf_init(&buf, 0);
    ck_assert(cl_buf_puts(&buf, "1"));
    ck_assert(!cl_buf_append(&buf, "", SIZE_MAX));
    ck_assert_uint_eq(buf.length, 1);
    cl_buf_reset(&buf);
    ck_assert(!cl_buf_append(&buf, "", SIZE_MAX - 1));
    cl_buf_fini(&buf);
}
END_TEST

START_TEST(reset_keeps_the_memory_and_forgets_the_failure)
{
    cl_buf buf;
    const char *before;

    cl_buf_init(&buf, 10);
    cl_buf_puts(&buf, "12345");
    before = buf.data;
    cl_buf_puts(&buf, "1234567");
    cl_buf_reset(&buf);
    ck_assert_str_eq(buf.data, "");
    ck_assert(cl_buf_puts(&buf, "ab"));
    ck_assert_ptr_eq(buf.data, before);
    cl_buf_fini(&buf);
}
END_TEST

START_TEST(printf_appends_texts_of_any_length)
{
    cl_buf buf;

    cl_buf_init(&buf, 0);
    ck_assert(cl_buf_printf(&buf, "%s-%d", "a", 12));
    ck_assert(cl_buf_printf(&buf, "%500d", 1));
    ck_assert_uint_eq(buf.length, 504);
    ck_assert_int_eq(buf.data[503], '1');
    cl_buf_fini(&buf);
}
END_TEST

#define JSON_STRING(bytes, expected) json_string(bytes, sizeof bytes - 1, expected)

static void json_string(const char *bytes, size_t length, const char *expected)
{
    guarded input = guard_text(bytes, length);
    cl_buf buf;

    cl_buf_init(&buf, 0);
    ck_assert(cl_buf_json_string(&buf, input.data, length));
    ck_assert_str_eq(buf.data, expected);
    cl_buf_fini(&buf);
    guard_free(&input);
}

START_TEST(a_json_string_escapes_what_json_says)
{
    JSON_STRING("", "\"\"");
    JSON_STRING("plain text", "\"plain text\"");
    JSON_STRING("a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
    JSON_STRING("\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"");
    JSON_STRING("\0\x01\x1f\x7f", "\"\\u0000\\u0001\\u001f\x7f\"");
    JSON_STRING("12345678\n12345678", "\"12345678\\n12345678\"");
    JSON_STRING("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
}
END_TEST

START_TEST(a_json_string_keeps_lone_surrogates_as_escapes)
{
    JSON_STRING("a\xed\xa0\x80z", "\"a\\ud800z\"");
    JSON_STRING("\xed\xbf\xbf", "\"\\udfff\"");
    JSON_STRING("\xed\xa0\xbd\xed\xb8\x80", "\"\\ud83d\\ude00\"");
}
END_TEST

START_TEST(bytes_that_are_no_utf8_become_replacement_characters)
{
    JSON_STRING("a\xff z", "\"a\xef\xbf\xbd z\"");
    JSON_STRING("\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
    JSON_STRING("\xe2\x82", "\"\xef\xbf\xbd\"");
    JSON_STRING("\xe2\x82x", "\"\xef\xbf\xbdx\"");
    JSON_STRING("\xf0\x9f\x98", "\"\xef\xbf\xbd\"");
    JSON_STRING("\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
    JSON_STRING("\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}
END_TEST

START_TEST(a_json_string_over_the_ceiling_fails)
{
    cl_buf buf;

    cl_buf_init(&buf, 5);
    ck_assert(cl_buf_json_string(&buf, "abc", 3));
    cl_buf_reset(&buf);
    ck_assert(!cl_buf_json_string(&buf, "ab\n", 3));
    cl_buf_fini(&buf);
}
END_TEST

static bool write_much(cl_buf *buf)
{
    cl_buf_puts(buf, "start");
    for (int i = 0; i < 100; i++)
        cl_buf_json_string(buf, "line\n\xff", 6);
    return cl_buf_printf(buf, "%300d", 1);
}

START_TEST(each_allocation_may_fail)
{
    long n;

    for (n = 1;; n++) {
        cl_buf buf;
        bool is_written, is_refused;
        char *text;

        cl_buf_init(&buf, 0);
        alloc_fail_at(n);
        is_written = write_much(&buf);
        is_refused = alloc_fail_end();
        text = cl_buf_take(&buf, NULL);
        ck_assert(is_written != is_refused);
        ck_assert((text == NULL) == is_refused);
        free(text);
        if (!is_refused)
            break;
    }
    ck_assert_int_gt(n, 3);
}
END_TEST

TEST_MAIN("base/buf", a_buffer_never_written_has_no_data, an_empty_append_makes_an_empty_text,
          data_ends_in_a_nul_after_every_append, a_buffer_holds_exactly_its_ceiling,
          a_failed_buffer_stays_failed_and_gives_nothing, a_length_no_memory_has_fails_without_overflow,
          reset_keeps_the_memory_and_forgets_the_failure, printf_appends_texts_of_any_length,
          a_json_string_escapes_what_json_says, a_json_string_keeps_lone_surrogates_as_escapes,
          bytes_that_are_no_utf8_become_replacement_characters, a_json_string_over_the_ceiling_fails,
          each_allocation_may_fail)
