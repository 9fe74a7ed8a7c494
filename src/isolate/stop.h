/* stop.h - host code inside a run looks whether the run is to stop
 *
 * Guest code is left by a signal; host code between two pieces of guest code looks for itself.
 */
#ifndef CL_ISOLATE_STOP_H
#define CL_ISOLATE_STOP_H

#include "isolate/thread.h"


static inline void cl_stop_check(cl_guest *guest)
{
    cl_thread *thread = cl_thread_self();
    if (__builtin_expect(atomic_load_explicit(&thread->kill_sequence, memory_order_relaxed) ==
                             atomic_load_explicit(&thread->sequence, memory_order_relaxed), 0))
        cl_guest_leave(guest, CL_LEAVE_STOP);
}

#endif
