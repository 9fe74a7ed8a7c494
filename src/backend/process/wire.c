#include "backend/process/wire.h"

#include <string.h>

#include "base/json_span.h"
#include "base/utf8.h"
#include "isolate/report.h"
#include "isolate/result.h"

enum { TEXT_MOST = 65536, FILENAME_MOST = 255 };

static bool put_header(cl_buf *out, cl_wire_type type, uint64_t length)
{
    cl_wire_header header = {.length = (uint32_t)length, .type = type};
    return length <= UINT32_MAX && cl_buf_append(out, &header, sizeof header);
}

bool cl_wire_put_request(cl_buf *out, const cl_run_request *request, uint64_t start_ns)
{
    cl_wire_request fixed;
    size_t filename_length = strlen(request->filename);

    memset(&fixed, 0, sizeof fixed); /* padding too: nothing of the host's memory goes down */
    fixed.limits.memory_pages = request->limits.memory_pages;
    fixed.limits.max_timers = request->limits.max_timers;
    fixed.limits.wall_ns = request->limits.wall_ns;
    fixed.limits.cpu_ns = request->limits.cpu_ns;
    fixed.limits.max_stdout_bytes = request->limits.max_stdout_bytes;
    fixed.limits.max_stderr_bytes = request->limits.max_stderr_bytes;
    fixed.limits.max_result_bytes = request->limits.max_result_bytes;
    fixed.start_ns = start_ns;
    fixed.seed = request->seed;
    fixed.now_ms = request->now_ms;
    fixed.code_length = request->code_length;
    fixed.context_length = request->context_length;
    fixed.filename_length = filename_length;
    fixed.language = request->language;
    fixed.kind = request->kind;
    fixed.has_context = request->context != NULL;
    fixed.check_only = request->check_only;
    fixed.drain = request->drain;
    fixed.deterministic = request->deterministic;
    fixed.streams = request->on_output != NULL;
    return put_header(out, CL_WIRE_REQUEST,
                      sizeof fixed + fixed.code_length + fixed.context_length + filename_length + 1) &&
           cl_buf_append(out, &fixed, sizeof fixed) && cl_buf_append(out, request->code, request->code_length) &&
           cl_buf_append(out, request->context, request->context_length) &&
           cl_buf_append(out, request->filename, filename_length + 1);
}

bool cl_wire_get_request(const char *payload, size_t length, cl_run_request *out)
{
    cl_wire_request fixed;

    if (length < sizeof fixed)
        return false;
    memcpy(&fixed, payload, sizeof fixed);
    const char *at = payload + sizeof fixed;
    uint64_t rest = length - sizeof fixed;
    if (fixed.code_length > rest || fixed.context_length > rest - fixed.code_length ||
        fixed.filename_length > FILENAME_MOST ||
        rest - fixed.code_length - fixed.context_length != fixed.filename_length + 1)
        return false;
    const char *filename = at + fixed.code_length + fixed.context_length;
    if (strnlen(filename, fixed.filename_length + 1) != fixed.filename_length)
        return false;
    *out = (cl_run_request){
        .code = at,
        .code_length = fixed.code_length,
        .context = fixed.has_context ? at + fixed.code_length : NULL,
        .context_length = fixed.context_length,
        .filename = filename,
        .language = (cloche_language)fixed.language,
        .kind = (cloche_kind)fixed.kind,
        .check_only = fixed.check_only,
        .drain = fixed.drain,
        .deterministic = fixed.deterministic,
        .seed = fixed.seed,
        .now_ms = fixed.now_ms,
        .limits = fixed.limits,
    };
    return true;
}

