#include "base/error.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "../runner.h"

START_TEST(an_error_carries_status_errno_place_and_text)
{
    cloche_error err;

    ck_assert_int_eq(cl_error_set(&err, CLOCHE_E_SYS, ENOENT, "test", "open %s", "/x"), CLOCHE_E_SYS);
    ck_assert_int_eq(err.status, CLOCHE_E_SYS);
    ck_assert_int_eq(err.os_errno, ENOENT);
    ck_assert_str_eq(err.place, "test");
    ck_assert_str_eq(err.text, "open /x");
    cl_error_clear(&err);
    ck_assert_int_eq(err.status, CLOCHE_OK);
    ck_assert_str_eq(err.text, "");
}
END_TEST

START_TEST(nobody_has_to_ask_for_the_error)
{
    ck_assert_int_eq(cl_error_set(NULL, CLOCHE_E_NOMEM, 0, "test", "%d", 1), CLOCHE_E_NOMEM);
    cl_error_clear(NULL);
}
END_TEST

START_TEST(a_long_error_is_cut_between_characters)
{
    cloche_error err;
    char text[601];

    for (size_t i = 0; i < 600; i += 2)
        memcpy(text + i, "\xc3\xa9", 2);
    text[600] = '\0';
    cl_error_set(&err, CLOCHE_E_INVAL, 0, "test", "a%s", text);
    ck_assert_uint_ge(strlen(err.text), 250);
    ck_assert_str_eq(err.text + strlen(err.text) - 5, "\xc3\xa9\xe2\x80\xa6");
    cl_error_set(&err, CLOCHE_E_INVAL, 0, "test", "%.255s", "a");
    ck_assert_str_eq(err.text, "a");
    memset(text, 'x', 255);
    text[255] = '\0';
    cl_error_set(&err, CLOCHE_E_INVAL, 0, "test", "%s", text);
    ck_assert_str_eq(err.text, text);
}
END_TEST

START_TEST(an_error_is_one_line)
{
    cloche_error err;

    cl_error_set(&err, CLOCHE_E_INVAL, 0, "test", "a\nb\r\x1b[0m\x7f");
    ck_assert_str_eq(err.text, "a b  [0m ");
}
END_TEST

START_TEST(a_claim_that_holds_costs_nothing)
{
    CL_ASSERT(1 + 1 == 2);
}
END_TEST

START_TEST(a_claim_that_does_not_hold_ends_the_process)
{
    CL_ASSERT(1 + 1 == 3);
}
END_TEST

int main(void)
{
    static const char name[] = "base/error";
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(tcase, an_error_carries_status_errno_place_and_text);
    tcase_add_test(tcase, nobody_has_to_ask_for_the_error);
    tcase_add_test(tcase, a_long_error_is_cut_between_characters);
    tcase_add_test(tcase, an_error_is_one_line);
    tcase_add_test(tcase, a_claim_that_holds_costs_nothing);
    tcase_add_test_raise_signal(tcase, a_claim_that_does_not_hold_ends_the_process, SIGABRT);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
