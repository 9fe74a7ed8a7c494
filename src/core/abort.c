#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"
#include "core/sandbox.h"

struct cloche_abort {
    pthread_mutex_t lock; /* guards the list; taken before any sandbox's lock */
    _Atomic bool is_triggered;
    cl_job *jobs;
};

cloche_status cloche_abort_create(cloche_abort **out, cloche_error *err)
{
    cl_error_clear(err);
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return cl_error_set(err, CLOCHE_E_NOMEM, 0, "abort", "cannot allocate an abort switch");
    pthread_mutex_init(&(*out)->lock, NULL);
    return CLOCHE_OK;
}

void cloche_abort_trigger(cloche_abort *abort)
{
    pthread_mutex_lock(&abort->lock);
    atomic_store(&abort->is_triggered, true);
    for (cl_job *job = abort->jobs; job != NULL; job = job->abort_next) {
        pthread_mutex_lock(&job->sandbox->lock);
        cl_job_stop(job, CL_STOP_ABORT);
        pthread_mutex_unlock(&job->sandbox->lock);
    }
    pthread_mutex_unlock(&abort->lock);
}

bool cloche_abort_is_triggered(const cloche_abort *abort)
{
    return atomic_load(&abort->is_triggered);
}

void cloche_abort_destroy(cloche_abort *abort)
{
    if (abort == NULL)
        return;
    CL_ASSERT(abort->jobs == NULL);
    pthread_mutex_destroy(&abort->lock);
    free(abort);
}

bool cl_abort_add(cloche_abort *abort, cl_job *job)
{
    pthread_mutex_lock(&abort->lock);
    bool is_early = !atomic_load(&abort->is_triggered);
    if (is_early) {
        job->abort_previous = NULL;
        job->abort_next = abort->jobs;
        if (abort->jobs != NULL)
            abort->jobs->abort_previous = job;
        abort->jobs = job;
    }
    pthread_mutex_unlock(&abort->lock);
    return is_early;
}

void cl_abort_remove(cloche_abort *abort, cl_job *job)
{
    pthread_mutex_lock(&abort->lock);
    if (job->abort_previous != NULL)
        job->abort_previous->abort_next = job->abort_next;
    else if (abort->jobs == job)
        abort->jobs = job->abort_next;
    if (job->abort_next != NULL)
        job->abort_next->abort_previous = job->abort_previous;
    job->abort_next = job->abort_previous = NULL;
    pthread_mutex_unlock(&abort->lock);
}
