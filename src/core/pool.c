/* pool.c - submitted runs: a few threads, many jobs; one that waits for a timer holds no thread
 *
 * The clerk is one thread more. It watches the clock (timers, deadlines of those that wait, queue times) and answers
 * what takes no step: such answers never wait for a thread that is busy with a guest.
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "isolate/result.h"
#include "core/sandbox.h"
#include "base/wait.h"
#include "isolate/thread.h"
#include "sys/task.h"

enum { QUEUE_LOOK_MS = 5 };

/* The job is over: its result goes to its owner, and it is off the books before dispose is told. */
static void answer(cl_job *job)
{
    /* Its owner may destroy the switch as soon as the run is answered. */
    if (job->abort != NULL)
        cl_abort_remove(job->abort, job);
    job->abort = NULL;
    job->outer = cl_job_set_current(job);
    cloche_result *result = job->result;
    job->result = NULL;
    job->is_ok = result->ok;
    job->done(job->done_user, result);
    cl_job_set_current(job->outer);
    cl_job_leave(job);
    free(job->copy);
    free(job);
}

/* Lock held: timers that are due become ready, what is late is stopped. Answers when to look again. */
static uint64_t look_at_clock(cloche_sandbox *sandbox)
{
    uint64_t now_ns = cl_clock_ns(CLOCK_MONOTONIC);
    uint64_t next_ns = UINT64_MAX;

    for (cl_job *job; (job = sandbox->waiting.first) != NULL && job->due_ns <= now_ns;) {
        cl_job_list_remove(&sandbox->waiting, job);
        if (now_ns >= job->deadline_ns)
            job->stop = CL_STOP_WALL;
        cl_job_make_ready(job);
    }
    if (sandbox->waiting.first != NULL)
        next_ns = sandbox->waiting.first->due_ns;
    if (sandbox->queue.count > 0) {
        cl_admission_expire(sandbox, now_ns);
        cl_admission_next(sandbox);
    }
    if (sandbox->queue.count > 0) {
        /* Memory of other sandboxes comes free without a word to this one. */
        uint64_t look_ns = now_ns + QUEUE_LOOK_MS * CL_NS_PER_MS;
        uint64_t expiry_ns = cl_admission_next_expiry(sandbox);
        if (expiry_ns > look_ns)
            expiry_ns = look_ns;
        if (expiry_ns < next_ns)
            next_ns = expiry_ns;
    }
    return next_ns;
}

/* Lock held; let go for the step and the answer. */
static void work_on(cloche_sandbox *sandbox, cl_job_list *list)
{
    cl_job *job = list->first;

    cl_job_list_remove(list, job);
    pthread_mutex_unlock(&sandbox->lock);
    if (cl_job_work(job))
        answer(job);
    pthread_mutex_lock(&sandbox->lock);
}

static void *pool_main(void *arg)
{
    cloche_sandbox *sandbox = arg;

    cl_task_name("cloche-pool");
    pthread_mutex_lock(&sandbox->lock);
    while (sandbox->ready.first != NULL || !sandbox->is_closing) {
        if (sandbox->ready.first != NULL)
            work_on(sandbox, &sandbox->ready);
        else
            pthread_cond_wait(&sandbox->work, &sandbox->lock);
    }
    pthread_mutex_unlock(&sandbox->lock);
    return NULL;
}

static void *clerk_main(void *arg)
{
    cloche_sandbox *sandbox = arg;

    cl_task_name("cloche-clerk");
    pthread_mutex_lock(&sandbox->lock);
    while (sandbox->stopped.first != NULL || !sandbox->is_closing) {
        uint64_t next_ns = look_at_clock(sandbox);
        if (sandbox->stopped.first != NULL)
            work_on(sandbox, &sandbox->stopped);
        else
            cl_wait_until(&sandbox->clerk, &sandbox->lock, next_ns);
    }
    pthread_mutex_unlock(&sandbox->lock);
    return NULL;
}

