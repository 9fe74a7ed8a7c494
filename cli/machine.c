#include "machine.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

bool machine_read_line(const char *path, char *out, size_t size)
{
    FILE *file = fopen(path, "re");
    bool is_read = file != NULL && fgets(out, (int)size, file) != NULL;

    if (file != NULL)
        fclose(file);
    if (is_read)
        out[strcspn(out, "\n")] = '\0';
    else
        out[0] = '\0';
    return is_read;
}

/* The value behind "key<tabs>: ", of the first line that has one of the keys. */
static void read_cpu_name(char *out, size_t size)
{
    static const char *const keys[] = { "model name", "Model", "CPU part" };
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[256];

    out[0] = '\0';
    while (file != NULL && out[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        char *colon = strchr(line, ':');

        for (size_t i = 0; colon != NULL && i < sizeof keys / sizeof *keys; i++)
            if (strncmp(line, keys[i], strlen(keys[i])) == 0)
                snprintf(out, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    }
    if (file != NULL)
        fclose(file);
}

void machine_get(machine *out)
{
    struct utsname name;
    cpu_set_t set;

    *out = (machine){ .cores = 1 };
    read_cpu_name(out->cpu, sizeof out->cpu);
    if (uname(&name) == 0)
        snprintf(out->kernel, sizeof out->kernel, "%.20s %.40s %.20s", name.sysname, name.release, name.machine);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        out->cores = (uint32_t)CPU_COUNT(&set);
}

/* The smallest limit from the group upwards. */
static uint64_t least_limit(const char *root, char *group, const char *file)
{
    uint64_t least = 0;

    for (;;) {
        char path[512], text[64];
        char *slash;

        snprintf(path, sizeof path, "%s%s/%s", root, strcmp(group, "/") == 0 ? "" : group, file);
        if (machine_read_line(path, text, sizeof text) && text[0] >= '0' && text[0] <= '9') {
            uint64_t limit = strtoull(text, NULL, 10);

            /* cgroup v1 says "none" by a number near 2^63. */
            if (limit < (uint64_t)1 << 60 && (least == 0 || limit < least))
                least = limit;
        }
        slash = strrchr(group, '/');
        if (slash == NULL || group[0] == '\0')
            return least;
        *slash = '\0';
    }
}

uint64_t machine_cgroup_memory_bytes(void)
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    char line[384];
    uint64_t least = 0;

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *controllers = strchr(line, ':');
        char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        uint64_t limit = 0;

        if (group == NULL)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        if (controllers[1] == '\0')
            limit = least_limit("/sys/fs/cgroup", group, "memory.max");
        else if (strstr(controllers, "memory") != NULL)
            limit = least_limit("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
        if (limit > 0 && (least == 0 || limit < least))
            least = limit;
    }
    if (file != NULL)
        fclose(file);
    return least;
}
