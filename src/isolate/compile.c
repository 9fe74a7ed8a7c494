#include "isolate/compile.h"

#include <stdio.h>

#include "base/utf8.h"
#include "isolate/report.h"
#include "isolate/place.h"
#include "isolate/stop.h"
#include "isolate/typescript/translate.h"

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

/* A TypeScript module that says `export = value`. */
static const form exports_form = {CLOCHE_KIND_MODULE, -1, CL_EVAL_MODULE,
                                  "const module = { exports: {} }, exports = module.exports;\n\n",
                                  "\nexport default module.exports;"};

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

/* The length of the source of the first function in a compiled script; 0: there is none. Nothing has run yet. */
static uint32_t first_source_length(cl_guest *guest, cl_value script)
{
    const cl_image *image = cl_image_get();
    uint32_t cpool = word_at(guest, (uint64_t)cl_value_payload(script) + image->cpool_at);
    cl_value first = (uint64_t)word_at(guest, (uint64_t)cpool + 4) << 32 | word_at(guest, cpool);

    if (cpool == 0 || cl_value_tag(first) != CL_TAG_FUNCTION_BYTECODE)
        return 0;
    return word_at(guest, (uint64_t)cl_value_payload(first) + image->source_at);
}

/* Behind white space and comments. What is not UTF-8 or odd is left to the engine, which has accepted the text. */
static size_t skip_blank(const char *text, size_t length, size_t at)
{
    for (;;) {
        if (at < length && (strchr(" \t\n\v\f\r", text[at]) != NULL && text[at] != '\0')) {
            at++;
        } else if (length - at >= 3 && (memcmp(text + at, "\xEF\xBB\xBF", 3) == 0 ||
                                        memcmp(text + at, "\xE2\x80\xA8", 3) == 0 ||
                                        memcmp(text + at, "\xE2\x80\xA9", 3) == 0)) {
            at += 3;
        } else if (length - at >= 2 && memcmp(text + at, "\xC2\xA0", 2) == 0) {
            at += 2;
        } else if (length - at >= 2 && (memcmp(text + at, "//", 2) == 0 || memcmp(text + at, "#!", 2) == 0)) {
            while (at < length && text[at] != '\n' && text[at] != '\r')
                at++;
        } else if (length - at >= 2 && memcmp(text + at, "/*", 2) == 0) {
            const char *end = memmem(text + at + 2, length - at - 2, "*/", 2);
            at = end != NULL ? (size_t)(end - text) + 2 : length;
        } else {
            return at;
        }
    }
}

/* A compiled "(source)" whose first function is all there is of the source. Parentheses around it are fine. */
static bool is_one_function(cl_guest *guest, cl_value script)
{
    const char *code = guest->run.code;
    size_t length = guest->run.code_length;
    uint32_t function_length = first_source_length(guest, script);

    if (function_length == 0)
        return false;
    /* Behind each opening parenthesis it may begin: "((x) => x)". */
    for (size_t open = 0, at = skip_blank(code, length, 0); function_length <= length - at; open++) {
        size_t end = skip_blank(code, length, at + function_length), closed = 0;
        while (closed < open && end < length && code[end] == ')') {
            end = skip_blank(code, length, end + 1);
            closed++;
        }
        if (closed == open && end == length)
            return true;
        if (at >= length || code[at] != '(')
            return false;
        at = skip_blank(code, length, at + 1);
    }
    return false;
}

/* The first `code_length` bytes of the source in one form. The exception is left pending where it does not parse. */
static cl_value parse_as(cl_guest *guest, const form *f, uint32_t filename, size_t code_length)
{
    size_t before = strlen(f->before), after = strlen(f->after);
    uint32_t length = (uint32_t)(before + code_length + after);
    uint32_t text = cl_engine_alloc(guest, length + 1);
    uint8_t *at = cl_guest_at(guest, text);

    memcpy(at, f->before, before);
    if (code_length > 0)
        memcpy(at + before, guest->run.code, code_length);
    memcpy(at + before + code_length, f->after, after + 1);
    /* A first line for the shell is a comment to the engine only at the very start of the text. */
    if (before > 0 && code_length >= 2 && at[before] == '#' && at[before + 1] == '!')
        memcpy(at + before, "//", 2);

    cl_value code = cl_engine_eval(guest, text, length, filename, f->line, f->flags | CL_EVAL_COMPILE_ONLY);
    Z_quickjsZ_free(I, text);
    return code;
}

