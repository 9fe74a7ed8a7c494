#include "base/utf8.h"

#include "base/utf8_step.h"
#include "base/word.h"

size_t cl_utf8_check(const char *text, size_t length, bool surrogates)
{
    const uint8_t *start = (const uint8_t *)(length == 0 ? "" : text), *p = start, *end = start + length;

    while (p < end) {
        uint32_t code_point, step;

        while (end - p >= 8 && cl_word_non_ascii(cl_word_load(p)) == 0)
            p += 8;
        if (p == end)
            break;
        step = cl_utf8_step(p, end, &code_point);
        if (code_point == CL_UTF8_BAD || (!surrogates && cl_utf8_is_surrogate(code_point)))
            break;
        p += step;
    }
    return (size_t)(p - start);
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

size_t cl_utf8_cut(const char *text, size_t length, size_t most)
{
    if (most >= length)
        return length;
    if (!is_continuation(text[most]))
        return most;
    /* A sequence is at most four bytes, so its lead is at most three before a byte of it. */
    for (size_t back = 1; back <= 3 && back <= most; back++) {
        unsigned char lead = (unsigned char)text[most - back];
        size_t need = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;

        if (lead < 0x80)
            break;
        if (lead >= 0xc0)
            return need > back ? most - back : most;
    }
    return most; /* No lead: not UTF-8, and there is nothing to keep together. */
}

static bool ends_line(uint32_t code_point)
{
    return code_point == '\n' || code_point == '\r' || code_point == 0x2028 || code_point == 0x2029;
}

void cl_utf8_place(const char *text, size_t length, size_t offset, uint32_t *line, uint32_t *column)
{
    const uint8_t *p = (const uint8_t *)(length == 0 ? "" : text), *end = p + length;
    const uint8_t *place = p + (offset < length ? offset : length);
    uint32_t lines = 1, units = 0;

    while (p < place) {
        uint32_t code_point;
        const uint8_t *next = p + cl_utf8_step(p, end, &code_point);

        if (next > place)
            break;
        p = next;
        /* CR LF ends its line after the LF. */
        if (ends_line(code_point) && !(code_point == '\r' && p < end && *p == '\n')) {
            lines++;
            units = 0;
        } else {
            units += code_point != CL_UTF8_BAD && code_point >= 0x10000 ? 2 : 1;
        }
    }
    *line = lines;
    *column = units + 1;
}
