#include <errno.h>
#include <sys/resource.h>

#include "backend/process/steps.h"

enum { STACK_BYTES = 256 << 10 };

int zygote_rlimit(int which, uint64_t value)
{
    struct rlimit limit;

    if (getrlimit((__rlimit_resource_t)which, &limit) < 0)
        return errno;
    if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > value)
        limit.rlim_max = value;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit((__rlimit_resource_t)which, &limit) < 0 ? errno : 0;
}

/* The kernel extends the stack's mapping down to the lowest page touched, so one page is enough, and costs one fault. */
static void __attribute__((noinline)) reach_down(void)
{
    volatile char stack[STACK_BYTES];

    stack[0] = 0;
    (void)stack[0];
}

/* A limit below what is mapped takes nothing away but refuses all growth, that of the main stack too: it is extended
 * first. RLIMIT_DATA goes on to bound what mprotect may make writable. */
int child_rlimit_as(void)
{
    reach_down();
    return zygote_rlimit(RLIMIT_AS, 0);
}
