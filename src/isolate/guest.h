/* guest.h - one guest as the host sees it: a slot of memory and the run in it
 *
 * Invariant: outside the linear memory everything a run can change is in `instance` (stack pointer, memory size) and in
 * `run`. Reset assigns both whole. If not dirty, linear memory equals the image and is inaccessible beyond it.
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
#include "isolate/layout.h"
#include "isolate/sanitizer.h"
#include "quickjs_wasm.h"

/* Why guest code was left before its end. */
typedef enum cl_leave {
    CL_LEAVE_NONE = 0,    /* came back by itself */
    CL_LEAVE_STOP,        /* asked to stop: run.stopped_for says why */
    CL_LEAVE_EXIT,        /* process.exit */
    CL_LEAVE_MEMORY,      /* growth over the limit refused */
    CL_LEAVE_HOST_MEMORY, /* growth refused by the total or by the system */
    CL_LEAVE_TRAP,        /* unreachable, bad indirect call, division: run.trap */
    CL_LEAVE_FAULT,       /* access outside its memory or stack */
    CL_LEAVE_FORKED,      /* a callback of this run forked, and this is the child */
} cl_leave;

/* Why a run is to stop; the first one set stays. */
typedef enum cl_stop {
    CL_STOP_NONE = 0,
    CL_STOP_WALL,
    CL_STOP_CPU,
    CL_STOP_ABORT,
    CL_STOP_DISPOSE,
    CL_STOP_QUEUE_FULL, /* these two never reach a run that has started */
    CL_STOP_QUEUE_TIME,
} cl_stop;

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
    cloche_kind kind;
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

/* The state of one run outside linear memory. */
typedef struct cl_run {
    const cl_run_request *request;
    cloche_result *result; /* being filled */
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
    bool wants_ticks;
    uint64_t wake_ns;      /* while waiting: when to resume */
    int exit_code;
    uint32_t trap;         /* wasm_rt_trap_t */
    uint32_t peak_pages;   /* growth, high water */
    uint64_t random_state; /* of a deterministic run, as is */
    uint64_t virtual_ns;   /* the time it believes has passed */
    cl_stream out, err;
    cl_buf scratch, json;        /* of report.c; here, so that a jump out loses nothing */
    cloche_error_detail part;
    bool has_timers, has_rejections;
    uint32_t live_timers;
    _Atomic int stop;      /* cl_stop, from any thread */
    int stopped_for;       /* cl_stop that ended it */
} cl_run;

typedef struct cl_guest {
    void *host_sp;  /* first: enter_x86_64.S knows these two */
    void *guest_sp;
    Z_quickjs_instance_t *instance;
    uint8_t *memory;      /* base of linear memory */
    uint8_t *reservation;
    uint8_t *stack_low;   /* lowest accessible byte of the private stack */
    uint32_t mapped_end;  /* linear memory is accessible up to here */
    bool is_deep;         /* the closed part of the shadow stack was opened */
    bool is_thawed;       /* the constants were made writable */
    bool is_dirty;
    bool is_trapped;      /* the last run was left by a fault or trap */
    struct cl_guest *next; /* free list of the backend */
    cl_stack_bounds caller_stack; /* only sanitizers look at these */
    unsigned stack_id;
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

/* Ends the run from inside an import or trap: jumps out. Between enter and leave no host frame owns anything. */
_Noreturn void cl_guest_leave(cl_guest *guest, cl_leave why);

/* enter_x86_64.S: runs main(guest) on the private stack; answers how it was left. */
int cl_guest_enter(cl_guest *guest, void (*main)(cl_guest *), void *stack_top);
_Noreturn void cl_guest_jump_out(cl_guest *guest, int why);
/* From an import: fn(arg) on the caller's own stack. */
void cl_guest_hop(cl_guest *guest, void (*fn)(void *), void *arg);

/* A guest address as host memory; only after a check that it lies in the memory. */
static inline uint8_t *cl_guest_at(const cl_guest *guest, uint32_t address) { return guest->memory + address; }

/* Whether host code may read there: inside the memory, and accessible. The closed part of the shadow stack is opened for
 * it, as it is when guest code touches it. Addresses come from guests: every one is asked about before it is used. */
bool cl_guest_holds(cl_guest *guest, uint32_t address, uint64_t length);
/* Whether host code may write there; constants are thawed for it. */
bool cl_guest_takes(cl_guest *guest, uint32_t address, uint64_t length);

/* Also from signal handlers. false: the address is elsewhere, or it was done already. */
bool cl_guest_open_deep(cl_guest *guest, uint64_t address);
bool cl_guest_thaw(cl_guest *guest, uint64_t address);

#endif
