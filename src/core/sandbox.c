#include "core/sandbox.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sized.h"
#include "core/backends.h"
#include "core/host_memory.h"
#include "base/wait.h"
#include "isolate/budget.h"
#include "isolate/image.h"
#include "isolate/typescript/cache.h"
#include "isolate/thread.h"
#include "policy/limits.h"

void cloche_options_init(cloche_options *options)
{
    *options = (cloche_options)CLOCHE_OPTIONS_INIT;
}

void cloche_request_init(cloche_request *request)
{
    *request = (cloche_request)CLOCHE_REQUEST_INIT;
}

enum { TRANSLATIONS_BYTES = 8 << 20 };

static const char *layer_name(uint32_t bit)
{
    switch (bit) {
#define CLOCHE_X(name, wire, value) case value: return wire;
        CLOCHE_LAYER_LIST(CLOCHE_X)
#undef CLOCHE_X
    }
    return "of a number that is not known";
}

static cloche_status check_layers(const cloche_options *options, const cl_backend *backend, cloche_error *err)
{
    uint32_t missing = options->require_isolation & ~backend->isolation;

    if (missing == 0)
        return CLOCHE_OK;
    return cl_error_set(err, CLOCHE_E_NOSYS, 0, "sandbox", "requireIsolation: layer %s does not stand: backend %s has none",
                        layer_name(missing & -missing), backend->name);
}

static cloche_status resolve(const cloche_options *caller, cloche_options *out, cloche_error *err)
{
    cloche_status rc;
    cloche_options given = CLOCHE_OPTIONS_INIT;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    if (caller != NULL && (rc = cl_sized_copy(&given, sizeof given, caller, "options", err)) < 0)
        return rc;
    *out = given;
    if ((rc = cl_limits_resolve(&given.limits, NULL, CL_SCOPE_SANDBOX, &out->limits, err)) < 0)
        return rc;
    if (given.freshness > CLOCHE_FRESHNESS_JAIL)
        return cl_error_set(err, CLOCHE_E_INVAL, 0, "sandbox", "freshness: not one of process, jail");
    if (given.freshness != CLOCHE_FRESHNESS_PROCESS && given.backend != CLOCHE_BACKEND_PROCESS)
        return cl_error_set(err, CLOCHE_E_INVAL, 0, "sandbox", "freshness: belongs to the process backend");
    if (given.thread_count > 1024)
        return cl_error_set(err, CLOCHE_E_INVAL, 0, "sandbox", "thread_count: given %u, allowed 0..1024",
                            given.thread_count);
    if (out->thread_count == 0)
        out->thread_count = cores > 0 ? (uint32_t)cores : 1;
    if (out->limits.max_total_memory_mb == 0)
        out->limits.max_total_memory_mb = cl_host_memory_quarter_mb();
    return CLOCHE_OK;
}

cloche_status cloche_sandbox_create(const cloche_options *options, cloche_sandbox **out, cloche_error *err)
{
    cloche_status rc = CLOCHE_OK;
    cloche_sandbox *sandbox = NULL;

    *out = NULL;
    cl_error_clear(err);
    if ((sandbox = calloc(1, sizeof *sandbox)) == NULL)
        return cl_error_set(err, CLOCHE_E_NOMEM, 0, "sandbox", "cannot allocate a sandbox");
    if ((rc = resolve(options, &sandbox->options, err)) < 0)
        goto out;
    if ((rc = cl_backend_open(&sandbox->options, &sandbox->backend, err)) < 0)
        goto out;
    if ((rc = check_layers(&sandbox->options, sandbox->backend, err)) < 0)
        goto out;
    if (sandbox->backend->charges_limit &&
        sandbox->options.limits.memory_limit_mb + 2 > sandbox->options.limits.max_total_memory_mb) {
        rc = cl_error_set(err, CLOCHE_E_INVAL, 0, "sandbox",
                          "maxTotalMemoryMb: %u is less than one run may use (memoryLimitMb %u), and without a memory "
                          "cgroup each run counts for its whole limit",
                          sandbox->options.limits.max_total_memory_mb, sandbox->options.limits.memory_limit_mb);
        goto out;
    }
    if ((sandbox->translations = cl_translation_cache_create(TRANSLATIONS_BYTES)) == NULL) {
        rc = cl_error_set(err, CLOCHE_E_NOMEM, 0, "sandbox", "cannot allocate a sandbox");
        goto out;
    }
    cl_budget_lower((uint64_t)sandbox->options.limits.max_total_memory_mb << 20);
    pthread_mutex_init(&sandbox->lock, NULL);
    cl_wait_init(&sandbox->work);
    cl_wait_init(&sandbox->clerk);
    cl_threads_know_forks();
    sandbox->generation = cl_threads_generation();
    sandbox->epoll_fd = sandbox->poller_end_fd = -1;
    cl_wait_init(&sandbox->idle);
    cl_log(sandbox, CLOCHE_LOG_INFO, "sandbox", "event=created backend=%s threads=%u memoryLimitMb=%u timeoutMs=%u",
           sandbox->backend->name, sandbox->options.thread_count, sandbox->options.limits.memory_limit_mb,
           sandbox->options.limits.timeout_ms);
    *out = sandbox;
    sandbox = NULL;
out:
    if (sandbox != NULL && sandbox->backend != NULL)
        sandbox->backend->close(sandbox->backend);
    if (sandbox != NULL)
        cl_translation_cache_destroy(sandbox->translations);
    free(sandbox);
    return rc;
}

