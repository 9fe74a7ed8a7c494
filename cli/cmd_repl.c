/* cmd_repl.c - type a line, see its value
 *
 * A run keeps nothing, so each entry replays the session: the entries that went well so far, a marker on both outputs,
 * then the new entry. Output before the marker is dropped. Seed and clock are fixed when the session begins, so a
 * replay takes the same path each time. An entry that fails is not kept.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "guest_output.h"
#include "lines.h"
#include "out.h"
#include "report.h"
#include "run_options.h"
#include "signals.h"

typedef struct options {
    arg_amount timeout, memory;
    bool is_raw;
} options;

static const arg_spec specs[] = {
    { "timeout", 0, ARG_DURATION, "TIME", "wall time of an entry and its replay, default 5s",
      offsetof(options, timeout) },
    { "memory", 0, ARG_MIB, "SIZE", "memory of the guest, default 128m", offsetof(options, memory) },
    { "raw", 0, ARG_FLAG, NULL, "let control sequences reach the terminal", offsetof(options, is_raw) },
};

static const char session_help[] =
    "Each entry replays the session: the entries that went well run again before it, their output left out.\n"
    "Random numbers and the clock stand still for the session, so that every replay is the same.\n"
    "  .reset      forget the session\n"
    "  .save FILE  write the session's source\n"
    "  .help       this text\n"
    "  .exit       leave (or Ctrl-D); Ctrl-C stops a running entry\n";

static const arg_table table = {
    .command = "repl",
    .usage = "[options]",
    .text = "Reads JavaScript line by line and prints each value as JSON. An entry that is not complete goes on in\n"
            "the next line; an empty line ends it all the same.",
    .ending = session_help,
    .specs = specs,
    .count = sizeof specs / sizeof *specs,
};

typedef struct repl {
    const options *options;
    cloche_sandbox *sandbox;
    buffer session; /* source of the entries kept */
    uint64_t seed;
    double now_ms;
    char marker[48];
    bool is_prompting;
    size_t output_most;
} repl;

static void prepare(const repl *r, cloche_request *request, const buffer *source)
{
    cloche_request_init(request);
    request->code = source->data;
    request->code_length = source->length;
    request->filename = "repl";
    request->kind = CLOCHE_KIND_SCRIPT;
    request->deterministic = true;
    request->seed = r->seed;
    request->now_ms = r->now_ms;
}

/* NULL when the source parses. */
static cloche_result *parse(const repl *r, const buffer *source)
{
    cloche_request request;
    cloche_result *result;
    cloche_error err = { 0 };

    prepare(r, &request, source);
    if (cloche_sandbox_check(r->sandbox, &request, &result, &err) < 0)
        result = run_options_failed(&err);
    if (!result->ok)
        return result;
    cloche_result_destroy(result);
    return NULL;
}

static uint32_t count_lines(const char *text, size_t length)
{
    uint32_t count = 1;

    for (size_t i = 0; i < length; i++)
        if (text[i] == '\n')
            count++;
    return count;
}

/* A template or comment that is left open is reported where it begins. A string in quotes is too, but cannot go on in
 * another line. */
static bool is_left_open(const cloche_error_detail *detail, const buffer *entry)
{
    static const char *const wordings[] = { "unexpected end of ", "Unterminated " };
    const char *place = report_place(entry->data, entry->length, detail->line, detail->column);
    bool is_open = false;

    for (size_t i = 0; i < sizeof wordings / sizeof *wordings; i++)
        is_open = is_open || (detail->message.length >= strlen(wordings[i]) &&
                              memcmp(detail->message.data, wordings[i], strlen(wordings[i])) == 0);
    return is_open && place != NULL && *place != '"' && *place != '\'';
}

/* The parser stopped at the end of what was typed: there may be more to come. */
static bool is_unfinished(const cloche_result *result, const buffer *entry)
{
    const char *last_line;
    size_t length = entry->length;
    uint32_t line_count;

    while (length > 0 && strchr(" \t\r\n;", entry->data[length - 1]) != NULL)
        length--;
    line_count = count_lines(entry->data, length);
    last_line = memrchr(entry->data, '\n', length);
    last_line = last_line != NULL ? last_line + 1 : entry->data;
    if (!result->has_detail || result->code != CLOCHE_CODE_INVALID_CODE)
        return false;
    return is_left_open(&result->detail, entry) || result->detail.line > line_count ||
           (result->detail.line == line_count && result->detail.column > (size_t)(entry->data + length - last_line));
}

