/* Files: there are none to see, none may be opened, none can be made. */
#include <unistd.h>

#include "../unit/runner.h"
#include "escape.h"

START_TEST(no_file_of_the_host_can_be_opened)
{
    static const escape_row rows[] = {
        { "open_passwd", NOTHING, DIES(SIGSYS), "seccomp: no call that takes a path" },
        { "open_passwd", SECCOMP, FAILS(EMFILE), "rlimit: no descriptor beyond the socket" },
        { "open_passwd", SECCOMP | RLIMIT, FAILS(ENOENT), "mountns: the root is empty" },
        { "open_passwd", SECCOMP | RLIMIT | MOUNTNS, FAILS(EACCES), "landlock: no right on any file" },
        { "open_passwd", SECCOMP | RLIMIT | MOUNTNS | LANDLOCK, SUCCEEDS, "nothing: readable by everybody" },
        { "open_old", NOTHING, DIES(SIGSYS), "seccomp" },
        { "open_old", ALL, SUCCEEDS, "control" },
        { "open_above", NOTHING, DIES(SIGSYS), "seccomp" },
        { "open_above", SECCOMP | RLIMIT, FAILS(ENOENT), "mountns: nothing is above the root" },
        { "open_above", ALL, SUCCEEDS, "control" },
        { "open_proc", NOTHING, DIES(SIGSYS), "seccomp" },
        { "open_proc", SECCOMP | RLIMIT, FAILS(ENOENT), "mountns: no /proc" },
        { "open_proc", SECCOMP | RLIMIT | MOUNTNS, FAILS(EACCES), "landlock" },
        { "open_proc", ALL, SUCCEEDS, "control" },
        { "open_sys", NOTHING, DIES(SIGSYS), "seccomp" },
        { "open_sys", SECCOMP | RLIMIT, FAILS(ENOENT), "mountns: no /sys" },
        { "open_sys", SECCOMP | RLIMIT | MOUNTNS, FAILS(EACCES), "landlock" },
        { "open_sys", ALL, SUCCEEDS, "control" },
        { "open_dev", NOTHING, DIES(SIGSYS), "seccomp" },
        { "open_dev", SECCOMP | RLIMIT, FAILS(ENOENT), "mountns: no /dev" },
        { "open_dev", ALL, SUCCEEDS, "control" },
        { "open_root", NOTHING, DIES(SIGSYS), "seccomp" },
        { "open_root", SECCOMP | RLIMIT, FAILS(EACCES), "landlock: not even the empty root" },
        { "open_root", ALL, SUCCEEDS, "control" },
        { "stat_passwd", NOTHING, DIES(SIGSYS), "seccomp" },
        { "stat_passwd", SECCOMP, FAILS(ENOENT), "mountns: landlock lets names be looked up" },
        { "stat_passwd", ALL, SUCCEEDS, "control" },
        { "file_handle", NOTHING, DIES(SIGSYS), "seccomp" },
        { "file_handle", ALL, FAILS(ENOENT), "control: not refused, there is no such file" },
    };

    ESCAPE_CHECK(rows, getpid());
}
END_TEST

START_TEST(nothing_can_be_written_anywhere)
{
    static const escape_row rows[] = {
        { "make_folder", NOTHING, DIES(SIGSYS), "seccomp" },
        { "make_folder", SECCOMP, FAILS(EROFS), "mountns: read-only" },
        { "make_folder", SECCOMP | MOUNTNS, FAILS(EACCES), "landlock, and an id without rights" },
        { "make_folder", ALL, SUCCEEDS, "control" },
        { "make_file", NOTHING, DIES(SIGSYS), "seccomp" },
        { "make_file", SECCOMP | RLIMIT, FAILS(EROFS), "mountns: read-only" },
        { "make_file", SECCOMP | RLIMIT | MOUNTNS, FAILS(EACCES), "landlock, and an id without rights" },
        { "make_file", ALL, SUCCEEDS, "control" },
        { "memfd", NOTHING, DIES(SIGSYS), "seccomp" },
        { "memfd", SECCOMP, FAILS(EMFILE), "rlimit: no descriptor beyond the socket" },
        { "memfd", ALL, SUCCEEDS, "control" },
    };

    ESCAPE_CHECK(rows, getpid());
}
END_TEST

START_TEST(no_program_can_be_executed)
{
    static const escape_row rows[] = {
        { "exec_true", NOTHING, DIES(SIGSYS), "seccomp" },
        { "exec_true", SECCOMP, FAILS(ENOENT), "mountns" },
        { "exec_true", SECCOMP | MOUNTNS, FAILS(EACCES), "landlock" },
        { "exec_true", ALL, LEAVES(0), "control: /bin/true has run" },
        { "memfd_exec", NOTHING, DIES(SIGSYS), "seccomp" },
        { "memfd_exec", SECCOMP, FAILS(EMFILE), "rlimit" },
        { "memfd_exec", SECCOMP | RLIMIT, LEAVES(7), "control: landlock does not see nameless files" },
    };

    ESCAPE_CHECK(rows, getpid());
}
END_TEST

START_TEST(the_root_cannot_be_changed)
{
    static const escape_row rows[] = {
        { "chroot_here", NOTHING, DIES(SIGSYS), "seccomp" },
        { "chroot_here", SECCOMP, FAILS(EPERM), "no capability" },
        { "chroot_here", ALL, SUCCEEDS, "control" },
        { "mount_tmpfs", NOTHING, DIES(SIGSYS), "seccomp" },
        { "mount_tmpfs", ALL, FAILS(ENOENT), "control: not refused, there is no such folder" },
        { "remount_root", NOTHING, DIES(SIGSYS), "seccomp" },
        { "remount_root", ALL, FAILS(ENOENT), "control: likewise" },
        { "umount_root", NOTHING, DIES(SIGSYS), "seccomp" },
        { "umount_root", ALL, FAILS(ENOENT), "control: likewise" },
        { "fsopen_tmpfs", NOTHING, DIES(SIGSYS), "seccomp" },
        { "fsopen_tmpfs", SECCOMP, FAILS(EPERM), "no capability over the mount namespace" },
        { "fsopen_tmpfs", ALL, SUCCEEDS, "control" },
        { "open_tree_root", NOTHING, DIES(SIGSYS), "seccomp" },
        { "open_tree_root", SECCOMP, FAILS(EMFILE), "rlimit" },
        { "open_tree_root", ALL, SUCCEEDS, "control" },
    };

    ESCAPE_CHECK(rows, getpid());
}
END_TEST

TEST_MAIN("escape/fs", no_file_of_the_host_can_be_opened, nothing_can_be_written_anywhere, no_program_can_be_executed,
          the_root_cannot_be_changed)
