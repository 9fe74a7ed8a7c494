/* limits.h - what a guest may consume: the one table
 *
 * Every limit is described once, here. The struct, the defaults, the checks, the option names of the JSON faces and
 * the command line's help are made from this list; docs/limits.md is checked against it.
 *
 * Units    in the name: _ms milliseconds, _mb MiB (2^20 bytes), _bytes bytes, else a count
 * Zero     means "the default"; "unlimited" is never zero
 * Threads  plain data and pure functions: any thread
 * Errors   CLOCHE_E_INVAL names the limit, what was given and the bounds
 */
#ifndef CLOCHE_LIMITS_H
#define CLOCHE_LIMITS_H

#include <stdint.h>

#include <cloche/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/*  field, option name, default (0: none), least, most, scope: RUN = sandbox and per run, SANDBOX = sandbox only, text
 *
 *  max_total_memory_mb: default is a quarter of the smaller of RAM and the cgroup's limit.
 *  memory_limit_mb counts linear memory above the image. */
#define CLOCHE_LIMIT_LIST(X)                                                                                        \
    X(timeout_ms, "timeoutMs", 5000, 1, 3600000, RUN, "wall time of a run, from its start")                          \
    X(cpu_time_ms, "cpuTimeMs", 0, 1, 3600000, RUN, "CPU time of a run")                                             \
    X(queue_timeout_ms, "queueTimeoutMs", 30000, 1, 3600000, RUN, "wait for a place before the start")               \
    X(memory_limit_mb, "memoryLimitMb", 128, 8, 4000, RUN, "guest memory above the image")                           \
    X(max_total_memory_mb, "maxTotalMemoryMb", 0, 16, 1048576, SANDBOX, "all guest memory of the process")           \
    X(max_stdout_bytes, "maxStdoutBytes", 1048576, 1, 268435456, RUN, "kept standard output")                        \
    X(max_stderr_bytes, "maxStderrBytes", 1048576, 1, 268435456, RUN, "kept standard error")                         \
    X(max_result_bytes, "maxResultBytes", 16777216, 1, 1073741824, RUN, "JSON text of the value")                    \
    X(max_context_bytes, "maxContextBytes", 16777216, 2, 1073741824, RUN, "JSON text of the context")                \
    X(max_source_bytes, "maxSourceBytes", 4194304, 1, 268435456, RUN, "source text")                                 \
    X(max_timers, "maxTimers", 1000, 1, 1000000, RUN, "live timers")                                                 \
    X(max_concurrency, "maxConcurrency", 1024, 1, 16000, SANDBOX, "runs in progress, waiting ones included")         \
    X(max_queue, "maxQueue", 4096, 1, 1000000, SANDBOX, "runs waiting for a place")

typedef struct cloche_limits {
    uint32_t size; /* sizeof(cloche_limits) */
#define CLOCHE_X(field, name, dflt, least, most, scope, text) uint32_t field;
    CLOCHE_LIMIT_LIST(CLOCHE_X)
#undef CLOCHE_X
    uint32_t reserved[18]; /* zero. Limits to come take its place, so that structs which hold this one stay as they are */
} cloche_limits;

#define CLOCHE_LIMITS_INIT { .size = sizeof(cloche_limits) }

typedef struct cloche_limit_info {
    const char *option;  /* "timeoutMs" */
    const char *field;   /* "timeout_ms" */
    const char *text;    /* what it bounds */
    uint32_t dflt, least, most;
    uint32_t offset;     /* of the field in cloche_limits */
    int per_run;         /* may be given per run as well */
} cloche_limit_info;

CLOCHE_API void cloche_limits_init(cloche_limits *limits);
/* The table itself, for help texts, bindings and schemas. Static storage; *count entries. */
CLOCHE_API const cloche_limit_info *cloche_limits_table(uint32_t *count);
/* NULL when there is no such option. */
CLOCHE_API const cloche_limit_info *cloche_limits_find(const char *option);
CLOCHE_API uint32_t cloche_limits_get(const cloche_limits *limits, const cloche_limit_info *info);
CLOCHE_API void cloche_limits_set(cloche_limits *limits, const cloche_limit_info *info, uint32_t value);

#ifdef __cplusplus
}
#endif
#endif
