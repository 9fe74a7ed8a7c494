#include "isolate/natives.h"

#include <math.h>
#include <stdio.h>

#include "base/utf8.h"
#include "isolate/engine.h"
#include "isolate/guest_clock.h"
#include "isolate/output.h"
#include "isolate/stop.h"

static cl_guest *guest_of(void *instance)
{
    return (cl_guest *)((Z_quickjs_instance_t *)instance)->Z_env_instance;
}

static cl_value argument(cl_guest *guest, uint32_t argc, uint32_t argv, uint32_t index)
{
    cl_value value = CL_UNDEFINED;
    uint64_t at = (uint64_t)argv + index * sizeof value;
    if (index < argc && at <= UINT32_MAX && cl_guest_holds(guest, (uint32_t)at, sizeof value))
        memcpy(&value, cl_guest_at(guest, (uint32_t)at), sizeof value);
    return value;
}

bool cl_module_exports(cl_guest *guest, uint32_t module, cl_value exports, bool set);

#define NATIVE(name) \
    static u64 native_##name(void *instance, u32 context, u64 this_value, u32 argc, u32 argv)
#define UNUSED (void)context, (void)this_value, (void)argc, (void)argv
#define ARGUMENT(index) argument(guest, argc, argv, index)

NATIVE(write)
{
    cl_guest *guest = guest_of(instance);
    const char *data;
    size_t length;

    UNUSED;
    int fd = cl_value_number(ARGUMENT(0), 1) == 2 ? 2 : 1;
    if (cl_engine_utf8(guest, ARGUMENT(1), &data, &length)) {
        uint32_t at = (uint32_t)((const uint8_t *)data - guest->slot.memory);
        cl_output_write(guest, fd, data, length);
        Z_quickjsZ_JS_FreeCString(guest->instance, cl_image_get()->context, at);
    }
    cl_stop_check(guest);
    return CL_UNDEFINED;
}

NATIVE(now)
{
    cl_guest *guest = guest_of(instance);
    UNUSED;
    return cl_value_from_double((double)cl_guest_since_start_ns(guest) / 1e6);
}

NATIVE(exit)
{
    cl_guest *guest = guest_of(instance);
    UNUSED;
    /* As ToInt32 and the system have it: modulo 256, whatever the size. */
    double code = fmod(trunc(cl_value_number(ARGUMENT(0), 0)), 256);
    guest->run.exit_code = code == code ? (int)code & 0xff : 0;
    cl_guest_leave(guest, CL_LEAVE_EXIT);
}

NATIVE(maxTimers)
{
    cl_guest *guest = guest_of(instance);
    UNUSED;
    return cl_value_from_int((int32_t)guest->run.request->limits.max_timers);
}

/* Told at every change, so that the number is known however the run ends. */
NATIVE(timers)
{
    cl_guest *guest = guest_of(instance);
    UNUSED;
    guest->run.has_timers = true;
    guest->run.live_timers = (uint32_t)cl_value_number(ARGUMENT(0), 0);
    return CL_UNDEFINED;
}

NATIVE(memoryUsage)
{
    cl_guest *guest = guest_of(instance);
    UNUSED;
    return cl_value_from_double(guest->instance->w2c_memory.size);
}

NATIVE(wantTicks)
{
    UNUSED;
    guest_of(instance)->run.wants_ticks = true;
    return CL_UNDEFINED;
}

NATIVE(promiseState)
{
    cl_guest *guest = guest_of(instance);
    UNUSED;
    return cl_value_from_int((int32_t)Z_quickjsZ_JS_PromiseState(guest->instance, context, ARGUMENT(0)));
}

NATIVE(promiseResult)
{
    cl_guest *guest = guest_of(instance);
    UNUSED;
    return Z_quickjsZ_JS_PromiseResult(guest->instance, context, ARGUMENT(0));
}

NATIVE(proxyTarget)
{
    cl_guest *guest = guest_of(instance);
    cl_value value = ARGUMENT(0);
    UNUSED;
    if (!Z_quickjsZ_JS_IsProxy(guest->instance, value))
        return CL_UNDEFINED;
    /* Owned by the caller: the engine answers a new reference. */
    return Z_quickjsZ_JS_GetProxyTarget(guest->instance, context, value);
}

NATIVE(isProxy)
{
    cl_guest *guest = guest_of(instance);
    UNUSED;
    return cl_value_from_bool(Z_quickjsZ_JS_IsProxy(guest->instance, ARGUMENT(0)) != 0);
}

