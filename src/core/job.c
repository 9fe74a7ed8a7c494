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

/* Lends it a place and makes it ready for its first step. */
static bool start(cl_job *job)
{
    cl_backend *backend = job->sandbox->backend;
    cloche_error err = {0};

    job->place = backend->take(backend, &err);
    if (job->place == NULL) {
        cl_job_refuse(job, CLOCHE_CODE_INTERNAL, err.text);
        job->state = CL_JOB_ENDED;
        return false;
    }
    job->start_ns = cl_clock_ns(CLOCK_MONOTONIC);
    job->result->queue_ms = (double)(job->start_ns - job->call_ns) / 1e6;
    job->result->isolation = backend->isolation;
    backend->begin(job->place, &job->request, job->result, job->start_ns);
    return true;
}

static void end(cl_job *job)
{
    cl_backend *backend = job->sandbox->backend;

    job->result->duration_ms = (double)(cl_clock_ns(CLOCK_MONOTONIC) - job->start_ns) / 1e6;
    job->is_ok = job->result->ok;
    job->was_stopped = job->result->code == CLOCHE_CODE_TIMEOUT || job->result->code == CLOCHE_CODE_ABORTED ||
                       job->result->code == CLOCHE_CODE_DISPOSED;
    backend->give(backend, job->place);
    job->place = NULL;
}

bool cl_job_work(cl_job *job)
{
    cloche_sandbox *sandbox = job->sandbox;
    cl_backend *backend = sandbox->backend;
    cl_step_state state = CL_STEP_DONE;

    if (job->place == NULL) {
        if (job->stop != CL_STOP_NONE) {
            cl_job_conclude_unstarted(job, job->stop);
            return true;
        }
        if (!start(job))
            return true;
    }
    uint64_t deadline_ns = job->start_ns + job->request.limits.wall_ns;
    bool is_late = cl_clock_ns(CLOCK_MONOTONIC) >= deadline_ns;

    pthread_mutex_lock(&sandbox->lock);
    cl_stop why = job->stop != CL_STOP_NONE ? job->stop : is_late ? CL_STOP_WALL : CL_STOP_NONE;
    job->state = why != CL_STOP_NONE ? CL_JOB_ENDED : CL_JOB_RUNNING;
    pthread_mutex_unlock(&sandbox->lock);

    if (why != CL_STOP_NONE) {
        backend->end(job->place, why);
        end(job);
        return true;
    }
    job->outer = cl_job_set_current(job);
    state = backend->step(job->place);
    cl_job_set_current(job->outer);

    pthread_mutex_lock(&sandbox->lock);
    if (state == CL_STEP_DONE) {
        job->state = CL_JOB_ENDED;
    } else {
        uint64_t wake_ns = backend->wake_ns(job->place);
        job->due_ns = wake_ns < deadline_ns ? wake_ns : deadline_ns;
        /* A stop that came during the step may have found it on its way out. */
        job->stop = backend->stop_of(job->place);
        job->state = CL_JOB_WAITING;
        if (job->stop != CL_STOP_NONE)
            job->state = CL_JOB_READY;
        if (!job->is_blocking) {
            if (job->state == CL_JOB_WAITING)
                cl_job_list_add_by_due(&sandbox->waiting, job);
            else
                cl_job_list_add(&sandbox->ready, job);
            pthread_cond_signal(&sandbox->work);
        }
    }
    pthread_mutex_unlock(&sandbox->lock);
    /* One that waits may be another thread's by now. */
    if (state != CL_STEP_DONE)
        return false;
    end(job);
    return true;
}
