/* No other process: none can be made, named, traced, read, signalled, or become. The argument is the host. */
#include <unistd.h>

#include "../unit/runner.h"
#include "escape.h"

START_TEST(no_process_can_be_made)
{
    static const escape_row rows[] = {
        { "fork_old", NOTHING, DIES(SIGSYS), "seccomp" },
        { "fork_old", SECCOMP, FAILS(EAGAIN), "rlimit: RLIMIT_NPROC 0" },
        { "fork_old", SECCOMP | RLIMIT, SUCCEEDS, "control" },
        { "fork_clone", NOTHING, DIES(SIGSYS), "seccomp" },
        { "fork_clone", SECCOMP, FAILS(EAGAIN), "rlimit" },
        { "fork_clone", SECCOMP | RLIMIT, SUCCEEDS, "control" },
        { "fork_clone3", NOTHING, DIES(SIGSYS), "seccomp" },
        { "fork_clone3", SECCOMP, FAILS(EAGAIN), "rlimit" },
        { "fork_clone3", SECCOMP | RLIMIT, SUCCEEDS, "control" },
        { "fork_userns", NOTHING, DIES(SIGSYS), "seccomp" },
        { "fork_userns", SECCOMP, FAILS(EAGAIN), "rlimit" },
        { "fork_userns", SECCOMP | RLIMIT, SUCCEEDS, "control: nested namespaces are not forbidden by themselves" },
    };

    ESCAPE_CHECK(rows, getpid());
}
END_TEST

START_TEST(no_process_of_the_host_can_be_traced_or_read)
{
    static const escape_row rows[] = {
        { "trace_host", NOTHING, DIES(SIGSYS), "seccomp" },
        { "trace_host", SECCOMP, FAILS(ESRCH), "pidns: it has no number" },
        { "trace_host", SECCOMP | PIDNS, FAILS(EPERM), "landlock, another id, another user namespace" },
        { "trace_host", ALL, SUCCEEDS, "control" },
        { "trace_me", NOTHING, DIES(SIGSYS), "seccomp" },
        { "trace_me", SECCOMP, SUCCEEDS, "control: by the server, which traces nobody" },
        { "read_host", NOTHING, DIES(SIGSYS), "seccomp" },
        { "read_host", SECCOMP, FAILS(ESRCH), "pidns" },
        { "read_host", SECCOMP | PIDNS, FAILS(EPERM), "landlock, another id, another user namespace" },
        { "read_host", ALL, FAILS(EFAULT), "control: not refused, nothing is mapped there" },
        { "limit_host", NOTHING, DIES(SIGSYS), "seccomp" },
        { "limit_host", SECCOMP, FAILS(ESRCH), "pidns" },
        { "limit_host", SECCOMP | PIDNS, FAILS(EPERM), "another id" },
        { "limit_host", ALL, SUCCEEDS, "control" },
        { "affinity", NOTHING, DIES(SIGSYS), "seccomp" },
        { "affinity", SECCOMP, FAILS(ESRCH), "pidns" },
        { "affinity", ALL, SUCCEEDS, "control" },
        { "perf", NOTHING, DIES(SIGSYS), "seccomp" },
        { "perf", ALL, SUCCEEDS, "control" },
    };

    ESCAPE_CHECK(rows, getpid());
}
END_TEST

START_TEST(no_process_of_the_host_can_be_signalled)
{
    static const escape_row rows[] = {
        { "kill_host", NOTHING, DIES(SIGSYS), "seccomp" },
        { "kill_host", SECCOMP, FAILS(ESRCH), "pidns" },
        { "kill_host", SECCOMP | PIDNS, FAILS(EPERM), "landlock: scoped; another id" },
        { "kill_host", SECCOMP | PIDNS | LANDLOCK, FAILS(EPERM), "another id" },
        { "kill_host", ALL, SUCCEEDS, "control" },
        { "kill_all", NOTHING, DIES(SIGSYS), "seccomp" },
        { "kill_all", SECCOMP, FAILS(ESRCH), "pidns: nobody but itself and the first process" },
        { "kill_all", ALL, SUCCEEDS, "control" },
        { "kill_first", NOTHING, DIES(SIGSYS), "seccomp" },
        { "kill_first", SECCOMP, SUCCEEDS, "control: the server, which nothing but its own parent can kill" },
        { "kill_first", SECCOMP | PIDNS, FAILS(EPERM), "the machine's: another id" },
        { "kill_parent", NOTHING, DIES(SIGSYS), "seccomp" },
        { "kill_parent", SECCOMP, SUCCEEDS, "control: likewise the server" },
        { "kill_self", NOTHING, DIES(SIGSYS), "seccomp" },
        { "kill_self", SECCOMP, SUCCEEDS, "control" },
        { "thread_kill_host", NOTHING, DIES(SIGSYS), "seccomp" },
        { "thread_kill_host", SECCOMP, FAILS(ESRCH), "pidns" },
        { "thread_kill_host", SECCOMP | PIDNS, FAILS(EPERM), "landlock, another id" },
        { "thread_kill_host", ALL, SUCCEEDS, "control" },
        { "queue_host", NOTHING, DIES(SIGSYS), "seccomp" },
        { "queue_host", SECCOMP, FAILS(ESRCH), "pidns" },
        { "queue_host", ALL, SUCCEEDS, "control" },
        { "pidfd_host", NOTHING, DIES(SIGSYS), "seccomp" },
        { "pidfd_host", SECCOMP | RLIMIT, FAILS(ESRCH), "pidns" },
        { "pidfd_host", ALL, SUCCEEDS, "control" },
        { "fcntl_owner", NOTHING, DIES(SIGSYS), "seccomp: no signal by way of its socket either" },
        { "fcntl_owner", SECCOMP, FAILS(ESRCH), "pidns" },
        { "fcntl_owner", ALL, SUCCEEDS, "control" },
    };

    ESCAPE_CHECK(rows, getpid());
}
END_TEST

