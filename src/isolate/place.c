#include "isolate/place.h"

#include <string.h>

#include "base/utf8.h"

/* Bytes of the line terminator at a place; 0: there is none. */
static size_t terminator(const char *at, size_t rest)
{
    if (*at == '\r')
        return rest > 1 && at[1] == '\n' ? 2 : 1;
    if (*at == '\n')
        return 1;
    return rest > 2 && (memcmp(at, "\xE2\x80\xA8", 3) == 0 || memcmp(at, "\xE2\x80\xA9", 3) == 0) ? 3 : 0;
}

/* Where the engine's line and column are in the source. */
static size_t offset_of(const cl_run_request *request, uint32_t line, uint32_t column)
{
    size_t at = 0, length = request->code_length;

    while (line > 1 && at < length) {
        size_t end = terminator(request->code + at, length - at);
        line -= end > 0;
        at += end > 0 ? end : 1;
    }
    return column > 0 && column - 1 < length - at ? at + column - 1 : length;
}

void cl_place_to_user(const cl_run_request *request, uint32_t *line, uint32_t *column)
{
    if (*line >= 1 && request->code_length > 0)
        cl_utf8_place(request->code, request->code_length, offset_of(request, *line, *column), line, column);
}
