/* pool.c - submitted runs: a few threads, many jobs; one that waits for a timer holds no thread */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "isolate/result.h"
#include "core/sandbox.h"
#include "core/wait.h"
#include "isolate/thread.h"
#include "sys/task.h"

enum { QUEUE_LOOK_MS = 5 };

/* The job is over: its result goes to its owner, and it is off the books before dispose is told. */
static void answer(cl_job *job)
{
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

/* Lock held: timers that are due become ready. Answers when to look again. */
static uint64_t look_at_clock(cloche_sandbox *sandbox)
{
    uint64_t now_ns = cl_clock_ns(CLOCK_MONOTONIC);
    uint64_t next_ns = UINT64_MAX;

    for (cl_job *job; (job = sandbox->waiting.first) != NULL && job->due_ns <= now_ns;) {
        cl_job_list_remove(&sandbox->waiting, job);
        job->state = CL_JOB_READY;
        cl_job_list_add(&sandbox->ready, job);
    }
    if (sandbox->waiting.first != NULL)
        next_ns = sandbox->waiting.first->due_ns;
    if (sandbox->queue.count > 0) {
        cl_admission_expire(sandbox, now_ns);
        cl_admission_next(sandbox);
        uint64_t expiry_ns = cl_admission_next_expiry(sandbox);
        uint64_t look_ns = now_ns + QUEUE_LOOK_MS * CL_NS_PER_MS;
        if (expiry_ns > look_ns && sandbox->queue.count > 0)
            expiry_ns = look_ns;
        if (expiry_ns < next_ns)
            next_ns = expiry_ns;
    }
    return next_ns;
}

static void *pool_main(void *arg)
{
    cloche_sandbox *sandbox = arg;

    cl_task_name("cloche-pool");
    pthread_mutex_lock(&sandbox->lock);
    for (;;) {
        uint64_t next_ns = look_at_clock(sandbox);
        cl_job *job = sandbox->ready.first;
        if (job == NULL) {
            if (sandbox->is_closing)
                break;
            cl_wait_until(&sandbox->work, &sandbox->lock, next_ns);
            continue;
        }
        cl_job_list_remove(&sandbox->ready, job);
        if (sandbox->ready.first != NULL)
            pthread_cond_signal(&sandbox->work);
        pthread_mutex_unlock(&sandbox->lock);
        bool is_ended = cl_job_work(job);
        if (is_ended)
            answer(job);
        pthread_mutex_lock(&sandbox->lock);
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
    if (sandbox->threads == NULL && (sandbox->threads = calloc(wanted, sizeof *sandbox->threads)) == NULL) {
        rc = cl_error_set(err, CLOCHE_E_NOMEM, 0, "pool", "cannot allocate %u threads", wanted);
        goto out;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* the host's signals are handled on the host's threads */
    while (sandbox->thread_count < wanted) {
        int failed = pthread_create(&sandbox->threads[sandbox->thread_count], NULL, pool_main, sandbox);
        if (failed != 0) {
            if (sandbox->thread_count == 0)
                rc = cl_error_set(err, CLOCHE_E_NOMEM, failed, "pool", "cannot start a thread");
            break;
        }
        sandbox->thread_count++;
    }
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
    pthread_mutex_unlock(&sandbox->lock);
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
    if (job->state == CL_JOB_ENDED || cl_threads_forked() || cl_pool_start(sandbox, err) < 0) {
        /* Never on the books. */
        if (job->state != CL_JOB_ENDED)
            cl_job_refuse(job, CLOCHE_CODE_INTERNAL,
                          cl_threads_forked() ? "a sandbox does not survive fork(); create one after it"
                                              : "no thread could be started for submitted runs");
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
