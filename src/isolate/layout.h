/* layout.h - where everything of one slot lies
 *
 *   | guard | private stack |  guard  | host |  linear memory 4 GiB + 4 GiB of offset  | guard |
 *   0       1 MiB           17 MiB    ^      base = 18 MiB                              total
 *                             instance ends here
 *
 *   linear memory:  | null | shadow stack, closed | window | constants | data and heap of the image | growth ...
 *                   0      4 KiB                  ^        1 MiB       cold_end                     ^ image end
 *                                                 stack pointer - CL_WINDOW_BYTES
 *
 * A guest address is 32 bits plus a 32-bit offset, so it cannot leave the reservation. The instance (stack pointer,
 * memory size, table) lies at a fixed distance before the base, where no guest address reaches. The shadow stack below
 * the window is inaccessible until a run goes deep; the first page always is. Constants are read-only until a run writes
 * there, which no run of a sound engine does.
 *
 * Units    bytes; multiples of 4 KiB, the page size of x86-64
 * Source   WebAssembly core spec, memory instances; mmap(2)
 */
#ifndef CL_ISOLATE_LAYOUT_H
#define CL_ISOLATE_LAYOUT_H

#include <stdint.h>

#define CL_MIB ((uint64_t)1 << 20)
#define CL_GIB ((uint64_t)1 << 30)

#define CL_STACK_GUARD_BYTES CL_MIB          /* larger than the largest frame of generated code */
#define CL_STACK_BYTES (16 * CL_MIB)         /* native stack of the guest */
#define CL_BASE_OFFSET (18 * CL_MIB)         /* of linear memory in the reservation */
#define CL_HOST_BYTES ((uint64_t)65536)      /* readable and writable before the base: the instance */
#define CL_MEMORY_SPAN (8 * CL_GIB)
#define CL_TAIL_GUARD_BYTES ((uint64_t)65536)
#define CL_RESERVATION_BYTES (CL_BASE_OFFSET + CL_MEMORY_SPAN + CL_TAIL_GUARD_BYTES)

#define CL_WASM_PAGE ((uint32_t)65536)
#define CL_NULL_BYTES ((uint32_t)4096)       /* never accessible: null pointers trap */
#define CL_WINDOW_BYTES ((uint32_t)32768)    /* shadow stack that is open in every run */
#define CL_KEPT_GROWTH_BYTES ((uint32_t)1 << 20) /* growth that stays resident, zero and closed, between runs */

/* Native stack that stays resident after a run; the rest is given back when a run went deep. */
#define CL_KEPT_STACK_BYTES ((uint64_t)256 << 10)
#define CL_FIRST_STACK_BYTES ((uint64_t)32 << 10) /* of it, made resident before the first run */

/* Distance from the memory descriptor in the instance to the base: the instance fits one page before it. The engine
 * is compiled with this constant (recipe.cmake, CMakeLists.txt). */
#ifndef CL_MEMORY_DISTANCE
#define CL_MEMORY_DISTANCE 3968
#endif

#endif
