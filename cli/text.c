#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

bool text_is_terminal(int fd)
{
    return isatty(fd) == 1;
}

bool text_has_colour(int fd)
{
    const char *no_colour = getenv("NO_COLOR");
    const char *term = getenv("TERM");

    return text_is_terminal(fd) && (no_colour == NULL || no_colour[0] == '\0') && term != NULL &&
           strcmp(term, "dumb") != 0;
}

uint32_t text_columns(int fd)
{
    struct winsize size;

    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
        return size.ws_col;
    return 100;
}

/* Bytes of the character that starts with lead; 0: none starts so. */
static uint32_t length_of(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead <= 0xDF)
        return 2;
    if (lead >= 0xE0 && lead <= 0xEF)
        return 3;
    if (lead >= 0xF0 && lead <= 0xF4)
        return 4;
    return 0;
}

static bool may_follow(const char *start, uint32_t index, unsigned char byte)
{
    unsigned char lead = (unsigned char)start[0];

    if (byte < 0x80 || byte > 0xBF)
        return false;
    if (index > 1)
        return true;
    /* No overlong forms, no surrogates, nothing above U+10FFFF. */
    return !(lead == 0xE0 && byte < 0xA0) && !(lead == 0xED && byte > 0x9F) && !(lead == 0xF0 && byte < 0x90) &&
           !(lead == 0xF4 && byte > 0x8F);
}

static uint32_t decode(const char *bytes, uint32_t length)
{
    static const unsigned char mask[5] = { 0, 0x7F, 0x1F, 0x0F, 0x07 };
    uint32_t code_point = (unsigned char)bytes[0] & mask[length];

    for (uint32_t i = 1; i < length; i++)
        code_point = code_point << 6 | ((unsigned char)bytes[i] & 0x3F);
    return code_point;
}

uint32_t text_next(const char **at, const char *end)
{
    const char *start = *at;
    uint32_t length = length_of((unsigned char)start[0]);

    *at = start + 1;
    if (length == 0 || length > (size_t)(end - start))
        return 0xFFFD;
    for (uint32_t i = 1; i < length; i++)
        if (!may_follow(start, i, (unsigned char)start[i]))
            return 0xFFFD;
    *at = start + length;
    return decode(start, length);
}

bool text_is_hidden(uint32_t c)
{
    return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c <= 0x9F) || c == 0x061C || c == 0x200E ||
           c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

uint32_t text_width(uint32_t code_point)
{
    int width = wcwidth((wchar_t)code_point);

    return width >= 0 ? (uint32_t)width : 1;
}

static void add_bytes_visible(const char *bytes, uint32_t length, buffer *out)
{
    for (uint32_t i = 0; i < length; i++)
        buffer_printf(out, "\\x%02x", (unsigned char)bytes[i]);
}

void text_filter_add(text_filter *filter, const char *data, size_t length, buffer *out)
{
    const char *end = data + length;

    while (data < end) {
        unsigned char byte = (unsigned char)*data;
        uint32_t code_point;

        if (filter->length > 0 && !may_follow(filter->pending, filter->length, byte))
            text_filter_end(filter, out);
        if (filter->length == 0 && length_of(byte) == 0) {
            add_bytes_visible(data++, 1, out);
            continue;
        }
        filter->pending[filter->length++] = *data++;
        if (filter->length < length_of((unsigned char)filter->pending[0]))
            continue;
        code_point = decode(filter->pending, filter->length);
        if (!text_is_hidden(code_point))
            buffer_add(out, filter->pending, filter->length);
        else
            buffer_printf(out, code_point < 0x100 ? "\\x%02x" : "\\u%04x", code_point);
        filter->length = 0;
    }
}

void text_filter_end(text_filter *filter, buffer *out)
{
    add_bytes_visible(filter->pending, filter->length, out);
    filter->length = 0;
}

void text_make_visible(const char *data, size_t length, buffer *out)
{
    text_filter filter = { .length = 0 };

    text_filter_add(&filter, data, length, out);
    text_filter_end(&filter, out);
}

size_t text_cut(const char *data, size_t length, size_t most)
{
    size_t cut = length < most ? length : most;

    if (cut == length)
        return cut;
    for (uint32_t back = 0; back < 4 && back < cut; back++)
        if (((unsigned char)data[cut - back] & 0xC0) != 0x80)
            return cut - back;
    return cut;
}
