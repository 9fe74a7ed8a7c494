#include "sys/jail.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SECBIT_NO_CAP_AMBIENT_RAISE
#define SECBIT_NO_CAP_AMBIENT_RAISE (1 << 6)
#define SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED (1 << 7)
#endif

int cl_jail_pivot(void)
{
    /* With both names the same the old root ends up on top of the new one, and needs no folder in it. */
    if (syscall(SYS_pivot_root, ".", ".") < 0)
        return -1;
    if (umount2(".", MNT_DETACH) < 0)
        return -1;
    return chdir("/");
}

int cl_jail_drop_bounding(void)
{
    for (int capability = 0; capability < 64; capability++)
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0) {
            if (errno == EINVAL && capability > 0) /* past the last one this kernel knows */
                break;
            return -1;
        }
    return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

int cl_jail_lock_securebits(void)
{
    return prctl(PR_SET_SECUREBITS,
                 SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED |
                     SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED,
                 0, 0, 0);
}

bool cl_jail_has_capabilities(void)
{
    struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct has[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

    if (syscall(SYS_capget, &header, has) < 0)
        return true;
    return (has[0].permitted | has[1].permitted) != 0;
}

int cl_jail_drop_capabilities(void)
{
    struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

    return (int)syscall(SYS_capset, &header, none);
}

int cl_jail_change_ids(uid_t uid, gid_t gid)
{
    int why = 0;

    if (syscall(SYS_setgroups, 0, NULL) < 0)
        why = errno;
    if (syscall(SYS_setresgid, gid, gid, gid) < 0 && why == 0)
        why = errno;
    if (syscall(SYS_setresuid, uid, uid, uid) < 0 && why == 0)
        why = errno;
    errno = why;
    return why == 0 ? 0 : -1;
}
