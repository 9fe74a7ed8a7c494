#include "isolate/compile.h"

#include <stdio.h>

#include "base/utf8.h"
#include "isolate/report.h"

#define I (guest->instance)
#define CTX (cl_image_get()->context)

/* The text around a source. The user's line 1 is the engine's line 1: what stands before it has lines -1 and 0 (a
 * start line of 0 would mean "default" to the engine). */
typedef struct form {
    cloche_kind kind;
    int32_t line;
    int32_t flags;
    const char *before, *after;
} form;

static const form forms[] = {
    {CLOCHE_KIND_BODY, -1, CL_EVAL_GLOBAL, "(async function (context) {\n\n", "\n})"},
    {CLOCHE_KIND_MODULE, 1, CL_EVAL_MODULE, "", ""},
    {CLOCHE_KIND_FUNCTION, -1, CL_EVAL_GLOBAL, "(\n\n", "\n)"},
    {CLOCHE_KIND_SCRIPT, 1, CL_EVAL_GLOBAL, "", ""},
};

static const form *form_of(cloche_kind kind)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (forms[i].kind == kind)
            return &forms[i];
    return &forms[0];
}

static uint32_t word_at(cl_guest *guest, uint64_t at)
{
    uint32_t word = 0;
    if (at <= UINT32_MAX && cl_guest_holds(guest, (uint32_t)at, sizeof word))
        memcpy(&word, cl_guest_at(guest, (uint32_t)at), sizeof word);
    return word;
}

/* The function that a compiled "(function ...)" begins with reaches to the end of the text: the source did not close it
 * early. Nothing has run yet. */
static bool spans_text(cl_guest *guest, cl_value script, uint32_t length)
{
    const cl_image *image = cl_image_get();
    uint32_t cpool = word_at(guest, (uint64_t)cl_value_payload(script) + image->cpool_at);
    cl_value first = (uint64_t)word_at(guest, (uint64_t)cpool + 4) << 32 | word_at(guest, cpool);

    return cl_value_tag(first) == CL_TAG_FUNCTION_BYTECODE &&
           word_at(guest, (uint64_t)cl_value_payload(first) + image->source_at) == length - 2; /* parentheses */
}

/* One form. The exception is left pending where it does not parse; CL_UNDEFINED: it parses but leaves its place. */
static cl_value compile_as(cl_guest *guest, const form *f, uint32_t filename)
{
    const cl_run_request *request = guest->run.request;
    size_t before = strlen(f->before), after = strlen(f->after);
    uint32_t length = (uint32_t)(before + request->code_length + after);
    uint32_t text = cl_engine_alloc(guest, length + 1);
    uint8_t *at = cl_guest_at(guest, text);

    memcpy(at, f->before, before);
    if (request->code_length > 0)
        memcpy(at + before, request->code, request->code_length);
    memcpy(at + before + request->code_length, f->after, after + 1);
    /* A first line for the shell is a comment to the engine only at the very start of the text. */
    if (before > 0 && request->code_length >= 2 && at[before] == '#' && at[before + 1] == '!')
        memcpy(at + before, "//", 2);

    cl_value code = cl_engine_eval(guest, text, length, filename, f->line, f->flags | CL_EVAL_COMPILE_ONLY);
    Z_quickjsZ_free(I, text);
    if (!cl_value_is_exception(code) && f->kind == CLOCHE_KIND_BODY && !spans_text(guest, code, length))
        return CL_UNDEFINED;
    return code;
}

/* How far the parser of a form got. */
typedef struct failure {
    cl_value error;
    uint32_t line, column;
} failure;

/* No guest code has run: the error is the engine's own, its properties are plain data. */
static failure take_failure(cl_guest *guest)
{
    failure f = {.error = cl_engine_exception(guest)};
    const char *data;
    size_t length;
    char stack[256];
    const char *colon;

    if (cl_value_is_object(f.error) &&
        cl_engine_utf8(guest, cl_engine_get(guest, f.error, CL_NAME_stack), &data, &length)) {
        length = length < sizeof stack - 1 ? length : sizeof stack - 1;
        memcpy(stack, data, length);
        stack[length] = '\0';
        colon = strstr(stack, guest->run.request->filename);
        if (colon != NULL)
            sscanf(colon + strlen(guest->run.request->filename), ":%u:%u", &f.line, &f.column);
    }
    return f;
}

static bool got_further(const failure *a, const failure *b)
{
    return a->line != b->line ? a->line > b->line : a->column > b->column;
}

bool cl_compile(cl_guest *guest, cl_compiled *out)
{
    const cl_run_request *request = guest->run.request;
    uint32_t filename = cl_engine_text(guest, request->filename, strlen(request->filename));
    failure best = {.error = CL_UNDEFINED};
    bool is_auto = request->kind == CLOCHE_KIND_AUTO;
    const form *tries[] = {is_auto ? form_of(CLOCHE_KIND_BODY) : form_of(request->kind),
                           is_auto ? form_of(CLOCHE_KIND_MODULE) : NULL};
    bool leaves_place = false;

    for (size_t i = 0; i < sizeof tries / sizeof tries[0] && tries[i] != NULL; i++) {
        cl_value code = compile_as(guest, tries[i], filename);
        if (!cl_value_is_exception(code) && !cl_value_is_undefined(code)) {
            *out = (cl_compiled){.code = code, .kind = tries[i]->kind};
            return true;
        }
        if (cl_value_is_undefined(code)) {
            leaves_place = true;
            continue;
        }
        failure f = take_failure(guest);
        if (cl_value_is_undefined(best.error) || got_further(&f, &best))
            best = f;
    }
    if (cl_value_is_undefined(best.error) && leaves_place)
        cl_report_text(guest, CLOCHE_CODE_INVALID_CODE,
                       "SyntaxError: unexpected token '}': it closes the function body that the source is");
    else
        cl_report_error(guest, CLOCHE_CODE_INVALID_CODE, best.error);
    return false;
}
