#include "attacks.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Straight into the kernel, six arguments, no errno. */
static int64_t call(long number, long a, long b, long c, long d, long e, long f)
{
    long answer;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(answer)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return answer;
}

#define PICK(_1, _2, _3, _4, _5, _6, _7, name, ...) name
#define C1(n) call(n, 0, 0, 0, 0, 0, 0)
#define C2(n, a) call(n, (long)(a), 0, 0, 0, 0, 0)
#define C3(n, a, b) call(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define C4(n, a, b, c) call(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define C5(n, a, b, c, d) call(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define C6(n, a, b, c, d, e) call(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define C7(n, a, b, c, d, e, f) call(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define CALL(...) PICK(__VA_ARGS__, C7, C6, C5, C4, C3, C2, C1)(__VA_ARGS__)

enum { CHILD_SOCKET = 0 };

#define ATTACK(name) static int64_t name(__attribute__((unused)) int64_t argument)

/* ---- files ---- */

ATTACK(open_passwd)
{
    return CALL(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY);
}

ATTACK(open_old)
{
    return CALL(SYS_open, "/etc/passwd", O_RDONLY);
}

ATTACK(open_proc)
{
    return CALL(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY);
}

ATTACK(open_sys)
{
    return CALL(SYS_openat, AT_FDCWD, "/sys/kernel", O_RDONLY | O_DIRECTORY);
}

ATTACK(open_dev)
{
    return CALL(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY);
}

ATTACK(open_root)
{
    return CALL(SYS_openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY);
}

ATTACK(open_above)
{
    /* However deep the folder in which the tests run. */
    static const char path[] = "../../../../../../../../../../../../../../../../../../../../../../etc/passwd";
    return CALL(SYS_openat, AT_FDCWD, path, O_RDONLY);
}

ATTACK(stat_passwd)
{
    char space[256];
    return CALL(SYS_newfstatat, AT_FDCWD, "/etc/passwd", space, 0);
}

ATTACK(make_folder)
{
    int64_t r = CALL(SYS_mkdir, "/cloche-escape", 0700);
    CALL(SYS_rmdir, "/cloche-escape");
    return r;
}

ATTACK(make_file)
{
    int64_t r = CALL(SYS_openat, AT_FDCWD, "/cloche-escape", O_CREAT | O_RDWR, 0600);
    CALL(SYS_unlink, "/cloche-escape");
    return r;
}

ATTACK(chroot_here)
{
    return CALL(SYS_chroot, "/");
}

ATTACK(mount_tmpfs)
{
    return CALL(SYS_mount, "none", "/cloche-nowhere", "tmpfs", 0, 0);
}

ATTACK(remount_root)
{
    return CALL(SYS_mount, 0, "/cloche-nowhere", 0, MS_REMOUNT | MS_BIND, 0);
}

ATTACK(umount_root)
{
    return CALL(SYS_umount2, "/cloche-nowhere", MNT_DETACH);
}

ATTACK(fsopen_tmpfs)
{
    return CALL(430, "tmpfs", 1);
}

ATTACK(open_tree_root)
{
    return CALL(428, AT_FDCWD, "/", 0);
}

ATTACK(file_handle)
{
    struct { unsigned n; int t; char b[128]; } h = { 128, 0, "" };
    int id;
    return CALL(SYS_name_to_handle_at, AT_FDCWD, "/cloche-nowhere", &h, &id, 0);
}

ATTACK(exec_true)
{
    const char *argv[] = { "true", NULL };
    return CALL(SYS_execve, "/bin/true", argv, 0);
}

ATTACK(memfd)
{
    return CALL(SYS_memfd_create, "x", 0);
}

/* A program of one call: exit_group(7). */
static const unsigned char tiny[] = {
    0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0x3e, 0, 1, 0, 0, 0,
    0x78, 0, 0x40, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0x40, 0, 0x38, 0, 1, 0, 0, 0, 0, 0, 0, 0,
    1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0,
    0x84, 0, 0, 0, 0, 0, 0, 0, 0x84, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0,
    0xbf, 7, 0, 0, 0, 0xb8, 0xe7, 0, 0, 0, 0x0f, 0x05,
};

