/* clock.h - clocks in nanoseconds
 *
 * Threads  any thread; async-signal-safe
 */
#ifndef CL_BASE_CLOCK_H
#define CL_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define CL_NS_PER_S UINT64_C(1000000000)
#define CL_NS_PER_MS UINT64_C(1000000)

static inline uint64_t cl_clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * CL_NS_PER_S + (uint64_t)t.tv_nsec;
}

#endif
