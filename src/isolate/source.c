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

void cl_source_recall(cl_guest *guest)
{
    cl_run *run = &guest->run;
    const cl_run_request *request = run->request;

    if (run->phase != CL_PHASE_START || request->language == CLOCHE_LANGUAGE_JS || request->translations == NULL)
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
        run->word.verdict = run->word.message != NULL ? CL_COMPILER_DIFFERS : CL_COMPILER_SILENT;
        break;
    case CL_TRANSLATE_LEFT:
        guest->slot.stopped_for = result.stopped_for;
        cl_report_leave(guest, result.left);
        break;
    case CL_TRANSLATE_INTERNAL:
        cl_report_text(guest, CLOCHE_CODE_INTERNAL, "%s", result.message);
        break;
    }
}
