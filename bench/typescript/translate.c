/* translate.c - what does a translation of a TypeScript source cost?
 *
 *   translate FILE...         each file in each mode for a second; a line of JSON for each
 *   translate --ask FILE...   a line of standard input, "INDEX MODE MS", is answered by such a line
 *
 *   erasure          types become blanks; files that allow it
 *   transformation   printed anew, with a source map
 *   as a run         erasure, and transformation where that is refused: what a run waits for
 *
 * A translation is what a run uses: the instance is reset after each, and its text copied out. Built against the static
 * library, in which the interface between its parts can still be reached.
 *
 * Units    microseconds
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "isolate/thread.h"
#include "isolate/typescript/translate.h"

enum {
    MOST_FILES = 64,
    MOST_BYTES = 1 << 20,
    MOST_SAMPLES = 1 << 20,
    MOST_PAGES = 2048, /* of growth: 128 MiB */
    WARM_UP = 20,
    DEFAULT_MS = 1000,
};

typedef enum mode { MODE_ERASURE, MODE_TRANSFORMATION, MODE_RUN, MODE_COUNT } mode;
static const char *const mode_names[MODE_COUNT] = {"erasure", "transformation", "as a run"};

typedef struct source {
    const char *name;
    char *text;
    size_t length;
} source;

static source sources[MOST_FILES];
static double samples[MOST_SAMPLES];

_Noreturn static void fail(const char *what, const char *detail)
{
    fprintf(stderr, "translate: %s: %s\n", what, detail);
    exit(1);
}

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static source read_source(const char *path)
{
    const char *slash = strrchr(path, '/');
    source s = {.name = slash != NULL ? slash + 1 : path, .text = malloc(MOST_BYTES)};
    FILE *file = fopen(path, "rb");

    if (file == NULL || s.text == NULL)
        fail(path, strerror(errno));
    s.length = fread(s.text, 1, MOST_BYTES, file);
    if (ferror(file) || s.length == MOST_BYTES)
        fail(path, "cannot be read, or is too long");
    fclose(file);
    return s;
}

/* One translation, timed. false: it is no erasure, though that was asked for. */
static bool translate(cl_thread *thread, const source *s, mode m, double *took_us)
{
    static _Atomic int no_stop;
    cl_translate_result result;
    uint64_t start = now_ns();
    cl_translate_order order = {
        .code = s->text,
        .code_length = s->length,
        .kind = CLOCHE_KIND_MODULE,
        .is_printed = m == MODE_TRANSFORMATION,
        .until = {.deadline_ns = start + 10000000000u, .stop = &no_stop},
        .most_pages = MOST_PAGES,
    };

    cl_translate(thread, &order, &result);
    if (result.end != CL_TRANSLATED)
        fail(s->name, result.message);
    bool is_erased = result.translation->mappings == NULL;
    cl_translation_unref(result.translation);
    *took_us = (double)(now_ns() - start) / 1e3;
    return m != MODE_ERASURE || is_erased;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* As many translations as fit; false: the mode is not for this file. */
static bool measure(cl_thread *thread, const source *s, mode m, double ms)
{
    size_t count = 0;
    double took_us;

    for (int i = 0; i < WARM_UP; i++)
        if (!translate(thread, s, m, &took_us))
            return false;
    uint64_t until = now_ns() + (uint64_t)(ms * 1e6);
    do
        translate(thread, s, m, &samples[count]);
    while (++count < MOST_SAMPLES && now_ns() < until);
    qsort(samples, count, sizeof *samples, by_size);
    printf("{\"file\":\"%s\",\"bytes\":%zu,\"mode\":\"%s\",\"unit\":\"us\",\"p50\":%.1f,\"p99\":%.1f,\"n\":%zu}\n",
           s->name, s->length, mode_names[m], samples[count / 2], samples[count * 99 / 100], count);
    return true;
}

static void answer(cl_thread *thread, size_t source_count)
{
    size_t index;
    int m;
    double ms;

    while (scanf("%zu %d %lf", &index, &m, &ms) == 3) {
        if (index >= source_count || m < 0 || m >= MODE_COUNT || !(ms > 0))
            fail("a line", "no such file or mode");
        if (!measure(thread, &sources[index], (mode)m, ms))
            puts("{}");
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    bool is_asked = argc > 1 && strcmp(argv[1], "--ask") == 0;
    size_t count = 0;
    cloche_error err = {0};

    for (int i = is_asked ? 2 : 1; i < argc && count < MOST_FILES; i++)
        sources[count++] = read_source(argv[i]);
    if (count == 0)
        fail("usage", "translate [--ask] FILE...");
    cl_thread *thread = cl_threads_init(0, &err) < 0 ? NULL : cl_thread_get(&err);
    if (thread == NULL)
        fail("cannot start", err.text);
    if (is_asked)
        answer(thread, count);
    else
        for (size_t i = 0; i < count; i++)
            for (mode m = 0; m < MODE_COUNT; m++)
                measure(thread, &sources[i], m, DEFAULT_MS);
    cloche_thread_release();
    return 0;
}
