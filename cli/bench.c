#include "bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json_text.h"
#include "out.h"

double bench_now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

void samples_add(samples *s, double value)
{
    if (s->count == s->capacity) {
        s->capacity = s->capacity > 0 ? s->capacity * 2 : 1024;
        s->values = realloc(s->values, s->capacity * sizeof *s->values);
        if (s->values == NULL)
            need_failed();
    }
    s->values[s->count++] = value;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double samples_percentile(samples *s, double percent)
{
    size_t index;

    if (s->count == 0)
        return 0;
    qsort(s->values, s->count, sizeof *s->values, compare);
    index = (size_t)((double)(s->count - 1) * percent / 100.0 + 0.5);
    return s->values[index];
}

void samples_fini(samples *s)
{
    free(s->values);
    *s = (samples){ 0 };
}

/* The beginning of a measure's JSON object, as far as all have it. */
static void open_json(bench *b, const char *measure, const char *unit, const char *note)
{
    buffer_printf(&b->json, "%s{\"bench\":\"%s\",\"measure\":", b->json.length > 0 ? "," : "", b->name);
    json_text_quote(measure, strlen(measure), &b->json);
    buffer_printf(&b->json, ",\"unit\":\"%s\"", unit);
    if (note != NULL) {
        buffer_text(&b->json, ",\"note\":");
        json_text_quote(note, strlen(note), &b->json);
    }
}

void bench_report(bench *b, const char *measure, const char *unit, samples *s, const char *note)
{
    double p50 = samples_percentile(s, 50), p99 = samples_percentile(s, 99), max = samples_percentile(s, 100);

    open_json(b, measure, unit, note);
    buffer_printf(&b->json, ",\"p50\":%.3f,\"p99\":%.3f,\"max\":%.3f,\"n\":%zu}", p50, p99, max, s->count);
    if (!b->is_json)
        out_printf("%-10s  %-34s  p50 %10.1f  p99 %10.1f  max %10.1f %s  n %zu%s%s\n", b->name, measure, p50, p99, max,
                   unit, s->count, note != NULL ? "  " : "", note != NULL ? note : "");
}

void bench_value(bench *b, const char *measure, const char *unit, double value, const char *note)
{
    open_json(b, measure, unit, note);
    buffer_printf(&b->json, ",\"value\":%.3f}", value);
    if (!b->is_json)
        out_printf("%-10s  %-34s  %14.*f %s%s%s\n", b->name, measure, value == (double)(int64_t)value ? 0 : 1, value, unit,
                   note != NULL ? "  " : "", note != NULL ? note : "");
}

void bench_failed(bench *b, const char *format, ...)
{
    va_list args;
    char *text = NULL;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        need_failed();
    va_end(args);
    out_complain("bench", "%s: %s", b->name, text);
    free(text);
    b->has_failed = true;
}

cloche_sandbox *bench_sandbox(bench *b)
{
    cloche_sandbox *sandbox = NULL;
    cloche_error err = { 0 };

    if (cloche_sandbox_create(NULL, &sandbox, &err) < 0)
        bench_failed(b, "%s", err.text);
    return sandbox;
}

cloche_result *bench_run(bench *b, cloche_sandbox *sandbox, const char *code, const char *context, uint32_t timeout_ms)
{
    cloche_request request = CLOCHE_REQUEST_INIT;
    cloche_result *result = NULL;
    cloche_error err = { 0 };

    request.code = code;
    request.code_length = strlen(code);
    request.context = context;
    request.context_length = context != NULL ? strlen(context) : 0;
    request.limits.timeout_ms = timeout_ms;
    if (cloche_sandbox_run(sandbox, &request, &result, &err) < 0)
        bench_failed(b, "%s", err.text);
    return result;
}

bool bench_is_value(const cloche_result *result, const char *json)
{
    return result != NULL && result->ok && result->value.data != NULL && strcmp(result->value.data, json) == 0;
}
