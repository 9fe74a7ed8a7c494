/* instance.h - the TypeScript module in a slot of its own
 *
 *   task (source in parts, mode) ──► slot: copy in, transformSync, copy out ──► answer ──► reset
 *
 * swc's TypeScript compiler, WebAssembly translated to C like the engine, with its own memory and stack. It works behind
 * the same wall: what a hostile source does to it ends with the reset.
 *
 * Invariant: between translations the slot equals its image and the handle table is empty.
 *
 * Owner    a thread has one, made at its first translation (cl_thread.typescript)
 * Threads  one thread at a time
 */
#ifndef CL_TYPESCRIPT_INSTANCE_H
#define CL_TYPESCRIPT_INSTANCE_H

#include "isolate/slot.h"
#include "isolate/thread.h"
#include "isolate/typescript/handles.h"
#include "swc_wasm.h"

#define CL_TS_WINDOW_BYTES ((uint32_t)65536)  /* shadow stack that is open in every translation */
#define CL_TS_OPEN_GROWTH ((uint32_t)2 * 65536) /* heap that stays open: enough for some 100 lines */

typedef enum cl_ts_mode {
    CL_TS_STRIP,     /* types become blanks: all else stays in its place */
    CL_TS_TRANSFORM, /* printed anew, with a source map */
} cl_ts_mode;

typedef struct cl_ts_task {
    cl_js_text source[CL_JS_SOURCE_PARTS]; /* UTF-8, surrogates excepted: they are read as U+FFFD */
    cl_ts_mode mode;
    bool is_module;
} cl_ts_task;

/* Texts are borrowed from the instance until its reset. */
typedef struct cl_ts_answer {
    cl_leave left;      /* anything but NONE: it did not come to an end, and nothing below holds */
    bool ok;
    cl_js_text code;
    cl_js_text map;     /* source map, JSON; of a transformation */
    cl_js_text error;   /* not ok: what is wrong, */
    bool is_unsupported; /* (this mode cannot do it, the other may) */
    uint32_t line;      /* where: 1-based in the parts together, */
    uint32_t cell;      /* 0-based, in cells of a terminal: a tab is four, some characters are two or none */
} cl_ts_answer;

typedef struct cl_typescript {
    cl_slot slot; /* first */
    Z_swc_instance_t *instance;
    bool is_filled;
    cl_handles handles;
    const cl_ts_task *task;
    cl_ts_answer *answer;
    const char *unreached; /* the import that should not have been called; NULL */
} cl_typescript;

/* The image of the module's memory; linked in (typescript_data.S) or the image tool's own. */
const cl_shape *cl_typescript_shape(void);
const uint8_t *cl_typescript_bytes(void);

/* Reserve and fill, as of a slot. Errors: CLOCHE_E_NOMEM. */
cloche_status cl_typescript_reserve(cl_typescript **out, cloche_error *err);
cloche_status cl_typescript_fill(cl_typescript *typescript, cloche_error *err);
void cl_typescript_close(cl_typescript *typescript);

void cl_typescript_work(cl_thread *thread, cl_typescript *typescript, const cl_ts_task *task, const cl_until *until,
                        cl_ts_answer *answer);
void cl_typescript_reset(cl_typescript *typescript);

/* ---- for imports ---- */

static inline cl_typescript *cl_typescript_of(const void *module) { return (cl_typescript *)(uintptr_t)module; }
_Noreturn void cl_typescript_unreached(const void *module, const char *import);

#endif
