/* cmd_batch.c - requests as JSON Lines in, results as JSON Lines out
 *
 *   reader (main thread) ── submit ──► sandbox's pool ── done ──► answers ──► standard output
 *
 * A line is answered as soon as its run has ended and its turn has come; nothing waits for the end of the input.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "answers.h"
#include "command.h"
#include "input.h"
#include "lines.h"
#include "out.h"
#include "run_options.h"
#include "signals.h"
#include "text.h"

#define LINE_BYTES_MOST (64u << 20)
#define CONCURRENCY_MOST 1024u

typedef struct options {
    run_options run;
    arg_amount concurrency;
    bool is_unordered;
} options;

static const arg_spec specs[] = {
    { "concurrency", 0, ARG_COUNT, "N", "runs at once, default one per core", offsetof(options, concurrency) },
    { "unordered", 0, ARG_FLAG, NULL, "write each result when it is there", offsetof(options, is_unordered) },
    RUN_OPTION_SPECS(options, run),
};

static const arg_table table = {
    .command = "batch",
    .usage = "[FILE | -] [options]",
    .text = "Reads one request per line and writes one result per line, with the same id and in the same order:\n"
            "  {\"id\": 1, \"code\": \"return price * qty\", \"context\": {\"price\": 10, \"qty\": 3},\n"
            "   \"options\": {\"timeoutMs\": 100}}\n"
            "A line that is no request gets a result with SANDBOX_INVALID_OPTIONS. What a request leaves open is\n"
            "taken from the options below. The exit status is 0 when every line was answered, even if runs failed.",
    .ending = RUN_OPTION_ENDING,
    .specs = specs,
    .count = sizeof specs / sizeof *specs,
};

typedef struct batch {
    const options *options;
    cloche_sandbox *sandbox;
    cloche_abort *abort;
    cloche_text context;
    answers *answers;
} batch;

typedef struct job {
    batch *batch;
    uint64_t ticket;
    char *id; /* JSON text; NULL: none */
    size_t id_length;
} job;

static job *job_create(batch *b, cloche_text id)
{
    job *j = need(sizeof *j);

    *j = (job){ .batch = b, .ticket = answers_admit(b->answers) };
    if (id.data != NULL) {
        j->id = need(id.length);
        memcpy(j->id, id.data, id.length);
        j->id_length = id.length;
    }
    return j;
}

/* Ends the job; a cloche_done_fn. */
static void answer(void *user, cloche_result *result)
{
    job *j = user;
    cloche_text id = { .data = j->id, .length = j->id_length };
    cloche_error err = { 0 };
    char *line = NULL;
    size_t length = 0;

    if (result == NULL || cloche_result_to_json(result, id, &line, &length, &err) < 0)
        need_failed();
    line[length++] = '\n'; /* in place of the NUL */
    answers_give(j->batch->answers, j->ticket, line, length, result->ok);
    cloche_result_destroy(result);
    free(j->id);
    free(j);
}

static bool is_blank(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
            return false;
    return true;
}

static void take_line(batch *b, const char *line, size_t length)
{
    cloche_json_request *parsed = NULL;
    cloche_text id = { 0 };
    cloche_error err = { 0 };
    job *j;

    if (cloche_request_from_json(line, length, &parsed, &id, &err) < 0) {
        answer(job_create(b, id), run_options_failed(&err));
        return;
    }
    j = job_create(b, parsed->id);
    run_options_to_request(&b->options->run, b->context, &parsed->request);
    parsed->request.abort = b->abort;
    if (cloche_sandbox_submit(b->sandbox, &parsed->request, answer, j, &err) < 0)
        answer(j, run_options_failed(&err));
    cloche_json_request_destroy(parsed);
}

static void refuse_long_line(batch *b, uint64_t number)
{
    cloche_text no_id = { 0 };
    buffer text = { 0 };

    buffer_printf(&text, "line %llu is longer than %u MiB", (unsigned long long)number, LINE_BYTES_MOST >> 20);
    answer(job_create(b, no_id), cloche_result_invalid(CLOCHE_CODE_INVALID_OPTIONS, text.data));
    buffer_fini(&text);
}

