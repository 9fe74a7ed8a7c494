/* runner.h - a suite's main in one line
 *
 *   TEST_MAIN("base/buf", an_empty_buffer_has_no_data, a_failed_buffer_stays_failed)
 *
 * Each test runs in a process of its own; CK_FORK=no runs them in this one, for a debugger.
 */
#ifndef TESTS_UNIT_RUNNER_H
#define TESTS_UNIT_RUNNER_H

#include <check.h>
#include <stddef.h>
#include <stdlib.h>

static inline int run_tests(const char *name, const TTest *const *tests, size_t count)
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 60);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#define TEST_MAIN(name, ...)                                                 \
    int main(void)                                                           \
    {                                                                        \
        const TTest *const tests[] = { __VA_ARGS__ };                        \
        return run_tests(name, tests, sizeof tests / sizeof tests[0]);       \
    }

#endif
