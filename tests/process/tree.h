/* tree.h - the processes of a sandbox as the system lists them
 *
 *   this process ── guard ── supervisor ── server ── child, child, ...
 *   depth 0         1        2             3         4
 *
 * Found by /proc/PID/stat, from outside, so that nothing has to be believed.
 */
#ifndef TESTS_PROCESS_TREE_H
#define TESTS_PROCESS_TREE_H

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../api/api.h"
#include "backend/process/cgroup.h"

enum { DEPTH_GUARD = 1, DEPTH_SUPERVISOR, DEPTH_SERVER, DEPTH_CHILD, PROCESSES_MOST = 4096 };

typedef struct process_list {
    int count;
    pid_t pids[PROCESSES_MOST];
} process_list;

/* The parent; 0: no such process, or it has ended and waits to be collected. */
static inline pid_t parent_of(pid_t pid)
{
    char path[64], line[512], state;
    int parent = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if ((file = fopen(path, "r")) == NULL)
        return 0;
    if (fgets(line, sizeof line, file) != NULL && strrchr(line, ')') != NULL &&
        (sscanf(strrchr(line, ')') + 1, " %c %d", &state, &parent) != 2 || state == 'Z' || state == 'X'))
        parent = 0;
    fclose(file);
    return parent;
}

static inline bool is_alive(pid_t pid)
{
    return parent_of(pid) != 0;
}

/* Those at this depth below `top`; depth 0: all below it. */
static inline void list_below(pid_t top, int depth, process_list *out)
{
    DIR *proc = opendir("/proc");
    struct dirent *entry;

    ck_assert_ptr_nonnull(proc);
    out->count = 0;
    while ((entry = readdir(proc)) != NULL && out->count < PROCESSES_MOST) {
        pid_t pid = atoi(entry->d_name), at = pid;
        int steps = 0;
        while (at > 1 && at != top && steps < 16) {
            at = parent_of(at);
            steps++;
        }
        if (pid > 0 && at == top && steps > 0 && (depth == 0 || steps == depth))
            out->pids[out->count++] = pid;
    }
    closedir(proc);
}

static inline int count_below(int depth)
{
    static process_list list;
    list_below(getpid(), depth, &list);
    return list.count;
}

/* SIGKILL to all of this process's at this depth; how many there were. */
static inline int kill_at(int depth)
{
    static process_list list;

    list_below(getpid(), depth, &list);
    for (int i = 0; i < list.count; i++)
        kill(list.pids[i], SIGKILL);
    return list.count;
}

static inline void pause_ms(int ms)
{
    struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    nanosleep(&pause, NULL);
}

/* Polls; fails after a while. */
#define await(condition, within_ms)                                                         \
    do {                                                                                    \
        double end_ = now_ms() + (within_ms);                                               \
        bool is_true_;                                                                      \
        while (!(is_true_ = (condition)) && now_ms() < end_)                                \
            pause_ms(1);                                                                    \
        ck_assert_msg(is_true_, "not true within %d ms: %s", (int)(within_ms), #condition); \
    } while (0)

/* All of a list have ended. */
static inline bool are_gone(const process_list *list)
{
    for (int i = 0; i < list->count; i++)
        if (is_alive(list->pids[i]))
            return false;
    return true;
}

/* The children that wait for a run, when the ones that had one are gone and their successors have settled. */
static inline void await_ready(process_list *out)
{
    static process_list before;
    double end = now_ms() + 5000;

    do {
        list_below(getpid(), DEPTH_CHILD, &before);
        pause_ms(20);
        list_below(getpid(), DEPTH_CHILD, out);
        ck_assert_msg(now_ms() < end, "no child waits");
    } while (out->count == 0 || out->count != before.count ||
             memcmp(out->pids, before.pids, sizeof out->pids[0] * (size_t)out->count) != 0);
}

static inline int count_fds(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;

    ck_assert_ptr_nonnull(folder);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

static inline cloche_sandbox *open_process(cloche_freshness freshness)
{
    cloche_options options = CLOCHE_OPTIONS_INIT;

    options.backend = CLOCHE_BACKEND_PROCESS;
    options.freshness = freshness;
    return open_with(&options);
}

/* Memory groups that a process has made. */
static inline int count_groups_of(pid_t host)
{
    cl_cgroup_place place;
    char prefix[32], *slash;
    struct dirent *entry;
    int count = 0;
    DIR *folder;

    cl_cgroup_choose(&place);
    if (place.kind == CL_CGROUP_NONE || (slash = strrchr(place.memory, '/')) == NULL)
        return 0;
    *slash = '\0';
    snprintf(prefix, sizeof prefix, "cloche-%d-", (int)host);
    folder = opendir(place.memory);
    ck_assert_ptr_nonnull(folder);
    while ((entry = readdir(folder)) != NULL)
        count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    closedir(folder);
    return count;
}

#endif
