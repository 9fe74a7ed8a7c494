#include "backend/process/plan.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include <cloche/sandbox.h>

#include "../runner.h"

#define EVERYTHING 0x1ffu

static cl_plan_input root_input(void)
{
    return (cl_plan_input){ .memory_bytes = 64 << 20, .group_bytes = 256 << 20, .most_children = 8, .is_root = true,
                            .landlock_abi = 7, .cgroup = CL_CGROUP_V1 };
}

static cl_plan_input user_input(void)
{
    cl_plan_input input = root_input();

    input.is_root = false;
    input.cgroup = CL_CGROUP_NONE;
    input.cgroup_errno = EACCES;
    return input;
}

static cl_plan_input refused(cl_plan_input input)
{
    input.userns_errno = EPERM;
    return input;
}

/* Place of the first step of a kind, or -1. */
static int find(const cl_plan *plan, cl_step_op op, int which)
{
    for (uint32_t i = 0; i < plan->count; i++)
        if (plan->steps[i].op == op && (which < 0 || plan->steps[i].which == which))
            return (int)i;
    return -1;
}

static int find_last(const cl_plan *plan, cl_step_op op)
{
    int last = -1;

    for (uint32_t i = 0; i < plan->count; i++)
        if (plan->steps[i].op == op)
            last = (int)i;
    return last;
}

static const cl_plan_gap *gap_of(const cl_plan *plan, uint32_t layer)
{
    for (uint32_t i = 0; i < plan->gap_count; i++)
        if (plan->gaps[i].layer == layer)
            return &plan->gaps[i];
    return NULL;
}

/* The plans of all rungs. */
enum { RUNGS = 5 };

static cl_plan_input rung(int i)
{
    switch (i) {
    case 0:
        return root_input();
    case 1:
        return refused(root_input());
    case 2:
        return user_input();
    case 3:
        return refused(user_input());
    default: {
        cl_plan_input bare = refused(user_input());
        bare.landlock_abi = 0;
        bare.landlock_errno = ENOSYS;
        return bare;
    }
    }
}

#define EVERY_RUNG(plan)                                                                       \
    for (int rung_ = 0; rung_ < RUNGS; rung_++)                                                \
        for (cl_plan_input input_ = rung(rung_), *once_ = &input_; once_ != NULL; once_ = NULL) \
            for (cl_plan plan, *made_ = (cl_plan_make(&input_, &plan), &plan); made_ != NULL; made_ = NULL)

static void expect_before(const cl_plan *plan, int earlier, int later)
{
    (void)plan;
    ck_assert_int_ge(earlier, 0);
    ck_assert_int_lt(earlier, later);
}

START_TEST(processes_take_their_steps_one_after_another)
{
    EVERY_RUNG(plan)
    for (uint32_t i = 1; i < plan.count; i++)
        ck_assert_int_le(plan.steps[i - 1].who, plan.steps[i].who);
}
END_TEST

START_TEST(every_step_has_a_name_and_a_reason)
{
    EVERY_RUNG(plan)
    for (uint32_t i = 0; i < plan.count; i++) {
        ck_assert_uint_gt(strlen(plan.steps[i].name), 0);
        ck_assert_uint_gt(strlen(plan.steps[i].why), 0);
        ck_assert_uint_lt(strlen(plan.steps[i].name), 64); /* fits the report */
    }
}
END_TEST

START_TEST(the_filter_is_the_very_last_step)
{
    EVERY_RUNG(plan)
    {
        ck_assert_int_eq(plan.steps[plan.count - 1].op, CL_STEP_SECCOMP);
        ck_assert_int_eq(plan.steps[plan.count - 1].who, CL_WHO_CHILD);
        ck_assert_int_eq(find(&plan, CL_STEP_SECCOMP, -1), (int)plan.count - 1);
    }
}
END_TEST

START_TEST(no_new_privs_comes_before_landlock_and_the_filter)
{
    EVERY_RUNG(plan)
    {
        int privs = find(&plan, CL_STEP_NO_NEW_PRIVS, -1), landlock = find(&plan, CL_STEP_LANDLOCK, -1);
        expect_before(&plan, privs, find(&plan, CL_STEP_SECCOMP, -1));
        if (landlock >= 0)
            expect_before(&plan, privs, landlock);
    }
}
END_TEST

START_TEST(landlock_and_all_limits_come_before_the_filter)
{
    EVERY_RUNG(plan)
    {
        int filter = find(&plan, CL_STEP_SECCOMP, -1);
        ck_assert_int_lt(find(&plan, CL_STEP_LANDLOCK, -1), filter);
        expect_before(&plan, find_last(&plan, CL_STEP_RLIMIT), filter);
        expect_before(&plan, find(&plan, CL_STEP_RLIMIT_DATA, -1), filter);
    }
}
END_TEST

