#include <stdarg.h>
#include <stdio.h>

#include "core/sandbox.h"

void cl_log(const cloche_sandbox *sandbox, cloche_log_level level, const char *module, const char *format, ...)
{
    char text[512];
    va_list list;

    if (sandbox->options.log == NULL)
        return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    sandbox->options.log(sandbox->options.log_user, level, module, text);
}
