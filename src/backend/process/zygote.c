/* zygote.c - the host's side of the fork server
 *
 * Theory of operation
 *
 *   start   makes the control socket and the launch thread, which launches, sends the set-up, waits for READY, answers
 *           start, and then waits for EXIT messages and the end of the zygote until stop.
 *   spawn   notes the id, then sends the order from the caller's thread. The note is what makes every child's end be
 *           told exactly once: by its EXIT message, or by the launch thread when the zygote is gone.
 *   stop    shuts the sending side: the zygote reads end of file, kills its children, tells their ends and goes. If it
 *           does not, the guard is killed, and by the chain of death signals everything behind it.
 */
#include "backend/process/zygote.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/process/cgroup.h"
#include "backend/process/control.h"
#include "backend/process/launch.h"
#include "backend/process/plan.h"
#include "backend/process/report.h"
#include "base/clock.h"
#include "base/error.h"
#include "sys/task.h"

enum {
    START_MS = 20000, /* a machine under load; nothing waits for it but the caller */
    STOP_MS = 3000,   /* from end of file until the guard is killed */
    DEATH_MS = 3000,  /* from there until the group is looked at */
    SEND_MS = 5000,   /* the zygote reads at once unless the machine has no time for it */
    THREAD_STACK_BYTES = 256 << 10,
};

typedef struct record {
    uint32_t id;
    bool is_used;
} record;

struct cl_zygote {
    cl_zygote_config config;
    cl_zygote_events events;
    int control;
    int wake; /* eventfd: stop was called */
    pthread_t thread;
    cl_launch launch;
    cl_cgroup_place cgroup;

    /* Answer of the launch thread to start. */
    sem_t started;
    cloche_status start_status;
    cloche_error start_error;
    cl_zygote_report report;

    pthread_mutex_t children_lock;
    record *children; /* config.most_children */
    bool is_dead;
    bool is_stopping;
};

/* ---- children that are not known to have ended ---- */

static bool take_record(cl_zygote *zygote, uint32_t id)
{
    bool is_found = false;

    pthread_mutex_lock(&zygote->children_lock);
    for (uint32_t i = 0; i < zygote->config.most_children && !is_found; i++)
        if (zygote->children[i].is_used && zygote->children[i].id == id) {
            zygote->children[i].is_used = false;
            is_found = true;
        }
    pthread_mutex_unlock(&zygote->children_lock);
    return is_found;
}

static cloche_status add_record(cl_zygote *zygote, uint32_t id, cloche_error *err)
{
    cloche_status rc = CLOCHE_OK;
    record *free_one = NULL;

    pthread_mutex_lock(&zygote->children_lock);
    for (uint32_t i = 0; i < zygote->config.most_children; i++) {
        record *r = &zygote->children[i];
        if (!r->is_used && free_one == NULL)
            free_one = r;
        if (r->is_used && r->id == id)
            rc = cl_error_set(err, CLOCHE_E_INVAL, 0, "zygote", "child %u exists", id);
    }
    if (rc == CLOCHE_OK && (zygote->is_dead || zygote->is_stopping))
        rc = cl_error_set(err, CLOCHE_E_SYS, ESRCH, "zygote", "the zygote is gone");
    else if (rc == CLOCHE_OK && free_one == NULL)
        rc = cl_error_set(err, CLOCHE_E_BUSY, 0, "zygote", "%u children run already", zygote->config.most_children);
    if (rc == CLOCHE_OK)
        *free_one = (record){ id, true };
    pthread_mutex_unlock(&zygote->children_lock);
    return rc;
}

static void tell_exit(cl_zygote *zygote, uint32_t id, const cl_child_exit *how)
{
    if (take_record(zygote, id) && zygote->events.on_exit != NULL)
        zygote->events.on_exit(zygote->events.user, id, how);
}

/* No record is added once is_dead is set. */
static void tell_remaining(cl_zygote *zygote)
{
    static const cl_child_exit killed = { .status = SIGKILL };

    for (uint32_t i = 0; i < zygote->config.most_children; i++) {
        pthread_mutex_lock(&zygote->children_lock);
        record r = zygote->children[i];
        pthread_mutex_unlock(&zygote->children_lock);
        if (r.is_used)
            tell_exit(zygote, r.id, &killed);
    }
}

/* ---- launch thread: start ---- */

