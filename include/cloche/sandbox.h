/* sandbox.h - create, run, submit, abort, dispose
 *
 *   options ──create──► sandbox ──run(request)──► result          on the caller's thread
 *                          └──submit(request)──► run ──done(result) on a pool thread
 *
 * A sandbox is a set of limits, slots and threads. A run gets an environment that is fresh: nothing of an earlier run
 * is seen by it, nothing of it by a later one. Requests and results are plain data.
 *
 * Units    milliseconds are _ms (double where fractional), sizes are bytes unless _mb
 * Owner    the caller owns what create, run and submit hand out and gives it back with the destroy of the same name;
 *          everything in a request is borrowed: by run for the call, by submit until it returns (it copies)
 * Threads  a sandbox may be used from any thread, by any number at once. A cloche_abort may be triggered from any
 *          thread and from a signal-free context. Destroy functions: one thread, nobody else using the object
 * Errors   a guest that fails in any way is a result, not a status. Status is for misuse and host failure; then
 *          *out is NULL and err says why in one line
 * Fork     a sandbox does not survive fork(): in the child every run answers SANDBOX_INTERNAL; create another
 */
#ifndef CLOCHE_SANDBOX_H
#define CLOCHE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cloche/limits.h>
#include <cloche/log.h>
#include <cloche/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cloche_sandbox cloche_sandbox;
typedef struct cloche_abort cloche_abort;

/* ---- vocabulary ---- */

typedef enum cloche_backend {
    CLOCHE_BACKEND_WORKER = 0, /* in this process, software fault isolation */
    CLOCHE_BACKEND_PROCESS,    /* the same in an OS-jailed process: a second wall, of another kind */
} cloche_backend;

/* How fresh a run of the process backend is. Its environment always is; this says what is between two runs. */
typedef enum cloche_freshness {
    CLOCHE_FRESHNESS_PROCESS = 0, /* a process of its own */
    CLOCHE_FRESHNESS_JAIL,        /* one jailed process per place, its memory reset between runs */
} cloche_freshness;

typedef enum cloche_language {
    CLOCHE_LANGUAGE_AUTO = 0, /* JavaScript; what does not parse as that is tried as TypeScript */
    CLOCHE_LANGUAGE_JS,
    CLOCHE_LANGUAGE_TS,       /* in a build without TypeScript the run ends as SANDBOX_INVALID_OPTIONS */
} cloche_language;

typedef enum cloche_kind {
    CLOCHE_KIND_AUTO = 0, /* body, else module */
    CLOCHE_KIND_BODY,     /* function body: return gives the value, await is allowed, context is its parameter */
    CLOCHE_KIND_MODULE,   /* ES module: the value is its default export (a function is called), else its exports */
    CLOCHE_KIND_FUNCTION, /* one function expression, called with context */
    CLOCHE_KIND_SCRIPT,   /* completion value, as eval gives it */
} cloche_kind;

/* Walls, as bits of cloche_result.isolation. */
#define CLOCHE_LAYER_LIST(X)                                                                         \
    X(SFI, "sfi", 1u << 0) X(USERNS, "userns", 1u << 1) X(PIDNS, "pidns", 1u << 2)                   \
    X(NETNS, "netns", 1u << 3) X(MOUNTNS, "mountns", 1u << 4) X(SECCOMP, "seccomp", 1u << 5)         \
    X(LANDLOCK, "landlock", 1u << 6) X(RLIMIT, "rlimit", 1u << 7) X(CGROUP, "cgroup", 1u << 8)

enum {
#define CLOCHE_X(name, wire, bit) CLOCHE_LAYER_##name = bit,
    CLOCHE_LAYER_LIST(CLOCHE_X)
#undef CLOCHE_X
};

CLOCHE_API const char *cloche_language_name(cloche_language language); /* "auto", "js", "ts" */
CLOCHE_API const char *cloche_kind_name(cloche_kind kind);             /* "auto", "body", ... */

/* ---- sandbox ---- */

