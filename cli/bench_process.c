/* bench_process.c - what does a jailed process around each run cost?
 *
 * The same smallest source on the process backend, fresh and with a jail that is reset, and on the worker backend. Beside
 * them what no process backend can do without, by the same clock: a process that is forked, ends and is waited for, and
 * a byte that goes to another process and back. Two ways of asking:
 *
 *   back to back   the next run is asked for at once, so it waits for what the last one leaves to do
 *   rested         some milliseconds pass before each: a child waits, and processor caches have cooled for everybody
 *
 * The process that is forked for comparison is this program, before it has a sandbox: as it is, and made as large as a
 * zygote, with the reservation of one slot and as much written memory.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

enum { DEADLINE_MS = 50, LATE_MOST_MS = 20, REST_MS = 4 };

typedef struct pace {
    const char *name; /* ending of the measure's name */
    unsigned rest_ms; /* before each sample */
    size_t count;
} pace;

static void rest(unsigned ms)
{
    struct timespec pause = { .tv_nsec = (long)ms * 1000000 };

    if (ms > 0)
        nanosleep(&pause, NULL);
}

/* One sample: something that is done, in microseconds; negative: it failed, and that was said. */
typedef double sample_fn(bench *b, void *user);

static double measure(bench *b, const char *what, const pace *p, sample_fn *take, void *user)
{
    samples s = { 0 };
    char name[64];
    double p50;

    for (size_t i = 0; i < p->count + p->count / 10; i++) {
        double us;

        rest(p->rest_ms);
        if ((us = take(b, user)) < 0)
            break;
        if (i >= p->count / 10) /* the first ones warm the caches */
            samples_add(&s, us);
    }
    snprintf(name, sizeof name, "%s%s", what, p->name);
    if (s.count > 0)
        bench_report(b, name, "us", &s, NULL);
    p50 = samples_percentile(&s, 50);
    samples_fini(&s);
    return p50;
}

/* ---- the floor ---- */

static double fork_and_wait(bench *b, void *unused)
{
    double start = bench_now_us();
    pid_t child = fork();
    int status;

    (void)unused;
    if (child == 0)
        _exit(0);
    if (child < 0 || waitpid(child, &status, 0) != child) {
        bench_failed(b, "fork failed");
        return -1;
    }
    return bench_now_us() - start;
}

/* As large as a zygote: what VmSize and RssAnon in its /proc/PID/status are, less what this program has itself. */
static double measure_fork(bench *b, const pace *p)
{
    const size_t reserved = (size_t)8 << 30, written = (size_t)5 << 19;
    char *like_a_zygote = mmap(NULL, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    double p50 = 0;

    if (like_a_zygote == MAP_FAILED)
        return bench_failed(b, "no address space for a process as large as a zygote"), 0;
    if (mprotect(like_a_zygote, written, PROT_READ | PROT_WRITE) == 0) {
        memset(like_a_zygote, 1, written);
        p50 = measure(b, "fork, exit, wait of the same size", p, fork_and_wait, NULL);
    } else {
        bench_failed(b, "no memory for a process as large as a zygote");
    }
    munmap(like_a_zygote, reserved);
    return p50;
}

static double ping_pong(bench *b, void *user)
{
    const int *socket = user;
    double start = bench_now_us();
    char byte = 'x';

    if (write(*socket, &byte, 1) != 1 || read(*socket, &byte, 1) != 1) {
        bench_failed(b, "the other end of the socket is gone");
        return -1;
    }
    return bench_now_us() - start;
}

/* The process at the other end; -1: said so. It ends with the socket. */
static pid_t open_echo(bench *b, int *socket)
{
    int pair[2];
    pid_t child = -1;
    char byte;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0) {
        if ((child = fork()) == 0) {
            close(pair[0]);
            while (read(pair[1], &byte, 1) == 1 && write(pair[1], &byte, 1) == 1)
                continue;
            _exit(0);
        }
        close(pair[1]);
        if (child < 0)
            close(pair[0]);
    }
    if (child < 0)
        bench_failed(b, "no other process to talk to");
    *socket = pair[0];
    return child;
}

/* ---- runs ---- */

static double run_once(bench *b, void *user)
{
    double start = bench_now_us();
    cloche_result *result = bench_run(b, user, "return 1+1", NULL, 0);
    double us = bench_now_us() - start;

    if (!bench_is_value(result, "2")) {
        bench_failed(b, "return 1+1 did not give 2: %.120s",
                     result != NULL && !result->ok ? result->error.data : "another value");
        us = -1;
    }
    cloche_result_destroy(result);
    return us;
}

