#include "isolate/trap.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "base/error.h"
#include "isolate/alarm.h"
#include "isolate/guest_text.h"
#include "isolate/thread.h"



static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;
static int stop_signal;
static struct sigaction previous[2]; /* SIGSEGV, SIGBUS: who was there when ours was last put in front */
static struct sigaction original[2]; /* who was there first */
static bool has_original[2];

/* The pass_on that this thread is in, see is_loop. */
static __thread struct {
    const siginfo_t *info;
    uintptr_t frame;
} passing __attribute__((tls_model("initial-exec")));

static int fault_index(int signal)
{
    return signal == SIGBUS;
}

/* ---- the interrupted context, x86-64 ---- */

static uintptr_t context_pc(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
}

static void leave_from(ucontext_t *context, cl_slot *slot, cl_leave why)
{
    greg_t *regs = context->uc_mcontext.gregs;
    regs[REG_RIP] = (greg_t)(uintptr_t)cl_slot_jump_out;
    regs[REG_RDI] = (greg_t)(uintptr_t)slot;
    regs[REG_RSI] = (greg_t)why;
    regs[REG_RSP] = (greg_t)(uintptr_t)slot->host_sp;
    regs[REG_EFL] &= ~(greg_t)0x400; /* direction flag */
}

/* ---- stop ---- */

static void sig_stop(int signal, siginfo_t *info, void *context)
{
    int saved = errno;
    cl_thread *thread = cl_thread_self();

    (void)signal;
    if (thread != NULL && info->si_code == SI_TIMER)
        sig_alarm(thread, info);
    if (thread != NULL && atomic_load(&thread->kill_sequence) == atomic_load(&thread->sequence)) {
        cl_slot *slot = atomic_load_explicit(&thread->slot, memory_order_relaxed);
        /* Interrupted host code is let alone: imports look for themselves, the monitor tries again. */
        if (slot != NULL && cl_in_guest_text(context_pc(context)))
            leave_from(context, slot, CL_LEAVE_STOP);
    }
    errno = saved;
}

/* ---- faults ---- */

static bool is_in(uint64_t address, const uint8_t *start, uint64_t length)
{
    uint64_t from = (uint64_t)(uintptr_t)start;
    return address >= from && address - from < length;
}

/* true: handled, the context may have been rewritten. */
static bool claim_fault(siginfo_t *info, ucontext_t *context)
{
    cl_slot *slot = cl_thread_slot();
    uint64_t address = (uint64_t)(uintptr_t)info->si_addr;

    if (slot == NULL || info->si_code <= 0 || !cl_in_guest_text(context_pc(context)))
        return false;
    bool in_memory = is_in(address, slot->memory, CL_MEMORY_SPAN + CL_TAIL_GUARD_BYTES);
    bool in_guard = is_in(address, slot->reservation, CL_STACK_GUARD_BYTES);
    /* A non-canonical or unreported address comes as SI_KERNEL with address 0; guest addresses never are, so it is
     * not the guest's. */
    if (!in_memory && !in_guard)
        return false;
    uint64_t offset = address - (uint64_t)(uintptr_t)slot->memory;
    if (in_memory && (cl_slot_open_deep(slot, offset) || cl_slot_thaw(slot, offset)))
        return true;
    leave_from(context, slot, CL_LEAVE_FAULT);
    return true;
}

/* A handler that was installed over ours and chains to it, and was then put behind ours, hands the fault back: same
 * siginfo, deeper frame. A frame that is not deeper means that the earlier pass was left by a jump. */
static bool is_loop(const siginfo_t *info, uintptr_t frame)
{
    return passing.info == info && frame < passing.frame;
}

