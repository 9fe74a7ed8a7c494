/* monitor.h - the thread that notices deadlines
 *
 * It ticks each millisecond only while something runs and sleeps on a futex otherwise. A runner pays a few
 * stores and one load; `membarrier` before the monitor sleeps keeps runners free of fences.
 *
 * Threads  add and remove lock against the monitor's round; notice is called by runners, lock-free
 */
#ifndef CL_ISOLATE_MONITOR_H
#define CL_ISOLATE_MONITOR_H

#include <stdatomic.h>

#include "isolate/thread.h"

cloche_status cl_monitor_start(cloche_error *err);
void cl_monitor_add(cl_thread *thread);
void cl_monitor_remove(cl_thread *thread);
void cl_monitor_quiesce(void);
void cl_monitor_wake(void);

/* Around fork(2): no round is in progress meanwhile; the child has no monitor and one thread, or none that is known. */
void cl_monitor_fork_prepare(void);
void cl_monitor_fork_parent(void);
void cl_monitor_fork_child(cl_thread *survivor);

extern _Atomic uint32_t cl_monitor_sleeps __attribute__((visibility("hidden")));

/* After a run has begun to be watched. */
static inline void cl_monitor_notice(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(atomic_load_explicit(&cl_monitor_sleeps, memory_order_relaxed) != 0, 0))
        cl_monitor_wake();
}

#endif
