#include "addon.h"

#include <stdlib.h>

enum { PENDING_MOST = 4 << 20 }; /* bytes of output on their way, beyond which guests wait */

addon_env *addon_env_of(napi_env env)
{
    void *data = NULL;
    napi_get_instance_data(env, &data);
    return data;
}

void addon_begin(addon_env *owner)
{
    if (owner->in_flight++ == 0)
        napi_ref_threadsafe_function(owner->env, owner->inbox);
}

void addon_end(addon_env *owner)
{
    if (--owner->in_flight == 0 && !owner->is_closing)
        napi_unref_threadsafe_function(owner->env, owner->inbox);
}

bool addon_post(addon_env *owner, message *m)
{
    bool is_open;

    pthread_mutex_lock(&owner->lock);
    /* A guest that prints faster than the loop reads waits here, as it would for a pipe. The end of a run never does. */
    while (m->result == NULL && owner->pending_bytes > PENDING_MOST && !owner->is_closing)
        pthread_cond_wait(&owner->drained, &owner->lock);
    is_open = !owner->is_closing;
    if (is_open)
        owner->pending_bytes += m->length;
    pthread_mutex_unlock(&owner->lock);
    return is_open && napi_call_threadsafe_function(owner->inbox, m, napi_tsfn_nonblocking) == napi_ok;
}

static void deliver(napi_env env, napi_value callback, void *context, void *data)
{
    addon_env *owner = context;
    message *m = data;

    (void)callback;
    pthread_mutex_lock(&owner->lock);
    owner->pending_bytes -= m->length;
    pthread_cond_broadcast(&owner->drained);
    pthread_mutex_unlock(&owner->lock);
    if (env != NULL) {
        run_deliver(env, m);
    } else if (m->result != NULL) { /* the environment is gone */
        cloche_result_destroy(m->result);
        run_free(NULL, m->run);
    }
    free(m);
}

/* Runs of this environment end now: nobody is left to hear of them. */
static void close_env(void *data)
{
    addon_env *owner = data;

    pthread_mutex_lock(&owner->lock);
    owner->is_closing = true;
    pthread_cond_broadcast(&owner->drained);
    pthread_mutex_unlock(&owner->lock);
    box_close_all(owner);
    napi_release_threadsafe_function(owner->inbox, napi_tsfn_abort);
}

static void free_env(napi_env env, void *data, void *hint)
{
    addon_env *owner = data;

    (void)env, (void)hint;
    pthread_cond_destroy(&owner->drained);
    pthread_mutex_destroy(&owner->lock);
    free(owner);
}

static bool open_env(napi_env env)
{
    napi_value name;
    addon_env *owner = calloc(1, sizeof *owner);

    if (owner == NULL)
        return addon_throw(env, CLOCHE_CODE_INTERNAL, "host memory: cannot set up the addon");
    owner->env = env;
    pthread_mutex_init(&owner->lock, NULL);
    pthread_cond_init(&owner->drained, NULL);
    if (addon_ok(env, napi_create_string_utf8(env, "cloche", NAPI_AUTO_LENGTH, &name)) &&
        addon_ok(env, napi_create_threadsafe_function(env, NULL, NULL, name, 0, 1, NULL, NULL, owner, deliver,
                                                      &owner->inbox)) &&
        addon_ok(env, napi_unref_threadsafe_function(env, owner->inbox)) &&
        addon_ok(env, napi_set_instance_data(env, owner, free_env, NULL)) &&
        addon_ok(env, napi_add_env_cleanup_hook(env, close_env, owner)))
        return true;
    return false;
}

static bool define_function(napi_env env, napi_value exports, const char *name, napi_callback function)
{
    napi_value value;
    return addon_ok(env, napi_create_function(env, name, NAPI_AUTO_LENGTH, function, NULL, &value)) &&
           addon_define(env, exports, name, value);
}

NAPI_MODULE_INIT()
{
    static const struct {
        const char *name;
        napi_callback function;
    } functions[] = {
        {"create", box_create},       {"dispose", box_dispose}, {"stats", box_stats}, {"isolation", box_isolation},
        {"submit", run_submit},       {"runSync", run_sync},    {"abort", run_abort}, {"setMaker", result_set_maker},
    };
    napi_value version;

    if (!open_env(env))
        return NULL;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (!define_function(env, exports, functions[i].name, functions[i].function))
            return NULL;
    if (!addon_ok(env, napi_create_string_utf8(env, cloche_version(), NAPI_AUTO_LENGTH, &version)) ||
        !addon_define(env, exports, "version", version) || !fault_define(env, exports))
        return NULL;
    return exports;
}
