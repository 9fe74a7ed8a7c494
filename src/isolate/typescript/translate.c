#include "isolate/typescript/translate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "isolate/typescript/instance.h"
#include "isolate/typescript/lines.h"
#include "isolate/typescript/merge.h"
#include "isolate/typescript/repair.h"
#include "isolate/typescript/source_map.h"

/* The text around a source while it is read; `printed` is what the compiler makes of `before`. */
typedef struct form {
    cloche_kind kind;
    bool is_module;
    const char *before, *after;
    const char *printed, *printed_after;
} form;

static const form forms[] = {
    {CLOCHE_KIND_BODY, false, "async function _(context) {", "\n}", "async function _(context) {", "}"},
    {CLOCHE_KIND_MODULE, true, "", "", "", ""},
    {CLOCHE_KIND_FUNCTION, false, "_(", "\n)", "_(", ");"},
    {CLOCHE_KIND_SCRIPT, false, "", "", "", ""},
};

typedef struct work {
    cl_thread *thread;
    cl_typescript *typescript;
    const cl_translate_order *order;
    cl_translate_result *result;
    bool has_failed;           /* a form has: its message is in the result */
    char *repaired;            /* the source with repairs, of the same length; NULL: none were needed */
    cl_buf merged;             /* the source as it is transformed, if insertions were made */
    cl_insertions insertions;
} work;

bool cl_translate_is_built(void)
{
    return true;
}

static void fail_inside(work *w, const char *text)
{
    w->result->end = CL_TRANSLATE_INTERNAL;
    snprintf(w->result->message, sizeof w->result->message, "%s", text);
}

static void close_instance(void *typescript)
{
    cl_typescript_close(typescript);
}

static bool reserve(cl_thread *thread, cloche_error *err)
{
    cl_typescript *typescript;

    if (cl_typescript_reserve(&typescript, err) < 0)
        return false;
    thread->typescript = typescript;
    thread->close_typescript = close_instance;
    return true;
}

static void release(cl_thread *thread)
{
    cl_typescript_close(thread->typescript);
    thread->typescript = NULL;
}

static cl_typescript *instance_of(cl_thread *thread, cloche_error *err)
{
    if (thread->typescript == NULL && !reserve(thread, err))
        return NULL;
    cl_typescript *typescript = thread->typescript;
    if (!typescript->is_filled && cl_typescript_fill(typescript, err) < 0) {
        release(thread);
        return NULL;
    }
    return typescript;
}

void cl_translate_reserve(cl_thread *thread)
{
    cloche_error ignored;

    if (thread->typescript == NULL)
        reserve(thread, &ignored);
}

/* What stands for the first bytes of the source, where its place in the text would change their meaning: a first line
 * for the shell is a comment only at the very start, and there the compiler drops a byte order mark. */
static cl_js_text start_of(const cl_translate_order *order, const form *f)
{
    bool is_first = f->before[0] == '\0';

    if (!is_first && order->code_length >= 2 && memcmp(order->code, "#!", 2) == 0)
        return (cl_js_text){"//", 2};
    if (is_first && order->code_length >= 3 && memcmp(order->code, "\xEF\xBB\xBF", 3) == 0)
        return (cl_js_text){"   ", 3};
    return (cl_js_text){"", 0};
}

/* The order with the text that is to be read in this mode. */
static cl_translate_order as_read(const work *w, cl_ts_mode mode)
{
    cl_translate_order order = *w->order;

    if (w->repaired != NULL)
        order.code = w->repaired;
    if (mode == CL_TS_TRANSFORM && w->insertions.count > 0) {
        order.code = w->merged.data;
        order.code_length = w->merged.length;
    }
    return order;
}

static cl_ts_task task_of(const cl_translate_order *order, const form *f, cl_ts_mode mode)
{
    cl_js_text start = start_of(order, f);
    return (cl_ts_task){
        .source = {{f->before, strlen(f->before)},
                   start,
                   {order->code + start.length, order->code_length - start.length},
                   {f->after, strlen(f->after)}},
        .mode = mode,
        .is_module = f->is_module,
    };
}

/* ---- what comes out ---- */

