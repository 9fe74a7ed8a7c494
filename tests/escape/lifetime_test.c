/* Whoever is killed, at whatever moment: nothing is left, the host is told, and is disturbed by nothing. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../unit/runner.h"
#include "backend/process/cgroup.h"
#include "host.h"

/* ---- what must not be left ---- */

/* Groups of a process, in the folders where it would make them. */
static unsigned count_groups(int pid)
{
    cl_cgroup_place place;
    char prefix[64];
    unsigned count = 0;

    cl_cgroup_choose(&place);
    snprintf(prefix, sizeof prefix, "cloche-%d-", pid);
    for (int i = 0; i < 2; i++) {
        char *path = i == 0 ? place.memory : place.pids, *slash = strrchr(path, '/');
        if (slash == NULL)
            continue;
        *slash = '\0';
        DIR *folder = opendir(path);
        for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
            count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
        if (folder != NULL)
            closedir(folder);
    }
    return count;
}

static unsigned count_mounts(void)
{
    FILE *file = fopen("/proc/self/mountinfo", "re");
    unsigned count = 0;
    int c;

    while ((c = getc(file)) != EOF)
        count += c == '\n';
    fclose(file);
    return count;
}

static void reap_orphans(void)
{
    while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
        continue;
}

static bool has_no_descendants(void *user)
{
    int pids[8];

    (void)user;
    reap_orphans();
    return host_descendants(pids, 8) == 0;
}

static bool has_no_groups(void *user)
{
    return count_groups(*(int *)user) == 0;
}

static void expect_nothing_left(int host_pid)
{
    int pids[8] = { 0 };

    if (!host_until(has_no_descendants, NULL)) {
        host_descendants(pids, 8);
        ck_abort_msg("process %d and maybe others are left", pids[0]);
    }
    ck_assert_msg(host_until(has_no_groups, &host_pid), "%u groups are left", count_groups(host_pid));
}

static void start(host *h)
{
    host_init(h);
    ck_assert_msg(host_start(h) == CLOCHE_OK, "%s", h->error.text);
}

static int64_t order(host *h, uint32_t id, const char *name, int64_t argument)
{
    int64_t answer = INT64_MIN;

    ck_assert_msg(host_order(h, id, name, argument, &answer), "%s: the child ended", name);
    return answer;
}

static void expect_child_works(host *h, uint32_t id)
{
    host_spawn(h, id);
    ck_assert_int_eq(order(h, id, "count_fds", 0), 0);
    host_send(h, id, "exit", 0);
    ck_assert_int_eq(host_wait_exit(h, id).status, 0);
}

/* ---- the host is not disturbed ---- */

static volatile sig_atomic_t sigchld_count;

static void sig_child(int number)
{
    (void)number;
    sigchld_count++;
}

START_TEST(the_host_gets_no_signal_and_has_no_child_to_wait_for)
{
    host h;

    signal(SIGCHLD, sig_child);
    start(&h);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
    for (uint32_t i = 0; i < 4; i++)
        expect_child_works(&h, i);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
    host_stop(&h);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
    ck_assert_int_eq(sigchld_count, 0);
    expect_nothing_left(getpid());
}
END_TEST

START_TEST(five_hundred_children_leave_no_descriptor_and_no_process)
{
    host h;
    unsigned fds;
    int pids[16];

    start(&h);
    expect_child_works(&h, 0);
    fds = host_fd_count();
    for (uint32_t i = 0; i < 500; i++)
        expect_child_works(&h, i % 8);
    ck_assert_uint_le(host_fd_count(), fds + 7); /* the sockets of children 1 to 7 */
    ck_assert_uint_eq(host_descendants(pids, 16), 3);
    host_stop(&h);
    expect_nothing_left(getpid());
}
END_TEST

START_TEST(starting_and_stopping_leaves_no_descriptor)
{
    host h;
    unsigned fds;

    start(&h);
    host_stop(&h);
    fds = host_fd_count();
    for (int i = 0; i < 20; i++) {
        start(&h);
        host_stop(&h);
    }
    ck_assert_uint_eq(host_fd_count(), fds);
    expect_nothing_left(getpid());
}
END_TEST

