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

#include "api.h"
#include "isolate/thread.h"

/* Goes deep enough to fault in the closed part of the engine's own stack, which a handler of ours must open. */
#define DEEP_CODE                                                                                         \
    "let depth = 0; const f = () => { depth++; return [1].map(f) }; try { f() } catch (e) {"              \
    " return e instanceof RangeError && depth > 100 ? 'deep' : String(e) }"
#define DEEP_VALUE "\"deep\""

static void expect_all_signals_work(cloche_sandbox *sandbox)
{
    expect_end(sandbox, ask_for("for (;;);", 30), CLOCHE_CODE_TIMEOUT);
    expect_value(sandbox, DEEP_CODE, DEEP_VALUE);
    expect_end(sandbox, ask_for("for (;;) /^(a+)+$/.test('a'.repeat(40) + 'b')", 30), CLOCHE_CODE_TIMEOUT);
    expect_next_run_right(sandbox);
}

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
        a_named_stop_signal_is_the_one_used,
        the_first_sandbox_of_the_process_decides_the_signal,
        a_stop_signal_that_has_a_handler_is_refused,
        a_stop_signal_that_is_no_real_time_signal_is_refused,
        the_first_free_signal_is_taken_and_none_free_is_refused,
        a_stop_signal_from_anyone_else_stops_nothing,
        a_profiler_of_the_host_and_hostile_runs_live_together,
        a_profiler_on_the_alternate_stack_and_hostile_runs_live_together,
        a_slow_handler_of_the_host_is_never_left_in_the_middle,
        a_handler_that_interrupted_a_guest_ends_before_the_guest_is_stopped,
        the_hosts_rounding_mode_does_not_reach_the_guest_and_stays,
        a_host_that_traps_floating_point_errors_is_not_killed_by_a_guest,
        a_host_that_flushes_tiny_numbers_to_zero_does_not_change_what_a_guest_computes,
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
