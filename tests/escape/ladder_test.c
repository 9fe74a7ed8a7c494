/* The ladder: what the system refuses is missing from the jail and named in the report, and all the rest stands. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/runner.h"
#include "backend/process/report.h"
#include "host.h"
#include "launcher.h"

#define EVERYTHING 0x1ffu
#define SFI CLOCHE_LAYER_SFI
#define USERNS CLOCHE_LAYER_USERNS
#define PIDNS CLOCHE_LAYER_PIDNS
#define NETNS CLOCHE_LAYER_NETNS
#define MOUNTNS CLOCHE_LAYER_MOUNTNS
#define SECCOMP CLOCHE_LAYER_SECCOMP
#define LANDLOCK CLOCHE_LAYER_LANDLOCK
#define RLIMIT CLOCHE_LAYER_RLIMIT
#define CGROUP CLOCHE_LAYER_CGROUP
#define NAMESPACES (USERNS | PIDNS | NETNS | MOUNTNS)

/* What a rung says of one layer that is missing. */
typedef struct missing {
    uint32_t layer;
    int os_errno;
    const char *step, *remedy; /* parts of the texts */
} missing;

static void print(const cl_zygote_report *report)
{
    for (uint32_t i = 0; i < report->count; i++)
        fprintf(stderr, "  %-9s %s %s: %s; %s\n", cl_plan_layer_name(report->layers[i].bit),
                report->layers[i].stands ? "stands" : "MISSING", report->layers[i].step,
                strerror(report->layers[i].os_errno), report->layers[i].remedy);
}

/* The jail that is there holds: a child runs, cannot open a file, and leaves nothing. */
static void expect_jail_holds(host *h)
{
    int64_t answer = 0;
    int pids[8];

    host_spawn(h, 0);
    ck_assert(host_order(h, 0, "protect_write", 0, &answer));
    ck_assert_int_eq(answer, 0);
    if (host_order(h, 0, "open_passwd", 0, &answer)) {
        ck_assert_uint_eq(h->report.isolation & SECCOMP, 0);
        ck_assert_int_lt(answer, 0);
    } else {
        ck_assert_int_eq(WTERMSIG(host_wait_exit(h, 0).status), SIGSYS);
    }
    host_stop(h);
    ck_assert_uint_eq(host_descendants(pids, 8), 0);
}

static void expect_rung(uint32_t stands, const missing *gaps, unsigned count)
{
    host h;

    host_init(&h);
    ck_assert_msg(host_start(&h) == CLOCHE_OK, "%s", h.error.text);
    if (h.report.isolation != stands)
        print(&h.report);
    ck_assert_uint_eq(h.report.isolation, stands);
    for (unsigned i = 0; i < count; i++) {
        const cl_layer_report *entry = cl_report_find(&h.report, gaps[i].layer);
        ck_assert(!entry->stands);
        ck_assert_int_eq(entry->os_errno, gaps[i].os_errno);
        ck_assert_msg(strstr(entry->step, gaps[i].step) != NULL, "step: %s", entry->step);
        ck_assert_msg(strstr(entry->remedy, gaps[i].remedy) != NULL, "remedy: %s", entry->remedy);
    }
    for (uint32_t i = 0; i < h.report.count; i++)
        if (!h.report.layers[i].stands) {
            ck_assert_str_ne(h.report.layers[i].step, "");
            ck_assert_str_ne(h.report.layers[i].remedy, "");
        }
    expect_jail_holds(&h);

    /* Asked for, a missing layer is an error that says the same. */
    for (unsigned i = 0; i < count; i++) {
        host_init(&h);
        h.config.required = gaps[i].layer;
        ck_assert_int_eq(host_start(&h), CLOCHE_E_NOSYS);
        ck_assert_ptr_null(h.zygote);
        ck_assert_int_eq(h.error.os_errno, gaps[i].os_errno);
        ck_assert_ptr_nonnull(strstr(h.error.text, cl_plan_layer_name(gaps[i].layer)));
        ck_assert_ptr_nonnull(strstr(h.error.text, gaps[i].step));
    }
}

#define EXPECT_RUNG(stands, ...)                                                 \
    do {                                                                         \
        const missing gaps[] = { __VA_ARGS__ };                                  \
        expect_rung(stands, gaps, sizeof gaps / sizeof gaps[0]);                 \
    } while (0)

static bool is_root(void)
{
    if (geteuid() == 0)
        return true;
    fprintf(stderr, "SKIP: needs root\n");
    return false;
}

START_TEST(root_has_every_layer)
{
    if (is_root())
        expect_rung(EVERYTHING, NULL, 0);
}
END_TEST

START_TEST(an_ordinary_user_has_all_but_the_memory_group)
{
    if (!is_root())
        return;
    launcher_become(_i == 0 ? 65534 : 1000);
    EXPECT_RUNG(EVERYTHING & ~CGROUP, { CGROUP, EACCES, "memory cgroup", "delegated" });
}
END_TEST

