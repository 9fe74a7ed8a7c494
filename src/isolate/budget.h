/* budget.h - guest memory of the whole process against one ceiling
 *
 * Units    bytes
 * Threads  any thread, and signal handlers: atomics only
 */
#ifndef CL_ISOLATE_BUDGET_H
#define CL_ISOLATE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* The ceiling becomes the least that any sandbox of the process was created with. */
void cl_budget_lower(uint64_t most_bytes);
bool cl_budget_take(uint64_t bytes);
void cl_budget_give(uint64_t bytes);
bool cl_budget_fits(uint64_t bytes);
uint64_t cl_budget_used(void);

#endif
