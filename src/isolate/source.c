#include "isolate/source.h"

#include <stdlib.h>
#include <string.h>

#include "isolate/report.h"
#include "isolate/typescript/cache.h"
#include "isolate/typescript/translate.h"

static void use(cl_run *run, cl_translation *translation)
{
    cl_translation_unref(run->translation);
    run->translation = translation;
    run->code = translation->code;
    run->code_length = translation->code_length;
}

static size_t skip_blank(const cl_run_request *request)
{
    size_t at = 0;
    while (at < request->code_length && strchr(" \t\r\n", request->code[at]) != NULL && request->code[at] != '\0')
        at++;
    return at;
}

void cl_source_begin(cl_guest *guest)
{
    cl_run *run = &guest->run;
    const cl_run_request *request = run->request;

    if (run->phase != CL_PHASE_START)
        return;
    size_t start = skip_blank(request);
    if (request->code_length - start >= 3 && memcmp(request->code + start, "```", 3) == 0) {
        cl_report_syntax(guest, "the source begins with a Markdown fence", start);
        return;
    }
    if (request->language == CLOCHE_LANGUAGE_JS || request->translations == NULL)
        return;
    cl_translation *known = cl_translation_cache_find(request->translations, request);
    if (known != NULL)
        use(run, known);
}

static void take(cl_guest *guest, cl_translation *translation)
{
    cl_run *run = &guest->run;

    if (run->request->language == CLOCHE_LANGUAGE_JS) {
        run->word.verdict = CL_COMPILER_AGREES;
        cl_translation_unref(translation);
        return;
    }
    use(run, translation);
    if (run->request->translations != NULL)
        cl_translation_cache_add(run->request->translations, run->request, translation);
}

void cl_source_translate(cl_thread *thread, cl_guest *guest, uint64_t cpu_left_ns)
{
    cl_run *run = &guest->run;
    const cl_run_request *request = run->request;
    uint32_t grown = guest->slot.peak_pages, most = request->limits.memory_pages;
    cl_translate_order order = {
        .code = request->code,
        .code_length = request->code_length,
        .kind = run->translation != NULL ? run->translation->kind : request->kind,
        .is_printed = run->translation != NULL,
        .until = {.deadline_ns = run->deadline_ns, .cpu_left_ns = cpu_left_ns, .stop = &run->stop},
        .most_pages = most > grown ? most - grown : 0,
    };
    cl_translate_result result;

    cl_translate(thread, &order, &result);
    /* Of JavaScript it was only asked for better words. */
    if (request->language == CLOCHE_LANGUAGE_JS &&
        (result.end == CL_TRANSLATE_INTERNAL || (result.end == CL_TRANSLATE_LEFT && result.left != CL_LEAVE_STOP))) {
        run->word.verdict = CL_COMPILER_SILENT;
        return;
    }
    run->translation_pages = result.peak_pages + grown;
    guest->is_trapped |= result.has_trapped;
    switch (result.end) {
    case CL_TRANSLATED:
        take(guest, result.translation);
        break;
    case CL_TRANSLATE_SYNTAX:
        if (run->translation != NULL) {
            run->word.verdict = CL_COMPILER_SILENT;
            break;
        }
        if (request->language == CLOCHE_LANGUAGE_TS) {
            cl_report_syntax(guest, result.message, result.offset);
            break;
        }
        run->word.message = strdup(result.message);
        run->word.offset = result.offset;
        run->word.is_sure = result.is_sure;
        run->word.verdict = run->word.message != NULL ? CL_COMPILER_DIFFERS : CL_COMPILER_SILENT;
        break;
    case CL_TRANSLATE_LEFT:
        guest->slot.stopped_for = result.stopped_for;
        guest->slot.peak_pages = run->translation_pages; /* what the report says is in use */
        cl_report_leave(guest, result.left);
        break;
    case CL_TRANSLATE_INTERNAL:
        cl_report_text(guest, CLOCHE_CODE_INTERNAL, "%s", result.message);
        break;
    }
}
