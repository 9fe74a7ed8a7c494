/* natives.h - host functions that stand in the function table as if they were the engine's
 *
 * The image makes JavaScript functions of them and gives those to the prelude alone (object `host` in
 * src/guest/prelude). Arguments are guest values: nothing about them is trusted.
 *
 * A native runs on the private stack inside a run. It owns nothing when it calls the engine or leaves; one that may take
 * long looks for a stop on its way.
 */
#ifndef CL_ISOLATE_NATIVES_H
#define CL_ISOLATE_NATIVES_H

#include "wasm-rt.h"

/* name in `host`, argument count */
#define CL_NATIVE_LIST(X)                                                                             \
    X(write, 2) X(now, 0) X(exit, 1) X(maxTimers, 0) X(memoryUsage, 0) X(wantTicks, 0)                \
    X(promiseState, 1) X(promiseResult, 1) X(proxyTarget, 1) X(isProxy, 1) X(className, 1) X(random, 1)         \
    X(load, 1) X(timers, 1)

enum {
    CL_NATIVE_FIRST = 533, /* size of the engine's own table; wasm_rt.c checks it */
};

typedef enum cl_native {
#define CL_X(name, arguments) CL_NATIVE_##name,
    CL_NATIVE_LIST(CL_X)
#undef CL_X
    CL_NATIVE_REJECTION,    /* engine callback: a promise was rejected or handled after all */
    CL_NATIVE_MODULE_NAME,  /* engine callback: module specifier -> name */
    CL_NATIVE_MODULE_LOAD,  /* engine callback: name -> module */
    CL_NATIVE_MODULE_INIT,  /* engine callback: exports of a built-in module */
    CL_NATIVE_COUNT
} cl_native;

/* Writes CL_NATIVE_COUNT elements; answers how many. */
uint32_t cl_natives_fill(wasm_rt_funcref_t *elements);

#endif
