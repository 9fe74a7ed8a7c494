/* thread.h - what the library keeps per operating-system thread that enters guests
 *
 *   runner:   unwatched, sequence + 1, what to watch                   (stores only: no system call, no fence)
 *   monitor:  every millisecond while something runs: sequence s, clock past the deadline?
 *             kill_sequence = s, signal the thread; again every 60..260 us until it has left
 *   handler:  kill_sequence == sequence and the program counter is guest code: leave; interrupted host code
 *             is let alone and finds the same two numbers equal when it looks (stop.h)
 *
 * A stop names a run by the sequence number, so it can never hit the next one. Runs nest (a callback may run another
 * guest): the watch of the outer run is put aside and taken up again.
 *
 * Threads  cl_thread is written by its own thread, read by the monitor and by the thread's signal handlers
 * Signals  the stop signal (sig_stop), SIGSEGV and SIGBUS (sig_fault); docs/threading.md lists them
 */
#ifndef CL_ISOLATE_THREAD_H
#define CL_ISOLATE_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include <cloche/status.h>

#include "isolate/slot.h"

/* What the monitor watches of the run on a thread. deadline_ns 0: nothing to stop. */
typedef struct cl_watch {
    _Atomic uint64_t deadline_ns;     /* CLOCK_MONOTONIC */
    _Atomic uint64_t cpu_deadline_ns; /* of the thread's CPU clock; 0: none */
    _Atomic(_Atomic int *) stop;      /* the run's stop wish */
} cl_watch;

typedef struct cl_thread {
    _Atomic uint64_t sequence;
    cl_watch watch;
    _Atomic uint64_t kill_sequence;
    _Atomic int kill_why;            /* cl_stop */
    _Atomic(cl_slot *) slot;         /* the innermost on this thread */
    pid_t tid;
    clockid_t cpu_clock;
    void *typescript;                /* its compiler, made at the first translation; NULL */
    void (*close_typescript)(void *typescript);
    struct cl_thread *next, *previous;
} cl_thread;

/* Process-wide: handlers, monitor. signal 0: the first real-time signal whose action is default. The first call decides
 * the signal; every call checks that our handlers stand and puts them back in front.
 * Errors: CLOCHE_E_INVAL no such signal, CLOCHE_E_BUSY it is taken, CLOCHE_E_SYS. */
cloche_status cl_threads_init(int signal, cloche_error *err);
int cl_threads_stop_signal(void);

/* The record of the calling thread, made and prepared (alternate stack, signals unblocked) on first use. NULL: err. */
cl_thread *cl_thread_get(cloche_error *err);
/* What was changed on the calling thread is put back. */
void cl_thread_forget(void);
/* NULL before the first cl_thread_get. Async-signal-safe, as is cl_thread_slot. */
cl_thread *cl_thread_self(void);
/* The innermost slot the calling thread is in; NULL outside. */
cl_slot *cl_thread_slot(void);

/* Until when a slot may be inside, and whose wish ends it earlier. */
typedef struct cl_until {
    uint64_t deadline_ns; /* CLOCK_MONOTONIC */
    uint64_t cpu_left_ns; /* 0: no limit */
    _Atomic int *stop;    /* cl_stop */
} cl_until;

/* Enters a slot on the calling thread, watched, and answers how it was left. */
cl_leave cl_thread_enter(cl_thread *thread, cl_slot *slot, void (*main)(cl_slot *), const cl_until *until);

/* From an import: fn(arg) on the thread's own stack, the run unwatched meanwhile. Leaves the run if it is to stop. */
void cl_thread_hop(cl_slot *slot, void (*fn)(void *), void *arg);

/* Whatever is watched through this thread list may be freed after this: waits for the monitor's round to end. */
void cl_threads_quiesce(void);

/* Grows by one in each child made by fork: what was made under another number has lost its threads. */
uint32_t cl_threads_generation(void);
/* From now on. Whoever looks at the number calls it first. */
void cl_threads_know_forks(void);

#endif
