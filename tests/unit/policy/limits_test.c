#include "policy/limits.h"

#include <stddef.h>
#include <string.h>

#include "../runner.h"
#include "base/sized.h"

START_TEST(nothing_given_is_the_defaults)
{
    cloche_limits out;

    ck_assert_int_eq(cl_limits_resolve(NULL, NULL, CL_SCOPE_SANDBOX, &out, NULL), CLOCHE_OK);
    ck_assert_uint_eq(out.size, sizeof out);
    ck_assert_uint_eq(out.timeout_ms, 5000);
    ck_assert_uint_eq(out.memory_limit_mb, 128);
    ck_assert_uint_eq(out.cpu_time_ms, 0);
}
END_TEST

START_TEST(a_run_takes_the_sandboxs_limits_where_it_gives_none)
{
    cloche_limits given = CLOCHE_LIMITS_INIT, base = CLOCHE_LIMITS_INIT, out;

    base.timeout_ms = 77;
    base.memory_limit_mb = 64;
    base.max_queue = 9;
    given.memory_limit_mb = 32;
    ck_assert_int_eq(cl_limits_resolve(&given, &base, CL_SCOPE_RUN, &out, NULL), CLOCHE_OK);
    ck_assert_uint_eq(out.timeout_ms, 77);
    ck_assert_uint_eq(out.memory_limit_mb, 32);
    ck_assert_uint_eq(out.max_queue, 9);
}
END_TEST

START_TEST(every_limit_is_accepted_at_its_bounds_and_refused_beyond)
{
    uint32_t count;
    const cloche_limit_info *table = cloche_limits_table(&count);

    ck_assert_uint_eq(count, 13);
    for (uint32_t i = 0; i < count; i++) {
        cloche_limits given = CLOCHE_LIMITS_INIT, out;
        cloche_error err;

        cloche_limits_set(&given, &table[i], table[i].least);
        ck_assert_int_eq(cl_limits_resolve(&given, NULL, CL_SCOPE_SANDBOX, &out, &err), CLOCHE_OK);
        ck_assert_uint_eq(cloche_limits_get(&out, &table[i]), table[i].least);
        cloche_limits_set(&given, &table[i], table[i].most);
        ck_assert_int_eq(cl_limits_resolve(&given, NULL, CL_SCOPE_SANDBOX, &out, &err), CLOCHE_OK);
        ck_assert_uint_eq(cloche_limits_get(&out, &table[i]), table[i].most);
        cloche_limits_set(&given, &table[i], table[i].most + 1);
        ck_assert_int_eq(cl_limits_resolve(&given, NULL, CL_SCOPE_SANDBOX, &out, &err), CLOCHE_E_INVAL);
        ck_assert_ptr_eq(strstr(err.text, table[i].option), err.text);
        ck_assert_uint_eq(cloche_limits_get(&out, &table[i]), 0);
    }
}
END_TEST

START_TEST(every_default_is_within_its_bounds)
{
    uint32_t count;
    const cloche_limit_info *table = cloche_limits_table(&count);

    for (uint32_t i = 0; i < count; i++)
        ck_assert(table[i].dflt == 0 || (table[i].dflt >= table[i].least && table[i].dflt <= table[i].most));
}
END_TEST

START_TEST(a_refusal_names_option_value_and_bounds)
{
    cloche_limits given = CLOCHE_LIMITS_INIT, out;
    cloche_error err;

    given.timeout_ms = 4000000;
    ck_assert_int_eq(cl_limits_resolve(&given, NULL, CL_SCOPE_RUN, &out, &err), CLOCHE_E_INVAL);
    ck_assert_str_eq(err.text, "timeoutMs: given 4000000, allowed 1..3600000");
    given.timeout_ms = 0;
    given.memory_limit_mb = 7;
    ck_assert_int_eq(cl_limits_resolve(&given, NULL, CL_SCOPE_RUN, &out, &err), CLOCHE_E_INVAL);
    ck_assert_str_eq(err.text, "memoryLimitMb: given 7, allowed 8..4000");
}
END_TEST

START_TEST(a_run_cannot_set_a_sandboxs_limit)
{
    cloche_limits given = CLOCHE_LIMITS_INIT, out;
    cloche_error err;

    given.max_queue = 5;
    ck_assert_int_eq(cl_limits_resolve(&given, NULL, CL_SCOPE_SANDBOX, &out, &err), CLOCHE_OK);
    ck_assert_int_eq(cl_limits_resolve(&given, NULL, CL_SCOPE_RUN, &out, &err), CLOCHE_E_INVAL);
    ck_assert_str_eq(err.text, "maxQueue: belongs to the sandbox, not to a run");
}
END_TEST

