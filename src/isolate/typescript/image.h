/* image.h - the TypeScript module's memory as every translation finds it
 *
 *   file:  | cl_ts_image, padded to 4096 | copy_start..used_end | tail_start..size |
 *
 * tools/make_typescript_image.c starts the module, has it translate, and writes what its memory then holds.
 *
 * Owner    static storage, read-only
 */
#ifndef CL_TYPESCRIPT_IMAGE_H
#define CL_TYPESCRIPT_IMAGE_H

#include "isolate/slot.h"

#define CL_TS_IMAGE_MAGIC UINT64_C(0x3167617363696c63)
enum { CL_TS_IMAGE_HEADER_BYTES = 4096 };

typedef struct cl_ts_image {
    uint64_t magic;
    cl_shape shape;
} cl_ts_image;

#endif
