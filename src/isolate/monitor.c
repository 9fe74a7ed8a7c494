#include "isolate/monitor.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "isolate/trap.h"
#include "sys/task.h"

enum {
    TICK_NS = 1000000,
    SHORTEST_NS = 20000,    /* sleep when a deadline is that near */
    IDLE_TICKS = 100,       /* then sleep until a run begins */
    RETRY_LEAST_NS = 60000, /* jittered: a fixed period can lock in step with a host's profiler */
    RETRY_SPREAD_NS = 200000,
    MONITOR_STACK_BYTES = 262144, /* thread-locals of the whole program come out of it */
};

_Atomic uint32_t cl_monitor_sleeps;

static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;
static cl_thread *threads;
static bool is_started;
static int sleeping; /* whether the monitor may sleep: 0 not asked yet, 1 yes, -1 no */

/* Answers why the run that `sequence` names must stop now; CL_STOP_NONE if it need not or is over. */
static cl_stop must_stop(cl_thread *thread, uint64_t now_ns, uint64_t *sequence, uint64_t *nearest_ns)
{
    cl_stop why = CL_STOP_NONE;
    uint64_t s = atomic_load_explicit(&thread->sequence, memory_order_acquire);
    uint64_t deadline_ns = atomic_load_explicit(&thread->watch.deadline_ns, memory_order_acquire);

    *sequence = s;
    if (deadline_ns == 0)
        return CL_STOP_NONE;
    if (deadline_ns < *nearest_ns)
        *nearest_ns = deadline_ns;
    uint64_t cpu_deadline_ns = atomic_load_explicit(&thread->watch.cpu_deadline_ns, memory_order_relaxed);
    _Atomic int *stop = atomic_load_explicit(&thread->watch.stop, memory_order_relaxed);
    /* Slots are freed under threads_lock only, so the wish can be read even if its run has just ended. */
    int wish = stop != NULL ? atomic_load_explicit(stop, memory_order_acquire) : CL_STOP_NONE;
    if (wish != CL_STOP_NONE)
        why = (cl_stop)wish;
    else if (now_ns >= deadline_ns)
        why = CL_STOP_WALL;
    else if (cpu_deadline_ns != 0 && cl_clock_ns(thread->cpu_clock) >= cpu_deadline_ns)
        why = CL_STOP_CPU;
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&thread->sequence, memory_order_relaxed) != s)
        return CL_STOP_NONE;
    return why;
}

/* One look at every thread. Answers whether one had to be told to stop, and the nearest deadline; UINT64_MAX: none
 * runs. */
static bool round_of_threads(uint64_t now_ns, uint64_t *nearest_ns)
{
    bool told = false;

    *nearest_ns = UINT64_MAX;

    pthread_mutex_lock(&threads_lock);
    for (cl_thread *thread = threads; thread != NULL; thread = thread->next) {
        uint64_t sequence;
        cl_stop why = must_stop(thread, now_ns, &sequence, nearest_ns);
        if (why == CL_STOP_NONE)
            continue;
        /* A reason once given to a run stays; the handler looks at the number last. */
        if (atomic_load(&thread->kill_sequence) != sequence) {
            atomic_store(&thread->kill_why, (int)why);
            atomic_store(&thread->kill_sequence, sequence);
        }
        cl_task_signal(thread->tid, cl_trap_stop_signal());
        told = true;
    }
    pthread_mutex_unlock(&threads_lock);
    return told;
}

static uint32_t next_pause_ns(bool told, uint64_t now_ns, uint64_t nearest_ns)
{
    static uint32_t jitter = 1;

    if (told) {
        jitter = jitter * 1664525u + 1013904223u;
        return RETRY_LEAST_NS + (jitter >> 8) % RETRY_SPREAD_NS;
    }
    if (nearest_ns < now_ns + TICK_NS)
        return nearest_ns > now_ns + SHORTEST_NS ? (uint32_t)(nearest_ns - now_ns) : SHORTEST_NS;
    return TICK_NS;
}

/* Registered here, at leisure: in a process with threads it takes the kernel milliseconds. Where there is no
 * membarrier(2), the monitor goes on ticking. */
static bool may_sleep(void)
{
    if (sleeping == 0)
        sleeping = cl_task_barrier_register() == 0 ? 1 : -1;
    return sleeping > 0;
}

static void *monitor_main(void *unused)
{
    int idle_ticks = 0;

    (void)unused;
    cl_task_name("cloche-monitor");
    for (;;) {
        uint64_t nearest_ns;
        uint64_t now_ns = cl_clock_ns(CLOCK_MONOTONIC);
        bool told = round_of_threads(now_ns, &nearest_ns);

        idle_ticks = nearest_ns == UINT64_MAX ? idle_ticks + 1 : 0;
        if (idle_ticks >= IDLE_TICKS && may_sleep()) {
            idle_ticks = 0;
            atomic_store(&cl_monitor_sleeps, 1);
            /* Every runner sees the flag, or its run is seen in the round below. */
            cl_task_barrier();
            round_of_threads(now_ns, &nearest_ns);
            if (nearest_ns != UINT64_MAX)
                atomic_store(&cl_monitor_sleeps, 0);
            else
                cl_task_futex_wait(&cl_monitor_sleeps, 1);
            continue;
        }
        struct timespec pause = {.tv_nsec = next_pause_ns(told, now_ns, nearest_ns)};
        clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    }
    return NULL;
}

cloche_status cl_monitor_start(cloche_error *err)
{
    cloche_status rc = CLOCHE_OK;
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_mutex_lock(&threads_lock);
    if (is_started)
        goto out;
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, MONITOR_STACK_BYTES);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* the monitor handles no signal of the host */
    int failed = pthread_create(&thread, &attributes, monitor_main, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (failed != 0)
        rc = cl_error_set(err, CLOCHE_E_NOMEM, failed, "monitor", "cannot start the thread that watches deadlines");
    else
        is_started = true;
out:
    pthread_mutex_unlock(&threads_lock);
    return rc;
}

void cl_monitor_add(cl_thread *thread)
{
    pthread_mutex_lock(&threads_lock);
    thread->next = threads;
    if (threads != NULL)
        threads->previous = thread;
    threads = thread;
    pthread_mutex_unlock(&threads_lock);
}

void cl_monitor_remove(cl_thread *thread)
{
    pthread_mutex_lock(&threads_lock);
    if (thread->previous != NULL)
        thread->previous->next = thread->next;
    else
        threads = thread->next;
    if (thread->next != NULL)
        thread->next->previous = thread->previous;
    pthread_mutex_unlock(&threads_lock);
}

void cl_monitor_quiesce(void)
{
    pthread_mutex_lock(&threads_lock);
    pthread_mutex_unlock(&threads_lock);
}

void cl_monitor_wake(void)
{
    atomic_store(&cl_monitor_sleeps, 0);
    cl_task_futex_wake(&cl_monitor_sleeps);
}

void cl_monitor_fork_prepare(void)
{
    pthread_mutex_lock(&threads_lock);
}

void cl_monitor_fork_parent(void)
{
    pthread_mutex_unlock(&threads_lock);
}

void cl_monitor_fork_child(cl_thread *survivor)
{
    is_started = false;
    sleeping = 0;
    atomic_store(&cl_monitor_sleeps, 0);
    threads = survivor;
    if (survivor != NULL)
        survivor->next = survivor->previous = NULL;
    pthread_mutex_unlock(&threads_lock);
}