bool cl_sandbox_is_forked(const cloche_sandbox *sandbox)
{
    return sandbox->generation != cl_threads_generation();
}

cloche_status cloche_sandbox_dispose(cloche_sandbox *sandbox)
{
    bool is_inside = cl_job_is_inside(sandbox);

    if (cl_sandbox_is_forked(sandbox))
        return CLOCHE_OK; /* what ran, runs in the parent */
    pthread_mutex_lock(&sandbox->lock);
    bool is_first = !sandbox->is_disposed;
    sandbox->is_disposed = true;
    for (cl_job *job = sandbox->jobs; job != NULL; job = job->next)
        cl_job_stop(job, CL_STOP_DISPOSE);
    while (!is_inside && sandbox->job_count > 0)
        cl_wait_until(&sandbox->idle, &sandbox->lock, UINT64_MAX);
    unsigned long long runs = sandbox->runs_total;
    pthread_mutex_unlock(&sandbox->lock);
    if (is_first)
        cl_log(sandbox, CLOCHE_LOG_INFO, "sandbox", "event=disposed runs=%llu", runs);
    return is_inside ? CLOCHE_E_BUSY : CLOCHE_OK;
}

void cloche_sandbox_destroy(cloche_sandbox *sandbox)
{
    if (sandbox == NULL)
        return;
    bool is_forked = cl_sandbox_is_forked(sandbox);
    if (!is_forked) {
        CL_ASSERT(cloche_sandbox_dispose(sandbox) == CLOCHE_OK);
        cl_pool_stop(sandbox);
        pthread_cond_destroy(&sandbox->idle);
        pthread_cond_destroy(&sandbox->clerk);
        pthread_cond_destroy(&sandbox->work);
        pthread_mutex_destroy(&sandbox->lock);
    }
    (is_forked ? sandbox->backend->abandon : sandbox->backend->close)(sandbox->backend);
    cl_translation_cache_destroy(sandbox->translations);
    free(sandbox->threads);
    free(sandbox);
}

void cloche_sandbox_stats(cloche_sandbox *sandbox, cloche_stats *out)
{
    const cl_image *image = cl_image_get();
    cl_backend_stats backend;

    pthread_mutex_lock(&sandbox->lock);
    sandbox->backend->stats(sandbox->backend, &backend);
    *out = (cloche_stats){
        .size = sizeof *out,
        .active = sandbox->active,
        .queued = sandbox->queue.count,
        .slots = backend.places,
        .threads = sandbox->thread_count > 0 ? sandbox->thread_count - 1 : 0, /* the clerk runs no guest */
        .runs_total = sandbox->runs_total,
        .runs_ok = sandbox->runs_ok,
        .stops = sandbox->stops,
        .traps = backend.traps,
        .memory_bytes = cl_budget_used(),
        .image_bytes = image->shape.used_end - image->shape.cold_end,
    };
    pthread_mutex_unlock(&sandbox->lock);
}

uint32_t cloche_sandbox_isolation(const cloche_sandbox *sandbox)
{
    return sandbox->backend->isolation;
}
