#include "isolate/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/json_span.h"
#include "base/utf8.h"
#include "isolate/result.h"
#include "isolate/stop.h"

#define ELLIPSIS "\xE2\x80\xA6"

/* ---- the host's own words ---- */

static void clear(cloche_result *result)
{
    result->ok = false;
    result->has_detail = false;
    cl_result_set_text(&result->value, NULL, 0);
    cl_result_set_text(&result->error, NULL, 0);
    cl_result_set_text(&result->detail.name, NULL, 0);
    cl_result_set_text(&result->detail.message, NULL, 0);
    cl_result_set_text(&result->detail.stack, NULL, 0);
    cl_result_set_text(&result->detail.cause, NULL, 0);
    cl_result_set_text(&result->detail.errors, NULL, 0);
    result->detail.line = result->detail.column = 0;
}

static void conclude(cl_guest *guest, cloche_code code)
{
    guest->run.result->code = code;
    guest->run.result->exit_code = cloche_code_exit(code);
    guest->run.phase = CL_PHASE_DONE;
}

void cl_report_text(cl_guest *guest, cloche_code code, const char *format, ...)
{
    char text[512];
    va_list list;

    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    clear(guest->run.result);
    cl_result_set_text(&guest->run.result->error, text,
                       length < (int)sizeof text ? (size_t)length : sizeof text - 1);
    conclude(guest, code);
}

static double ms_since(uint64_t start_ns)
{
    return (double)(cl_clock_ns(CLOCK_MONOTONIC) - start_ns) / 1e6;
}

static void report_stop(cl_guest *guest)
{
    const cl_run *run = &guest->run;
    const cl_run_limits *limits = &run->request->limits;

    switch ((cl_stop)run->stopped_for) {
    case CL_STOP_CPU:
        cl_report_text(guest, CLOCHE_CODE_TIMEOUT, "stopped: CPU time over (cpuTimeMs %" PRIu64 ")",
                       limits->cpu_ns / CL_NS_PER_MS);
        break;
    case CL_STOP_ABORT:
        cl_report_text(guest, CLOCHE_CODE_ABORTED, "aborted by the caller after %.1f ms", ms_since(run->start_ns));
        break;
    case CL_STOP_DISPOSE:
        cl_report_text(guest, CLOCHE_CODE_DISPOSED, "the sandbox was disposed while this ran");
        break;
    case CL_STOP_QUEUE_FULL:
    case CL_STOP_QUEUE_TIME:
    case CL_STOP_WALL:
    case CL_STOP_NONE:
        cl_report_text(guest, CLOCHE_CODE_TIMEOUT, "stopped: time over (timeoutMs %" PRIu64 ", stopped after %.1f ms)",
                       limits->wall_ns / CL_NS_PER_MS, ms_since(run->start_ns));
        break;
    }
}

void cl_report_leave(cl_guest *guest, cl_leave why)
{
    cl_run *run = &guest->run;
    unsigned limit_mb = run->request->limits.memory_pages / 16;

    switch (why) {
    case CL_LEAVE_STOP:
        report_stop(guest);
        break;
    case CL_LEAVE_EXIT:
        cl_report_text(guest, CLOCHE_CODE_EXECUTION_ERROR, "process.exit(%d)", run->exit_code);
        run->result->exit_code = run->exit_code;
        break;
    case CL_LEAVE_MEMORY:
        cl_report_text(guest, CLOCHE_CODE_MEMORY_EXCEEDED, "memory over (memoryLimitMb %u, in use %.1f MiB)", limit_mb,
                       run->peak_pages / 16.0);
        break;
    case CL_LEAVE_HOST_MEMORY:
        cl_report_text(guest, CLOCHE_CODE_INTERNAL,
                       "host memory: the process's total for guests or the system refused more (in use %.1f MiB)",
                       run->peak_pages / 16.0);
        break;
    case CL_LEAVE_FAULT:
        cl_report_text(guest, CLOCHE_CODE_EXECUTION_ERROR,
                       "RangeError: stopped: the engine's stack or memory bounds were exceeded");
        break;
    case CL_LEAVE_TRAP:
        cl_report_text(guest, CLOCHE_CODE_EXECUTION_ERROR, "stopped: the engine gave up (trap %u)", run->trap);
        break;
    case CL_LEAVE_FORKED:
        cl_report_text(guest, CLOCHE_CODE_INTERNAL, "a callback of this run forked; a run does not go on in the child");
        break;
    case CL_LEAVE_NONE:
        CL_ASSERT(why != CL_LEAVE_NONE);
    }
}

