/* place.h - places in the user's source
 *
 * The engine counts columns by bytes of what it was given, the user's editor in UTF-16 units of what was written. Pure.
 */
#ifndef CL_ISOLATE_PLACE_H
#define CL_ISOLATE_PLACE_H

#include "isolate/guest.h"

/* The byte of the source that the engine's line and column are at. */
size_t cl_place_offset(const cl_run *run, uint32_t line, uint32_t column);
/* The engine's line and column, as the user counts. */
void cl_place_to_user(const cl_run *run, uint32_t *line, uint32_t *column);

#endif
