/* jail.h - kernel calls of the jail that have no function in the C library
 *
 * Threads  the calling thread, and what it makes later
 * Errors   as system calls: -1 and errno
 * Source   pivot_root(2), capabilities(7), user_namespaces(7)
 */
#ifndef CL_SYS_JAIL_H
#define CL_SYS_JAIL_H

#include <stdbool.h>
#include <sys/types.h>

/* The current folder becomes the root, and what was the root is gone from this mount namespace. */
int cl_jail_pivot(void);

/* No capability in the bounding and ambient set; root's special treatment off and locked. Needs CAP_SETPCAP. */
int cl_jail_drop_bounding(void);
int cl_jail_lock_securebits(void);

/* Whether the calling thread has any capability. */
bool cl_jail_has_capabilities(void);

/* No capability left in this thread. */
int cl_jail_drop_capabilities(void);

/* Supplementary groups, gid and uid, all of them; for the calling thread alone. Tries all three, answers the first
 * failure. */
int cl_jail_change_ids(uid_t uid, gid_t gid);

#endif