START_TEST(landlock_comes_after_the_mounts_which_it_would_refuse)
{
    for (int i = 0; i < 3; i++) {
        cl_plan_input input = rung(i);
        cl_plan plan;
        cl_plan_make(&input, &plan);
        expect_before(&plan, find(&plan, CL_STEP_EMPTY_ROOT, -1), find(&plan, CL_STEP_LANDLOCK, -1));
    }
}
END_TEST

START_TEST(mounts_and_names_are_done_before_the_capabilities_go)
{
    for (int i = 0; i < 3; i++) {
        cl_plan_input input = rung(i);
        cl_plan plan;
        cl_plan_make(&input, &plan);
        int drop = find(&plan, CL_STEP_DROP_CAPABILITIES, -1);
        expect_before(&plan, find(&plan, CL_STEP_MOUNTS_PRIVATE, -1), find(&plan, CL_STEP_EMPTY_ROOT, -1));
        expect_before(&plan, find(&plan, CL_STEP_EMPTY_ROOT, -1), drop);
        expect_before(&plan, find(&plan, CL_STEP_HOST_NAME, -1), drop);
        expect_before(&plan, find(&plan, CL_STEP_DROP_BOUNDING, -1), drop);
        expect_before(&plan, find(&plan, CL_STEP_UNSHARE, CLONE_NEWNS), find(&plan, CL_STEP_MOUNTS_PRIVATE, -1));
        expect_before(&plan, find(&plan, CL_STEP_UNSHARE, CLONE_NEWUTS), find(&plan, CL_STEP_HOST_NAME, -1));
    }
}
END_TEST

START_TEST(capabilities_go_on_every_rung)
{
    EVERY_RUNG(plan)
    {
        int drop = find(&plan, CL_STEP_DROP_CAPABILITIES, -1);
        ck_assert_int_ge(drop, 0);
        ck_assert(!plan.steps[drop].is_optional);
        ck_assert_uint_eq(plan.steps[drop].layer, CL_PLAN_PRIVILEGES);
    }
}
END_TEST

START_TEST(root_is_given_up_before_a_user_namespace_and_after_making_the_others_itself)
{
    cl_plan_input nested = root_input(), direct = refused(root_input());
    cl_plan plan;

    cl_plan_make(&nested, &plan);
    int ids = find(&plan, CL_STEP_CHANGE_IDS, -1);
    expect_before(&plan, ids, find(&plan, CL_STEP_UNSHARE, CLONE_NEWUSER));
    expect_before(&plan, find(&plan, CL_STEP_CGROUP_JOIN, -1), ids);
    ck_assert_uint_eq(plan.steps[ids].value, 65534);
    expect_before(&plan, find(&plan, CL_STEP_UNSHARE, CLONE_NEWUSER), find(&plan, CL_STEP_MAP_IDS, -1));
    expect_before(&plan, find(&plan, CL_STEP_MAP_IDS, -1), find(&plan, CL_STEP_UNSHARE, CLONE_NEWPID));

    cl_plan_make(&direct, &plan);
    ids = find(&plan, CL_STEP_CHANGE_IDS, -1);
    ck_assert_int_eq(find(&plan, CL_STEP_UNSHARE, CLONE_NEWUSER), -1);
    expect_before(&plan, find_last(&plan, CL_STEP_UNSHARE), ids);
    expect_before(&plan, find(&plan, CL_STEP_EMPTY_ROOT, -1), ids);
    expect_before(&plan, ids, find(&plan, CL_STEP_DROP_CAPABILITIES, -1));
}
END_TEST

START_TEST(an_ordinary_user_without_user_namespaces_touches_no_namespace_mount_or_name)
{
    cl_plan_input input = refused(user_input());
    cl_plan plan;

    cl_plan_make(&input, &plan);
    ck_assert_int_eq(find(&plan, CL_STEP_UNSHARE, -1), -1);
    ck_assert_int_eq(find(&plan, CL_STEP_MOUNTS_PRIVATE, -1), -1);
    ck_assert_int_eq(find(&plan, CL_STEP_EMPTY_ROOT, -1), -1);
    ck_assert_int_eq(find(&plan, CL_STEP_HOST_NAME, -1), -1);
    ck_assert_int_eq(find(&plan, CL_STEP_CHANGE_IDS, -1), -1);
    ck_assert_uint_eq(plan.gap_count, 5);
    ck_assert_int_eq(gap_of(&plan, CLOCHE_LAYER_PIDNS)->os_errno, EPERM);
    ck_assert_int_eq(gap_of(&plan, CLOCHE_LAYER_CGROUP)->os_errno, EACCES);
}
END_TEST

