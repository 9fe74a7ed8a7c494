/* utf8.h - is it UTF-8, where to cut, where in the text
 *
 * Pure. Surrogate code points written as three bytes (ED A0..BF xx) count as valid where `surrogates` says so: that is
 * how an engine writes a lone surrogate.
 */
#ifndef CL_BASE_UTF8_H
#define CL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offset of the first byte that is not valid, or length. */
size_t cl_utf8_check(const char *text, size_t length, bool surrogates);

/* The largest cut <= most that does not split a sequence. */
size_t cl_utf8_cut(const char *text, size_t length, size_t most);

/* 1-based line and column (in UTF-16 units) of a byte offset; CR LF, LF, CR, U+2028 and U+2029 end a line. */
void cl_utf8_place(const char *text, size_t length, size_t offset, uint32_t *line, uint32_t *column);

#endif