/* {a: 1} is typed to see an object, not a block with a label. */
static void wrap_object(const repl *r, buffer *entry)
{
    buffer wrapped = { 0 };
    cloche_result *wrong;

    if (entry->length == 0 || entry->data[0] != '{')
        return;
    buffer_printf(&wrapped, "(%s)", entry->data);
    wrong = parse(r, &wrapped);
    if (wrong == NULL) {
        buffer_fini(entry);
        *entry = wrapped;
        return;
    }
    cloche_result_destroy(wrong);
    buffer_fini(&wrapped);
}

static void print_outcome(const repl *r, const cloche_result *result, const buffer *entry, uint32_t lines_before)
{
    report_source shown = { .text = entry->data, .length = entry->length, .lines_before = lines_before,
                            .is_stack_hidden = true };
    buffer out = { 0 };

    if (!result->ok) {
        report_print(result, &shown, r->options->is_raw);
    } else if (result->value.data != NULL) {
        if (text_is_terminal(STDOUT_FILENO) && !r->options->is_raw)
            text_make_visible(result->value.data, result->value.length, &out);
        else
            buffer_add(&out, result->value.data, result->value.length);
        buffer_text(&out, "\n");
        out_write(STDOUT_FILENO, out.data, out.length);
    }
    buffer_fini(&out);
}

static void run_entry(repl *r, buffer *entry)
{
    cloche_request request;
    cloche_result *result = NULL;
    cloche_abort *abort = NULL;
    cloche_error err = { 0 };
    guest_output output;
    buffer source = { 0 };
    uint32_t lines_before;

    buffer_add(&source, r->session.data, r->session.length);
    buffer_printf(&source, ";console.log(\"%s\"), console.error(\"%s\"), undefined;\n", r->marker, r->marker);
    lines_before = count_lines(source.data, source.length) - 1;
    buffer_add(&source, entry->data, entry->length);

    prepare(r, &request, &source);
    if (cloche_abort_create(&abort, &err) < 0) {
        result = run_options_failed(&err);
    } else {
        request.abort = abort;
        guest_output_init(&output, abort, r->output_most, r->options->is_raw, r->marker);
        request.on_output = guest_output_add;
        request.on_output_user = &output;
        signals_watch(abort);
        if (cloche_sandbox_run(r->sandbox, &request, &result, &err) < 0)
            result = run_options_failed(&err);
        signals_watch(NULL);
        signals_forget();
        guest_output_fini(&output, "repl");
    }
    print_outcome(r, result, entry, lines_before);
    if (result->ok) {
        buffer_add(&r->session, entry->data, entry->length);
        buffer_text(&r->session, "\n;\n");
    }
    cloche_result_destroy(result);
    cloche_abort_destroy(abort);
    buffer_fini(&source);
}

static void save(const repl *r, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    size_t done = 0;
    ssize_t n = 0;

    while (fd >= 0 && done < r->session.length &&
           (n = write(fd, r->session.data + done, r->session.length - done)) >= 0)
        done += (size_t)n;
    if (fd < 0 || n < 0)
        out_complain("repl", "%s: %s", path, strerror(errno));
    if (fd >= 0 && close(fd) < 0)
        out_complain("repl", "%s: %s", path, strerror(errno));
}

/* false: leave. */
static bool obey(repl *r, char *word)
{
    char *end = word + strlen(word);

    while (end > word && strchr(" \t\r", end[-1]) != NULL)
        *--end = '\0';
    if (strcmp(word, ".exit") == 0)
        return false;
    if (strcmp(word, ".help") == 0)
        out_text(session_help);
    else if (strcmp(word, ".reset") == 0)
        r->session.length = 0;
    else if (strncmp(word, ".save ", 6) == 0)
        save(r, word + 6 + strspn(word + 6, " \t"));
    else
        out_complain("repl", "%s: no such command; see .help", word);
    return true;
}

