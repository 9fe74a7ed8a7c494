/* machine.h - what can be told of this machine without asking for anything
 *
 * Read from /proc and /sys; what is not there is an empty text or 0.
 */
#ifndef CLI_MACHINE_H
#define CLI_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct machine {
    char cpu[96];
    char kernel[96]; /* "Linux 6.1.0 x86_64" */
    uint32_t cores;  /* that this process may use */
} machine;

void machine_get(machine *out);

/* The first line of a small file; false: it cannot be read. */
bool machine_read_line(const char *path, char *out, size_t size);

/* The memory limit of the cgroup this process is in, the nearest one above included; 0: none, or not to be seen. */
uint64_t machine_cgroup_memory_bytes(void);

#endif
