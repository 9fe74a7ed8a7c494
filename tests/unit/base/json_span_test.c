#include "base/json_span.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../alloc_fail.h"
#include "../guard.h"
#include "../runner.h"

static bool check(const char *text, size_t length)
{
    guarded input = guard_text(text, length);
    cl_json_fault fault;
    bool is_json = cl_json_check(input.data, length, CL_JSON_DEPTH, NULL, &fault);

    ck_assert(is_json || (fault.what != NULL && fault.offset <= length && strlen(fault.path) < sizeof fault.path));
    guard_free(&input);
    return is_json;
}

#define ACCEPT(text) ck_assert_msg(check(text, sizeof text - 1), "%s", text)
#define REFUSE(text) ck_assert_msg(!check(text, sizeof text - 1), "%s", text)

START_TEST(every_kind_of_value_is_json)
{
    ACCEPT("null");
    ACCEPT(" true\n");
    ACCEPT("\t\r\nfalse");
    ACCEPT("{}");
    ACCEPT("[ ]");
    ACCEPT("\"\"");
    ACCEPT("[1, [2, {\"a\": [ ] , \"b\" : { } }] ]");
    ACCEPT("{\"a\":1,\"a\":2}");
    ACCEPT("{\"\":0}");
}
END_TEST

START_TEST(numbers_follow_the_grammar)
{
    ACCEPT("0");
    ACCEPT("-0");
    ACCEPT("-12.50e+10");
    ACCEPT("1E-2");
    ACCEPT("0.1");
    ACCEPT("1e99999");
    ACCEPT("123456789012345678901234567890");
    REFUSE("01");
    REFUSE("-");
    REFUSE("+1");
    REFUSE(".5");
    REFUSE("1.");
    REFUSE("1.e1");
    REFUSE("1e");
    REFUSE("1e+");
    REFUSE("0x10");
    REFUSE("NaN");
    REFUSE("Infinity");
    REFUSE("-Infinity");
    REFUSE("1_0");
}
END_TEST

START_TEST(strings_follow_the_grammar)
{
    ACCEPT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00\"");
    ACCEPT("\"\\ud800\"");
    ACCEPT("\"\\udc00x\"");
    ACCEPT("\"\\u0000\"");
    ACCEPT("\"\x7f\"");
    ACCEPT("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xe2\x80\xa8\"");
    REFUSE("\"\\x41\"");
    REFUSE("\"\\u12g4\"");
    REFUSE("\"\\u123\"");
    REFUSE("\"a\nb\"");
    REFUSE("\"1234567\n\"");
    REFUSE("\"a\0b\"");
    REFUSE("'a'");
}
END_TEST

START_TEST(bytes_that_are_no_utf8_are_no_json)
{
    REFUSE("\"\xff\"");
    REFUSE("\"\xc3\"");
    REFUSE("\"\xed\xa0\x80\"");
    REFUSE("\"\xc0\xaf\"");
    REFUSE("\xef\xbb\xbf{}");
    REFUSE("[\xc2\xa0]");
}
END_TEST

START_TEST(what_other_parsers_let_pass_is_refused)
{
    REFUSE("");
    REFUSE("  ");
    REFUSE("[1,]");
    REFUSE("[,1]");
    REFUSE("{\"a\":1,}");
    REFUSE("{,}");
    REFUSE("{a:1}");
    REFUSE("{1:1}");
    REFUSE("{\"a\"}");
    REFUSE("{\"a\":}");
    REFUSE("{\"a\" 1}");
    REFUSE("[1 2]");
    REFUSE("[1}");
    REFUSE("{\"a\":1]");
    REFUSE("]");
    REFUSE("1 2");
    REFUSE("{} {}");
    REFUSE("nul");
    REFUSE("nulll");
    REFUSE("True");
    REFUSE("// a\n1");
    REFUSE("[\f1]");
    REFUSE("1\0");
}
END_TEST

