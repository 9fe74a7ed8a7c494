#include "core/host_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEAST_MB = 16, PATH_BYTES = 4200 };

/* "max" and what is not there: no limit. */
static uint64_t read_limit(const char *path)
{
    char line[64];
    uint64_t limit = UINT64_MAX;
    FILE *file = fopen(path, "re");

    if (file == NULL)
        return UINT64_MAX;
    if (fgets(line, sizeof line, file) != NULL && line[0] >= '0' && line[0] <= '9')
        limit = strtoull(line, NULL, 10);
    fclose(file);
    return limit;
}

/* The limit of a group and of every group above it. */
static uint64_t least_upward(const char *mount, char *group, const char *file)
{
    char path[PATH_BYTES];
    uint64_t least = UINT64_MAX;

    for (;;) {
        snprintf(path, sizeof path, "%s%s/%s", mount, group, file);
        uint64_t limit = read_limit(path);
        if (limit < least)
            least = limit;
        char *slash = strrchr(group, '/');
        if (slash == NULL)
            return least;
        *slash = '\0';
    }
}

/* Lines are "0::/group" (v2) or "4:memory:/group" (v1). */
static uint64_t cgroup_limit(void)
{
    char line[4096];
    uint64_t least = UINT64_MAX;
    FILE *file = fopen("/proc/self/cgroup", "re");

    if (file == NULL)
        return UINT64_MAX;
    while (fgets(line, sizeof line, file) != NULL) {
        uint64_t limit = UINT64_MAX;
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (group == NULL)
            continue;
        *group++ = '\0';
        if (controllers[1] == '\0')
            limit = least_upward("/sys/fs/cgroup", group, "memory.max");
        else if (strstr(controllers, "memory") != NULL)
            limit = least_upward("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
        if (limit < least)
            least = limit;
    }
    fclose(file);
    return least;
}

uint32_t cl_host_memory_quarter_mb(void)
{
    uint64_t ram = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t limit = cgroup_limit();
    uint64_t quarter_mb = (ram < limit ? ram : limit) / 4 >> 20;

    if (quarter_mb < LEAST_MB)
        return LEAST_MB;
    return quarter_mb > 1048576 ? 1048576 : (uint32_t)quarter_mb;
}
