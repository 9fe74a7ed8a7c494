#include "isolate/typescript/lines.h"

#include <string.h>

/* UTF-16 units of the character that begins with this byte; 0 for the rest of one. */
static uint32_t units(char byte)
{
    unsigned char c = (unsigned char)byte;
    return (c & 0xc0) == 0x80 ? 0 : c >= 0xf0 ? 2 : 1;
}

cl_place_lf cl_lines_place(const char *text, size_t length, size_t offset)
{
    cl_place_lf place = {0, 0};

    for (size_t i = 0; i < offset && i < length; i++) {
        if (text[i] == '\n') {
            place.line++;
            place.column = 0;
        } else {
            place.column += units(text[i]);
        }
    }
    return place;
}

size_t cl_lines_offset(const char *text, size_t length, cl_place_lf place)
{
    size_t at = 0;

    for (; place.line > 0; place.line--) {
        const char *feed = length > at ? memchr(text + at, '\n', length - at) : NULL;
        if (feed == NULL)
            return length;
        at = (size_t)(feed - text) + 1;
    }
    for (uint32_t column = 0; at < length && text[at] != '\n' && column < place.column;) {
        column += units(text[at++]);
        while (at < length && ((unsigned char)text[at] & 0xc0) == 0x80)
            at++;
    }
    return at;
}
