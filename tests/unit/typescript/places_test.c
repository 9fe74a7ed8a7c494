/* From printed text back to the source: lines, source maps, translations. */
#include "isolate/typescript/lines.h"
#include "isolate/typescript/source_map.h"
#include "isolate/typescript/translation.h"

#include <string.h>

#include "../guard.h"
#include "../runner.h"

/* ---- lines ---- */

START_TEST(a_place_counts_utf16_units_and_line_feeds_alone)
{
    static const char text[] = "a\xc3\xa9\xf0\x9f\x98\x80z\r\nb\xe2\x80\xa8" "c\rd\n";
    static const struct {
        size_t offset;
        uint32_t line, column;
    } at[] = {{0, 0, 0}, {1, 0, 1}, {3, 0, 2}, {7, 0, 4}, {8, 0, 5}, {10, 1, 0}, {14, 1, 2}, {16, 1, 4}, {18, 2, 0}};

    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        cl_place_lf place = cl_lines_place(text, sizeof text - 1, at[i].offset);
        ck_assert_msg(place.line == at[i].line && place.column == at[i].column, "byte %zu is at %u:%u", at[i].offset,
                      place.line, place.column);
        ck_assert_uint_eq(cl_lines_offset(text, sizeof text - 1, place), at[i].offset);
    }
}
END_TEST

START_TEST(a_place_behind_the_line_is_its_end)
{
    ck_assert_uint_eq(cl_lines_offset("ab\ncd", 5, (cl_place_lf){0, 99}), 2);
    ck_assert_uint_eq(cl_lines_offset("ab\ncd", 5, (cl_place_lf){1, UINT32_MAX}), 5);
    ck_assert_uint_eq(cl_lines_offset("ab\ncd", 5, (cl_place_lf){7, 0}), 5);
    ck_assert_uint_eq(cl_lines_offset("", 0, (cl_place_lf){0, 3}), 0);
    ck_assert_uint_eq(cl_lines_place("ab", 2, 99).column, 2);
}
END_TEST

/* ---- source maps ---- */

static bool look_up(const char *mappings, uint32_t line, uint32_t column, cl_place_lf *source)
{
    cl_place_lf printed;
    return cl_source_map_look_up(mappings, strlen(mappings), (cl_place_lf){line, column}, &printed, source);
}

/* Written by hand after ECMA-426: fields of printed column, source, line, column, each relative to the one before. */
START_TEST(a_mapping_leads_to_the_last_place_at_or_before)
{
    static const char mappings[] = "AAAA,IAAI,EAAEA;;GACH,KAAK;A;CAAF";
    static const struct {
        uint32_t line, column, to_line, to_column;
    } at[] = {
        {0, 0, 0, 0}, {0, 3, 0, 0}, {0, 4, 0, 4}, {0, 5, 0, 4}, {0, 6, 0, 6}, {0, 99, 0, 6}, {1, 0, 0, 6},
        {2, 0, 0, 6}, {2, 3, 1, 3}, {2, 8, 1, 8}, {3, 5, 1, 8}, {4, 0, 1, 8}, {4, 1, 1, 6},
    };

    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        cl_place_lf place;
        ck_assert(look_up(mappings, at[i].line, at[i].column, &place));
        ck_assert_msg(place.line == at[i].to_line && place.column == at[i].to_column, "%u:%u leads to %u:%u", at[i].line,
                      at[i].column, place.line, place.column);
    }
}
END_TEST

START_TEST(a_map_without_a_place_before_leads_nowhere)
{
    cl_place_lf place;

    ck_assert(!look_up("", 0, 0, &place));
    ck_assert(!look_up(";;;", 2, 9, &place));
    ck_assert(!look_up("IAAA", 0, 3, &place));
    ck_assert(!look_up("A", 0, 3, &place));
    ck_assert(!look_up("!", 0, 3, &place));
    ck_assert(!look_up("ggggggggg", 0, 3, &place));
}
END_TEST

