/* json_span.h - JSON by its spans: checked, found, never rebuilt
 *
 * A small pure scanner (RFC 8259, iterative). Bytes must be UTF-8; \u escapes may be lone surrogates. Numbers are any
 * the grammar allows. Used for context, value, requests and whatever comes back from a process that is not trusted.
 *
 * Errors   false with a fault: what, where, and the path of the place ("value.items[3]")
 * Threads  any thread
 */
#ifndef CL_BASE_JSON_SPAN_H
#define CL_BASE_JSON_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define CL_JSON_DEPTH 1000      /* nesting the contract allows */
#define CL_JSON_DEPTH_MOST 1024 /* a larger max_depth counts as this: room for an envelope around the contract's */

typedef enum cl_json_type {
    CL_JSON_NONE, CL_JSON_NULL, CL_JSON_FALSE, CL_JSON_TRUE, CL_JSON_NUMBER, CL_JSON_STRING, CL_JSON_ARRAY, CL_JSON_OBJECT
} cl_json_type;

typedef struct cl_json_span {
    const char *text; /* first byte of the value, white space around it left out */
    size_t length;
    cl_json_type type;
} cl_json_span;

typedef struct cl_json_fault {
    size_t offset;
    const char *what;  /* static text: "nested deeper than 1000", "expected a value", ... */
    bool is_too_deep;  /* the text is JSON as far as it was read */
    char path[128];    /* ".items[3]", to follow the root's name; cut with an ellipsis; "" at the root */
} cl_json_fault;

/* The whole text is exactly one value, white space around it aside. Depth: 1 is an array of scalars. out and fault
 * may be NULL; out is CL_JSON_NONE when the text is refused. */
bool cl_json_check(const char *text, size_t length, uint32_t max_depth, cl_json_span *out, cl_json_fault *fault);

/* Members of a checked object, items of a checked array, in order. Start with cursor 0; false at the end. A span of
 * another type has none. */
bool cl_json_member(const cl_json_span *object, size_t *cursor, cl_json_span *key, cl_json_span *value);
bool cl_json_item(const cl_json_span *array, size_t *cursor, cl_json_span *item);

/* Checked string span: decoded text appended; lone surrogates as three bytes. false: out of memory or ceiling. */
bool cl_json_decode(const cl_json_span *string, cl_buf *out);
bool cl_json_equals(const cl_json_span *string, const char *text); /* decoded string equals NUL-terminated text */

/* Checked number span. false: no integer in [least, most] (1.0 and 1e3 are integers). */
bool cl_json_uint(const cl_json_span *number, uint64_t least, uint64_t most, uint64_t *out);
/* Nearest double, whatever the locale. false: no number, or too large for one. */
bool cl_json_double(const cl_json_span *number, double *out);

#endif
