/* translate.h - a TypeScript source to what the engine runs
 *
 *   forms tried    the one asked for; else a function body, then a module
 *   in each form   erasure; where the source needs more (enum, namespace, ...) transformation
 *
 * What erasure leaves and the engine does not take (it misses a rule of automatic semicolons) is printed anew on demand.
 *
 * A body is read inside a function, so that return and await are allowed; what is put around it is taken off again, and
 * places are those of the source. If no form is TypeScript the failure is that of the form whose parser got furthest.
 *
 * Threads  a thread works in its own instance, made at the first call and reset after each
 */
#ifndef CL_TYPESCRIPT_TRANSLATE_H
#define CL_TYPESCRIPT_TRANSLATE_H

#include "isolate/thread.h"
#include "isolate/typescript/translation.h"

typedef struct cl_translate_order {
    const char *code;
    size_t code_length;
    cloche_kind kind;
    bool is_printed; /* transformation only: the engine has not taken what erasure left */
    cl_until until;
    uint32_t most_pages; /* of growth */
} cl_translate_order;

typedef enum cl_translate_end {
    CL_TRANSLATED,
    CL_TRANSLATE_SYNTAX,   /* it is no TypeScript; message and offset say why */
    CL_TRANSLATE_LEFT,     /* stopped or refused memory: left and stopped_for say why */
    CL_TRANSLATE_INTERNAL, /* the host or the compiler's glue failed: message */
} cl_translate_end;

enum { CL_TRANSLATE_MESSAGE_BYTES = 512 };

typedef struct cl_translate_result {
    cl_translate_end end;
    cl_translation *translation; /* the caller's, when translated */
    char message[CL_TRANSLATE_MESSAGE_BYTES];
    size_t offset;               /* in the source, bytes */
    bool is_sure;                /* it is not the source's grammar: nobody knows a better reason */
    cl_leave left;
    int stopped_for;
    bool has_trapped;            /* the instance was thrown away */
    uint32_t peak_pages;
} cl_translate_result;

bool cl_translate_is_built(void);
/* Address space for the calling thread's instance, so that a later translation needs no new mapping. Where it is
 * refused, that translation says so. */
void cl_translate_reserve(cl_thread *thread);
void cl_translate(cl_thread *thread, const cl_translate_order *order, cl_translate_result *result);

#endif