/* ---- reading an error ---- */

/* A UTF-8 text in guest memory; NULL: none. */
typedef struct guest_text {
    const char *data;
    size_t length;
} guest_text;

static void forget_exception(cl_guest *guest)
{
    cl_engine_exception(guest);
}

static guest_text text_of(cl_guest *guest, cl_value string)
{
    guest_text text;
    if (!cl_value_is_string(string))
        return (guest_text){NULL, 0};
    if (!cl_engine_utf8(guest, string, &text.data, &text.length)) {
        forget_exception(guest);
        return (guest_text){NULL, 0};
    }
    return text;
}

static cl_value get(cl_guest *guest, cl_value object, cl_name name)
{
    cl_value value = cl_engine_get(guest, object, name);
    if (cl_value_is_exception(value)) {
        forget_exception(guest);
        return CL_UNDEFINED;
    }
    return value;
}

/* What String() would give; objects without a message show their JSON. */
static guest_text describe(cl_guest *guest, cl_value value)
{
    cl_value string = CL_UNDEFINED;

    if (cl_value_tag(value) == CL_TAG_SYMBOL) {
        cl_value description = cl_value_make(CL_TAG_UNDEFINED, 0);
        uint32_t atom = Z_quickjsZ_JS_ValueToAtom(guest->instance, cl_image_get()->context, value);
        if (atom != 0)
            description = Z_quickjsZ_JS_AtomToString(guest->instance, cl_image_get()->context, atom);
        string = description;
    } else if (cl_value_is_object(value)) {
        string = cl_engine_prelude(guest, CL_PRELUDE_stringify, 1, &value);
    } else {
        string = Z_quickjsZ_JS_ToString(guest->instance, cl_image_get()->context, value);
    }
    if (cl_value_is_exception(string))
        forget_exception(guest);
    return text_of(guest, string);
}

/* Cut to most bytes at a boundary, marked; surrogates as U+FFFD. false: the host has no memory. */
static bool append_cut(cl_buf *buf, guest_text text, size_t most)
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

/* Frames of the prelude have no file name (it is stripped) and say nothing to the user. */
static bool is_inner_frame(const char *line, size_t length)
{
    static const char mark[] = "(<null>:";
    return memmem(line, length, mark, strlen(mark)) != NULL;
}

/* A stack without inner frames and without its last line feed. */
static void keep_stack(cl_guest *guest, cloche_text *to, guest_text stack)
{
    cl_buf *scratch = &guest->run.scratch;

    cl_result_set_text(to, NULL, 0);
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
            append_cut(scratch, (guest_text){at, length}, length);
        }
        at += length + 1;
    }
    while (scratch->length > 0 && scratch->data[scratch->length - 1] == '\n')
        scratch->data[--scratch->length] = '\0';
    if (is_cut)
        cl_buf_puts(scratch, ELLIPSIS);
    cl_result_set_text(to, scratch->data != NULL ? scratch->data : "", scratch->length);
}

/* The first "name:line:column" of a stack that is in the user's file. */
static void find_place(cl_guest *guest, const char *stack, uint32_t *line, uint32_t *column)
{
    const char *filename = guest->run.request->filename;
    size_t length = strlen(filename);

    for (const char *at = stack; (at = strstr(at, filename)) != NULL; at += length) {
        unsigned l, c;
        if (sscanf(at + length, ":%u:%u", &l, &c) == 2) {
            *line = l;
            *column = c;
            return;
        }
    }
}

