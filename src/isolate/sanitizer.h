/* sanitizer.h - tells AddressSanitizer which stack a thread is on, and valgrind which stacks there are
 *
 * Nothing in builds without the one, a few idle instructions per slot where the other's header is installed.
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

#if defined __has_include
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#endif
#endif

/* A stack that threads will switch to; the answer is for forget. */
static inline unsigned cl_sanitizer_know_stack(const void *low, size_t size)
{
#ifdef VALGRIND_STACK_REGISTER
    return (unsigned)VALGRIND_STACK_REGISTER(low, (const char *)low + size);
#else
    (void)low, (void)size;
    return 0;
#endif
}

/* Bytes below a stack pointer that a thread is about to take over: a switch is not seen as growth of that stack. */
static inline void cl_sanitizer_use_below(const void *stack_pointer, size_t size)
{
#ifdef VALGRIND_MAKE_MEM_UNDEFINED
    VALGRIND_MAKE_MEM_UNDEFINED((const char *)stack_pointer - size, size);
#else
    (void)stack_pointer, (void)size;
#endif
}

static inline void cl_sanitizer_forget_stack(unsigned id)
{
#ifdef VALGRIND_STACK_DEREGISTER
    VALGRIND_STACK_DEREGISTER(id);
#else
    (void)id;
#endif
}

#endif