ATTACK(memfd_exec)
{
    const char *argv[] = { "x", NULL };
    int64_t fd = CALL(SYS_memfd_create, "x", 0), r;

    if (fd < 0)
        return fd;
    if ((r = CALL(SYS_write, fd, tiny, sizeof tiny)) < 0)
        return r;
    return CALL(SYS_execveat, fd, "", argv, 0, AT_EMPTY_PATH);
}

/* ---- network ---- */

ATTACK(socket_inet)
{
    return CALL(SYS_socket, AF_INET, SOCK_STREAM, 0);
}

ATTACK(socket_inet6)
{
    return CALL(SYS_socket, AF_INET6, SOCK_DGRAM, 0);
}

ATTACK(socket_unix)
{
    return CALL(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
}

ATTACK(socket_netlink)
{
    return CALL(SYS_socket, AF_NETLINK, SOCK_RAW, 0);
}

ATTACK(socket_packet)
{
    return CALL(SYS_socket, AF_PACKET, SOCK_RAW, 0);
}

ATTACK(socket_pair)
{
    int s[2];
    return CALL(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, s);
}

ATTACK(connect_tcp) /* port */
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)argument) };
    int64_t fd = CALL(SYS_socket, AF_INET, SOCK_STREAM, 0);

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return fd < 0 ? fd : CALL(SYS_connect, fd, &to, sizeof to);
}

ATTACK(send_udp) /* port */
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)argument) };
    int64_t fd = CALL(SYS_socket, AF_INET, SOCK_DGRAM, 0);

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return fd < 0 ? fd : CALL(SYS_sendto, fd, "x", 1, 0, &to, sizeof to);
}

ATTACK(listen_tcp)
{
    struct sockaddr_in at = { .sin_family = AF_INET };
    int64_t fd = CALL(SYS_socket, AF_INET, SOCK_STREAM, 0);

    return fd < 0 ? fd : CALL(SYS_bind, fd, &at, sizeof at);
}

ATTACK(connect_abstract) /* process id: the name is cloche-escape-<pid> */
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    int64_t fd = CALL(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
    int n = snprintf(to.sun_path + 1, sizeof to.sun_path - 1, "cloche-escape-%d", (int)argument);

    return fd < 0 ? fd : CALL(SYS_connect, fd, &to, offsetof(struct sockaddr_un, sun_path) + 1 + (unsigned)n);
}

ATTACK(sendmsg_fd)
{
    struct msghdr m = { .msg_iov = NULL };
    return CALL(SYS_sendmsg, CHILD_SOCKET, &m, 0);
}

ATTACK(recvmsg_fd)
{
    struct msghdr m = { .msg_iov = NULL };
    return CALL(SYS_recvmsg, CHILD_SOCKET, &m, MSG_DONTWAIT);
}

ATTACK(shm_of_host)
{
    return CALL(SYS_shmget, argument, 0, 0);
}

ATTACK(shm_new)
{
    int64_t id = CALL(SYS_shmget, 0, 4096, 0600);
    if (id >= 0)
        CALL(SYS_shmctl, id, 0, 0);
    return id;
}

ATTACK(msg_new)
{
    int64_t id = CALL(SYS_msgget, 0, 0600);
    if (id >= 0)
        CALL(SYS_msgctl, id, 0, 0);
    return id;
}

/* ---- processes ---- */

static int64_t end_child(int64_t pid)
{
    if (pid == 0)
        CALL(SYS_exit_group, 0);
    return pid;
}

ATTACK(fork_old)
{
    return end_child(CALL(SYS_fork));
}

ATTACK(fork_clone)
{
    return end_child(CALL(SYS_clone, SIGCHLD, 0));
}

ATTACK(fork_clone3)
{
    struct clone_args a = { .exit_signal = SIGCHLD };
    return end_child(CALL(SYS_clone3, &a, sizeof a));
}

ATTACK(fork_userns)
{
    return end_child(CALL(SYS_clone, SIGCHLD | CLONE_NEWUSER, 0));
}

ATTACK(trace_host)
{
    return CALL(SYS_ptrace, PTRACE_SEIZE, argument, 0, 0);
}

ATTACK(trace_me)
{
    return CALL(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0);
}

