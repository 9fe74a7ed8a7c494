#include "host.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

void host_init(host *h)
{
    memset(h, 0, sizeof *h);
    h->config = (cl_zygote_config){
        .memory_bytes = 64u << 20, .group_bytes = 256u << 20, .most_children = HOST_CHILDREN, .heap_bytes = 1,
    };
    for (unsigned i = 0; i < HOST_CHILDREN; i++) {
        h->children[i].socket = -1;
        sem_init(&h->children[i].ended, 0, 0);
    }
    sem_init(&h->died, 0, 0);
}

static void on_exit_of(void *user, uint32_t id, const cl_child_exit *how)
{
    host *h = user;

    h->children[id].how = *how;
    h->children[id].times++;
    sem_post(&h->children[id].ended);
}

static void on_death_of(void *user)
{
    host *h = user;

    h->deaths++;
    sem_post(&h->died);
}

cloche_status host_start(host *h)
{
    const cl_zygote_events events = { on_exit_of, on_death_of, h };

    return cl_zygote_start(&h->config, &events, &h->zygote, &h->report, &h->error);
}

void host_stop(host *h)
{
    cl_zygote_stop(h->zygote);
    h->zygote = NULL;
    for (unsigned i = 0; i < HOST_CHILDREN; i++)
        if (h->children[i].socket >= 0) {
            close(h->children[i].socket);
            h->children[i].socket = -1;
        }
}

void host_spawn(host *h, uint32_t id)
{
    int ends[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    if (h->children[id].socket >= 0)
        close(h->children[id].socket);
    h->children[id].socket = ends[0];
    h->children[id].times = 0;
    ck_assert_msg(cl_zygote_spawn(h->zygote, id, ends[1], &h->error) == CLOCHE_OK, "spawn: %s", h->error.text);
    close(ends[1]);
}

static bool wait_for(sem_t *what)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += HOST_WAIT_MS / 1000;
    while (sem_timedwait(what, &until) < 0)
        if (errno != EINTR)
            return false;
    return true;
}

cl_child_exit host_wait_exit(host *h, uint32_t id)
{
    ck_assert_msg(wait_for(&h->children[id].ended), "child %u does not end", id);
    return h->children[id].how;
}

void host_wait_death(host *h)
{
    ck_assert_msg(wait_for(&h->died), "the zygote does not end");
}

void host_send(host *h, uint32_t id, const char *name, int64_t argument)
{
    attack_order order = { .argument = argument };

    snprintf(order.name, sizeof order.name, "%s", name);
    ck_assert_int_eq(send(h->children[id].socket, &order, sizeof order, MSG_NOSIGNAL), sizeof order);
}

bool host_order(host *h, uint32_t id, const char *name, int64_t argument, int64_t *answer)
{
    struct pollfd wait = { h->children[id].socket, POLLIN, 0 };

    host_send(h, id, name, argument);
    ck_assert_msg(poll(&wait, 1, HOST_WAIT_MS) == 1, "%s: no answer", name);
    return recv(h->children[id].socket, answer, sizeof *answer, MSG_WAITALL) == (ssize_t)sizeof *answer;
}

/* ---- /proc ---- */

static int parent_of(int pid)
{
    char path[64], text[512], *end;
    FILE *file;
    int parent = 0;

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    if ((file = fopen(path, "re")) == NULL)
        return 0;
    if (fgets(text, sizeof text, file) != NULL && (end = strrchr(text, ')')) != NULL)
        sscanf(end + 1, " %*c %d", &parent);
    fclose(file);
    return parent;
}

static bool descends(int pid, int ancestor)
{
    for (int depth = 0; pid > 1 && depth < 16; depth++)
        if ((pid = parent_of(pid)) == ancestor)
            return true;
    return false;
}

unsigned host_descendants(int *out, unsigned most)
{
    DIR *folder = opendir("/proc");
    unsigned count = 0;

    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        int pid = atoi(entry->d_name);
        if (pid > 0 && descends(pid, getpid()) && count < most)
            out[count++] = pid;
    }
    closedir(folder);
    return count;
}

static int child_of(int parent)
{
    int pids[256];
    unsigned count = host_descendants(pids, 256);

    for (unsigned i = 0; i < count; i++)
        if (parent != 0 && parent_of(pids[i]) == parent)
            return pids[i];
    return 0;
}

int host_guard_pid(void)
{
    return child_of(getpid());
}

int host_supervisor_pid(void)
{
    return child_of(host_guard_pid());
}

int host_server_pid(void)
{
    return child_of(host_supervisor_pid());
}

unsigned host_fd_count(void)
{
    DIR *folder = opendir("/proc/self/fd");
    unsigned count = 0;

    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

bool host_until(bool (*claim)(void *user), void *user)
{
    uint64_t deadline_ns = cl_clock_ns(CLOCK_MONOTONIC) + HOST_WAIT_MS * CL_NS_PER_MS;
    const struct timespec pause = { 0, 2000000 };

    while (!claim(user)) {
        if (cl_clock_ns(CLOCK_MONOTONIC) > deadline_ns)
            return false;
        nanosleep(&pause, NULL);
    }
    return true;
}