static void refuse_user_namespaces(int os_errno)
{
    launcher_refuse_bits(SYS_unshare, CLONE_NEWUSER, os_errno);
    launcher_refuse_bits(SYS_clone, CLONE_NEWUSER, os_errno);
}

START_TEST(an_ordinary_user_without_user_namespaces_has_what_needs_none)
{
    if (!is_root())
        return;
    launcher_become(65534);
    refuse_user_namespaces(EPERM);
    EXPECT_RUNG(SFI | SECCOMP | LANDLOCK | RLIMIT,
                { USERNS, EPERM, "unshare(CLONE_NEWUSER)", "unprivileged_userns_clone" },
                { PIDNS, EPERM, "needs userns", "see userns" }, { NETNS, EPERM, "needs userns", "see userns" },
                { MOUNTNS, EPERM, "needs userns", "see userns" }, { CGROUP, EACCES, "memory cgroup", "" });
}
END_TEST

START_TEST(a_full_count_of_user_namespaces_is_told_from_a_refusal)
{
    if (!is_root())
        return;
    launcher_become(65534);
    refuse_user_namespaces(ENOSPC);
    EXPECT_RUNG(SFI | SECCOMP | LANDLOCK | RLIMIT, { USERNS, ENOSPC, "unshare", "max_user_namespaces" });
}
END_TEST

START_TEST(root_without_user_namespaces_makes_the_others_itself)
{
    if (!is_root())
        return;
    refuse_user_namespaces(EPERM);
    EXPECT_RUNG(EVERYTHING & ~USERNS, { USERNS, EPERM, "unshare(CLONE_NEWUSER)", "container profile" });
}
END_TEST

START_TEST(root_in_a_container_that_refuses_unshare_and_mount_has_the_rest)
{
    if (!is_root())
        return;
    launcher_refuse(SYS_unshare, EPERM);
    launcher_refuse(SYS_mount, EPERM);
    launcher_refuse_bits(SYS_clone, CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET, EPERM);
    EXPECT_RUNG(EVERYTHING & ~NAMESPACES, { USERNS, EPERM, "unshare(CLONE_NEWUSER)", "permits unshare" },
                { PIDNS, EPERM, "unshare(CLONE_NEWPID)", "see userns" }, { NETNS, EPERM, "unshare(CLONE_NEWNET)", "" },
                { MOUNTNS, EPERM, "unshare(CLONE_NEWNS)", "" });
}
END_TEST

START_TEST(a_user_in_such_a_container_has_the_rest)
{
    if (!is_root())
        return;
    launcher_become(1000);
    launcher_refuse(SYS_unshare, EPERM);
    launcher_refuse(SYS_mount, EPERM);
    EXPECT_RUNG(SFI | SECCOMP | LANDLOCK | RLIMIT, { USERNS, EPERM, "unshare(CLONE_NEWUSER)", "permits unshare" });
}
END_TEST

START_TEST(one_namespace_that_is_refused_does_not_cost_the_others)
{
    if (!is_root())
        return;
    launcher_become(1000);
    launcher_refuse_bits(SYS_unshare, CLONE_NEWNET, EINVAL);
    EXPECT_RUNG(EVERYTHING & ~CGROUP & ~NETNS, { NETNS, EINVAL, "unshare(CLONE_NEWNET)", "kernel" });
}
END_TEST

START_TEST(a_root_that_cannot_be_replaced_costs_only_its_layer)
{
    if (!is_root())
        return;
    launcher_refuse(SYS_pivot_root, EINVAL);
    EXPECT_RUNG(EVERYTHING & ~MOUNTNS, { MOUNTNS, EINVAL, "pivot_root", "chroot" });
}
END_TEST

START_TEST(landlock_that_is_not_there_is_told_from_one_that_is_off)
{
    if (!is_root())
        return;
    launcher_refuse(444, _i == 0 ? ENOSYS : EOPNOTSUPP);
    EXPECT_RUNG(EVERYTHING & ~LANDLOCK, { LANDLOCK, _i == 0 ? ENOSYS : EOPNOTSUPP, "landlock_create_ruleset",
                                          _i == 0 ? "5.13" : "lsm=" });
}
END_TEST

START_TEST(a_root_that_cannot_become_somebody_else_loses_the_limits_that_do_not_bind_it)
{
    if (!is_root())
        return;
    launcher_refuse(SYS_setresuid, EPERM);
    EXPECT_RUNG(EVERYTHING & ~RLIMIT, { RLIMIT, EPERM, "setresuid(65534)", "ordinary user" });
}
END_TEST

START_TEST(limits_that_cannot_be_set_are_missed)
{
    if (!is_root())
        return;
    launcher_refuse(SYS_prlimit64, EPERM);
    EXPECT_RUNG(EVERYTHING & ~RLIMIT, { RLIMIT, EPERM, "setrlimit", "" });
}
END_TEST

