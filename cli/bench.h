/* bench.h - one question, measured here
 *
 * A bench takes its samples, then reports each measure: median, 99th percentile, largest, how many. Figures of other
 * machines or other hours are not comparable; what shall be compared is measured in the same bench.
 *
 * Units    microseconds unless the measure's unit says otherwise
 */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cloche/cloche.h>

#include "buffer.h"

typedef struct bench {
    bool is_quick; /* fewer samples: does it work, not how fast is it */
    bool is_json;
    uint64_t runs; /* of the soak; 0: its own choice */
    cloche_backend backend; /* of the soak */
    const char *name;
    buffer json; /* measures so far */
    atomic_bool has_failed;
} bench;

typedef struct samples {
    double *values;
    size_t count, capacity;
} samples;

double bench_now_us(void);

void samples_add(samples *s, double value);
double samples_percentile(samples *s, double percent); /* sorts */
void samples_fini(samples *s);

/* Prints the measure; note may be NULL. */
void bench_report(bench *b, const char *measure, const char *unit, samples *s, const char *note);
void bench_value(bench *b, const char *measure, const char *unit, double value, const char *note);
/* One line on standard error; the bench goes on, the exit status will be 1. */
void bench_failed(bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* NULL: said so. */
cloche_sandbox *bench_sandbox(bench *b);
/* NULL: said so. timeout_ms 0: the default. */
cloche_result *bench_run(bench *b, cloche_sandbox *sandbox, const char *code, const char *context, uint32_t timeout_ms);
/* The value's JSON text is exactly this. */
bool bench_is_value(const cloche_result *result, const char *json);

/* Code that tries not to end, and what it is called. */
typedef struct bench_hostile {
    const char *name;
    const char *code;
} bench_hostile;

extern const bench_hostile bench_hostiles[];
extern const size_t bench_hostile_count;

void bench_fresh(bench *b);
void bench_template(bench *b);
void bench_hostile_set(bench *b);
void bench_soak(bench *b);
void bench_throughput(bench *b);
void bench_startup(bench *b);
void bench_process(bench *b);

#endif