ATTACK(read_host)
{
    char c;
    struct iovec to = { &c, 1 }, from = { (void *)0x10000, 1 };
    return CALL(SYS_process_vm_readv, argument, &to, 1, &from, 1, 0);
}

ATTACK(kill_all)
{
    return CALL(SYS_kill, -1, 0);
}

ATTACK(kill_first)
{
    return CALL(SYS_kill, 1, 0);
}

ATTACK(kill_host)
{
    return CALL(SYS_kill, argument, 0);
}

ATTACK(kill_parent)
{
    return CALL(SYS_kill, CALL(SYS_getppid), 0);
}

ATTACK(kill_self)
{
    return CALL(SYS_kill, CALL(SYS_getpid), 0);
}

ATTACK(thread_kill_host)
{
    return CALL(SYS_tgkill, argument, argument, 0);
}

ATTACK(queue_host)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_code = -1;
    return CALL(SYS_rt_sigqueueinfo, argument, 0, &info);
}

ATTACK(pidfd_host)
{
    return CALL(434, argument, 0);
}

ATTACK(become_root)
{
    return CALL(SYS_setuid, 0);
}

ATTACK(become_root_group)
{
    return CALL(SYS_setgid, 0);
}

ATTACK(set_groups)
{
    return CALL(SYS_setgroups, 0, 0);
}

ATTACK(raise_limits)
{
    struct rlimit l = { 100, 100 };
    return CALL(SYS_prlimit64, 0, RLIMIT_NPROC, &l, 0);
}

ATTACK(raise_data)
{
    struct rlimit l = { RLIM_INFINITY, RLIM_INFINITY };
    return CALL(SYS_prlimit64, 0, RLIMIT_DATA, &l, 0);
}

ATTACK(limit_host)
{
    struct rlimit l;
    return CALL(SYS_prlimit64, argument, RLIMIT_CORE, 0, &l);
}

ATTACK(affinity)
{
    unsigned long mask = 1;
    return CALL(SYS_sched_setaffinity, argument, sizeof mask, &mask);
}

ATTACK(new_session)
{
    return CALL(SYS_setsid);
}

ATTACK(raise_capability)
{
    struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct d[2] = { { 1u << CAP_SYS_ADMIN, 1u << CAP_SYS_ADMIN, 0 }, { 0, 0, 0 } };
    return CALL(SYS_capset, &h, d);
}

ATTACK(unshare_user)
{
    return CALL(SYS_unshare, CLONE_NEWUSER);
}

ATTACK(unshare_mount)
{
    return CALL(SYS_unshare, CLONE_NEWNS);
}

ATTACK(unshare_net)
{
    return CALL(SYS_unshare, CLONE_NEWNET);
}

ATTACK(set_namespace)
{
    return CALL(SYS_setns, CHILD_SOCKET, 0);
}

/* How many descriptors other than the socket answer to a write of nothing. */
ATTACK(count_fds)
{
    int64_t open = 0;

    for (int fd = 0; fd < 4096; fd++)
        if (fd != CHILD_SOCKET && CALL(SYS_write, fd, 0, 0) != -EBADF)
            open++;
    return open;
}

ATTACK(dup_and_count)
{
    int64_t fd = CALL(SYS_dup, CHILD_SOCKET);
    return fd < 0 ? fd : count_fds(0);
}

/* ---- kernel ---- */

ATTACK(bpf_map)
{
    union bpf_attr a;
    memset(&a, 0, sizeof a);
    a.map_type = BPF_MAP_TYPE_ARRAY;
    a.key_size = a.value_size = 4;
    a.max_entries = 1;
    return CALL(SYS_bpf, BPF_MAP_CREATE, &a, sizeof a);
}

ATTACK(io_uring)
{
    struct io_uring_params p;
    memset(&p, 0, sizeof p);
    return CALL(SYS_io_uring_setup, 1, &p);
}

ATTACK(userfault)
{
    return CALL(SYS_userfaultfd, 0);
}

ATTACK(perf)
{
    struct perf_event_attr a;
    memset(&a, 0, sizeof a);
    a.size = sizeof a;
    a.type = PERF_TYPE_SOFTWARE;
    a.config = PERF_COUNT_SW_CPU_CLOCK;
    return CALL(SYS_perf_event_open, &a, argument, -1, -1, 0);
}

