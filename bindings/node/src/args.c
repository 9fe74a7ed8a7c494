#include "addon.h"

#include <stdlib.h>
#include <string.h>

bool addon_check(napi_env env, napi_status status)
{
    bool is_pending = false;

    if (status == napi_ok)
        return true;
    if (napi_is_exception_pending(env, &is_pending) == napi_ok && !is_pending)
        addon_throw(env, CLOCHE_CODE_INTERNAL, "the runtime refused a call of the addon");
    return false;
}

/* An Error with the code as `code`; the layer above makes its own class of it. */
bool addon_throw(napi_env env, cloche_code code, const char *text)
{
    napi_throw_error(env, cloche_code_name(code), text);
    return false;
}

bool addon_text(napi_env env, napi_value value, char **out, size_t *length)
{
    size_t size;

    *out = NULL;
    if (!addon_ok(env, napi_get_value_string_utf8(env, value, NULL, 0, &size)))
        return false;
    if ((*out = malloc(size + 1)) == NULL)
        return addon_throw(env, CLOCHE_CODE_INTERNAL, "host memory: cannot keep a text");
    if (addon_ok(env, napi_get_value_string_utf8(env, value, *out, size + 1, length)))
        return true;
    free(*out);
    *out = NULL;
    return false;
}

bool addon_is_given(napi_env env, napi_value value, bool *out)
{
    napi_valuetype type;

    *out = false;
    if (!addon_ok(env, napi_typeof(env, value, &type)))
        return false;
    *out = type != napi_undefined && type != napi_null;
    return true;
}

bool addon_define(napi_env env, napi_value object, const char *name, napi_value value)
{
    napi_property_descriptor member = {
        .utf8name = name,
        .value = value,
        .attributes = napi_writable | napi_enumerable | napi_configurable,
    };
    return addon_ok(env, napi_define_properties(env, object, 1, &member));
}

bool addon_string(napi_env env, cloche_text text, napi_value *out)
{
    return addon_ok(env, napi_create_string_utf8(env, text.data != NULL ? text.data : "", text.length, out));
}
