/* limits.h - which limits hold for a sandbox or a run
 *
 *   given (sandbox's options)  + defaults   ──SANDBOX──►  the sandbox's limits
 *   given (a request)          + sandbox's  ──RUN──────►  the run's limits
 *
 * Pure. The table is <cloche/limits.h>.
 *
 * Errors   CLOCHE_E_INVAL a value outside its bounds, or a sandbox's limit given for a run: the text names it;
 *          CLOCHE_E_INVAL, CLOCHE_E_TOOBIG the struct's size (base/sized.h)
 * Threads  any thread
 */
#ifndef CL_POLICY_LIMITS_H
#define CL_POLICY_LIMITS_H

#include <cloche/limits.h>

typedef enum cl_scope {
    CL_SCOPE_SANDBOX,
    CL_SCOPE_RUN,
} cl_scope;

/* given may be NULL: nothing given. Fields that are zero take base's value, or with base NULL the default, which is
 * zero where the table has none. On failure *out has all fields zero. */
cloche_status cl_limits_resolve(const cloche_limits *given, const cloche_limits *base, cl_scope scope,
                                cloche_limits *out, cloche_error *err);

#endif
