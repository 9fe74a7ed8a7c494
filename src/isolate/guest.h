/* guest.h - one guest as the host sees it: the engine in a slot, and the run in it
 *
 * Invariant: outside the linear memory everything a run can change is in `instance` (stack pointer, memory size) and in
 * `run`. Reset assigns both whole.
 *
 * Owner    the backend owns the slot; a run borrows it
 * Threads  one thread at a time; `run.stop` is set from any thread
 */
#ifndef CL_ISOLATE_GUEST_H
#define CL_ISOLATE_GUEST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cloche/sandbox.h>

#include "base/buf.h"
#include "isolate/slot.h"
#include "quickjs_wasm.h"

/* What a run may consume, resolved. */
typedef struct cl_run_limits {
    uint32_t memory_pages; /* of growth */
    uint32_t max_timers;
    uint64_t wall_ns;
    uint64_t cpu_ns; /* 0: none */
    size_t max_stdout_bytes;
    size_t max_stderr_bytes;
    size_t max_result_bytes;
} cl_run_limits;

/* What a run is asked to do; borrowed for the run. */
typedef struct cl_run_request {
    const char *code;
    size_t code_length;
    const char *context; /* checked JSON text of an object; NULL: {} */
    size_t context_length;
    const char *filename;
    cloche_language language;
    cloche_kind kind;
    struct cl_translation_cache *translations; /* may be NULL */
    bool check_only;
    bool drain;
    bool deterministic;
    uint64_t seed;
    double now_ms;
    cloche_output_fn on_output;
    void *on_output_user;
    cl_run_limits limits;
} cl_run_request;

typedef enum cl_phase {
    CL_PHASE_START,
    CL_PHASE_RUNNING, /* the value is awaited */
    CL_PHASE_DRAINING,
    CL_PHASE_DONE,
} cl_phase;

/* A captured stream. */
typedef struct cl_stream {
    cl_buf kept;
    uint64_t dropped; /* bytes over the limit */
} cl_stream;

typedef struct cl_compiler_word {
    enum {
        CL_COMPILER_UNASKED = 0,
        CL_COMPILER_DIFFERS, /* it finds the error below */
        CL_COMPILER_AGREES,  /* to it the source is TypeScript, which was not asked for */
        CL_COMPILER_SILENT,  /* it has nothing to say */
    } verdict;
    size_t offset; /* in the source, bytes */
    bool is_sure;  /* whatever the engine says */
    char *message; /* malloc'ed */
} cl_compiler_word;

/* The state of one run outside linear memory. */
typedef struct cl_run {
    const cl_run_request *request;
    cloche_result *result; /* being filled */
    const char *code;      /* what the engine is given: the request's, or the translation's */
    size_t code_length;
    struct cl_translation *translation; /* NULL: none; a reference */
    cl_compiler_word word; /* what the TypeScript compiler has said of a source that does not parse */
    uint32_t translation_pages; /* memory it took, growth */
    uint64_t start_ns;     /* CLOCK_MONOTONIC */
    uint64_t deadline_ns;
    uint64_t cpu_used_ns;  /* of earlier steps */
    cl_phase phase;
    uint64_t promise;      /* engine value that is awaited */
    uint64_t value;        /* engine value: settled, kept while draining */
    uint64_t context;      /* engine value: the parsed context, for a module's default export */
    uint32_t module;       /* JSModuleDef *; its namespace is the value of a module */
    bool is_module;
    bool called_default;
    bool started;
    bool wants_compiler;   /* left for a moment: the TypeScript compiler is to look at the source */
    bool wants_ticks;
    uint64_t wake_ns;      /* while waiting: when to resume */
    int exit_code;
    uint64_t random_state; /* of a deterministic run, as is */
    uint64_t virtual_ns;   /* the time it believes has passed */
    cl_stream out, err;
    cl_buf scratch, json;        /* of report.c; here, so that a jump out loses nothing */
    cloche_error_detail part;
    bool has_timers, has_rejections;
    uint32_t live_timers;
    _Atomic int stop;      /* cl_stop, from any thread */
} cl_run;

typedef struct cl_guest {
    cl_slot slot; /* first */
    Z_quickjs_instance_t *instance;
    bool is_trapped;       /* the last run was left by a fault or trap */
    struct cl_guest *next; /* free list of the backend */
    cl_run run;
} cl_guest;

/* Reserves and maps a slot, memory equal to the image.
 * Errors: CLOCHE_E_NOMEM naming what was refused. */
cloche_status cl_guest_open(cl_guest **out, cloche_error *err);
/* The two halves of it: address space, which processes made by clone(2) inherit for little; then memory. */
cloche_status cl_guest_reserve(cl_guest **out, cloche_error *err);
cloche_status cl_guest_fill(cl_guest *guest, cloche_error *err);
void cl_guest_close(cl_guest *guest);

/* Memory back to the image, run state assigned whole. After any way a run can end. */
void cl_guest_reset(cl_guest *guest);

static inline cl_guest *cl_guest_of(cl_slot *slot) { return (cl_guest *)(void *)slot; }

/* ---- slot.h, for the engine's memory ---- */

_Noreturn static inline void cl_guest_leave(cl_guest *guest, cl_leave why) { cl_slot_leave(&guest->slot, why); }
static inline uint8_t *cl_guest_at(const cl_guest *guest, uint32_t address) { return cl_slot_at(&guest->slot, address); }
static inline bool cl_guest_holds(cl_guest *guest, uint32_t address, uint64_t length)
{
    return cl_slot_holds(&guest->slot, guest->instance->w2c_memory.size, address, length);
}
static inline bool cl_guest_takes(cl_guest *guest, uint32_t address, uint64_t length)
{
    return cl_slot_takes(&guest->slot, guest->instance->w2c_memory.size, address, length);
}

#endif
