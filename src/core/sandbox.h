/* sandbox.h - the sandbox and its jobs, inside
 *
 *   QUEUED ──place free──► READY ──thread──► RUNNING ──► WAITING (timer) ──► READY ...
 *      │                                        └──────► ENDED
 *      └── queue time over, abort, dispose ──► READY with a stop: answered without having started
 *
 * A job is one run as the core sees it. A blocking run is a job on its caller's stack, worked on by the caller's thread;
 * a submitted one is on the heap and worked on by the pool.
 *
 * Locks    sandbox->lock guards everything below it here and the state of all jobs, but for one change: whoever works on a
 *          job turns READY into RUNNING without it and then looks at job->stop (see cl_job_stop). Held for short straight
 *          code, never across a step or a callback. Order: abort->lock, then sandbox->lock.
 */
#ifndef CL_CORE_SANDBOX_H
#define CL_CORE_SANDBOX_H

#include <pthread.h>
#include <stdatomic.h>

#include <cloche/sandbox.h>

#include "backend/backend.h"

typedef enum cl_job_state {
    CL_JOB_QUEUED,
    CL_JOB_READY,
    CL_JOB_RUNNING,
    CL_JOB_WAITING,
    CL_JOB_ENDED,
} cl_job_state;

typedef struct cl_job {
    cloche_sandbox *sandbox;
    _Atomic cl_job_state state;
    cl_run_request request;
    cloche_abort *abort;
    cloche_result *result;
    cl_place *place;         /* NULL until it starts, or lent with its admission */
    bool has_begun;
    _Atomic cl_stop stop;    /* wish that a step has not met */
    bool is_admitted;        /* counts in sandbox->active */
    uint64_t charged_bytes;  /* of the process's budget, while admitted */
    uint64_t call_ns;        /* when it was asked for */
    uint64_t start_ns;       /* 0: not started */
    uint64_t queue_until_ns;
    uint64_t due_ns;         /* while WAITING */
    uint64_t deadline_ns;    /* from the start on */
    bool is_blocking;
    pthread_cond_t wake;     /* of a blocking job */
    cloche_done_fn done;     /* of a submitted one */
    void *done_user;
    char *copy;              /* its request's texts */
    bool is_ok, was_stopped; /* for the statistics, when the result is the caller's already */
    struct cl_job *next, *previous;             /* all jobs of the sandbox */
    struct cl_job *queue_next, *queue_previous; /* queue, ready, stopped or waiting list */
    bool is_listed;                             /* in one of them */
    struct cl_job *abort_next, *abort_previous; /* jobs of one cloche_abort */
    struct cl_job *outer;                       /* jobs in progress on this thread */
} cl_job;

typedef struct cl_job_list {
    cl_job *first, *last;
    uint32_t count;
} cl_job_list;

struct cloche_sandbox {
    cloche_options options; /* resolved */
    cl_backend *backend;
    struct cl_translation_cache *translations;
    pthread_mutex_t lock;
    uint32_t generation;    /* of cl_threads_generation at its creation */
    pthread_cond_t work;    /* the pool: something is ready or stopped, or the end */
    pthread_cond_t clerk;   /* the clerk: something is stopped, the clock has changed, or the end */
    pthread_cond_t idle;    /* dispose: no job is left */
    bool is_disposed;
    bool is_closing;        /* pool threads end */
    cl_job *jobs;
    uint32_t job_count;
    uint32_t active;
    cl_job_list queue;      /* for a place, in order */
    cl_job_list ready;      /* submitted, for a thread */
    cl_job_list stopped;    /* submitted, to be answered without another step */
    cl_job_list waiting;    /* submitted, for a timer; by due_ns */
    int epoll_fd;           /* -1: no poller */
    int poller_end_fd;
    pthread_t poller;
    pthread_t *threads;
    uint32_t thread_count;
    uint64_t runs_total, runs_ok, stops;
};

/* list.c */
void cl_job_list_add(cl_job_list *list, cl_job *job);
void cl_job_list_add_by_due(cl_job_list *list, cl_job *job);
void cl_job_list_remove(cl_job_list *list, cl_job *job);

/* request.c: what a request says, resolved and checked, into job->request. What is wrong with it becomes the job's
 * result and ENDED. Status: misuse of the interface. */
cloche_status cl_request_resolve(cl_job *job, const cloche_request *given, bool is_check, cloche_error *err);
/* The job's texts become its own. false: out of memory. */
bool cl_request_copy(cl_job *job);

/* job.c: a job's life, shared by the blocking call and the pool. */
bool cl_job_enter(cl_job *job); /* on the lists, admitted or queued; false: ENDED, job->stop says why */
void cl_job_leave(cl_job *job); /* off the lists; the next in the queue gets its place */
bool cl_job_work(cl_job *job);  /* a step on this thread; true: ENDED. Else a submitted job may be gone already */
void cl_job_refuse(cl_job *job, cloche_code code, const char *text); /* the result of one that does not start */
void cl_job_conclude_unstarted(cl_job *job, cl_stop why);
/* Whether a job of this sandbox is in progress on the calling thread. */
bool cl_job_is_inside(const cloche_sandbox *sandbox);
/* The job whose callback runs on this thread; answers the one before. */
cl_job *cl_job_set_current(cl_job *job);

/* admission.c; all with the lock held */
void cl_job_admit(cl_job *job);
void cl_job_stop(cl_job *job, cl_stop why);          /* in any state */
void cl_admission_next(cloche_sandbox *sandbox);     /* those in the queue that now fit */
void cl_admission_release(cl_job *job);
void cl_admission_expire(cloche_sandbox *sandbox, uint64_t now_ns);
uint64_t cl_admission_next_expiry(const cloche_sandbox *sandbox);
/* A submitted job goes to the pool, or to whoever answers the stopped ones; a blocking one is woken. */
void cl_job_make_ready(cl_job *job);

/* Whether this process is a child forked after the sandbox was made: it has no threads here, and locks may be held. */
bool cl_sandbox_is_forked(const cloche_sandbox *sandbox);

/* pool.c */
cloche_status cl_pool_start(cloche_sandbox *sandbox, cloche_error *err); /* works once */
void cl_pool_stop(cloche_sandbox *sandbox);

/* poller.c: jobs that a descriptor wakes; started with the pool where the backend has descriptors. Lock held. */
cloche_status cl_poller_start(cloche_sandbox *sandbox, cloche_error *err);
void cl_poller_watch(cl_job *job);
void cl_poller_stop(cloche_sandbox *sandbox); /* without the lock */

/* abort.c */
bool cl_abort_add(cloche_abort *abort, cl_job *job); /* false: triggered already */
void cl_abort_remove(cloche_abort *abort, cl_job *job);

/* log.c */
void cl_log(const cloche_sandbox *sandbox, cloche_log_level level, const char *module, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