START_TEST(the_span_leaves_white_space_out)
{
    static const char text[] = " \n [1, 2] \t";
    cl_json_span span;

    ck_assert(cl_json_check(text, sizeof text - 1, CL_JSON_DEPTH, &span, NULL));
    ck_assert_ptr_eq(span.text, text + 3);
    ck_assert_uint_eq(span.length, 6);
    ck_assert_int_eq(span.type, CL_JSON_ARRAY);
    ck_assert(!cl_json_check("[", 1, CL_JSON_DEPTH, &span, NULL));
    ck_assert_int_eq(span.type, CL_JSON_NONE);
}
END_TEST

static const char *const samples[] = {
    "{\"id\": 7, \"code\": \"return \\\"x\\\" + '\\u00e9\\ud83d\\ude00'\", \"context\": {\"a\": [1, -2.5e3, [], {}]}}",
    "[true, false, null, \"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\", {\"k\": {\"k\": [[\"\"]]}}]",
    "\"a string of some length, \\\\ \\/ \\b\\f\\n\\r\\t with all escapes\"",
    "{\"\":{\"\":{\"\":[{\"\":0.0e-0}]}}}",
};

#define SAMPLE_COUNT (sizeof samples / sizeof samples[0])

START_TEST(every_truncation_of_a_document_is_refused)
{
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        ck_assert(check(samples[i], strlen(samples[i])));
        for (size_t length = 0; length < strlen(samples[i]); length++)
            ck_assert(!check(samples[i], length));
    }
}
END_TEST

/* What a string decodes to becomes the same again when it is encoded and decoded once more. */
static void visit_string(const cl_json_span *string)
{
    cl_json_span encoded;
    cl_buf decoded, copy, back;

    cl_buf_init(&decoded, 0);
    cl_buf_init(&copy, 0);
    cl_buf_init(&back, 0);
    ck_assert(cl_json_decode(string, &decoded));
    ck_assert(cl_json_equals(string, decoded.data) == (strlen(decoded.data) == decoded.length));
    ck_assert(cl_buf_json_string(&copy, decoded.data, decoded.length));
    ck_assert(cl_json_check(copy.data, copy.length, 1, &encoded, NULL));
    ck_assert(cl_json_decode(&encoded, &back));
    ck_assert_uint_eq(back.length, decoded.length);
    ck_assert_mem_eq(back.data, decoded.data, decoded.length);
    cl_buf_fini(&decoded);
    cl_buf_fini(&copy);
    cl_buf_fini(&back);
}

static void visit_number(const cl_json_span *number)
{
    uint64_t whole;
    double value = -1;
    bool is_double = cl_json_double(number, &value);

    if (cl_json_uint(number, 0, UINT32_MAX, &whole)) {
        ck_assert(is_double);
        ck_assert_double_eq(value, (double)whole);
    }
}

/* Every part of an accepted text is itself accepted, and the parts are found inside the text. */
static void visit(const cl_json_span *span, uint32_t depth)
{
    cl_json_span key, value, again;
    size_t cursor = 0;

    ck_assert(cl_json_check(span->text, span->length, CL_JSON_DEPTH, &again, NULL));
    ck_assert_uint_eq(again.length, span->length);
    ck_assert_int_eq(again.type, span->type);
    ck_assert_uint_lt(depth, 50);
    while (cl_json_item(span, &cursor, &value))
        visit(&value, depth + 1);
    while (cl_json_member(span, &cursor, &key, &value)) {
        ck_assert_int_eq(key.type, CL_JSON_STRING);
        visit(&key, depth + 1);
        visit(&value, depth + 1);
    }
    if (span->type == CL_JSON_STRING)
        visit_string(span);
    if (span->type == CL_JSON_NUMBER)
        visit_number(span);
}