START_TEST(limits_are_found_by_option_name)
{
    const cloche_limit_info *info = cloche_limits_find("maxTimers");

    ck_assert_ptr_nonnull(info);
    ck_assert_str_eq(info->field, "max_timers");
    ck_assert_uint_eq(info->offset, offsetof(cloche_limits, max_timers));
    ck_assert_int_eq(info->per_run, 1);
    ck_assert_int_eq(cloche_limits_find("maxQueue")->per_run, 0);
    ck_assert_ptr_null(cloche_limits_find("maxtimers"));
    ck_assert_ptr_null(cloche_limits_find(""));
}
END_TEST

START_TEST(an_older_callers_struct_leaves_the_rest_to_the_defaults)
{
    cloche_limits given, out;

    memset(&given, 0xff, sizeof given);
    given.size = offsetof(cloche_limits, cpu_time_ms);
    given.timeout_ms = 10;
    ck_assert_int_eq(cl_limits_resolve(&given, NULL, CL_SCOPE_RUN, &out, NULL), CLOCHE_OK);
    ck_assert_uint_eq(out.timeout_ms, 10);
    ck_assert_uint_eq(out.memory_limit_mb, 128);
}
END_TEST

START_TEST(a_newer_callers_struct_is_accepted_while_its_tail_is_zero)
{
    struct {
        cloche_limits limits;
        uint32_t tail[3];
    } newer = { .limits = { .size = sizeof newer, .timeout_ms = 10 } };
    cloche_limits out;
    cloche_error err;

    ck_assert_int_eq(cl_limits_resolve(&newer.limits, NULL, CL_SCOPE_RUN, &out, &err), CLOCHE_OK);
    ck_assert_uint_eq(out.timeout_ms, 10);
    ck_assert_uint_eq(out.size, sizeof out);
    newer.tail[2] = 1;
    ck_assert_int_eq(cl_limits_resolve(&newer.limits, NULL, CL_SCOPE_RUN, &out, &err), CLOCHE_E_TOOBIG);
}
END_TEST

START_TEST(a_struct_nobody_set_up_is_refused)
{
    cloche_limits given = { 0 }, out;
    cloche_error err;

    ck_assert_int_eq(cl_limits_resolve(&given, NULL, CL_SCOPE_RUN, &out, &err), CLOCHE_E_INVAL);
    given.size = 3;
    ck_assert_int_eq(cl_limits_resolve(&given, NULL, CL_SCOPE_RUN, &out, &err), CLOCHE_E_INVAL);
    given.size = 4;
    ck_assert_int_eq(cl_limits_resolve(&given, NULL, CL_SCOPE_RUN, &out, &err), CLOCHE_OK);
    given.size = 0xdeadbeef;
    ck_assert_int_eq(cl_limits_resolve(&given, NULL, CL_SCOPE_RUN, &out, &err), CLOCHE_E_TOOBIG);
}
END_TEST

START_TEST(a_sized_copy_that_fails_leaves_an_empty_struct)
{
    struct {
        cloche_limits limits;
        uint32_t tail;
    } newer = { .limits = { .size = sizeof newer, .timeout_ms = 10 }, .tail = 1 };
    cloche_limits to;

    memset(&to, 0xff, sizeof to);
    ck_assert_int_eq(cl_sized_copy(&to, sizeof to, &newer, "limits", NULL), CLOCHE_E_TOOBIG);
    ck_assert_uint_eq(to.size, sizeof to);
    ck_assert_uint_eq(to.timeout_ms, 0);
}
END_TEST

TEST_MAIN("policy/limits", nothing_given_is_the_defaults, a_run_takes_the_sandboxs_limits_where_it_gives_none,
          every_limit_is_accepted_at_its_bounds_and_refused_beyond, every_default_is_within_its_bounds,
          a_refusal_names_option_value_and_bounds, a_run_cannot_set_a_sandboxs_limit, limits_are_found_by_option_name,
          an_older_callers_struct_leaves_the_rest_to_the_defaults,
          a_newer_callers_struct_is_accepted_while_its_tail_is_zero, a_struct_nobody_set_up_is_refused,
          a_sized_copy_that_fails_leaves_an_empty_struct)