static void keep_text(cl_guest *guest, cloche_text *to, guest_text text, size_t most)
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
    guest_text message = text_of(guest, get(guest, error, CL_NAME_message));
    keep_text(guest, &detail->message, message, CL_REPORT_MESSAGE_BYTES);
    guest_text name = text_of(guest, get(guest, error, CL_NAME_name));
    keep_text(guest, &detail->name, name, CL_REPORT_MESSAGE_BYTES);
    guest_text stack = text_of(guest, get(guest, error, CL_NAME_stack));
    keep_stack(guest, &detail->stack, stack);
    if (message.data == NULL && !Z_quickjsZ_JS_IsError(guest->instance, error))
        keep_text(guest, &detail->message, describe(guest, error), CL_REPORT_MESSAGE_BYTES);
    if (detail->stack.data != NULL)
        find_place(guest, detail->stack.data, &detail->line, &detail->column);
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
        forget_exception(guest);
    guest_text text = text_of(guest, json);
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
            forget_exception(guest);
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

    clear(result);
    read_error(guest, error, &result->detail);
    result->has_detail = true;
    compose(guest);
    read_related(guest, error, &result->detail);
    conclude(guest, code);
}

/* ---- the value ---- */

static void keep_value(cl_guest *guest, const char *data, size_t length)
{
    cloche_result *result = guest->run.result;
    size_t most = guest->run.request->limits.max_result_bytes;

    if (length > most) {
        cl_report_text(guest, CLOCHE_CODE_EXECUTION_ERROR, "the value has %zu bytes as JSON; maxResultBytes is %zu",
                       length, most);
        return;
    }

    clear(result);
    if (data != NULL && !cl_result_set_text(&result->value, data, length)) {
        cl_report_text(guest, CLOCHE_CODE_INTERNAL, "host memory: no room for a value of %zu bytes", length);
        return;
    }
    result->ok = true;
    conclude(guest, CLOCHE_CODE_NONE);
}

/* A string is quoted here: several times as fast as in the engine, and no guest code has a part in it. */
static void keep_string(cl_guest *guest, cl_value value)
{
    cl_buf *json = &guest->run.json;
    guest_text text = text_of(guest, value);
    size_t most = guest->run.request->limits.max_result_bytes;
    size_t length;

    if (text.data == NULL) {
        cl_report_text(guest, CLOCHE_CODE_EXECUTION_ERROR, "the value's text could not be read");
        return;
    }
    cl_buf_init(json, most);
    if (!cl_buf_json_string(json, text.data, text.length)) {
        cl_report_text(guest, CLOCHE_CODE_EXECUTION_ERROR,
                       "the value has more than %zu bytes as JSON; maxResultBytes is %zu", most, most);
        cl_buf_fini(json);
        return;
    }
    clear(guest->run.result);
    char *data = cl_buf_take(json, &length);
    cl_result_take_text(&guest->run.result->value, data, length);
    guest->run.result->ok = true;
    conclude(guest, CLOCHE_CODE_NONE);
}

void cl_report_value(cl_guest *guest, cl_value value)
{
    char number[16];
    guest_text text;
    cl_json_fault fault;
    cl_json_span span;

    switch (cl_value_tag(value)) { /* what needs no call */
    case CL_TAG_UNDEFINED:
        keep_value(guest, NULL, 0);
        return;
    case CL_TAG_NULL:
        keep_value(guest, "null", 4);
        return;
    case CL_TAG_BOOL:
        keep_value(guest, cl_value_payload(value) ? "true" : "false", cl_value_payload(value) ? 4 : 5);
        return;
    case CL_TAG_STRING:
    case CL_TAG_STRING_ROPE:
        keep_string(guest, value);
        return;
    case CL_TAG_INT:
        keep_value(guest, number,
                   (size_t)snprintf(number, sizeof number, "%" PRId32, (int32_t)cl_value_payload(value)));
        return;
    }
    cl_value json = cl_engine_prelude(guest, CL_PRELUDE_stringify, 1, &value);
    if (cl_value_is_exception(json)) {
        cl_report_error(guest, CLOCHE_CODE_EXECUTION_ERROR, cl_engine_exception(guest));
        return;
    }
    if (cl_value_is_undefined(json)) {
        keep_value(guest, NULL, 0);
        return;
    }
    text = text_of(guest, json);
    if (text.data == NULL) {
        cl_report_text(guest, CLOCHE_CODE_EXECUTION_ERROR, "the value's JSON text could not be read");
        return;
    }
    keep_value(guest, text.data, text.length);
    /* Copied first, then checked. */
    const cloche_text *kept = &guest->run.result->value;
    if (guest->run.result->ok && !cl_json_check(kept->data, kept->length, CL_JSON_DEPTH, &span, &fault))
        cl_report_text(guest, CLOCHE_CODE_EXECUTION_ERROR, "value%s: %s", fault.path, fault.what);
}
