#include "isolate/thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "isolate/monitor.h"
#include "isolate/sanitizer.h"
#include "isolate/trap.h"
#include "sys/task.h"

enum { ALT_STACK_BYTES = 65536, ALT_STACK_LEAST = 16384, HOP_STACK_BYTES = 65536 };

/* Reached from signal handlers: never allocated lazily. */
static __thread cl_thread *self __attribute__((tls_model("initial-exec")));
static __thread struct {
    void *alt_stack; /* ours, mapped; NULL: the thread had one that serves */
    stack_t before;  /* what ours stands in for */
    sigset_t unblocked;
    bool is_changed;
} changed __attribute__((tls_model("initial-exec")));

static pthread_key_t exit_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic uint32_t generation; /* forks since the first process */

static void on_thread_exit(void *record)
{
    (void)record;
    cl_thread_forget();
}

/* In the child only this thread is left: no monitor, no other records. It goes on under a number of its own, so that
 * what was made before is told from what is made after. */
static void on_fork_child(void)
{
    atomic_fetch_add(&generation, 1);
    if (self != NULL)
        self->tid = cl_task_id();
    cl_monitor_fork_child(self);
}

static void init_once(void)
{
    CL_ASSERT(pthread_key_create(&exit_key, on_thread_exit) == 0);
    CL_ASSERT(pthread_atfork(cl_monitor_fork_prepare, cl_monitor_fork_parent, on_fork_child) == 0);
}

void cl_threads_know_forks(void)
{
    pthread_once(&once, init_once);
}

uint32_t cl_threads_generation(void)
{
    return atomic_load_explicit(&generation, memory_order_relaxed);
}

cloche_status cl_threads_init(int signal, cloche_error *err)
{
    cloche_status rc;

    cl_threads_know_forks();
    if ((rc = cl_trap_install(signal, err)) < 0)
        return rc;
    return cl_monitor_start(err);
}

int cl_threads_stop_signal(void)
{
    return cl_trap_stop_signal();
}

cl_slot *cl_thread_slot(void)
{
    cl_thread *thread = self;
    return thread == NULL ? NULL : atomic_load_explicit(&thread->slot, memory_order_relaxed);
}

cl_thread *cl_thread_self(void)
{
    return self;
}

