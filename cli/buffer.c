#include "buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

_Noreturn void need_failed(void)
{
    static const char text[] = "cloche: out of memory\n";

    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) {
        /* nobody listens */
    }
    _exit(EX_SOFTWARE);
}

static void *or_end(void *memory)
{
    if (memory == NULL)
        need_failed();
    return memory;
}

void *need(size_t size)
{
    return or_end(malloc(size > 0 ? size : 1));
}

void buffer_reserve(buffer *b, size_t more)
{
    size_t capacity = b->capacity > 0 ? b->capacity : 256;

    if (more > SIZE_MAX / 4 - b->length)
        need_failed();
    while (capacity < b->length + more + 1)
        capacity *= 2;
    if (capacity == b->capacity)
        return;
    b->data = or_end(realloc(b->data, capacity));
    b->capacity = capacity;
}

void buffer_add(buffer *b, const char *data, size_t length)
{
    buffer_reserve(b, length);
    if (length > 0)
        memcpy(b->data + b->length, data, length);
    b->length += length;
    b->data[b->length] = '\0';
}

void buffer_text(buffer *b, const char *text)
{
    buffer_add(b, text, strlen(text));
}

void buffer_printf(buffer *b, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        return;
    buffer_reserve(b, (size_t)length);
    va_start(args, format);
    vsnprintf(b->data + b->length, (size_t)length + 1, format, args);
    va_end(args);
    b->length += (size_t)length;
}

void buffer_fini(buffer *b)
{
    free(b->data);
    *b = (buffer){ 0 };
}