static void set_flag(cl_zygote *zygote, bool *flag)
{
    pthread_mutex_lock(&zygote->children_lock);
    *flag = true;
    pthread_mutex_unlock(&zygote->children_lock);
}

static bool get_flag(cl_zygote *zygote, const bool *flag)
{
    pthread_mutex_lock(&zygote->children_lock);
    bool is_set = *flag;
    pthread_mutex_unlock(&zygote->children_lock);
    return is_set;
}

static int left_ms(uint64_t deadline_ns)
{
    uint64_t now_ns = cl_clock_ns(CLOCK_MONOTONIC);

    if (deadline_ns == UINT64_MAX)
        return -1;
    return now_ns >= deadline_ns ? 0 : (int)((deadline_ns - now_ns) / CL_NS_PER_MS) + 1;
}

static uint64_t in_ms(int ms)
{
    return cl_clock_ns(CLOCK_MONOTONIC) + (uint64_t)ms * CL_NS_PER_MS;
}

static cloche_status send_setup(cl_zygote *zygote, cloche_error *err)
{
    cl_control_setup setup = { .op = CL_CONTROL_SETUP, .config = zygote->config, .cgroup = zygote->cgroup };

    /* EPIPE: it is gone already; why is found out where READY is missed. */
    if (send(zygote->control, &setup, sizeof setup, MSG_NOSIGNAL) != sizeof setup && errno != EPIPE)
        return cl_error_set(err, CLOCHE_E_SYS, errno, "zygote", "send the set-up to the zygote");
    return CLOCHE_OK;
}

/* What a start that brought no READY died of: the guard's word, where it had one. */
static cloche_status explain_death(cl_zygote *zygote, cloche_error *err)
{
    struct pollfd wait = { zygote->launch.guard_pidfd, POLLIN, 0 };

    poll(&wait, 1, DEATH_MS);
    if (zygote->launch.step != NULL)
        return cl_error_set(err, CLOCHE_E_NOSYS, zygote->launch.os_errno, "zygote", "%s: %s; %s", zygote->launch.step,
                            strerror(zygote->launch.os_errno),
                            "permit executing from a memfd, or install cloche-zygote beside the library");
    return cl_error_set(err, CLOCHE_E_SYS, 0, "zygote", "the zygote ended before it was ready");
}

static cloche_status check_required(const cl_zygote *zygote, cloche_error *err)
{
    for (uint32_t i = 0; i < zygote->report.count; i++) {
        const cl_layer_report *layer = &zygote->report.layers[i];
        if ((zygote->config.required & layer->bit) == 0 || layer->stands)
            continue;
        return cl_error_set(err, CLOCHE_E_NOSYS, layer->os_errno, "zygote", "layer %s is required: %s%s%s; %s",
                            cl_plan_layer_name(layer->bit), layer->step, layer->os_errno != 0 ? ": " : "",
                            layer->os_errno != 0 ? strerror(layer->os_errno) : "", layer->remedy);
    }
    return CLOCHE_OK;
}

static cloche_status wait_ready(cl_zygote *zygote, cloche_error *err)
{
    union {
        cl_control_op op;
        cl_control_ready ready;
        cl_control_failed failed;
    } message;
    struct pollfd waits[2] = { { zygote->control, POLLIN, 0 }, { zygote->launch.guard_pidfd, POLLIN, 0 } };
    ssize_t n;

    if (poll(waits, 2, START_MS) == 0)
        return cl_error_set(err, CLOCHE_E_SYS, ETIMEDOUT, "zygote", "the zygote was not ready in %d s",
                            START_MS / 1000);
    n = recv(zygote->control, &message, sizeof message, MSG_TRUNC | MSG_DONTWAIT);
    if (n == sizeof message.failed && message.op == CL_CONTROL_FAILED) {
        message.failed.step[sizeof message.failed.step - 1] = '\0';
        return cl_error_set(err, CLOCHE_E_NOSYS, message.failed.os_errno, "zygote", "jail: %s: %s", message.failed.step,
                            strerror(message.failed.os_errno));
    }
    if (waits[1].revents != 0 || n != sizeof message.ready || message.op != CL_CONTROL_READY ||
        !cl_report_is_sound(&message.ready.report))
        return explain_death(zygote, err);
    zygote->report = message.ready.report;
    return check_required(zygote, err);
}

