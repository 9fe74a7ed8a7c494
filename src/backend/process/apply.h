/* apply.h - performs the plan's steps of one process
 *
 * A step that fails takes its layer down in the report, and the layer's further steps are left out: they would act on
 * the host (a host name set without a namespace of its own). Limits are the exception, each stands for itself. A step
 * without a layer that fails ends it: the answer names it.
 *
 * Owner    plain data
 * Threads  the process is single-threaded
 */
#ifndef CL_PROCESS_APPLY_H
#define CL_PROCESS_APPLY_H

#include "backend/process/cgroup.h"
#include "backend/process/plan.h"
#include "backend/process/report.h"

typedef struct cl_apply {
    const cl_plan *plan;
    const cl_cgroup_place *cgroup;
    uint32_t most_children;
    cl_zygote_report *report;
    int os_errno; /* of the step that was answered */
} cl_apply;

/* NULL: all steps done; else the step that must not fail and did. */
const cl_step *zygote_apply(cl_apply *apply, cl_step_who who);

#endif
