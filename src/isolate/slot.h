/* slot.h - one reservation with one translated module's memory in it
 *
 * The memory of a module starts as an image, is changed by one run, and comes back to the image. What all modules share
 * is here: the layout of layout.h, growth, faults that are meant to happen, entering and leaving.
 *
 * Invariant: if not dirty, linear memory equals the image; beyond it are at most open_growth bytes of zeros, and beyond
 * those it is inaccessible.
 *
 * Units    bytes; pages are wasm pages of 64 KiB
 * Owner    embedded in what uses it (cl_guest, cl_typescript)
 * Threads  one thread at a time; open_deep and thaw also from its signal handlers
 */
#ifndef CL_ISOLATE_SLOT_H
#define CL_ISOLATE_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cloche/status.h>

#include "isolate/layout.h"
#include "isolate/sanitizer.h"
#include "wasm-rt.h"

/* Why guest code was left before its end. */
typedef enum cl_leave {
    CL_LEAVE_NONE = 0,    /* came back by itself */
    CL_LEAVE_STOP,        /* asked to stop: slot.stopped_for says why */
    CL_LEAVE_EXIT,        /* process.exit */
    CL_LEAVE_MEMORY,      /* growth over the limit refused */
    CL_LEAVE_HOST_MEMORY, /* growth refused by the total or by the system */
    CL_LEAVE_TRAP,        /* unreachable, bad indirect call, division: slot.trap */
    CL_LEAVE_FAULT,       /* access outside its memory or stack */
    CL_LEAVE_FORKED,      /* a callback of this run forked, and this is the child */
    CL_LEAVE_IMPORT,      /* an import was called that is not there: typescript only */
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

/* Where the parts of a module's memory lie; part of an image's header. */
typedef struct cl_shape {
    uint32_t pages;         /* memory size at the start of a run, in wasm pages */
    uint32_t stack_pointer;
    uint32_t window_start;  /* of the open part of the shadow stack: zero from here up to copy_start */
    uint32_t copy_start;    /* bytes from here ... */
    uint32_t cold_end;      /* (up to here nothing was ever written: read-only in a slot, not copied back) */
    uint32_t used_end;      /* ... to here are in the file, */
    uint32_t tail_start;    /* and from here to the size; what is between is zero */
} cl_shape;

typedef struct cl_slot {
    void *host_sp; /* first: enter_x86_64.S knows these two */
    void *guest_sp;
    const cl_shape *shape;
    const uint8_t *bytes; /* of the image: copy_start..used_end, then tail_start..size */
    uint8_t *memory;      /* base of linear memory */
    uint8_t *reservation;
    uint8_t *stack_low;   /* lowest accessible byte of the private stack */
    uint32_t mapped_end;  /* linear memory is accessible up to here */
    uint32_t open_growth; /* bytes behind the image that stay open and zero between runs, once they were needed */
    uint32_t charged;     /* of the process's budget, by this run */
    uint32_t most_pages;  /* of growth, for this run */
    uint32_t peak_pages;  /* of growth, high water of this run */
    uint32_t trap;        /* wasm_rt_trap_t that this run was left by */
    int stopped_for;      /* cl_stop that this run was left for */
    bool is_deep;         /* the closed part of the shadow stack was opened */
    bool is_thawed;       /* the constants were made writable */
    bool is_dirty;
    cl_stack_bounds caller_stack; /* only sanitizers look at these */
    unsigned stack_id;
} cl_slot;

/* Address space, which processes made by clone(2) inherit for little; then memory, equal to the image.
 * Errors: CLOCHE_E_NOMEM naming what was refused; the slot is then as after close. */
cloche_status cl_slot_reserve(cl_slot *slot, const cl_shape *shape, const uint8_t *bytes, cloche_error *err);
cloche_status cl_slot_fill(cl_slot *slot, cloche_error *err);
/* A slot of zero bytes is fine. */
void cl_slot_close(cl_slot *slot);

/* Memory back to the image, after any way a run can end. The instance is its owner's to assign. */
void cl_slot_reset(cl_slot *slot);

/* Where an instance lies whose memory descriptor has this offset in it. */
static inline void *cl_slot_instance(const cl_slot *slot, size_t descriptor_offset)
{
    return slot->memory - CL_MEMORY_DISTANCE - descriptor_offset;
}
static inline uint32_t cl_slot_image_size(const cl_slot *slot) { return slot->shape->pages * CL_WASM_PAGE; }
/* The descriptor with which a run starts. */
static inline wasm_rt_memory_t cl_slot_descriptor(const cl_slot *slot)
{
    return (wasm_rt_memory_t){.data = slot->memory, .pages = slot->shape->pages, .max_pages = 65536,
                              .size = cl_slot_image_size(slot)};
}

/* Grows the memory of the run; does not return when that is refused: no module is trusted to go on without memory. */
uint32_t cl_slot_grow(cl_slot *slot, wasm_rt_memory_t *memory, uint32_t pages);

/* Ends the run from inside an import or trap: jumps out. Between enter and leave no host frame owns anything. */
_Noreturn void cl_slot_leave(cl_slot *slot, cl_leave why);

/* enter_x86_64.S: runs main(slot) on the private stack; answers how it was left. */
int cl_slot_enter(cl_slot *slot, void (*main)(cl_slot *), void *stack_top);
_Noreturn void cl_slot_jump_out(cl_slot *slot, int why);
/* From an import: fn(arg) on the caller's own stack. */
void cl_slot_hop(cl_slot *slot, void (*fn)(void *), void *arg);

/* A guest address as host memory; only after a check that it lies in the memory. */
static inline uint8_t *cl_slot_at(const cl_slot *slot, uint32_t address) { return slot->memory + address; }

/* Whether host code may read there: inside the memory of the size given, and accessible. The closed part of the shadow
 * stack is opened for it, as it is when guest code touches it. Addresses come from guests: every one is asked about
 * before it is used. */
bool cl_slot_holds(cl_slot *slot, uint32_t memory_size, uint32_t address, uint64_t length);
/* Whether host code may write there; constants are thawed for it. */
bool cl_slot_takes(cl_slot *slot, uint32_t memory_size, uint32_t address, uint64_t length);

/* Also from signal handlers. false: the address is elsewhere, or it was done already. */
bool cl_slot_open_deep(cl_slot *slot, uint64_t address);
bool cl_slot_thaw(cl_slot *slot, uint64_t address);

#endif
