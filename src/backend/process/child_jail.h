/* child_jail.h - a child of the fork server, from birth to the filter
 *
 *   born ─► child_enter: death signal, one descriptor, limits ─► child_main (child.c): its mappings, timers, handlers
 *        ─► child_limit_mappings ─► child_seccomp ─► guests
 *
 * After child_seccomp only these calls are left: see seccomp.c.
 *
 * Owner    the plan is set once, before the first child is made
 * Threads  the server and its children have one thread each
 * Errors   a step that fails ends the child with CL_CHILD_UNBORN: a layer that was reported stands in every child
 */
#ifndef CL_PROCESS_CHILD_JAIL_H
#define CL_PROCESS_CHILD_JAIL_H

#include <sys/types.h>

#include "backend/process/plan.h"
#include "backend/process/report.h"

/* The lowest number, so that with RLIMIT_NOFILE 1 there is no room for another descriptor. */
enum { CL_CHILD_SOCKET = 0 };

/* Optional: called once in the server, inside its namespaces but before its last limits and before any child, so that
 * children inherit what it makes: mappings, signal handlers. Declared weak, so a program without one links. */
void zygote_prepare(uint64_t heap_bytes) __attribute__((weak));

/* Keeps the steps and builds the filter. */
void child_jail_init(const cl_plan *plan);

/* Performs a child's steps in a child that then ends. A step that fails is taken out, and its layer falls in the
 * report; answers the step when it has no layer, for no child can be made then; else NULL. */
const cl_step *child_jail_probe(cl_zygote_report *report, int *os_errno);

/* In the new process: becomes a child of `server` that has `socket` as CL_CHILD_SOCKET and nothing else. */
void child_enter(int socket, pid_t server);

/* When all mappings are made. Memory may still be given back, and be made writable within the limit. */
void child_limit_mappings(void);

/* The last step. */
void child_seccomp(void);

#endif