START_TEST(a_burst_of_children_all_run_and_all_end)
{
    host h;

    start(&h);
    for (int round = 0; round < 4; round++) {
        for (uint32_t i = 0; i < HOST_CHILDREN; i++)
            host_spawn(&h, i);
        for (uint32_t i = 0; i < HOST_CHILDREN; i++)
            ck_assert_int_eq(order(&h, i, "protect_write", 0), 0);
        for (uint32_t i = 0; i < HOST_CHILDREN; i++)
            host_send(&h, i, "exit", i);
        for (uint32_t i = 0; i < HOST_CHILDREN; i++)
            ck_assert_int_eq(WEXITSTATUS(host_wait_exit(&h, i).status), (int)i);
    }
    host_stop(&h);
}
END_TEST

START_TEST(more_children_than_agreed_and_ids_in_use_are_refused)
{
    host h;
    int ends[2];

    host_init(&h);
    h.config.most_children = 2;
    ck_assert_int_eq(host_start(&h), CLOCHE_OK);
    host_spawn(&h, 0);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    ck_assert_int_eq(cl_zygote_spawn(h.zygote, 0, ends[0], &h.error), CLOCHE_E_INVAL);
    host_spawn(&h, 1);
    ck_assert_int_eq(cl_zygote_spawn(h.zygote, 2, ends[0], &h.error), CLOCHE_E_BUSY);
    host_send(&h, 0, "exit", 3);
    ck_assert_int_eq(WEXITSTATUS(host_wait_exit(&h, 0).status), 3);
    expect_child_works(&h, 2);
    host_stop(&h);
}
END_TEST

/* ---- how a child ends ---- */

START_TEST(a_child_that_crashes_is_told_from_one_that_exits)
{
    host h;
    int64_t answer;

    start(&h);
    host_spawn(&h, 0);
    ck_assert(!host_order(&h, 0, "crash", 0, &answer));
    ck_assert_int_eq(WTERMSIG(host_wait_exit(&h, 0).status), SIGSEGV);
    host_spawn(&h, 0);
    host_send(&h, 0, "exit", 42);
    ck_assert_int_eq(WEXITSTATUS(host_wait_exit(&h, 0).status), 42);
    host_stop(&h);
}
END_TEST

START_TEST(a_child_ends_when_its_socket_is_closed)
{
    host h;

    start(&h);
    host_spawn(&h, 0);
    ck_assert_int_eq(shutdown(h.children[0].socket, SHUT_WR), 0);
    ck_assert_int_eq(host_wait_exit(&h, 0).status, 0);
    host_stop(&h);
}
END_TEST

static bool has_run_50_ms(void *user)
{
    static struct timespec since;
    struct timespec now;

    (void)user;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (since.tv_sec == 0)
        since = now;
    return (now.tv_sec - since.tv_sec) * 1000 + (now.tv_nsec - since.tv_nsec) / 1000000 >= 50;
}

START_TEST(a_child_that_spins_is_killed_and_its_time_counted)
{
    host h;

    start(&h);
    host_spawn(&h, 0);
    host_spawn(&h, 1);
    host_send(&h, 0, "spin", 0);
    host_until(has_run_50_ms, NULL);
    cl_zygote_kill(h.zygote, 0);
    cl_child_exit how = host_wait_exit(&h, 0);
    ck_assert_int_eq(how.status, SIGKILL);
    ck_assert(!how.is_oom);
    ck_assert_uint_ge(how.cpu_ns, 5000000);
    ck_assert_int_eq(order(&h, 1, "count_fds", 0), 0);
    cl_zygote_kill(h.zygote, 77); /* nobody */
    host_stop(&h);
    ck_assert_int_eq(h.children[1].times, 1);
}
END_TEST

START_TEST(memory_ends_at_the_childs_own_wall)
{
    host h;

    start(&h);
    host_spawn(&h, 0);
    ck_assert_int_eq(order(&h, 0, "grow", 16 << 20), 16 << 20);
    ck_assert_int_eq(order(&h, 0, "grow", 128 << 20), -1);
    ck_assert_int_eq(order(&h, 0, "grow", 900 << 20), -1);
    ck_assert_int_eq(order(&h, 0, "allocate", 1 << 20), 0);
    ck_assert_int_eq(order(&h, 0, "allocate", 128 << 20), -1);
    host_send(&h, 0, "exit", 0);
    ck_assert_int_eq(host_wait_exit(&h, 0).status, 0);
    host_stop(&h);
}
END_TEST