static void pass_on(int signal, siginfo_t *info, void *context)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    const struct sigaction *before = &previous[fault_index(signal)];

    if (is_loop(info, frame))
        before = &original[fault_index(signal)];
    passing.info = info;
    passing.frame = frame;

    if (before->sa_flags & SA_SIGINFO) {
        before->sa_sigaction(signal, info, context);
        return;
    }
    if (before->sa_handler == SIG_IGN && info->si_code <= 0)
        return;
    if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN) {
        before->sa_handler(signal);
        return;
    }
    /* Default: a fault happens again on return and ends the process; a sent signal must be sent again. */
    struct sigaction fatal = {.sa_handler = SIG_DFL};
    sigaction(signal, &fatal, NULL);
    if (info->si_code <= 0)
        raise(signal);
}

static void sig_fault(int signal, siginfo_t *info, void *context)
{
    int saved = errno;

    if (!claim_fault(info, context))
        pass_on(signal, info, context);
    errno = saved;
}

/* ---- installation ---- */

static bool is_free(int signal)
{
    struct sigaction now;
    return sigaction(signal, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL;
}

static bool is_ours(int signal, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction now;
    return sigaction(signal, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handler;
}

static cloche_status choose_signal(int wanted, int *out, cloche_error *err)
{
    if (wanted != 0) {
        if (wanted < SIGRTMIN || wanted > SIGRTMAX)
            return cl_error_set(err, CLOCHE_E_INVAL, 0, "trap", "stop_signal: given %d, allowed %d..%d", wanted,
                                SIGRTMIN, SIGRTMAX);
        if (!is_free(wanted))
            return cl_error_set(err, CLOCHE_E_BUSY, 0, "trap", "stop_signal: signal %d has a handler already", wanted);
        *out = wanted;
        return CLOCHE_OK;
    }
    for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++)
        if (is_free(signal)) {
            *out = signal;
            return CLOCHE_OK;
        }
    return cl_error_set(err, CLOCHE_E_BUSY, 0, "trap", "every real-time signal has a handler; name one in stop_signal");
}

static cloche_status install_fault(int signal, cloche_error *err)
{
    struct sigaction action = {.sa_sigaction = sig_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct sigaction before;

    if (is_ours(signal, sig_fault))
        return CLOCHE_OK;
    sigemptyset(&action.sa_mask);
    if (sigaction(signal, &action, &before) != 0)
        return cl_error_set(err, CLOCHE_E_SYS, errno, "trap", "cannot install the handler of signal %d", signal);
    previous[fault_index(signal)] = before;
    if (!has_original[fault_index(signal)]) {
        original[fault_index(signal)] = before;
        has_original[fault_index(signal)] = true;
    }
    return CLOCHE_OK;
}

cloche_status cl_trap_install(int signal, cloche_error *err)
{
    cloche_status rc = CLOCHE_OK;
    struct sigaction action = {.sa_sigaction = sig_stop, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};

    pthread_mutex_lock(&install_lock);
    if (stop_signal != 0 && signal != 0 && signal != stop_signal) {
        rc = cl_error_set(err, CLOCHE_E_BUSY, 0, "trap", "stop_signal: this process uses signal %d already", stop_signal);
        goto out;
    }
    if (stop_signal == 0) {
        int chosen = 0;
        if ((rc = choose_signal(signal, &chosen, err)) < 0)
            goto out;
        sigemptyset(&action.sa_mask);
        if (sigaction(chosen, &action, NULL) != 0) {
            rc = cl_error_set(err, CLOCHE_E_SYS, errno, "trap", "cannot install the handler of signal %d", chosen);
            goto out;
        }
        stop_signal = chosen;
    } else if (!is_ours(stop_signal, sig_stop)) {
        rc = cl_error_set(err, CLOCHE_E_BUSY, 0, "trap", "the handler of stop signal %d was replaced", stop_signal);
        goto out;
    }
    if ((rc = install_fault(SIGSEGV, err)) < 0 || (rc = install_fault(SIGBUS, err)) < 0)
        goto out;
out:
    pthread_mutex_unlock(&install_lock);
    return rc;
}

int cl_trap_stop_signal(void)
{
    return stop_signal;
}
