/* alarm.h - deadlines by timers, where there is no monitor: in a single-threaded process
 *
 * A POSIX timer sends the stop signal at the deadline and again every 200 us until it is disarmed; a second one counts
 * the process's CPU time. Opened before the jail closes, since the jail allows timer_settime(2) but not timer_create(2).
 *
 * Threads  the only one
 */
#ifndef CL_ISOLATE_ALARM_H
#define CL_ISOLATE_ALARM_H

#include <signal.h>
#include <stdint.h>

#include "isolate/thread.h"

/* Handlers, which children inherit; then timers, which they do not. Instead of cl_threads_init. */
cloche_status cl_alarm_install(cloche_error *err);
cloche_status cl_alarm_open(cloche_error *err);
void cl_alarm_arm(uint64_t deadline_ns, uint64_t cpu_left_ns); /* cpu_left_ns 0: no CPU limit */
void cl_alarm_disarm(void);

/* In the handler of the stop signal, if a timer sent it: what monitor.c does elsewhere. */
void sig_alarm(cl_thread *thread, const siginfo_t *info);

#endif