ATTACK(key_session)
{
    return CALL(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_PROCESS_KEYRING, 1);
}

ATTACK(key_add)
{
    return CALL(SYS_add_key, "user", "cloche-escape", "x", 1, KEY_SPEC_PROCESS_KEYRING);
}

ATTACK(load_module)
{
    return CALL(SYS_init_module, "", 0, "");
}

ATTACK(load_kernel)
{
    return CALL(SYS_kexec_load, 0, 0, 0, ~0UL);
}

ATTACK(reboot_badly)
{
    return CALL(SYS_reboot, 0, 0, 0);
}

ATTACK(kernel_log)
{
    return CALL(SYS_syslog, 10, 0, 0);
}

ATTACK(set_time)
{
    struct timespec t = { -1, -1 };
    return CALL(SYS_clock_settime, CLOCK_REALTIME, &t);
}

ATTACK(io_ports)
{
    return CALL(SYS_iopl, 0);
}

ATTACK(swap_on)
{
    return CALL(SYS_swapon, "/cloche-nowhere", 0);
}

ATTACK(host_name)
{
    return CALL(SYS_sethostname, "", -1L);
}

ATTACK(change_persona)
{
    return CALL(SYS_personality, ADDR_NO_RANDOMIZE);
}

ATTACK(change_ldt)
{
    return CALL(SYS_modify_ldt, 0, 0, 0);
}

ATTACK(arch_get)
{
    unsigned long at;
    return CALL(SYS_arch_prctl, 0x1003, &at);
}

ATTACK(prctl_dumpable)
{
    return CALL(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0);
}

ATTACK(prctl_seccomp_off)
{
    return CALL(SYS_prctl, PR_SET_SECCOMP, 0, 0, 0, 0);
}

ATTACK(prctl_mm)
{
    return CALL(SYS_prctl, PR_SET_MM, PR_SET_MM_BRK, 0, 0, 0);
}

ATTACK(prctl_privs)
{
    return CALL(SYS_prctl, PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0);
}

ATTACK(prctl_name)
{
    return CALL(SYS_prctl, PR_SET_NAME, "x", 0, 0, 0);
}

ATTACK(filter_more)
{
    return CALL(SYS_seccomp, 2, 0, &(uint32_t){ 0x7fff0000 });
}

ATTACK(ioctl_socket)
{
    return CALL(SYS_ioctl, CHILD_SOCKET, 0x8910, 0);
}

ATTACK(fcntl_owner)
{
    return CALL(SYS_fcntl, CHILD_SOCKET, F_SETOWN, argument);
}

ATTACK(dup_socket)
{
    return CALL(SYS_dup, CHILD_SOCKET);
}

ATTACK(sysinfo_read)
{
    char space[256];
    return CALL(SYS_sysinfo, space);
}

ATTACK(uname_read)
{
    char space[512];
    return CALL(SYS_uname, space);
}

/* ---- memory ---- */

static char page[8192] __attribute__((aligned(4096)));

ATTACK(protect_exec)
{
    return CALL(SYS_mprotect, page, 4096, PROT_READ | PROT_EXEC);
}

ATTACK(protect_write)
{
    return CALL(SYS_mprotect, page, 4096, PROT_READ | PROT_WRITE);
}

ATTACK(protect_odd)
{
    return CALL(SYS_mprotect, page, 4096, PROT_READ | PROT_GROWSDOWN);
}

ATTACK(protect_wide)
{
    return CALL(SYS_mprotect, page, 4096, (1L << 32) | PROT_READ);
}

