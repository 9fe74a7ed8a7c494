/* none.c - in the place of translate.c where the build leaves TypeScript out */
#include <string.h>

#include "isolate/typescript/translate.h"

bool cl_translate_is_built(void)
{
    return false;
}

void cl_translate_reserve(cl_thread *thread)
{
    (void)thread;
}

void cl_translate(cl_thread *thread, const cl_translate_order *order, cl_translate_result *result)
{
    (void)thread, (void)order;
    *result = (cl_translate_result){.end = CL_TRANSLATE_INTERNAL};
    strcpy(result->message, "TypeScript is not in this build");
}
