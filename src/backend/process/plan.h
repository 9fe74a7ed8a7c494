/* plan.h - the jail as an ordered list of steps, and nothing else
 *
 * The list is the security argument: what is done, by which process, in which order, and why. It is made from limits
 * and facts by a pure function, performed by apply.c, and printed by `cloche doctor --plan`.
 *
 *   supervisor ── keeps the caller's identity; makes the memory group, waits, removes it
 *   zygote     ── gives up the identity and enters the namespaces; ends after making
 *   server     ── first process of the namespaces; gives up the rest, then makes children on request
 *   child      ── limits and filters itself, then runs guests
 *
 * What each layer means
 *   userns    a user namespace with one id and no way to another
 *   pidns     its own process numbers: nobody outside can be named, and all die with the server
 *   netns     its own network without an interface, and its own System V IPC: nobody to talk to
 *   mountns   an empty read-only root, its own host name and cgroup view: nothing to see
 *   landlock, seccomp, rlimit, cgroup   the kernel features of those names
 *
 * Pure     no system call, no clock, no state
 * Source   user_namespaces(7), capabilities(7), seccomp(2), landlock(7), pivot_root(2), setrlimit(2)
 */
#ifndef CL_PROCESS_PLAN_H
#define CL_PROCESS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum cl_cgroup_kind { CL_CGROUP_NONE = 0, CL_CGROUP_V1, CL_CGROUP_V2 } cl_cgroup_kind;

/* Not a layer of the report, but something tests can leave out as if it were one: identity and capabilities. */
#define CL_PLAN_PRIVILEGES (1u << 31)

typedef struct cl_plan_input {
    uint64_t memory_bytes;  /* of a child */
    uint64_t group_bytes;   /* of all children together; 0: no memory group wanted */
    uint32_t most_children;
    bool is_root;           /* effective uid 0 */
    int userns_errno;       /* 0: may be tried; else why it cannot be had */
    int landlock_abi;       /* 0: none */
    int landlock_errno;     /* why there is none */
    cl_cgroup_kind cgroup;
    int cgroup_errno;       /* why there is none */
    uint32_t left_out;      /* layers not to build, so that a test can show what they are good for; else 0 */
} cl_plan_input;

typedef enum cl_step_who { CL_WHO_SUPERVISOR, CL_WHO_ZYGOTE, CL_WHO_SERVER, CL_WHO_CHILD } cl_step_who;

typedef enum cl_step_op {
    CL_STEP_DEATH_SIGNAL, /* which: signal */
    CL_STEP_CGROUP_MAKE,  /* value: bytes */
    CL_STEP_CGROUP_JOIN,
    CL_STEP_OOM_SCORE,    /* value */
    CL_STEP_CHANGE_IDS,   /* value: uid and gid */
    CL_STEP_DUMPABLE,     /* value: 0 or 1 */
    CL_STEP_UNSHARE,      /* which: CLONE_NEW flag */
    CL_STEP_MAP_IDS,
    CL_STEP_MOUNTS_PRIVATE,
    CL_STEP_EMPTY_ROOT,
    CL_STEP_HOST_NAME,
    CL_STEP_DROP_BOUNDING,
    CL_STEP_LOCK_SECUREBITS,
    CL_STEP_DROP_CAPABILITIES,
    CL_STEP_NO_NEW_PRIVS,
    CL_STEP_LANDLOCK,     /* value: ABI */
    CL_STEP_RLIMIT,       /* which: RLIMIT_, value */
    CL_STEP_CLOSE_FDS,
    CL_STEP_RLIMIT_DATA,  /* value; performed when the child has made its mappings */
    CL_STEP_SECCOMP,      /* likewise, as the last step */
} cl_step_op;

typedef struct cl_step {
    cl_step_who who;
    cl_step_op op;
    uint32_t layer;   /* the layer that falls when the step fails; 0 or CL_PLAN_PRIVILEGES: the start fails */
    bool is_optional; /* failing is no loss: another step covers it */
    int which;
    uint64_t value;
    const char *name; /* "unshare(CLONE_NEWUSER)" */
    const char *why;
} cl_step;

/* A layer that is not even attempted, and why. */
typedef struct cl_plan_gap {
    uint32_t layer;
    int os_errno;
    const char *step;
} cl_plan_gap;

enum { CL_PLAN_MOST = 64, CL_PLAN_GAPS = 9, CL_PLAN_NOBODY = 65534, CL_PLAN_CHILD_FDS = 1 };

typedef struct cl_plan {
    uint32_t count, gap_count;
    cl_step steps[CL_PLAN_MOST];
    cl_plan_gap gaps[CL_PLAN_GAPS];
} cl_plan;

void cl_plan_make(const cl_plan_input *input, cl_plan *out);

/* The list as text, a line per step; answers the length it has, or would have were size larger. Always ends in NUL
 * when size is not 0. */
size_t cl_plan_text(const cl_plan_input *input, char *out, size_t size);

const char *cl_plan_who_name(cl_step_who who);
const char *cl_plan_layer_name(uint32_t layer); /* "userns"; "privileges"; "-" for 0 */

#endif
