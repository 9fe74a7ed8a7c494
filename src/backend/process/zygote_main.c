/* zygote_main.c - the program inside the library: supervisor, zygote, fork server
 *
 * Theory of operation
 *
 *   supervisor  the process that was executed. Keeps the caller's identity, reads the set-up, makes the memory group,
 *               forks the zygote, waits for the end of everything below it, removes the group. Ends all when the
 *               host is gone: hang-up of the control socket, or SIGCONT as death signal, which reaches a
 *               stopped process too.
 *   zygote      gives up the identity, enters the namespaces one by one, forks the server as its own sibling (so that
 *               the server is the supervisor's child and the first process of the pid namespace) and ends.
 *   server      takes the rest of the steps, reports what stands, and serves: fork_server.h.
 *
 * As root, a system that refuses user namespaces is noticed by the zygote when the identity is given up already: it
 * says so and ends, and the supervisor forks another one with a plan that makes the namespaces as root.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/process/apply.h"
#include "backend/process/child_jail.h"
#include "backend/process/control.h"
#include "backend/process/fork_server.h"
#include "sys/landlock.h"
#include "sys/process.h"

enum { GRACE_MS = 1000, CHILDREN_MOST = 65536 };

/* What the zygote tells the supervisor through a pipe. */
typedef struct verdict {
    pid_t server;     /* > 0: it runs */
    int userns_errno; /* != 0: again, without user namespaces */
} verdict;

typedef struct supervisor {
    cl_control_setup setup;
    cl_plan_input input;
    cl_plan plan;
    cl_zygote_report report;
    pid_t guard;  /* our parent, while the host lives */
    pid_t zygote; /* 0: not started, or reaped */
    pid_t server; /* likewise */
    int signals;
} supervisor;

static void report_failure(const char *step, int os_errno)
{
    cl_control_failed failed = { .op = CL_CONTROL_FAILED, .os_errno = os_errno };

    snprintf(failed.step, sizeof failed.step, "%s", step);
    send(CL_CONTROL_FD, &failed, sizeof failed, MSG_NOSIGNAL);
}

/* ---- server ---- */

static _Noreturn void server_main(supervisor *s, int oom_counter)
{
    cl_apply apply = { &s->plan, &s->setup.cgroup, s->setup.config.most_children, &s->report, 0 };
    cl_control_ready ready = { .op = CL_CONTROL_READY };
    const cl_step *failed;

    if (zygote_prepare != NULL)
        zygote_prepare(s->setup.config.heap_bytes);
    child_jail_init(&s->plan);
    if ((failed = zygote_apply(&apply, CL_WHO_SERVER)) != NULL ||
        (failed = child_jail_probe(&s->report, &apply.os_errno)) != NULL) {
        report_failure(failed->name, apply.os_errno);
        _exit(1);
    }
    ready.report = s->report;
    if (send(CL_CONTROL_FD, &ready, sizeof ready, MSG_NOSIGNAL) != sizeof ready)
        _exit(1);
    zygote_serve(&(zygote_server_options){ &s->setup.config, oom_counter });
}

/* ---- zygote ---- */

/* Namespaces that root could still have directly when they are refused to an ordinary id. */
static int refused_namespace(const supervisor *s)
{
    static const uint32_t layers[] = { CLOCHE_LAYER_USERNS, CLOCHE_LAYER_PIDNS, CLOCHE_LAYER_NETNS,
                                       CLOCHE_LAYER_MOUNTNS };

    for (unsigned i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        const cl_layer_report *entry = cl_report_find(&s->report, layers[i]);
        if (!entry->stands && entry->os_errno != 0 && (i == 0 || s->input.is_root))
            return entry->os_errno;
    }
    return 0;
}

static _Noreturn void zygote_main(supervisor *s, int out)
{
    cl_apply apply = { &s->plan, &s->setup.cgroup, s->setup.config.most_children, &s->report, 0 };
    const cl_step *failed = zygote_apply(&apply, CL_WHO_ZYGOTE);
    verdict answer = { -1, 0 };
    int counter = -1;

    if (failed != NULL) {
        report_failure(failed->name, apply.os_errno);
        _exit(1);
    }
    if (s->input.userns_errno == 0 && (answer.userns_errno = refused_namespace(s)) != 0)
        _exit(write(out, &answer, sizeof answer) == sizeof answer ? 0 : 1);
    if (cl_report_stands(&s->report, CLOCHE_LAYER_CGROUP))
        counter = cl_cgroup_counter_open(&s->setup.cgroup);
    if ((answer.server = cl_process_fork_sibling()) == 0) {
        close(out);
        close(s->signals);
        server_main(s, counter);
    }
    if (answer.server < 0)
        report_failure("fork the server", errno);
    _exit(write(out, &answer, sizeof answer) == sizeof answer ? 0 : 1);
}

/* ---- supervisor ---- */

static void plan_again(supervisor *s)
{
    cl_zygote_report earlier = s->report;
    const cl_layer_report *cgroup = cl_report_find(&earlier, CLOCHE_LAYER_CGROUP);

    cl_plan_make(&s->input, &s->plan);
    cl_report_init(&s->report, &s->plan);
    if (cgroup != NULL && !cgroup->stands) /* its step has been performed, once */
        cl_report_fail(&s->report, CLOCHE_LAYER_CGROUP, cgroup->os_errno, cgroup->step);
}

