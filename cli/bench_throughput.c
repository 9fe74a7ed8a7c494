/* bench_throughput.c - do runs on several threads get in each other's way? */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "bench.h"
#include "machine.h"

#define THREADS_MOST 256

typedef struct load {
    bench *bench;
    cloche_sandbox *sandbox;
    double end_us;
    atomic_ulong runs;
} load;

static void *work(void *user)
{
    load *l = user;
    unsigned long runs = 0;

    while (bench_now_us() < l->end_us) {
        cloche_result *result = bench_run(l->bench, l->sandbox, "return 1+1", NULL, 0);
        bool is_right = bench_is_value(result, "2");

        cloche_result_destroy(result);
        if (!is_right) {
            bench_failed(l->bench, "return 1+1 did not give 2");
            break;
        }
        runs++;
    }
    atomic_fetch_add(&l->runs, runs);
    cloche_thread_release();
    return NULL;
}

static double runs_per_second(bench *b, cloche_sandbox *sandbox, uint32_t thread_count)
{
    pthread_t threads[THREADS_MOST];
    uint32_t started = 0;
    double start = bench_now_us();
    load l = { .bench = b, .sandbox = sandbox, .end_us = start + (b->is_quick ? 0.2e6 : 3e6) };

    while (started < thread_count && pthread_create(&threads[started], NULL, work, &l) == 0)
        started++;
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return (double)atomic_load(&l.runs) / (bench_now_us() - start) * 1e6;
}

void bench_throughput(bench *b)
{
    cloche_sandbox *sandbox = bench_sandbox(b);
    char measure[64];
    double one, all;
    machine m;

    if (sandbox == NULL)
        return;
    machine_get(&m);
    if (m.cores > THREADS_MOST)
        m.cores = THREADS_MOST;
    one = runs_per_second(b, sandbox, 1);
    bench_value(b, "one thread", "runs/s", one, NULL);
    if (m.cores > 1) {
        all = runs_per_second(b, sandbox, m.cores);
        snprintf(measure, sizeof measure, "%u threads", m.cores);
        bench_value(b, measure, "runs/s", all, NULL);
        bench_value(b, "against one", "times", one > 0 ? all / one : 0, NULL);
    }
    cloche_sandbox_destroy(sandbox);
}