ATTACK(map_exec)
{
    int64_t at = CALL(SYS_mmap, 0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at < 0 ? at : 0;
}

ATTACK(map_more)
{
    int64_t at = CALL(SYS_mmap, 0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at < 0 ? at : 0;
}

ATTACK(remap_more)
{
    int64_t at = CALL(SYS_mremap, page, 4096, 1 << 20, MREMAP_MAYMOVE);
    return at < 0 ? at : 0;
}

ATTACK(grow_heap)
{
    int64_t now = CALL(SYS_brk, 0);
    return CALL(SYS_brk, now + (128 << 20)) > now ? 0 : -ENOMEM;
}

ATTACK(advise_free)
{
    return CALL(SYS_madvise, page, 4096, MADV_FREE);
}

ATTACK(advise_dontneed)
{
    return CALL(SYS_madvise, page, 4096, MADV_DONTNEED);
}

ATTACK(lock_memory)
{
    return CALL(SYS_mlock, page, 4096);
}

ATTACK(pkey_protect)
{
    return CALL(SYS_pkey_mprotect, page, 4096, PROT_READ | PROT_EXEC, -1);
}

ATTACK(remap_pages)
{
    return CALL(SYS_remap_file_pages, page, 4096, 0, 0, 0);
}

/* ---- other doors into the kernel ---- */

ATTACK(number_x32)
{
    return CALL(0x40000000 + SYS_getpid);
}

ATTACK(number_wide)
{
    return CALL((1L << 32) + SYS_getpid);
}

ATTACK(number_none)
{
    return CALL(100000);
}

ATTACK(door_int80)
{
    long answer;
    __asm__ volatile("int $0x80" : "=a"(answer) : "a"(20L) : "r8", "r9", "r10", "r11", "memory"); /* getpid */
    return answer;
}

#define ROW(name) { #name, name }
static const struct {
    const char *name;
    attack_fn *run;
} attacks[] = {
    ROW(open_passwd), ROW(open_old), ROW(open_proc), ROW(open_sys), ROW(open_dev), ROW(open_root), ROW(open_above),
    ROW(stat_passwd), ROW(make_folder), ROW(make_file), ROW(chroot_here), ROW(mount_tmpfs), ROW(remount_root),
    ROW(umount_root), ROW(fsopen_tmpfs), ROW(open_tree_root), ROW(file_handle), ROW(exec_true), ROW(memfd),
    ROW(memfd_exec), ROW(socket_inet), ROW(socket_inet6), ROW(socket_unix), ROW(socket_netlink), ROW(socket_packet),
    ROW(socket_pair), ROW(connect_tcp), ROW(send_udp), ROW(listen_tcp), ROW(connect_abstract), ROW(sendmsg_fd),
    ROW(recvmsg_fd), ROW(shm_of_host), ROW(shm_new), ROW(msg_new), ROW(fork_old), ROW(fork_clone), ROW(fork_clone3),
    ROW(fork_userns), ROW(trace_host), ROW(trace_me), ROW(read_host), ROW(kill_all), ROW(kill_first), ROW(kill_host),
    ROW(kill_parent), ROW(kill_self), ROW(thread_kill_host), ROW(queue_host), ROW(pidfd_host), ROW(become_root),
    ROW(become_root_group), ROW(set_groups), ROW(raise_limits), ROW(raise_data), ROW(limit_host), ROW(affinity),
    ROW(new_session), ROW(raise_capability), ROW(unshare_user), ROW(unshare_mount), ROW(unshare_net),
    ROW(set_namespace), ROW(count_fds), ROW(dup_and_count), ROW(bpf_map), ROW(io_uring), ROW(userfault), ROW(perf),
    ROW(key_session), ROW(key_add), ROW(load_module), ROW(load_kernel), ROW(reboot_badly), ROW(kernel_log),
    ROW(set_time), ROW(io_ports), ROW(swap_on), ROW(host_name), ROW(change_persona), ROW(change_ldt), ROW(arch_get),
    ROW(prctl_dumpable), ROW(prctl_seccomp_off), ROW(prctl_mm), ROW(prctl_privs), ROW(prctl_name), ROW(filter_more),
    ROW(ioctl_socket), ROW(fcntl_owner), ROW(dup_socket), ROW(sysinfo_read), ROW(uname_read), ROW(protect_exec),
    ROW(protect_write), ROW(protect_odd), ROW(protect_wide), ROW(map_exec), ROW(map_more), ROW(remap_more),
    ROW(grow_heap), ROW(advise_free), ROW(advise_dontneed), ROW(lock_memory), ROW(pkey_protect), ROW(remap_pages),
    ROW(number_x32), ROW(number_wide), ROW(number_none), ROW(door_int80),
};

attack_fn *attack_find(const char *name)
{
    for (unsigned i = 0; i < sizeof attacks / sizeof attacks[0]; i++)
        if (strcmp(attacks[i].name, name) == 0)
            return attacks[i].run;
    return NULL;
}