/* Surrogates, which the compiler has read as U+FFFD, again. */
static void restore_surrogates(const cl_translate_order *order, char *code)
{
    const char *end = order->code + order->code_length;

    for (const char *at = order->code; (at = memchr(at, 0xED, (size_t)(end - at))) != NULL; at++)
        if (end - at >= 3 && (unsigned char)at[1] >= 0xA0 &&
            memcmp(code + (at - order->code), "\xEF\xBF\xBD", 3) == 0)
            memcpy(code + (at - order->code), at, 3);
}

static bool has_surrogates(const cl_translate_order *order)
{
    return cl_utf8_check(order->code, order->code_length, false) != order->code_length;
}

static void keep(work *w, const cl_translation *made)
{
    w->result->translation = cl_translation_new(made);
    if (w->result->translation == NULL) {
        fail_inside(w, "host memory: cannot keep a translation");
        return;
    }
    w->result->end = CL_TRANSLATED;
}

/* false: the bytes are not where they were, contrary to what erasure promises. */
static bool keep_stripped(work *w, const form *f, const cl_ts_answer *answer)
{
    size_t before = strlen(f->before), after = strlen(f->after), length = w->order->code_length;

    if (answer->code.length != before + length + after || memcmp(answer->code.data, f->before, before) != 0)
        return false;
    keep(w, &(cl_translation){.kind = f->kind, .code = (char *)answer->code.data + before, .code_length = length});
    if (w->result->translation != NULL) {
        restore_surrogates(w->order, w->result->translation->code);
        cl_repair_semicolons(w->order->code, w->order->code_length, w->result->translation->code);
        memcpy(w->result->translation->code, w->order->code, start_of(w->order, f).length);
    }
    return true;
}

static void keep_transformed(work *w, const form *f, const cl_ts_answer *answer, bool assigns_exports)
{
    size_t before = strlen(f->printed), after = strlen(f->printed_after), length = answer->code.length;
    const char *code = answer->code.data, *mappings;
    size_t mappings_length;

    while (length > 0 && code[length - 1] == '\n')
        length--;
    if (length < before + after || memcmp(code, f->printed, before) != 0 ||
        memcmp(code + length - after, f->printed_after, after) != 0 || answer->map.data == NULL ||
        !cl_source_map_find(answer->map.data, answer->map.length, &mappings, &mappings_length)) {
        fail_inside(w, "the TypeScript compiler printed a text of another shape");
        return;
    }
    keep(w, &(cl_translation){
                .kind = f->kind,
                .assigns_exports = assigns_exports,
                .code = (char *)code + before,
                .code_length = length - before - after,
                .mappings = (char *)mappings,
                .mappings_length = mappings_length,
                .printed_before = (uint32_t)before,
                .source_before = (uint32_t)strlen(f->before),
                .insertions = w->insertions.list,
                .insertion_count = w->insertions.count,
            });
}

/* ---- failures ---- */

static void fail_at(work *w, const char *message, size_t offset)
{
    cl_translate_result *result = w->result;

    if (w->has_failed && offset < result->offset)
        return; /* the form before got further */
    w->has_failed = true;
    result->is_sure = false;
    result->end = CL_TRANSLATE_SYNTAX;
    result->offset = offset;
    snprintf(result->message, sizeof result->message, "%.*s",
             (int)cl_utf8_cut(message, strlen(message), sizeof result->message - 1), message);
}

static bool is_narrow(const char *data, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)data[i] >= 0x80 || data[i] == '\t')
            return false;
    return true;
}

/* The compiler counts columns by cells of a terminal: a tab is four, some characters are two or none. In a text of
 * letters that are one cell wide per UTF-16 unit, the same error lies in the same unit. */
static void flatten(char *code, size_t length)
{
    char *to = code;

    for (size_t i = 0; i < length;) {
        unsigned char c = (unsigned char)code[i];
        size_t width = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
        if (c < 0x80) {
            *to++ = c == '\t' ? ' ' : (char)c;
        } else {
            memcpy(to, "\xC3\xA9\xC3\xA9", width == 4 ? 4 : 2);
            to += width == 4 ? 4 : 2;
        }
        i += width;
    }
    memset(to, ' ', (size_t)(code + length - to));
}

