#include "isolate/place.h"

#include <string.h>

#include "base/utf8.h"
#include "isolate/typescript/translation.h"

/* Bytes of the line terminator at a place; 0: there is none. */
static size_t terminator(const char *at, size_t rest)
{
    if (*at == '\r')
        return rest > 1 && at[1] == '\n' ? 2 : 1;
    if (*at == '\n')
        return 1;
    return rest > 2 && (memcmp(at, "\xE2\x80\xA8", 3) == 0 || memcmp(at, "\xE2\x80\xA9", 3) == 0) ? 3 : 0;
}

size_t cl_place_offset(const cl_run *run, uint32_t line, uint32_t column)
{
    size_t at = 0, length = run->code_length;

    while (line > 1 && at < length) {
        size_t end = terminator(run->code + at, length - at);
        line -= end > 0;
        at += end > 0 ? end : 1;
    }
    at = column > 0 && column - 1 < length - at ? at + column - 1 : length;
    if (run->translation == NULL)
        return at;
    return cl_translation_to_source(run->translation, run->request->code, run->request->code_length, at);
}

void cl_place_to_user(const cl_run *run, uint32_t *line, uint32_t *column)
{
    const cl_run_request *request = run->request;

    if (*line >= 1 && request->code_length > 0)
        cl_utf8_place(request->code, request->code_length, cl_place_offset(run, *line, *column), line, column);
}