cloche_status cl_pool_start(cloche_sandbox *sandbox, cloche_error *err)
{
    cloche_status rc = CLOCHE_OK;
    uint32_t wanted = sandbox->options.thread_count;
    sigset_t all, before;

    pthread_mutex_lock(&sandbox->lock);
    if (sandbox->threads == NULL && (sandbox->threads = calloc(wanted + 1, sizeof *sandbox->threads)) == NULL) {
        rc = cl_error_set(err, CLOCHE_E_NOMEM, 0, "pool", "cannot allocate %u threads", wanted);
        goto out;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* the host's signals are handled on the host's threads */
    if ((rc = cl_poller_start(sandbox, err)) < 0)
        goto restore;
    while (sandbox->thread_count < wanted + 1) {
        void *(*thread_main)(void *) = sandbox->thread_count == 0 ? clerk_main : pool_main;
        int failed = pthread_create(&sandbox->threads[sandbox->thread_count], NULL, thread_main, sandbox);
        if (failed != 0) {
            if (sandbox->thread_count < 2) /* the clerk and one that works are what it takes */
                rc = cl_error_set(err, CLOCHE_E_NOMEM, failed, "pool", "cannot start a thread");
            break;
        }
        sandbox->thread_count++;
    }
restore:
    pthread_sigmask(SIG_SETMASK, &before, NULL);
out:
    pthread_mutex_unlock(&sandbox->lock);
    return rc;
}

void cl_pool_stop(cloche_sandbox *sandbox)
{
    pthread_mutex_lock(&sandbox->lock);
    sandbox->is_closing = true;
    pthread_cond_broadcast(&sandbox->work);
    pthread_cond_signal(&sandbox->clerk);
    pthread_mutex_unlock(&sandbox->lock);
    cl_poller_stop(sandbox);
    for (uint32_t i = 0; i < sandbox->thread_count; i++)
        pthread_join(sandbox->threads[i], NULL);
    free(sandbox->threads);
    sandbox->threads = NULL;
    sandbox->thread_count = 0;
}

static cl_job *make_job(cloche_sandbox *sandbox, const cloche_request *request, cloche_status *rc, cloche_error *err)
{
    cl_job *job = calloc(1, sizeof *job);

    if (job == NULL || (job->result = cl_result_new()) == NULL) {
        *rc = cl_error_set(err, CLOCHE_E_NOMEM, 0, "pool", "cannot allocate a run");
        goto fail;
    }
    job->sandbox = sandbox;
    job->state = CL_JOB_READY;
    job->call_ns = cl_clock_ns(CLOCK_MONOTONIC);
    if ((*rc = cl_request_resolve(job, request, false, err)) < 0)
        goto fail;
    if (!cl_request_copy(job)) {
        *rc = cl_error_set(err, CLOCHE_E_NOMEM, 0, "pool", "cannot copy a request");
        goto fail;
    }
    return job;
fail:
    if (job != NULL)
        cloche_result_destroy(job->result);
    free(job);
    return NULL;
}

cloche_status cloche_sandbox_submit(cloche_sandbox *sandbox, const cloche_request *request, cloche_done_fn done,
                                    void *user, cloche_error *err)
{
    cloche_status rc = CLOCHE_OK;
    cl_job *job;

    cl_error_clear(err);
    if (done == NULL)
        return cl_error_set(err, CLOCHE_E_INVAL, 0, "pool", "submit: done is NULL");
    if ((job = make_job(sandbox, request, &rc, err)) == NULL)
        return rc;
    job->done = done;
    job->done_user = user;
    if (job->state == CL_JOB_ENDED || cl_sandbox_is_forked(sandbox) || cl_pool_start(sandbox, err) < 0) {
        /* Never on the books. */
        if (job->state != CL_JOB_ENDED)
            cl_job_refuse(job, CLOCHE_CODE_INTERNAL,
                          cl_sandbox_is_forked(sandbox) ? "a sandbox does not survive fork(); create one after it"
                                              : "no thread could be started for submitted runs");
        cl_error_clear(err);
        done(user, job->result);
        free(job->copy);
        free(job);
        return CLOCHE_OK;
    }
    if (!cl_job_enter(job)) {
        cl_job_conclude_unstarted(job, job->stop);
        answer(job);
    }
    return CLOCHE_OK;
}
