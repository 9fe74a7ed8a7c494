/* api.h - what the tests of the C interface share: one line to run a script, one to say what must come back
 *
 *   cloche_sandbox *sandbox = open_sandbox();
 *   expect_value(sandbox, "return 6 * 7", "42");
 *   expect_end(sandbox, ask_for("for (;;);", 50), CLOCHE_CODE_TIMEOUT);
 *
 * A sandbox does not survive fork(), and libcheck forks per test: make it inside the test.
 */
#ifndef TESTS_API_API_H
#define TESTS_API_API_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cloche/cloche.h>

#include "../unit/runner.h"

#define NS_PER_MS UINT64_C(1000000)

static inline double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static inline double thread_cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* A text as printf makes it; the test process ends soon, so nobody frees it. */
__attribute__((format(printf, 1, 2))) static inline char *text_of(const char *format, ...)
{
    va_list list;
    char *text = NULL;

    va_start(list, format);
    ck_assert_int_ge(vasprintf(&text, format, list), 0);
    va_end(list);
    return text;
}

/* ---- sandboxes ---- */

static inline cloche_sandbox *open_with(const cloche_options *options)
{
    cloche_sandbox *sandbox = NULL;
    cloche_error err;

    cloche_status rc = cloche_sandbox_create(options, &sandbox, &err);
    ck_assert_msg(rc == CLOCHE_OK, "create: %s: %s", cloche_status_name(rc), err.text);
    return sandbox;
}

static inline cloche_sandbox *open_sandbox(void)
{
    return open_with(NULL);
}

static inline cloche_stats stats_of(cloche_sandbox *sandbox)
{
    cloche_stats stats;
    cloche_sandbox_stats(sandbox, &stats);
    return stats;
}

/* ---- requests ---- */

static inline cloche_request ask(const char *code)
{
    cloche_request request = CLOCHE_REQUEST_INIT;
    request.code = code;
    request.code_length = strlen(code);
    return request;
}

static inline cloche_request ask_for(const char *code, uint32_t timeout_ms)
{
    cloche_request request = ask(code);
    request.limits.timeout_ms = timeout_ms;
    return request;
}

static inline cloche_request ask_kind(const char *code, cloche_kind kind)
{
    cloche_request request = ask(code);
    request.kind = kind;
    return request;
}

static inline cloche_request with_context(cloche_request request, const char *context)
{
    request.context = context;
    request.context_length = strlen(context);
    return request;
}

/* ---- results ---- */

static inline const char *shown(cloche_text text)
{
    return text.data == NULL ? "(absent)" : text.data;
}

static inline cloche_result *run(cloche_sandbox *sandbox, cloche_request request)
{
    cloche_result *result = NULL;
    cloche_error err;

    cloche_status rc = cloche_sandbox_run(sandbox, &request, &result, &err);
    ck_assert_msg(rc == CLOCHE_OK, "run: %s: %s", cloche_status_name(rc), err.text);
    ck_assert_ptr_nonnull(result);
    ck_assert(result->ok == (result->code == CLOCHE_CODE_NONE));
    ck_assert_msg(result->ok == (result->error.data == NULL), "ok %d goes with error %s", result->ok, shown(result->error));
    return result;
}

#define assert_value(result, json)                                                                              \
    ck_assert_msg((result)->ok && (result)->value.data != NULL && strcmp((result)->value.data, (json)) == 0,    \
                  "value is %s, error is %s (%s), expected %s", shown((result)->value), shown((result)->error), \
                  cloche_code_name((result)->code), (json))

#define assert_code(result, expected)                                                                           \
    ck_assert_msg((result)->code == (expected), "ended as %s (%s, value %.200s), expected %s",                  \
                  (result)->ok ? "ok" : cloche_code_name((result)->code), shown((result)->error),               \
                  shown((result)->value), cloche_code_name(expected))

#define assert_text(text, expected)                                                           \
    ck_assert_msg((text).data != NULL && strcmp((text).data, (expected)) == 0, "text is '%s', expected '%s'", \
                  shown(text), (expected))

#define assert_contains(text, part)                                                           \
    ck_assert_msg((text).data != NULL && strstr((text).data, (part)) != NULL, "text is '%.400s', which lacks '%s'", \
                  shown(text), (part))

#define expect_value(sandbox, script, json)                 \
    do {                                                    \
        cloche_result *result_ = run((sandbox), ask(script)); \
        assert_value(result_, (json));                      \
        cloche_result_destroy(result_);                     \
    } while (0)

#define expect_end(sandbox, request, code)                   \
    do {                                                     \
        cloche_result *result_ = run((sandbox), (request));  \
        assert_code(result_, (code));                        \
        cloche_result_destroy(result_);                      \
    } while (0)

/* A run that uses a good part of the engine and has one right answer. */
#define PROBE_CODE                                                                                        \
    "const m = new Map([[1, 'a'], [2, 'b']]); class A { #x = 3; get x() { return this.#x } }"              \
    "const t = await Promise.all([1, 2, 3].map(async n => n * new A().x));"                                \
    "return [t, [...m.values()].join(''), 'xaby'.replace(/[ab]+/, s => s.length), 2n ** 70n + '', typeof leftover,"   \
    " Object.keys(globalThis).length, JSON.stringify({a: [1, {b: null}]})]"
#define PROBE_VALUE "[[3,6,9],\"ab\",\"x2y\",\"1180591620717411303424\",\"undefined\",0,\"{\\\"a\\\":[1,{\\\"b\\\":null}]}\"]"

#define expect_next_run_right(sandbox) expect_value((sandbox), PROBE_CODE, PROBE_VALUE)

/* A script that spins for about `ms` of wall time, whatever the machine. */
#define SPIN_JS "const spin = ms => { const t = performance.now(); while (performance.now() - t < ms); };"

#endif