typedef struct cloche_options {
    uint32_t size; /* sizeof(cloche_options) */
    cloche_backend backend;
    cloche_limits limits;       /* zero fields take their defaults */
    uint32_t require_isolation; /* CLOCHE_LAYER_ bits that must stand, else creation fails naming the missing one */
    uint32_t thread_count;      /* pool threads for submit; 0: one per core */
    int stop_signal;            /* real-time signal this library may use; 0: the first whose action is default.
                                 * The first sandbox of the process decides. */
    cloche_log_fn log;
    void *log_user;
    cloche_freshness freshness; /* of the process backend */
} cloche_options;

#define CLOCHE_OPTIONS_INIT { .size = sizeof(cloche_options), .limits = CLOCHE_LIMITS_INIT }

CLOCHE_API void cloche_options_init(cloche_options *options);

/* options may be NULL: all defaults. */
CLOCHE_API cloche_status cloche_sandbox_create(const cloche_options *options, cloche_sandbox **out, cloche_error *err);

/* Ends all runs in progress and queued (SANDBOX_DISPOSED), waits until each has been answered. Later runs answer
 * SANDBOX_DISPOSED. Again is fine. CLOCHE_E_BUSY from inside one of the sandbox's own callbacks: the sandbox is
 * marked disposed, but what runs cannot be waited for. */
CLOCHE_API cloche_status cloche_sandbox_dispose(cloche_sandbox *sandbox);

/* Dispose, then release. NULL is fine. Not from inside one of its callbacks. */
CLOCHE_API void cloche_sandbox_destroy(cloche_sandbox *sandbox);

typedef struct cloche_stats {
    uint32_t size;
    uint32_t active;         /* runs in progress, waiting ones included */
    uint32_t queued;
    uint32_t slots;          /* guest memories reserved */
    uint32_t threads;
    uint64_t runs_total;     /* ended, every outcome */
    uint64_t runs_ok;
    uint64_t stops;          /* runs stopped in the middle: deadline, abort, dispose */
    uint64_t traps;          /* slots wiped after a fault or trap */
    uint64_t memory_bytes;   /* guest memory granted now, all sandboxes of the process */
    uint64_t image_bytes;    /* bytes copied back per run */
} cloche_stats;

CLOCHE_API void cloche_sandbox_stats(cloche_sandbox *sandbox, cloche_stats *out);

/* CLOCHE_LAYER_ bits that stand for runs of this sandbox. */
CLOCHE_API uint32_t cloche_sandbox_isolation(const cloche_sandbox *sandbox);

/* ---- abort ---- */

/* One switch for any number of runs: give it in the request, trigger it before, during or after. It cannot be reset.
 * Destroy it after the last run that uses it has been answered. */
CLOCHE_API cloche_status cloche_abort_create(cloche_abort **out, cloche_error *err);
CLOCHE_API void cloche_abort_trigger(cloche_abort *abort);
CLOCHE_API bool cloche_abort_is_triggered(const cloche_abort *abort);
CLOCHE_API void cloche_abort_destroy(cloche_abort *abort);

/* ---- request ---- */

/* Output while it runs: in order, as it comes, before any limit on what is kept in the result; fd is 1 or 2.
 * Called on the thread that runs the guest, on its own stack; may call cloche_sandbox_run. */
typedef void (*cloche_output_fn)(void *user, int fd, const char *data, size_t length);

#define CLOCHE_NOW_MS_MOST 18446744073000.0 /* the year 2554: guest clocks count nanoseconds in 64 bits */

typedef struct cloche_request {
    uint32_t size; /* sizeof(cloche_request) */
    const char *code; /* UTF-8, need not end in NUL; NULL with length 0 is empty code */
    size_t code_length;
    const char *context; /* JSON text of an object; NULL: {} */
    size_t context_length;
    const char *filename; /* shown in stacks, NUL-terminated; NULL: "main.js", or "main.ts" for TypeScript. Its ending
                           * decides language (.js .cjs .mjs .jsx, .ts .cts .mts .tsx) and, for .mjs and .mts, kind, where
                           * these are auto */
    cloche_language language;
    cloche_kind kind;
    cloche_limits limits; /* zero fields: the sandbox's; sandbox-only limits must be zero */
    cloche_abort *abort;  /* may be NULL; must outlive the run */
    cloche_output_fn on_output;
    void *on_output_user;
    bool drain;         /* wait for timers and jobs that are pending when the value has settled */
    bool deterministic; /* fixes clock and random numbers: */
    uint64_t seed;
    double now_ms;      /* milliseconds since 1970, 0..CLOCHE_NOW_MS_MOST; guest clocks start there and move only by timers waited for,
                         * which cost no real time */
} cloche_request;

