/* The caller's thread is not ours, and its signals are its own.
 *
 * What the library needs on a thread (three signals unblocked, an alternate stack) it takes and gives back; faults that
 * are not a guest's reach whoever was there, with all three arguments, whatever the order of installation.
 */
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

/* ---- blocked signals ---- */

static void expect_mask(const sigset_t *expected)
{
    sigset_t now;

    ck_assert_int_eq(pthread_sigmask(SIG_BLOCK, NULL, &now), 0);
    for (int signal = 1; signal <= SIGRTMAX; signal++)
        ck_assert_msg(sigismember(&now, signal) == sigismember(expected, signal), "signal %d: blocked %d, expected %d",
                      signal, sigismember(&now, signal), sigismember(expected, signal));
}

static void block_everything(sigset_t *now)
{
    sigset_t all;

    sigfillset(&all);
    ck_assert_int_eq(pthread_sigmask(SIG_BLOCK, &all, NULL), 0);
    ck_assert_int_eq(pthread_sigmask(SIG_BLOCK, NULL, now), 0); /* what can be blocked */
}

static void *run_with_everything_blocked(void *sandbox)
{
    sigset_t mask;

    block_everything(&mask);
    expect_all_signals_work(sandbox);
    cloche_thread_release();
    expect_mask(&mask);
    expect_all_signals_work(sandbox); /* it sets itself up again */
    cloche_thread_release();
    cloche_thread_release(); /* again is fine */
    expect_mask(&mask);
    return NULL;
}

