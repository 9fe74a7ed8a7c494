/* run.c - a run: submitted, streaming, aborted, or on the spot
 *
 *   submit(box, code, contextJson, optionsJson, onOutput, isAbortable)  ──►  [promise of a result, handle]
 *   runSync(box, code, contextJson, optionsJson)                        ──►  a result
 *   abort(handle)
 */
#include "addon.h"

#include <stdlib.h>
#include <string.h>

static const napi_type_tag tag = {0x636c6f6368653031, 0x72756e3030303031};

void run_free(napi_env env, run *r)
{
    if (r == NULL)
        return;
    if (env != NULL && r->on_output != NULL)
        napi_delete_reference(env, r->on_output);
    if (env != NULL && r->context != NULL)
        napi_async_destroy(env, r->context);
    cloche_json_request_destroy(r->options);
    free(r->end);
    free(r->code);
    free(r->context_json);
    free(r);
}

/* ---- the request ---- */

/* options: a request as JSON, with "code" and "context" left empty. */
static bool read_request(napi_env env, run *r, const napi_value *arguments, cloche_request *request)
{
    bool has_context, has_options;
    size_t length;
    char *text = NULL;
    cloche_error err;

    cloche_request_init(request);
    if (!addon_is_given(env, arguments[2], &has_options))
        return false;
    if (has_options) {
        if (!addon_text(env, arguments[2], &text, &length))
            return false;
        cloche_status status = cloche_request_from_json(text, length, &r->options, NULL, &err);
        free(text);
        if (status < 0)
            return addon_throw(env, CLOCHE_CODE_INVALID_OPTIONS, err.text);
        *request = r->options->request;
    }
    /* A source with a lone surrogate, which UTF-8 cannot hold, is in the options. */
    bool has_code;
    if (!addon_is_given(env, arguments[0], &has_code))
        return false;
    if (has_code) {
        if (!addon_text(env, arguments[0], &r->code, &length))
            return false;
        request->code = r->code;
        request->code_length = length;
    }
    if (!addon_is_given(env, arguments[1], &has_context))
        return false;
    if (has_context) {
        if (!addon_text(env, arguments[1], &r->context_json, &length))
            return false;
        request->context = r->context_json;
        request->context_length = length;
    }
    return true;
}

/* ---- *pool* ---- */

static void on_output(void *user, int fd, const char *data, size_t length)
{
    run *r = user;

    addon_post_output(r->box->owner, r, fd, data, length);
}

static void on_done(void *user, cloche_result *result)
{
    run *r = user;
    message *m = r->end;

    r->end = NULL;
    *m = (message){.run = r, .result = result};
    if (addon_post_end(r->box->owner, m))
        return;
    /* The environment is closing: nobody hears of it. */
    free(m);
    cloche_result_destroy(result);
    run_free(NULL, r);
}

/* ---- the event loop ---- */

void run_deliver_output(napi_env env, const message *m)
{
    napi_value callback, global, arguments[2], unused;
    napi_handle_scope scope;
    run *r = m->run;
    void *copy;

    if (napi_open_handle_scope(env, &scope) != napi_ok)
        return;
    if (napi_get_reference_value(env, r->on_output, &callback) == napi_ok && napi_get_global(env, &global) == napi_ok &&
        napi_create_int32(env, m->fd, &arguments[0]) == napi_ok &&
        napi_create_buffer_copy(env, m->length, m->data, &copy, &arguments[1]) == napi_ok &&
        napi_make_callback(env, r->context, global, callback, 2, arguments, &unused) == napi_pending_exception) {
        napi_value error; /* a listener that throws is an uncaught exception, like any callback */
        napi_get_and_clear_last_exception(env, &error);
        napi_fatal_exception(env, error);
    }
    napi_close_handle_scope(env, scope);
}

static void settle(napi_env env, run *r, const cloche_result *result)
{
    napi_value value;

    if (result_to_js(env, result, &value)) {
        napi_resolve_deferred(env, r->promise, value);
        return;
    }
    napi_get_and_clear_last_exception(env, &value);
    napi_reject_deferred(env, r->promise, value);
}

void run_deliver_end(napi_env env, message *m)
{
    run *r = m->run;
    box *b = r->box;
    napi_handle_scope scope;

    if (napi_open_handle_scope(env, &scope) != napi_ok)
        return;
    if (r->on_output != NULL)
        addon_flush(b->owner, r);
    settle(env, r, m->result);
    cloche_result_destroy(m->result);
    run_free(env, r);
    box_leave(b);
    napi_close_handle_scope(env, scope);
}

/* ---- the calls ---- */

static void free_abort(napi_env env, void *data, void *hint)
{
    (void)env, (void)hint;
    cloche_abort_destroy(data);
}

