/* run.c - the blocking call: the guest runs on the caller's thread */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "isolate/result.h"
#include "core/sandbox.h"
#include "base/wait.h"
#include "isolate/thread.h"

enum { QUEUE_LOOK_MS = 5 }; /* memory of other sandboxes comes free without a word to this one */

static void wait_in_queue(cl_job *job)
{
    cloche_sandbox *sandbox = job->sandbox;

    if (job->is_admitted)
        return;
    pthread_mutex_lock(&sandbox->lock);
    while (job->state == CL_JOB_QUEUED) {
        uint64_t now_ns = cl_clock_ns(CLOCK_MONOTONIC);
        if (now_ns >= job->queue_until_ns) {
            cl_job_stop(job, CL_STOP_QUEUE_TIME);
            break;
        }
        uint64_t look_ns = now_ns + QUEUE_LOOK_MS * CL_NS_PER_MS;
        cl_wait_until(&job->wake, &sandbox->lock, look_ns < job->queue_until_ns ? look_ns : job->queue_until_ns);
        cl_admission_next(sandbox);
    }
    pthread_mutex_unlock(&sandbox->lock);
}

static void wait_for_timer(cl_job *job)
{
    cloche_sandbox *sandbox = job->sandbox;

    pthread_mutex_lock(&sandbox->lock);
    while (job->state == CL_JOB_WAITING && cl_clock_ns(CLOCK_MONOTONIC) < job->due_ns)
        cl_wait_until(&job->wake, &sandbox->lock, job->due_ns);
    if (job->state == CL_JOB_WAITING)
        job->state = CL_JOB_READY;
    pthread_mutex_unlock(&sandbox->lock);
}

static cloche_status run(cloche_sandbox *sandbox, const cloche_request *request, bool is_check, cloche_result **out,
                         cloche_error *err)
{
    cloche_status rc = CLOCHE_OK;
    cl_job job = {.sandbox = sandbox, .is_blocking = true, .state = CL_JOB_READY};

    *out = NULL;
    cl_error_clear(err);
    job.call_ns = cl_clock_ns(CLOCK_MONOTONIC);
    if ((job.result = cl_result_new()) == NULL)
        return cl_error_set(err, CLOCHE_E_NOMEM, 0, "run", "cannot allocate a result");
    if ((rc = cl_request_resolve(&job, request, is_check, err)) < 0)
        goto out;
    if (cl_sandbox_is_forked(sandbox))
        cl_job_refuse(&job, CLOCHE_CODE_INTERNAL, "a sandbox does not survive fork(); create one after it"),
            job.state = CL_JOB_ENDED;
    if (job.state != CL_JOB_ENDED) {
        cl_wait_init(&job.wake);
        if (!cl_job_enter(&job)) {
            cl_job_conclude_unstarted(&job, job.stop);
        } else {
            wait_in_queue(&job);
            while (!cl_job_work(&job))
                wait_for_timer(&job);
        }
        cl_job_leave(&job);
        pthread_cond_destroy(&job.wake);
    }
    *out = job.result;
    job.result = NULL;
out:
    cloche_result_destroy(job.result);
    return rc;
}

cloche_status cloche_sandbox_run(cloche_sandbox *sandbox, const cloche_request *request, cloche_result **out,
                                 cloche_error *err)
{
    return run(sandbox, request, false, out, err);
}

cloche_status cloche_sandbox_check(cloche_sandbox *sandbox, const cloche_request *request, cloche_result **out,
                                   cloche_error *err)
{
    return run(sandbox, request, true, out, err);
}
