#include "sys/task.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

pid_t cl_task_id(void)
{
    return (pid_t)syscall(SYS_gettid);
}

void cl_task_name(const char *name)
{
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

void cl_task_signal(pid_t tid, int signal)
{
    syscall(SYS_tgkill, getpid(), tid, signal);
}

void cl_task_futex_wait(_Atomic uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

void cl_task_futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

int cl_task_barrier_register(void)
{
    return (int)syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}

void cl_task_barrier(void)
{
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}