START_TEST(a_group_that_is_not_wanted_is_reported_as_such)
{
    host h;

    host_init(&h);
    h.config.group_bytes = 0;
    ck_assert_int_eq(host_start(&h), CLOCHE_OK);
    ck_assert_str_eq(cl_report_find(&h.report, CGROUP)->step, "not asked for");
    expect_jail_holds(&h);
}
END_TEST

static void expect_no_start(int os_errno, const char *part)
{
    host h;
    int pids[8];

    host_init(&h);
    ck_assert_int_eq(host_start(&h), CLOCHE_E_NOSYS);
    ck_assert_int_eq(h.error.os_errno, os_errno);
    ck_assert_msg(strstr(h.error.text, part) != NULL, "%s", h.error.text);
    ck_assert_uint_eq(host_descendants(pids, 8), 0);
}

START_TEST(without_seccomp_a_privileged_host_cannot_start_since_its_guard_would_keep_the_privileges)
{
    if (!is_root())
        return;
    launcher_refuse(SYS_seccomp, EPERM);
    expect_no_start(EPERM, "seccomp");
}
END_TEST

START_TEST(without_seccomp_an_ordinary_user_has_the_rest)
{
    if (!is_root())
        return;
    launcher_become(1000);
    launcher_refuse(SYS_seccomp, ENOSYS);
    EXPECT_RUNG(EVERYTHING & ~SECCOMP & ~CGROUP, { SECCOMP, ENOSYS, "seccomp", "CONFIG_SECCOMP_FILTER" });
}
END_TEST

START_TEST(where_no_memfd_may_be_made_the_error_says_what_to_do)
{
    if (!is_root())
        return;
    launcher_refuse(SYS_memfd_create, EACCES);
    expect_no_start(EACCES, "");
}
END_TEST

START_TEST(where_no_memfd_may_be_executed_the_error_says_what_to_do)
{
    if (!is_root())
        return;
    launcher_refuse(SYS_execveat, EACCES);
    expect_no_start(EACCES, "install cloche-zygote beside");
}
END_TEST

/* Copies the program out of the library to where it would be installed: beside this program. */
static void install_helper(char *path, size_t size)
{
    extern const char cl_zygote_data[] __attribute__((visibility("hidden")));
    extern const char cl_zygote_data_end[] __attribute__((visibility("hidden")));
    ssize_t n = readlink("/proc/self/exe", path, size - 16);

    ck_assert_int_gt(n, 0);
    path[n] = '\0';
    strcpy(strrchr(path, '/'), "/cloche-zygote");
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, cl_zygote_data, (size_t)(cl_zygote_data_end - cl_zygote_data)),
                     cl_zygote_data_end - cl_zygote_data);
    close(fd);
}

START_TEST(the_installed_helper_takes_over_where_memfds_are_refused)
{
    char path[4096];
    host h;

    if (!is_root())
        return;
    install_helper(path, sizeof path);
    launcher_refuse(_i == 0 ? SYS_execveat : SYS_memfd_create, EACCES);
    host_init(&h);
    cloche_status rc = host_start(&h);
    unlink(path);
    ck_assert_msg(rc == CLOCHE_OK, "%s", h.error.text);
    ck_assert_uint_eq(h.report.isolation, EVERYTHING);
    expect_jail_holds(&h);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("escape/ladder");
    TCase *tcase = tcase_create("ladder");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, root_has_every_layer);
    tcase_add_loop_test(tcase, an_ordinary_user_has_all_but_the_memory_group, 0, 2);
    tcase_add_test(tcase, an_ordinary_user_without_user_namespaces_has_what_needs_none);
    tcase_add_test(tcase, a_full_count_of_user_namespaces_is_told_from_a_refusal);
    tcase_add_test(tcase, root_without_user_namespaces_makes_the_others_itself);
    tcase_add_test(tcase, root_in_a_container_that_refuses_unshare_and_mount_has_the_rest);
    tcase_add_test(tcase, a_user_in_such_a_container_has_the_rest);
    tcase_add_test(tcase, one_namespace_that_is_refused_does_not_cost_the_others);
    tcase_add_test(tcase, a_root_that_cannot_be_replaced_costs_only_its_layer);
    tcase_add_loop_test(tcase, landlock_that_is_not_there_is_told_from_one_that_is_off, 0, 2);
    tcase_add_test(tcase, a_root_that_cannot_become_somebody_else_loses_the_limits_that_do_not_bind_it);
    tcase_add_test(tcase, limits_that_cannot_be_set_are_missed);
    tcase_add_test(tcase, a_group_that_is_not_wanted_is_reported_as_such);
    tcase_add_test(tcase, without_seccomp_a_privileged_host_cannot_start_since_its_guard_would_keep_the_privileges);
    tcase_add_test(tcase, without_seccomp_an_ordinary_user_has_the_rest);
    tcase_add_test(tcase, where_no_memfd_may_be_made_the_error_says_what_to_do);
    tcase_add_test(tcase, where_no_memfd_may_be_executed_the_error_says_what_to_do);
    tcase_add_loop_test(tcase, the_installed_helper_takes_over_where_memfds_are_refused, 0, 2);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
