#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/json_span.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "isolate/result.h"
#include "isolate/typescript/translate.h"
#include "core/sandbox.h"
#include "policy/limits.h"

enum { MOST_FILENAME_BYTES = 255 };

static void refuse(cl_job *job, const char *text)
{
    cl_job_refuse(job, CLOCHE_CODE_INVALID_OPTIONS, text);
    job->state = CL_JOB_ENDED;
}

static bool check_choices(cl_job *job, const cloche_request *given)
{
    switch (given->language) {
    case CLOCHE_LANGUAGE_AUTO:
    case CLOCHE_LANGUAGE_JS:
        break;
    case CLOCHE_LANGUAGE_TS:
        if (cl_translate_is_built())
            break;
        refuse(job, "language: TypeScript is not in this build; use js");
        return false;
    default:
        refuse(job, "language: not one of auto, js, ts");
        return false;
    }
    if (given->kind < CLOCHE_KIND_AUTO || given->kind > CLOCHE_KIND_SCRIPT) {
        refuse(job, "kind: not one of auto, body, module, function, script");
        return false;
    }
    if (given->deterministic && !(given->now_ms >= 0 && given->now_ms <= CLOCHE_NOW_MS_MOST)) {
        refuse(job, "deterministic.now: must be milliseconds since 1970, from 0 to 18446744073000");
        return false;
    }
    return true;
}

/* Shown in stacks and looked for there: one word without what delimits a place. */
static bool check_filename(cl_job *job, const char *filename)
{
    size_t length = strlen(filename);
    bool is_odd = length == 0 || length > MOST_FILENAME_BYTES || cl_utf8_check(filename, length, false) != length;

    for (size_t i = 0; i < length && !is_odd; i++)
        is_odd = (unsigned char)filename[i] < 0x20 || filename[i] == 0x7f || strchr("():", filename[i]) != NULL;
    if (is_odd)
        refuse(job, "filename: must be 1 to 255 bytes of UTF-8 without control characters, ':', '(' and ')'");
    return !is_odd;
}

static bool check_code(cl_job *job, const cloche_limits *limits)
{
    char text[160];
    const cl_run_request *request = &job->request;

    if (request->code_length > limits->max_source_bytes) {
        snprintf(text, sizeof text, "code: %zu bytes; maxSourceBytes is %u", request->code_length,
                 limits->max_source_bytes);
        refuse(job, text);
        return false;
    }
    size_t valid = cl_utf8_check(request->code, request->code_length, true);
    if (valid != request->code_length) {
        uint32_t line, column;
        cl_utf8_place(request->code, request->code_length, valid, &line, &column);
        snprintf(text, sizeof text, "SyntaxError: the source is not UTF-8 at byte %zu (line %u, column %u)", valid,
                 line, column);
        cl_job_refuse(job, CLOCHE_CODE_INVALID_CODE, text);
        job->result->has_detail = true;
        job->result->detail.line = line;
        job->result->detail.column = column;
        cl_result_set_text(&job->result->detail.name, "SyntaxError", strlen("SyntaxError"));
        cl_result_set_text(&job->result->detail.message, text + strlen("SyntaxError: "),
                           strlen(text) - strlen("SyntaxError: "));
        job->state = CL_JOB_ENDED;
        return false;
    }
    return true;
}

static bool check_context(cl_job *job, const cloche_limits *limits)
{
    char text[256];
    cl_run_request *request = &job->request;
    cl_json_span span;
    cl_json_fault fault;

    if (request->context == NULL)
        return true;
    if (request->context_length > limits->max_context_bytes) {
        snprintf(text, sizeof text, "context: %zu bytes; maxContextBytes is %u", request->context_length,
                 limits->max_context_bytes);
        refuse(job, text);
        return false;
    }
    if (!cl_json_check(request->context, request->context_length, CL_JSON_DEPTH, &span, &fault)) {
        snprintf(text, sizeof text, "context%s: %s (at byte %zu)", fault.path, fault.what, fault.offset);
        refuse(job, text);
        return false;
    }
    if (span.type != CL_JSON_OBJECT) {
        refuse(job, "context: must be a JSON object");
        return false;
    }
    request->context = span.text;
    request->context_length = span.length;
    return true;
}

/* A jailed process is made for the sandbox's sizes; its walls do not move for one run. */
static bool check_walls(cl_job *job, const cloche_limits *limits)
{
    static const char *const names[] = {"memoryLimitMb", "maxStdoutBytes", "maxStderrBytes",
                                        "maxResultBytes", "maxContextBytes", "maxSourceBytes"};
    const cloche_limits *most = &job->sandbox->options.limits;
    char text[160];

    for (size_t i = 0; job->sandbox->backend->bounds_runs && i < sizeof names / sizeof names[0]; i++) {
        const cloche_limit_info *info = cloche_limits_find(names[i]);
        uint32_t wanted = cloche_limits_get(limits, info), standing = cloche_limits_get(most, info);
        if (wanted <= standing)
            continue;
        snprintf(text, sizeof text, "%s: %u is above the sandbox's %u, for which its jail was built", names[i], wanted,
                 standing);
        refuse(job, text);
        return false;
    }
    return true;
}

