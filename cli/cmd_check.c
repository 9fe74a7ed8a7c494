/* cmd_check.c - do these files parse? */
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "command.h"
#include "input.h"
#include "json_text.h"
#include "out.h"
#include "report.h"
#include "run_options.h"
#include "text.h"

typedef struct options {
    run_options run;
    bool is_json;
} options;

static const arg_spec specs[] = {
    { "kind", 0, ARG_CHOICE, "auto|body|module|function|script", "form of the source", offsetof(options, run.kind) },
    { "language", 0, ARG_CHOICE, "auto|js|ts", "language of the source", offsetof(options, run.language) },
    { "json", 0, ARG_FLAG, NULL, "one JSON object per file", offsetof(options, is_json) },
};

static const arg_table table = {
    .command = "check",
    .usage = "FILE... [options]",
    .text = "Parses each file (\"-\" is standard input) and runs nothing. The exit status is 0 when all parse, 1 when\n"
            "one does not, 66 when one cannot be read.",
    .specs = specs,
    .count = sizeof specs / sizeof *specs,
};

/* {"file": ..., and the members of the result. */
static void print_json(const char *path, const cloche_result *result)
{
    cloche_text no_id = { 0 };
    cloche_error err = { 0 };
    buffer line = { 0 };
    char *text = NULL;
    size_t length;

    if (result == NULL || cloche_result_to_json(result, no_id, &text, &length, &err) < 0)
        need_failed();
    buffer_text(&line, "{\"file\":");
    json_text_quote(path, strlen(path), &line);
    buffer_text(&line, ",");
    buffer_add(&line, text + 1, length - 1);
    buffer_text(&line, "\n");
    out_write(STDOUT_FILENO, line.data, line.length);
    buffer_fini(&line);
    free(text);
}

static void print_text(const char *path, const cloche_result *result, const buffer *source)
{
    report_style style = report_style_for(STDERR_FILENO, false);
    buffer out = { 0 };

    buffer_text(&out, path);
    if (result->ok) {
        buffer_text(&out, ": ok\n");
        out_write(STDOUT_FILENO, out.data, out.length);
    } else {
        report_source shown = { .text = source->data, .length = source->length, .is_stack_hidden = true };

        if (result->has_detail && result->detail.line > 0)
            buffer_printf(&out, ":%u:%u", result->detail.line, result->detail.column);
        buffer_text(&out, ": ");
        report_add(&out, &style, result, &shown);
        out_write(STDERR_FILENO, out.data, out.length);
    }
    buffer_fini(&out);
}

static int report_unread(const options *o, const char *path, const char *why)
{
    buffer text = { 0 };
    cloche_result *result;

    if (!o->is_json) {
        out_complain("check", "%s: %s", path, why);
        return EX_NOINPUT;
    }
    buffer_printf(&text, "cannot be read: %s", why);
    result = cloche_result_invalid(CLOCHE_CODE_INVALID_OPTIONS, text.data);
    print_json(path, result);
    cloche_result_destroy(result);
    buffer_fini(&text);
    return EX_NOINPUT;
}

/* The exit status this file asks for. */
static int check_file(cloche_sandbox *sandbox, const options *o, const char *path)
{
    cloche_request request = CLOCHE_REQUEST_INIT;
    cloche_text no_context = { 0 };
    cloche_result *result;
    cloche_error err = { 0 };
    buffer source = { 0 };
    const char *why;
    int status;

    if (!input_read("check", path, &source, &why))
        return report_unread(o, path, why);
    request.code = source.data;
    request.code_length = source.length;
    request.filename = strcmp(path, "-") == 0 ? NULL : input_base_name(path);
    run_options_to_request(&o->run, no_context, &request);
    if (cloche_sandbox_check(sandbox, &request, &result, &err) < 0)
        result = run_options_failed(&err);
    if (o->is_json)
        print_json(path, result);
    else
        print_text(path, result, &source);
    status = result->ok ? EX_OK : 1;
    cloche_result_destroy(result);
    buffer_fini(&source);
    return status;
}

int cmd_check(int argc, char **argv)
{
    options o = { 0 };
    cloche_sandbox *sandbox;
    cloche_result *refusal;
    int status;

    if (!args_parse(&table, &o, &argc, argv, &status))
        return status;
    if (argc < 2) {
        out_complain("check", "no file; give FILE... or - for standard input");
        return EX_USAGE;
    }
    sandbox = run_options_open(&o.run, 1, &refusal);
    if (sandbox == NULL) {
        out_complain("check", "%s", refusal->error.data);
        status = run_options_exit(refusal);
        cloche_result_destroy(refusal);
        return status;
    }
    status = EX_OK;
    for (int i = 1; i < argc && !out_has_failed(); i++) {
        int of_file = check_file(sandbox, &o, argv[i]);

        if (of_file > status)
            status = of_file;
    }
    cloche_sandbox_destroy(sandbox);
    return status;
}
