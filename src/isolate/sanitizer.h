/* sanitizer.h - tells AddressSanitizer which stack a thread is on; nothing in other builds
 *
 * Told just before the switch and just after it, on the stack that is being left: the sanitizer only keeps the bounds.
 * Jumps out of a guest pass no code that could tell.
 */
#ifndef CL_ISOLATE_SANITIZER_H
#define CL_ISOLATE_SANITIZER_H

#include <stddef.h>

typedef struct cl_stack_bounds {
    const void *bottom;
    size_t size;
} cl_stack_bounds;

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

/* Answers the bounds of the stack before. */
static inline cl_stack_bounds cl_sanitizer_stack(cl_stack_bounds to)
{
    cl_stack_bounds before = {NULL, 0};
    __sanitizer_start_switch_fiber(NULL, to.bottom, to.size);
    __sanitizer_finish_switch_fiber(NULL, &before.bottom, &before.size);
    return before;
}

/* Frames that a jump left behind would stay poisoned. */
static inline void cl_sanitizer_clean(const void *start, size_t size)
{
    __asan_unpoison_memory_region(start, size);
}
#else
static inline cl_stack_bounds cl_sanitizer_stack(cl_stack_bounds to)
{
    return to;
}

static inline void cl_sanitizer_clean(const void *start, size_t size)
{
    (void)start, (void)size;
}
#endif

#endif
