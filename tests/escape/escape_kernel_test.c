/* Parts of the kernel that no guest has a use for, memory that would run, and other ways into the kernel. */
#include <unistd.h>

#include "../unit/runner.h"
#include "escape.h"

START_TEST(no_large_interface_of_the_kernel_can_be_entered)
{
    static const escape_row rows[] = {
        { "bpf_map", NOTHING, DIES(SIGSYS), "seccomp" },
        { "bpf_map", ALL, SUCCEEDS, "control" },
        { "io_uring", NOTHING, DIES(SIGSYS), "seccomp" },
        { "io_uring", SECCOMP | RLIMIT, SUCCEEDS, "control" },
        { "userfault", NOTHING, DIES(SIGSYS), "seccomp" },
        { "userfault", ALL, SUCCEEDS, "control" },
        { "key_session", NOTHING, DIES(SIGSYS), "seccomp" },
        { "key_session", SECCOMP, SUCCEEDS, "control" },
        { "key_add", NOTHING, DIES(SIGSYS), "seccomp" },
        { "key_add", SECCOMP, SUCCEEDS, "control" },
        { "ioctl_socket", NOTHING, DIES(SIGSYS), "seccomp" },
        { "ioctl_socket", SECCOMP, FAILS(EFAULT), "control: not refused, the argument is bad" },
        { "filter_more", NOTHING, DIES(SIGSYS), "seccomp" },
        { "filter_more", SECCOMP, SUCCEEDS, "control" },
    };

    ESCAPE_CHECK(rows, getpid());
}
END_TEST

START_TEST(the_machine_cannot_be_administered)
{
    static const escape_row rows[] = {
        { "reboot_badly", NOTHING, DIES(SIGSYS), "seccomp" },
        { "reboot_badly", SECCOMP, FAILS(EPERM), "no capability" },
        { "reboot_badly", ALL, FAILS(EINVAL), "control: not refused, the magic number is wrong" },
        { "kernel_log", NOTHING, DIES(SIGSYS), "seccomp" },
        { "kernel_log", ALL, SUCCEEDS, "control" },
        { "set_time", NOTHING, DIES(SIGSYS), "seccomp" },
        { "set_time", ALL, FAILS(EINVAL), "control: not refused, there is no such time" },
        { "swap_on", NOTHING, DIES(SIGSYS), "seccomp" },
        { "swap_on", SECCOMP, FAILS(EPERM), "no capability" },
        { "swap_on", ALL, FAILS(ENOENT), "control: not refused, there is no such file" },
        { "host_name", NOTHING, DIES(SIGSYS), "seccomp" },
        { "host_name", SECCOMP, FAILS(EPERM), "no capability" },
        { "host_name", ALL, FAILS(EINVAL), "control: not refused, the length is wrong" },
        { "load_module", NOTHING, DIES(SIGSYS), "seccomp" },
        { "load_kernel", NOTHING, DIES(SIGSYS), "seccomp" },
        { "io_ports", NOTHING, DIES(SIGSYS), "seccomp" },
    };

    ESCAPE_CHECK(rows, getpid());
}
END_TEST

START_TEST(the_process_cannot_change_what_it_is)
{
    static const escape_row rows[] = {
        { "prctl_dumpable", NOTHING, DIES(SIGSYS), "seccomp" },
        { "prctl_dumpable", SECCOMP, SUCCEEDS, "control" },
        { "prctl_seccomp_off", NOTHING, DIES(SIGSYS), "seccomp" },
        { "prctl_seccomp_off", SECCOMP, FAILS(EINVAL), "control: not refused, there is no such mode" },
        { "prctl_mm", NOTHING, DIES(SIGSYS), "seccomp" },
        { "prctl_privs", NOTHING, DIES(SIGSYS), "seccomp" },
        { "prctl_privs", SECCOMP, FAILS(EINVAL), "control: not refused, it has no off" },
        { "prctl_name", NOTHING, DIES(SIGSYS), "seccomp" },
        { "prctl_name", SECCOMP, SUCCEEDS, "control" },
        { "change_persona", NOTHING, DIES(SIGSYS), "seccomp" },
        { "change_persona", SECCOMP, SUCCEEDS, "control" },
        { "change_ldt", NOTHING, DIES(SIGSYS), "seccomp" },
        { "change_ldt", SECCOMP, SUCCEEDS, "control" },
        { "arch_get", NOTHING, DIES(SIGSYS), "seccomp" },
        { "arch_get", SECCOMP, SUCCEEDS, "control" },
        { "sysinfo_read", NOTHING, DIES(SIGSYS), "seccomp: how busy the machine is" },
        { "sysinfo_read", SECCOMP, SUCCEEDS, "control" },
        { "uname_read", NOTHING, DIES(SIGSYS), "seccomp" },
        { "uname_read", SECCOMP, SUCCEEDS, "control" },
    };

    ESCAPE_CHECK(rows, getpid());
}
END_TEST

