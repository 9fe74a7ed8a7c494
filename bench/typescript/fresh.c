/* fresh.c - what does TypeScript add to a fresh run?
 *
 *   fresh SNIPPET.ts SNIPPET.js VALUE [BLOCK]      the two give the same value, JSON
 *
 * A blocking run on the worker backend, from the call to the answer, in five ways that take turns in shuffled order,
 * BLOCK runs each (50): alike runs in a row find the processor's caches warm, with a BLOCK of 1 they do not. The new
 * ones have a number in front that no source before had, so that no cache of translations knows them; the JavaScript
 * has one too.
 *
 * Units    microseconds
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cloche/cloche.h>

enum { MOST_BYTES = 1 << 16, NUMBER_BYTES = 12, RUNS = 5000, WARM_UP = 500, BLOCK = 50 };

typedef struct way {
    const char *name;
    cloche_language language;
    bool is_typescript, is_new;
    double us[RUNS];
} way;

static way ways[] = {
    {.name = "JavaScript", .language = CLOCHE_LANGUAGE_JS},
    {.name = "TypeScript, new", .language = CLOCHE_LANGUAGE_TS, .is_typescript = true, .is_new = true},
    {.name = "TypeScript, new, auto", .language = CLOCHE_LANGUAGE_AUTO, .is_typescript = true, .is_new = true},
    {.name = "TypeScript, again", .language = CLOCHE_LANGUAGE_TS, .is_typescript = true},
    {.name = "TypeScript, again, auto", .language = CLOCHE_LANGUAGE_AUTO, .is_typescript = true},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static char texts[2][NUMBER_BYTES + MOST_BYTES]; /* a comment with a number, then the snippet: JavaScript, TypeScript */
static size_t lengths[2];

_Noreturn static void fail(const char *what, const char *detail)
{
    fprintf(stderr, "fresh: %s: %s\n", what, detail);
    exit(1);
}

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void read_snippet(const char *path, int to)
{
    FILE *file = fopen(path, "rb");

    if (file == NULL)
        fail(path, strerror(errno));
    size_t length = fread(texts[to] + NUMBER_BYTES, 1, MOST_BYTES, file);
    if (ferror(file) || length == MOST_BYTES)
        fail(path, "cannot be read, or is too long");
    fclose(file);
    lengths[to] = NUMBER_BYTES + length;
}

static double run(cloche_sandbox *sandbox, const way *w, const char *value)
{
    static unsigned number;
    cloche_request request = CLOCHE_REQUEST_INIT;
    cloche_result *result;
    cloche_error err;
    char *text = texts[w->is_typescript];
    char comment[NUMBER_BYTES + 1];

    snprintf(comment, sizeof comment, "/*%08u*/", w->is_new || !w->is_typescript ? ++number % 100000000 : 0);
    memcpy(text, comment, NUMBER_BYTES);
    request.code = text;
    request.code_length = lengths[w->is_typescript];
    request.language = w->language;
    double start = now_us();
    if (cloche_sandbox_run(sandbox, &request, &result, &err) < 0)
        fail(w->name, err.text);
    double took = now_us() - start;
    if (!result->ok || result->value.data == NULL || strcmp(result->value.data, value) != 0)
        fail(w->name, result->ok ? "another value" : result->error.data);
    cloche_result_destroy(result);
    return took;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Every way in another order each time. */
static void shuffle(int *order)
{
    for (int i = WAYS - 1; i > 0; i--) {
        int j = rand() % (i + 1), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

static void measure(cloche_sandbox *sandbox, const char *value, int block)
{
    int order[WAYS];

    for (int w = 0; w < WAYS; w++)
        order[w] = w;
    for (int i = -WARM_UP; i < RUNS; i += block) {
        shuffle(order);
        for (int turn = 0; turn < WAYS; turn++)
            for (int in_block = 0; in_block < block; in_block++) {
                double us = run(sandbox, &ways[order[turn]], value);
                if (i >= 0 && i + in_block < RUNS)
                    ways[order[turn]].us[i + in_block] = us;
            }
    }
}

int main(int argc, char **argv)
{
    cloche_sandbox *sandbox;
    cloche_error err;
    int block = argc == 5 ? atoi(argv[4]) : BLOCK;

    if (argc < 4 || argc > 5 || block < 1 || WARM_UP % block != 0)
        fail("usage", "fresh SNIPPET.ts SNIPPET.js VALUE [BLOCK]");
    read_snippet(argv[1], 1);
    read_snippet(argv[2], 0);
    if (cloche_sandbox_create(NULL, &sandbox, &err) < 0)
        fail("cannot start", err.text);
    measure(sandbox, argv[3], block);
    for (int w = 0; w < WAYS; w++) {
        double *us = ways[w].us;
        qsort(us, RUNS, sizeof *us, by_size);
        printf("{\"way\":\"%s\",\"unit\":\"us\",\"p50\":%.1f,\"p99\":%.1f,\"more\":%.1f,\"n\":%d}\n",
               ways[w].name, us[RUNS / 2], us[RUNS * 99 / 100], us[RUNS / 2] - ways[0].us[RUNS / 2], RUNS);
    }
    cloche_sandbox_destroy(sandbox);
    return 0;
}
