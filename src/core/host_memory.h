/* host_memory.h - how much memory this process may count on
 *
 * The smaller of RAM and the limit of any cgroup this process is in (v2, v1), in MiB; a quarter of it is what guests may
 * have together unless the embedder says otherwise. What cannot be read counts as no limit.
 */
#ifndef CL_CORE_HOST_MEMORY_H
#define CL_CORE_HOST_MEMORY_H

#include <stdint.h>

uint32_t cl_host_memory_quarter_mb(void);

#endif
