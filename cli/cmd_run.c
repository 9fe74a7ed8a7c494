/* cmd_run.c - one source, one run, its exit status */
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "command.h"
#include "guest_output.h"
#include "input.h"
#include "json_text.h"
#include "out.h"
#include "report.h"
#include "run_options.h"
#include "signals.h"

typedef struct options {
    run_options run;
    const char *code;
    bool is_json, has_stats, is_raw;
} options;

static const arg_spec specs[] = {
    { "eval", 'e', ARG_TEXT, "CODE", "run CODE instead of a file", offsetof(options, code) },
    RUN_OPTION_SPECS(options, run),
    { "json", 0, ARG_FLAG, NULL, "print the full result as JSON and nothing else", offsetof(options, is_json) },
    { "stats", 0, ARG_FLAG, NULL, "time and memory used, on standard error", offsetof(options, has_stats) },
    { "raw", 0, ARG_FLAG, NULL, "let control sequences reach the terminal", offsetof(options, is_raw) },
};

static const arg_table table = {
    .command = "run",
    .usage = "[FILE | - | -e CODE] [options]",
    .text = "Runs a source under glass. Its output appears as it comes, its value last: a string as it is, anything\n"
            "else as JSON. The exit status tells the outcome: 0 a value, 1 an error (or the guest's own exit code),\n"
            "124 out of time, 137 out of memory, 130 interrupted, 64 wrong options.",
    .ending = RUN_OPTION_ENDING,
    .specs = specs,
    .count = sizeof specs / sizeof *specs,
};

/* Where the source comes from, and what it is called. false: said so, *status is the exit status. */
static bool load_source(const options *o, int argc, char **argv, buffer *source, cloche_request *request, int *status)
{
    const char *path = argc > 1 ? argv[1] : "-";

    *status = EX_USAGE;
    if (argc > 2 || (argc > 1 && o->code != NULL)) {
        out_complain("run", "one source only, but also '%s'", argv[argc - 1]);
        return false;
    }
    if (o->code != NULL) {
        request->code = o->code;
        request->code_length = strlen(o->code);
        return true;
    }
    if (argc == 1 && text_is_terminal(STDIN_FILENO)) {
        out_complain("run", "no source; give FILE, -e CODE, or - to type one");
        return false;
    }
    if (strcmp(path, "-") == 0 && o->run.context != NULL && strcmp(o->run.context, "@-") == 0) {
        out_complain("run", "--context: standard input is the source already");
        return false;
    }
    *status = EX_NOINPUT;
    if (!input_read("run", path, source, NULL))
        return false;
    request->code = source->data;
    request->code_length = source->length;
    if (strcmp(path, "-") != 0)
        request->filename = input_base_name(path);
    return true;
}

static void print_value(const cloche_result *result, bool is_raw)
{
    bool is_visible = !is_raw && text_is_terminal(STDOUT_FILENO);
    buffer decoded = { 0 }, shown = { 0 };

    if (result->value.data == NULL)
        return;
    if (json_text_is_string(result->value))
        json_text_decode(result->value, &decoded);
    else
        buffer_add(&decoded, result->value.data, result->value.length);
    if (decoded.length == 0 || decoded.data[decoded.length - 1] != '\n')
        buffer_text(&decoded, "\n");
    if (is_visible)
        text_make_visible(decoded.data, decoded.length, &shown);
    out_write(STDOUT_FILENO, is_visible ? shown.data : decoded.data, is_visible ? shown.length : decoded.length);
    buffer_fini(&decoded);
    buffer_fini(&shown);
}

/* The guest chose its exit status: that says all there is to say. */
static bool is_exit(const cloche_result *result)
{
    static const char text[] = "process.exit(";

    return result->code == CLOCHE_CODE_EXECUTION_ERROR && !result->has_detail &&
           strncmp(result->error.data, text, sizeof text - 1) == 0;
}

static void print_json(const cloche_result *result)
{
    cloche_text no_id = { 0 };
    cloche_error err = { 0 };
    char *text;
    size_t length;

    if (cloche_result_to_json(result, no_id, &text, &length, &err) < 0)
        need_failed();
    text[length] = '\n'; /* in place of the NUL: a single write */
    out_write(STDOUT_FILENO, text, length + 1);
    free(text);
}

/* Never NULL. */
static cloche_result *run(const options *o, cloche_request *request)
{
    cloche_result *result = NULL;
    cloche_error err = { 0 };
    guest_output output;
    cloche_sandbox *sandbox = run_options_open(&o->run, 1, &result);

    if (sandbox == NULL)
        return result;
    if (cloche_abort_create(&request->abort, &err) < 0) {
        cloche_sandbox_destroy(sandbox);
        return run_options_failed(&err);
    }
    signals_watch(request->abort);
    guest_output_init(&output, request->abort, o->run.max_output.is_given ? (size_t)o->run.max_output.value : 1u << 20,
                      o->is_raw, NULL);
    if (!o->is_json) {
        request->on_output = guest_output_add;
        request->on_output_user = &output;
    }
    if (cloche_sandbox_run(sandbox, request, &result, &err) < 0)
        result = run_options_failed(&err);
    signals_watch(NULL);
    guest_output_fini(&output, "run");
    cloche_sandbox_destroy(sandbox);
    cloche_abort_destroy(request->abort);
    return result;
}

int cmd_run(int argc, char **argv)
{
    options o = { 0 };
    cloche_request request = CLOCHE_REQUEST_INIT;
    cloche_result *result;
    cloche_text context;
    buffer source = { 0 }, context_text = { 0 }, wrong = { 0 };
    int status;

    if (!args_parse(&table, &o, &argc, argv, &status))
        return status;
    if (!load_source(&o, argc, argv, &source, &request, &status))
        return status;
    if (!run_options_context(&o.run, "run", &context_text, &context)) {
        buffer_fini(&source);
        return EX_NOINPUT;
    }
    run_options_to_request(&o.run, context, &request);
    signals_start();
    if (run_options_check(&o.run, &wrong)) {
        result = run(&o, &request);
    } else {
        result = cloche_result_invalid(CLOCHE_CODE_INVALID_OPTIONS, wrong.data);
        if (result == NULL)
            need_failed();
    }

    if (o.is_json) {
        print_json(result);
    } else if (result->ok) {
        print_value(result, o.is_raw);
    } else if (out_has_failed()) {
        /* stopped for that: the one line about it says all */
    } else if (result->code == CLOCHE_CODE_INVALID_OPTIONS) {
        out_complain("run", "%s", result->error.data);
    } else if (!is_exit(result)) {
        report_source shown = { .text = request.code, .length = request.code_length };

        report_print(result, &shown, o.is_raw);
    }
    if (o.has_stats)
        report_usage(result);
    status = run_options_exit(result);
    if (result->code == CLOCHE_CODE_ABORTED && signals_caught() != 0)
        status = 128 + signals_caught();
    cloche_result_destroy(result);
    buffer_fini(&source);
    buffer_fini(&context_text);
    buffer_fini(&wrong);
    return status;
}
