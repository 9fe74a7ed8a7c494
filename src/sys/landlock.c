#include "sys/landlock.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_restrict_self 446
#endif

enum { QUERY_VERSION = 1 };

/* struct landlock_ruleset_attr with all its extensions. */
typedef struct attributes {
    uint64_t fs;     /* since ABI 1 */
    uint64_t net;    /* since ABI 4 */
    uint64_t scoped; /* since ABI 6 */
} attributes;

int cl_landlock_abi(void)
{
    return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, QUERY_VERSION);
}

static uint64_t fs_rights(int abi)
{
    unsigned bits = 13; /* execute ... make_sym */

    if (abi >= 2)
        bits = 14; /* refer */
    if (abi >= 3)
        bits = 15; /* truncate */
    if (abi >= 5)
        bits = 16; /* ioctl on devices */
    return (UINT64_C(1) << bits) - 1;
}

int cl_landlock_deny_all(int abi)
{
    attributes wanted = { .fs = fs_rights(abi) };
    size_t size = offsetof(attributes, net);
    int ruleset, answer, why;

    if (abi >= 4) {
        wanted.net = 3; /* bind and connect of TCP */
        size = offsetof(attributes, scoped);
    }
    if (abi >= 6) {
        wanted.scoped = 3; /* abstract sockets of, and signals to, anybody outside */
        size = sizeof wanted;
    }
    if ((ruleset = (int)syscall(SYS_landlock_create_ruleset, &wanted, size, 0)) < 0)
        return -1;
    answer = (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
    why = errno;
    close(ruleset);
    errno = why;
    return answer;
}
