/* place.h - one child as the host sees it: socket, frames, what it has said so far
 *
 * Owner    the backend owns places; a run borrows one
 * Threads  one thread at a time; stop from any thread; exit and death come from the zygote's launch thread, under
 *          process->lock
 */
#ifndef CL_PROCESS_PLACE_H
#define CL_PROCESS_PLACE_H

#include <pthread.h>

#include "backend/backend.h"
#include "backend/process/wire.h"
#include "backend/process/zygote.h"
#include "isolate/output.h"

typedef struct cl_process cl_process;

typedef struct cl_child {
    uint32_t id;
    int socket;          /* -1: no child */
    pid_t pid;           /* as the kernel says with its HELLO; 0: not yet */
    uint32_t runs;
    int has_said_hello;
    bool has_exited;     /* process->lock */
    bool is_orphan;      /* the zygote died: nobody can say how it ended */
    cl_child_exit how;
} cl_child;

typedef struct cl_process_place {
    cl_process *process;
    struct cl_process_place *next;  /* free list */
    struct cl_process_place *chain; /* all places */
    cl_child child;

    /* of a run; begin assigns it whole */
    struct cl_place_run {
        const cl_run_request *request;
        cloche_result *result;
        uint64_t start_ns, deadline_ns;
        uint64_t cpu_before_ns;
        cl_buf outgoing;
        size_t sent;
        cl_buf incoming;       /* bytes not yet a frame */
        cl_stream out, err;
        uint64_t heard[2];     /* output bytes, for the bound of a flood */
        _Atomic int stop;
        bool has_begun, is_over;
        int retries;           /* children that were gone before they had said a word */
    } run;
    bool is_spent;             /* the child must not serve another run */
} cl_process_place;

struct cl_process {
    cl_backend backend; /* first */
    pthread_mutex_t lock;
    pthread_cond_t exits;
    pthread_mutex_t restart_lock; /* one restart at a time; before the others */
    pthread_mutex_t zygote_lock;  /* held while an order is sent, which may wait; never together with lock */
    cl_zygote *zygote;            /* zygote_lock; NULL while there is none */
    bool is_dead;       /* the zygote; lock */
    cl_zygote_config config;
    cl_zygote_report report;
    uint32_t next_id;
    bool keeps_children; /* freshness "jail" */
    cl_process_place *places; /* all; lock */
    cl_process_place *free_first, *free_last; /* with a child that is ready, or nearly; lock */
    cl_process_place *used;                   /* for the nursery; lock */
    uint32_t free_count, place_count;
    pthread_t nursery;
    pthread_cond_t work;                      /* the nursery: something is used, or the end */
    bool has_nursery, is_closing;
    _Atomic uint64_t traps;
};

/* A new child for a place, a new zygote first where the old one is dead. */
cloche_status cl_place_spawn(cl_process_place *place, cloche_error *err);
void cl_place_kill(cl_process_place *place);
/* Kills and forgets the child. */
void cl_place_drop_child(cl_process_place *place);

/* Sends the request and takes what the child says, until the run is over or nothing more is there; with wait, until it
 * is over in any case. true: over. */
bool cl_place_work(cl_process_place *place, bool wait);
/* The host ends it: kills, takes what was said, concludes. */
void cl_place_end(cl_process_place *place, cl_stop why);

/* CPU time of the child, by the kernel; 0 while its number is not known. */
uint64_t cl_place_cpu_ns(const cl_process_place *place);

#endif