/* Where a source that parses in the text around it leaves that text; its length: it stays inside. */
static size_t place_left(cl_guest *guest, const form *f, cl_value code)
{
    size_t length = guest->run.code_length;
    size_t around = strlen(f->before) - strlen("(") + strlen(f->after) - strlen(")");

    if (f->kind == CLOCHE_KIND_FUNCTION)
        return is_one_function(guest, code) ? length : 0;
    if (f->kind != CLOCHE_KIND_BODY)
        return length;
    /* The function around a body reaches to the end of the text, unless the source has closed it early. */
    uint32_t function_length = first_source_length(guest, code);
    if (function_length == around + length)
        return length;
    size_t start = strlen(f->before) - strlen("(") + strlen("}");
    return function_length > start ? function_length - start : 0;
}

/* How far the parser of a form got. */
typedef struct failure {
    cl_value error;
    uint32_t line, column;
    bool is_parsers; /* else what an import threw */
} failure;

/* No guest code has run: the error is the engine's own, its properties are plain data. */
static failure take_failure(cl_guest *guest)
{
    failure f = {.error = cl_engine_exception(guest)};
    const char *data;
    size_t length;
    char stack[256];
    const char *colon;

    if (!cl_value_is_object(f.error))
        return f;
    /* The parser's errors: of syntax, and when it runs out of stack. */
    static const char *const names[] = {"SyntaxError", "RangeError", "InternalError"};
    if (cl_engine_utf8(guest, cl_engine_get(guest, f.error, CL_NAME_name), &data, &length))
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            f.is_parsers |= length == strlen(names[i]) && memcmp(data, names[i], length) == 0;
    if (cl_engine_utf8(guest, cl_engine_get(guest, f.error, CL_NAME_stack), &data, &length)) {
        length = length < sizeof stack - 1 ? length : sizeof stack - 1;
        memcpy(stack, data, length);
        stack[length] = '\0';
        colon = strstr(stack, guest->run.request->filename);
        if (colon != NULL)
            sscanf(colon + strlen(guest->run.request->filename), ":%u:%u", &f.line, &f.column);
    }
    return f;
}

/* The engine gives some errors no place (those inside regular expressions). The shortest beginning of the source that
 * has the same kind of error ends where it is. */
static size_t find_place(cl_guest *guest, const form *f, uint32_t filename)
{
    size_t good = 0, bad = guest->run.code_length;

    while (good + 1 < bad) {
        size_t middle = good + (bad - good) / 2;
        cl_value code = parse_as(guest, f, filename, middle);
        bool is_bad = cl_value_is_exception(code) && take_failure(guest).line == 0;
        if (is_bad)
            bad = middle;
        else
            good = middle;
        cl_stop_check(guest);
    }
    return bad > 0 ? bad - 1 : 0;
}

static bool got_further(const failure *a, const failure *b)
{
    return a->line != b->line ? a->line > b->line : a->column > b->column;
}

/* The byte of the source that a failure is at. */
static size_t place_of(cl_guest *guest, const form *f, uint32_t filename, const failure *worst)
{
    const cl_run *run = &guest->run;
    uint32_t last_line, last_column;

    if (worst->line == 0) {
        size_t at = find_place(guest, f, filename);
        const cl_run_request *request = run->request;
        return run->translation == NULL
                   ? at
                   : cl_translation_to_source(run->translation, request->code, request->code_length, at);
    }
    cl_utf8_place(run->code, run->code_length, run->code_length, &last_line, &last_column);
    if (worst->line > last_line) /* blamed on the text behind it */
        return run->request->code_length;
    return cl_place_offset(run, worst->line, worst->column);
}

static uint32_t line_of(const cl_run_request *request, size_t offset)
{
    uint32_t line, column;
    cl_utf8_place(request->code, request->code_length, offset, &line, &column);
    return line;
}

