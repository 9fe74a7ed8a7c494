/* ping.c - the least that a call to another thread and back costs in Node and Bun: an addon of one function
 *
 *   ping(us)  ──► a waiting thread, which works for so long ──► threadsafe function ──► the promise is resolved
 *
 * An answer that comes at once finds the loop awake. One that takes as long as a run finds it asleep, and the time to
 * wake it is a part of every run.
 */
#define NAPI_VERSION 8
#include <node_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static napi_threadsafe_function inbox;
static napi_deferred waiting;
static double work_us;

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void *answer(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (waiting == NULL)
            pthread_cond_wait(&wake, &lock);
        napi_deferred promise = waiting;
        waiting = NULL;
        double until = now_us() + work_us;
        pthread_mutex_unlock(&lock);
        while (now_us() < until)
            ;
        napi_call_threadsafe_function(inbox, promise, napi_tsfn_nonblocking);
    }
    return NULL;
}

static void deliver(napi_env env, napi_value callback, void *context, void *promise)
{
    napi_value undefined;

    (void)callback, (void)context;
    if (env != NULL && napi_get_undefined(env, &undefined) == napi_ok)
        napi_resolve_deferred(env, promise, undefined);
}

static napi_value ping(napi_env env, napi_callback_info info)
{
    size_t count = 1;
    napi_value argument, promise;
    napi_deferred deferred;
    double us;

    if (napi_get_cb_info(env, info, &count, &argument, NULL, NULL) != napi_ok ||
        napi_get_value_double(env, argument, &us) != napi_ok || napi_create_promise(env, &deferred, &promise) != napi_ok)
        return NULL;
    pthread_mutex_lock(&lock);
    waiting = deferred;
    work_us = us;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
    return promise;
}

NAPI_MODULE_INIT()
{
    napi_value name, function;
    pthread_t thread;

    if (napi_create_string_utf8(env, "ping", NAPI_AUTO_LENGTH, &name) != napi_ok ||
        napi_create_threadsafe_function(env, NULL, NULL, name, 0, 1, NULL, NULL, NULL, deliver, &inbox) != napi_ok ||
        napi_create_function(env, "ping", NAPI_AUTO_LENGTH, ping, NULL, &function) != napi_ok ||
        napi_set_named_property(env, exports, "ping", function) != napi_ok ||
        pthread_create(&thread, NULL, answer, NULL) != 0)
        return NULL;
    pthread_detach(thread);
    return exports;
}