bool cl_wire_put_result(cl_buf *out, const cloche_result *result, uint32_t stopped_for, bool is_trapped)
{
    cl_wire_result fixed;
    const cloche_text *const texts[] = {
#define CL_X(name) &result->name,
        CL_WIRE_TEXTS(CL_X)
#undef CL_X
    };
    uint64_t length = sizeof fixed;

    memset(&fixed, 0, sizeof fixed);
    for (int i = 0; i < CL_WIRE_TEXT_COUNT; i++) {
        fixed.lengths[i] = texts[i]->data != NULL ? texts[i]->length : CL_WIRE_ABSENT;
        length += texts[i]->data != NULL ? texts[i]->length : 0;
    }
    fixed.out_dropped = result->out_truncated;
    fixed.err_dropped = result->err_truncated;
    fixed.memory_peak_bytes = result->usage.memory_peak_bytes;
    fixed.cpu_ns = (uint64_t)(result->usage.cpu_ms * 1e6);
    fixed.code = result->code;
    fixed.exit_code = result->exit_code;
    fixed.line = result->detail.line;
    fixed.column = result->detail.column;
    fixed.pending = result->usage.pending;
    fixed.stopped_for = stopped_for;
    fixed.ok = result->ok;
    fixed.started = result->started;
    fixed.has_detail = result->has_detail;
    fixed.is_trapped = is_trapped;
    if (!put_header(out, CL_WIRE_RESULT, length) || !cl_buf_append(out, &fixed, sizeof fixed))
        return false;
    for (int i = 0; i < CL_WIRE_TEXT_COUNT; i++)
        if (texts[i]->data != NULL && !cl_buf_append(out, texts[i]->data, texts[i]->length))
            return false;
    return true;
}

size_t cl_wire_result_most(const cl_run_limits *limits)
{
    return sizeof(cl_wire_result) + limits->max_result_bytes + (CL_WIRE_TEXT_COUNT - 1) * (size_t)TEXT_MOST;
}

/* What a child may say its run ended with. Timeouts are the host's own knowledge. */
static bool is_childs_code(const cl_wire_result *fixed)
{
    switch ((cloche_code)fixed->code) {
    case CLOCHE_CODE_NONE:
        return fixed->ok;
    case CLOCHE_CODE_EXECUTION_ERROR:
    case CLOCHE_CODE_INVALID_CODE:
    case CLOCHE_CODE_MEMORY_EXCEEDED:
    case CLOCHE_CODE_TIMEOUT: /* looked at together with stopped_for and the host's clock */
    case CLOCHE_CODE_INTERNAL:
        return !fixed->ok;
    default:
        return false;
    }
}

static bool is_json(const char *text, size_t length, uint32_t depth)
{
    cl_json_span span;
    cl_json_fault fault;
    return cl_json_check(text, length, depth, &span, &fault);
}

bool cl_wire_get_result(const char *payload, size_t length, const cl_run_limits *limits, cloche_result *out,
                        cl_wire_result *fixed)
{
    cloche_text *const texts[] = {
#define CL_X(name) &out->name,
        CL_WIRE_TEXTS(CL_X)
#undef CL_X
    };
    enum { VALUE = 0, CAUSE = 5, ERRORS = 6 };
    const char *at = payload + sizeof *fixed;

    if (length < sizeof *fixed)
        return false;
    memcpy(fixed, payload, sizeof *fixed);
    uint64_t rest = length - sizeof *fixed;
    bool has_error = fixed->lengths[1] != CL_WIRE_ABSENT, has_value = fixed->lengths[0] != CL_WIRE_ABSENT;
    if (!is_childs_code(fixed) || fixed->exit_code < -1 || fixed->exit_code > 255)
        return false;
    if (fixed->ok ? has_error || fixed->exit_code != 0 : has_value || !has_error)
        return false;
    for (int i = 0; i < CL_WIRE_TEXT_COUNT; i++) {
        uint64_t size = fixed->lengths[i];
        if (size == CL_WIRE_ABSENT)
            continue;
        if (size > rest || size > (i == VALUE ? limits->max_result_bytes : TEXT_MOST) ||
            cl_utf8_check(at, size, false) != size)
            return false;
        if ((i == VALUE || i == CAUSE || i == ERRORS) && !is_json(at, size, CL_JSON_DEPTH))
            return false;
        at += size;
        rest -= size;
    }
    if (rest != 0)
        return false;
    at = payload + sizeof *fixed;
    for (int i = 0; i < CL_WIRE_TEXT_COUNT; i++) {
        if (fixed->lengths[i] == CL_WIRE_ABSENT)
            continue;
        if (!cl_result_set_text(texts[i], at, fixed->lengths[i]))
            return false;
        at += fixed->lengths[i];
    }
    out->ok = fixed->ok;
    out->started = fixed->started;
    out->code = (cloche_code)fixed->code;
    out->exit_code = fixed->exit_code;
    out->has_detail = fixed->has_detail;
    out->detail.line = fixed->line;
    out->detail.column = fixed->column;
    out->usage.memory_peak_bytes = fixed->memory_peak_bytes;
    out->usage.pending = fixed->pending;
    out->out_truncated = fixed->out_dropped;
    out->err_truncated = fixed->err_dropped;
    return true;
}
