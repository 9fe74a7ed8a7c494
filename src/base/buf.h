/* buf.h - a growable run of bytes with a ceiling
 *
 * Once an append fails (ceiling or memory) the buffer stays failed and later appends do nothing, so that a writer
 * checks once, at the end. data always ends in a NUL that length does not count, unless data is NULL (empty, never
 * written).
 *
 * Owner    the holder; take hands the bytes out (malloc'ed)
 * Threads  one thread at a time
 */
#ifndef CL_BASE_BUF_H
#define CL_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cl_buf {
    char *data;
    size_t length;
    size_t capacity;
    size_t max; /* 0: no ceiling */
    bool failed;
} cl_buf;

void cl_buf_init(cl_buf *buf, size_t max);
void cl_buf_fini(cl_buf *buf);
void cl_buf_reset(cl_buf *buf); /* empty again, memory kept */
bool cl_buf_append(cl_buf *buf, const void *data, size_t length);
bool cl_buf_puts(cl_buf *buf, const char *text);
bool cl_buf_printf(cl_buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends text as a JSON string with quotes. Bytes that are no UTF-8 become U+FFFD; surrogate code points written as
 * three bytes (as an engine gives lone surrogates) become \udXXX escapes. */
bool cl_buf_json_string(cl_buf *buf, const char *text, size_t length);
/* The bytes, malloc'ed, the caller's now; NULL when failed or never written. */
char *cl_buf_take(cl_buf *buf, size_t *length);

#endif