static cloche_sandbox *open_sandbox(bench *b, cloche_backend backend, cloche_freshness freshness)
{
    cloche_options options = CLOCHE_OPTIONS_INIT;
    cloche_sandbox *sandbox = NULL;
    cloche_error err = { 0 };

    options.backend = backend;
    options.freshness = freshness;
    if (cloche_sandbox_create(&options, &sandbox, &err) < 0)
        bench_failed(b, "%s", err.text);
    return sandbox;
}

static void measure_deadline(bench *b, cloche_sandbox *sandbox)
{
    samples s = { 0 };
    double p99;

    for (int i = 0; i < (b->is_quick ? 4 : 40); i++) {
        double start = bench_now_us();
        cloche_result *result = bench_run(b, sandbox, "for (;;);", NULL, DEADLINE_MS);
        double late = bench_now_us() - start - DEADLINE_MS * 1e3;
        bool is_right = result != NULL && result->code == CLOCHE_CODE_TIMEOUT;

        cloche_result_destroy(result);
        if (!is_right) {
            bench_failed(b, "an endless loop did not end as SANDBOX_TIMEOUT");
            break;
        }
        samples_add(&s, late > 0 ? late : 0);
    }
    p99 = samples_percentile(&s, 99);
    bench_report(b, "deadline to answer, endless loop", "us late", &s, NULL);
    if (p99 > LATE_MOST_MS * 1e3)
        bench_failed(b, "an answer came more than %d ms after its deadline", LATE_MOST_MS);
    samples_fini(&s);
}

/* What was wanted is told beside what is; it does not fail the bench, for machines and their hours differ. */
static void compare(bench *b, const char *measure_name, double value, double floor, double most)
{
    char note[64];
    double times = floor > 0 ? value / floor : 0;

    snprintf(note, sizeof note, "wanted: at most %g%s", most, times > most ? ", NOT MET" : "");
    bench_value(b, measure_name, "times", times, note);
}

typedef struct figures {
    double fork, echo, echo_rested, worker, worker_rested, fresh, fresh_rested, jail;
} figures;

static bool measure_all(bench *b, figures *f)
{
    const pace quick = { "", 0, b->is_quick ? 100 : 5000 };
    const pace rested = { ", rested", REST_MS, b->is_quick ? 20 : 500 };
    cloche_sandbox *sandbox;
    pid_t echo;
    int socket;

    measure(b, "fork, exit, wait of this program", &quick, fork_and_wait, NULL);
    f->fork = measure_fork(b, &quick);
    if ((echo = open_echo(b, &socket)) < 0)
        return false;
    f->echo = measure(b, "socket ping-pong", &quick, ping_pong, &socket);
    f->echo_rested = measure(b, "socket ping-pong", &rested, ping_pong, &socket);
    close(socket);
    waitpid(echo, NULL, 0);

    if ((sandbox = open_sandbox(b, CLOCHE_BACKEND_WORKER, CLOCHE_FRESHNESS_PROCESS)) == NULL)
        return false;
    f->worker = measure(b, "worker", &quick, run_once, sandbox);
    f->worker_rested = measure(b, "worker", &rested, run_once, sandbox);
    cloche_sandbox_destroy(sandbox);

    if ((sandbox = open_sandbox(b, CLOCHE_BACKEND_PROCESS, CLOCHE_FRESHNESS_PROCESS)) == NULL)
        return false;
    f->fresh = measure(b, "fresh process", &quick, run_once, sandbox);
    f->fresh_rested = measure(b, "fresh process", &rested, run_once, sandbox);
    measure_deadline(b, sandbox);
    cloche_sandbox_destroy(sandbox);

    if ((sandbox = open_sandbox(b, CLOCHE_BACKEND_PROCESS, CLOCHE_FRESHNESS_JAIL)) == NULL)
        return false;
    f->jail = measure(b, "jail that is reset", &quick, run_once, sandbox);
    cloche_sandbox_destroy(sandbox);
    return true;
}

void bench_process(bench *b)
{
    figures f = { 0 };

    if (!measure_all(b, &f))
        return;
    compare(b, "fresh to fork, exit, wait", f.fresh, f.fork, 2);
    compare(b, "ready to ping-pong + worker", f.fresh_rested, f.echo_rested + f.worker_rested, 3);
    compare(b, "jail to 4 workers + 60 us", f.jail, 4 * f.worker + 60, 1);
}
