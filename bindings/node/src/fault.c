#include "addon.h"

static _Atomic long left; /* checks until the one that fails; 0: none will */
static _Atomic bool has_failed;

bool fault_now(void)
{
    if (atomic_load(&left) == 0 || atomic_fetch_sub(&left, 1) != 1)
        return false;
    atomic_store(&has_failed, true);
    return true;
}

static napi_value fail_at(napi_env env, napi_callback_info info)
{
    size_t count = 1;
    napi_value argument;
    int64_t number = 0;

    napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
    napi_get_value_int64(env, argument, &number);
    atomic_store(&has_failed, false);
    atomic_store(&left, (long)number);
    return NULL;
}

/* Whether it came to that; nothing fails any more. */
static napi_value end_faults(napi_env env, napi_callback_info info)
{
    napi_value value;

    (void)info;
    atomic_store(&left, 0);
    napi_get_boolean(env, atomic_load(&has_failed), &value);
    return value;
}

static bool define(napi_env env, napi_value exports, const char *name, napi_callback function)
{
    napi_value value;
    return napi_create_function(env, name, NAPI_AUTO_LENGTH, function, NULL, &value) == napi_ok &&
           napi_set_named_property(env, exports, name, value) == napi_ok;
}

bool fault_define(napi_env env, napi_value exports)
{
    return define(env, exports, "failAt", fail_at) && define(env, exports, "endFaults", end_faults);
}
