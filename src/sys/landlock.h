/* landlock.h - giving up what landlock(7) can take away
 *
 * Units    access rights are the kernel's bits (landlock_create_ruleset(2)); constants here because the build
 *          machine's headers may be older than the running kernel
 * Threads  restricts the calling thread and what it makes later
 * Errors   as system calls: -1 and errno
 * Source   landlock(7), since 5.13
 */
#ifndef CL_SYS_LANDLOCK_H
#define CL_SYS_LANDLOCK_H

#include <stdint.h>

/* Version of the interface the kernel offers; -1 and errno when there is none. */
int cl_landlock_abi(void);

/* Denies every right that this version knows, and allows nothing. Needs no_new_privs. */
int cl_landlock_deny_all(int abi);

#endif