START_TEST(a_full_memory_group_kills_the_child_that_fills_it_and_says_so)
{
    host h;
    int64_t answer;

    host_init(&h);
    h.config.memory_bytes = 512u << 20;
    h.config.group_bytes = 48u << 20;
    ck_assert_int_eq(host_start(&h), CLOCHE_OK);
    if ((h.report.isolation & CLOCHE_LAYER_CGROUP) == 0) {
        fprintf(stderr, "SKIP: no memory group here\n");
        host_stop(&h);
        return;
    }
    host_spawn(&h, 0);
    host_spawn(&h, 1);
    ck_assert(!host_order(&h, 1, "grow", 256 << 20, &answer));
    cl_child_exit how = host_wait_exit(&h, 1);
    ck_assert_int_eq(how.status, SIGKILL);
    ck_assert(how.is_oom);
    ck_assert_int_eq(order(&h, 0, "count_fds", 0), 0);
    cl_zygote_kill(h.zygote, 0);
    ck_assert(!host_wait_exit(&h, 0).is_oom);
    expect_child_works(&h, 2);
    host_stop(&h);
    expect_nothing_left(getpid());
}
END_TEST

/* ---- a part is killed ---- */

static void expect_death_of_all(int (*victim)(void))
{
    host h;
    int pid;

    start(&h);
    for (uint32_t i = 0; i < 3; i++)
        host_spawn(&h, i);
    ck_assert_int_eq(order(&h, 0, "protect_write", 0), 0);
    host_send(&h, 1, "spin", 0);
    ck_assert_int_gt(pid = victim(), 0);
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    host_wait_death(&h);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_int_eq(host_wait_exit(&h, i).status, SIGKILL);
        ck_assert_int_eq(h.children[i].times, 1);
    }
    int ends[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    ck_assert_int_eq(cl_zygote_spawn(h.zygote, 9, ends[0], &h.error), CLOCHE_E_SYS);
    host_stop(&h);
    ck_assert_int_eq(h.deaths, 1);
    expect_nothing_left(getpid());
    start(&h);
    expect_child_works(&h, 0);
    host_stop(&h);
}

START_TEST(when_the_server_is_killed_all_ends_and_another_can_be_started)
{
    expect_death_of_all(host_server_pid);
}
END_TEST

START_TEST(when_the_supervisor_is_killed_all_ends_and_another_can_be_started)
{
    expect_death_of_all(host_supervisor_pid);
}
END_TEST

START_TEST(when_the_guard_is_killed_all_ends_and_another_can_be_started)
{
    expect_death_of_all(host_guard_pid);
}
END_TEST

static int control_socket(void)
{
    for (int fd = 3; fd < 256; fd++) {
        int type = 0;
        socklen_t length = sizeof type;
        if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_SEQPACKET)
            return fd;
    }
    return -1;
}

START_TEST(an_order_that_is_none_ends_the_zygote)
{
    static const char *const orders[] = { "x", "xxxxxxxx", "xxxxxxxxxxxxxxxxxxxxxxxx" };

    for (unsigned i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        host h;
        start(&h);
        host_spawn(&h, 0);
        ck_assert_int_gt(send(control_socket(), orders[i], strlen(orders[i]), 0), 0);
        host_wait_death(&h);
        ck_assert_int_eq(host_wait_exit(&h, 0).status, SIGKILL);
        host_stop(&h);
        expect_nothing_left(getpid());
    }
}
END_TEST

START_TEST(a_stopped_zygote_is_ended_all_the_same)
{
    host h;

    start(&h);
    host_spawn(&h, 0);
    ck_assert_int_eq(order(&h, 0, "protect_write", 0), 0);
    kill(host_supervisor_pid(), SIGSTOP);
    kill(host_server_pid(), SIGSTOP);
    host_stop(&h);
    ck_assert_int_eq(host_wait_exit(&h, 0).status, SIGKILL);
    expect_nothing_left(getpid());
}
END_TEST

