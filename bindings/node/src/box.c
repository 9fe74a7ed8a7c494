/* box.c - a sandbox as JavaScript holds it: an object that wraps it */
#include "addon.h"

#include <stdlib.h>
#include <string.h>

static const napi_type_tag tag = {0x636c6f6368653031, 0x73616e64626f7831};

/* Alive; a sandbox that is disposed or being so throws, as does what is none. */
box *box_of(napi_env env, napi_value value)
{
    bool is_box = false;
    void *data = NULL;

    if (napi_check_object_type_tag(env, value, &tag, &is_box) != napi_ok || !is_box ||
        napi_unwrap(env, value, &data) != napi_ok) {
        addon_throw(env, CLOCHE_CODE_INTERNAL, "not a sandbox");
        return NULL;
    }
    box *b = data;
    if (b->sandbox == NULL || b->is_disposing) {
        addon_throw(env, CLOCHE_CODE_DISPOSED, "the sandbox is disposed");
        return NULL;
    }
    return b;
}

void box_enter(box *b)
{
    b->in_flight++;
    if (b->self != NULL)
        napi_reference_ref(b->owner->env, b->self, NULL);
    addon_begin(b->owner);
}

static void settle_disposal(box *b)
{
    napi_value undefined;

    if (!b->is_released || b->in_flight > 0 || b->disposed == NULL)
        return;
    napi_get_undefined(b->owner->env, &undefined);
    napi_resolve_deferred(b->owner->env, b->disposed, undefined);
    b->disposed = NULL;
    addon_end(b->owner);
    napi_reference_unref(b->owner->env, b->self, NULL);
}

void box_leave(box *b)
{
    b->in_flight--;
    settle_disposal(b);
    napi_reference_unref(b->owner->env, b->self, NULL);
    addon_end(b->owner);
}

static void unlink_box(box *b)
{
    addon_env *owner = b->owner;

    *(b->previous != NULL ? &b->previous->next : &owner->boxes) = b->next;
    if (b->next != NULL)
        b->next->previous = b->previous;
}

/* Nothing is in flight: whatever is keeps the value alive. */
static void finalize(napi_env env, void *data, void *hint)
{
    box *b = data;

    (void)hint;
    unlink_box(b);
    if (b->self != NULL)
        napi_delete_reference(env, b->self);
    cloche_sandbox_destroy(b->sandbox);
    free(b);
}

void box_close_all(addon_env *owner)
{
    for (box *b = owner->boxes; b != NULL; b = b->next) {
        if (!b->is_disposing)
            cloche_sandbox_destroy(b->sandbox);
        b->sandbox = NULL;
    }
}

/* ---- options: {backend, freshness, requireIsolation: [names], and limits by name} ---- */

static bool read_layers(napi_env env, napi_value list, uint32_t *bits)
{
    uint32_t count;

    if (!addon_ok(env, napi_get_array_length(env, list, &count)))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        napi_value item;
        char *name;
        size_t length;
        uint32_t bit = 0;
        if (!addon_ok(env, napi_get_element(env, list, i, &item)) || !addon_text(env, item, &name, &length))
            return false;
#define X(layer, wire, value) bit = strcmp(name, wire) == 0 ? (value) : bit;
        CLOCHE_LAYER_LIST(X)
#undef X
        free(name);
        if (bit == 0)
            return addon_throw(env, CLOCHE_CODE_INVALID_OPTIONS, "requireIsolation: a layer that does not exist");
        *bits |= bit;
    }
    return true;
}

static bool get(napi_env env, napi_value object, const char *name, napi_value *value, bool *is_given)
{
    return addon_ok(env, napi_get_named_property(env, object, name, value)) && addon_is_given(env, *value, is_given);
}

static bool read_limits(napi_env env, napi_value object, cloche_limits *limits)
{
    uint32_t count;
    const cloche_limit_info *table = cloche_limits_table(&count);

    for (uint32_t i = 0; i < count; i++) {
        napi_value value;
        bool is_given;
        uint32_t number;
        if (!get(env, object, table[i].option, &value, &is_given))
            return false;
        if (!is_given)
            continue;
        if (!addon_ok(env, napi_get_value_uint32(env, value, &number)))
            return false;
        cloche_limits_set(limits, &table[i], number);
    }
    return true;
}

static bool read_options(napi_env env, napi_value object, cloche_options *options)
{
    napi_value value;
    bool is_given, is_process = false, is_jail = false;

    if (!get(env, object, "isProcess", &value, &is_given) ||
        (is_given && !addon_ok(env, napi_get_value_bool(env, value, &is_process))))
        return false;
    if (!get(env, object, "isJail", &value, &is_given) ||
        (is_given && !addon_ok(env, napi_get_value_bool(env, value, &is_jail))))
        return false;
    options->backend = is_process ? CLOCHE_BACKEND_PROCESS : CLOCHE_BACKEND_WORKER;
    options->freshness = is_jail ? CLOCHE_FRESHNESS_JAIL : CLOCHE_FRESHNESS_PROCESS;
    if (!get(env, object, "requireIsolation", &value, &is_given) ||
        (is_given && !read_layers(env, value, &options->require_isolation)))
        return false;
    return read_limits(env, object, &options->limits);
}

