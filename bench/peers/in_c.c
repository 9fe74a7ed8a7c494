/* in_c.c - the library as its caller sees it: a run per line of standard input, answered by how long it took
 *
 *   in_c worker|process|jail SNIPPET      the snippet returns true
 *
 * Units    milliseconds around cloche_sandbox_run
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cloche/cloche.h>

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int fail(const char *text)
{
    fprintf(stderr, "in_c: %s\n", text);
    return 1;
}

int main(int argc, char **argv)
{
    cloche_options options = CLOCHE_OPTIONS_INIT;
    cloche_request request = CLOCHE_REQUEST_INIT;
    cloche_sandbox *sandbox;
    cloche_error err;

    if (argc != 3)
        return fail("usage: in_c worker|process|jail SNIPPET");
    options.backend = strcmp(argv[1], "worker") == 0 ? CLOCHE_BACKEND_WORKER : CLOCHE_BACKEND_PROCESS;
    options.freshness = strcmp(argv[1], "jail") == 0 ? CLOCHE_FRESHNESS_JAIL : CLOCHE_FRESHNESS_PROCESS;
    if (cloche_sandbox_create(&options, &sandbox, &err) < 0)
        return fail(err.text);
    request.code = argv[2];
    request.code_length = strlen(argv[2]);
    for (int c; (c = getchar()) != EOF;) {
        cloche_result *result;
        double start = now_ms();

        if (c != '\n')
            continue;
        if (cloche_sandbox_run(sandbox, &request, &result, &err) < 0)
            return fail(err.text);
        double took = now_ms() - start;
        if (!result->ok || strcmp(result->value.data, "true") != 0)
            return fail(result->ok ? "another value" : result->error.data);
        cloche_result_destroy(result);
        printf("%.4f\n", took);
        fflush(stdout);
    }
    cloche_sandbox_destroy(sandbox);
    return 0;
}
