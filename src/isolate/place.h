/* place.h - places in the user's source
 *
 * The engine counts columns by bytes, the user's editor in UTF-16 units. Pure.
 */
#ifndef CL_ISOLATE_PLACE_H
#define CL_ISOLATE_PLACE_H

#include "isolate/guest.h"

/* The engine's line and column, as the user counts. */
void cl_place_to_user(const cl_run_request *request, uint32_t *line, uint32_t *column);

#endif
