/* fork_server.h - the first process of the jail: children on request
 *
 *   control socket ──SPAWN──► child_enter ─► child_main        one process each
 *          ▲  └──KILL──► SIGKILL                                      │
 *          └──EXIT id, status, CPU time◄── SIGCHLD ◄──────────────────┘
 *
 * It waits for two things at once and blocks on neither: orders, and the end of children. An answer that the host does
 * not take is kept with the child's entry, so what it holds is bounded by the number of children. It never sees a byte
 * of a tenant; an order that is not exactly one of control.h ends it, and so all children.
 */
#ifndef CL_PROCESS_FORK_SERVER_H
#define CL_PROCESS_FORK_SERVER_H

#include "backend/process/zygote.h"

typedef struct zygote_server_options {
    const cl_zygote_config *config;
    int oom_counter; /* -1: none */
} zygote_server_options;

/* Serves until end of file. The jail stands; child_jail has the plan. All signals are blocked. */
_Noreturn void zygote_serve(const zygote_server_options *options);

#endif
