#include <cloche/json.h>

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"

/* A writer of one object's members. Failure stays in the buffer and is asked for once, at the end. */
typedef struct members {
    cl_buf *buf;
    bool has_one;
} members;

static members open_object(cl_buf *buf)
{
    cl_buf_puts(buf, "{");
    return (members){ .buf = buf };
}

static void close_object(members *object)
{
    cl_buf_puts(object->buf, "}");
}

static cl_buf *add_name(members *object, const char *name)
{
    cl_buf_printf(object->buf, "%s\"%s\":", object->has_one ? "," : "", name);
    object->has_one = true;
    return object->buf;
}

static void add_bool(members *object, const char *name, bool value)
{
    cl_buf_puts(add_name(object, name), value ? "true" : "false");
}

static void add_uint(members *object, const char *name, uint64_t value)
{
    cl_buf_printf(add_name(object, name), "%" PRIu64, value);
}

static void add_string(members *object, const char *name, cloche_text text)
{
    if (text.data != NULL)
        cl_buf_json_string(add_name(object, name), text.data, text.length);
}

/* JSON text as it is. Line feeds in it can only be white space between tokens, and the result is one line. */
static void add_json(members *object, const char *name, cloche_text text)
{
    cl_buf *buf = object->buf;
    size_t start;

    if (text.data == NULL)
        return;
    add_name(object, name);
    start = buf->length;
    if (!cl_buf_append(buf, text.data, text.length))
        return;
    for (char *p = buf->data + start, *end = buf->data + buf->length; (p = memchr(p, '\n', (size_t)(end - p))) != NULL;)
        *p = ' ';
    for (char *p = buf->data + start, *end = buf->data + buf->length; (p = memchr(p, '\r', (size_t)(end - p))) != NULL;)
        *p = ' ';
}

/* Milliseconds to the microsecond, from integers, as a locale may write doubles with a comma. */
static void add_ms(members *object, const char *name, double ms)
{
    uint64_t us = ms > 0 && ms < 1e15 ? (uint64_t)(ms * 1000 + 0.5) : 0;
    unsigned fraction = (unsigned)(us % 1000);
    int digits = 3;

    cl_buf_printf(add_name(object, name), "%" PRIu64, us / 1000);
    if (fraction == 0)
        return;
    for (; fraction % 10 == 0; fraction /= 10)
        digits--;
    cl_buf_printf(object->buf, ".%0*u", digits, fraction);
}

static void add_detail(members *result, const cloche_error_detail *detail)
{
    members object = open_object(add_name(result, "errorDetail"));

    add_string(&object, "name", detail->name);
    add_string(&object, "message", detail->message);
    add_string(&object, "stack", detail->stack);
    if (detail->line != 0)
        add_uint(&object, "line", detail->line);
    if (detail->column != 0)
        add_uint(&object, "column", detail->column);
    add_json(&object, "cause", detail->cause);
    add_json(&object, "errors", detail->errors);
    if (detail->hint.data != NULL)
        add_string(&object, "hint", detail->hint);
    close_object(&object);
}

static void add_usage(members *result, const cloche_usage *usage)
{
    members object = open_object(add_name(result, "usage"));

    add_ms(&object, "cpuMs", usage->cpu_ms);
    add_uint(&object, "memoryPeakBytes", usage->memory_peak_bytes);
    add_uint(&object, "hostCalls", usage->host_calls);
    add_uint(&object, "pending", usage->pending);
    close_object(&object);
}

static void add_truncated(members *result, uint64_t out, uint64_t err)
{
    members object = open_object(add_name(result, "truncated"));

    add_uint(&object, "stdout", out);
    add_uint(&object, "stderr", err);
    close_object(&object);
}

static void add_isolation(members *result, uint32_t layers)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } list[] = {
#define CLOCHE_X(name_, wire_, bit_) { bit_, wire_ },
        CLOCHE_LAYER_LIST(CLOCHE_X)
#undef CLOCHE_X
    };
    cl_buf *buf = add_name(result, "isolation");
    const char *comma = "";

    cl_buf_puts(buf, "[");
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        if ((layers & list[i].bit) == 0)
            continue;
        cl_buf_printf(buf, "%s\"%s\"", comma, list[i].name);
        comma = ",";
    }
    cl_buf_puts(buf, "]");
}

/* Output is on every result, even where its maker had none to give. */
static cloche_text or_empty(cloche_text text)
{
    return text.data != NULL ? text : (cloche_text){ "", 0 };
}

cloche_status cloche_result_to_json(const cloche_result *result, cloche_text id, char **out, size_t *length,
                                    cloche_error *err)
{
    cl_buf buf;
    members object;
    size_t own_length;

    cl_buf_init(&buf, 0);
    object = open_object(&buf);
    add_json(&object, "id", id);
    add_bool(&object, "ok", result->ok);
    add_json(&object, "value", result->value);
    add_string(&object, "stdout", or_empty(result->out));
    add_string(&object, "stderr", or_empty(result->err));
    add_ms(&object, "duration", result->duration_ms);
    if (result->exit_code != -1)
        cl_buf_printf(add_name(&object, "exitCode"), "%d", result->exit_code);
    add_string(&object, "error", result->error);
    if (!result->ok)
        cl_buf_printf(add_name(&object, "errorCode"), "\"%s\"", cloche_code_name(result->code));
    if (result->has_detail)
        add_detail(&object, &result->detail);
    add_usage(&object, &result->usage);
    add_ms(&object, "queueMs", result->queue_ms);
    add_truncated(&object, result->out_truncated, result->err_truncated);
    add_bool(&object, "started", result->started);
    add_isolation(&object, result->isolation);
    close_object(&object);

    *out = cl_buf_take(&buf, &own_length);
    if (length != NULL)
        *length = own_length;
    if (*out == NULL)
        return cl_error_set(err, CLOCHE_E_NOMEM, 0, "json", "writing a result as JSON: out of memory");
    return CLOCHE_OK;
}
