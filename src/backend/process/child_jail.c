#include "backend/process/child_jail.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/process/seccomp.h"
#include "backend/process/steps.h"
#include "sys/process.h"

enum { STEPS_MOST = 16 };

static struct {
    cl_step steps[STEPS_MOST];
    unsigned count;
    cl_filter filter;
} jail;

/* Whether a step belongs to child_enter; the others wait until the child asks. */
static bool is_early(const cl_step *step)
{
    return step->op != CL_STEP_RLIMIT_DATA && step->op != CL_STEP_SECCOMP;
}

void child_jail_init(const cl_plan *plan)
{
    jail.count = 0;
    for (uint32_t i = 0; i < plan->count; i++)
        if (plan->steps[i].who == CL_WHO_CHILD) {
            if (jail.count == STEPS_MOST)
                _exit(CL_CHILD_UNBORN);
            jail.steps[jail.count++] = plan->steps[i];
        }
    cl_seccomp_build(&jail.filter);
}

static int child_close_fds(int socket)
{
    if (dup2(socket, CL_CHILD_SOCKET) < 0 || cl_process_close(CL_CHILD_SOCKET + 1, ~0U) < 0)
        return errno;
    return 0;
}

static int child_death_signal(int signal, pid_t server)
{
    if (prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0) < 0)
        return errno;
    return getppid() == server ? 0 : ESRCH; /* it ended before it could be watched */
}

static int child_perform(const cl_step *step, int socket, pid_t server)
{
    switch (step->op) {
    case CL_STEP_DEATH_SIGNAL:
        return child_death_signal(step->which, server);
    case CL_STEP_CLOSE_FDS:
        return child_close_fds(socket);
    case CL_STEP_RLIMIT:
    case CL_STEP_RLIMIT_DATA:
        return zygote_rlimit(step->which, step->value);
    case CL_STEP_SECCOMP:
        return cl_filter_install(&jail.filter) < 0 ? errno : 0;
    default:
        return ENOSYS;
    }
}

static void child_unblock_signals(void)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

void child_enter(int socket, pid_t server)
{
    for (unsigned i = 0; i < jail.count; i++)
        if (is_early(&jail.steps[i]) && child_perform(&jail.steps[i], socket, server) != 0)
            _exit(CL_CHILD_UNBORN);
    child_unblock_signals();
}

static void child_perform_late(cl_step_op op)
{
    for (unsigned i = 0; i < jail.count; i++)
        if (jail.steps[i].op == op && child_perform(&jail.steps[i], -1, -1) != 0)
            _exit(CL_CHILD_UNBORN);
}

void child_limit_mappings(void)
{
    child_perform_late(CL_STEP_RLIMIT_DATA);
}

void child_seccomp(void)
{
    child_perform_late(CL_STEP_SECCOMP);
}

/* ---- the probe ---- */

typedef struct findings {
    int os_errno[STEPS_MOST];
} findings;

static _Noreturn void child_probe(int socket, pid_t server)
{
    findings found = { { 0 } };
    const char *at = (const char *)&found;

    for (unsigned i = 0; i < jail.count; i++)
        found.os_errno[i] = child_perform(&jail.steps[i], socket, server);
    if (write(CL_CHILD_SOCKET, at, sizeof found) != sizeof found)
        _exit(1);
    _exit(0);
}

static void remove_step(unsigned index)
{
    memmove(&jail.steps[index], &jail.steps[index + 1], (jail.count - index - 1) * sizeof jail.steps[0]);
    jail.count--;
}

static bool ask_probe(findings *out)
{
    int ends[2];
    pid_t server = getpid(), child;
    bool has_answer;

    if (pipe(ends) < 0)
        return false;
    if ((child = _Fork()) == 0)
        child_probe(ends[1], server);
    close(ends[1]);
    has_answer = read(ends[0], out, sizeof *out) == (ssize_t)sizeof *out;
    close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    return has_answer;
}

const cl_step *child_jail_probe(cl_zygote_report *report, int *os_errno)
{
    static cl_step fatal;
    findings found;

    if (!ask_probe(&found)) /* killed on the way: nothing can be relied on */
        for (unsigned i = 0; i < STEPS_MOST; i++)
            found.os_errno[i] = EIO;
    for (unsigned i = jail.count; i-- > 0;) {
        const cl_step *step = &jail.steps[i];
        if (found.os_errno[i] == 0)
            continue;
        if (step->layer == 0) {
            fatal = *step;
            *os_errno = found.os_errno[i];
            return &fatal;
        }
        cl_report_fail(report, step->layer, found.os_errno[i], step->name);
        remove_step(i);
    }
    return NULL;
}
