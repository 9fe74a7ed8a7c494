/* job.c - one run's life, the same for the blocking call and for the pool */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "isolate/result.h"
#include "core/sandbox.h"

static __thread cl_job *current __attribute__((tls_model("initial-exec")));

cl_job *cl_job_set_current(cl_job *job)
{
    cl_job *before = current;
    current = job;
    return before;
}

bool cl_job_is_inside(const cloche_sandbox *sandbox)
{
    for (const cl_job *job = current; job != NULL; job = job->outer)
        if (job->sandbox == sandbox)
            return true;
    return false;
}

bool cl_job_enter(cl_job *job)
{
    cloche_sandbox *sandbox = job->sandbox;

    if (job->abort != NULL && !cl_abort_add(job->abort, job)) {
        job->abort = NULL;
        job->stop = CL_STOP_ABORT;
    }
    pthread_mutex_lock(&sandbox->lock);
    job->previous = NULL;
    job->next = sandbox->jobs;
    if (sandbox->jobs != NULL)
        sandbox->jobs->previous = job;
    sandbox->jobs = job;
    sandbox->job_count++;
    if (job->stop != CL_STOP_NONE)
        job->state = CL_JOB_ENDED;
    else
        cl_job_admit(job);
    bool is_ended = job->state == CL_JOB_ENDED;
    pthread_mutex_unlock(&sandbox->lock);
    return !is_ended;
}

void cl_job_leave(cl_job *job)
{
    cloche_sandbox *sandbox = job->sandbox;

    if (job->abort != NULL)
        cl_abort_remove(job->abort, job);
    pthread_mutex_lock(&sandbox->lock);
    job->state = CL_JOB_ENDED;
    cl_admission_release(job);
    if (job->previous != NULL)
        job->previous->next = job->next;
    else
        sandbox->jobs = job->next;
    if (job->next != NULL)
        job->next->previous = job->previous;
    sandbox->runs_total++;
    sandbox->runs_ok += job->is_ok;
    sandbox->stops += job->was_stopped;
    if (--sandbox->job_count == 0)
        pthread_cond_broadcast(&sandbox->idle);
    pthread_mutex_unlock(&sandbox->lock);
}

void cl_job_refuse(cl_job *job, cloche_code code, const char *text)
{
    job->result->ok = false;
    job->result->code = code;
    job->result->exit_code = cloche_code_exit(code);
    cl_result_set_text(&job->result->error, text, strlen(text));
}

void cl_job_conclude_unstarted(cl_job *job, cl_stop why)
{
    char text[128];

    job->result->queue_ms = (double)(cl_clock_ns(CLOCK_MONOTONIC) - job->call_ns) / 1e6;
    switch (why) {
    case CL_STOP_ABORT:
        cl_job_refuse(job, CLOCHE_CODE_ABORTED, "aborted by the caller before the start");
        break;
    case CL_STOP_QUEUE_FULL:
        snprintf(text, sizeof text, "the queue is full (maxConcurrency %u, maxQueue %u)",
                 job->sandbox->options.limits.max_concurrency, job->sandbox->options.limits.max_queue);
        cl_job_refuse(job, CLOCHE_CODE_BUSY, text);
        break;
    case CL_STOP_QUEUE_TIME:
        snprintf(text, sizeof text, "no place became free in time (queueTimeoutMs %u)",
                 (unsigned)((job->queue_until_ns - job->call_ns) / CL_NS_PER_MS));
        cl_job_refuse(job, CLOCHE_CODE_BUSY, text);
        break;
    default:
        cl_job_refuse(job, CLOCHE_CODE_DISPOSED, "the sandbox is disposed");
        break;
    }
    job->state = CL_JOB_ENDED;
}

/* Makes it ready for its first step. */
static bool start(cl_job *job)
{
    cl_backend *backend = job->sandbox->backend;
    cloche_error err = {0};

    if (job->place == NULL && (job->place = backend->make(backend, &err)) == NULL) {
        cl_job_refuse(job, CLOCHE_CODE_INTERNAL, err.text);
        return false;
    }
    job->start_ns = cl_clock_ns(CLOCK_MONOTONIC);
    job->result->queue_ms = (double)(job->start_ns - job->call_ns) / 1e6;
    backend->begin(job->place, &job->request, job->result, job->start_ns);
    job->result->isolation = backend->isolation;
    job->deadline_ns = job->start_ns + job->request.limits.wall_ns + backend->grace_ns;
    job->has_begun = true;
    return true;
}

static void end(cl_job *job)
{
    job->result->duration_ms = (double)(cl_clock_ns(CLOCK_MONOTONIC) - job->start_ns) / 1e6;
    job->is_ok = job->result->ok;
    job->was_stopped = job->result->code == CLOCHE_CODE_TIMEOUT || job->result->code == CLOCHE_CODE_ABORTED ||
                       job->result->code == CLOCHE_CODE_DISPOSED;
    /* Still RUNNING to whoever wants to stop it: the place is this job's until cl_job_leave. */
    job->sandbox->backend->clean(job->place);
}

static bool begin(cl_job *job)
{
    cl_backend *backend = job->sandbox->backend;
    cloche_error err = {0};

    if (backend->enter(backend, &err) < 0) {
        cl_job_refuse(job, CLOCHE_CODE_INTERNAL, err.text);
        if (job->has_begun)
            end(job);
        return false;
    }
    if (job->has_begun)
        return true;
    if (job->stop != CL_STOP_NONE) {
        cl_job_conclude_unstarted(job, job->stop);
        return false;
    }
    return start(job);
}

/* It waits: for its timer, or for a thread at once when a stop came while it was on its way out. */
static void wait(cl_job *job)
{
    cloche_sandbox *sandbox = job->sandbox;
    uint64_t wake_ns = sandbox->backend->wake_ns(job->place);

    pthread_mutex_lock(&sandbox->lock);
    job->due_ns = wake_ns < job->deadline_ns ? wake_ns : job->deadline_ns;
    if (job->stop != CL_STOP_NONE) {
        cl_job_make_ready(job);
    } else {
        job->state = CL_JOB_WAITING;
        if (!job->is_blocking) {
            cl_job_list_add_by_due(&sandbox->waiting, job);
            cl_poller_watch(job);
            if (sandbox->waiting.first == job)
                pthread_cond_signal(&sandbox->clerk);
        }
    }
    pthread_mutex_unlock(&sandbox->lock);
}

bool cl_job_work(cl_job *job)
{
    cl_backend *backend = job->sandbox->backend;

    if (!begin(job))
        return true;
    job->state = CL_JOB_RUNNING;
    cl_stop why = job->stop;
    if (why == CL_STOP_NONE && job->due_ns != 0 && cl_clock_ns(CLOCK_MONOTONIC) >= job->deadline_ns)
        why = CL_STOP_WALL;
    if (why != CL_STOP_NONE) {
        backend->end(job->place, why);
        end(job);
        return true;
    }
    job->outer = cl_job_set_current(job);
    cl_step_state state = backend->step(job->place, job->is_blocking);
    cl_job_set_current(job->outer);
    if (state == CL_STEP_WAITING) {
        /* Another thread's, perhaps, from here on. */
        wait(job);
        return false;
    }
    end(job);
    return true;
}