static cloche_status launch(cl_zygote *zygote, cloche_error *err)
{
    cloche_status rc;
    int ends[2];

    cl_cgroup_choose(&zygote->cgroup);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return cl_error_set(err, CLOCHE_E_SYS, errno, "zygote", "socketpair");
    zygote->control = ends[0];
    rc = cl_launch_start(&zygote->launch, ends[1], err);
    close(ends[1]);
    if (rc < 0 || (rc = send_setup(zygote, err)) < 0)
        return rc;
    return wait_ready(zygote, err);
}

/* ---- launch thread: while it runs ---- */

/* Answers false when nothing more will come. */
static bool take_exits(cl_zygote *zygote)
{
    for (;;) {
        cl_control_exit note;
        ssize_t n = recv(zygote->control, &note, sizeof note, MSG_DONTWAIT | MSG_TRUNC);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return true;
        if (n != sizeof note || note.op != CL_CONTROL_EXIT)
            return false;
        tell_exit(zygote, note.id, &note.how);
    }
}

/* Until the zygote has closed its end, which the supervisor does as the last of all. */
static void serve(cl_zygote *zygote)
{
    struct pollfd waits[3] = {
        { zygote->control, POLLIN, 0 },
        { zygote->wake, POLLIN, 0 },
        { zygote->launch.guard_pidfd, POLLIN, 0 },
    };
    uint64_t deadline_ns = UINT64_MAX;
    bool is_killed = false;

    for (;;) {
        int ready = poll(waits, 3, left_ms(deadline_ns));
        if (waits[0].revents != 0 && !take_exits(zygote))
            return;
        if (waits[1].revents != 0) {
            waits[1].fd = -1;
            deadline_ns = in_ms(STOP_MS);
            shutdown(zygote->control, SHUT_WR);
        }
        if (waits[2].revents != 0) { /* killed by somebody: the supervisor cleans up behind it */
            waits[2].fd = -1;
            is_killed = true;
            deadline_ns = in_ms(DEATH_MS);
            shutdown(zygote->control, SHUT_WR);
        }
        if (ready != 0)
            continue;
        if (is_killed)
            return;
        cl_launch_kill(&zygote->launch);
        is_killed = true;
        deadline_ns = in_ms(DEATH_MS);
    }
}

/* Nothing is left of it afterwards, whoever has been killed. */
static void bury(cl_zygote *zygote)
{
    struct pollfd wait = { zygote->launch.guard_pidfd, POLLIN, 0 };

    if (wait.fd >= 0 && poll(&wait, 1, DEATH_MS) == 0)
        cl_launch_kill(&zygote->launch);
    cl_launch_wait(&zygote->launch);
    /* The supervisor has done so, unless it was killed. */
    cl_cgroup_remove(&zygote->cgroup);
}

static void *launch_thread(void *arg)
{
    cl_zygote *zygote = arg;
    bool is_started;

    cl_task_name("cloche-zygote");
    zygote->start_status = launch(zygote, &zygote->start_error);
    is_started = zygote->start_status == CLOCHE_OK;
    if (is_started) {
        sem_post(&zygote->started);
        serve(zygote);
        set_flag(zygote, &zygote->is_dead);
    } else if (zygote->control >= 0) {
        shutdown(zygote->control, SHUT_RDWR);
    }
    bury(zygote);
    if (!is_started) {
        sem_post(&zygote->started);
        return NULL;
    }
    tell_remaining(zygote);
    if (!get_flag(zygote, &zygote->is_stopping) && zygote->events.on_death != NULL)
        zygote->events.on_death(zygote->events.user);
    return NULL;
}

/* ---- any thread ---- */

static cloche_status start_thread(cl_zygote *zygote, cloche_error *err)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    int why;

    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, THREAD_STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    why = pthread_create(&zygote->thread, &attributes, launch_thread, zygote);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (why != 0)
        return cl_error_set(err, CLOCHE_E_SYS, why, "zygote", "thread for the zygote");
    return CLOCHE_OK;
}

static void release(cl_zygote *zygote)
{
    if (zygote->control >= 0)
        close(zygote->control);
    if (zygote->wake >= 0)
        close(zygote->wake);
    sem_destroy(&zygote->started);
    pthread_mutex_destroy(&zygote->children_lock);
    free(zygote->children);
    free(zygote);
}

