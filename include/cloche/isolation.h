/* isolation.h - which walls this host allows around the process backend, and what to do about the rest
 *
 *   cloche_layer layers[CLOCHE_LAYER_COUNT];
 *   uint32_t count;
 *
 *   if (cloche_isolation_probe(layers, CLOCHE_LAYER_COUNT, &count, &err) == CLOCHE_OK)
 *       for (uint32_t i = 0; i < count; i++)
 *           if (!layers[i].stands)
 *               printf("%s: %s (%s)\n", layers[i].name, layers[i].step, layers[i].remedy);
 *
 * Asked for real: the jail of a sandbox with default limits is built, and taken down again. So an answer holds for this
 * process as it is now, its user, its container and its limits included. It takes some milliseconds.
 *
 * Owner    everything is the caller's storage; names are static
 * Threads  any thread
 * Errors   CLOCHE_E_NOSYS no jail at all: err says what was refused; CLOCHE_E_SYS, CLOCHE_E_NOMEM
 */
#ifndef CLOCHE_ISOLATION_H
#define CLOCHE_ISOLATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cloche/sandbox.h>
#include <cloche/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
#define CLOCHE_X(name, wire, bit) +1
    CLOCHE_LAYER_COUNT = 0 CLOCHE_LAYER_LIST(CLOCHE_X), /* of this header; a newer library may know more */
#undef CLOCHE_X
};

/* Layout fixed. Texts are one line and end in NUL; "" when the layer stands. */
typedef struct cloche_layer {
    const char *name;   /* "userns", as in a result's isolation */
    uint32_t bit;       /* CLOCHE_LAYER_ */
    bool stands;
    int os_errno;       /* why not; 0: stands, or no system call was involved */
    char step[64];      /* what was attempted: "unshare(CLONE_NEWUSER)" */
    char remedy[160];   /* what to do about it */
} cloche_layer;

/* One entry per layer in the order of CLOCHE_LAYER_LIST, at most capacity of them; *count is how many were written, 0 on
 * failure. */
CLOCHE_API cloche_status cloche_isolation_probe(cloche_layer *layers, uint32_t capacity, uint32_t *count,
                                                cloche_error *err);

/* The jail as an ordered list of steps, a line each: who does what, for which layer, and why. Made from what the probe
 * finds here and the default limits. Answers the length the text has, or would have were size larger; always ends in
 * NUL when size is not 0. out may be NULL when size is 0. */
CLOCHE_API size_t cloche_isolation_plan(char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