NATIVE(className)
{
    cl_guest *guest = guest_of(instance);
    cl_value value = ARGUMENT(0);
    UNUSED;
    if (!cl_value_is_object(value))
        return CL_UNDEFINED;
    uint32_t class_id = Z_quickjsZ_JS_GetClassID(guest->instance, value);
    uint32_t atom = Z_quickjsZ_JS_GetClassName(guest->instance, cl_image_get()->runtime, class_id);
    return Z_quickjsZ_JS_AtomToString(guest->instance, context, atom);
}

/* The bytes lie where the engine says, checked to be in its memory; nothing runs in between. */
NATIVE(random)
{
    cl_guest *guest = guest_of(instance);
    uint32_t size_at = cl_engine_alloc(guest, 4);
    uint32_t length;

    UNUSED;
    uint32_t at = Z_quickjsZ_JS_GetUint8Array(guest->instance, context, size_at, ARGUMENT(0));
    memcpy(&length, cl_guest_at(guest, size_at), sizeof length);
    Z_quickjsZ_free(guest->instance, size_at);
    if (at == 0)
        return CL_EXCEPTION;
    /* In pieces: host code cannot be left in the middle. */
    while (length > 0 && cl_guest_takes(guest, at, length)) {
        uint32_t part = length < 65536 ? length : 65536;
        cl_guest_random(guest, cl_guest_at(guest, at), part);
        at += part;
        length -= part;
        cl_stop_check(guest);
    }
    return CL_UNDEFINED;
}

/* The function of a prelude file that is not in the image. */
NATIVE(load)
{
    enum { READ_BYTECODE = 1 << 0 };
    cl_guest *guest = guest_of(instance);
    const char *name;
    size_t length;

    UNUSED;
    if (!cl_engine_utf8(guest, ARGUMENT(0), &name, &length))
        return CL_UNDEFINED;
    for (const cl_late_file *file = cl_image_get()->late; file->length > 0; file++) {
        if (strlen(file->name) != length || memcmp(file->name, name, length) != 0)
            continue;
        uint32_t bytes = cl_engine_text(guest, (const char *)cl_image_late(file), file->length);
        cl_value code = Z_quickjsZ_JS_ReadObject(guest->instance, context, bytes, file->length, READ_BYTECODE);
        Z_quickjsZ_free(guest->instance, bytes);
        return cl_value_is_exception(code) ? code : Z_quickjsZ_JS_EvalFunction(guest->instance, context, code);
    }
    return CL_UNDEFINED;
}

/* ---- engine callbacks ---- */

/* JSHostPromiseRejectionTracker */
static void native_rejection(void *instance, u32 context, u64 promise, u64 reason, u32 is_handled, u32 opaque)
{
    cl_guest *guest = guest_of(instance);
    cl_value arguments[] = {promise, cl_value_from_bool(is_handled != 0)};

    (void)context, (void)reason, (void)opaque;
    guest->run.has_rejections = true;
    cl_engine_prelude(guest, CL_PRELUDE_reject, 2, arguments);
}

/* JSModuleNormalizeFunc: specifiers are names as they are. */
static u32 native_module_name(void *instance, u32 context, u32 base, u32 name, u32 opaque)
{
    cl_guest *guest = guest_of(instance);
    (void)base, (void)opaque;
    return Z_quickjsZ_js_strdup(guest->instance, context, name);
}

static uint32_t guest_strlen(cl_guest *guest, uint32_t at)
{
    uint32_t size = guest->instance->w2c_memory.size;
    if (!cl_guest_holds(guest, at, 1))
        return 0;
    const void *nul = memchr(cl_guest_at(guest, at), 0, size - at);
    return nul == NULL ? 0 : (uint32_t)((const uint8_t *)nul - cl_guest_at(guest, at));
}

/* JSModuleInitFunc: sets the exports that native_module_load declared. */
static u32 native_module_init(void *instance, u32 context, u32 module)
{
    cl_guest *guest = guest_of(instance);
    uint32_t atom = Z_quickjsZ_JS_GetModuleName(guest->instance, context, module);
    cl_value name = Z_quickjsZ_JS_AtomToString(guest->instance, context, atom);
    cl_value arguments[] = {name};
    cl_value exports = cl_engine_prelude(guest, CL_PRELUDE_builtin, 1, arguments);

    if (cl_value_is_exception(exports))
        return (u32)-1;
    return cl_module_exports(guest, module, exports, true) ? 0 : (u32)-1;
}

