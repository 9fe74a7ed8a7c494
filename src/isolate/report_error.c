/* report_error.c - the guest's error: read inside the run, copied, cut */
#include "isolate/report.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json_span.h"
#include "base/utf8.h"
#include "isolate/place.h"
#include "isolate/result.h"
#include "isolate/stop.h"

#define ELLIPSIS "\xE2\x80\xA6"

static cl_value get(cl_guest *guest, cl_value object, cl_name name)
{
    cl_value value = cl_engine_get(guest, object, name);
    if (cl_value_is_exception(value)) {
        cl_engine_forget(guest);
        return CL_UNDEFINED;
    }
    return value;
}

/* A value that is no error, as console shows it; a string as it is. */
static cl_text describe(cl_guest *guest, cl_value value)
{
    if (cl_value_is_string(value))
        return cl_engine_text_of(guest, value);
    cl_value string = cl_engine_prelude(guest, CL_PRELUDE_describe, 1, &value);
    if (cl_value_is_exception(string))
        cl_engine_forget(guest);
    return cl_engine_text_of(guest, string);
}

/* Cut to most bytes at a boundary, marked; surrogates as U+FFFD. false: the host has no memory. */
static bool append_cut(cl_buf *buf, cl_text text, size_t most)
{
    size_t cut = cl_utf8_cut(text.data, text.length, most);
    size_t start = buf->length;

    if (!cl_buf_append(buf, text.data, cut))
        return false;
    for (char *at = buf->data + start; (at = memchr(at, 0xED, buf->length - (size_t)(at - buf->data))) != NULL; at++)
        if (buf->length - (size_t)(at - buf->data) >= 3 && (unsigned char)at[1] >= 0xA0)
            memcpy(at, "\xEF\xBF\xBD", 3);
    return cut == text.length || cl_buf_append(buf, ELLIPSIS, strlen(ELLIPSIS));
}

static bool has(const char *line, size_t length, const char *mark)
{
    return memmem(line, length, mark, strlen(mark)) != NULL;
}

/* Frames of the prelude have no file name (it is stripped) and say nothing to the user; nor do the engine's own
 * functions, unless they stand between two frames of the user's. */
static bool is_inner_frame(const char *line, size_t length)
{
    return has(line, length, "(<null>:");
}

/* "name:line:column" of the user's file in a frame; NULL: none. */
static const char *find_place(cl_guest *guest, const char *line_text, size_t length, uint32_t *line, uint32_t *column,
                              size_t *place_length)
{
    const char *filename = guest->run.request->filename;
    size_t name_length = strlen(filename);
    const char *at = memmem(line_text, length, filename, name_length);
    char digits[32];
    unsigned l, c;
    int used;

    if (at == NULL)
        return NULL;
    size_t rest = length - (size_t)(at - line_text) - name_length;
    rest = rest < sizeof digits - 1 ? rest : sizeof digits - 1;
    memcpy(digits, at + name_length, rest);
    digits[rest] = '\0';
    if (sscanf(digits, ":%u:%u%n", &l, &c, &used) != 2)
        return NULL;
    *line = l;
    *column = c;
    *place_length = name_length + (size_t)used;
    return at;
}

/* One frame, its place as the user counts; the first such place becomes the error's. */
static void add_frame(cl_guest *guest, const char *text, size_t length, cloche_error_detail *detail)
{
    cl_buf *scratch = &guest->run.scratch;
    uint32_t line, column;
    size_t place_length;
    const char *place = find_place(guest, text, length, &line, &column, &place_length);

    if (place == NULL) {
        append_cut(scratch, (cl_text){text, length}, length);
        return;
    }
    cl_place_to_user(&guest->run, &line, &column);
    append_cut(scratch, (cl_text){text, (size_t)(place - text)}, (size_t)(place - text));
    cl_buf_printf(scratch, "%s:%u:%u", guest->run.request->filename, line, column);
    append_cut(scratch, (cl_text){place + place_length, length - (size_t)(place - text) - place_length}, length);
    if (detail->line == 0) {
        detail->line = line;
        detail->column = column;
    }
}

