#include "addon.h"

#include <stdlib.h>
#include <string.h>

enum {
    PENDING_MOST = 4 << 20, /* bytes of output on their way, beyond which guests wait */
    PIECE_BYTES = 16 << 10, /* of gathered output */
    TURN_BYTES = 256 << 10, /* delivered in one turn of the loop */
};

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

bool addon_post_end(addon_env *owner, message *m)
{
    pthread_mutex_lock(&owner->lock);
    bool is_open = !owner->is_closing;
    pthread_mutex_unlock(&owner->lock);
    return is_open && napi_call_threadsafe_function(owner->inbox, m, napi_tsfn_nonblocking) == napi_ok;
}

/* ---- output: pieces are gathered, and delivered at most once in a turn of the loop ---- */

static message *piece_for(addon_env *owner, const run *r, int fd, size_t length)
{
    message *last = owner->output_end;

    return last != NULL && last->run == r && last->fd == fd && last->room - last->length >= length ? last : NULL;
}

void addon_post_output(addon_env *owner, run *r, int fd, const char *data, size_t length)
{
    pthread_mutex_lock(&owner->lock);
    while (owner->pending_bytes > PENDING_MOST && !owner->is_closing)
        pthread_cond_wait(&owner->drained, &owner->lock);
    message *m = piece_for(owner, r, fd, length);
    size_t room = length > PIECE_BYTES ? length : PIECE_BYTES;
    if (m == NULL && !owner->is_closing && (m = malloc(sizeof *m + room)) != NULL) {
        *m = (message){.run = r, .fd = fd, .room = room};
        *(owner->output_end != NULL ? &owner->output_end->next : &owner->output) = m;
        owner->output_end = m;
        owner->pending_bytes += room;
    }
    if (m != NULL && !owner->is_closing) { /* no memory: the result has it all the same */
        memcpy(m->data + m->length, data, length);
        m->length += length;
    }
    bool must_wake = m != NULL && !owner->is_closing && !owner->is_pumping;
    owner->is_pumping |= must_wake;
    pthread_mutex_unlock(&owner->lock);
    if (must_wake)
        napi_call_threadsafe_function(owner->inbox, NULL, napi_tsfn_nonblocking);
}

/* The first piece, of a run or of any (NULL); the caller's. */
static message *take_output(addon_env *owner, const run *r)
{
    pthread_mutex_lock(&owner->lock);
    message *before = NULL, *m = owner->output;
    while (m != NULL && r != NULL && m->run != r) {
        before = m;
        m = m->next;
    }
    if (m != NULL) {
        *(before != NULL ? &before->next : &owner->output) = m->next;
        if (owner->output_end == m)
            owner->output_end = before;
        owner->pending_bytes -= m->room;
        pthread_cond_broadcast(&owner->drained);
    }
    pthread_mutex_unlock(&owner->lock);
    return m;
}

void addon_flush(addon_env *owner, run *r)
{
    for (message *m; (m = take_output(owner, r)) != NULL; free(m))
        run_deliver_output(owner->env, m);
}

/* Calls pump in a turn to come: timers, sockets and aborts have theirs in between. */
static bool schedule_pump(addon_env *owner)
{
    napi_value set_immediate, pump, undefined, unused;

    return napi_get_reference_value(owner->env, owner->set_immediate, &set_immediate) == napi_ok &&
           napi_get_reference_value(owner->env, owner->pump, &pump) == napi_ok &&
           napi_get_undefined(owner->env, &undefined) == napi_ok &&
           napi_call_function(owner->env, undefined, set_immediate, 1, &pump, &unused) == napi_ok;
}

static void deliver_output(addon_env *owner)
{
    size_t delivered = 0;
    message *m;

    while (delivered < TURN_BYTES && (m = take_output(owner, NULL)) != NULL) {
        delivered += m->length;
        run_deliver_output(owner->env, m);
        free(m);
    }
    pthread_mutex_lock(&owner->lock);
    owner->is_pumping = delivered > 0 || owner->output != NULL;
    bool goes_on = owner->is_pumping;
    pthread_mutex_unlock(&owner->lock);
    if (!goes_on || schedule_pump(owner))
        return;
    pthread_mutex_lock(&owner->lock);
    owner->is_pumping = false;
    pthread_mutex_unlock(&owner->lock);
}

static napi_value pump(napi_env env, napi_callback_info info)
{
    (void)info;
    deliver_output(addon_env_of(env));
    return NULL;
}

static void deliver(napi_env env, napi_value callback, void *context, void *data)
{
    addon_env *owner = context;
    message *m = data;

    (void)callback;
    if (env == NULL && m != NULL) { /* the environment is gone */
        cloche_result_destroy(m->result);
        run_free(NULL, m->run);
        free(m);
    } else if (env != NULL && m != NULL) {
        run_deliver_end(env, m);
        free(m);
    } else if (env != NULL) {
        napi_handle_scope scope;
        if (napi_open_handle_scope(env, &scope) != napi_ok)
            return;
        deliver_output(owner);
        napi_close_handle_scope(env, scope);
    }
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
    for (message *m; (m = owner->output) != NULL; free(m))
        owner->output = m->next;
    pthread_cond_destroy(&owner->drained);
    pthread_mutex_destroy(&owner->lock);
    free(owner);
}

/* setImmediate as it is now, and the function it is to call. */
static bool keep_pump(napi_env env, addon_env *owner)
{
    napi_value global, set_immediate, function;

    return addon_ok(env, napi_get_global(env, &global)) &&
           addon_ok(env, napi_get_named_property(env, global, "setImmediate", &set_immediate)) &&
           addon_ok(env, napi_create_reference(env, set_immediate, 1, &owner->set_immediate)) &&
           addon_ok(env, napi_create_function(env, "deliverOutput", NAPI_AUTO_LENGTH, pump, NULL, &function)) &&
           addon_ok(env, napi_create_reference(env, function, 1, &owner->pump));
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
    if (keep_pump(env, owner) && addon_ok(env, napi_create_string_utf8(env, "cloche", NAPI_AUTO_LENGTH, &name)) &&
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
