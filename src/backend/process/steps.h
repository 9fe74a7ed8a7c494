/* steps.h - what each kind of step of the plan does
 *
 * Run in the process that the plan names: zygote and server are single-threaded, and neither allocates nor prints.
 *
 * Errors   errno as a return value, 0 for success
 */
#ifndef CL_PROCESS_STEPS_H
#define CL_PROCESS_STEPS_H

#include <stdint.h>

int zygote_unshare(int flag);
int zygote_map_ids(unsigned inside);
int zygote_oom_score(int score);

int zygote_mounts_private(void);
int zygote_empty_root(void);
int zygote_host_name(void);

/* Lowers soft and hard limit; a hard limit that is lower already stays. */
int zygote_rlimit(int which, uint64_t value);

#endif
