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

pid_t cl_process_share(int (*run)(void *arg), void *stack_top, void *arg, int *pidfd)
{
    return clone(run, stack_top, CLONE_VM | CLONE_PIDFD, arg, pidfd);
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