/* A stack with the frames that mean something to the user. */
static void keep_stack(cl_guest *guest, cloche_error_detail *detail, cl_text stack)
{
    cl_buf *scratch = &guest->run.scratch;
    size_t users_end = 0;

    cl_result_set_text(&detail->stack, NULL, 0);
    if (stack.data == NULL)
        return;
    cl_buf_reset(scratch);
    size_t cut = cl_utf8_cut(stack.data, stack.length, CL_REPORT_STACK_BYTES);
    bool is_cut = cut < stack.length;
    for (const char *at = stack.data, *end = stack.data + cut; at < end;) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((feed != NULL ? feed : end) - at);
        if (!is_inner_frame(at, length)) {
            if (scratch->length > 0)
                cl_buf_puts(scratch, "\n");
            cl_stop_check(guest); /* a frame's place is looked up over the whole source */
            add_frame(guest, at, length, detail);
            if (length > 0 && !has(at, length, "(native)"))
                users_end = scratch->length;
        }
        at += length + 1;
    }
    if (scratch->data != NULL && !is_cut) {
        scratch->length = users_end;
        scratch->data[users_end] = '\0';
    }
    if (is_cut)
        cl_buf_puts(scratch, ELLIPSIS);
    cl_result_set_text(&detail->stack, scratch->data != NULL ? scratch->data : "", scratch->length);
}

static void keep_text(cl_guest *guest, cloche_text *to, cl_text text, size_t most)
{
    cl_buf *scratch = &guest->run.scratch;

    cl_result_set_text(to, NULL, 0);
    if (text.data == NULL)
        return;
    cl_buf_reset(scratch);
    if (append_cut(scratch, text, most))
        cl_result_set_text(to, scratch->data, scratch->length);
}

/* Into the result's own detail: owned from the first byte, whatever happens while guest code runs. */
static void read_error(cl_guest *guest, cl_value error, cloche_error_detail *detail)
{
    if (!cl_value_is_object(error)) {
        keep_text(guest, &detail->message, describe(guest, error), CL_REPORT_MESSAGE_BYTES);
        return;
    }
    cl_text message = cl_engine_text_of(guest, get(guest, error, CL_NAME_message));
    keep_text(guest, &detail->message, message, CL_REPORT_MESSAGE_BYTES);
    cl_text name = cl_engine_text_of(guest, get(guest, error, CL_NAME_name));
    keep_text(guest, &detail->name, name, CL_REPORT_MESSAGE_BYTES);
    cl_text stack = cl_engine_text_of(guest, get(guest, error, CL_NAME_stack));
    keep_stack(guest, detail, stack);
    if (message.data == NULL && !Z_quickjsZ_JS_IsError(guest->instance, error))
        keep_text(guest, &detail->message, describe(guest, error), CL_REPORT_MESSAGE_BYTES);
}

static void write_error(cl_guest *guest, cl_buf *out, cl_value error, int causes_left);

static bool is_error(cl_guest *guest, cl_value value)
{
    return cl_value_is_object(value) && Z_quickjsZ_JS_IsError(guest->instance, value) != 0;
}

static bool has_cause(cl_guest *guest, cl_value error, cl_value *cause)
{
    *cause = CL_UNDEFINED;
    if (is_error(guest, error))
        *cause = get(guest, error, CL_NAME_cause);
    return !cl_value_is_undefined(*cause);
}

/* A cause that is an error in this shape, any other as JSON or, failing that, as text. */
static void write_cause(cl_guest *guest, cl_buf *out, cl_value cause, int causes_left)
{
    if (is_error(guest, cause)) {
        write_error(guest, out, cause, causes_left);
        return;
    }
    cl_value json = cl_engine_prelude(guest, CL_PRELUDE_stringify, 1, &cause);
    if (cl_value_is_exception(json))
        cl_engine_forget(guest);
    cl_text text = cl_engine_text_of(guest, json);
    if (text.data != NULL && text.length <= CL_REPORT_MESSAGE_BYTES &&
        cl_json_check(text.data, text.length, CL_JSON_DEPTH / 2, &(cl_json_span){0}, &(cl_json_fault){0})) {
        cl_buf_append(out, text.data, text.length);
        return;
    }
    text = describe(guest, cause);
    cl_buf_json_string(out, text.data != NULL ? text.data : "",
                       cl_utf8_cut(text.data, text.length, CL_REPORT_MESSAGE_BYTES));
}

