/* typescript.c - fuzz target: any bytes to the TypeScript compiler
 *
 *   input:  | choice, 1 byte | source |       choice: kind, and whether it is printed anew
 *
 * Holds that a translation ends in one of the ways that are meant for sources, never in an import that should not be
 * called; that erasure moves nothing; that what the engine takes for JavaScript comes out of erasure as it went in; and
 * that the instance is right afterwards.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "isolate/table.h"
#include "isolate/typescript/translate.h"

#include "fuzz.h"

#include <cloche/cloche.h>

static cl_thread *thread;
static cloche_sandbox *sandbox;

static void open_all(void)
{
    cloche_error err;

    if (thread != NULL)
        return;
    cl_table_init();
    cloche_options options = CLOCHE_OPTIONS_INIT;
    options.limits.timeout_ms = 1000;
    FUZZ_HOLDS(cloche_sandbox_create(&options, &sandbox, &err) == CLOCHE_OK);
    FUZZ_HOLDS((thread = cl_thread_get(&err)) != NULL);
}

static cl_translate_result translate(const char *code, size_t length, cloche_kind kind, bool is_printed)
{
    static _Atomic int stop;
    cl_translate_order order = {.code = code, .code_length = length, .kind = kind, .is_printed = is_printed, .most_pages = 1024};
    cl_translate_result result;

    order.until = (cl_until){.deadline_ns = cl_clock_ns(CLOCK_MONOTONIC) + 200 * CL_NS_PER_MS, .stop = &stop};
    cl_translate(thread, &order, &result);
    return result;
}

/* A byte that is left is where it was; what is not left is white space, or one of the few signs that keep the meaning:
 * a semicolon, a parenthesis that moves over a line, a comma. */
static void check_erased(const cl_translation *made, const char *code, size_t length)
{
    FUZZ_HOLDS(made->code_length == length);
    for (size_t i = 0; i < length; i++) {
        char is = made->code[i], was = code[i];
        bool is_line_end = was == '\n' || was == '\r';
        bool is_sign = strchr(" ;(),=>", is) != NULL || (unsigned char)is >= 0x80 || is == '/';
        FUZZ_HOLDS(is == was || (is_sign && !is_line_end));
    }
}

static bool is_javascript(const char *code, size_t length, cloche_kind kind)
{
    cloche_request request = CLOCHE_REQUEST_INIT;
    cloche_result *result;
    cloche_error err;

    request.code = code;
    request.code_length = length;
    request.kind = kind;
    request.language = CLOCHE_LANGUAGE_JS;
    FUZZ_HOLDS(cloche_sandbox_check(sandbox, &request, &result, &err) == CLOCHE_OK);
    bool is_ok = result->ok;
    cloche_result_destroy(result);
    return is_ok;
}

int fuzz_one(const uint8_t *data, size_t size)
{
    const char *code = (const char *)data + 1;
    size_t length = size - 1;

    open_all();
    if (size == 0 || cl_utf8_check(code, length, true) != length)
        return 0;
    cloche_kind kind = (cloche_kind)(data[0] % 5);
    cl_translate_result result = translate(code, length, kind, data[0] & 0x80);
    FUZZ_HOLDS(result.end != CL_TRANSLATE_INTERNAL);
    if (result.end == CL_TRANSLATED && result.translation->mappings == NULL) {
        check_erased(result.translation, code, length);
        /* a < b > (c) is both; TypeScript calls a. */
        if (memchr(code, '<', length) == NULL && is_javascript(code, length, result.translation->kind))
            FUZZ_HOLDS(memcmp(result.translation->code, code, length) == 0);
    }
    if (result.end == CL_TRANSLATE_SYNTAX)
        FUZZ_HOLDS(result.offset <= length && result.message[0] != '\0');
    cl_translation_unref(result.translation);

    static const char probe[] = "enum A { B = 7 }";
    result = translate(probe, strlen(probe), CLOCHE_KIND_MODULE, false);
    FUZZ_HOLDS(result.end == CL_TRANSLATED && strstr(result.translation->code, "= 7] = \"B\"") != NULL);
    cl_translation_unref(result.translation);
    return 0;
}
