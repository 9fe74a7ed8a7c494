/* lines.h - places as the compiler counts them: lines end at LF alone, columns are UTF-16 units; both from 0
 *
 * Pure.
 */
#ifndef CL_TYPESCRIPT_LINES_H
#define CL_TYPESCRIPT_LINES_H

#include <stddef.h>
#include <stdint.h>

typedef struct cl_place_lf {
    uint32_t line, column;
} cl_place_lf;

cl_place_lf cl_lines_place(const char *text, size_t length, size_t offset);
/* The end of the line where it is shorter, of the text where it has fewer lines. */
size_t cl_lines_offset(const char *text, size_t length, cl_place_lf place);

#endif