static bool fork_zygote(supervisor *s, verdict *out)
{
    int ends[2];
    ssize_t n;

    if (pipe(ends) < 0)
        return false;
    if ((s->zygote = _Fork()) == 0) {
        close(ends[0]);
        zygote_main(s, ends[1]);
    }
    close(ends[1]);
    while ((n = read(ends[0], out, sizeof *out)) < 0 && errno == EINTR)
        continue;
    close(ends[0]);
    return s->zygote > 0 && n == sizeof *out;
}

static bool start_server(supervisor *s)
{
    verdict answer;

    if (!fork_zygote(s, &answer))
        return false;
    if (answer.userns_errno != 0) {
        s->input.userns_errno = answer.userns_errno;
        plan_again(s);
        if (!fork_zygote(s, &answer))
            return false;
    }
    s->server = answer.server;
    return s->server > 0;
}

/* True when no process is left below. Without a pid namespace the server's children come to us when it ends. */
static bool reap_all(supervisor *s)
{
    pid_t pid;

    while ((pid = waitpid(-1, NULL, WNOHANG | __WALL)) > 0) {
        if (pid == s->server)
            s->server = 0; /* the number may be somebody else's from here on */
        if (pid == s->zygote)
            s->zygote = 0;
    }
    return pid < 0 && errno == ECHILD;
}

static void watch(supervisor *s)
{
    struct pollfd waits[2] = { { s->signals, POLLIN, 0 }, { CL_CONTROL_FD, POLLRDHUP, 0 } };
    struct signalfd_siginfo info;
    bool must_end = false;
    int timeout_ms = -1;

    while (!reap_all(s)) {
        int ready = poll(waits, 2, timeout_ms);
        while (read(s->signals, &info, sizeof info) == sizeof info)
            if (info.ssi_signo == SIGTERM || getppid() != s->guard) /* a SIGCONT may also be somebody's wish to go on */
                must_end = true;
        if (ready == 0)
            must_end = true;
        if (waits[1].revents != 0) {
            /* The server has seen the same; it tells the last exits before it ends. */
            waits[1].fd = -1;
            timeout_ms = GRACE_MS;
        }
        if (must_end) {
            if (s->server > 0)
                kill(s->server, SIGKILL);
            if (s->zygote > 0) /* it ends by itself, unless somebody has stopped it */
                kill(s->zygote, SIGKILL);
            timeout_ms = -1;
        }
    }
}

static void occupy_standard_fds(void)
{
    /* A stray message of the C library goes nowhere: an eventfd takes no text. */
    int fd;

    do
        fd = eventfd(0, EFD_CLOEXEC);
    while (fd >= 0 && fd < CL_CONTROL_FD - 1);
}

static int prepare_signals(void)
{
    sigset_t all, watched;

    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL); /* the host may have ignored some, and that survives exec */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    sigemptyset(&watched);
    sigaddset(&watched, SIGCHLD);
    sigaddset(&watched, SIGTERM);
    sigaddset(&watched, SIGCONT);
    return signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC);
}

static bool take_setup(supervisor *s)
{
    ssize_t n;

    while ((n = recv(CL_CONTROL_FD, &s->setup, sizeof s->setup, MSG_TRUNC)) < 0 && errno == EINTR)
        continue;
    if (n != sizeof s->setup || s->setup.op != CL_CONTROL_SETUP)
        return false;
    if (s->setup.config.most_children == 0 || s->setup.config.most_children > CHILDREN_MOST)
        return false;
    s->setup.cgroup.memory[CL_CGROUP_PATH - 1] = s->setup.cgroup.pids[CL_CGROUP_PATH - 1] = '\0';
    return true;
}

static void gather_facts(supervisor *s)
{
    const cl_zygote_config *config = &s->setup.config;
    int abi = cl_landlock_abi();

    s->input = (cl_plan_input){
        .memory_bytes = config->memory_bytes,
        .group_bytes = config->group_bytes,
        .most_children = config->most_children,
        .is_root = geteuid() == 0,
        .landlock_abi = abi > 0 ? abi : 0,
        .landlock_errno = abi > 0 ? 0 : errno,
        .cgroup = s->setup.cgroup.kind,
        .cgroup_errno = s->setup.cgroup.os_errno,
        .left_out = config->left_out,
    };
}

int main(void)
{
    static supervisor s;
    struct stat status;
    cl_apply apply;
    const cl_step *failed;

    if (fstat(CL_CONTROL_FD, &status) < 0 || !S_ISSOCK(status.st_mode)) {
        static const char text[] = "cloche-zygote: is started by the cloche library, not by hand\n";
        return write(STDERR_FILENO, text, sizeof text - 1) < 0 ? 3 : 2;
    }
    occupy_standard_fds();
    s.guard = getppid();
    s.signals = prepare_signals();
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (s.signals < 0 || !take_setup(&s))
        return 1;
    gather_facts(&s);
    plan_again(&s);
    apply = (cl_apply){ &s.plan, &s.setup.cgroup, s.setup.config.most_children, &s.report, 0 };
    if ((failed = zygote_apply(&apply, CL_WHO_SUPERVISOR)) != NULL)
        report_failure(failed->name, apply.os_errno);
    else if (start_server(&s))
        watch(&s);
    while (!reap_all(&s)) /* one that did not get far enough to be watched ends by itself */
        poll(NULL, 0, 1);
    cl_cgroup_remove(&s.setup.cgroup);
    return 0;
}