napi_value box_create(napi_env env, napi_callback_info info)
{
    size_t count = 1;
    napi_value argument, value;
    cloche_options options = CLOCHE_OPTIONS_INIT;
    cloche_error err;
    box *b;

    if (!addon_ok(env, napi_get_cb_info(env, info, &count, &argument, NULL, NULL)) ||
        !read_options(env, argument, &options))
        return NULL;
    if ((b = calloc(1, sizeof *b)) == NULL) {
        addon_throw(env, CLOCHE_CODE_INTERNAL, "host memory: cannot make a sandbox");
        return NULL;
    }
    b->owner = addon_env_of(env);
    cloche_status status = cloche_sandbox_create(&options, &b->sandbox, &err);
    if (status < 0) {
        addon_throw(env, status == CLOCHE_E_INVAL || status == CLOCHE_E_NOSYS ? CLOCHE_CODE_INVALID_OPTIONS : CLOCHE_CODE_INTERNAL,
                    err.text);
        free(b);
        return NULL;
    }
    if (!addon_ok(env, napi_create_object(env, &value)) || !addon_ok(env, napi_type_tag_object(env, value, &tag)) ||
        !addon_ok(env, napi_wrap(env, value, b, finalize, NULL, NULL))) {
        cloche_sandbox_destroy(b->sandbox);
        free(b);
        return NULL;
    }
    b->next = b->owner->boxes;
    if (b->next != NULL)
        b->next->previous = b;
    b->owner->boxes = b;
    return addon_ok(env, napi_create_reference(env, value, 0, &b->self)) ? value : NULL;
}

/* ---- dispose ---- */

/* A libuv thread: waits until every run has been answered. */
static void dispose_work(napi_env env, void *data)
{
    box *b = data;

    (void)env;
    cloche_sandbox_destroy(b->sandbox);
}

static void dispose_done(napi_env env, napi_status status, void *data)
{
    box *b = data;

    (void)status;
    b->sandbox = NULL;
    b->is_released = true;
    napi_delete_async_work(env, b->work);
    settle_disposal(b);
}

napi_value box_dispose(napi_env env, napi_callback_info info)
{
    size_t count = 1;
    napi_value argument, promise, name;
    box *b;

    if (!addon_ok(env, napi_get_cb_info(env, info, &count, &argument, NULL, NULL)) || (b = box_of(env, argument)) == NULL)
        return NULL;
    if (!addon_ok(env, napi_create_string_utf8(env, "cloche.dispose", NAPI_AUTO_LENGTH, &name)) ||
        !addon_ok(env, napi_create_async_work(env, NULL, name, dispose_work, dispose_done, b, &b->work)) ||
        !addon_ok(env, napi_create_promise(env, &b->disposed, &promise)) ||
        !addon_ok(env, napi_queue_async_work(env, b->work)))
        return NULL;
    b->is_disposing = true;
    napi_reference_ref(env, b->self, NULL);
    addon_begin(b->owner);
    return promise;
}

/* ---- what stands, what happened ---- */

napi_value box_isolation(napi_env env, napi_callback_info info)
{
    size_t count = 1;
    napi_value argument, list;
    box *b;

    if (!addon_ok(env, napi_get_cb_info(env, info, &count, &argument, NULL, NULL)) ||
        (b = box_of(env, argument)) == NULL)
        return NULL;
    return layers_to_js(env, cloche_sandbox_isolation(b->sandbox), &list) ? list : NULL;
}

napi_value box_stats(napi_env env, napi_callback_info info)
{
    size_t count = 1;
    napi_value argument, object, number;
    cloche_stats stats;
    box *b;

    if (!addon_ok(env, napi_get_cb_info(env, info, &count, &argument, NULL, NULL)) ||
        (b = box_of(env, argument)) == NULL)
        return NULL;
    cloche_sandbox_stats(b->sandbox, &stats);
    const struct {
        const char *name;
        uint64_t value;
    } members[] = {
        {"active", stats.active},       {"queued", stats.queued},   {"slots", stats.slots},
        {"threads", stats.threads},     {"runsTotal", stats.runs_total}, {"runsOk", stats.runs_ok},
        {"stops", stats.stops},         {"traps", stats.traps},     {"memoryBytes", stats.memory_bytes},
        {"imageBytes", stats.image_bytes},
    };
    if (!addon_ok(env, napi_create_object(env, &object)))
        return NULL;
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (!addon_ok(env, napi_create_double(env, (double)members[i].value, &number)) ||
            !addon_define(env, object, members[i].name, number))
            return NULL;
    return object;
}
