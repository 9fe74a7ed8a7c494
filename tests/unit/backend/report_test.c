#include "backend/process/report.h"

#include <errno.h>
#include <string.h>

#include "../runner.h"

static cl_zygote_report report_of_all(void)
{
    cl_zygote_report report;
    cl_plan plan = { .count = 0, .gap_count = 0 };

    cl_report_init(&report, &plan);
    return report;
}

START_TEST(a_plan_without_gaps_promises_every_layer)
{
    cl_zygote_report report = report_of_all();

    ck_assert_uint_eq(report.isolation, 0x1ff);
    ck_assert_uint_eq(report.count, CL_LAYER_REPORTS);
    ck_assert(cl_report_is_sound(&report));
}
END_TEST

START_TEST(the_first_reason_is_kept)
{
    cl_zygote_report report = report_of_all();

    cl_report_fail(&report, CLOCHE_LAYER_USERNS, EPERM, "unshare(CLONE_NEWUSER)");
    cl_report_fail(&report, CLOCHE_LAYER_USERNS, ENOENT, "write(uid_map)");
    const cl_layer_report *entry = cl_report_find(&report, CLOCHE_LAYER_USERNS);
    ck_assert(!entry->stands);
    ck_assert_int_eq(entry->os_errno, EPERM);
    ck_assert_str_eq(entry->step, "unshare(CLONE_NEWUSER)");
    ck_assert(!cl_report_stands(&report, CLOCHE_LAYER_USERNS));
    ck_assert_uint_eq(report.isolation, 0x1ff & ~CLOCHE_LAYER_USERNS);
    ck_assert(cl_report_is_sound(&report));
}
END_TEST

START_TEST(every_layer_has_a_remedy_for_every_reason)
{
    static const int reasons[] = { 0, EPERM, EACCES, ENOSYS, EINVAL, ENOSPC, EROFS, EIO, ENOENT, EOPNOTSUPP };

    for (unsigned bit = 1; bit < CL_LAYER_REPORTS; bit++)
        for (unsigned i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
            cl_zygote_report report = report_of_all();
            cl_report_fail(&report, 1u << bit, reasons[i], "step");
            const cl_layer_report *entry = cl_report_find(&report, 1u << bit);
            ck_assert_uint_gt(strlen(entry->remedy), 10);
            ck_assert_uint_lt(strlen(entry->remedy), sizeof entry->remedy - 1); /* not cut */
        }
}
END_TEST

START_TEST(what_is_no_report_is_noticed)
{
    cl_zygote_report report = report_of_all();

    report.count = 10;
    ck_assert(!cl_report_is_sound(&report));
    report = report_of_all();
    report.isolation = 1;
    ck_assert(!cl_report_is_sound(&report));
    report = report_of_all();
    memset(report.layers[3].remedy, 'x', sizeof report.layers[3].remedy);
    ck_assert(!cl_report_is_sound(&report));
    report = report_of_all();
    report.layers[2].bit = 1;
    ck_assert(!cl_report_is_sound(&report));
    memset(&report, 0, sizeof report);
    ck_assert(!cl_report_is_sound(&report));
}
END_TEST

TEST_MAIN("backend/report", a_plan_without_gaps_promises_every_layer, the_first_reason_is_kept,
          every_layer_has_a_remedy_for_every_reason, what_is_no_report_is_noticed)