/* The entry goes on when it does not parse only because it ends too early, and the line just added is not empty. */
static bool is_complete(repl *r, buffer *entry, bool is_line_empty)
{
    cloche_result *wrong;
    bool is_more;

    wrap_object(r, entry);
    wrong = parse(r, entry);
    if (wrong == NULL)
        return true;
    is_more = is_unfinished(wrong, entry) && !is_line_empty;
    cloche_result_destroy(wrong);
    return !is_more;
}

static void converse(repl *r)
{
    lines l = { .fd = STDIN_FILENO, .wake_fd = signals_wake_fd(), .most = 1 << 20 };
    buffer entry = { 0 };
    bool is_going = true;

    while (is_going && !out_has_failed()) {
        const char *line = NULL;
        size_t length = 0;
        lines_answer answered;

        if (r->is_prompting)
            out_text(entry.length > 0 ? "... " : "> ");
        answered = lines_next(&l, &line, &length);
        if (answered == LINES_WOKEN) {
            is_going = r->is_prompting; /* without a prompt nobody is there to type on */
            signals_forget();
            entry.length = 0;
            if (r->is_prompting)
                out_text("\n");
            continue;
        }
        if (answered == LINES_TOO_LONG)
            out_complain("repl", "a line is longer than 1 MiB");
        if (answered == LINES_FAILED)
            out_complain("repl", "reading: %s", strerror(errno));
        if (answered == LINES_LINE && entry.length == 0 && length > 0 && line[0] == '.' &&
            length > 1 && line[1] >= 'a' && line[1] <= 'z') {
            is_going = obey(r, (char *)line);
            continue;
        }
        if (answered == LINES_LINE) {
            if (entry.length > 0)
                buffer_text(&entry, "\n");
            buffer_add(&entry, line, length);
        }
        if (answered == LINES_END || answered == LINES_FAILED)
            is_going = false;
        if (entry.length > 0 && (!is_going || is_complete(r, &entry, length == 0))) {
            run_entry(r, &entry);
            entry.length = 0;
        }
        if (!is_going && r->is_prompting)
            out_text("\n");
    }
    buffer_fini(&entry);
    lines_fini(&l);
}

static bool begin(repl *r)
{
    struct timespec now;
    uint64_t random[2] = { 0 };
    buffer marker = { 0 };

    if (getrandom(random, sizeof random, 0) != sizeof random) {
        out_complain("repl", "getrandom: %s", strerror(errno));
        return false;
    }
    clock_gettime(CLOCK_REALTIME, &now);
    r->seed = random[0];
    r->now_ms = (double)now.tv_sec * 1e3 + (double)(now.tv_nsec / 1000000);
    buffer_printf(&marker, "cloche-%016llx", (unsigned long long)random[1]);
    memcpy(r->marker, marker.data, marker.length + 1);
    buffer_fini(&marker);
    return true;
}

int cmd_repl(int argc, char **argv)
{
    options o = { 0 };
    repl r = { .options = &o };
    run_options run = { 0 };
    buffer wrong = { 0 };
    cloche_result *refusal;
    int status;

    if (!args_parse(&table, &o, &argc, argv, &status))
        return status;
    if (argc > 1) {
        out_complain("repl", "takes no file, but got '%s'", argv[1]);
        return EX_USAGE;
    }
    run.timeout = o.timeout;
    run.memory = o.memory;
    if (!run_options_check(&run, &wrong)) {
        out_complain("repl", "%s", wrong.data);
        buffer_fini(&wrong);
        return EX_USAGE;
    }
    if (!begin(&r))
        return EX_OSERR;
    signals_start();
    r.sandbox = run_options_open(&run, 1, &refusal);
    if (r.sandbox == NULL) {
        out_complain("repl", "%s", refusal->error.data);
        status = run_options_exit(refusal);
        cloche_result_destroy(refusal);
        return status;
    }
    r.is_prompting = text_is_terminal(STDIN_FILENO) && text_is_terminal(STDOUT_FILENO);
    r.output_most = 1 << 20;
    if (r.is_prompting)
        out_printf("cloche %s; each entry replays the session, .help says more\n", CLOCHE_VERSION);
    converse(&r);
    cloche_sandbox_destroy(r.sandbox);
    buffer_fini(&r.session);
    return EX_OK;
}
