/* buffer.h - bytes that grow
 *
 * Zero is an empty buffer. Running out of memory ends the program with one line: nothing here could go on without it.
 */
#ifndef CLI_BUFFER_H
#define CLI_BUFFER_H

#include <stddef.h>

typedef struct buffer {
    char *data; /* a NUL follows data[length] once something was added */
    size_t length, capacity;
} buffer;

/* malloc that answers or ends the program. */
void *need(size_t size);
_Noreturn void need_failed(void);

void buffer_reserve(buffer *b, size_t more);
void buffer_add(buffer *b, const char *data, size_t length);
void buffer_text(buffer *b, const char *text);
void buffer_printf(buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buffer_fini(buffer *b);

#endif
