#include "isolate/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"
#include "isolate/result.h"
#include "isolate/syntax.h"

void cl_report_clear(cloche_result *result)
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
    cl_result_set_text(&result->detail.hint, NULL, 0);
    result->detail.line = result->detail.column = 0;
}

void cl_report_conclude(cl_guest *guest, cloche_code code)
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
    cl_report_clear(guest->run.result);
    cl_result_set_text(&guest->run.result->error, text,
                       length < (int)sizeof text ? (size_t)length : sizeof text - 1);
    cl_report_conclude(guest, code);
}

static double ms_since(uint64_t start_ns)
{
    return (double)(cl_clock_ns(CLOCK_MONOTONIC) - start_ns) / 1e6;
}

static void report_stop(cl_guest *guest)
{
    const cl_run *run = &guest->run;
    const cl_run_limits *limits = &run->request->limits;

    switch ((cl_stop)guest->slot.stopped_for) {
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

/* Into run.scratch, which the reset releases. */
static void write_syntax(cl_guest *guest, const cl_syntax *syntax, const cl_syntax_advice *advice, uint32_t line,
                         const char *place)
{
    cl_buf *text = &guest->run.scratch;

    cl_buf_reset(text);
    cl_buf_printf(text, "SyntaxError: %s\n", advice->message != NULL ? advice->message : syntax->message);
    cl_syntax_excerpt(text, syntax, line);
    if (advice->hint != NULL)
        cl_buf_printf(text, "hint: %s\n", advice->hint);
    cl_buf_puts(text, place);
}

void cl_report_syntax(cl_guest *guest, const char *message, size_t offset)
{
    const cl_run_request *request = guest->run.request;
    cloche_result *result = guest->run.result;
    cloche_error_detail *detail = &result->detail;
    cl_syntax syntax = {
        .code = request->code,
        .code_length = request->code_length,
        .offset = offset < request->code_length ? offset : request->code_length,
        .message = message,
        .is_typescript_only = guest->run.word.verdict == CL_COMPILER_AGREES,
    };
    /* The end is where the text ends, not in the empty line behind it. */
    while (offset >= request->code_length && syntax.offset > 0 &&
           strchr(" \t\r\n", request->code[syntax.offset - 1]) != NULL && request->code[syntax.offset - 1] != '\0')
        syntax.offset--;
    cl_syntax_advice advice = cl_syntax_advise(&syntax);
    uint32_t line, column;
    char place[320];

    syntax.offset = advice.offset;
    if (advice.message != NULL)
        message = advice.message;
    cl_utf8_place(request->code, request->code_length, syntax.offset, &line, &column);
    snprintf(place, sizeof place, "    at %s:%u:%u", request->filename, line, column);
    write_syntax(guest, &syntax, &advice, line, place);
    cl_report_clear(result);
    cl_buf *text = &guest->run.scratch;
    cl_result_set_text(&result->error, text->failed ? message : text->data, text->failed ? strlen(message) : text->length);
    result->has_detail = true;
    cl_result_set_text(&detail->name, "SyntaxError", strlen("SyntaxError"));
    cl_result_set_text(&detail->message, message, strlen(message));
    cl_result_set_text(&detail->stack, place, strlen(place));
    if (advice.hint != NULL)
        cl_result_set_text(&detail->hint, advice.hint, strlen(advice.hint));
    detail->line = line;
    detail->column = column;
    cl_report_conclude(guest, CLOCHE_CODE_INVALID_CODE);
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
                       guest->slot.peak_pages / 16.0);
        break;
    case CL_LEAVE_HOST_MEMORY:
        cl_report_text(guest, CLOCHE_CODE_INTERNAL,
                       "host memory: the process's total for guests or the system refused more (in use %.1f MiB)",
                       guest->slot.peak_pages / 16.0);
        break;
    case CL_LEAVE_FAULT:
        cl_report_text(guest, CLOCHE_CODE_EXECUTION_ERROR,
                       "RangeError: stopped: the engine's stack or memory bounds were exceeded");
        break;
    case CL_LEAVE_TRAP:
        cl_report_text(guest, CLOCHE_CODE_EXECUTION_ERROR, "stopped: the engine gave up (trap %u)", guest->slot.trap);
        break;
    case CL_LEAVE_FORKED:
        cl_report_text(guest, CLOCHE_CODE_INTERNAL, "a callback of this run forked; a run does not go on in the child");
        break;
    case CL_LEAVE_NONE:
    case CL_LEAVE_IMPORT:
        CL_ASSERT(why != CL_LEAVE_NONE && why != CL_LEAVE_IMPORT); /* the engine's imports are all there */
    }
}
