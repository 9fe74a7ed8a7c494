#include "backend/process/fork_server.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/process/cgroup.h"
#include "backend/process/child_jail.h"
#include "backend/process/control.h"

typedef enum child_state { FREE = 0, RUNNING, ENDED /* the host has not been told */ } child_state;

typedef struct child {
    child_state state;
    pid_t pid;
    uint32_t id;
    cl_child_exit how;
} child;

typedef struct server {
    const cl_zygote_config *config;
    pid_t pid;
    int signals;
    int oom_counter;
    uint64_t oom_kills; /* that were told to the host */
    child *children;
    uint32_t most, running, untold;
} server;

enum { NS_PER_US = 1000, ORDERS_PER_TURN = 16 };

/* The kernel ends the rest: children of a namespace with its first process, others by their death signal. */
static _Noreturn void end(int code)
{
    _exit(code);
}

static child *find_by_id(server *s, uint32_t id)
{
    for (uint32_t i = 0; i < s->most; i++)
        if (s->children[i].state == RUNNING && s->children[i].id == id)
            return &s->children[i];
    return NULL;
}

static child *find_by_pid(server *s, pid_t pid)
{
    for (uint32_t i = 0; i < s->most; i++)
        if (s->children[i].state == RUNNING && s->children[i].pid == pid)
            return &s->children[i];
    return NULL;
}

static child *find_free(server *s)
{
    for (uint32_t i = 0; i < s->most; i++)
        if (s->children[i].state == FREE)
            return &s->children[i];
    return NULL;
}

/* ---- answers ---- */

/* Answers false when the host does not read: later. */
static bool tell(const child *c)
{
    cl_control_exit note = { .op = CL_CONTROL_EXIT, .id = c->id, .how = c->how };

    while (send(CL_CONTROL_FD, &note, sizeof note, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
        if (errno == EAGAIN)
            return false;
        if (errno != EINTR)
            end(1);
    }
    return true;
}

static void tell_all(server *s)
{
    for (uint32_t i = 0; i < s->most && s->untold > 0; i++)
        if (s->children[i].state == ENDED) {
            if (!tell(&s->children[i]))
                return;
            s->children[i].state = FREE;
            s->untold--;
        }
}

static void note_end(server *s, child *c, cl_child_exit how)
{
    if (c->state == RUNNING)
        s->running--;
    c->state = ENDED;
    c->how = how;
    s->untold++;
}

/* Whether this death by SIGKILL is one that the memory group counts. */
static bool take_oom_kill(server *s, int status)
{
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL || s->oom_counter < 0 ||
        cl_cgroup_oom_kills(s->oom_counter) <= s->oom_kills)
        return false;
    s->oom_kills++;
    return true;
}

static uint64_t time_ns(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * NS_PER_US;
}

static void reap(server *s)
{
    struct signalfd_siginfo ignored[8];
    struct rusage usage;
    int status;
    pid_t pid;

    while (read(s->signals, ignored, sizeof ignored) > 0)
        continue;
    while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0) {
        child *c = find_by_pid(s, pid);
        if (c != NULL)
            note_end(s, c,
                     (cl_child_exit){ .status = status,
                                      .cpu_ns = time_ns(usage.ru_utime) + time_ns(usage.ru_stime),
                                      .is_oom = take_oom_kill(s, status) });
    }
}

/* ---- orders ---- */

static _Noreturn void child_born(const server *s, int socket)
{
    uint64_t heap_bytes = s->config->heap_bytes;

    child_enter(socket, s->pid);
    child_main(CL_CHILD_SOCKET, heap_bytes);
}

static void spawn(server *s, uint32_t id, int socket)
{
    child *c = find_free(s);

    if (c == NULL || find_by_id(s, id) != NULL) /* the host keeps count as well: a sign of disorder */
        end(1);
    c->id = id;
    /* Like a bare clone: no handlers of the C library run, which may allocate or lock. */
    c->pid = _Fork();
    if (c->pid == 0)
        child_born(s, socket);
    close(socket);
    if (c->pid < 0) {
        note_end(s, c, (cl_child_exit){ .status = CL_CHILD_UNBORN << 8 });
        return;
    }
    c->state = RUNNING;
    s->running++;
}

/* One order and the descriptor that came with it, -1 for none. Answers 0 for end of file, -1 for nothing there. */
static int take_order(cl_control_order *order, int *socket)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec data = { order, sizeof *order };
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes
    };
    struct cmsghdr *header;
    ssize_t n;

    *socket = -1;
    if ((n = recvmsg(CL_CONTROL_FD, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC)) < 0)
        return errno == EAGAIN || errno == EINTR ? -1 : 0;
    if (n == 0)
        return 0;
    if (n != sizeof *order || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
        end(1);
    if ((header = CMSG_FIRSTHDR(&message)) != NULL) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
            header->cmsg_len != CMSG_LEN(sizeof(int)))
            end(1);
        memcpy(socket, CMSG_DATA(header), sizeof *socket);
    }
    return 1;
}

/* Answers false at end of file. */
static bool take_orders(server *s)
{
    for (int i = 0; i < ORDERS_PER_TURN; i++) {
        cl_control_order order;
        child *c;
        int socket, answer = take_order(&order, &socket);
        if (answer <= 0)
            return answer < 0;
        if (order.op == CL_CONTROL_SPAWN && socket >= 0)
            spawn(s, order.id, socket);
        else if (order.op != CL_CONTROL_KILL || socket >= 0)
            end(1);
        else if ((c = find_by_id(s, order.id)) != NULL)
            kill(c->pid, SIGKILL); /* not reaped yet, so the number is still this child's */
    }
    return true;
}

/* End of file: nobody is interested in a run any more, but the host may wait for the last answers. */
static _Noreturn void kill_all(server *s)
{
    for (uint32_t i = 0; i < s->most; i++)
        if (s->children[i].state == RUNNING)
            kill(s->children[i].pid, SIGKILL);
    while (s->running > 0) {
        struct pollfd wait = { s->signals, POLLIN, 0 };
        poll(&wait, 1, -1);
        reap(s);
        tell_all(s);
    }
    tell_all(s);
    end(0);
}

_Noreturn void zygote_serve(const zygote_server_options *options)
{
    server s = {
        .config = options->config,
        .pid = getpid(),
        .oom_counter = options->oom_counter,
        .most = options->config->most_children,
    };
    sigset_t sigchld;

    sigemptyset(&sigchld);
    sigaddset(&sigchld, SIGCHLD);
    s.signals = signalfd(-1, &sigchld, SFD_NONBLOCK | SFD_CLOEXEC);
    s.children = mmap(NULL, s.most * sizeof(child), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (s.signals < 0 || s.children == MAP_FAILED)
        end(1);
    s.oom_kills = cl_cgroup_oom_kills(s.oom_counter);
    for (;;) {
        struct pollfd waits[2] = {
            { CL_CONTROL_FD, (short)(s.untold > 0 ? POLLIN | POLLOUT : POLLIN), 0 },
            { s.signals, POLLIN, 0 },
        };
        if (poll(waits, 2, -1) < 0 && errno != EINTR)
            end(1);
        if (waits[1].revents != 0)
            reap(&s);
        tell_all(&s);
        if (waits[0].revents != 0 && !take_orders(&s))
            kill_all(&s);
    }
}
