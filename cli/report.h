/* report.h - a failed run, told to a person
 *
 *   TypeError: price.toFix is not a function
 *
 *     3 | return price.toFix(2)
 *       |              ^
 *
 *       at total (discount.js:3:14)
 *       at discount.js:7:1
 *   caused by: ...
 */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cloche/sandbox.h>

#include "buffer.h"

typedef struct report_style {
    bool has_colour;
    bool is_visible;  /* control sequences are shown instead of obeyed */
    uint32_t columns; /* a longer source line is shown around the error */
} report_style;

typedef struct report_source {
    const char *name; /* put before the line as NAME:LINE:COLUMN; NULL: not */
    const char *text;
    size_t length;
    uint32_t lines_before; /* of the result's line numbers, lines that are not in text */
    bool is_stack_hidden;
} report_source;

/* For what is written to fd. */
report_style report_style_for(int fd, bool is_raw);

void report_add(buffer *out, const report_style *style, const cloche_result *result, const report_source *source);
/* The same, to standard error. */
void report_print(const cloche_result *result, const report_source *source, bool is_raw);

/* One line: "12.3 ms, 11.9 ms CPU, ..." */
void report_usage(const cloche_result *result);

/* The character at a place (1-based, columns in UTF-16 units); NULL: there is none. */
const char *report_place(const char *text, size_t length, uint32_t line, uint32_t column);

/* The source line with a caret under the column (1-based, UTF-16 units). Adds nothing when there is no such line. */
void report_excerpt(buffer *out, const report_style *style, const char *text, size_t length, uint32_t line,
                    uint32_t column, uint32_t shown_line);

#endif
