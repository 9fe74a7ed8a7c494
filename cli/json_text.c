#include "json_text.h"

#include <stdint.h>
#include <string.h>

#include "text.h"

bool json_text_is_string(cloche_text text)
{
    return text.data != NULL && text.length >= 2 && text.data[0] == '"';
}

static uint32_t hex4(const char *at)
{
    uint32_t value = 0;

    for (int i = 0; i < 4; i++) {
        char c = at[i];

        value = value << 4 | (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

static void add_code_point(buffer *out, uint32_t c)
{
    char bytes[4];
    size_t n = 0;

    if (c < 0x80) {
        bytes[n++] = (char)c;
    } else if (c < 0x800) {
        bytes[n++] = (char)(0xC0 | c >> 6);
        bytes[n++] = (char)(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        bytes[n++] = (char)(0xE0 | c >> 12);
        bytes[n++] = (char)(0x80 | (c >> 6 & 0x3F));
        bytes[n++] = (char)(0x80 | (c & 0x3F));
    } else {
        bytes[n++] = (char)(0xF0 | c >> 18);
        bytes[n++] = (char)(0x80 | (c >> 12 & 0x3F));
        bytes[n++] = (char)(0x80 | (c >> 6 & 0x3F));
        bytes[n++] = (char)(0x80 | (c & 0x3F));
    }
    buffer_add(out, bytes, n);
}

/* At the first of four digits; answers how many bytes were read. */
static size_t add_unicode_escape(buffer *out, const char *at, const char *end)
{
    uint32_t high = end - at >= 4 ? hex4(at) : 0xFFFD;
    uint32_t low;

    if (high < 0xD800 || high > 0xDFFF) {
        add_code_point(out, high);
        return 4;
    }
    if (high <= 0xDBFF && end - at >= 10 && at[4] == '\\' && at[5] == 'u') {
        low = hex4(at + 6);
        if (low >= 0xDC00 && low <= 0xDFFF) {
            add_code_point(out, 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
            return 10;
        }
    }
    add_code_point(out, 0xFFFD);
    return 4;
}

void json_text_decode(cloche_text string, buffer *out)
{
    const char *at = string.data + 1, *end = string.data + string.length - 1;

    buffer_reserve(out, string.length);
    while (at < end) {
        const char *plain = at;
        static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
        const char *known;

        while (at < end && *at != '\\' && (unsigned char)*at != 0xED)
            at++;
        buffer_add(out, plain, (size_t)(at - plain));
        if (at >= end)
            break;
        if ((unsigned char)*at == 0xED) { /* may be a surrogate written as three bytes */
            const char *start = at;

            if (end - at >= 3 && (unsigned char)at[1] > 0x9F) {
                add_code_point(out, 0xFFFD);
                at += 3;
            } else {
                at++;
                buffer_add(out, start, 1);
            }
            continue;
        }
        at++;
        if (at < end && *at == 'u') {
            at++;
            at += add_unicode_escape(out, at, end);
        } else if (at < end) {
            known = strchr(from, *at);
            buffer_add(out, known != NULL && *known != '\0' ? &to[known - from] : at, 1);
            at++;
        }
    }
}

static size_t skip_space(const char *data, size_t length, size_t at)
{
    while (at < length && (data[at] == ' ' || data[at] == '\t' || data[at] == '\n' || data[at] == '\r'))
        at++;
    return at;
}

/* The end of the value that starts at `at`. Brackets inside strings do not count. */
static size_t skip_value(const char *data, size_t length, size_t at)
{
    size_t depth = 0;

    while (at < length) {
        char c = data[at];

        if (c == '"') {
            for (at++; at < length && data[at] != '"'; at++)
                if (data[at] == '\\')
                    at++;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            if (depth == 0)
                return at;
            depth--;
        } else if (depth == 0 && (c == ',' || c == ':')) {
            return at;
        }
        at++;
        if (depth == 0 && (c == '"' || c == '}' || c == ']'))
            return at;
    }
    return length;
}

bool json_text_item(cloche_text array, size_t *cursor, cloche_text *item)
{
    size_t at, end;

    *item = (cloche_text){ 0 };
    if (array.data == NULL || array.length < 2)
        return false;
    at = skip_space(array.data, array.length, *cursor == 0 ? 1 : *cursor);
    if (at < array.length && (array.data[at] == ',' || array.data[at] == ':'))
        at = skip_space(array.data, array.length, at + 1);
    if (at + 1 >= array.length)
        return false;
    end = skip_value(array.data, array.length, at);
    *cursor = end;
    while (end > at && strchr(" \t\r\n", array.data[end - 1]) != NULL)
        end--;
    *item = (cloche_text){ .data = array.data + at, .length = end - at };
    return true;
}

cloche_text json_text_member(cloche_text object, const char *name)
{
    cloche_text key, value;
    size_t cursor = 0, length = strlen(name);

    if (object.data == NULL || object.length < 2 || object.data[0] != '{')
        return (cloche_text){ 0 };
    /* Keys and values follow each other as the items of an array do. */
    while (json_text_item(object, &cursor, &key) && json_text_item(object, &cursor, &value))
        if (key.length == length + 2 && memcmp(key.data + 1, name, length) == 0)
            return value;
    return (cloche_text){ 0 };
}

void json_text_quote(const char *data, size_t length, buffer *out)
{
    const char *at = data, *end = data + length;

    buffer_text(out, "\"");
    while (at < end) {
        uint32_t c = text_next(&at, end);

        if (c == '"' || c == '\\')
            buffer_printf(out, "\\%c", (char)c);
        else if (c < 0x20 || c == 0x7F)
            buffer_printf(out, "\\u%04x", c);
        else
            add_code_point(out, c);
    }
    buffer_text(out, "\"");
}
