/* zygote.h - the fork server of one sandbox, as the host sees it
 *
 *   host ── launch thread ──► guard ──► supervisor ──► zygote (init of its namespaces) ──► child, child, ...
 *    │    (parent-death signal)  │         │ waits, removes the cgroup                    ▲ one run (or more) each
 *    │                           │         └── dies with the host                         │
 *    │                           └── keeps SIGCHLD and wait() of the host undisturbed (launch.h)
 *    ├── control socket: SPAWN id + socket, KILL id ──► zygote ── EXIT id, status, CPU time ──► launch thread
 *    └── run socket, one per child: request, output, result. Never passes through the zygote, except as a descriptor
 *
 * The zygote is the executable embedded in this library (zygote_main.c), run from a sealed memfd. It is tiny and
 * single-threaded, has entered its jail before it serves, and never sees a byte of a tenant.
 *
 * Owner    the handle; stop releases it
 * Threads  spawn, kill: any thread (an order may wait while the zygote is busy); start, stop, abandon: one thread
 * Errors   CLOCHE_E_NOSYS a required layer cannot stand (text names it, errno and remedy), CLOCHE_E_SYS, CLOCHE_E_NOMEM
 */
#ifndef CL_PROCESS_ZYGOTE_H
#define CL_PROCESS_ZYGOTE_H

#include <stdbool.h>
#include <stdint.h>

#include <cloche/sandbox.h>

typedef struct cl_zygote cl_zygote;

typedef struct cl_zygote_config {
    uint64_t memory_bytes;     /* of a child: guest memory plus the fixed part; the kernel's own wall */
    uint64_t group_bytes;      /* of all children together, for a cgroup; 0: none wanted */
    uint32_t most_children;
    uint32_t required;         /* CLOCHE_LAYER_ bits; a missing one fails start */
    uint64_t heap_bytes;    /* of a child, for requests and results; its whole range is reserved at the start */
    uint32_t left_out;         /* 0; a test leaves out layers to show what they are good for (plan.h) */
} cl_zygote_config;

/* What stands, and for each layer that does not, why. */
typedef struct cl_layer_report {
    uint32_t bit;       /* CLOCHE_LAYER_ */
    bool stands;
    int os_errno;       /* 0 when it stands */
    char step[64];      /* what was attempted: "unshare(CLONE_NEWUSER)" */
    char remedy[160];   /* what to do about it, one line */
} cl_layer_report;

enum { CL_LAYER_REPORTS = 9 };

typedef struct cl_zygote_report {
    uint32_t isolation; /* bits that stand, SFI included */
    cl_layer_report layers[CL_LAYER_REPORTS];
    uint32_t count;
} cl_zygote_report;

/* How a child ended: the zygote's observation, not the child's. */
typedef struct cl_child_exit {
    int status;         /* as of waitpid(2); exit code CL_CHILD_UNBORN: it never came to child_main */
    uint64_t cpu_ns;    /* user and system time */
    bool is_oom;        /* killed by the memory cgroup */
} cl_child_exit;

enum { CL_CHILD_UNBORN = 121 };

/* on_exit is called on the launch thread, once per spawned child, also for those that die with the zygote (status 9);
 * on_death once, when the zygote is gone without stop having been called: nothing can be spawned any more, the owner
 * starts another. Neither may call stop. */
typedef struct cl_zygote_events {
    void (*on_exit)(void *user, uint32_t id, const cl_child_exit *how);
    void (*on_death)(void *user);
    void *user;
} cl_zygote_events;

cloche_status cl_zygote_start(const cl_zygote_config *config, const cl_zygote_events *events, cl_zygote **out,
                              cl_zygote_report *report, cloche_error *err);

/* A child with `socket` as its run socket; the caller keeps its own copy and may close it afterwards. */
cloche_status cl_zygote_spawn(cl_zygote *zygote, uint32_t id, int socket, cloche_error *err);

/* SIGKILL to a child that has not been reaped; its on_exit follows. Unknown ids are ignored. */
void cl_zygote_kill(cl_zygote *zygote, uint32_t id);

/* Memory and descriptors only: in a child made by fork, where the zygote and the launch thread are the parent's. */
void cl_zygote_abandon(cl_zygote *zygote);

/* Kills everything, waits until all on_exit were called, removes the cgroup, joins the launch thread. NULL is fine. */
void cl_zygote_stop(cl_zygote *zygote);

/* In the child: sets itself up, calls child_limit_mappings and child_seccomp (child_jail.h), then serves runs on
 * `socket` until end of file. Defined in child.c. */
_Noreturn void child_main(int socket, uint64_t heap_bytes);

#endif