static void write_error(cl_guest *guest, cl_buf *out, cl_value error, int causes_left)
{
    cloche_error_detail *part = &guest->run.part;
    cl_value cause;

    *part = (cloche_error_detail){.name = part->name, .message = part->message, .stack = part->stack};
    read_error(guest, error, part);
    cl_buf_puts(out, "{\"name\":");
    cl_buf_json_string(out, part->name.data != NULL ? part->name.data : "Error",
                       part->name.data != NULL ? part->name.length : 5);
    cl_buf_puts(out, ",\"message\":");
    cl_buf_json_string(out, part->message.data != NULL ? part->message.data : "", part->message.length);
    if (part->stack.data != NULL) {
        cl_buf_puts(out, ",\"stack\":");
        cl_buf_json_string(out, part->stack.data, part->stack.length);
    }
    if (part->line != 0)
        cl_buf_printf(out, ",\"line\":%u,\"column\":%u", part->line, part->column);
    if (causes_left > 0 && has_cause(guest, error, &cause)) {
        cl_buf_puts(out, ",\"cause\":");
        write_cause(guest, out, cause, causes_left - 1);
    }
    cl_buf_puts(out, "}");
    cl_stop_check(guest);
}

static void take_json(cloche_text *to, cl_buf *json)
{
    size_t length;
    char *text = cl_buf_take(json, &length);
    cl_result_take_text(to, text, length);
}

static void read_related(cl_guest *guest, cl_value error, cloche_error_detail *detail)
{
    cl_buf *json = &guest->run.json;
    cl_value cause;

    if (has_cause(guest, error, &cause)) {
        cl_buf_reset(json);
        write_cause(guest, json, cause, CL_REPORT_CAUSES - 1);
        take_json(&detail->cause, json);
    }
    if (!is_error(guest, error))
        return;
    cl_value errors = get(guest, error, CL_NAME_errors);
    if (!cl_value_is_object(errors) || (int32_t)Z_quickjsZ_JS_IsArray(guest->instance, errors) <= 0)
        return;
    cl_buf_reset(json);
    cl_buf_puts(json, "[");
    for (uint32_t i = 0; i < CL_REPORT_ERRORS; i++) {
        cl_value item = Z_quickjsZ_JS_GetPropertyUint32(guest->instance, cl_image_get()->context, errors, i);
        if (cl_value_is_exception(item))
            cl_engine_forget(guest);
        if (cl_value_is_exception(item) || cl_value_is_undefined(item))
            break;
        if (i > 0)
            cl_buf_puts(json, ",");
        write_cause(guest, json, item, 1);
    }
    cl_buf_puts(json, "]");
    take_json(&detail->errors, json);
}

/* "Name: message" and the stack, as an uncaught error looks in a terminal. */
static void compose(cl_guest *guest)
{
    cloche_result *result = guest->run.result;
    const cloche_error_detail *d = &result->detail;
    cl_buf *text = &guest->run.scratch;

    cl_buf_reset(text);
    if (d->name.length > 0)
        cl_buf_append(text, d->name.data, d->name.length);
    if (d->name.length > 0 && d->message.length > 0)
        cl_buf_puts(text, ": ");
    if (d->message.length > 0)
        cl_buf_append(text, d->message.data, d->message.length);
    if (text->length == 0)
        cl_buf_puts(text, "Error");
    if (d->stack.length > 0) {
        cl_buf_puts(text, "\n");
        cl_buf_append(text, d->stack.data, d->stack.length);
    }
    cl_result_set_text(&result->error, text->data, text->length);
}

void cl_report_error(cl_guest *guest, cloche_code code, cl_value error)
{
    cloche_result *result = guest->run.result;

    cl_report_clear(result);
    read_error(guest, error, &result->detail);
    result->has_detail = true;
    compose(guest);
    read_related(guest, error, &result->detail);
    cl_report_conclude(guest, code);
}
