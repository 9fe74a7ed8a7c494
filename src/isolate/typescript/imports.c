/* imports.c - what the TypeScript module asks of its host
 *
 * Addresses and handles come from the module: each is checked. What no sound module asks for ends the translation.
 */
#include <string.h>

#include "isolate/typescript/instance.h"

#define IMPORT(name) Z___wbindgen_placeholder__Z_##name
#define MODULE struct Z___wbindgen_placeholder___instance_t *module

_Noreturn void cl_typescript_unreached(const void *module, const char *import)
{
    cl_typescript *typescript = cl_typescript_of(module);
    typescript->unreached = import;
    cl_slot_leave(&typescript->slot, CL_LEAVE_IMPORT);
}

static const uint8_t *readable(const void *module, uint32_t address, uint32_t length, const char *import)
{
    cl_typescript *typescript = cl_typescript_of(module);
    if (!cl_slot_holds(&typescript->slot, typescript->instance->w2c_memory.size, address, length))
        cl_typescript_unreached(module, import);
    return cl_slot_at(&typescript->slot, address);
}

static uint8_t *writable(const void *module, uint32_t address, uint32_t length, const char *import)
{
    cl_typescript *typescript = cl_typescript_of(module);
    if (!cl_slot_takes(&typescript->slot, typescript->instance->w2c_memory.size, address, length))
        cl_typescript_unreached(module, import);
    return cl_slot_at(&typescript->slot, address);
}

static cl_js_value value_of(const void *module, uint32_t handle, const char *import)
{
    const cl_js_value *value = cl_handles_get(&cl_typescript_of(module)->handles, handle);
    if (value == NULL)
        cl_typescript_unreached(module, import);
    return *value;
}

static uint32_t add(const void *module, cl_js_value value, const char *import)
{
    uint32_t handle = cl_handles_add(&cl_typescript_of(module)->handles, value);
    if (handle == 0)
        cl_typescript_unreached(module, import);
    return handle;
}

static bool is_string(cl_js_value value)
{
    return value.type == CL_JS_TEXT || value.type == CL_JS_SOURCE;
}

/* ---- handles ---- */

u32 IMPORT(__wbindgen_object_clone_ref)(MODULE, u32 handle)
{
    return add(module, value_of(module, handle, __func__), __func__);
}

void IMPORT(__wbindgen_object_drop_ref)(MODULE, u32 handle)
{
    if (!cl_handles_drop(&cl_typescript_of(module)->handles, handle))
        cl_typescript_unreached(module, __func__);
}

/* ---- questions ---- */

u32 IMPORT(__wbindgen_is_undefined)(MODULE, u32 handle)
{
    return value_of(module, handle, __func__).type == CL_JS_UNDEFINED;
}

u32 IMPORT(__wbindgen_is_object)(MODULE, u32 handle)
{
    cl_js_type type = value_of(module, handle, __func__).type;
    return type == CL_JS_OBJECT || type == CL_JS_ENTRIES || type == CL_JS_ENTRY;
}

u32 IMPORT(__wbindgen_is_string)(MODULE, u32 handle)
{
    return is_string(value_of(module, handle, __func__));
}

u32 IMPORT(__wbindgen_is_falsy)(MODULE, u32 handle)
{
    cl_js_value value = value_of(module, handle, __func__);

    switch (value.type) {
    case CL_JS_UNDEFINED:
    case CL_JS_NULL:
        return 1;
    case CL_JS_BOOLEAN:
        return !value.boolean;
    case CL_JS_NUMBER:
        return value.number == 0 || value.number != value.number;
    case CL_JS_TEXT:
        return value.text.length == 0;
    case CL_JS_SOURCE:
        return cl_handles_source_length(&cl_typescript_of(module)->handles) == 0;
    case CL_JS_OBJECT:
    case CL_JS_SYMBOL:
    case CL_JS_ENTRIES:
    case CL_JS_ENTRY:
        return 0;
    }
    cl_typescript_unreached(module, __func__);
}

/* Asked of null, undefined and booleans only. */
u32 IMPORT(__wbindgen_jsval_loose_eq)(MODULE, u32 a, u32 b)
{
    cl_js_value x = value_of(module, a, __func__), y = value_of(module, b, __func__);

    if (x.type <= CL_JS_NULL || y.type <= CL_JS_NULL)
        return x.type <= CL_JS_NULL && y.type <= CL_JS_NULL;
    if (x.type == CL_JS_BOOLEAN && y.type == CL_JS_BOOLEAN)
        return x.boolean == y.boolean;
    if (x.type == CL_JS_TEXT && y.type == CL_JS_BOOLEAN)
        return x.text.length == 0 && !y.boolean;
    cl_typescript_unreached(module, __func__);
}

/* ---- numbers and booleans ---- */

u32 IMPORT(__wbindgen_boolean_get)(MODULE, u32 handle)
{
    cl_js_value value = value_of(module, handle, __func__);
    return value.type == CL_JS_BOOLEAN ? value.boolean : 2;
}

void IMPORT(__wbindgen_number_get)(MODULE, u32 to, u32 handle)
{
    cl_js_value value = value_of(module, handle, __func__);
    uint8_t *at = writable(module, to, 16, __func__);
    uint32_t is_number = value.type == CL_JS_NUMBER;
    double number = is_number ? value.number : 0;

    memcpy(at, &is_number, sizeof is_number);
    memcpy(at + 8, &number, sizeof number);
}

u32 IMPORT(__wbindgen_number_new)(MODULE, f64 number)
{
    return add(module, (cl_js_value){.type = CL_JS_NUMBER, .number = number}, __func__);
}

/* ---- strings ---- */

