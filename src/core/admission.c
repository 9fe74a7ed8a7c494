/* admission.c - who may start: places, memory, the queue */
#include "core/sandbox.h"

#include "base/clock.h"
#include "isolate/budget.h"

/* What a run costs before it has grown: its image, the growth that stays resident, stacks. */
#define RUN_BASE_BYTES (UINT64_C(2) << 20)

/* Takes a place in the count and the memory budget. */
static bool try_admit(cl_job *job)
{
    cloche_sandbox *sandbox = job->sandbox;

    job->charged_bytes = RUN_BASE_BYTES;
    if (sandbox->backend->charges_limit)
        job->charged_bytes += (uint64_t)job->request.limits.memory_pages << 16;
    if (sandbox->active >= sandbox->options.limits.max_concurrency || !cl_budget_take(job->charged_bytes))
        return false;
    sandbox->active++;
    job->is_admitted = true;
    job->place = sandbox->backend->take(sandbox->backend); /* NULL: one is made when it starts */
    return true;
}

void cl_job_make_ready(cl_job *job)
{
    cloche_sandbox *sandbox = job->sandbox;

    job->state = CL_JOB_READY;
    if (job->is_blocking) {
        pthread_cond_signal(&job->wake);
    } else if (job->stop != CL_STOP_NONE) {
        cl_job_list_add(&sandbox->stopped, job);
        pthread_cond_signal(&sandbox->clerk);
    } else {
        cl_job_list_add(&sandbox->ready, job);
        pthread_cond_signal(&sandbox->work);
    }
}

void cl_job_admit(cl_job *job)
{
    cloche_sandbox *sandbox = job->sandbox;

    if (sandbox->is_disposed) {
        job->stop = CL_STOP_DISPOSE;
        job->state = CL_JOB_ENDED;
    } else if (sandbox->queue.count == 0 && try_admit(job)) {
        cl_job_make_ready(job);
    } else if (sandbox->queue.count >= sandbox->options.limits.max_queue) {
        job->stop = CL_STOP_QUEUE_FULL;
        job->state = CL_JOB_ENDED;
    } else {
        job->state = CL_JOB_QUEUED;
        cl_job_list_add(&sandbox->queue, job);
        pthread_cond_signal(&sandbox->clerk); /* it watches the queue time */
    }
}

void cl_admission_next(cloche_sandbox *sandbox)
{
    for (cl_job *job; (job = sandbox->queue.first) != NULL && try_admit(job);) {
        cl_job_list_remove(&sandbox->queue, job);
        cl_job_make_ready(job);
    }
}

void cl_admission_release(cl_job *job)
{
    if (!job->is_admitted)
        return;
    if (job->place != NULL)
        job->sandbox->backend->give(job->sandbox->backend, job->place);
    job->place = NULL;
    job->is_admitted = false;
    job->sandbox->active--;
    cl_budget_give(job->charged_bytes);
    cl_admission_next(job->sandbox);
}

void cl_admission_expire(cloche_sandbox *sandbox, uint64_t now_ns)
{
    for (cl_job *job = sandbox->queue.first, *next; job != NULL; job = next) {
        next = job->queue_next;
        if (now_ns >= job->queue_until_ns)
            cl_job_stop(job, CL_STOP_QUEUE_TIME);
    }
}

uint64_t cl_admission_next_expiry(const cloche_sandbox *sandbox)
{
    uint64_t earliest_ns = UINT64_MAX;

    for (const cl_job *job = sandbox->queue.first; job != NULL; job = job->queue_next)
        if (job->queue_until_ns < earliest_ns)
            earliest_ns = job->queue_until_ns;
    return earliest_ns;
}

void cl_job_stop(cl_job *job, cl_stop why)
{
    cloche_sandbox *sandbox = job->sandbox;

    switch (job->state) {
    case CL_JOB_QUEUED:
        cl_job_list_remove(&sandbox->queue, job);
        job->stop = why;
        cl_job_make_ready(job);
        break;
    case CL_JOB_WAITING:
        job->stop = why;
        if (!job->is_blocking)
            cl_job_list_remove(&sandbox->waiting, job);
        cl_job_make_ready(job);
        break;
    case CL_JOB_READY:
    case CL_JOB_RUNNING:
        /* The worker turns READY into RUNNING without the lock and looks at the wish afterwards: one of the two sees
         * what the other has done. */
        if (job->stop == CL_STOP_NONE) {
            job->stop = why;
            if (job->state == CL_JOB_READY && !job->is_blocking && job->is_listed) {
                cl_job_list_remove(&sandbox->ready, job);
                cl_job_make_ready(job);
            }
        }
        if (job->state == CL_JOB_RUNNING)
            sandbox->backend->stop(job->place, why);
        break;
    case CL_JOB_ENDED:
        break;
    }
}
