#include "isolate/typescript/source_map.h"

#include <string.h>

bool cl_source_map_find(const char *json, size_t length, const char **mappings, size_t *mappings_length)
{
    static const char key[] = "\"mappings\":\"";
    /* The sources' text may hold the same words, as JSON with each quote escaped: the key cannot be in there. */
    const char *at = memmem(json, length, key, sizeof key - 1);

    if (at == NULL)
        return false;
    at += sizeof key - 1;
    const char *end = memchr(at, '"', length - (size_t)(at - json));
    if (end == NULL)
        return false;
    *mappings = at;
    *mappings_length = (size_t)(end - at);
    return true;
}

/* One number in base 64, least significant digits first, sign in the lowest bit. */
static bool read_number(const char **at, const char *end, int32_t *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t value = 0;

    for (unsigned shift = 0; *at < end && shift < 32; shift += 5) {
        const char *digit = memchr(digits, **at, sizeof digits - 1);
        if (digit == NULL)
            return false;
        uint32_t bits = (uint32_t)(digit - digits);
        (*at)++;
        value |= (bits & 31) << shift;
        if (!(bits & 32)) {
            *out = value & 1 ? -(int32_t)(value >> 1) : (int32_t)(value >> 1);
            return true;
        }
    }
    return false;
}

bool cl_source_map_look_up(const char *mappings, size_t length, cl_place_lf printed, cl_place_lf *found_printed,
                           cl_place_lf *found_source)
{
    const char *at = mappings, *end = mappings + length;
    uint32_t line = 0, column = 0, source_line = 0, source_column = 0;
    bool found = false;

    while (at < end && line <= printed.line) {
        if (*at == ';') {
            at++, line++;
            column = 0;
            continue;
        }
        if (*at == ',') {
            at++;
            continue;
        }
        int32_t number[5];
        int count = 0;
        while (count < 5 && at < end && *at != ',' && *at != ';')
            if (!read_number(&at, end, &number[count++]))
                return found;
        column += (uint32_t)number[0];
        if (count < 4)
            continue; /* printed text without a source */
        source_line += (uint32_t)number[2];
        source_column += (uint32_t)number[3];
        if (line == printed.line && column > printed.column)
            break;
        *found_printed = (cl_place_lf){line, column};
        *found_source = (cl_place_lf){source_line, source_column};
        found = true;
    }
    return found;
}
