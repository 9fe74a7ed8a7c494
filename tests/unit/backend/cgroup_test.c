#include "backend/process/cgroup.h"

#include <string.h>

#include "../runner.h"

static char path[CL_CGROUP_PATH];
static cl_cgroup_kind kind;

static bool find(const char *groups, const char *mounts, const char *controller)
{
    return cl_cgroup_find(groups, mounts, controller, &kind, path, sizeof path);
}

static const char v1_mounts[] =
    "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n"
    "36 31 0:33 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n";

START_TEST(v1_finds_the_hierarchy_of_a_controller)
{
    ck_assert(find("4:memory:/a/b\n3:cpu,cpuacct:/c\n0::/\n", v1_mounts, "memory"));
    ck_assert_int_eq(kind, CL_CGROUP_V1);
    ck_assert_str_eq(path, "/sys/fs/cgroup/memory/a/b");
    ck_assert(find("4:memory:/a/b\n3:cpu,cpuacct:/c\n0::/\n", v1_mounts, "cpuacct"));
    ck_assert_str_eq(path, "/sys/fs/cgroup/cpu,cpuacct/c");
}
END_TEST

START_TEST(the_top_group_is_the_mount_point_itself)
{
    ck_assert(find("4:memory:/\n", v1_mounts, "memory"));
    ck_assert_str_eq(path, "/sys/fs/cgroup/memory");
}
END_TEST

START_TEST(v2_is_the_line_without_controllers)
{
    static const char mounts[] = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";

    ck_assert(find("0::/user.slice/x.scope\n", mounts, "memory"));
    ck_assert_int_eq(kind, CL_CGROUP_V2);
    ck_assert_str_eq(path, "/sys/fs/cgroup/user.slice/x.scope");
}
END_TEST

START_TEST(a_container_sees_its_group_as_the_root_of_the_mount)
{
    static const char mounts[] = "40 30 0:26 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";

    ck_assert(find("4:memory:/docker/abc/inner\n", mounts, "memory"));
    ck_assert_str_eq(path, "/sys/fs/cgroup/memory/inner");
    ck_assert(find("4:memory:/docker/abc\n", mounts, "memory"));
    ck_assert_str_eq(path, "/sys/fs/cgroup/memory");
    ck_assert(!find("4:memory:/docker/abcdef\n", mounts, "memory"));
    ck_assert(!find("4:memory:/elsewhere\n", mounts, "memory"));
}
END_TEST

START_TEST(a_controller_is_a_whole_word)
{
    ck_assert(!find("4:memo:/a\n", v1_mounts, "memory"));
    ck_assert(!find("4:memoryx:/a\n", v1_mounts, "memory"));
    ck_assert(!find("4:memory:/a\n", v1_mounts, "mem"));
}
END_TEST

START_TEST(text_that_is_cut_anywhere_finds_nothing_wrong)
{
    static const char groups[] = "4:memory:/a/b\n";
    char cut[sizeof v1_mounts];

    for (size_t n = 0; n < sizeof v1_mounts; n++) {
        memcpy(cut, v1_mounts, n);
        cut[n] = '\0';
        if (find(groups, cut, "memory"))
            ck_assert_str_eq(path, "/sys/fs/cgroup/memory/a/b");
        else
            ck_assert_int_eq(kind, CL_CGROUP_NONE);
    }
    for (size_t n = 0; n < sizeof groups; n++) {
        memcpy(cut, groups, n);
        cut[n] = '\0';
        if (find(cut, v1_mounts, "memory"))
            ck_assert_ptr_eq(strstr(path, "/sys/fs/cgroup/memory"), path);
    }
}
END_TEST

START_TEST(a_path_that_does_not_fit_is_not_found)
{
    char small[20];

    ck_assert(!cl_cgroup_find("4:memory:/a/b\n", v1_mounts, "memory", &kind, small, sizeof small));
    ck_assert_int_eq(kind, CL_CGROUP_NONE);
}
END_TEST

TEST_MAIN("backend/cgroup", v1_finds_the_hierarchy_of_a_controller, the_top_group_is_the_mount_point_itself,
          v2_is_the_line_without_controllers, a_container_sees_its_group_as_the_root_of_the_mount,
          a_controller_is_a_whole_word, text_that_is_cut_anywhere_finds_nothing_wrong,
          a_path_that_does_not_fit_is_not_found)