START_TEST(every_mutation_of_a_byte_is_refused_or_holds_together)
{
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        size_t length = strlen(samples[i]);
        guarded input = guard_text(samples[i], length);

        for (size_t at = 0; at < length; at++) {
            for (unsigned byte = 0; byte < 256; byte++) {
                cl_json_span span;
                cl_json_fault fault;

                input.data[at] = (char)byte;
                if (cl_json_check(input.data, length, CL_JSON_DEPTH, &span, &fault))
                    visit(&span, 0);
                else
                    ck_assert_uint_le(fault.offset, length);
            }
            input.data[at] = samples[i][at];
        }
        guard_free(&input);
    }
}
END_TEST

static char *nested(size_t depth, char open, char close)
{
    char *text = malloc(depth * 2 + 1);

    ck_assert_ptr_nonnull(text);
    memset(text, open, depth);
    memset(text + depth, close, depth);
    text[depth * 2] = '\0';
    return text;
}

START_TEST(nesting_is_accepted_to_the_depth_and_no_further)
{
    char *fits = nested(1000, '[', ']'), *deep = nested(1001, '[', ']');
    cl_json_fault fault;

    ck_assert(cl_json_check(fits, 2000, CL_JSON_DEPTH, NULL, &fault));
    ck_assert(!cl_json_check(fits, 2000, 999, NULL, &fault));
    ck_assert(!cl_json_check(deep, 2002, CL_JSON_DEPTH, NULL, &fault));
    ck_assert_str_eq(fault.what, "nested deeper than 1000");
    ck_assert(fault.is_too_deep);
    ck_assert_uint_eq(fault.offset, 1000);
    ck_assert(cl_json_check("1", 1, 0, NULL, NULL));
    ck_assert(!cl_json_check("[]", 2, 0, NULL, NULL));
    free(fits);
    free(deep);
}
END_TEST

START_TEST(a_million_brackets_are_refused_at_once)
{
    char *deep = nested(1000000, '[', ']');
    cl_json_fault fault;

    ck_assert(!cl_json_check(deep, 2000000, 1000000, NULL, &fault));
    ck_assert_uint_eq(fault.offset, CL_JSON_DEPTH_MOST);
    free(deep);
}
END_TEST

#define FAULT(text, expected_what, expected_offset, expected_path) \
    fault_is(text, sizeof text - 1, expected_what, expected_offset, expected_path)

static void fault_is(const char *text, size_t length, const char *what, size_t offset, const char *path)
{
    guarded input = guard_text(text, length);
    cl_json_fault fault;

    ck_assert(!cl_json_check(input.data, length, 3, NULL, &fault));
    ck_assert_str_eq(fault.what, what);
    ck_assert_uint_eq(fault.offset, offset);
    ck_assert_str_eq(fault.path, path);
    guard_free(&input);
}

START_TEST(a_fault_says_what_and_where_and_on_which_path)
{
    FAULT("", "unexpected end of the text", 0, "");
    FAULT("[1, 2, x]", "expected a value", 7, "[2]");
    FAULT("[1 2]", "expected ',' or ']'", 3, "");
    FAULT("{\"items\": [0, 1, 2, {\"n\": 01}]}", "digit after a leading zero", 27, ".items[3].n");
    FAULT("{\"a\": {\"b\": 1, c: 2}}", "expected a member's name in quotes", 15, ".a");
    FAULT("{\"a\": {\"b\" 1}}", "expected ':'", 11, ".a");
    FAULT("{\"a\": {\"b\": 1;}}", "expected ',' or '}'", 13, ".a");
    FAULT("{\"a\": [[[[]]]]}", "nested too deep", 8, ".a[0][0]");
    FAULT("[[], [1], {}, \"\\q\"]", "no such escape", 16, "[3]");
    FAULT("{} 1", "more text after the value", 3, "");
    FAULT("[\"\xff\"]", "not UTF-8", 2, "[0]");
    FAULT("[\"\n\"]", "control character in a string", 2, "[0]");
    FAULT("{\"not a name\": {\"9\": {\"$a_9\": .5}}}", "expected a value", 30, "[\"not a name\"][\"9\"].$a_9");
}
END_TEST

