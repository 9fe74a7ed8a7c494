/* The signal that stops guests, beside the signals and the floating point state of the host. */
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "signals.h"
#include "isolate/thread.h"

/* ---- the stop signal ---- */

static void sig_nothing(int signal)
{
    (void)signal;
}

static cloche_status create_with_signal(int signal, cloche_sandbox **out, cloche_error *err)
{
    cloche_options options = CLOCHE_OPTIONS_INIT;
    options.stop_signal = signal;
    return cloche_sandbox_create(&options, out, err);
}

START_TEST(a_named_stop_signal_is_the_one_used)
{
    cloche_sandbox *sandbox, *another;
    struct sigaction now;
    const int wanted = SIGRTMIN + 9;

    ck_assert_int_eq(create_with_signal(wanted, &sandbox, NULL), CLOCHE_OK);
    ck_assert_int_eq(cl_threads_stop_signal(), wanted);
    for (int other = SIGRTMIN; other <= SIGRTMAX; other++) {
        ck_assert_int_eq(sigaction(other, NULL, &now), 0);
        ck_assert_int_eq(now.sa_handler == SIG_DFL && !(now.sa_flags & SA_SIGINFO), other != wanted);
    }
    expect_all_signals_work(sandbox);
    ck_assert_int_eq(create_with_signal(wanted, &another, NULL), CLOCHE_OK); /* the same again */
    cloche_sandbox_destroy(another);
    ck_assert_int_eq(create_with_signal(0, &another, NULL), CLOCHE_OK);
    cloche_sandbox_destroy(another);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(the_first_sandbox_of_the_process_decides_the_signal)
{
    cloche_sandbox *sandbox = open_sandbox(), *another = (cloche_sandbox *)1;
    cloche_error err;

    ck_assert_int_eq(create_with_signal(cl_threads_stop_signal() + 1, &another, &err), CLOCHE_E_BUSY);
    ck_assert_ptr_null(another);
    ck_assert_ptr_nonnull(strstr(err.text, "stop_signal"));
    expect_all_signals_work(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_stop_signal_that_has_a_handler_is_refused)
{
    cloche_sandbox *sandbox = (cloche_sandbox *)1;
    cloche_error err;

    signal(SIGRTMIN + 3, sig_nothing);
    ck_assert_int_eq(create_with_signal(SIGRTMIN + 3, &sandbox, &err), CLOCHE_E_BUSY);
    ck_assert_ptr_null(sandbox);
    ck_assert_int_eq(err.status, CLOCHE_E_BUSY);
    ck_assert_ptr_nonnull(strstr(err.text, text_of("%d", SIGRTMIN + 3)));
    signal(SIGRTMIN + 4, SIG_IGN); /* the host's choice as well */
    ck_assert_int_eq(create_with_signal(SIGRTMIN + 4, &sandbox, &err), CLOCHE_E_BUSY);
    ck_assert_int_eq(create_with_signal(SIGRTMIN + 5, &sandbox, &err), CLOCHE_OK); /* a refusal decides nothing */
    expect_all_signals_work(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_stop_signal_that_is_no_real_time_signal_is_refused)
{
    const int wrong[] = {-1, 1, SIGUSR1, SIGSEGV, SIGRTMIN - 1, SIGRTMAX + 1, 1000000};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cloche_sandbox *sandbox = (cloche_sandbox *)1;
        cloche_error err;
        ck_assert_int_eq(create_with_signal(wrong[i], &sandbox, &err), CLOCHE_E_INVAL);
        ck_assert_ptr_null(sandbox);
        ck_assert_ptr_nonnull(strstr(err.text, "stop_signal"));
        ck_assert_ptr_null(strchr(err.text, '\n'));
    }
}
END_TEST

START_TEST(the_first_free_signal_is_taken_and_none_free_is_refused)
{
    cloche_sandbox *sandbox = (cloche_sandbox *)1;
    cloche_error err;
    struct sigaction now;

    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        signal(number, sig_nothing);
    ck_assert_int_eq(create_with_signal(0, &sandbox, &err), CLOCHE_E_BUSY);
    ck_assert_ptr_null(sandbox);
    ck_assert_ptr_nonnull(strstr(err.text, "real-time signal"));
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
        ck_assert_int_eq(sigaction(number, NULL, &now), 0);
        ck_assert_ptr_eq(now.sa_handler, sig_nothing); /* none was touched */
    }
    signal(SIGRTMIN + 7, SIG_DFL);
    ck_assert_int_eq(create_with_signal(0, &sandbox, &err), CLOCHE_OK);
    ck_assert_int_eq(cl_threads_stop_signal(), SIGRTMIN + 7);
    expect_all_signals_work(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_stop_signal_from_anyone_else_stops_nothing)
{
    cloche_sandbox *sandbox = open_sandbox();

    expect_value(sandbox, "return 1", "1");
    for (int i = 0; i < 100; i++)
        raise(cl_threads_stop_signal());
    expect_all_signals_work(sandbox);
    cloche_sandbox_destroy(sandbox);
    raise(cl_threads_stop_signal()); /* nor kills the process afterwards */
}
END_TEST

/* ---- the host's signals while guests run ---- */

static _Atomic int profiled;
static _Atomic bool is_slow;

static void sig_profile(int signal)
{
    (void)signal;
    int saved = errno;
    atomic_fetch_add(&profiled, 1);
    /* A sampler that unwinds takes this long now and then; the stop signal lands on top of it. */
    if (atomic_load(&is_slow)) {
        double end = now_ms() + 0.3;
        while (now_ms() < end)
            ;
    }
    errno = saved;
}

static void *run_hostile_for_a_while(void *sandbox)
{
    double end = now_ms() + 1500;

    while (now_ms() < end) {
        cloche_result *result = run(sandbox, ask_for("const a = []; for (let i = 0;; i++) a[i % 100] = /a+b/.exec('x'.repeat(i % 50) + 'aab')", 3));
        assert_code(result, CLOCHE_CODE_TIMEOUT);
        cloche_result_destroy(result);
        expect_value(sandbox, DEEP_CODE, DEEP_VALUE);
        expect_next_run_right(sandbox);
        expect_end(sandbox, ask_for("for (;;) [3, 1, 2].sort((a, b) => a - b)", 2), CLOCHE_CODE_TIMEOUT);
    }
    return NULL;
}

static void profile_hostile_runs(int flags)
{
    cloche_sandbox *sandbox = open_sandbox();
    struct sigaction action = {.sa_handler = sig_profile, .sa_flags = flags};
    struct itimerval each_ms = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    pthread_t threads[2];

    ck_assert_int_eq(sigaction(SIGPROF, &action, NULL), 0);
    ck_assert_int_eq(setitimer(ITIMER_PROF, &each_ms, NULL), 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_hostile_for_a_while, sandbox), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_eq(setitimer(ITIMER_PROF, &never, NULL), 0);
    ck_assert_int_gt(atomic_load(&profiled), 100);
    cloche_sandbox_destroy(sandbox);
}

START_TEST(a_profiler_of_the_host_and_hostile_runs_live_together)
{
    profile_hostile_runs(SA_RESTART);
}
END_TEST

START_TEST(a_profiler_on_the_alternate_stack_and_hostile_runs_live_together)
{
    profile_hostile_runs(SA_RESTART | SA_ONSTACK);
}
END_TEST

START_TEST(a_slow_handler_of_the_host_is_never_left_in_the_middle)
{
    atomic_store(&is_slow, true);
    profile_hostile_runs(SA_RESTART);
}
END_TEST

static _Atomic int begun, finished;

static void sig_whole(int signal)
{
    (void)signal;
    atomic_fetch_add(&begun, 1);
    double end = now_ms() + 2;
    while (now_ms() < end)
        ;
    atomic_fetch_add(&finished, 1);
}

/* The host's handler interrupts guest code and is still running when the guest's deadline comes. */
START_TEST(a_handler_that_interrupted_a_guest_ends_before_the_guest_is_stopped)
{
    cloche_sandbox *sandbox = open_sandbox();
    struct sigaction action = {.sa_handler = sig_whole};
    struct itimerval each = {{0, 3000}, {0, 3000}}, never = {{0, 0}, {0, 0}};

    ck_assert_int_eq(sigaction(SIGALRM, &action, NULL), 0);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &each, NULL), 0);
    for (int i = 0; i < 100; i++)
        expect_end(sandbox, ask_for("for (;;);", 4), CLOCHE_CODE_TIMEOUT);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &never, NULL), 0);
    ck_assert_int_gt(atomic_load(&begun), 50);
    ck_assert_int_eq(atomic_load(&begun), atomic_load(&finished));
    expect_next_run_right(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- floating point ---- */

START_TEST(the_hosts_rounding_mode_does_not_reach_the_guest_and_stays)
{
    cloche_sandbox *sandbox = open_sandbox();
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        fesetround(modes[i]);
        cloche_result *result = run(sandbox, ask("return [0.1 + 0.2, 1 / 3, Math.sqrt(2), (0.1).toFixed(20), 5e-324 / 2, Math.round(2.5)]"));
        cloche_result *stopped = run(sandbox, ask_for("for (;;);", 20));
        int after = fegetround();
        fesetround(FE_TONEAREST);
        assert_value(result, "[0.30000000000000004,0.3333333333333333,1.4142135623730951,\"0.10000000000000000555\",0,3]");
        assert_code(stopped, CLOCHE_CODE_TIMEOUT);
        ck_assert_int_eq(after, modes[i]);
        cloche_result_destroy(result);
        cloche_result_destroy(stopped);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_host_that_traps_floating_point_errors_is_not_killed_by_a_guest)
{
    cloche_sandbox *sandbox = open_sandbox();
    const int traps = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW;

    expect_value(sandbox, "return 1", "1");
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(traps);
    cloche_result *result = run(sandbox, ask("return [1 / 0, 0 / 0, Math.sqrt(-1), 1e308 * 10, Math.log(0)].map(String)"));
    int after = fegetexcept();
    fedisableexcept(FE_ALL_EXCEPT);
    assert_value(result, "[\"Infinity\",\"NaN\",\"NaN\",\"Infinity\",\"-Infinity\"]");
    ck_assert_int_eq(after & traps, traps);
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_host_that_flushes_tiny_numbers_to_zero_does_not_change_what_a_guest_computes)
{
    cloche_sandbox *sandbox = open_sandbox();
    const unsigned flush_to_zero = 1u << 15, denormals_are_zero = 1u << 6;
    unsigned before = __builtin_ia32_stmxcsr();

    __builtin_ia32_ldmxcsr(before | flush_to_zero | denormals_are_zero);
    cloche_result *result = run(sandbox, ask("return [5e-324 * 2, 2.2250738585072014e-308 / 4]"));
    unsigned after = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before);
    assert_value(result, "[1e-323,5.562684646268003e-309]");
    ck_assert_uint_eq(after & (flush_to_zero | denormals_are_zero), flush_to_zero | denormals_are_zero);
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

TEST_MAIN("api/stop_signal", a_named_stop_signal_is_the_one_used, the_first_sandbox_of_the_process_decides_the_signal,
          a_stop_signal_that_has_a_handler_is_refused, a_stop_signal_that_is_no_real_time_signal_is_refused,
          the_first_free_signal_is_taken_and_none_free_is_refused, a_stop_signal_from_anyone_else_stops_nothing,
          a_profiler_of_the_host_and_hostile_runs_live_together,
          a_profiler_on_the_alternate_stack_and_hostile_runs_live_together,
          a_slow_handler_of_the_host_is_never_left_in_the_middle,
          a_handler_that_interrupted_a_guest_ends_before_the_guest_is_stopped,
          the_hosts_rounding_mode_does_not_reach_the_guest_and_stays,
          a_host_that_traps_floating_point_errors_is_not_killed_by_a_guest,
          a_host_that_flushes_tiny_numbers_to_zero_does_not_change_what_a_guest_computes)