static cl_run_limits run_limits(const cloche_limits *limits)
{
    return (cl_run_limits){
        .memory_pages = limits->memory_limit_mb * 16,
        .max_timers = limits->max_timers,
        .wall_ns = limits->timeout_ms * CL_NS_PER_MS,
        .cpu_ns = limits->cpu_time_ms * CL_NS_PER_MS,
        .max_stdout_bytes = limits->max_stdout_bytes,
        .max_stderr_bytes = limits->max_stderr_bytes,
        .max_result_bytes = limits->max_result_bytes,
    };
}

/* A file name decides where nobody has. */
static void ask_filename(cloche_request *given)
{
    static const struct {
        const char *ending;
        cloche_language language;
        cloche_kind kind;
    } endings[] = {
        {".js", CLOCHE_LANGUAGE_JS, CLOCHE_KIND_AUTO},    {".cjs", CLOCHE_LANGUAGE_JS, CLOCHE_KIND_AUTO},
        {".mjs", CLOCHE_LANGUAGE_JS, CLOCHE_KIND_MODULE}, {".jsx", CLOCHE_LANGUAGE_JS, CLOCHE_KIND_AUTO},
        {".ts", CLOCHE_LANGUAGE_TS, CLOCHE_KIND_AUTO},    {".cts", CLOCHE_LANGUAGE_TS, CLOCHE_KIND_AUTO},
        {".mts", CLOCHE_LANGUAGE_TS, CLOCHE_KIND_MODULE}, {".tsx", CLOCHE_LANGUAGE_TS, CLOCHE_KIND_AUTO},
    };
    const char *dot = given->filename != NULL ? strrchr(given->filename, '.') : NULL;

    for (size_t i = 0; dot != NULL && i < sizeof endings / sizeof *endings; i++) {
        if (strcasecmp(dot, endings[i].ending) != 0)
            continue;
        if (given->language == CLOCHE_LANGUAGE_AUTO)
            given->language = endings[i].language;
        if (given->kind == CLOCHE_KIND_AUTO)
            given->kind = endings[i].kind;
    }
}

cloche_status cl_request_resolve(cl_job *job, const cloche_request *caller, bool is_check, cloche_error *err)
{
    cloche_request given;
    cloche_limits limits;
    cloche_error wrong = {0};
    cloche_status rc;

    if ((rc = cl_sized_copy(&given, sizeof given, caller, "request", err)) < 0)
        return rc;
    if (given.code == NULL && given.code_length > 0)
        return cl_error_set(err, CLOCHE_E_INVAL, 0, "request", "code is NULL but code_length is %zu", given.code_length);
    if (given.context == NULL && given.context_length > 0)
        return cl_error_set(err, CLOCHE_E_INVAL, 0, "request", "context is NULL but context_length is %zu",
                            given.context_length);
    ask_filename(&given);
    job->abort = given.abort;
    job->request = (cl_run_request){
        .code = given.code,
        .code_length = given.code_length,
        .context = given.context,
        .context_length = given.context_length,
        .filename = given.filename != NULL ? given.filename
                    : given.language == CLOCHE_LANGUAGE_TS ? "main.ts" : "main.js",
        .language = given.language,
        .translations = job->sandbox->translations,
        .kind = given.kind,
        .check_only = is_check,
        .drain = given.drain,
        .deterministic = given.deterministic,
        .seed = given.seed,
        .now_ms = given.now_ms,
        .on_output = given.on_output,
        .on_output_user = given.on_output_user,
    };
    if (cl_limits_resolve(&given.limits, &job->sandbox->options.limits, CL_SCOPE_RUN, &limits, &wrong) < 0) {
        refuse(job, wrong.text);
        return CLOCHE_OK;
    }
    job->request.limits = run_limits(&limits);
    job->queue_until_ns = job->call_ns + limits.queue_timeout_ms * CL_NS_PER_MS;
    if (check_walls(job, &limits) && check_choices(job, &given) && check_filename(job, job->request.filename) && check_code(job, &limits))
        check_context(job, &limits);
    return CLOCHE_OK;
}

bool cl_request_copy(cl_job *job)
{
    cl_run_request *request = &job->request;
    size_t filename_length = strlen(request->filename);
    char *at = malloc(request->code_length + request->context_length + filename_length + 1);

    if (at == NULL)
        return false;
    job->copy = at;
    if (request->code_length > 0)
        memcpy(at, request->code, request->code_length);
    request->code = at;
    at += request->code_length;
    if (request->context != NULL) {
        memcpy(at, request->context, request->context_length);
        request->context = at;
        at += request->context_length;
    }
    memcpy(at, request->filename, filename_length + 1);
    request->filename = at;
    return true;
}
