#include "backend/process/outcome.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"

static cl_outcome __attribute__((format(printf, 2, 3))) outcome(cloche_code code, const char *format, ...)
{
    cl_outcome o = {.code = code};
    va_list list;

    va_start(list, format);
    vsnprintf(o.text, sizeof o.text, format, list);
    va_end(list);
    return o;
}

cl_outcome cl_outcome_of_exit(const cl_child_exit *how, bool was_ready, bool fills_group)
{
    if (how == NULL)
        return outcome(CLOCHE_CODE_INTERNAL, "the process that makes the jailed children was killed; the next run has a new one");
    if (!WIFSIGNALED(how->status) && !was_ready)
        return outcome(CLOCHE_CODE_INTERNAL,
                       "a jailed child could not be set up (exit status %d); is there memory and address space?",
                       WEXITSTATUS(how->status));
    if (!WIFSIGNALED(how->status))
        return outcome(CLOCHE_CODE_EXECUTION_ERROR, "stopped: the jailed child ended without a result (exit status %d)",
                       WEXITSTATUS(how->status));
    int signal = WTERMSIG(how->status);
    if (signal == SIGSYS)
        return outcome(CLOCHE_CODE_EXECUTION_ERROR, "stopped: policy kill (SIGSYS): the jail refused a system call");
    if (how->is_oom && !fills_group)
        return outcome(CLOCHE_CODE_INTERNAL, "host memory: the total for all jailed children was used up (maxTotalMemoryMb)");
    if (how->is_oom)
        return outcome(CLOCHE_CODE_MEMORY_EXCEEDED, "memory over: the kernel's memory group killed the jailed child");
    if (signal == SIGXCPU)
        return outcome(CLOCHE_CODE_TIMEOUT, "stopped: CPU time over (the kernel's limit)");
    const char *name = sigabbrev_np(signal);
    return outcome(CLOCHE_CODE_EXECUTION_ERROR, "stopped: the jailed child crashed or was killed (SIG%s)",
                   name != NULL ? name : "?");
}

cl_outcome cl_outcome_of_stop(cl_stop why, const cl_run_limits *limits, double after_ms)
{
    switch (why) {
    case CL_STOP_CPU:
        return outcome(CLOCHE_CODE_TIMEOUT, "stopped: CPU time over (cpuTimeMs %" PRIu64 ")",
                       limits->cpu_ns / CL_NS_PER_MS);
    case CL_STOP_ABORT:
        return outcome(CLOCHE_CODE_ABORTED, "aborted by the caller after %.1f ms", after_ms);
    case CL_STOP_DISPOSE:
        return outcome(CLOCHE_CODE_DISPOSED, "the sandbox was disposed while this ran");
    default:
        return outcome(CLOCHE_CODE_TIMEOUT, "stopped: time over (timeoutMs %" PRIu64 ", stopped after %.1f ms)",
                       limits->wall_ns / CL_NS_PER_MS, after_ms);
    }
}
