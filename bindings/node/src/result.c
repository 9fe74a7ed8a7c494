/* result.c - a result as an object of the layer above: texts as they are, JSON not yet parsed */
#include "addon.h"

#include <string.h>

enum { MEMBERS_MOST = 24 };

typedef struct members {
    napi_env env;
    napi_property_descriptor list[MEMBERS_MOST];
    size_t count;
    bool is_good;
} members;

static void add(members *m, const char *name, napi_value value)
{
    m->list[m->count++] = (napi_property_descriptor){
        .utf8name = name,
        .value = value,
        .attributes = napi_writable | napi_enumerable | napi_configurable,
    };
}

static void add_text(members *m, const char *name, cloche_text text)
{
    napi_value value;

    if (!m->is_good || text.data == NULL)
        return;
    if ((m->is_good = addon_string(m->env, text, &value)))
        add(m, name, value);
}

static void add_number(members *m, const char *name, double number)
{
    napi_value value;

    if (m->is_good && (m->is_good = addon_ok(m->env, napi_create_double(m->env, number, &value))))
        add(m, name, value);
}

static void add_bool(members *m, const char *name, bool flag)
{
    napi_value value;

    if (m->is_good && (m->is_good = addon_ok(m->env, napi_get_boolean(m->env, flag, &value))))
        add(m, name, value);
}

static bool define(members *m, napi_value *out)
{
    return m->is_good && addon_ok(m->env, napi_create_object(m->env, out)) &&
           addon_ok(m->env, napi_define_properties(m->env, *out, m->count, m->list));
}

bool layers_to_js(napi_env env, uint32_t bits, napi_value *out)
{
    static const struct {
        const char *name;
        uint32_t bit;
    } layers[] = {
#define X(layer, wire, value) {wire, value},
        CLOCHE_LAYER_LIST(X)
#undef X
    };
    uint32_t count = 0;

    if (!addon_ok(env, napi_create_array(env, out)))
        return false;
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        napi_value name;
        if (!(bits & layers[i].bit))
            continue;
        if (!addon_ok(env, napi_create_string_utf8(env, layers[i].name, NAPI_AUTO_LENGTH, &name)) ||
            !addon_ok(env, napi_set_element(env, *out, count++, name)))
            return false;
    }
    return true;
}

static bool detail_to_js(napi_env env, const cloche_error_detail *detail, napi_value *out)
{
    members m = {.env = env, .is_good = true};

    add_text(&m, "name", detail->name);
    add_text(&m, "message", detail->message);
    add_text(&m, "stack", detail->stack);
    add_text(&m, "cause", detail->cause);
    add_text(&m, "errors", detail->errors);
    add_text(&m, "hint", detail->hint);
    if (detail->line != 0)
        add_number(&m, "line", detail->line);
    if (detail->column != 0)
        add_number(&m, "column", detail->column);
    return define(&m, out);
}

/* A result that is ok is made by a function of the layer above, whose objects have a shape that the runtime knows: in one
 * call, faster than by sixteen definitions. */
napi_value result_set_maker(napi_env env, napi_callback_info info)
{
    size_t count = 1;
    napi_value function;
    addon_env *owner = addon_env_of(env);

    if (addon_ok(env, napi_get_cb_info(env, info, &count, &function, NULL, NULL)) && owner->make_result == NULL)
        addon_ok(env, napi_create_reference(env, function, 1, &owner->make_result));
    return NULL;
}

static bool make_ok(napi_env env, napi_ref maker, const cloche_result *result, napi_value *out)
{
    const double numbers[] = {
        result->duration_ms,   result->usage.cpu_ms,          (double)result->usage.memory_peak_bytes,
        result->usage.pending, result->queue_ms,              (double)result->out_truncated,
        (double)result->err_truncated, result->isolation,
    };
    enum { NUMBERS = sizeof numbers / sizeof numbers[0] };
    napi_value function, undefined, arguments[3 + NUMBERS];

    if (!addon_ok(env, napi_get_reference_value(env, maker, &function)) ||
        !addon_ok(env, napi_get_undefined(env, &undefined)) || !addon_string(env, result->out, &arguments[1]) ||
        !addon_string(env, result->err, &arguments[2]))
        return false;
    arguments[0] = undefined;
    if (result->value.data != NULL && !addon_string(env, result->value, &arguments[0]))
        return false;
    for (int i = 0; i < NUMBERS; i++)
        if (!addon_ok(env, napi_create_double(env, numbers[i], &arguments[3 + i])))
            return false;
    return addon_ok(env, napi_call_function(env, undefined, function, 3 + NUMBERS, arguments, out));
}

/* Flat, so that one call makes it; the layer above gives it its shape. */
bool result_to_js(napi_env env, const cloche_result *result, napi_value *out)
{
    napi_ref maker = addon_env_of(env)->make_result;

    if (result->ok && maker != NULL)
        return make_ok(env, maker, result, out);
    members m = {.env = env, .is_good = true};
    napi_value value;

    add_bool(&m, "ok", result->ok);
    add_text(&m, "value", result->value);
    add_text(&m, "stdout", result->out.data != NULL ? result->out : (cloche_text){"", 0});
    add_text(&m, "stderr", result->err.data != NULL ? result->err : (cloche_text){"", 0});
    add_number(&m, "duration", result->duration_ms);
    if (result->exit_code >= 0)
        add_number(&m, "exitCode", result->exit_code);
    add_text(&m, "error", result->error);
    if (!result->ok) {
        const char *code = cloche_code_name(result->code);
        add_text(&m, "errorCode", (cloche_text){code, strlen(code)});
    }
    if (m.is_good && result->has_detail && (m.is_good = detail_to_js(env, &result->detail, &value)))
        add(&m, "errorDetail", value);
    add_number(&m, "cpuMs", result->usage.cpu_ms);
    add_number(&m, "memoryPeakBytes", (double)result->usage.memory_peak_bytes);
    add_number(&m, "pending", result->usage.pending);
    add_number(&m, "queueMs", result->queue_ms);
    add_number(&m, "stdoutTruncated", (double)result->out_truncated);
    add_number(&m, "stderrTruncated", (double)result->err_truncated);
    add_bool(&m, "started", result->started);
    add_number(&m, "isolation", result->isolation);
    return define(&m, out);
}
