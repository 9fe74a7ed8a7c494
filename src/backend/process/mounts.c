#include <errno.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "backend/process/steps.h"
#include "sys/jail.h"

/* A folder that exists everywhere: what is mounted on it is seen in this namespace only, and only for a moment. */
static const char place[] = "/proc";

int zygote_mounts_private(void)
{
    return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ? errno : 0;
}

int zygote_empty_root(void)
{
    const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;

    if (mount("cloche", place, "tmpfs", flags, "size=4k,nr_inodes=1,mode=0555") < 0)
        return errno;
    if (chdir(place) < 0 || cl_jail_pivot() < 0)
        return errno;
    return mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | flags, NULL) < 0 ? errno : 0;
}

int zygote_host_name(void)
{
    static const char name[] = "cloche";

    if (sethostname(name, strlen(name)) < 0 || setdomainname(name, strlen(name)) < 0)
        return errno;
    return 0;
}