void cl_zygote_abandon(cl_zygote *zygote)
{
    if (zygote == NULL)
        return;
    close(zygote->control);
    close(zygote->wake);
    if (zygote->launch.guard_pidfd >= 0)
        close(zygote->launch.guard_pidfd);
    free(zygote->children);
    free(zygote);
}

static cl_zygote *make(const cl_zygote_config *config, const cl_zygote_events *events)
{
    cl_zygote *zygote = calloc(1, sizeof *zygote);

    if (zygote == NULL)
        return NULL;
    zygote->config = *config;
    zygote->events = *events;
    zygote->control = -1;
    zygote->launch.guard_pidfd = -1;
    sem_init(&zygote->started, 0, 0);
    pthread_mutex_init(&zygote->children_lock, NULL);
    zygote->wake = eventfd(0, EFD_CLOEXEC);
    zygote->children = calloc(config->most_children, sizeof *zygote->children);
    if (zygote->wake < 0 || zygote->children == NULL) {
        release(zygote);
        return NULL;
    }
    return zygote;
}

cloche_status cl_zygote_start(const cl_zygote_config *config, const cl_zygote_events *events, cl_zygote **out,
                              cl_zygote_report *report, cloche_error *err)
{
    cl_zygote *zygote;
    cloche_status rc;

    *out = NULL;
    memset(report, 0, sizeof *report);
    if (config->most_children == 0)
        return cl_error_set(err, CLOCHE_E_INVAL, 0, "zygote", "most_children is 0");
    if ((zygote = make(config, events)) == NULL)
        return cl_error_set(err, CLOCHE_E_NOMEM, errno, "zygote", "record of the zygote");
    if ((rc = start_thread(zygote, err)) < 0) {
        release(zygote);
        return rc;
    }
    while (sem_wait(&zygote->started) < 0 && errno == EINTR)
        continue;
    *report = zygote->report;
    if ((rc = zygote->start_status) < 0) {
        if (err != NULL)
            *err = zygote->start_error;
        pthread_join(zygote->thread, NULL);
        release(zygote);
        return rc;
    }
    *out = zygote;
    return CLOCHE_OK;
}

/* The socket takes few packets at a time (net.unix.max_dgram_qlen), so a burst waits here for the zygote to read. */
static cloche_status send_order(cl_zygote *zygote, cl_control_op op, uint32_t id, int socket, cloche_error *err)
{
    cl_control_order order = { .op = op, .id = id };
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = { .bytes = { 0 } };
    struct iovec data = { &order, sizeof order };
    struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1 };
    uint64_t deadline_ns = in_ms(SEND_MS);

    if (socket >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof socket);
        memcpy(CMSG_DATA(header), &socket, sizeof socket);
    }
    while (sendmsg(zygote->control, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
        struct pollfd wait = { zygote->control, POLLOUT, 0 };
        if (errno == EAGAIN && left_ms(deadline_ns) > 0)
            poll(&wait, 1, left_ms(deadline_ns));
        else if (errno != EINTR)
            return cl_error_set(err, CLOCHE_E_SYS, errno, "zygote", "send an order to the zygote");
    }
    return CLOCHE_OK;
}

cloche_status cl_zygote_spawn(cl_zygote *zygote, uint32_t id, int socket, cloche_error *err)
{
    cloche_status rc;

    if (socket < 0)
        return cl_error_set(err, CLOCHE_E_INVAL, 0, "zygote", "no run socket");
    if ((rc = add_record(zygote, id, err)) < 0)
        return rc;
    if ((rc = send_order(zygote, CL_CONTROL_SPAWN, id, socket, err)) < 0 && !take_record(zygote, id)) {
        cl_error_clear(err); /* its end has been told, so it has been spawned */
        return CLOCHE_OK;
    }
    return rc;
}

void cl_zygote_kill(cl_zygote *zygote, uint32_t id)
{
    send_order(zygote, CL_CONTROL_KILL, id, -1, NULL);
}

void cl_zygote_stop(cl_zygote *zygote)
{
    const uint64_t one = 1;

    if (zygote == NULL)
        return;
    set_flag(zygote, &zygote->is_stopping);
    while (write(zygote->wake, &one, sizeof one) < 0 && errno == EINTR)
        continue;
    pthread_join(zygote->thread, NULL);
    release(zygote);
}
