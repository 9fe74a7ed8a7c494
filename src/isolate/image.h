/* image.h - the memory every run starts from, built once, linked in
 *
 *   file:  | cl_image header, padded to 4096 | copy_start..used_end | tail_start..size | late files |
 *
 *   The heap's unused end is zero but for the allocator's mark at the very end (the tail). Late files are parts of the
 *   prelude, as bytecode, that a guest gets only when it asks for them.
 *
 * tools/make_image.c starts the engine, loads the prelude and writes the file; image_data.S links it. Values in the
 * header are engine values (64-bit, NaN-boxed) that stay valid because memory comes back byte for byte.
 *
 * Owner    static storage, read-only
 * Threads  any thread
 */
#ifndef CL_ISOLATE_IMAGE_H
#define CL_ISOLATE_IMAGE_H

#include <stdint.h>

#include "isolate/slot.h"

#define CL_IMAGE_MAGIC UINT64_C(0x3165676d69636c63) /* "clcimge1" */
#define CL_IMAGE_HEADER_BYTES 4096

/* Functions the prelude hands to the host: internal.exports of src/guest/prelude, in this order. */
#define CL_PRELUDE_LIST(X) \
    X(turn) X(ticks) X(builtin) X(setContext) X(stringify) X(settle) X(callDefault) X(reject) X(unhandled) X(referenced) X(describe)

typedef enum cl_prelude_fn {
#define CL_X(name) CL_PRELUDE_##name,
    CL_PRELUDE_LIST(CL_X)
#undef CL_X
    CL_PRELUDE_COUNT
} cl_prelude_fn;

enum { CL_LATE_NAME_BYTES = 40, CL_LATE_MOST = 32 };

typedef struct cl_late_file {
    char name[CL_LATE_NAME_BYTES];
    uint32_t offset; /* from the start of the file */
    uint32_t length; /* 0: no further files */
} cl_late_file;

typedef struct cl_image {
    uint64_t magic;
    cl_shape shape;
    uint32_t runtime;       /* JSRuntime * */
    uint32_t context;       /* JSContext * */
    uint32_t random_at;     /* the 8 bytes of Math.random's state */
    uint32_t cpool_at;      /* JSFunctionBytecode: offset of the constant pool's address, */
    uint32_t source_at;     /* of the length of the source text */
    uint32_t names_at;      /* C strings used by the host, see cl_image_names */
    uint64_t prelude[CL_PRELUDE_COUNT];
    cl_late_file late[CL_LATE_MOST];
} cl_image;

_Static_assert(sizeof(cl_image) <= CL_IMAGE_HEADER_BYTES, "the header has its place");

const cl_image *cl_image_get(void);
/* Bytes of copy_start..used_end, behind them those of the tail. */
const uint8_t *cl_image_bytes(void);
const uint8_t *cl_image_late(const cl_late_file *file);

#endif