START_TEST(a_long_path_is_cut_with_an_ellipsis)
{
    char text[1000] = "{\"", key[601];
    cl_json_fault fault;

    for (size_t i = 0; i < 600; i += 2)
        memcpy(key + i, "\xc3\xa9", 2);
    key[600] = '\0';
    strcat(text, key);
    strcat(text, "\": x}");
    ck_assert(!cl_json_check(text, strlen(text), CL_JSON_DEPTH, NULL, &fault));
    ck_assert_uint_le(strlen(fault.path), 127);
    ck_assert_uint_ge(strlen(fault.path), 120);
    ck_assert_str_eq(fault.path + strlen(fault.path) - 5, "\xc3\xa9\xe2\x80\xa6");
}
END_TEST

static cl_json_span span_of(const char *text)
{
    cl_json_span span;

    ck_assert(cl_json_check(text, strlen(text), CL_JSON_DEPTH, &span, NULL));
    return span;
}

START_TEST(members_and_items_come_in_order)
{
    cl_json_span object = span_of("{ \"a\" : [1,{\"]\":\"}\\\"\"} , \"x\" ] ,\"b\":-1.5e3,\"c\":{}, \"d\":null }");
    cl_json_span key, value, item, array = { 0 };
    size_t cursor = 0, count = 0;
    static const char *const values[] = { "[1,{\"]\":\"}\\\"\"} , \"x\" ]", "-1.5e3", "{}", "null" };

    while (cl_json_member(&object, &cursor, &key, &value)) {
        ck_assert_uint_lt(count, 4);
        ck_assert_int_eq(key.text[1], "abcd"[count]);
        ck_assert_uint_eq(value.length, strlen(values[count]));
        ck_assert_mem_eq(value.text, values[count], value.length);
        if (count == 0)
            array = value;
        count++;
    }
    ck_assert_uint_eq(count, 4);
    cursor = 0;
    ck_assert(cl_json_item(&array, &cursor, &item));
    ck_assert_int_eq(item.type, CL_JSON_NUMBER);
    ck_assert(cl_json_item(&array, &cursor, &item));
    ck_assert_int_eq(item.type, CL_JSON_OBJECT);
    ck_assert(cl_json_item(&array, &cursor, &item));
    ck_assert_int_eq(item.type, CL_JSON_STRING);
    ck_assert(!cl_json_item(&array, &cursor, &item));
    ck_assert(!cl_json_item(&array, &cursor, &item));
}
END_TEST

START_TEST(other_types_have_no_members_and_no_items)
{
    cl_json_span array = span_of("[1]"), object = span_of("{\"a\":1}"), string = span_of("\"a\""), key, value;
    size_t cursor = 0;

    ck_assert(!cl_json_member(&array, &cursor, &key, &value));
    ck_assert(!cl_json_member(&string, &cursor, &key, &value));
    ck_assert(!cl_json_item(&object, &cursor, &value));
    ck_assert(!cl_json_item(&string, &cursor, &value));
}
END_TEST

static void decodes(const char *json, const char *expected, size_t length)
{
    cl_json_span string = span_of(json);
    cl_buf buf;

    cl_buf_init(&buf, 0);
    ck_assert(cl_json_decode(&string, &buf));
    ck_assert_ptr_nonnull(buf.data);
    ck_assert_uint_eq(buf.length, length);
    ck_assert_mem_eq(buf.data, expected, length);
    cl_buf_fini(&buf);
}

#define DECODES(json, expected) decodes(json, expected, sizeof expected - 1)

START_TEST(strings_are_decoded)
{
    DECODES("\"\"", "");
    DECODES("\"plain\"", "plain");
    DECODES("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t");
    DECODES("\"a\\u0000b\"", "a\0b");
    DECODES("\"\\u00E9\\u20ac\"", "\xc3\xa9\xe2\x82\xac");
    DECODES("\"\\ud83d\\ude00!\"", "\xf0\x9f\x98\x80!");
    DECODES("\"\\udbff\\udfff\"", "\xf4\x8f\xbf\xbf");
    DECODES("\"\\ud83d\"", "\xed\xa0\xbd");
    DECODES("\"\\ud83dx\"", "\xed\xa0\xbdx");
    DECODES("\"\\ud83d\\n\"", "\xed\xa0\xbd\n");
    DECODES("\"\\ud83d\\ud83d\\ude00\"", "\xed\xa0\xbd\xf0\x9f\x98\x80");
    DECODES("\"\\ude00\\ud83d\"", "\xed\xb8\x80\xed\xa0\xbd");
    DECODES("\"\xc3\xa9\"", "\xc3\xa9");
}
END_TEST