/* ---- the whole host is killed ---- */

/* Forks a host that starts, spawns and goes on; kills it after so long, or when it says that it is ready. */
static void kill_host_after(long delay_us, bool is_kept_open)
{
    int ready[2], status;
    char c;
    pid_t pid;

    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    ck_assert_int_eq(pipe2(ready, O_CLOEXEC), 0);
    fflush(NULL);
    if ((pid = fork()) == 0) {
        host h;
        host_init(&h);
        if (host_start(&h) < 0)
            _exit(1);
        for (uint32_t i = 0; i < 3; i++)
            host_spawn(&h, i);
        host_send(&h, 1, "spin", 0);
        /* A process that was forked meanwhile holds all descriptors, the control socket too. */
        if (is_kept_open && fork() == 0)
            for (;;)
                pause();
        if (write(ready[1], "r", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(ready[1]);
    if (delay_us < 0) {
        ck_assert_int_eq(read(ready[0], &c, 1), 1);
    } else {
        const struct timespec delay = { 0, delay_us * 1000 };
        nanosleep(&delay, NULL);
    }
    int holder = is_kept_open ? 1 : 0;
    kill(pid, SIGKILL);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    close(ready[0]);
    if (holder != 0) { /* everything but the process that merely holds descriptors */
        int pids[8];
        unsigned count = 8;
        for (int i = 0; i < 5000 && count > 1; i++) {
            const struct timespec pause_time = { 0, 2000000 };
            reap_orphans();
            count = host_descendants(pids, 8);
            nanosleep(&pause_time, NULL);
        }
        ck_assert_uint_eq(count, 1);
        kill(pids[0], SIGKILL);
    }
    expect_nothing_left(pid);
}

START_TEST(when_the_host_is_killed_nothing_is_left)
{
    unsigned mounts = count_mounts();

    kill_host_after(-1, false);
    ck_assert_uint_eq(count_mounts(), mounts);
}
END_TEST

START_TEST(when_the_host_is_killed_and_its_descriptors_live_on_nothing_is_left)
{
    kill_host_after(-1, true);
}
END_TEST

START_TEST(when_the_host_is_killed_at_any_moment_of_the_start_nothing_is_left)
{
    for (long us = 0; us < 12000; us += 300)
        kill_host_after(us, false);
}
END_TEST

static void *start_and_end(void *arg)
{
    start(arg);
    return NULL;
}

START_TEST(the_thread_that_started_it_may_end)
{
    host h;
    pthread_t thread;

    ck_assert_int_eq(pthread_create(&thread, NULL, start_and_end, &h), 0);
    pthread_join(thread, NULL);
    expect_child_works(&h, 0);
    ck_assert_int_eq(h.deaths, 0);
    host_stop(&h);
}
END_TEST

TEST_MAIN("escape/lifetime", the_host_gets_no_signal_and_has_no_child_to_wait_for,
          five_hundred_children_leave_no_descriptor_and_no_process, starting_and_stopping_leaves_no_descriptor,
          a_burst_of_children_all_run_and_all_end, more_children_than_agreed_and_ids_in_use_are_refused,
          a_child_that_crashes_is_told_from_one_that_exits, a_child_ends_when_its_socket_is_closed,
          a_child_that_spins_is_killed_and_its_time_counted, memory_ends_at_the_childs_own_wall,
          a_full_memory_group_kills_the_child_that_fills_it_and_says_so,
          when_the_server_is_killed_all_ends_and_another_can_be_started,
          when_the_supervisor_is_killed_all_ends_and_another_can_be_started,
          when_the_guard_is_killed_all_ends_and_another_can_be_started, an_order_that_is_none_ends_the_zygote,
          a_stopped_zygote_is_ended_all_the_same, when_the_host_is_killed_nothing_is_left,
          when_the_host_is_killed_and_its_descriptors_live_on_nothing_is_left,
          when_the_host_is_killed_at_any_moment_of_the_start_nothing_is_left, the_thread_that_started_it_may_end)
