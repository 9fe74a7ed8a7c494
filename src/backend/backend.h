/* backend.h - where runs run: the interface between core and the backends
 *
 *   take or make ─► begin ─► step ─► (waiting ─► step)* ─► done ─► clean ─► give
 *                             ▲ stop, from any thread        │
 *                             └── end, when it waits ────────┘
 *
 * A place is what one run occupies: a guest memory in this process, or a jailed process. Core knows nothing else of it.
 *
 * Owner    a place is lent by take or make and returned by give
 * Locks    take, give and stop are called with core's lock held and are short; all others without
 * Threads  make, begin, step, end, wake_ns, clean: the thread that works on the run, after enter on that thread.
 *          stop: any thread, from begin until the place is given back
 */
#ifndef CL_BACKEND_BACKEND_H
#define CL_BACKEND_BACKEND_H

#include "isolate/guest.h"
#include "isolate/step.h"

typedef struct cl_backend cl_backend;
typedef struct cl_place cl_place;

typedef struct cl_backend_stats {
    uint32_t places;
    uint64_t traps;
} cl_backend_stats;

struct cl_backend {
    const char *name; /* "worker", "process" */
    uint32_t isolation; /* CLOCHE_LAYER_ bits that stand */
    uint64_t grace_ns;  /* between a run's deadline and the time when core ends it: the backend stops it itself */
    bool charges_limit; /* nothing outside sees what its runs use together: each counts for its whole limit */
    bool bounds_runs;   /* places are made for the sandbox's sizes: no run may have larger ones */
    void (*close)(cl_backend *backend);
    void (*abandon)(cl_backend *backend); /* close, in a child made by fork: its threads and processes are the parent's */
    cloche_status (*enter)(cl_backend *backend, cloche_error *err); /* makes the calling thread fit for the rest */
    cl_place *(*take)(cl_backend *backend);                    /* one that is free; NULL: none */
    cl_place *(*make)(cl_backend *backend, cloche_error *err); /* a new one; NULL: err */
    void (*begin)(cl_place *place, const cl_run_request *request, cloche_result *result, uint64_t start_ns);
    cl_step_state (*step)(cl_place *place, bool may_wait); /* may_wait: the thread is the run's own, so it may be held */
    uint64_t (*wake_ns)(const cl_place *place);
    int (*fd)(const cl_place *place); /* readable: the run goes on. NULL: only time wakes it */
    void (*stop)(cl_place *place, cl_stop why);
    void (*end)(cl_place *place, cl_stop why);
    void (*clean)(cl_place *place); /* nothing of the run is left in it */
    void (*give)(cl_backend *backend, cl_place *place);
    void (*stats)(cl_backend *backend, cl_backend_stats *out);
};

/* Every backend has one such function; core/backends.c is the only file that names them. */
typedef cloche_status cl_backend_open_fn(const cloche_options *options, cl_backend **out, cloche_error *err);

#endif