START_TEST(decoding_stops_at_the_ceiling)
{
    cl_json_span string = span_of("\"1\\n3\"");
    cl_buf buf;

    cl_buf_init(&buf, 3);
    ck_assert(cl_json_decode(&string, &buf));
    cl_buf_fini(&buf);
    cl_buf_init(&buf, 2);
    ck_assert(!cl_json_decode(&string, &buf));
    cl_buf_fini(&buf);
}
END_TEST

START_TEST(strings_are_compared_as_decoded)
{
    cl_json_span plain = span_of("\"code\""), escaped = span_of("\"c\\u006fde\""), nul = span_of("\"code\\u0000\"");
    cl_json_span empty = span_of("\"\""), letter = span_of("\"\\u00e9\""), number = span_of("1");

    ck_assert(cl_json_equals(&plain, "code"));
    ck_assert(cl_json_equals(&escaped, "code"));
    ck_assert(!cl_json_equals(&plain, "cod"));
    ck_assert(!cl_json_equals(&plain, "codes"));
    ck_assert(!cl_json_equals(&nul, "code"));
    ck_assert(cl_json_equals(&empty, ""));
    ck_assert(!cl_json_equals(&empty, "a"));
    ck_assert(cl_json_equals(&letter, "\xc3\xa9"));
    ck_assert(!cl_json_equals(&letter, "\xc3"));
    ck_assert(!cl_json_equals(&number, "1"));
}
END_TEST

static bool uint_of(const char *json, uint64_t least, uint64_t most, uint64_t *out)
{
    cl_json_span number = span_of(json);

    return cl_json_uint(&number, least, most, out);
}

static void is_uint(const char *json, uint64_t expected)
{
    uint64_t value;

    ck_assert_msg(uint_of(json, 0, UINT64_MAX, &value), "%s", json);
    ck_assert_uint_eq(value, expected);
}

static void is_no_uint(const char *json)
{
    uint64_t value;

    ck_assert_msg(!uint_of(json, 0, UINT64_MAX, &value), "%s", json);
    ck_assert_uint_eq(value, 0);
}

START_TEST(integers_are_read_however_they_are_written)
{
    is_uint("0", 0);
    is_uint("-0", 0);
    is_uint("-0.0e5", 0);
    is_uint("0e999999999999999999999999", 0);
    is_uint("1.0", 1);
    is_uint("1e3", 1000);
    is_uint("1E+3", 1000);
    is_uint("10e-1", 1);
    is_uint("0.001e3", 1);
    is_uint("12.50e1", 125);
    is_uint("1000000", 1000000);
    is_uint("18446744073709551615", UINT64_MAX);
    is_uint("1844674407370955161.5e1", UINT64_MAX);
    is_uint("10000000000000000000", 10000000000000000000u);
}
END_TEST

START_TEST(what_is_no_integer_in_range_is_refused)
{
    uint64_t value;

    is_no_uint("-1");
    is_no_uint("0.5");
    is_no_uint("1.5");
    is_no_uint("1e-1");
    is_no_uint("18446744073709551616");
    is_no_uint("1e20");
    is_no_uint("1e999999999999999999999999");
    is_no_uint("1e-999999999999999999999999");
    is_no_uint("100000000000000000000000000000000000000000");
    is_no_uint("\"1\"");
    is_no_uint("true");
    ck_assert(uint_of("5", 5, 5, &value));
    ck_assert(!uint_of("4", 5, 6, &value));
    ck_assert(!uint_of("7", 5, 6, &value));
}
END_TEST

