/* compile.h - source text to something that can be started, whatever form it has
 *
 * `auto` tries a function body, then a module; the first that parses wins, and if none does the error is that of the
 * form whose parser got furthest. A body is parsed on its own: a source that would close the text around it is refused.
 * Positions are the user's.
 */
#ifndef CL_ISOLATE_COMPILE_H
#define CL_ISOLATE_COMPILE_H

#include "isolate/engine.h"

typedef struct cl_compiled {
    cl_value code; /* for JS_EvalFunction: gives the function (body, function), or runs (module, script) */
    cloche_kind kind;
} cl_compiled;

/* Inside a run. false: SANDBOX_INVALID_CODE (or worse) is reported, or the TypeScript compiler is wanted first
 * (run.wants_compiler). */
bool cl_compile(cl_guest *guest, cl_compiled *out);

#endif