/* JSModuleLoaderFunc: a built-in module of the prelude, or what it throws. */
static u32 native_module_load(void *instance, u32 context, u32 name, u32 opaque)
{
    cl_guest *guest = guest_of(instance);
    cl_value arguments[] = {
        Z_quickjsZ_JS_NewStringLen(guest->instance, context, name, guest_strlen(guest, name))};
    cl_value exports = cl_engine_prelude(guest, CL_PRELUDE_builtin, 1, arguments);

    (void)opaque;
    if (cl_value_is_exception(exports))
        return 0;
    uint32_t module =
        Z_quickjsZ_JS_NewCModule(guest->instance, context, name, CL_NATIVE_FIRST + CL_NATIVE_MODULE_INIT);
    if (module == 0 || !cl_module_exports(guest, module, exports, false))
        return 0;
    return module;
}

/* Declares (or sets) each own enumerable string key of `exports`, and the whole as `default`. */
bool cl_module_exports(cl_guest *guest, uint32_t module, cl_value exports, bool set)
{
    enum { GPN_STRING_ENUMERABLE = 1 << 0 | 1 << 4 };
    const uint32_t context = cl_image_get()->context;
    uint32_t out = cl_engine_alloc(guest, 8);
    uint32_t table, count;
    bool has_default = false;

    if ((int32_t)Z_quickjsZ_JS_GetOwnPropertyNames(guest->instance, context, out, out + 4, exports,
                                                   GPN_STRING_ENUMERABLE) < 0)
        return false;
    memcpy(&table, cl_guest_at(guest, out), 4);
    memcpy(&count, cl_guest_at(guest, out + 4), 4);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t entry[2]; /* JSPropertyEnum: is_enumerable, atom */
        if (!cl_guest_holds(guest, table + i * 8, 8))
            return false;
        memcpy(entry, cl_guest_at(guest, table + i * 8), 8);
        uint32_t name = Z_quickjsZ_JS_AtomToCStringLen(guest->instance, context, 0, entry[1]);
        if (name == 0)
            return false;
        has_default |= guest_strlen(guest, name) == 7 && memcmp(cl_guest_at(guest, name), "default", 7) == 0;
        if (set) {
            cl_value value = Z_quickjsZ_JS_GetProperty(guest->instance, context, exports, entry[1]);
            if (cl_value_is_exception(value) ||
                (int32_t)Z_quickjsZ_JS_SetModuleExport(guest->instance, context, module, name, value) < 0)
                return false;
        } else if ((int32_t)Z_quickjsZ_JS_AddModuleExport(guest->instance, context, module, name) < 0) {
            return false;
        }
    }
    if (has_default)
        return true;
    if (set) {
        cl_value whole = Z_quickjsZ_JS_DupValue(guest->instance, context, exports);
        return (int32_t)Z_quickjsZ_JS_SetModuleExport(guest->instance, context, module,
                                                      cl_engine_name(CL_NAME_default), whole) >= 0;
    }
    return (int32_t)Z_quickjsZ_JS_AddModuleExport(guest->instance, context, module,
                                                  cl_engine_name(CL_NAME_default)) >= 0;
}

/* ---- the elements ---- */

static uint32_t generic_type(void)
{
    return wasm_rt_register_func_type(4, 1, WASM_RT_I32, WASM_RT_I64, WASM_RT_I32, WASM_RT_I32, WASM_RT_I64);
}

uint32_t cl_natives_fill(wasm_rt_funcref_t *elements)
{
#define CL_X(name, arguments) \
    elements[CL_NATIVE_##name] = (wasm_rt_funcref_t){generic_type(), (wasm_rt_function_ptr_t)native_##name};
    CL_NATIVE_LIST(CL_X)
#undef CL_X
    elements[CL_NATIVE_REJECTION] = (wasm_rt_funcref_t){
        wasm_rt_register_func_type(5, 0, WASM_RT_I32, WASM_RT_I64, WASM_RT_I64, WASM_RT_I32, WASM_RT_I32),
        (wasm_rt_function_ptr_t)native_rejection};
    elements[CL_NATIVE_MODULE_NAME] = (wasm_rt_funcref_t){
        wasm_rt_register_func_type(4, 1, WASM_RT_I32, WASM_RT_I32, WASM_RT_I32, WASM_RT_I32, WASM_RT_I32),
        (wasm_rt_function_ptr_t)native_module_name};
    elements[CL_NATIVE_MODULE_LOAD] = (wasm_rt_funcref_t){
        wasm_rt_register_func_type(3, 1, WASM_RT_I32, WASM_RT_I32, WASM_RT_I32, WASM_RT_I32),
        (wasm_rt_function_ptr_t)native_module_load};
    elements[CL_NATIVE_MODULE_INIT] = (wasm_rt_funcref_t){
        wasm_rt_register_func_type(2, 1, WASM_RT_I32, WASM_RT_I32, WASM_RT_I32),
        (wasm_rt_function_ptr_t)native_module_init};
    return CL_NATIVE_COUNT;
}