START_TEST(broken_maps_end_the_search_and_are_read_no_further)
{
    static const char good[] = "AAAA,IAAI,EAAEA;;GACH,KAAK;A;CAAF";
    cl_place_lf printed, source;

    for (size_t length = 0; length <= sizeof good - 1; length++) {
        guarded cut = guard_text(good, length);
        cl_source_map_look_up(cut.data, length, (cl_place_lf){9, 9}, &printed, &source);
        guard_free(&cut);
    }
    for (size_t i = 0; i < sizeof good - 1; i++)
        for (int byte = 0; byte < 256; byte++) {
            guarded bent = guard_text(good, sizeof good - 1);
            bent.data[i] = (char)byte;
            cl_source_map_look_up(bent.data, bent.length, (cl_place_lf){9, 9}, &printed, &source);
            guard_free(&bent);
        }
}
END_TEST

START_TEST(mappings_are_found_in_the_json)
{
    static const char json[] = "{\"sourcesContent\":[\"{\\\"mappings\\\":\\\"XX\\\"}\"],\"names\":[],\"mappings\":\"AAAA;\"}";
    const char *mappings;
    size_t length;

    ck_assert(cl_source_map_find(json, sizeof json - 1, &mappings, &length));
    ck_assert_uint_eq(length, 5);
    ck_assert_mem_eq(mappings, "AAAA;", 5);
    ck_assert(!cl_source_map_find("{}", 2, &mappings, &length));
    ck_assert(!cl_source_map_find("{\"mappings\":\"AAA", 16, &mappings, &length));
}
END_TEST

/* ---- translations ---- */

START_TEST(what_is_stripped_is_where_it_was)
{
    cl_translation stripped = {.code = (char *)"a   b", .code_length = 5};

    ck_assert_uint_eq(cl_translation_to_source(&stripped, "a: Tb", 5, 4), 4);
    ck_assert_uint_eq(cl_translation_to_source(&stripped, "a: Tb", 5, 99), 5);
}
END_TEST

/* printed:  f(){ x.y      source:  f(){x.y     the body begins behind four characters in both */
START_TEST(a_printed_place_goes_on_as_far_as_the_text_is_the_same)
{
    cl_translation printed = {.code = (char *)" x.y.z", .code_length = 6, .mappings = (char *)"AAAA,KAAI", .mappings_length = 9,
                              .printed_before = 4, .source_before = 4};

    ck_assert_uint_eq(cl_translation_to_source(&printed, "x.y.q", 5, 1), 0);
    ck_assert_uint_eq(cl_translation_to_source(&printed, "x.y.q", 5, 3), 2);
    ck_assert_uint_eq(cl_translation_to_source(&printed, "x.y.q", 5, 6), 0); /* z is not q */
    ck_assert_uint_eq(cl_translation_to_source(&printed, "x", 1, 6), 0);
}
END_TEST

START_TEST(a_translation_lives_as_long_as_its_last_reference)
{
    cl_translation *one = cl_translation_new(&(cl_translation){.code = (char *)"code", .code_length = 4});

    ck_assert_ptr_nonnull(one);
    ck_assert_ptr_eq(cl_translation_ref(one), one);
    cl_translation_unref(one);
    ck_assert_str_eq(one->code, "code");
    cl_translation_unref(one);
    cl_translation_unref(NULL);
}
END_TEST

TEST_MAIN("unit/typescript/places", a_place_counts_utf16_units_and_line_feeds_alone, a_place_behind_the_line_is_its_end,
          a_mapping_leads_to_the_last_place_at_or_before, a_map_without_a_place_before_leads_nowhere,
          broken_maps_end_the_search_and_are_read_no_further, mappings_are_found_in_the_json,
          what_is_stripped_is_where_it_was, a_printed_place_goes_on_as_far_as_the_text_is_the_same,
          a_translation_lives_as_long_as_its_last_reference)