START_TEST(no_memory_becomes_code_and_none_is_added)
{
    static const escape_row rows[] = {
        { "protect_exec", NOTHING, DIES(SIGSYS), "seccomp" },
        { "protect_exec", SECCOMP, SUCCEEDS, "control" },
        { "protect_write", NOTHING, SUCCEEDS, "growth of guest memory" },
        { "protect_odd", NOTHING, DIES(SIGSYS), "seccomp: only reading and writing" },
        { "protect_odd", SECCOMP, FAILS(EINVAL), "control" },
        { "protect_wide", NOTHING, DIES(SIGSYS), "seccomp: all 64 bits of an argument are looked at" },
        { "protect_wide", SECCOMP, FAILS(EINVAL), "control" },
        { "pkey_protect", NOTHING, DIES(SIGSYS), "seccomp" },
        { "pkey_protect", SECCOMP, SUCCEEDS, "control" },
        { "map_exec", NOTHING, DIES(SIGSYS), "seccomp" },
        { "map_exec", SECCOMP, SUCCEEDS, "control" },
        { "map_more", NOTHING, FAILS(ENOMEM), "seccomp, tidily" },
        { "map_more", SECCOMP, SUCCEEDS, "control" },
        { "remap_more", NOTHING, FAILS(ENOMEM), "seccomp, tidily" },
        { "remap_more", SECCOMP, SUCCEEDS, "control" },
        { "grow_heap", NOTHING, FAILS(ENOMEM), "rlimit: RLIMIT_DATA" },
        { "grow_heap", RLIMIT, SUCCEEDS, "control" },
        { "advise_free", NOTHING, DIES(SIGSYS), "seccomp: only the advice that is needed" },
        { "advise_free", SECCOMP, SUCCEEDS, "control" },
        { "advise_dontneed", NOTHING, SUCCEEDS, "memory back to the system after a run" },
        { "lock_memory", NOTHING, DIES(SIGSYS), "seccomp" },
        { "lock_memory", SECCOMP, FAILS(EPERM), "rlimit: RLIMIT_MEMLOCK" },
        { "lock_memory", SECCOMP | RLIMIT, SUCCEEDS, "control" },
        { "remap_pages", NOTHING, DIES(SIGSYS), "seccomp" },
        { "remap_pages", SECCOMP, FAILS(EINVAL), "control: not refused, the mapping does not suit" },
    };

    ESCAPE_CHECK(rows, getpid());
}
END_TEST

START_TEST(no_other_way_leads_into_the_kernel)
{
    static const escape_row rows[] = {
        { "number_x32", NOTHING, DIES(SIGSYS), "seccomp: x32 numbers equal none of ours" },
        { "number_x32", SECCOMP, FAILS(ENOSYS), "control: this kernel may not have them" },
        { "number_wide", NOTHING, DIES(SIGSYS), "seccomp: the kernel cuts the number, the filter sees it cut" },
        { "number_wide", SECCOMP, SUCCEEDS, "control" },
        { "number_none", NOTHING, DIES(SIGSYS), "seccomp: calls of later kernels" },
        { "number_none", SECCOMP, FAILS(ENOSYS), "control" },
        { "door_int80", NOTHING, DIES(SIGSYS), "seccomp: another architecture" },
        { "door_int80", SECCOMP, SUCCEEDS, "control" },
    };

    ESCAPE_CHECK(rows, getpid());
}
END_TEST

TEST_MAIN("escape/kernel", no_large_interface_of_the_kernel_can_be_entered, the_machine_cannot_be_administered,
          the_process_cannot_change_what_it_is, no_memory_becomes_code_and_none_is_added,
          no_other_way_leads_into_the_kernel)
