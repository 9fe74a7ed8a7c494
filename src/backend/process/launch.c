#include "backend/process/launch.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/process/control.h"
#include "base/error.h"
#include "sys/jail.h"
#include "sys/memfd.h"
#include "sys/process.h"
#include "sys/raw.h"

extern const char cl_zygote_data[] __attribute__((visibility("hidden")));
extern const char cl_zygote_data_end[] __attribute__((visibility("hidden")));

enum { STACK_BYTES = 65536, GUARD_BYTES = 4096, FREE_FD = 10 };

/* ---- in the guard: shares the host's memory; the launching thread waits in poll until the program runs ---- */

static int guard_exec(void *arg)
{
    cl_launch *launch = arg;
    char name[] = "cloche-zygote";
    char *const argv[] = { name, NULL }, *const envp[] = { NULL };

    if (launch->program >= 0) {
        cl_process_exec(CL_PROGRAM_FD, argv, envp);
        launch->os_errno = errno;
    }
    if (launch->helper[0] != '\0') {
        execve(launch->helper, argv, envp);
        if (errno != ENOENT)
            launch->os_errno = errno;
    }
    launch->step = "execute the zygote";
    _exit(127);
}

/* The control socket as CL_CONTROL_FD, the program as CL_PROGRAM_FD, and nothing of the host's. */
static bool guard_arrange_fds(const cl_launch *launch)
{
    int control = fcntl(launch->control, F_DUPFD_CLOEXEC, FREE_FD);
    int program = launch->program < 0 ? -1 : fcntl(launch->program, F_DUPFD_CLOEXEC, FREE_FD);

    if (control < 0 || dup2(control, CL_CONTROL_FD) < 0)
        return false;
    if (launch->program >= 0 && (program < 0 || dup3(program, CL_PROGRAM_FD, O_CLOEXEC) < 0))
        return false;
    return cl_process_close(0, CL_CONTROL_FD - 1) == 0 && cl_process_close(CL_PROGRAM_FD + 1, ~0U) == 0;
}

static _Noreturn void guard_end(int code)
{
    for (;;)
        cl_raw(SYS_exit_group, code, 0, 0, 0, 0);
}

static const char guard_filter[] = "filter the zygote's guard with seccomp, for it shares the memory of a privileged host";

/* From here on the launching thread runs again, and errno is its own: raw system calls only. */
static _Noreturn void guard_wait(cl_launch *launch)
{
    long why;

    cl_raw(SYS_close, CL_CONTROL_FD, 0, 0, 0, 0);
    cl_raw(SYS_close, CL_PROGRAM_FD, 0, 0, 0, 0);
    cl_raw(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if ((why = cl_filter_install_raw(&launch->filter)) < 0 && launch->must_filter) {
        launch->os_errno = (int)-why;
        launch->step = guard_filter;
        guard_end(1); /* and with it, by the death signal, the supervisor */
    }
    /* Nothing but the supervisor is a child of ours. */
    while (cl_raw(SYS_wait4, -1, 0, __WALL, 0, 0) != -ECHILD)
        continue;
    guard_end(0);
}

static int guard_main(void *arg)
{
    cl_launch *launch = arg;
    char *stack = (char *)launch->stacks + 2 * (STACK_BYTES + GUARD_BYTES);

    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != launch->host)
        guard_end(1);
    setsid(); /* the terminal's signals are for the host */
    if (launch->must_filter && !cl_filter_is_available()) {
        launch->os_errno = errno;
        launch->step = guard_filter;
        guard_end(1);
    }
    if (!guard_arrange_fds(launch)) {
        launch->os_errno = errno;
        launch->step = "close descriptors";
        guard_end(1);
    }
    if (cl_process_vfork(guard_exec, stack, launch) < 0) {
        launch->os_errno = errno;
        launch->step = "fork";
        guard_end(1);
    }
    guard_wait(launch);
}

/* ---- in the host ---- */

static void build_filter(cl_filter *out)
{
    cl_filter_begin(out);
    cl_filter_allow(out, SYS_wait4);           /* for the supervisor */
    cl_filter_allow(out, SYS_exit_group);      /* after it */
    cl_filter_allow(out, SYS_restart_syscall); /* the kernel's own, after a process was stopped and continued */
    cl_filter_end(out);
}

