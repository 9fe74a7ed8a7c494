/* step.h - a run as a state machine
 *
 *        begin          step              step
 *   idle ─────► START ────────► WAITING ─────────► ... ──► DONE ──► reset
 *                  └──────────────────────────────────────►
 *
 * A step enters the guest on the calling thread and comes back when the run has ended or waits for a timer. A run that
 * waits has no native stack: all of it is its slot, and any thread may take the next step.
 *
 * Threads  one thread at a time per guest; not always the same
 */
#ifndef CL_ISOLATE_STEP_H
#define CL_ISOLATE_STEP_H

#include "isolate/guest.h"
#include "isolate/thread.h"

typedef enum cl_step_state {
    CL_STEP_DONE,    /* the result is filled, its times aside; the slot wants a reset */
    CL_STEP_WAITING, /* until run.wake_ns or a stop; see cl_step_stop */
} cl_step_state;

/* request and result are borrowed until the run is done. */
void cl_step_begin(cl_guest *guest, const cl_run_request *request, cloche_result *result, uint64_t start_ns);

cl_step_state cl_step_work(cl_thread *thread, cl_guest *guest);

/* Ends a run that waits: fills the result for the reason. */
void cl_step_stop(cl_guest *guest, cl_stop why);

#endif
