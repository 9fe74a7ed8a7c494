/* report.h - what a run ended with, as a result
 *
 * Reading an error or a value runs guest code (getters, toJSON): it happens inside the run, under its deadline, and
 * only bytes are taken out, copied and cut to bounds.
 */
#ifndef CL_ISOLATE_REPORT_H
#define CL_ISOLATE_REPORT_H

#include "isolate/engine.h"

enum {
    CL_REPORT_MESSAGE_BYTES = 8192,
    CL_REPORT_STACK_BYTES = 16384,
    CL_REPORT_CAUSES = 8,
    CL_REPORT_ERRORS = 16,
};

/* Inside a run: the guest's own error. */
void cl_report_error(cl_guest *guest, cloche_code code, cl_value error);
/* Inside a run: the value, by the prelude's JSON.stringify. */
void cl_report_value(cl_guest *guest, cl_value value);

/* Nothing said yet; said. */
void cl_report_clear(cloche_result *result);
void cl_report_conclude(cl_guest *guest, cloche_code code);

/* Anywhere: what the host has to say. */
void cl_report_text(cl_guest *guest, cloche_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A source that does not parse, at a byte of it. */
void cl_report_syntax(cl_guest *guest, const char *message, size_t offset);
/* How it was left, if not by itself. */
void cl_report_leave(cl_guest *guest, cl_leave why);

#endif
