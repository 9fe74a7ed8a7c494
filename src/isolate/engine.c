#include "isolate/engine.h"

#include "base/error.h"

uint32_t cl_engine_alloc(cl_guest *guest, uint32_t length)
{
    uint32_t at = Z_quickjsZ_malloc(guest->instance, length);
    if (at == 0 || !cl_guest_takes(guest, at, length))
        cl_guest_leave(guest, CL_LEAVE_MEMORY);
    return at;
}

uint32_t cl_engine_text(cl_guest *guest, const char *text, size_t length)
{
    if (length >= UINT32_MAX)
        cl_guest_leave(guest, CL_LEAVE_MEMORY);
    uint32_t at = cl_engine_alloc(guest, (uint32_t)length + 1);
    if (length > 0)
        memcpy(cl_guest_at(guest, at), text, length);
    *cl_guest_at(guest, at + (uint32_t)length) = 0;
    return at;
}

cl_value cl_engine_string(cl_guest *guest, const char *text, size_t length)
{
    uint32_t at = cl_engine_text(guest, text, length);
    cl_value string = Z_quickjsZ_JS_NewStringLen(guest->instance, cl_image_get()->context, at, (uint32_t)length);
    Z_quickjsZ_free(guest->instance, at);
    return string;
}

cl_value cl_engine_eval(cl_guest *guest, uint32_t text, uint32_t length, uint32_t filename, int32_t line, int32_t flags)
{
    /* JSEvalOptions: version, eval_flags, filename, line_num */
    uint32_t options = cl_engine_alloc(guest, 16);
    uint32_t words[4] = {1, (uint32_t)flags, filename, (uint32_t)line};
    memcpy(cl_guest_at(guest, options), words, sizeof words);
    cl_value value = Z_quickjsZ_JS_Eval2(guest->instance, cl_image_get()->context, text, length, options);
    Z_quickjsZ_free(guest->instance, options);
    return value;
}

cl_value cl_engine_call(cl_guest *guest, cl_value fn, int argc, const cl_value *argv)
{
    uint32_t at = 0;
    if (argc > 0) {
        at = cl_engine_alloc(guest, (uint32_t)argc * sizeof *argv);
        memcpy(cl_guest_at(guest, at), argv, (size_t)argc * sizeof *argv);
    }
    cl_value value =
        Z_quickjsZ_JS_Call(guest->instance, cl_image_get()->context, fn, CL_UNDEFINED, (uint32_t)argc, at);
    if (at != 0)
        Z_quickjsZ_free(guest->instance, at);
    return value;
}

cl_value cl_engine_exception(cl_guest *guest)
{
    return Z_quickjsZ_JS_GetException(guest->instance, cl_image_get()->context);
}

cl_value cl_engine_get(cl_guest *guest, cl_value object, cl_name name)
{
    return Z_quickjsZ_JS_GetPropertyStr(guest->instance, cl_image_get()->context, object, cl_engine_name(name));
}

bool cl_engine_utf8(cl_guest *guest, cl_value string, const char **data, size_t *length)
{
    *data = "";
    *length = 0;
    if (!cl_value_is_string(string))
        return false;
    uint32_t length_at = cl_engine_alloc(guest, 4);
    uint32_t at = Z_quickjsZ_JS_ToCStringLen2(guest->instance, cl_image_get()->context, length_at, string, 0);
    uint32_t bytes;
    memcpy(&bytes, cl_guest_at(guest, length_at), sizeof bytes);
    if (at == 0 || !cl_guest_holds(guest, at, bytes))
        return false;
    *data = (const char *)cl_guest_at(guest, at);
    *length = bytes;
    return true;
}

void cl_engine_forget(cl_guest *guest)
{
    cl_engine_exception(guest);
}

cl_text cl_engine_text_of(cl_guest *guest, cl_value string)
{
    cl_text text;

    if (!cl_value_is_string(string))
        return (cl_text){NULL, 0};
    if (!cl_engine_utf8(guest, string, &text.data, &text.length)) {
        cl_engine_forget(guest);
        return (cl_text){NULL, 0};
    }
    return text;
}
