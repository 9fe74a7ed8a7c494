#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8_step.h"
#include "base/word.h"

#define CAPACITY_LEAST 64
#define LENGTH_MOST ((size_t)PTRDIFF_MAX - 1) /* no object is larger, so a sum or a double of two fits in size_t */

void cl_buf_init(cl_buf *buf, size_t max)
{
    *buf = (cl_buf){ .max = max };
}

void cl_buf_fini(cl_buf *buf)
{
    free(buf->data);
    *buf = (cl_buf){ .max = buf->max };
}

void cl_buf_reset(cl_buf *buf)
{
    buf->length = 0;
    buf->failed = false;
    if (buf->data != NULL)
        buf->data[0] = '\0';
}

/* Room for more bytes and the NUL after them. */
static bool reserve(cl_buf *buf, size_t more)
{
    size_t most = buf->max != 0 && buf->max < LENGTH_MOST ? buf->max : LENGTH_MOST;
    size_t need, capacity;
    char *data;

    if (buf->failed)
        return false;
    if (buf->length > most || more > most - buf->length)
        goto fail;
    need = buf->length + more + 1;
    if (need <= buf->capacity)
        return true;
    capacity = buf->capacity < CAPACITY_LEAST / 2 ? CAPACITY_LEAST : buf->capacity * 2;
    if (capacity > most + 1)
        capacity = most + 1;
    if (capacity < need)
        capacity = need;
    if ((data = realloc(buf->data, capacity)) == NULL)
        goto fail;
    buf->data = data;
    buf->capacity = capacity;
    return true;
fail:
    buf->failed = true;
    return false;
}

bool cl_buf_append(cl_buf *buf, const void *data, size_t length)
{
    if (!reserve(buf, length))
        return false;
    if (length > 0)
        memcpy(buf->data + buf->length, data, length);
    buf->length += length;
    buf->data[buf->length] = '\0';
    return true;
}

bool cl_buf_puts(cl_buf *buf, const char *text)
{
    return cl_buf_append(buf, text, strlen(text));
}

bool cl_buf_printf(cl_buf *buf, const char *format, ...)
{
    va_list args, again;
    int length;
    bool is_written = false;

    va_start(args, format);
    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, args);
    if (length < 0)
        buf->failed = true;
    else if (reserve(buf, (size_t)length)) {
        vsnprintf(buf->data + buf->length, (size_t)length + 1, format, again);
        buf->length += (size_t)length;
        is_written = true;
    }
    va_end(again);
    va_end(args);
    return is_written;
}

/* \uXXXX */
static bool append_unit(cl_buf *buf, uint32_t unit)
{
    static const char digits[] = "0123456789abcdef";
    char text[6] = { '\\', 'u', digits[unit >> 12 & 15], digits[unit >> 8 & 15], digits[unit >> 4 & 15],
                     digits[unit & 15] };

    return cl_buf_append(buf, text, sizeof text);
}

static bool append_escaped(cl_buf *buf, uint8_t c)
{
    switch (c) {
    case '"': return cl_buf_append(buf, "\\\"", 2);
    case '\\': return cl_buf_append(buf, "\\\\", 2);
    case '\b': return cl_buf_append(buf, "\\b", 2);
    case '\f': return cl_buf_append(buf, "\\f", 2);
    case '\n': return cl_buf_append(buf, "\\n", 2);
    case '\r': return cl_buf_append(buf, "\\r", 2);
    case '\t': return cl_buf_append(buf, "\\t", 2);
    default: return append_unit(buf, c);
    }
}

/* Past the sequences that stand for themselves, to what is ASCII or needs an escape. */
static const uint8_t *skip_letters(const uint8_t *p, const uint8_t *end)
{
    while (p < end && *p >= 0x80) {
        uint32_t code_point, step = cl_utf8_step(p, end, &code_point);

        if (code_point == CL_UTF8_BAD || cl_utf8_is_surrogate(code_point))
            break;
        p += step;
    }
    return p;
}

/* Runs of bytes that stand for themselves are appended whole: [run, p) has been looked at and not yet written. */
bool cl_buf_json_string(cl_buf *buf, const char *text, size_t length)
{
    const uint8_t *p = (const uint8_t *)(length == 0 ? "" : text), *end = p + length, *run = p;

    if (!reserve(buf, length + 2))
        return false;
    cl_buf_append(buf, "\"", 1);
    while ((p = cl_word_json_plain(p, end)) < end && !buf->failed) {
        const uint8_t *behind = skip_letters(p, end);
        uint32_t code_point, step;

        if (behind > p) {
            p = behind;
            continue;
        }
        step = cl_utf8_step(p, end, &code_point);
        cl_buf_append(buf, run, (size_t)(p - run));
        if (code_point == CL_UTF8_BAD)
            cl_buf_append(buf, "\xef\xbf\xbd", 3);
        else if (code_point >= 0x80)
            append_unit(buf, code_point);
        else
            append_escaped(buf, *p);
        p += step;
        run = p;
    }
    cl_buf_append(buf, run, (size_t)(p - run));
    return cl_buf_append(buf, "\"", 1);
}

char *cl_buf_take(cl_buf *buf, size_t *length)
{
    char *data = buf->data;

    if (buf->failed) {
        free(data);
        data = NULL;
    }
    if (length != NULL)
        *length = data == NULL ? 0 : buf->length;
    *buf = (cl_buf){ .max = buf->max };
    return data;
}
