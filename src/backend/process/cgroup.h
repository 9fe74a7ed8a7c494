/* cgroup.h - one memory group around all children of a zygote
 *
 *   host: choose a place ─► supervisor: make ─► zygote: join ─► server: count OOM kills ─► supervisor: remove
 *
 *   v1   <memory mount>/<own group>/cloche-<pid>-<n>, and the same under pids where that is mounted
 *   v2   <mount>/<own group>/cloche-<pid>-<n> when the own group may have groups with a memory limit, else next to it:
 *        a group with processes of its own cannot, which is why systemd has DelegateSubgroup=
 *
 * The kernel kills the largest process of a full group, which is a child, never the server; oom.group stays 0.
 *
 * Owner    the supervisor owns the folders; the host removes them when the supervisor was killed
 * Threads  any thread
 * Errors   errno as a return value, 0 for success
 * Source   cgroups(7), Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst
 */
#ifndef CL_PROCESS_CGROUP_H
#define CL_PROCESS_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/process/plan.h"

enum { CL_CGROUP_PATH = 512 };

typedef struct cl_cgroup_place {
    cl_cgroup_kind kind;
    int os_errno;                /* why kind is NONE */
    char memory[CL_CGROUP_PATH]; /* the folder to be made */
    char pids[CL_CGROUP_PATH];   /* v1 only; "": none */
} cl_cgroup_place;

/* Where the groups of this process are mounted. Pure: the texts are /proc/self/cgroup and /proc/self/mountinfo.
 * Answers false when the controller is not there. kind tells which hierarchy was found. */
bool cl_cgroup_find(const char *groups, const char *mounts, const char *controller, cl_cgroup_kind *kind, char *out,
                    uint32_t size);

/* A place below (or, v2, beside) the caller's own group. Makes nothing. */
void cl_cgroup_choose(cl_cgroup_place *out);

int cl_cgroup_make(const cl_cgroup_place *place, uint64_t bytes, uint32_t most_processes);
int cl_cgroup_join(const cl_cgroup_place *place);

/* A descriptor to count with, opened before the file system is gone; -1: cannot be counted. */
int cl_cgroup_counter_open(const cl_cgroup_place *place);
uint64_t cl_cgroup_oom_kills(int counter);

/* The processes in it have ended, or are about to: waits for them for at most a second. */
int cl_cgroup_remove(const cl_cgroup_place *place);

#endif