static cloche_status give_alt_stack(cloche_error *err)
{
    stack_t stack = {.ss_flags = SS_DISABLE};

    if (sigaltstack(NULL, &stack) == 0 && !(stack.ss_flags & SS_DISABLE) && stack.ss_size >= ALT_STACK_LEAST)
        return CLOCHE_OK;
    changed.before = stack;
    long page = sysconf(_SC_PAGESIZE);
    uint8_t *memory = mmap(NULL, ALT_STACK_BYTES + (size_t)page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return cl_error_set(err, CLOCHE_E_NOMEM, errno, "thread", "cannot map a signal stack");
    stack = (stack_t){.ss_sp = memory + page, .ss_size = ALT_STACK_BYTES};
    if (mprotect(memory + page, ALT_STACK_BYTES, PROT_READ | PROT_WRITE) != 0 || sigaltstack(&stack, NULL) != 0) {
        cl_error_set(err, CLOCHE_E_SYS, errno, "thread", "cannot install a signal stack");
        munmap(memory, ALT_STACK_BYTES + (size_t)page);
        return CLOCHE_E_SYS;
    }
    changed.alt_stack = memory;
    return CLOCHE_OK;
}

static void take_alt_stack(void)
{
    stack_t stack;
    long page = sysconf(_SC_PAGESIZE);
    uint8_t *memory = changed.alt_stack;

    if (memory == NULL)
        return;
    if (sigaltstack(NULL, &stack) == 0 && stack.ss_sp == memory + page) {
        if (sigaltstack(&changed.before, NULL) != 0)
            return; /* in use right now: better leaked than pulled away */
    }
    munmap(memory, ALT_STACK_BYTES + (size_t)page);
    changed.alt_stack = NULL;
}

/* A blocked SIGSEGV would kill the process, a blocked stop signal would let a guest run on. */
static void unblock_signals(void)
{
    sigset_t needed, before;

    sigemptyset(&needed);
    sigaddset(&needed, SIGSEGV);
    sigaddset(&needed, SIGBUS);
    sigaddset(&needed, cl_trap_stop_signal());
    pthread_sigmask(SIG_UNBLOCK, &needed, &before);
    sigemptyset(&changed.unblocked);
    static const int faults[] = {SIGSEGV, SIGBUS};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        if (sigismember(&before, faults[i]))
            sigaddset(&changed.unblocked, faults[i]);
    if (sigismember(&before, cl_trap_stop_signal()))
        sigaddset(&changed.unblocked, cl_trap_stop_signal());
}

cl_thread *cl_thread_get(cloche_error *err)
{
    if (__builtin_expect(self != NULL, 1))
        return self;

    cl_thread *thread = calloc(1, sizeof *thread);
    if (thread == NULL) {
        cl_error_set(err, CLOCHE_E_NOMEM, 0, "thread", "cannot allocate the record of a thread");
        return NULL;
    }
    if (give_alt_stack(err) < 0) {
        free(thread);
        return NULL;
    }
    thread->tid = cl_task_id();
    if (pthread_getcpuclockid(pthread_self(), &thread->cpu_clock) != 0)
        thread->cpu_clock = CLOCK_THREAD_CPUTIME_ID; /* never in practice; a wrong clock only stops later */
    unblock_signals();
    changed.is_changed = true;
    pthread_setspecific(exit_key, thread);
    self = thread;
    cl_monitor_add(thread);
    return thread;
}

void cl_thread_forget(void)
{
    cl_thread *thread = self;

    if (thread == NULL || atomic_load(&thread->slot) != NULL)
        return; /* in a run: not now */
    cl_monitor_remove(thread);
    self = NULL;
    pthread_setspecific(exit_key, NULL);
    if (changed.is_changed)
        pthread_sigmask(SIG_BLOCK, &changed.unblocked, NULL);
    changed.is_changed = false;
    take_alt_stack();
    if (thread->typescript != NULL)
        thread->close_typescript(thread->typescript);
    free(thread);
}

static void watch(cl_thread *thread, uint64_t deadline_ns, uint64_t cpu_deadline_ns, _Atomic int *stop)
{
    /* Unwatched first, so that the monitor never pairs an old deadline with a new number. */
    atomic_store_explicit(&thread->watch.deadline_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&thread->sequence,
                          atomic_load_explicit(&thread->sequence, memory_order_relaxed) + 1, memory_order_release);
    atomic_store_explicit(&thread->watch.cpu_deadline_ns, cpu_deadline_ns, memory_order_relaxed);
    atomic_store_explicit(&thread->watch.stop, stop, memory_order_relaxed);
    atomic_store_explicit(&thread->watch.deadline_ns, deadline_ns, memory_order_release);
    if (deadline_ns != 0)
        cl_monitor_notice();
}

typedef struct cl_outer {
    cl_slot *slot;
    uint64_t deadline_ns, cpu_deadline_ns;
    _Atomic int *stop;
} cl_outer;

static cl_outer put_aside(cl_thread *thread)
{
    return (cl_outer){
        .slot = atomic_load_explicit(&thread->slot, memory_order_relaxed),
        .deadline_ns = atomic_load_explicit(&thread->watch.deadline_ns, memory_order_relaxed),
        .cpu_deadline_ns = atomic_load_explicit(&thread->watch.cpu_deadline_ns, memory_order_relaxed),
        .stop = atomic_load_explicit(&thread->watch.stop, memory_order_relaxed),
    };
}

cl_leave cl_thread_enter(cl_thread *thread, cl_slot *slot, void (*main)(cl_slot *), const cl_until *until)
{
    cl_outer outer = put_aside(thread);
    uint64_t cpu_deadline_ns = 0;

    if (until->cpu_left_ns != 0)
        cpu_deadline_ns = cl_clock_ns(thread->cpu_clock) + until->cpu_left_ns;
    slot->is_dirty = true;
    atomic_store_explicit(&thread->slot, slot, memory_order_relaxed);
    watch(thread, until->deadline_ns, cpu_deadline_ns, until->stop);
    atomic_signal_fence(memory_order_seq_cst);
    cl_sanitizer_use_below(slot->stack_low + CL_STACK_BYTES, CL_STACK_BYTES);
    slot->caller_stack = cl_sanitizer_stack((cl_stack_bounds){slot->stack_low, CL_STACK_BYTES});
    cl_leave why = (cl_leave)cl_slot_enter(slot, main, slot->stack_low + CL_STACK_BYTES);
    cl_sanitizer_stack(slot->caller_stack);
    atomic_signal_fence(memory_order_seq_cst);
    if (why == CL_LEAVE_STOP)
        slot->stopped_for = atomic_load(&thread->kill_why);
    watch(thread, outer.deadline_ns, outer.cpu_deadline_ns, outer.stop);
    atomic_store_explicit(&thread->slot, outer.slot, memory_order_relaxed);
    return why;
}

void cl_thread_hop(cl_slot *slot, void (*fn)(void *), void *arg)
{
    cl_thread *thread = self;
    cl_outer run = put_aside(thread);
    uint32_t born = cl_threads_generation();

    watch(thread, 0, 0, NULL);
    cl_sanitizer_stack(slot->caller_stack);
    cl_sanitizer_use_below(slot->host_sp, HOP_STACK_BYTES);
    cl_slot_hop(slot, fn, arg);
    cl_sanitizer_stack((cl_stack_bounds){slot->stack_low, CL_STACK_BYTES});
    if (cl_threads_generation() != born)
        cl_slot_leave(slot, CL_LEAVE_FORKED);
    watch(thread, run.deadline_ns, run.cpu_deadline_ns, run.stop);
    int wish = run.stop != NULL ? atomic_load_explicit(run.stop, memory_order_relaxed) : CL_STOP_NONE;
    if (wish == CL_STOP_NONE && cl_clock_ns(CLOCK_MONOTONIC) >= run.deadline_ns)
        wish = CL_STOP_WALL;
    if (wish != CL_STOP_NONE) {
        atomic_store(&thread->kill_why, wish);
        cl_slot_leave(slot, CL_LEAVE_STOP);
    }
}

void cl_threads_quiesce(void)
{
    cl_monitor_quiesce();
}

#include <cloche/sandbox.h>

void cloche_thread_release(void)
{
    cl_thread_forget();
}
