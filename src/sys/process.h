/* process.h - making processes in ways the C library has no function for
 *
 * Owner    descriptors are the caller's; close-on-exec
 * Threads  any thread
 * Errors   as system calls: -1 and errno
 * Source   clone(2), close_range(2) since 5.9, pidfd_send_signal(2) since 5.1
 */
#ifndef CL_SYS_PROCESS_H
#define CL_SYS_PROCESS_H

#include <sys/types.h>

/* A process that shares this one's memory for as long as it lives. It ends without a signal to its parent, and only
 * wait calls with __WALL see it (until it calls exec: that makes it an ordinary child). `run` has the calling thread's
 * thread-local storage, errno included, so it makes raw system calls only (raw.h); and
 * it does not return. stack_top is aligned to 16 bytes. */
pid_t cl_process_share(void (*run)(void *arg), void *stack_top, void *arg, int *pidfd);

/* As fork, but the new process is the caller's sibling: a child of the caller's parent, which alone can wait
 * for it. */
pid_t cl_process_fork_sibling(void);

/* Closes every descriptor from first to last. */
int cl_process_close(unsigned first, unsigned last);

int cl_process_signal(int pidfd, int signal);

#endif
