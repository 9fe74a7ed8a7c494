#include "isolate/alarm.h"

#include <errno.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "isolate/trap.h"

enum { RETRY_NS = 200000 };

static timer_t timers[2]; /* wall, CPU */

static cloche_status open_timer(clockid_t clock, cl_stop why, timer_t *out, cloche_error *err)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = cl_trap_stop_signal()};

    event.sigev_value.sival_int = (int)why;
    if (timer_create(clock, &event, out) != 0)
        return cl_error_set(err, CLOCHE_E_SYS, errno, "alarm", "cannot create a timer");
    return CLOCHE_OK;
}

cloche_status cl_alarm_install(cloche_error *err)
{
    return cl_trap_install(0, err);
}

cloche_status cl_alarm_open(cloche_error *err)
{
    cloche_status rc;

    if ((rc = open_timer(CLOCK_MONOTONIC, CL_STOP_WALL, &timers[0], err)) < 0)
        return rc;
    return open_timer(CLOCK_PROCESS_CPUTIME_ID, CL_STOP_CPU, &timers[1], err);
}

static void set(timer_t timer, int flags, uint64_t ns)
{
    struct itimerspec spec = {
        .it_value = {.tv_sec = (time_t)(ns / CL_NS_PER_S), .tv_nsec = (long)(ns % CL_NS_PER_S)},
        .it_interval = {.tv_nsec = ns != 0 ? RETRY_NS : 0},
    };
    CL_ASSERT(timer_settime(timer, flags, &spec, NULL) == 0);
}

void cl_alarm_arm(uint64_t deadline_ns, uint64_t cpu_left_ns)
{
    set(timers[0], TIMER_ABSTIME, deadline_ns);
    if (cpu_left_ns != 0)
        set(timers[1], 0, cpu_left_ns);
}

void cl_alarm_disarm(void)
{
    set(timers[0], 0, 0);
    set(timers[1], 0, 0);
}

void sig_alarm(cl_thread *thread, const siginfo_t *info)
{
    uint64_t deadline_ns = atomic_load(&thread->watch.deadline_ns);
    uint64_t sequence = atomic_load(&thread->sequence);

    if (deadline_ns == 0 || atomic_load(&thread->kill_sequence) == sequence)
        return;
    /* A late signal of an earlier run names no deadline that has passed. */
    if (info->si_value.sival_int == CL_STOP_WALL && cl_clock_ns(CLOCK_MONOTONIC) < deadline_ns)
        return;
    if (info->si_value.sival_int == CL_STOP_CPU && atomic_load(&thread->watch.cpu_deadline_ns) == 0)
        return;
    atomic_store(&thread->kill_why, info->si_value.sival_int);
    atomic_store(&thread->kill_sequence, sequence);
}
