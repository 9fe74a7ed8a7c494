#include "isolate/budget.h"

#include <stdatomic.h>

static _Atomic uint64_t used_bytes;
static _Atomic uint64_t most_bytes = UINT64_MAX;

void cl_budget_lower(uint64_t most)
{
    uint64_t now = atomic_load(&most_bytes);
    while (most < now && !atomic_compare_exchange_weak(&most_bytes, &now, most))
        continue;
}

bool cl_budget_take(uint64_t bytes)
{
    if (atomic_fetch_add(&used_bytes, bytes) + bytes <= atomic_load(&most_bytes))
        return true;
    atomic_fetch_sub(&used_bytes, bytes);
    return false;
}

void cl_budget_give(uint64_t bytes)
{
    atomic_fetch_sub(&used_bytes, bytes);
}

bool cl_budget_fits(uint64_t bytes)
{
    return atomic_load(&used_bytes) + bytes <= atomic_load(&most_bytes);
}

uint64_t cl_budget_used(void)
{
    return atomic_load(&used_bytes);
}