START_TEST(the_death_signal_is_armed_again_after_the_identity_changed)
{
    EVERY_RUNG(plan)
    {
        int last = -1;
        for (uint32_t i = 0; i < plan.count; i++)
            if (plan.steps[i].who == CL_WHO_SERVER)
                last = (int)i;
        ck_assert_int_eq(plan.steps[last].op, CL_STEP_DEATH_SIGNAL);
        ck_assert_int_eq(plan.steps[last].which, SIGKILL);
    }
}
END_TEST

START_TEST(dumpable_ends_as_off)
{
    EVERY_RUNG(plan)
    ck_assert_uint_eq(plan.steps[find_last(&plan, CL_STEP_DUMPABLE)].value, 0);
}
END_TEST

START_TEST(limits_carry_the_values_they_were_given)
{
    cl_plan_input input = root_input();
    cl_plan plan;

    cl_plan_make(&input, &plan);
    ck_assert_uint_eq(plan.steps[find(&plan, CL_STEP_RLIMIT_DATA, -1)].value, 64 << 20);
    ck_assert_uint_eq(plan.steps[find(&plan, CL_STEP_CGROUP_MAKE, -1)].value, 256 << 20);
    ck_assert_uint_eq(plan.steps[find(&plan, CL_STEP_LANDLOCK, -1)].value, 7);
    ck_assert_uint_eq(plan.steps[find(&plan, CL_STEP_RLIMIT, RLIMIT_NPROC)].value, 0);
    ck_assert_uint_eq(plan.steps[find(&plan, CL_STEP_RLIMIT, RLIMIT_FSIZE)].value, 0);
    ck_assert_uint_eq(plan.steps[find(&plan, CL_STEP_RLIMIT, RLIMIT_CORE)].value, 0);
    ck_assert_int_eq(find(&plan, CL_STEP_RLIMIT, RLIMIT_AS), -1); /* rlimit.c says why */
}
END_TEST

START_TEST(every_layer_has_a_step_or_a_reason)
{
    EVERY_RUNG(plan)
    {
        uint32_t seen = CLOCHE_LAYER_SFI;
        for (uint32_t i = 0; i < plan.count; i++)
            seen |= plan.steps[i].layer;
        for (uint32_t i = 0; i < plan.gap_count; i++) {
            ck_assert_uint_gt(strlen(plan.gaps[i].step), 0);
            seen |= plan.gaps[i].layer;
        }
        ck_assert_uint_eq(seen & EVERYTHING, EVERYTHING);
    }
}
END_TEST

START_TEST(a_layer_that_is_left_out_has_no_step)
{
    for (unsigned bit = 1; bit < 9; bit++) {
        cl_plan_input input = root_input();
        cl_plan plan;
        input.left_out = 1u << bit;
        cl_plan_make(&input, &plan);
        for (uint32_t i = 0; i < plan.count; i++)
            ck_assert(plan.steps[i].layer != input.left_out || plan.steps[i].op == CL_STEP_CHANGE_IDS);
        ck_assert_ptr_nonnull(gap_of(&plan, input.left_out));
    }
}
END_TEST

START_TEST(the_text_has_a_line_for_every_step_and_gap)
{
    EVERY_RUNG(plan)
    {
        static char text[32768], cut[100];
        size_t length = cl_plan_text(&input_, text, sizeof text), lines = 0;
        ck_assert_uint_eq(length, strlen(text));
        for (const char *c = text; *c != '\0'; c++)
            lines += *c == '\n';
        ck_assert_uint_eq(lines, plan.count + plan.gap_count);
        ck_assert_uint_eq(cl_plan_text(&input_, cut, sizeof cut), length);
        ck_assert_uint_eq(strlen(cut), sizeof cut - 1);
        ck_assert_int_eq(strncmp(cut, text, sizeof cut - 1), 0);
        ck_assert_uint_eq(cl_plan_text(&input_, NULL, 0), length);
    }
}
END_TEST

TEST_MAIN("backend/plan", processes_take_their_steps_one_after_another, every_step_has_a_name_and_a_reason,
          the_filter_is_the_very_last_step, no_new_privs_comes_before_landlock_and_the_filter,
          landlock_and_all_limits_come_before_the_filter, landlock_comes_after_the_mounts_which_it_would_refuse,
          mounts_and_names_are_done_before_the_capabilities_go, capabilities_go_on_every_rung,
          root_is_given_up_before_a_user_namespace_and_after_making_the_others_itself,
          an_ordinary_user_without_user_namespaces_touches_no_namespace_mount_or_name,
          the_death_signal_is_armed_again_after_the_identity_changed, dumpable_ends_as_off,
          limits_carry_the_values_they_were_given, every_layer_has_a_step_or_a_reason,
          a_layer_that_is_left_out_has_no_step, the_text_has_a_line_for_every_step_and_gap)