START_TEST(no_identity_capability_or_limit_can_be_regained)
{
    static const escape_row rows[] = {
        { "become_root", NOTHING, DIES(SIGSYS), "seccomp" },
        { "become_root", SECCOMP, FAILS(EINVAL), "userns: there is no such id" },
        { "become_root", SECCOMP | USERNS, FAILS(EPERM), "no capability" },
        { "become_root", ALL, SUCCEEDS, "control" },
        { "become_root_group", NOTHING, DIES(SIGSYS), "seccomp" },
        { "become_root_group", SECCOMP, FAILS(EINVAL), "userns" },
        { "become_root_group", SECCOMP | USERNS, FAILS(EPERM), "no capability" },
        { "become_root_group", ALL, SUCCEEDS, "control" },
        { "set_groups", NOTHING, DIES(SIGSYS), "seccomp" },
        { "set_groups", SECCOMP, FAILS(EPERM), "userns: denied" },
        { "set_groups", ALL, SUCCEEDS, "control" },
        { "raise_capability", NOTHING, DIES(SIGSYS), "seccomp" },
        { "raise_capability", SECCOMP, FAILS(EPERM), "none is permitted" },
        { "raise_capability", ALL, SUCCEEDS, "control" },
        { "raise_limits", NOTHING, DIES(SIGSYS), "seccomp" },
        { "raise_limits", SECCOMP, FAILS(EPERM), "no capability" },
        { "raise_limits", ALL, SUCCEEDS, "control" },
        { "raise_data", NOTHING, DIES(SIGSYS), "seccomp" },
        { "raise_data", SECCOMP, FAILS(EPERM), "no capability" },
        { "raise_data", ALL, SUCCEEDS, "control" },
        { "new_session", NOTHING, DIES(SIGSYS), "seccomp" },
        { "new_session", SECCOMP, SUCCEEDS, "control" },
    };

    ESCAPE_CHECK(rows, getpid());
}
END_TEST

START_TEST(no_namespace_can_be_entered_or_made)
{
    static const escape_row rows[] = {
        { "unshare_user", NOTHING, DIES(SIGSYS), "seccomp" },
        { "unshare_user", SECCOMP, SUCCEEDS, "control: seccomp is not optional" },
        { "unshare_mount", NOTHING, DIES(SIGSYS), "seccomp" },
        { "unshare_mount", SECCOMP, FAILS(EPERM), "no capability" },
        { "unshare_mount", ALL, SUCCEEDS, "control" },
        { "unshare_net", NOTHING, DIES(SIGSYS), "seccomp" },
        { "unshare_net", SECCOMP, FAILS(EPERM), "no capability" },
        { "unshare_net", ALL, SUCCEEDS, "control" },
        { "set_namespace", NOTHING, DIES(SIGSYS), "seccomp" },
        { "set_namespace", SECCOMP, FAILS(EINVAL), "control: not refused, a socket is no namespace" },
    };

    ESCAPE_CHECK(rows, getpid());
}
END_TEST

START_TEST(no_descriptor_but_its_socket_is_there)
{
    static const escape_row rows[] = {
        { "count_fds", NOTHING, ANSWERS(0), "closed before the child runs, the control socket too" },
        { "count_fds", ALL, ANSWERS(0), "always" },
        { "dup_and_count", NOTHING, DIES(SIGSYS), "seccomp" },
        { "dup_and_count", SECCOMP, FAILS(EMFILE), "rlimit" },
        { "dup_and_count", SECCOMP | RLIMIT, ANSWERS(1), "control: counting finds what is there" },
        { "dup_socket", NOTHING, DIES(SIGSYS), "seccomp" },
        { "dup_socket", SECCOMP, FAILS(EMFILE), "rlimit" },
        { "dup_socket", ALL, SUCCEEDS, "control" },
    };

    ESCAPE_CHECK(rows, getpid());
}
END_TEST

TEST_MAIN("escape/process", no_process_can_be_made, no_process_of_the_host_can_be_traced_or_read,
          no_process_of_the_host_can_be_signalled, no_identity_capability_or_limit_can_be_regained,
          no_namespace_can_be_entered_or_made, no_descriptor_but_its_socket_is_there)