/* An abort switch as a value; it is freed with the value, which outlives the run: the layer above keeps it. */
static bool make_abort(napi_env env, cloche_request *request, napi_value *out)
{
    cloche_error err;

    if (cloche_abort_create(&request->abort, &err) < 0)
        return addon_throw(env, CLOCHE_CODE_INTERNAL, err.text);
    if (addon_ok(env, napi_create_object(env, out)) && addon_ok(env, napi_type_tag_object(env, *out, &tag)) &&
        addon_ok(env, napi_wrap(env, *out, request->abort, free_abort, NULL, NULL)))
        return true;
    cloche_abort_destroy(request->abort);
    return false;
}

static bool take_output(napi_env env, run *r, napi_value callback, cloche_request *request)
{
    napi_value name;
    bool is_given;

    if (!addon_is_given(env, callback, &is_given))
        return false;
    if (!is_given)
        return true;
    request->on_output = on_output;
    request->on_output_user = r;
    return addon_ok(env, napi_create_reference(env, callback, 1, &r->on_output)) &&
           addon_ok(env, napi_create_string_utf8(env, "cloche.output", NAPI_AUTO_LENGTH, &name)) &&
           addon_ok(env, napi_async_init(env, NULL, name, &r->context));
}

napi_value run_submit(napi_env env, napi_callback_info info)
{
    enum { BOX, CODE, CONTEXT, OPTIONS, OUTPUT, ABORTABLE, COUNT };
    size_t count = COUNT;
    napi_value arguments[COUNT], pair, promise, handle;
    cloche_request request;
    cloche_error err;
    bool is_abortable = false;
    run *r;
    box *b;

    if (!addon_ok(env, napi_get_cb_info(env, info, &count, arguments, NULL, NULL)) ||
        (b = box_of(env, arguments[BOX])) == NULL)
        return NULL;
    if ((r = calloc(1, sizeof *r)) == NULL || (r->end = malloc(sizeof *r->end)) == NULL) {
        addon_throw(env, CLOCHE_CODE_INTERNAL, "host memory: cannot make a run");
        free(r);
        return NULL;
    }
    r->box = b;
    if (!read_request(env, r, arguments + CODE, &request) || !take_output(env, r, arguments[OUTPUT], &request) ||
        !addon_ok(env, napi_get_value_bool(env, arguments[ABORTABLE], &is_abortable)) ||
        !addon_ok(env, napi_get_undefined(env, &handle)) ||
        (is_abortable && !make_abort(env, &request, &handle)) ||
        !addon_ok(env, napi_create_array_with_length(env, 2, &pair)) ||
        !addon_ok(env, napi_set_element(env, pair, 1, handle)) ||
        !addon_ok(env, napi_create_promise(env, &r->promise, &promise)) ||
        !addon_ok(env, napi_set_element(env, pair, 0, promise))) {
        run_free(env, r);
        return NULL;
    }
    box_enter(b);
    if (cloche_sandbox_submit(b->sandbox, &request, on_done, r, &err) < 0) {
        addon_throw(env, CLOCHE_CODE_INTERNAL, err.text);
        run_free(env, r);
        box_leave(b);
        return NULL;
    }
    return pair;
}

napi_value run_sync(napi_env env, napi_callback_info info)
{
    enum { BOX, CODE, CONTEXT, OPTIONS, COUNT };
    size_t count = COUNT;
    napi_value arguments[COUNT], value = NULL;
    cloche_request request;
    cloche_result *result = NULL;
    cloche_error err;
    run r = {0};

    if (!addon_ok(env, napi_get_cb_info(env, info, &count, arguments, NULL, NULL)) ||
        (r.box = box_of(env, arguments[BOX])) == NULL)
        return NULL;
    if (read_request(env, &r, arguments + CODE, &request)) {
        if (cloche_sandbox_run(r.box->sandbox, &request, &result, &err) < 0)
            addon_throw(env, CLOCHE_CODE_INTERNAL, err.text);
        else if (!result_to_js(env, result, &value))
            value = NULL;
    }
    cloche_result_destroy(result);
    cloche_json_request_destroy(r.options);
    free(r.code);
    free(r.context_json);
    return value;
}

napi_value run_abort(napi_env env, napi_callback_info info)
{
    size_t count = 1;
    napi_value argument;
    bool is_handle = false;
    void *abort = NULL;

    if (!addon_ok(env, napi_get_cb_info(env, info, &count, &argument, NULL, NULL)))
        return NULL;
    if (napi_check_object_type_tag(env, argument, &tag, &is_handle) != napi_ok || !is_handle ||
        napi_unwrap(env, argument, &abort) != napi_ok)
        addon_throw(env, CLOCHE_CODE_INTERNAL, "not a run that can be aborted");
    else
        cloche_abort_trigger(abort);
    return NULL;
}