static void copy_source(const cl_handles *handles, uint8_t *to)
{
    uint8_t *at = to;

    for (int i = 0; i < CL_JS_SOURCE_PARTS; at += handles->source[i++].length)
        if (handles->source[i].length > 0)
            memcpy(at, handles->source[i].data, handles->source[i].length);
    /* A surrogate, which is no UTF-8, is as long as the character that stands for it. */
    for (uint8_t *end = at; (to = memchr(to, 0xED, (size_t)(end - to))) != NULL; to++)
        if (end - to >= 3 && to[1] >= 0xA0)
            memcpy(to, "\xEF\xBF\xBD", 3);
}

void IMPORT(__wbindgen_string_get)(MODULE, u32 to, u32 handle)
{
    cl_typescript *typescript = cl_typescript_of(module);
    cl_js_value value = value_of(module, handle, __func__);
    uint32_t words[2] = {0, 0}; /* address, length */

    if (is_string(value)) {
        size_t length = value.type == CL_JS_TEXT ? value.text.length : cl_handles_source_length(&typescript->handles);
        if (length > INT32_MAX)
            cl_typescript_unreached(module, __func__);
        words[1] = (uint32_t)length;
        words[0] = Z_swcZ___wbindgen_export_2(typescript->instance, words[1], 1);
        uint8_t *at = writable(module, words[0], words[1], __func__);
        if (value.type == CL_JS_SOURCE)
            copy_source(&typescript->handles, at);
        else if (length > 0)
            memcpy(at, value.text.data, length);
    }
    memcpy(writable(module, to, sizeof words, __func__), words, sizeof words);
}

u32 IMPORT(__wbindgen_string_new)(MODULE, u32 address, u32 length)
{
    const uint8_t *from = readable(module, address, length, __func__);
    cl_js_value value;

    if (!cl_handles_text(&cl_typescript_of(module)->handles, (const char *)from, length, &value))
        cl_typescript_unreached(module, __func__);
    return add(module, value, __func__);
}

/* ---- objects ---- */

u32 IMPORT(__wbg_new_405e22f390576ce2)(MODULE)
{
    cl_js_value object;

    if (!cl_handles_object(&cl_typescript_of(module)->handles, &object))
        cl_typescript_unreached(module, __func__);
    return add(module, object, __func__);
}

/* Takes the handles of key and value. */
void IMPORT(__wbg_set_3f1d0b984ed272ed)(MODULE, u32 object, u32 key, u32 value)
{
    cl_handles *handles = &cl_typescript_of(module)->handles;
    cl_js_value name = value_of(module, key, __func__), member = value_of(module, value, __func__);

    if (name.type != CL_JS_TEXT || !cl_handles_set(handles, value_of(module, object, __func__), name.text, member) ||
        !cl_handles_drop(handles, key) || !cl_handles_drop(handles, value))
        cl_typescript_unreached(module, __func__);
}

u32 IMPORT(__wbg_getwithrefkey_1dc361bd10053bfe)(MODULE, u32 object, u32 key)
{
    cl_js_value name = value_of(module, key, __func__);

    if (name.type != CL_JS_TEXT)
        cl_typescript_unreached(module, __func__);
    cl_js_value member =
        cl_handles_member(&cl_typescript_of(module)->handles, value_of(module, object, __func__), name.text);
    return member.type == CL_JS_UNDEFINED ? CL_HANDLE_UNDEFINED : add(module, member, __func__);
}

u32 IMPORT(__wbindgen_in)(MODULE, u32 key, u32 object)
{
    cl_js_value name = value_of(module, key, __func__);

    if (name.type != CL_JS_TEXT)
        cl_typescript_unreached(module, __func__);
    return cl_handles_member(&cl_typescript_of(module)->handles, value_of(module, object, __func__), name.text).type !=
           CL_JS_UNDEFINED;
}

/* ---- objects whose members are all read: the options of transformation ---- */

u32 IMPORT(__wbg_iterator_9a24c88df860dc65)(MODULE)
{
    return add(module, (cl_js_value){.type = CL_JS_SYMBOL}, __func__);
}

/* Reflect.get, asked for Symbol.iterator only. */
u32 IMPORT(__wbg_get_67b2ba62fc30de12)(MODULE, u32 object, u32 key)
{
    value_of(module, object, __func__);
    if (value_of(module, key, __func__).type != CL_JS_SYMBOL)
        cl_typescript_unreached(module, __func__);
    return CL_HANDLE_UNDEFINED;
}

u32 IMPORT(__wbindgen_is_function)(MODULE, u32 handle)
{
    value_of(module, handle, __func__);
    return 0;
}

u32 IMPORT(__wbg_entries_3265d4158b33e5dc)(MODULE, u32 handle)
{
    cl_js_value object = value_of(module, handle, __func__);

    if (object.type != CL_JS_OBJECT)
        cl_typescript_unreached(module, __func__);
    object.type = CL_JS_ENTRIES;
    return add(module, object, __func__);
}

u32 IMPORT(__wbg_length_e2d2a49132c1b256)(MODULE, u32 handle)
{
    int length = cl_handles_list_length(&cl_typescript_of(module)->handles, value_of(module, handle, __func__));

    if (length < 0)
        cl_typescript_unreached(module, __func__);
    return (u32)length;
}

u32 IMPORT(__wbg_get_b9b93047fe3cf45b)(MODULE, u32 handle, u32 index)
{
    cl_js_value list = value_of(module, handle, __func__);

    return add(module, cl_handles_element(&cl_typescript_of(module)->handles, list, index), __func__);
}

/* The module throws where it cannot go on. */
void IMPORT(__wbindgen_throw)(MODULE, u32 address, u32 length)
{
    (void)address, (void)length;
    cl_typescript_unreached(module, __func__);
}