static void on_a_thread(void *(*main)(void *), void *arg)
{
    pthread_t thread;

    ck_assert_int_eq(pthread_create(&thread, NULL, main, arg), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

START_TEST(a_thread_with_every_signal_blocked_can_run_and_gets_its_mask_back)
{
    cloche_sandbox *sandbox = open_sandbox();

    on_a_thread(run_with_everything_blocked, sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* The control: without the unblocking the same deep run ends the process. */
START_TEST(a_deep_run_needs_its_signal)
{
    cloche_sandbox *sandbox = open_sandbox();
    sigset_t mask;

    expect_value(sandbox, DEEP_CODE, DEEP_VALUE);
    block_everything(&mask);
    cloche_result_destroy(run(sandbox, ask(DEEP_CODE)));
}
END_TEST

static pthread_key_t late_key;
static sigset_t mask_at_end;
static stack_t stack_at_end;
static bool has_ended;

/* Its second call comes after every other key's destructor has had its first. */
static void look_late(void *round)
{
    if (round == (void *)1) {
        pthread_setspecific(late_key, (void *)2);
        return;
    }
    pthread_sigmask(SIG_BLOCK, NULL, &mask_at_end);
    sigaltstack(NULL, &stack_at_end);
    has_ended = true;
}

static void *run_and_end(void *sandbox)
{
    sigset_t mask;

    block_everything(&mask);
    pthread_setspecific(late_key, (void *)1);
    expect_all_signals_work(sandbox);
    return NULL;
}

START_TEST(a_thread_that_ends_gets_its_mask_and_stack_back_by_itself)
{
    cloche_sandbox *sandbox = open_sandbox();

    ck_assert_int_eq(pthread_key_create(&late_key, look_late), 0);
    on_a_thread(run_and_end, sandbox);
    ck_assert(has_ended);
    ck_assert(sigismember(&mask_at_end, SIGSEGV));
    ck_assert(sigismember(&mask_at_end, SIGBUS));
    ck_assert(sigismember(&mask_at_end, cl_threads_stop_signal()));
    ck_assert(stack_at_end.ss_flags & SS_DISABLE);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(runs_leave_the_mask_of_their_thread_alone)
{
    cloche_sandbox *sandbox = open_sandbox();
    sigset_t some;

    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    sigaddset(&some, SIGTERM);
    pthread_sigmask(SIG_SETMASK, &some, NULL);
    for (int i = 0; i < 10; i++) {
        expect_all_signals_work(sandbox);
        expect_mask(&some);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- the alternate stack ---- */

static void *run_with_own_stack(void *sandbox)
{
    static _Alignas(4096) char memory[65536];
    stack_t own = {.ss_sp = memory, .ss_size = sizeof memory}, now;

    ck_assert_int_eq(sigaltstack(&own, NULL), 0);
    expect_all_signals_work(sandbox);
    ck_assert_int_eq(sigaltstack(NULL, &now), 0);
    ck_assert_ptr_eq(now.ss_sp, memory);
    ck_assert_uint_eq(now.ss_size, sizeof memory);
    cloche_thread_release();
    ck_assert_int_eq(sigaltstack(NULL, &now), 0);
    ck_assert_ptr_eq(now.ss_sp, memory);
    return NULL;
}

START_TEST(a_thread_with_an_alternate_stack_keeps_it)
{
    cloche_sandbox *sandbox = open_sandbox();

    on_a_thread(run_with_own_stack, sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

static void *run_with_small_stack(void *sandbox)
{
    static _Alignas(4096) char memory[8192]; /* too small for a frame with the widest registers and ours */
    stack_t own = {.ss_sp = memory, .ss_size = sizeof memory}, now;

    ck_assert_int_eq(sigaltstack(&own, NULL), 0);
    expect_all_signals_work(sandbox);
    cloche_thread_release();
    ck_assert_int_eq(sigaltstack(NULL, &now), 0);
    ck_assert_ptr_eq(now.ss_sp, memory);
    ck_assert_uint_eq(now.ss_size, sizeof memory);
    ck_assert(!(now.ss_flags & SS_DISABLE));
    return NULL;
}

START_TEST(a_thread_with_a_small_alternate_stack_gets_it_back)
{
    cloche_sandbox *sandbox = open_sandbox();

    on_a_thread(run_with_small_stack, sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

static void *run_without_stack(void *sandbox)
{
    stack_t now;

    ck_assert_int_eq(sigaltstack(NULL, &now), 0);
    ck_assert(now.ss_flags & SS_DISABLE);
    expect_all_signals_work(sandbox);
    cloche_thread_release();
    ck_assert_int_eq(sigaltstack(NULL, &now), 0);
    ck_assert(now.ss_flags & SS_DISABLE);
    return NULL;
}

START_TEST(a_thread_without_an_alternate_stack_is_left_without_one)
{
    cloche_sandbox *sandbox = open_sandbox();

    on_a_thread(run_without_stack, sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

static int mapping_count(void)
{
    FILE *file = fopen("/proc/self/maps", "r");
    int lines = 0;

    ck_assert_ptr_nonnull(file);
    for (int c; (c = getc(file)) != EOF;)
        lines += c == '\n';
    fclose(file);
    return lines;
}

static void *run_once(void *sandbox)
{
    expect_value(sandbox, "return 1", "1");
    return NULL;
}

START_TEST(threads_that_come_and_go_leave_no_mapping)
{
    cloche_sandbox *sandbox = open_sandbox();

    for (int i = 0; i < 5; i++)
        on_a_thread(run_once, sandbox);
    int before = mapping_count();
    for (int i = 0; i < 300; i++)
        on_a_thread(run_once, sandbox);
    ck_assert_int_le(mapping_count(), before + 2);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- the host's own faults ---- */

typedef struct seen_fault {
    volatile int count;
    int signal;
    void *address;
    bool has_context;
} seen_fault;

static seen_fault first_seen, second_seen;
static char *forbidden; /* pages of the host's own, in which it makes its faults */
static size_t page;
static struct sigaction chained;

static void prepare_pages(void)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    forbidden = mmap(NULL, page * 64, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(forbidden, MAP_FAILED);
}

static bool is_of_the_host(const siginfo_t *info)
{
    return (char *)info->si_addr >= forbidden && (char *)info->si_addr < forbidden + page * 64;
}

static void note(seen_fault *seen, int signal, siginfo_t *info, void *context)
{
    seen->count++;
    seen->signal = signal;
    seen->address = info->si_addr;
    seen->has_context = context != NULL && ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] != 0;
}

static void mend(const siginfo_t *info)
{
    char *start = (char *)((uintptr_t)info->si_addr & ~(uintptr_t)(page - 1));
    if (mmap(start, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        _exit(99);
}

static void sig_first(int signal, siginfo_t *info, void *context)
{
    note(&first_seen, signal, info, context);
    if (!is_of_the_host(info))
        _exit(98); /* a guest's fault came here */
    mend(info);
}

/* Mends what it knows, hands on the rest: the odd pages are not its own. */
static void sig_second_chaining(int signal, siginfo_t *info, void *context)
{
    note(&second_seen, signal, info, context);
    if (second_seen.count > 1000)
        _exit(97); /* round and round */
    if (is_of_the_host(info) && ((size_t)((char *)info->si_addr - forbidden) / page) % 2 == 0) {
        mend(info);
        return;
    }
    if (chained.sa_flags & SA_SIGINFO)
        chained.sa_sigaction(signal, info, context);
    else if (chained.sa_handler != SIG_DFL && chained.sa_handler != SIG_IGN)
        chained.sa_handler(signal);
    else
        sigaction(signal, &chained, NULL);
}

static void install(int signal, void (*handler)(int, siginfo_t *, void *), struct sigaction *before)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    sigemptyset(&action.sa_mask);
    ck_assert_int_eq(sigaction(signal, &action, before), 0);
}

static void expect_fault_seen(seen_fault *seen, int number)
{
    volatile char *at = forbidden + (size_t)number * page + 123;
    int before = seen->count;

    *at = 'x';
    ck_assert_int_eq(*at, 'x');
    ck_assert_int_eq(seen->count, before + 1);
    ck_assert_int_eq(seen->signal, SIGSEGV);
    ck_assert_ptr_eq(seen->address, (void *)(uintptr_t)at);
    ck_assert(seen->has_context);
}

START_TEST(a_handler_installed_before_the_library_gets_the_hosts_faults_and_no_others)
{
    prepare_pages();
    install(SIGSEGV, sig_first, NULL);
    cloche_sandbox *sandbox = open_sandbox();

    for (int i = 0; i < 10; i++) {
        expect_all_signals_work(sandbox);
        expect_fault_seen(&first_seen, i);
    }
    ck_assert_int_eq(first_seen.count, 10);
    cloche_sandbox_destroy(sandbox);
    expect_fault_seen(&first_seen, 10); /* after the last sandbox too */
}
END_TEST

static void sig_bus(int signal, siginfo_t *info, void *context)
{
    note(&first_seen, signal, info, context);
    mend(info);
}

START_TEST(a_bus_error_of_the_host_reaches_its_handler)
{
    prepare_pages();
    install(SIGBUS, sig_bus, NULL);
    cloche_sandbox *sandbox = open_sandbox();
    int empty = memfd_create("empty", MFD_CLOEXEC);

    expect_all_signals_work(sandbox);
    volatile char *beyond = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, empty, 0);
    ck_assert_ptr_ne((void *)(uintptr_t)beyond, MAP_FAILED);
    beyond[5] = 'x';
    ck_assert_int_eq(first_seen.count, 1);
    ck_assert_int_eq(first_seen.signal, SIGBUS);
    ck_assert_ptr_eq(first_seen.address, (void *)(uintptr_t)(beyond + 5));
    ck_assert(first_seen.has_context);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

static volatile int plain_signal;
static sigjmp_buf plain_back;

static void sig_plain(int signal)
{
    plain_signal = signal;
    siglongjmp(plain_back, 1);
}

START_TEST(a_handler_without_siginfo_that_jumps_out_works_again_and_again)
{
    prepare_pages();
    struct sigaction action = {.sa_handler = sig_plain, .sa_flags = SA_NODEFER};
    ck_assert_int_eq(sigaction(SIGSEGV, &action, NULL), 0);
    cloche_sandbox *sandbox = open_sandbox();

    for (volatile int i = 0; i < 200; i++) {
        plain_signal = 0;
        if (sigsetjmp(plain_back, 1) == 0)
            *(volatile char *)(forbidden + 7) = 'x';
        ck_assert_int_eq(plain_signal, SIGSEGV);
        if (i % 20 == 0)
            expect_all_signals_work(sandbox);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_handler_installed_after_the_library_that_chains_keeps_both_working)
{
    prepare_pages();
    cloche_sandbox *sandbox = open_sandbox();
    install(SIGSEGV, sig_second_chaining, &chained);

    for (int i = 0; i < 10; i++) {
        expect_all_signals_work(sandbox);
        expect_fault_seen(&second_seen, i * 2);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(another_sandbox_puts_the_librarys_handler_in_front_again)
{
    prepare_pages();
    cloche_sandbox *sandbox = open_sandbox();
    install(SIGSEGV, sig_first, NULL); /* does not chain: a guest's fault here would be the end */
    cloche_sandbox *another = open_sandbox();

    for (int i = 0; i < 10; i++) {
        expect_all_signals_work(sandbox);
        expect_all_signals_work(another);
        expect_fault_seen(&first_seen, i);
    }
    cloche_sandbox_destroy(sandbox);
    cloche_sandbox_destroy(another);
}
END_TEST

START_TEST(a_handler_on_both_sides_of_the_library_gets_its_faults)
{
    prepare_pages();
    cloche_sandbox *sandbox = open_sandbox();
    install(SIGSEGV, sig_second_chaining, &chained); /* chains to the library's ... */
    cloche_sandbox *another = open_sandbox();        /* ... which is now in front and chains to it */

    expect_all_signals_work(sandbox);
    ck_assert_int_eq(second_seen.count, 0);
    for (int i = 0; i < 10; i++) {
        expect_fault_seen(&second_seen, i * 2);
        expect_all_signals_work(another);
    }
    cloche_sandbox_destroy(sandbox);
    cloche_sandbox_destroy(another);
}
END_TEST

START_TEST(a_fault_that_goes_round_reaches_the_handler_that_was_there_first)
{
    prepare_pages();
    install(SIGSEGV, sig_first, NULL);
    cloche_sandbox *sandbox = open_sandbox();
    install(SIGSEGV, sig_second_chaining, &chained);
    cloche_sandbox *another = open_sandbox();

    for (int i = 0; i < 10; i++) {
        expect_fault_seen(&first_seen, i * 2 + 1); /* the second does not know it and chains back */
        ck_assert_int_eq(second_seen.count, i + 1);
    }
    expect_all_signals_work(another);
    cloche_sandbox_destroy(sandbox);
    cloche_sandbox_destroy(another);
}
END_TEST

/* These two are to end by SIGSEGV. */
START_TEST(a_fault_of_the_host_without_a_handler_kills_the_process)
{
    prepare_pages();
    cloche_sandbox *sandbox = open_sandbox();
    struct rlimit none = {0, 0};

    setrlimit(RLIMIT_CORE, &none);
    expect_all_signals_work(sandbox);
    *(volatile char *)(forbidden + 7) = 'x';
}
END_TEST

START_TEST(a_fault_that_goes_round_without_an_owner_kills_the_process)
{
    prepare_pages();
    cloche_sandbox *sandbox = open_sandbox();
    struct rlimit none = {0, 0};

    setrlimit(RLIMIT_CORE, &none);
    install(SIGSEGV, sig_second_chaining, &chained);
    cloche_sandbox *another = open_sandbox();
    expect_all_signals_work(sandbox);
    expect_all_signals_work(another);
    *(volatile char *)(forbidden + page + 7) = 'x';
}
END_TEST

START_TEST(a_sigsegv_that_was_sent_kills_the_process)
{
    cloche_sandbox *sandbox = open_sandbox();
    struct rlimit none = {0, 0};

    setrlimit(RLIMIT_CORE, &none);
    expect_all_signals_work(sandbox);
    raise(SIGSEGV);
}
END_TEST

START_TEST(a_sigsegv_that_was_sent_stays_ignored_when_the_host_ignores_it)
{
    signal(SIGSEGV, SIG_IGN);
    cloche_sandbox *sandbox = open_sandbox();

    raise(SIGSEGV);
    kill(getpid(), SIGSEGV);
    expect_all_signals_work(sandbox);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* A fault that the host makes inside a callback, while a run of ours is in progress on the thread. */
static void fault_in_callback(void *user, int fd, const char *data, size_t length)
{
    (void)fd, (void)data, (void)length;
    expect_fault_seen(&first_seen, (*(int *)user)++);
}

START_TEST(a_fault_inside_a_callback_reaches_the_hosts_handler)
{
    prepare_pages();
    install(SIGSEGV, sig_first, NULL);
    cloche_sandbox *sandbox = open_sandbox();
    cloche_request request = ask("for (let i = 0; i < 10; i++) console.log(i); return 'done'");
    int number = 0;

    request.on_output = fault_in_callback;
    request.on_output_user = &number;
    cloche_result *result = run(sandbox, request);
    assert_value(result, "\"done\"");
    ck_assert_int_eq(number, 10);
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}
END_TEST

int main(void)
{
    const TTest *const plain[] = {
        a_thread_with_every_signal_blocked_can_run_and_gets_its_mask_back,
        a_thread_that_ends_gets_its_mask_and_stack_back_by_itself,
        runs_leave_the_mask_of_their_thread_alone,
        a_thread_with_an_alternate_stack_keeps_it,
        a_thread_with_a_small_alternate_stack_gets_it_back,
        a_thread_without_an_alternate_stack_is_left_without_one,
        threads_that_come_and_go_leave_no_mapping,
        a_handler_installed_before_the_library_gets_the_hosts_faults_and_no_others,
        a_bus_error_of_the_host_reaches_its_handler,
        a_handler_without_siginfo_that_jumps_out_works_again_and_again,
        a_handler_installed_after_the_library_that_chains_keeps_both_working,
        another_sandbox_puts_the_librarys_handler_in_front_again,
        a_handler_on_both_sides_of_the_library_gets_its_faults,
        a_fault_that_goes_round_reaches_the_handler_that_was_there_first,
        a_sigsegv_that_was_sent_stays_ignored_when_the_host_ignores_it,
        a_fault_inside_a_callback_reaches_the_hosts_handler,
    };
    const TTest *const fatal[] = {
        a_deep_run_needs_its_signal,
        a_fault_of_the_host_without_a_handler_kills_the_process,
        a_fault_that_goes_round_without_an_owner_kills_the_process,
        a_sigsegv_that_was_sent_kills_the_process,
    };
    Suite *suite = suite_create("api/signals");
    TCase *tcase = tcase_create("api/signals");
    SRunner *runner = srunner_create(suite);

    tcase_set_timeout(tcase, 60);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        tcase_add_test(tcase, plain[i]);
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++)
        tcase_add_test_raise_signal(tcase, fatal[i], SIGSEGV);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
