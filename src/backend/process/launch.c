#include "backend/process/launch.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

enum { STACK_BYTES = 65536, EDGE_BYTES = 4096, FREE_FD = 10 };

/* ---- in the guard ----
 *
 * It has the host's memory, and the launching thread's thread-local storage with errno in it, while that thread goes
 * on: so system calls are made raw, nothing of the C library is used, and no sanitizer puts its own code in. */

static const char guard_filter[] = "filter by seccomp the zygote's guard, which shares the memory of a privileged host";

static CL_RAW_CODE _Noreturn void guard_end(int code)
{
    for (;;)
        cl_raw(SYS_exit_group, code, 0, 0, 0, 0);
}

static CL_RAW_CODE _Noreturn void guard_fail(cl_launch *launch, const char *step, long answer)
{
    launch->os_errno = (int)-answer;
    launch->step = step;
    guard_end(1);
}

static CL_RAW_CODE _Noreturn void guard_exec(cl_launch *launch)
{
    char *const argv[] = { (char *)(uintptr_t)"cloche-zygote", NULL }, *const envp[] = { NULL };
    long why = -launch->os_errno, answer;

    if (launch->program >= 0)
        why = cl_raw(SYS_execveat, CL_PROGRAM_FD, (long)"", (long)argv, (long)envp, AT_EMPTY_PATH);
    if (launch->helper[0] != '\0') {
        answer = cl_raw(SYS_execve, (long)launch->helper, (long)argv, (long)envp, 0, 0);
        if (answer != -ENOENT)
            why = answer;
    }
    guard_fail(launch, "execute the zygote", why);
}

/* The child runs on this stack, below this frame, until it executes the program or ends; we sleep until then. */
static CL_RAW_CODE __attribute__((noinline)) long guard_fork_exec(cl_launch *launch)
{
    long pid = cl_raw(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);

    if (pid == 0)
        guard_exec(launch);
    return pid;
}

static CL_RAW_CODE long guard_close_range(long first, long last)
{
    struct rlimit limit = { 0, 0 };
    long answer = cl_raw(SYS_close_range, first, last, 0, 0, 0);

    if (answer != -ENOSYS && answer != -EPERM) /* EPERM: a container profile that does not know the call */
        return answer;
    if ((answer = cl_raw(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit, 0)) < 0)
        return answer;
    for (long fd = first; fd <= last && (rlim_t)fd < limit.rlim_max; fd++)
        cl_raw(SYS_close, fd, 0, 0, 0, 0);
    return 0;
}

/* The control socket as CL_CONTROL_FD, the program as CL_PROGRAM_FD, and nothing of the host's. */
static CL_RAW_CODE long guard_arrange_fds(const cl_launch *launch)
{
    long control = cl_raw(SYS_fcntl, launch->control, F_DUPFD_CLOEXEC, FREE_FD, 0, 0), program, answer;

    if (control < 0)
        return control;
    if (launch->program >= 0) {
        if ((program = cl_raw(SYS_fcntl, launch->program, F_DUPFD_CLOEXEC, FREE_FD, 0, 0)) < 0)
            return program;
        if ((answer = cl_raw(SYS_dup3, program, CL_PROGRAM_FD, O_CLOEXEC, 0, 0)) < 0)
            return answer;
    }
    if ((answer = cl_raw(SYS_dup3, control, CL_CONTROL_FD, 0, 0, 0)) < 0)
        return answer;
    if ((answer = guard_close_range(0, CL_CONTROL_FD - 1)) < 0)
        return answer;
    return guard_close_range(launch->program >= 0 ? CL_PROGRAM_FD + 1 : CL_PROGRAM_FD, UINT32_MAX);
}

static CL_RAW_CODE void guard_main(void *arg)
{
    cl_launch *launch = arg;
    long answer;

    if (cl_raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || cl_raw(SYS_getppid, 0, 0, 0, 0, 0) != launch->host)
        guard_end(1);
    cl_raw(SYS_setsid, 0, 0, 0, 0, 0); /* the terminal's signals are for the host */
    if ((answer = guard_arrange_fds(launch)) < 0)
        guard_fail(launch, "close descriptors", answer);
    if ((answer = guard_fork_exec(launch)) < 0)
        guard_fail(launch, "fork", answer);
    cl_raw(SYS_close, CL_CONTROL_FD, 0, 0, 0, 0);
    cl_raw(SYS_close, CL_PROGRAM_FD, 0, 0, 0, 0);
    cl_raw(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    /* Ends, by the death signal, the supervisor too. That a filter can be had was seen before; this is the last word. */
    if ((answer = cl_filter_install_raw(&launch->filter)) < 0 && launch->must_filter)
        guard_fail(launch, guard_filter, answer);
    /* Nothing but the supervisor is a child of ours. */
    while (cl_raw(SYS_wait4, -1, 0, __WALL, 0, 0) != -ECHILD)
        continue;
    guard_end(0);
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

static cloche_status map_stack(cl_launch *launch, cloche_error *err)
{
    const size_t length = EDGE_BYTES + STACK_BYTES;
    char *at = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

    if (at == MAP_FAILED)
        return cl_error_set(err, CLOCHE_E_NOMEM, errno, "launch", "stack of the zygote's guard");
    launch->stack = at;
    if (mprotect(at, EDGE_BYTES, PROT_NONE) < 0)
        return cl_error_set(err, CLOCHE_E_NOMEM, errno, "launch", "inaccessible page below a stack");
    return CLOCHE_OK;
}

static void release(cl_launch *launch)
{
    if (launch->stack != NULL)
        munmap(launch->stack, EDGE_BYTES + STACK_BYTES);
    if (launch->guard_pidfd >= 0)
        close(launch->guard_pidfd);
    launch->stack = NULL;
    launch->guard_pidfd = -1;
}

cloche_status cl_launch_start(cl_launch *launch, int control, cloche_error *err)
{
    cloche_status rc;
    cloche_error why = { .status = CLOCHE_OK };
    int program = -1;

    *launch = (cl_launch){ .guard_pidfd = -1, .program = -1, .control = control, .host = getpid() };
    if ((rc = map_stack(launch, err)) < 0)
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
    if (launch->must_filter && !cl_filter_is_available()) {
        rc = cl_error_set(err, CLOCHE_E_NOSYS, errno, "launch", "%s: %s", guard_filter, strerror(errno));
        goto out;
    }
    launch->guard =
        cl_process_share(guard_main, (char *)launch->stack + EDGE_BYTES + STACK_BYTES, launch, &launch->guard_pidfd);
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
