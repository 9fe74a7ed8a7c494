/* guest_clock.h - time and chance as a guest sees them
 *
 * Clocks go in steps of 100 us, which denies a guest the resolution that timing attacks need. In a deterministic run
 * time is virtual: it starts where the request says and moves only by the timers that are waited for.
 */
#ifndef CL_ISOLATE_GUEST_CLOCK_H
#define CL_ISOLATE_GUEST_CLOCK_H

#include "isolate/guest.h"

#define CL_GUEST_CLOCK_STEP_NS UINT64_C(100000)

uint64_t cl_guest_wall_ns(const cl_guest *guest);  /* since 1970 */
uint64_t cl_guest_since_start_ns(const cl_guest *guest);
/* Random bytes: the system's, or a stream of the seed in a deterministic run. */
void cl_guest_random(cl_guest *guest, uint8_t *bytes, size_t length);

#endif
