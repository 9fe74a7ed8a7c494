/* bench_soak.c - does anything stay behind?
 *
 * Many runs on all cores: of ten, eight are ordinary, one is hostile and stopped by its deadline, one grows to its
 * limit, goes deep or is aborted. Resident memory, descriptors and mappings are compared after a warm-up and at the
 * end, and every ordinary run must be right.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "machine.h"

#define DEADLINE_MS 5
#define THREADS_MOST 64

typedef struct footprint {
    double resident_mib;
    double descriptors, mappings;
} footprint;

typedef struct soak {
    bench *bench;
    cloche_sandbox *sandbox;
    atomic_ulong next;
    unsigned long end;
    atomic_ulong wrong;
} soak;

static double count_lines(const char *path)
{
    FILE *file = fopen(path, "re");
    double count = 0;
    int c;

    while (file != NULL && (c = fgetc(file)) != EOF)
        count += c == '\n';
    if (file != NULL)
        fclose(file);
    return count;
}

static footprint take_footprint(void)
{
    footprint f = { 0 };
    char text[128];
    DIR *dir = opendir("/proc/self/fd");

    if (machine_read_line("/proc/self/statm", text, sizeof text) && strchr(text, ' ') != NULL)
        f.resident_mib = strtod(strchr(text, ' '), NULL) * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
    while (dir != NULL && readdir(dir) != NULL)
        f.descriptors++;
    if (dir != NULL)
        closedir(dir);
    f.mappings = count_lines("/proc/self/maps");
    return f;
}

static void run_ordinary(soak *s, unsigned long number)
{
    char context[64], expected[32];
    cloche_result *result;

    snprintf(context, sizeof context, "{\"n\":%lu}", number);
    snprintf(expected, sizeof expected, "%lu", number * 3 + 1);
    result = bench_run(s->bench, s->sandbox, "console.log(n); globalThis.left = n; return n * 3 + 1", context, 0);
    if (!bench_is_value(result, expected))
        atomic_fetch_add(&s->wrong, 1);
    cloche_result_destroy(result);
}

static void run_hostile(soak *s, unsigned long number)
{
    const bench_hostile *hostile = &bench_hostiles[number % bench_hostile_count];
    cloche_result *result = bench_run(s->bench, s->sandbox, hostile->code, NULL, DEADLINE_MS);

    if (result == NULL || result->ok)
        atomic_fetch_add(&s->wrong, 1);
    cloche_result_destroy(result);
}

/* Out of memory, deep, stopped from outside before it begins, a trap's neighbourhood: an error of each kind. */
static void run_to_a_limit(soak *s, unsigned long number)
{
    static const char *const codes[] = {
        "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))",
        "const f = () => f() + 1; return f()",
        "return 1",
        "let s = 'x'; for (;;) s += s + 'y'",
    };
    cloche_request request = CLOCHE_REQUEST_INIT;
    cloche_result *result = NULL;
    cloche_error err = { 0 };

    request.code = codes[number % 4];
    request.code_length = strlen(request.code);
    request.limits.memory_limit_mb = 8;
    request.limits.timeout_ms = 1000;
    if (number % 4 == 2 && cloche_abort_create(&request.abort, &err) >= 0)
        cloche_abort_trigger(request.abort);
    if (cloche_sandbox_run(s->sandbox, &request, &result, &err) < 0 || result->ok)
        atomic_fetch_add(&s->wrong, 1);
    cloche_result_destroy(result);
    cloche_abort_destroy(request.abort);
}

static void *work(void *user)
{
    soak *s = user;
    unsigned long number;

    while ((number = atomic_fetch_add(&s->next, 1)) < s->end) {
        if (number % 10 == 3)
            run_hostile(s, number / 10);
        else if (number % 10 == 7)
            run_to_a_limit(s, number / 10);
        else
            run_ordinary(s, number);
    }
    cloche_thread_release();
    return NULL;
}

static void run_all(soak *s, unsigned long end, uint32_t thread_count)
{
    pthread_t threads[THREADS_MOST];
    uint32_t started = 0;

    s->end = end;
    while (started < thread_count && pthread_create(&threads[started], NULL, work, s) == 0)
        started++;
    if (started == 0)
        work(s);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&s->next, end); /* each thread took one number too many */
}

static cloche_sandbox *open_sandbox(bench *b)
{
    cloche_options options = CLOCHE_OPTIONS_INIT;
    cloche_sandbox *sandbox = NULL;
    cloche_error err = { 0 };

    options.backend = b->backend;
    if (cloche_sandbox_create(&options, &sandbox, &err) < 0)
        bench_failed(b, "%s", err.text);
    return sandbox;
}

void bench_soak(bench *b)
{
    unsigned long runs = b->runs > 0 ? b->runs : b->is_quick ? 2000 : 100000;
    soak s = { .bench = b, .sandbox = open_sandbox(b) };
    footprint before, after;
    machine m;
    double start;

    if (s.sandbox == NULL)
        return;
    machine_get(&m);
    if (m.cores > THREADS_MOST)
        m.cores = THREADS_MOST;
    run_all(&s, runs / 10 > 500 ? runs / 10 : runs, m.cores);
    before = take_footprint();
    start = bench_now_us();
    if (atomic_load(&s.next) < runs)
        run_all(&s, runs, m.cores);
    after = take_footprint();

    bench_value(b, "runs", "", (double)runs, "one in ten hostile, one in ten at a limit");
    bench_value(b, "time", "s", (bench_now_us() - start) / 1e6, NULL);
    bench_value(b, "wrong answers", "", (double)atomic_load(&s.wrong), NULL);
    bench_value(b, "resident memory before", "MiB", before.resident_mib, "after a tenth of the runs");
    bench_value(b, "resident memory after", "MiB", after.resident_mib, NULL);
    bench_value(b, "descriptors more", "", after.descriptors - before.descriptors, NULL);
    bench_value(b, "mappings more", "", after.mappings - before.mappings, NULL);
    if (atomic_load(&s.wrong) > 0)
        bench_failed(b, "%lu runs were wrong", atomic_load(&s.wrong));
    cloche_sandbox_destroy(s.sandbox);
}
