/* launch.h - the zygote's program, started without the host noticing
 *
 *   launch thread ──clone──► guard ──vfork, exec──► supervisor
 *
 * A program that was executed is an ordinary child: its end sends SIGCHLD, and any wait() of the host may take it
 * (exec resets the exit signal). So a guard stands between: a process that never executes anything, has no exit signal,
 * and is seen by wait calls with __WALL only. It shares the host's memory, for a copy would cost a large host dearly,
 * and that is why it closes every descriptor first and then filters itself down to waiting and ending: a host that
 * gives up its privileges later must not find them again in there. Where the filter is refused, a host that has none
 * goes on without.
 *
 *   the launching thread ends, or the host dies   guard: SIGKILL as death signal ─► supervisor: SIGCONT likewise
 *   the supervisor ends                           guard ends; its pidfd becomes readable
 *
 * The program is in this library, as bytes, and is executed from a sealed memfd. Where that is refused, the program
 * `cloche-zygote` in the folder of this library (or of the program it is part of) is used.
 *
 * Owner    the launch is the caller's storage; it must not move, and not go away before cl_launch_wait
 * Threads  the launching thread must live until the guard has ended, with all signals blocked
 * Errors   CLOCHE_E_NOSYS the program cannot be executed; CLOCHE_E_NOMEM, CLOCHE_E_SYS
 * Source   clone(2), prctl(2) PR_SET_PDEATHSIG, memfd_create(2), execveat(2)
 */
#ifndef CL_PROCESS_LAUNCH_H
#define CL_PROCESS_LAUNCH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <cloche/status.h>

#include "sys/filter.h"

typedef struct cl_launch {
    int guard_pidfd;
    pid_t guard;
    void *stack; /* the guard's, for as long as it lives */
    /* Read by the guard. */
    pid_t host;
    int program; /* sealed memfd; -1: none */
    int control; /* the zygote's end of the control socket */
    char helper[PATH_MAX];
    bool must_filter; /* there are privileges that a guard without a filter would keep */
    cl_filter filter;
    /* Written by the guard before it ends. */
    volatile int os_errno;
    const char *volatile step; /* what failed; NULL: nothing */
} cl_launch;

/* control is copied; the caller closes its own. */
cloche_status cl_launch_start(cl_launch *launch, int control, cloche_error *err);

void cl_launch_kill(const cl_launch *launch);

/* The guard has ended, or is about to: collects it and releases what the launch holds. */
void cl_launch_wait(cl_launch *launch);

#endif
