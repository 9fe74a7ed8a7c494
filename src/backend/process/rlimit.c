#include <errno.h>
#include <sys/resource.h>

#include "backend/process/steps.h"

/* RLIMIT_DATA bounds what a child may write to: heap, and reserved memory that mprotect makes writable. RLIMIT_AS is
 * not used beside it, because it would undo that. When mprotect makes memory writable the kernel refuses only what fits
 * RLIMIT_AS and does not fit RLIMIT_DATA (mprotect_fixup), so a call larger than what RLIMIT_AS has left is not held
 * against RLIMIT_DATA at all. New mappings are the filter's business. */
int zygote_rlimit(int which, uint64_t value)
{
    struct rlimit limit;

    if (getrlimit((__rlimit_resource_t)which, &limit) < 0)
        return errno;
    if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > value)
        limit.rlim_max = value;
    limit.rlim_cur = limit.rlim_max;
    /* At the soft limit of CPU time the kernel says which limit it was, at the hard one it only kills. */
    if (which == RLIMIT_CPU && limit.rlim_cur > 1 && limit.rlim_cur != RLIM_INFINITY)
        limit.rlim_cur--;
    return setrlimit((__rlimit_resource_t)which, &limit) < 0 ? errno : 0;
}
