/* poller.c - one thread that hears when a waiting job's descriptor has something to read
 *
 * An event names its descriptor. It is looked up among the jobs that wait, under the lock: an event of a job that has
 * gone on meanwhile finds nobody.
 */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.h"
#include "core/sandbox.h"
#include "sys/task.h"

enum { EVENTS = 64 };

static void wake(cloche_sandbox *sandbox, int fd)
{
    for (cl_job *job = sandbox->waiting.first; job != NULL; job = job->queue_next)
        if (sandbox->backend->fd(job->place) == fd) {
            cl_job_list_remove(&sandbox->waiting, job);
            cl_job_make_ready(job);
            return;
        }
}

static void *poller_main(void *arg)
{
    cloche_sandbox *sandbox = arg;
    struct epoll_event events[EVENTS];

    cl_task_name("cloche-poller");
    for (;;) {
        int count = epoll_wait(sandbox->epoll_fd, events, EVENTS, -1);
        for (int i = 0; i < count; i++) {
            if (events[i].data.fd == sandbox->poller_end_fd)
                return NULL;
            pthread_mutex_lock(&sandbox->lock);
            wake(sandbox, events[i].data.fd);
            pthread_mutex_unlock(&sandbox->lock);
        }
    }
}

static bool add(cloche_sandbox *sandbox, int fd, uint32_t flags)
{
    struct epoll_event event = {.events = EPOLLIN | flags, .data.fd = fd};

    return epoll_ctl(sandbox->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0 ||
           (errno == EEXIST && epoll_ctl(sandbox->epoll_fd, EPOLL_CTL_MOD, fd, &event) == 0);
}

cloche_status cl_poller_start(cloche_sandbox *sandbox, cloche_error *err)
{
    if (sandbox->backend->fd == NULL || sandbox->epoll_fd >= 0)
        return CLOCHE_OK;
    sandbox->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    sandbox->poller_end_fd = eventfd(0, EFD_CLOEXEC);
    if (sandbox->epoll_fd < 0 || sandbox->poller_end_fd < 0 || !add(sandbox, sandbox->poller_end_fd, 0) ||
        pthread_create(&sandbox->poller, NULL, poller_main, sandbox) != 0) {
        close(sandbox->epoll_fd);
        close(sandbox->poller_end_fd);
        sandbox->epoll_fd = sandbox->poller_end_fd = -1;
        return cl_error_set(err, CLOCHE_E_SYS, errno, "poller", "cannot start the thread that listens to children");
    }
    return CLOCHE_OK;
}

void cl_poller_watch(cl_job *job)
{
    cloche_sandbox *sandbox = job->sandbox;
    int fd = sandbox->epoll_fd >= 0 ? sandbox->backend->fd(job->place) : -1;

    if (sandbox->epoll_fd < 0)
        return;
    if (fd >= 0 && add(sandbox, fd, EPOLLONESHOT))
        return;
    /* Nothing would wake it: it goes on at once and finds out why. */
    cl_job_list_remove(&sandbox->waiting, job);
    cl_job_make_ready(job);
}

void cl_poller_stop(cloche_sandbox *sandbox)
{
    const uint64_t one = 1;

    if (sandbox->epoll_fd < 0)
        return;
    CL_ASSERT(write(sandbox->poller_end_fd, &one, sizeof one) == sizeof one);
    pthread_join(sandbox->poller, NULL);
    close(sandbox->epoll_fd);
    close(sandbox->poller_end_fd);
    sandbox->epoll_fd = sandbox->poller_end_fd = -1;
}
