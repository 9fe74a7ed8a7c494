#include "run_options.h"

#include <string.h>
#include <strings.h>
#include <sysexits.h>

#include "input.h"

typedef struct bound {
    const char *option; /* as written on the command line */
    const char *limit;  /* as the library calls it */
    size_t offset;
    const char *unit;
} bound;

static const bound bounds[] = {
    { "--timeout", "timeoutMs", offsetof(run_options, timeout), "ms" },
    { "--cpu-time", "cpuTimeMs", offsetof(run_options, cpu_time), "ms" },
    { "--memory", "memoryLimitMb", offsetof(run_options, memory), "MiB" },
    { "--max-output", "maxStdoutBytes", offsetof(run_options, max_output), "bytes" },
    { "--max-output", "maxStderrBytes", offsetof(run_options, max_output), "bytes" },
};

static const arg_amount *amount_of(const run_options *options, const bound *b)
{
    return (const arg_amount *)((const char *)options + b->offset);
}

bool run_options_check(const run_options *options, buffer *text)
{
    if (options->is_printed && options->kind != CLOCHE_KIND_AUTO && options->kind != CLOCHE_KIND_SCRIPT) {
        buffer_printf(text, "--print: is kind script, not %s", cloche_kind_name((cloche_kind)options->kind));
        return false;
    }
    if (options->freshness != CLOCHE_FRESHNESS_PROCESS && options->backend != CLOCHE_BACKEND_PROCESS) {
        buffer_text(text, "--freshness: belongs to --backend process");
        return false;
    }
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        const arg_amount *amount = amount_of(options, &bounds[i]);
        const cloche_limit_info *info = cloche_limits_find(bounds[i].limit);

        if (!amount->is_given || info == NULL || (amount->value >= info->least && amount->value <= info->most))
            continue;
        buffer_printf(text, "%s: %llu %s is outside %u to %u", bounds[i].option, (unsigned long long)amount->value,
                      bounds[i].unit, info->least, info->most);
        return false;
    }
    return true;
}

void run_options_to_sandbox(const run_options *options, cloche_options *out)
{
    cloche_options_init(out);
    out->backend = (cloche_backend)options->backend;
    out->freshness = (cloche_freshness)options->freshness;
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        const arg_amount *amount = amount_of(options, &bounds[i]);
        const cloche_limit_info *info = cloche_limits_find(bounds[i].limit);

        if (amount->is_given && info != NULL)
            cloche_limits_set(&out->limits, info, (uint32_t)amount->value);
    }
}

void run_options_to_request(const run_options *options, cloche_text context, cloche_request *request)
{
    if (request->language == CLOCHE_LANGUAGE_AUTO)
        request->language = (cloche_language)options->language;
    if (request->kind == CLOCHE_KIND_AUTO)
        request->kind = options->is_printed ? CLOCHE_KIND_SCRIPT : (cloche_kind)options->kind;
    if (request->context == NULL) {
        request->context = context.data;
        request->context_length = context.length;
    }
    request->drain = request->drain || options->drain;
    if (!request->deterministic && options->deterministic.is_given) {
        request->deterministic = true;
        request->seed = options->deterministic.value;
    }
}

bool run_options_context(const run_options *options, const char *command, buffer *storage, cloche_text *out)
{
    *out = (cloche_text){ 0 };
    if (options->context == NULL)
        return true;
    if (options->context[0] != '@') {
        *out = (cloche_text){ .data = options->context, .length = strlen(options->context) };
        return true;
    }
    if (!input_read(command, options->context + 1, storage, NULL))
        return false;
    *out = (cloche_text){ .data = storage->data, .length = storage->length };
    return true;
}

cloche_sandbox *run_options_open(const run_options *options, uint32_t thread_count, cloche_result **result)
{
    cloche_options sandbox_options;
    cloche_sandbox *sandbox = NULL;
    cloche_error err = { 0 };

    *result = NULL;
    run_options_to_sandbox(options, &sandbox_options);
    sandbox_options.thread_count = thread_count;
    if (cloche_sandbox_create(&sandbox_options, &sandbox, &err) < 0)
        *result = run_options_failed(&err);
    return sandbox;
}

cloche_result *run_options_failed(const cloche_error *err)
{
    cloche_code code = CLOCHE_CODE_INTERNAL;
    cloche_result *result;

    /* What is asked of this build and it has not (a backend) is the asker's to change, as a wrong option is. */
    if (err->status == CLOCHE_E_INVAL || err->status == CLOCHE_E_TOOBIG || err->status == CLOCHE_E_NOSYS)
        code = CLOCHE_CODE_INVALID_OPTIONS;
    else if (err->status == CLOCHE_E_BUSY)
        code = CLOCHE_CODE_BUSY;
    result = cloche_result_invalid(code, err->text[0] != '\0' ? err->text : cloche_status_text(err->status));
    if (result == NULL)
        need_failed();
    return result;
}

int run_options_exit(const cloche_result *result)
{
    if (result->exit_code >= 0)
        return result->exit_code;
    if (result->code == CLOCHE_CODE_INVALID_OPTIONS)
        return EX_USAGE;
    if (result->code == CLOCHE_CODE_BUSY)
        return EX_TEMPFAIL;
    return EX_SOFTWARE;
}
