/* bench_fresh.c - what does a fresh environment cost?
 *
 * A run of the smallest source, from the call to the answer, and beside it the bare copy of as many bytes as a run
 * copies back: the floor of this way of being fresh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static void measure_runs(bench *b, cloche_sandbox *sandbox, size_t count)
{
    samples s = { 0 };

    for (size_t i = 0; i < count + count / 10; i++) {
        double start = bench_now_us();
        cloche_result *result = bench_run(b, sandbox, "return 1+1", NULL, 0);
        double end = bench_now_us();

        if (!bench_is_value(result, "2")) {
            bench_failed(b, "return 1+1 did not give 2");
            cloche_result_destroy(result);
            break;
        }
        cloche_result_destroy(result);
        if (i >= count / 10) /* the first ones warm the caches */
            samples_add(&s, end - start);
    }
    if (s.count > 0)
        bench_report(b, "fresh run of return 1+1", "us", &s, NULL);
    samples_fini(&s);
}

static void measure_copy(bench *b, size_t bytes, size_t count)
{
    samples s = { 0 };
    char *from = need(bytes), *to = need(bytes);
    char note[64];

    memset(from, 1, bytes);
    memset(to, 2, bytes);
    for (size_t i = 0; i < count; i++) {
        double start = bench_now_us();

        memcpy(to, from, bytes);
        __asm__ volatile("" : : "r"(to) : "memory"); /* the copy is wanted, though nobody reads it */
        samples_add(&s, bench_now_us() - start);
    }
    snprintf(note, sizeof note, "%zu bytes", bytes);
    bench_report(b, "copy of as many bytes as the image", "us", &s, note);
    samples_fini(&s);
    free(from);
    free(to);
}

void bench_fresh(bench *b)
{
    size_t count = b->is_quick ? 1000 : 50000;
    cloche_sandbox *sandbox = bench_sandbox(b);
    cloche_stats stats = { .size = sizeof stats };

    if (sandbox == NULL)
        return;
    measure_runs(b, sandbox, count);
    cloche_sandbox_stats(sandbox, &stats);
    if (stats.image_bytes > 0)
        measure_copy(b, (size_t)stats.image_bytes, count);
    cloche_sandbox_destroy(sandbox);
}
