#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backend/process/steps.h"

static int write_own(const char *path, const char *value)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC), why = 0;

    if (fd < 0)
        return errno;
    if (write(fd, value, strlen(value)) < 0)
        why = errno;
    close(fd);
    return why;
}

/* Ids as they are outside: inside a namespace without a map everything reads as the overflow id. */
static unsigned outer_uid, outer_gid;

int zygote_unshare(int flag)
{
    if (flag == CLONE_NEWUSER) {
        outer_uid = geteuid();
        outer_gid = getegid();
    }
    return unshare(flag) < 0 ? errno : 0;
}

static int map_one(const char *path, unsigned inside, unsigned outside)
{
    char line[64];

    snprintf(line, sizeof line, "%u %u 1\n", inside, outside);
    return write_own(path, line);
}

int zygote_map_ids(unsigned inside)
{
    int why = write_own("/proc/self/setgroups", "deny"); /* the kernel wants it before an unprivileged gid_map */

    if (why != 0)
        return why;
    if ((why = map_one("/proc/self/uid_map", inside, outer_uid)) != 0)
        return why;
    return map_one("/proc/self/gid_map", inside, outer_gid);
}

int zygote_oom_score(int score)
{
    char line[16];

    snprintf(line, sizeof line, "%d", score);
    return write_own("/proc/self/oom_score_adj", line);
}
