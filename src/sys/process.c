#include "sys/process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x00001000
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

/* Not by the C library's clone(): sanitizers put a function of theirs in its place, which takes for granted that the
 * memory is not shared. Registers survive the call in both processes, so run and arg are kept in two of them. */
#if defined(__x86_64__)
static long clone_on(long flags, void *stack_top, int *pidfd, void (*run)(void *arg), void *arg)
{
    long answer;
    register long r8 __asm__("r8") = 0;
    register long r10 __asm__("r10") = 0;
    register void (*r12)(void *) __asm__("r12") = run;
    register void *r13 __asm__("r13") = arg;
    __asm__ volatile("syscall\n\t"
                     "test %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "xor %%ebp, %%ebp\n\t"
                     "mov %%r13, %%rdi\n\t"
                     "call *%%r12\n\t"
                     "ud2\n"
                     "1:"
                     : "=a"(answer)
                     : "a"(SYS_clone), "D"(flags), "S"(stack_top), "d"(pidfd), "r"(r10), "r"(r8), "r"(r12), "r"(r13)
                     : "rcx", "r11", "memory");
    return answer;
}
#elif defined(__aarch64__)
static long clone_on(long flags, void *stack_top, int *pidfd, void (*run)(void *arg), void *arg)
{
    register long x8 __asm__("x8") = SYS_clone;
    register long x0 __asm__("x0") = flags;
    register void *x1 __asm__("x1") = stack_top;
    register int *x2 __asm__("x2") = pidfd;
    register long x3 __asm__("x3") = 0;
    register long x4 __asm__("x4") = 0;
    register void (*x12)(void *) __asm__("x12") = run;
    register void *x13 __asm__("x13") = arg;
    __asm__ volatile("svc #0\n\t"
                     "cbnz x0, 1f\n\t"
                     "mov x29, #0\n\t"
                     "mov x0, x13\n\t"
                     "blr x12\n\t"
                     "brk #0\n"
                     "1:"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x12), "r"(x13)
                     : "memory");
    return x0;
}
#endif

pid_t cl_process_share(void (*run)(void *arg), void *stack_top, void *arg, int *pidfd)
{
    long answer = clone_on(CLONE_VM | CLONE_PIDFD, stack_top, pidfd, run, arg);

    if (answer >= 0)
        return (pid_t)answer;
    errno = (int)-answer;
    return -1;
}

pid_t cl_process_fork_sibling(void)
{
    return (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);
}

int cl_process_close(unsigned first, unsigned last)
{
    long most;

    if (syscall(SYS_close_range, first, last, 0) == 0)
        return 0;
    if (errno != ENOSYS && errno != EPERM) /* EPERM: a container profile that does not know the call */
        return -1;
    most = sysconf(_SC_OPEN_MAX);
    for (unsigned fd = first; fd <= last && (most < 0 || (long)fd < most); fd++)
        close((int)fd);
    return 0;
}

int cl_process_signal(int pidfd, int signal)
{
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}