/* Where the error is, for a line that is not one cell per unit. */
static uint32_t column_by_cells(work *w, const form *f, const cl_translate_order *read, const cl_ts_answer *answer,
                                cl_ts_mode mode, const char *line, size_t length)
{
    cl_translate_order order = *read;
    cl_js_value copy;
    cl_ts_answer again;
    uint32_t error_line = answer->line, cell = answer->cell;
    char message[64];

    snprintf(message, sizeof message, "%s", answer->error.data);
    cl_typescript_reset(w->typescript);
    if (cl_handles_text(&w->typescript->handles, order.code, order.code_length, &copy)) {
        flatten((char *)copy.text.data, copy.text.length);
        order.code = copy.text.data;
        cl_ts_task task = task_of(&order, f, mode);
        w->typescript->slot.most_pages = order.most_pages;
        cl_typescript_work(w->thread, w->typescript, &task, &order.until, &again);
        if (again.left == CL_LEAVE_NONE && !again.ok && again.error.data != NULL && again.line == error_line &&
            strncmp(message, again.error.data, strcspn(message, "`'")) == 0)
            return again.cell;
    }
    /* Another error than before: what is not a letter stands in the line. Tabs are known. */
    for (size_t i = 0, at = 0; i < length && at < cell; i++, at++)
        if (line[i] == '\t')
            cell -= cell - at > 3 ? 3 : cell - (uint32_t)at;
    return cell;
}

/* The place in the source as it was given. */
static cl_place_lf place_of(work *w, const form *f, const cl_ts_answer *answer, cl_ts_mode mode)
{
    cl_translate_order read = as_read(w, mode);
    uint32_t line = answer->line > 0 ? answer->line - 1 : 0, before = line == 0 ? (uint32_t)strlen(f->before) : 0;
    size_t start = cl_lines_offset(read.code, read.code_length, (cl_place_lf){line, 0});
    size_t end = cl_lines_offset(read.code, read.code_length, (cl_place_lf){line, UINT32_MAX});
    uint32_t column = answer->cell;

    if (!is_narrow(read.code + start, end - start))
        column = column_by_cells(w, f, &read, answer, mode, read.code + start, end - start);
    cl_place_lf place = {line, column - (column < before ? column : before)};
    return mode == CL_TS_TRANSFORM ? cl_insertions_undo(w->insertions.list, w->insertions.count, place) : place;
}

/* true: what was wrong is put right, and the form may be tried again. */
static bool fail_with(work *w, const form *f, const cl_ts_answer *answer, cl_ts_mode mode)
{
    const cl_translate_order *order = w->order;
    char message[CL_TRANSLATE_MESSAGE_BYTES];

    /* The answer's own texts are gone once the place is looked for. */
    snprintf(message, sizeof message, "%s", answer->error.data != NULL ? answer->error.data : "the source does not parse");
    cl_place_lf place = place_of(w, f, answer, mode);
    cl_place_lf source_end = cl_lines_place(order->code, order->code_length, order->code_length);
    size_t offset = cl_lines_offset(order->code, order->code_length, place);
    if (cl_repair(&w->repaired, order->code, order->code_length, offset))
        return true;
    if (place.line > source_end.line || (offset == order->code_length && strstr(message, "Unterminated") == NULL))
        snprintf(message, sizeof message, "unexpected end of the source");
    fail_at(w, message, offset);
    return false;
}

static void fail_left(work *w, const cl_ts_answer *answer)
{
    char text[128];

    switch (answer->left) {
    case CL_LEAVE_IMPORT:
        snprintf(text, sizeof text, "the TypeScript compiler called %s, which it should not",
                 w->typescript->unreached);
        fail_inside(w, text);
        break;
    case CL_LEAVE_FAULT:
        fail_at(w, "the source is nested too deeply for the TypeScript compiler", 0);
        w->result->is_sure = true;
        break;
    case CL_LEAVE_TRAP:
        fail_at(w, "the TypeScript compiler gave up on the source", 0);
        w->result->is_sure = true;
        break;
    default:
        w->result->end = CL_TRANSLATE_LEFT;
        w->result->left = answer->left;
        w->result->stopped_for = w->typescript->slot.stopped_for;
    }
}

/* ---- a form ---- */

