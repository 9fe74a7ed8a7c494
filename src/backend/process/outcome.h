/* outcome.h - what a child's end means: status and observation to outcome. Pure.
 *
 *   SIGSYS                          the seccomp filter refused a call: SANDBOX_EXECUTION_ERROR, "policy kill"
 *   SIGKILL by the memory cgroup    SANDBOX_INTERNAL, "host memory": the total of all children; where one child alone may
 *                                   use as much as the total: SANDBOX_MEMORY_EXCEEDED
 *   SIGXCPU                         SANDBOX_TIMEOUT, CPU
 *   any other signal                SANDBOX_EXECUTION_ERROR, "crash"
 *   exit without a result           SANDBOX_EXECUTION_ERROR; before it was ready: SANDBOX_INTERNAL
 *   the zygote died                 SANDBOX_INTERNAL
 */
#ifndef CL_PROCESS_OUTCOME_H
#define CL_PROCESS_OUTCOME_H

#include "backend/process/zygote.h"
#include "isolate/guest.h"

typedef struct cl_outcome {
    cloche_code code;
    char text[160];
} cl_outcome;

/* how NULL: nobody knows, the zygote is gone. was_ready: it had said so. fills_group: its own
 * limit is no less than the group's. */
cl_outcome cl_outcome_of_exit(const cl_child_exit *how, bool was_ready, bool fills_group);
/* The host has stopped it. */
cl_outcome cl_outcome_of_stop(cl_stop why, const cl_run_limits *limits, double after_ms);

#endif