#define CLOCHE_REQUEST_INIT { .size = sizeof(cloche_request), .limits = CLOCHE_LIMITS_INIT }

CLOCHE_API void cloche_request_init(cloche_request *request);

/* ---- result ---- */

typedef struct cloche_text {
    const char *data; /* NULL: absent. Always followed by a NUL that length does not count; may contain NULs */
    size_t length;
} cloche_text;

typedef struct cloche_error_detail {
    cloche_text name;
    cloche_text message;
    cloche_text stack;  /* frames of the user's source, a line each */
    uint32_t line;      /* 1-based; 0: unknown */
    uint32_t column;
    cloche_text cause;  /* JSON text: an object of this shape, or the value itself; absent: none */
    cloche_text errors; /* JSON text: array of such objects, of an AggregateError; absent: none */
    cloche_text hint;   /* of a source that does not parse: what is probably meant; absent: nothing is known */
} cloche_error_detail;

typedef struct cloche_usage {
    double cpu_ms;
    uint64_t memory_peak_bytes; /* linear memory above the image, high water */
    uint32_t host_calls;
    uint32_t pending;           /* timers dropped when the run ended */
} cloche_usage;

typedef struct cloche_result {
    uint32_t size;
    bool ok;
    bool started;       /* guest code has begun to run */
    cloche_code code;   /* CLOCHE_CODE_NONE exactly when ok */
    int exit_code;      /* -1: none */
    cloche_text value;  /* JSON text; absent when the guest returned undefined or did not get that far */
    cloche_text out;    /* standard output kept, UTF-8 */
    cloche_text err;    /* standard error kept, UTF-8 */
    cloche_text error;  /* "TypeError: x is not a function\n    at f (main.js:3:7)"; absent when ok */
    bool has_detail;    /* the guest's own error is in detail */
    cloche_error_detail detail;
    double duration_ms; /* from the start to the answer */
    double queue_ms;    /* from the call to the start */
    cloche_usage usage;
    uint64_t out_truncated; /* bytes of output not kept */
    uint64_t err_truncated;
    uint32_t isolation; /* CLOCHE_LAYER_ bits that stood */
} cloche_result;

/* NULL is fine. */
CLOCHE_API void cloche_result_destroy(cloche_result *result);

/* Blocking: the guest runs on the calling thread. CLOCHE_OK whenever there is a result, whatever the guest did. */
CLOCHE_API cloche_status cloche_sandbox_run(cloche_sandbox *sandbox, const cloche_request *request,
                                            cloche_result **out, cloche_error *err);

/* ---- submit ---- */

/* The result is the callee's: it calls cloche_result_destroy. On a pool thread, or (queue full, disposed, aborted
 * before the start) on the submitting one, before submit returns. May call the library, dispose and destroy of this
 * sandbox excepted. */
typedef void (*cloche_done_fn)(void *user, cloche_result *result);

/* Copies the request. done is called exactly once if CLOCHE_OK is returned, never otherwise. */
CLOCHE_API cloche_status cloche_sandbox_submit(cloche_sandbox *sandbox, const cloche_request *request,
                                               cloche_done_fn done, void *user, cloche_error *err);

/* ---- check ---- */

/* Parses, runs nothing: the result is ok, or SANDBOX_INVALID_CODE with line and column in its detail. */
CLOCHE_API cloche_status cloche_sandbox_check(cloche_sandbox *sandbox, const cloche_request *request,
                                              cloche_result **out, cloche_error *err);

/* ---- threads ---- */

/* What the library changed on the calling thread (unblocked signals, alternate signal stack) is put back. A later run
 * on it sets it up again. Happens by itself when the thread ends. */
CLOCHE_API void cloche_thread_release(void);

#ifdef __cplusplus
}
#endif
#endif