/* The exit status, as far as the input decides it. */
static int read_lines(batch *b, int fd)
{
    lines l = { .fd = fd, .wake_fd = signals_wake_fd(), .most = LINE_BYTES_MOST };
    lines_answer answered = LINES_LINE;
    int status = EX_OK;

    while (!out_has_failed() && signals_caught() == 0) {
        const char *line = NULL;
        size_t length = 0;

        answered = lines_next(&l, &line, &length);
        if (answered == LINES_LINE && l.number == 1 && length >= 3 && memcmp(line, "\xEF\xBB\xBF", 3) == 0) {
            line += 3; /* byte order mark */
            length -= 3;
        }
        if (answered == LINES_TOO_LONG)
            refuse_long_line(b, l.number);
        else if (answered == LINES_LINE && !is_blank(line, length))
            take_line(b, line, length);
        else if (answered != LINES_LINE)
            break;
    }
    if (answered == LINES_FAILED) {
        out_complain("batch", "reading: %s", strerror(errno));
        status = EX_IOERR;
    }
    lines_fini(&l);
    return status;
}

static uint32_t core_count(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

static int run_batch(const options *o, cloche_text context, int fd)
{
    answers_options answering = {
        .concurrency = o->concurrency.is_given ? (uint32_t)o->concurrency.value : core_count(),
        .is_unordered = o->is_unordered,
        /* Results on the same terminal would run into the progress line. */
        .has_progress = text_is_terminal(STDERR_FILENO) && !text_is_terminal(STDOUT_FILENO),
    };
    batch b = { .options = o, .context = context };
    cloche_result *refusal = NULL;
    cloche_error err = { 0 };
    int status;

    signals_start();
    if (cloche_abort_create(&b.abort, &err) < 0) {
        out_complain("batch", "%s", err.text);
        return EX_SOFTWARE;
    }
    signals_watch(b.abort);
    b.sandbox = run_options_open(&o->run, answering.concurrency, &refusal);
    if (b.sandbox == NULL) {
        /* Wrong for every request alike: said once, before anything is read. */
        out_complain("batch", "%s", refusal->error.data);
        status = run_options_exit(refusal);
    } else {
        answering.abort = b.abort;
        b.answers = answers_create(&answering);
        status = read_lines(&b, fd);
        answers_finish(b.answers);
        cloche_sandbox_destroy(b.sandbox);
        answers_destroy(b.answers);
    }
    signals_watch(NULL);
    cloche_result_destroy(refusal);
    cloche_abort_destroy(b.abort);
    return signals_caught() != 0 ? 128 + signals_caught() : status;
}

int cmd_batch(int argc, char **argv)
{
    options o = { 0 };
    buffer context_text = { 0 }, wrong = { 0 };
    cloche_text context;
    int status, fd = STDIN_FILENO;

    if (!args_parse(&table, &o, &argc, argv, &status))
        return status;
    if (argc > 2) {
        out_complain("batch", "one input only, but also '%s'", argv[2]);
        return EX_USAGE;
    }
    if (o.concurrency.is_given && (o.concurrency.value < 1 || o.concurrency.value > CONCURRENCY_MOST)) {
        out_complain("batch", "--concurrency: %llu is outside 1 to %u", (unsigned long long)o.concurrency.value,
                     CONCURRENCY_MOST);
        return EX_USAGE;
    }
    if (!run_options_check(&o.run, &wrong)) {
        out_complain("batch", "%s", wrong.data);
        buffer_fini(&wrong);
        return EX_USAGE;
    }
    if (!run_options_context(&o.run, "batch", &context_text, &context))
        return EX_NOINPUT;
    if (argc == 2 && strcmp(argv[1], "-") != 0 && (fd = open(argv[1], O_RDONLY | O_CLOEXEC)) < 0) {
        out_complain("batch", "%s: %s", argv[1], strerror(errno));
        buffer_fini(&context_text);
        return EX_NOINPUT;
    }
    status = run_batch(&o, context, fd);
    if (fd != STDIN_FILENO)
        close(fd);
    buffer_fini(&context_text);
    return status;
}
