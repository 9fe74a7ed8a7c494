#include "backend/process/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

static int write_file(const char *folder, const char *name, const char *value)
{
    char path[CL_CGROUP_PATH + 64];
    int fd, why = 0;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if ((fd = open(path, O_WRONLY | O_CLOEXEC)) < 0)
        return errno;
    if (write(fd, value, strlen(value)) < 0)
        why = errno;
    close(fd);
    return why;
}

static int write_number(const char *folder, const char *name, uint64_t value)
{
    char text[32];

    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return write_file(folder, name, text);
}

static int make_folder(const char *path)
{
    if (mkdir(path, 0755) == 0)
        return 0;
    if (errno != EEXIST)
        return errno;
    /* Of a dead process that had our number. In use: it cannot be removed, and is not ours. */
    if (rmdir(path) < 0 || mkdir(path, 0755) < 0)
        return errno;
    return 0;
}

static int make_v1(const cl_cgroup_place *place, uint64_t bytes, uint32_t most_processes)
{
    int why = make_folder(place->memory);

    if (why != 0)
        return why;
    if ((why = write_number(place->memory, "memory.limit_in_bytes", bytes)) != 0)
        return why;
    /* Memory and swap together; absent when swap is not accounted, and then there is none to take. */
    why = write_number(place->memory, "memory.memsw.limit_in_bytes", bytes);
    if (why != 0 && why != ENOENT)
        return why;
    if (place->pids[0] == '\0')
        return 0;
    if ((why = make_folder(place->pids)) != 0)
        return why;
    return write_number(place->pids, "pids.max", most_processes);
}

static int make_v2(const cl_cgroup_place *place, uint64_t bytes, uint32_t most_processes)
{
    int why = make_folder(place->memory);

    if (why != 0)
        return why;
    if ((why = write_number(place->memory, "memory.max", bytes)) != 0)
        return why;
    why = write_number(place->memory, "memory.swap.max", 0);
    if (why != 0 && why != ENOENT)
        return why;
    why = write_number(place->memory, "pids.max", most_processes);
    return why == ENOENT ? 0 : why; /* the pids controller may not be delegated; RLIMIT_NPROC and seccomp stand */
}

int cl_cgroup_make(const cl_cgroup_place *place, uint64_t bytes, uint32_t most_processes)
{
    switch (place->kind) {
    case CL_CGROUP_V1:
        return make_v1(place, bytes, most_processes);
    case CL_CGROUP_V2:
        return make_v2(place, bytes, most_processes);
    default:
        return ENOENT;
    }
}

/* The caller has one thread. In v1 moving a thread that names itself takes no lock of the whole system, where moving a
 * process waits for a grace period: 10 to 20 ms. */
int cl_cgroup_join(const cl_cgroup_place *place)
{
    const char *name = place->kind == CL_CGROUP_V1 ? "tasks" : "cgroup.procs";
    int why = write_file(place->memory, name, "0");

    if (why == 0 && place->pids[0] != '\0')
        why = write_file(place->pids, name, "0");
    return why;
}

int cl_cgroup_counter_open(const cl_cgroup_place *place)
{
    char path[CL_CGROUP_PATH + 64];

    snprintf(path, sizeof path, "%s/%s", place->memory,
             place->kind == CL_CGROUP_V1 ? "memory.oom_control" : "memory.events");
    return open(path, O_RDONLY | O_CLOEXEC);
}

uint64_t cl_cgroup_oom_kills(int counter)
{
    char text[512];
    ssize_t length = counter < 0 ? -1 : pread(counter, text, sizeof text - 1, 0);

    if (length <= 0)
        return 0;
    text[length] = '\0';
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "oom_kill ", 9) == 0)
            return strtoull(line + 9, NULL, 10);
    }
    return 0;
}

static int remove_folder(const char *path)
{
    uint64_t deadline_ns = cl_clock_ns(CLOCK_MONOTONIC) + CL_NS_PER_S;
    const struct timespec pause = { 0, 1000000 };

    while (rmdir(path) < 0) {
        if (errno == ENOENT)
            return 0;
        if (errno != EBUSY || cl_clock_ns(CLOCK_MONOTONIC) >= deadline_ns)
            return errno;
        nanosleep(&pause, NULL);
    }
    return 0;
}

int cl_cgroup_remove(const cl_cgroup_place *place)
{
    int why = 0, also;

    if (place->kind == CL_CGROUP_NONE)
        return 0;
    why = remove_folder(place->memory);
    if (place->pids[0] != '\0' && (also = remove_folder(place->pids)) != 0 && why == 0)
        why = also;
    return why;
}
