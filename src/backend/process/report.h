/* report.h - what stands of the jail, and why the rest does not
 *
 * Starts as what the plan intends; every step that fails takes its layer down, and the first reason is kept.
 *
 * Pure     no system call, no state
 */
#ifndef CL_PROCESS_REPORT_H
#define CL_PROCESS_REPORT_H

#include "backend/process/plan.h"
#include "backend/process/zygote.h"

void cl_report_init(cl_zygote_report *report, const cl_plan *plan);
void cl_report_fail(cl_zygote_report *report, uint32_t layer, int os_errno, const char *step);
bool cl_report_stands(const cl_zygote_report *report, uint32_t layer);
const cl_layer_report *cl_report_find(const cl_zygote_report *report, uint32_t layer); /* NULL: no such layer */

/* Whether a report that came over a socket is one. */
bool cl_report_is_sound(const cl_zygote_report *report);

#endif
