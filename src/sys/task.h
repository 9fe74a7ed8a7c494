/* task.h - system calls about threads that libc does not wrap
 *
 * Threads  any thread; cl_task_signal also from the monitor
 * Source   gettid(2), tgkill(2), futex(2), membarrier(2) since Linux 4.14, prctl(2)
 */
#ifndef CL_SYS_TASK_H
#define CL_SYS_TASK_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

pid_t cl_task_id(void);
void cl_task_name(const char *name);
void cl_task_signal(pid_t tid, int signal); /* to a thread of this process */
void cl_task_futex_wait(_Atomic uint32_t *word, uint32_t value);
void cl_task_futex_wake(_Atomic uint32_t *word);
int cl_task_barrier_register(void);
void cl_task_barrier(void);

#endif
