#include "base/utf8.h"

#include <string.h>

#include "../guard.h"
#include "../runner.h"
#include "base/utf8_step.h"

static size_t check(const char *bytes, size_t length, bool surrogates)
{
    guarded input = guard_text(bytes, length);
    size_t valid = cl_utf8_check(input.data, length, surrogates);

    guard_free(&input);
    return valid;
}

#define VALID(bytes) ck_assert_uint_eq(check(bytes, sizeof bytes - 1, false), sizeof bytes - 1)
#define VALID_UP_TO(bytes, offset) ck_assert_uint_eq(check(bytes, sizeof bytes - 1, false), offset)

START_TEST(utf8_is_accepted_to_its_bounds)
{
    VALID("");
    VALID("plain ASCII, longer than a word");
    VALID("\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
    VALID("1234567\xc3\xa9");
}
END_TEST

START_TEST(the_first_wrong_byte_is_found)
{
    VALID_UP_TO("abc\x80", 3);
    VALID_UP_TO("12345678\xff", 8);
    VALID_UP_TO("\xc0\x80", 0);
    VALID_UP_TO("\xc1\xbf", 0);
    VALID_UP_TO("\xe0\x9f\xbf", 0);
    VALID_UP_TO("\xf0\x8f\xbf\xbf", 0);
    VALID_UP_TO("\xf4\x90\x80\x80", 0);
    VALID_UP_TO("\xf5\x80\x80\x80", 0);
    VALID_UP_TO("a\xe2\x82", 1);
    VALID_UP_TO("a\xf0\x9f\x98", 1);
    VALID_UP_TO("a\xc3", 1);
}
END_TEST

START_TEST(surrogates_are_valid_only_where_asked_for)
{
    ck_assert_uint_eq(check("a\xed\xa0\x80", 4, false), 1);
    ck_assert_uint_eq(check("a\xed\xa0\x80", 4, true), 4);
    ck_assert_uint_eq(check("a\xed\xbf\xbf", 4, true), 4);
    ck_assert_uint_eq(check("a\xed\xbf", 3, true), 1);
}
END_TEST

START_TEST(every_code_point_survives_the_trip)
{
    for (uint32_t code_point = 0; code_point < 0x110000; code_point++) {
        uint8_t bytes[4];
        uint32_t length = cl_utf8_put(code_point, (char *)bytes), back;
        bool survives = cl_utf8_step(bytes, bytes + length, &back) == length && back == code_point;

        for (uint32_t cut = 1; cut < length; cut++)
            survives = survives && cl_utf8_step(bytes, bytes + cut, &back) == cut && back == CL_UTF8_BAD;
        if (!survives)
            ck_abort_msg("U+%04X", code_point);
    }
}
END_TEST

START_TEST(a_cut_keeps_sequences_whole)
{
    static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z";
    static const size_t cuts[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11, 11 };

    for (size_t most = 0; most < sizeof cuts / sizeof cuts[0]; most++)
        ck_assert_uint_eq(cl_utf8_cut(text, sizeof text - 1, most), cuts[most]);
}
END_TEST

START_TEST(a_cut_in_what_is_no_utf8_is_made_where_asked_for)
{
    ck_assert_uint_eq(cl_utf8_cut("\x80\x80\x80\x80\x80\x80", 6, 5), 5);
    ck_assert_uint_eq(cl_utf8_cut("a\x80\x80\x80", 4, 2), 2);
    ck_assert_uint_eq(cl_utf8_cut("\xc3\xa9\x80\x80", 4, 3), 3);
    ck_assert_uint_eq(cl_utf8_cut("\x80\x80", 2, 1), 1);
}
END_TEST

static void place(const char *text, size_t length, size_t offset, uint32_t line, uint32_t column)
{
    guarded input = guard_text(text, length);
    uint32_t got_line, got_column;

    cl_utf8_place(input.data, length, offset, &got_line, &got_column);
    ck_assert_uint_eq(got_line, line);
    ck_assert_uint_eq(got_column, column);
    guard_free(&input);
}

#define PLACE(text, offset, line, column) place(text, sizeof text - 1, offset, line, column)

START_TEST(the_first_character_is_line_one_column_one)
{
    PLACE("", 0, 1, 1);
    PLACE("abc", 0, 1, 1);
    PLACE("abc", 2, 1, 3);
}
END_TEST

START_TEST(each_line_end_of_the_language_ends_a_line)
{
    PLACE("a\nb", 1, 1, 2);
    PLACE("a\nb", 2, 2, 1);
    PLACE("a\rb", 2, 2, 1);
    PLACE("a\r\nb", 3, 2, 1);
    PLACE("a\r\nb", 2, 1, 3);
    PLACE("\r\r\n\n", 4, 4, 1);
    PLACE("a\xe2\x80\xa8" "b", 4, 2, 1);
    PLACE("a\xe2\x80\xa9" "bc", 5, 2, 2);
}
END_TEST

START_TEST(columns_count_utf16_units)
{
    PLACE("\xc3\xa9x", 2, 1, 2);
    PLACE("\xe2\x82\xacx", 3, 1, 2);
    PLACE("\xf0\x9f\x98\x80x", 4, 1, 3);
    PLACE("\xed\xa0\x80x", 3, 1, 2);
}
END_TEST

START_TEST(an_offset_inside_a_character_is_that_character)
{
    PLACE("ab\xf0\x9f\x98\x80x", 4, 1, 3);
}
END_TEST

START_TEST(an_offset_beyond_the_end_is_the_end)
{
    PLACE("a\nbc", 400, 2, 3);
}
END_TEST

TEST_MAIN("base/utf8", utf8_is_accepted_to_its_bounds, the_first_wrong_byte_is_found,
          surrogates_are_valid_only_where_asked_for, every_code_point_survives_the_trip, a_cut_keeps_sequences_whole,
          a_cut_in_what_is_no_utf8_is_made_where_asked_for, the_first_character_is_line_one_column_one,
          each_line_end_of_the_language_ends_a_line, columns_count_utf16_units,
          an_offset_inside_a_character_is_that_character, an_offset_beyond_the_end_is_the_end)