static void run_task(work *w, const form *f, cl_ts_mode mode, cl_ts_answer *answer)
{
    if (mode == CL_TS_TRANSFORM && w->insertions.count == 0) {
        cl_translate_order order = as_read(w, CL_TS_STRIP);
        cl_buf_reset(&w->merged);
        if (!cl_merge_namespaces(order.code, order.code_length, &w->merged, &w->insertions))
            w->insertions.count = 0;
    }
    cl_translate_order read = as_read(w, mode);
    cl_ts_task task = task_of(&read, f, mode);

    if (w->typescript->slot.is_dirty)
        cl_typescript_reset(w->typescript);
    w->typescript->slot.most_pages = w->order->most_pages;
    cl_typescript_work(w->thread, w->typescript, &task, &w->order->until, answer);
    uint32_t peak = w->typescript->slot.peak_pages;
    w->result->peak_pages = peak > w->result->peak_pages ? peak : w->result->peak_pages;
}

typedef enum attempt { DONE, OTHER_FORM, AGAIN } attempt;

static attempt attempt_form(work *w, const form *f)
{
    cl_ts_answer answer;

    /* Imports of nothing but types vanish in a transformation, as they do in TypeScript; erasure keeps them. */
    bool is_printed = w->order->is_printed || w->repaired != NULL ||
                      cl_repair_has_enum(w->order->code, w->order->code_length) || (f->is_module && memmem(w->order->code, w->order->code_length, "import", 6) != NULL);
    cl_ts_mode mode = is_printed ? CL_TS_TRANSFORM : CL_TS_STRIP;
    run_task(w, f, mode, &answer);
    if (answer.ok && mode == CL_TS_STRIP && keep_stripped(w, f, &answer))
        return DONE;
    if (mode == CL_TS_STRIP && answer.left == CL_LEAVE_NONE && (answer.ok || answer.is_unsupported)) {
        mode = CL_TS_TRANSFORM;
        run_task(w, f, mode, &answer);
    }
    if (answer.left != CL_LEAVE_NONE) {
        fail_left(w, &answer);
        return w->result->end != CL_TRANSLATE_SYNTAX ? DONE : OTHER_FORM;
    }
    if (!answer.ok)
        return fail_with(w, f, &answer, mode) ? AGAIN : OTHER_FORM;
    if (has_surrogates(w->order)) {
        fail_at(w, "a surrogate alone cannot be in a source that has to be transformed; write it as an escape",
                cl_utf8_check(w->order->code, w->order->code_length, false));
        return OTHER_FORM;
    }
    bool assigns = f->is_module && cl_repair_assigns_exports(w->order->code, w->order->code_length) &&
                   memmem(answer.code.data, answer.code.length, "module.exports = ", 17) != NULL;
    keep_transformed(w, f, &answer, assigns);
    return DONE;
}

/* false: the source is of another form. Each repair takes something away that is then gone, so it ends. */
static bool try_form(work *w, const form *f)
{
    attempt end;

    w->insertions.count = 0;
    cl_repair_first(&w->repaired, w->order->code, w->order->code_length);
    while ((end = attempt_form(w, f)) == AGAIN)
        w->insertions.count = 0;
    free(w->repaired);
    w->repaired = NULL;
    return end == DONE;
}

static void try_forms(work *w)
{
    const cl_translate_order *order = w->order;
    size_t offset;

    if (cl_repair_finds_declare(order->code, order->code_length, &offset)) {
        fail_at(w, "a declaration may not begin in the line after 'declare'", offset);
        return;
    }
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        bool is_wanted = order->kind == CLOCHE_KIND_AUTO
                             ? forms[i].kind == CLOCHE_KIND_BODY || forms[i].kind == CLOCHE_KIND_MODULE
                             : forms[i].kind == order->kind;
        if (is_wanted && try_form(w, &forms[i]))
            break;
    }
}

void cl_translate(cl_thread *thread, const cl_translate_order *order, cl_translate_result *result)
{
    cloche_error err = {0};
    work w = {.thread = thread, .order = order, .result = result};

    *result = (cl_translate_result){.end = CL_TRANSLATE_SYNTAX};
    w.typescript = instance_of(thread, &err);
    if (w.typescript == NULL) {
        fail_inside(&w, err.text);
        return;
    }
    cl_buf_init(&w.merged, 0);
    try_forms(&w);
    cl_buf_fini(&w.merged);
    if (w.typescript->slot.trap != 0 || result->end == CL_TRANSLATE_INTERNAL) {
        result->has_trapped = true;
        release(thread); /* not to be trusted with a reset */
    } else {
        cl_typescript_reset(w.typescript);
    }
}