static void is_double(const char *json, double expected)
{
    cl_json_span number = span_of(json);
    double value;

    ck_assert_msg(cl_json_double(&number, &value), "%s", json);
    ck_assert_msg(memcmp(&value, &expected, sizeof value) == 0, "%s is %a, not %a", json, value, expected);
}

START_TEST(doubles_are_the_nearest_ones)
{
    is_double("0", 0.0);
    is_double("-0", -0.0);
    is_double("1", 1.0);
    is_double("-12.5e3", -12500.0);
    is_double("0.1", 0.1);
    is_double("123456789.123456789", 123456789.123456789);
    is_double("1700000000000.25", 1700000000000.25);
    is_double("9007199254740993", 9007199254740992.0);
    is_double("9007199254740993.0000000000000000000000000000000000001", 9007199254740994.0);
    is_double("1.7976931348623157e308", 1.7976931348623157e308);
    is_double("4.9e-324", 4.9e-324);
    is_double("1e-400", 0.0);
    is_double("0e400", 0.0);
}
END_TEST

START_TEST(a_double_of_many_digits_is_still_the_nearest)
{
    char text[3000];

    /* Half way between two doubles, and a digit after thousands of zeros that decides. */
    strcpy(text, "9007199254740993.");
    memset(text + 17, '0', 2000);
    strcpy(text + 2017, "1");
    is_double(text, 9007199254740994.0);
    text[2017] = '0';
    is_double(text, 9007199254740992.0);
    memset(text, '9', 2000);
    strcpy(text + 2000, "e-1999");
    is_double(text, 10.0);
}
END_TEST

START_TEST(a_number_beyond_doubles_is_refused)
{
    cl_json_span number = span_of("1e309"), word = span_of("null");
    double value;

    ck_assert(!cl_json_double(&number, &value));
    ck_assert(!cl_json_double(&word, &value));
}
END_TEST

START_TEST(checking_allocates_nothing)
{
    static const char text[] = "{\"a\": [1, 2.5, \"x\\n\", {\"b\": 01}]}";
    cl_json_fault fault;
    bool is_json;

    alloc_fail_at(1);
    is_json = cl_json_check(text, sizeof text - 1, CL_JSON_DEPTH, NULL, &fault);
    ck_assert(!alloc_fail_end());
    ck_assert(!is_json);
    ck_assert_str_eq(fault.path, ".a[3].b");
}
END_TEST

START_TEST(decoding_without_memory_fails)
{
    cl_json_span string = span_of("\"a\\n\"");
    cl_buf buf;
    bool is_decoded;

    cl_buf_init(&buf, 0);
    alloc_fail_at(1);
    is_decoded = cl_json_decode(&string, &buf);
    ck_assert(alloc_fail_end());
    ck_assert(!is_decoded);
    cl_buf_fini(&buf);
}
END_TEST

TEST_MAIN("base/json_span", every_kind_of_value_is_json, numbers_follow_the_grammar, strings_follow_the_grammar,
          bytes_that_are_no_utf8_are_no_json, what_other_parsers_let_pass_is_refused, the_span_leaves_white_space_out,
          every_truncation_of_a_document_is_refused, every_mutation_of_a_byte_is_refused_or_holds_together,
          nesting_is_accepted_to_the_depth_and_no_further, a_million_brackets_are_refused_at_once,
          a_fault_says_what_and_where_and_on_which_path, a_long_path_is_cut_with_an_ellipsis,
          members_and_items_come_in_order, other_types_have_no_members_and_no_items, strings_are_decoded,
          decoding_stops_at_the_ceiling, strings_are_compared_as_decoded, integers_are_read_however_they_are_written,
          what_is_no_integer_in_range_is_refused, doubles_are_the_nearest_ones,
          a_double_of_many_digits_is_still_the_nearest, a_number_beyond_doubles_is_refused, checking_allocates_nothing,
          decoding_without_memory_fails)