/* "cloche-zygote" beside the file this code is in; "" when that cannot be told. */
static void find_helper(char *out, size_t size)
{
    static const char name[] = "cloche-zygote";
    char folder[PATH_MAX];
    Dl_info info;
    char *slash;

    out[0] = '\0';
    if (dladdr(cl_zygote_data, &info) == 0 || info.dli_fname == NULL)
        return;
    if (info.dli_fname[0] == '/')
        snprintf(folder, sizeof folder, "%s", info.dli_fname);
    else { /* the program itself, by whatever name it was called */
        ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 1);
        if (n < 0)
            return;
        folder[n] = '\0';
    }
    if ((slash = strrchr(folder, '/')) == NULL)
        return;
    *slash = '\0';
    if ((size_t)snprintf(out, size, "%s/%s", folder, name) >= size)
        out[0] = '\0';
}

static cloche_status map_stacks(cl_launch *launch, cloche_error *err)
{
    size_t length = 2 * (STACK_BYTES + GUARD_BYTES);
    char *at = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

    if (at == MAP_FAILED)
        return cl_error_set(err, CLOCHE_E_NOMEM, errno, "launch", "%zu bytes of stack", length);
    launch->stacks = at;
    /*  | guard page | guard's stack | guard page | stack of what it starts | */
    if (mprotect(at, GUARD_BYTES, PROT_NONE) < 0 || mprotect(at + STACK_BYTES + GUARD_BYTES, GUARD_BYTES, PROT_NONE) < 0)
        return cl_error_set(err, CLOCHE_E_NOMEM, errno, "launch", "guard pages of a stack");
    return CLOCHE_OK;
}

static void release(cl_launch *launch)
{
    if (launch->stacks != NULL)
        munmap(launch->stacks, 2 * (STACK_BYTES + GUARD_BYTES));
    if (launch->guard_pidfd >= 0)
        close(launch->guard_pidfd);
    launch->stacks = NULL;
    launch->guard_pidfd = -1;
}

cloche_status cl_launch_start(cl_launch *launch, int control, cloche_error *err)
{
    cloche_status rc;
    cloche_error why = { .status = CLOCHE_OK };
    int program = -1;

    *launch = (cl_launch){ .guard_pidfd = -1, .program = -1, .control = control, .host = getpid() };
    if ((rc = map_stacks(launch, err)) < 0)
        goto out;
    find_helper(launch->helper, sizeof launch->helper);
    rc = cl_memfd_sealed_open("cloche-zygote", cl_zygote_data, (size_t)(cl_zygote_data_end - cl_zygote_data),
                              &program, &why);
    if (rc < 0 && (rc != CLOCHE_E_NOSYS || launch->helper[0] == '\0')) {
        if (err != NULL)
            *err = why;
        goto out;
    }
    rc = CLOCHE_OK;
    launch->os_errno = why.os_errno; /* the reason, should the helper not be there either */
    launch->program = program;
    launch->must_filter = cl_jail_has_capabilities();
    build_filter(&launch->filter);
    launch->guard =
        cl_process_share(guard_main, (char *)launch->stacks + STACK_BYTES + GUARD_BYTES, launch, &launch->guard_pidfd);
    if (launch->guard < 0) {
        launch->guard_pidfd = -1;
        rc = cl_error_set(err, CLOCHE_E_SYS, errno, "launch", "clone for the zygote's guard");
    }
out:
    if (program >= 0)
        close(program); /* the guard has a table of descriptors of its own, with the same numbers */
    if (rc < 0)
        release(launch);
    return rc;
}

void cl_launch_kill(const cl_launch *launch)
{
    if (launch->guard_pidfd >= 0)
        cl_process_signal(launch->guard_pidfd, SIGKILL);
}

void cl_launch_wait(cl_launch *launch)
{
    siginfo_t info;

    if (launch->guard_pidfd >= 0)
        while (waitid(P_PIDFD, (id_t)launch->guard_pidfd, &info, WEXITED | __WALL) < 0 && errno == EINTR)
            continue;
    release(launch);
}