/* What the engine has against the source; or the TypeScript compiler, which mostly says it better, unless its reading
 * ends in an earlier line. */
static void report_failure(cl_guest *guest, const form *f, uint32_t filename, const failure *worst)
{
    const cl_run_request *request = guest->run.request;
    const cl_compiler_word *word = &guest->run.word;
    size_t offset = place_of(guest, f, filename, worst);
    const char *data;
    size_t length;
    char message[200] = "the source does not parse";

    if (cl_engine_utf8(guest, cl_engine_get(guest, worst->error, CL_NAME_message), &data, &length))
        snprintf(message, sizeof message, "%.*s", (int)cl_utf8_cut(data, length, sizeof message - 1), data);
    /* A string that is left open is sure; the compiler goes on behind it and stumbles over what is in it. */
    bool is_open_string = strstr(message, "end of string") != NULL;
    bool is_later = !is_open_string && line_of(request, word->offset) >= line_of(request, offset);
    if (word->verdict == CL_COMPILER_DIFFERS && (word->is_sure || is_later)) {
        cl_report_syntax(guest, word->message, word->offset);
        return;
    }
    if (offset == request->code_length && worst->line != 0)
        snprintf(message, sizeof message, "unexpected end of the source");
    cl_report_syntax(guest, message, offset);
}

static const form *only_form(const cl_run *run)
{
    if (run->translation == NULL)
        return run->request->kind == CLOCHE_KIND_AUTO ? NULL : form_of(run->request->kind);
    return run->translation->assigns_exports ? &exports_form : form_of(run->translation->kind);
}

/* Once about a source that is no JavaScript, and once more where the engine does not take what erasure has left. */
static bool may_ask_compiler(const cl_run *run)
{
    return cl_translate_is_built() && run->word.verdict == CL_COMPILER_UNASKED &&
           (run->translation == NULL || run->translation->mappings == NULL);
}

bool cl_compile(cl_guest *guest, cl_compiled *out)
{
    cl_run *run = &guest->run;
    uint32_t filename = cl_engine_text(guest, run->request->filename, strlen(run->request->filename));
    const form *only = only_form(run);
    const form *tries[] = {only != NULL ? only : form_of(CLOCHE_KIND_BODY),
                           only != NULL ? NULL : form_of(CLOCHE_KIND_MODULE)};
    const form *worst_form = NULL, *left_form = NULL;
    failure worst = {.error = CL_UNDEFINED};
    size_t left_at = 0;

    for (size_t i = 0; i < sizeof tries / sizeof tries[0] && tries[i] != NULL; i++) {
        cl_value code = parse_as(guest, tries[i], filename, run->code_length);
        if (!cl_value_is_exception(code)) {
            size_t at = place_left(guest, tries[i], code);
            if (at == run->code_length) {
                *out = (cl_compiled){.code = code, .kind = tries[i]->kind};
                return true;
            }
            left_form = tries[i];
            left_at = at;
            continue;
        }
        failure f = take_failure(guest);
        if (!f.is_parsers && tries[i]->kind == CLOCHE_KIND_MODULE && run->request->check_only) {
            *out = (cl_compiled){.code = CL_UNDEFINED, .kind = tries[i]->kind}; /* it parses; an import was not found */
            return true;
        }
        if (!f.is_parsers && tries[i]->kind == CLOCHE_KIND_MODULE) {
            cl_report_error(guest, CLOCHE_CODE_EXECUTION_ERROR, f.error);
            return false;
        }
        if (worst_form == NULL || got_further(&f, &worst)) {
            worst = f;
            worst_form = tries[i];
        }
    }
    if (left_form != NULL) {
        if (run->translation != NULL)
            left_at = cl_translation_to_source(run->translation, run->request->code, run->request->code_length, left_at);
        cl_report_syntax(guest,
                         left_form->kind == CLOCHE_KIND_FUNCTION
                             ? "the source is not one function expression"
                             : "unexpected token '}': it closes the function body that the source is",
                         left_at);
    } else if (may_ask_compiler(run)) {
        run->wants_compiler = true;
    } else {
        report_failure(guest, worst_form, filename, &worst);
    }
    return false;
}
