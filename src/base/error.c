#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"

static const char ellipsis[] = "\xe2\x80\xa6";

/* A text that was cut by vsnprintf ends in an ellipsis and in no half sequence. */
static void mark_cut(char *text, size_t size)
{
    size_t cut = cl_utf8_cut(text, size - 1, size - sizeof ellipsis);

    memcpy(text + cut, ellipsis, sizeof ellipsis);
}

cloche_status cl_error_set(cloche_error *err, cloche_status status, int os_errno, const char *place, const char *format,
                           ...)
{
    va_list args;
    int length;

    if (err == NULL)
        return status;
    err->status = status;
    err->os_errno = os_errno;
    err->place = place;
    va_start(args, format);
    length = vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    if (length < 0)
        err->text[0] = '\0';
    else if ((size_t)length >= sizeof err->text)
        mark_cut(err->text, sizeof err->text);
    /* One line, whatever a quoted name held. */
    for (char *c = err->text; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = ' ';
    return status;
}

void cl_error_clear(cloche_error *err)
{
    if (err != NULL)
        *err = (cloche_error){ .status = CLOCHE_OK };
}

void cl_assert_failed(const char *claim, const char *file, int line)
{
    char text[512];
    int length = snprintf(text, sizeof text, "cloche: %s:%d: does not hold: %s\n", file, line, claim);

    if (length > 0) {
        size_t most = sizeof text - 1;
        ssize_t written = write(STDERR_FILENO, text, (size_t)length < most ? (size_t)length : most);
        (void)written; /* The process ends either way. */
    }
    abort();
}
