/* cmd_doctor.c - what this machine allows, and a real run
 *
 * One function per question. A finding that stops runs is "fail", one that may surprise later is "warn", and each of
 * them says what to do. The verdict is the run's alone: 0 when it answered, else 1.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sysexits.h>
#include <unistd.h>

#include <cloche/cloche.h>

#include "args.h"
#include "command.h"
#include "json_text.h"
#include "layers.h"
#include "machine.h"
#include "out.h"
#include "text.h"

typedef struct options {
    bool is_json, is_plan;
} options;

static const arg_spec specs[] = {
    { "json", 0, ARG_FLAG, NULL, "print the findings as one JSON object", offsetof(options, is_json) },
    { "plan", 0, ARG_FLAG, NULL, "print the steps by which the jail is made, in their order", offsetof(options, is_plan) },
};

static const arg_table table = {
    .command = "doctor",
    .usage = "[--json | --plan]",
    .text = "Says what this machine allows and makes a real run. The exit status is 0 when the run worked, else 1.\n"
            "A layer is one wall of the jail around the process backend; one that cannot stand has a remedy.",
    .specs = specs,
    .count = sizeof specs / sizeof *specs,
};

typedef enum verdict { OK, WARN, FAIL } verdict;

typedef struct finding {
    verdict verdict;
    char text[320];
    char remedy[320]; /* "": none is needed */
} finding;

static void say(char *out, size_t size, const char *format, va_list args)
{
    vsnprintf(out, size, format, args);
}

static void found(finding *f, verdict v, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void found(finding *f, verdict v, const char *format, ...)
{
    va_list args;

    f->verdict = v;
    va_start(args, format);
    say(f->text, sizeof f->text, format, args);
    va_end(args);
}

static void remedy(finding *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void remedy(finding *f, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(f->remedy, sizeof f->remedy, format, args);
    va_end(args);
}

static void ask_version(finding *f)
{
    bool is_same = strcmp(cloche_version(), CLOCHE_VERSION) == 0;

    found(f, is_same ? OK : WARN, "program %s, library %s", CLOCHE_VERSION, cloche_version());
    if (!is_same)
        remedy(f, "install program and library from the same release");
}

static void ask_kernel(finding *f)
{
    machine m;

    machine_get(&m);
    found(f, OK, "%s", m.kernel);
}

static void ask_processor(finding *f)
{
    machine m;

    machine_get(&m);
    found(f, OK, "%s, %u core%s usable", m.cpu[0] != '\0' ? m.cpu : "unknown", m.cores, m.cores == 1 ? "" : "s");
}

static void ask_page_size(finding *f)
{
    found(f, OK, "%ld bytes", sysconf(_SC_PAGESIZE));
}

/* A guest memory is a reservation of 8 GiB: no 32-bit address plus offset can leave it. */
static void ask_address_space(finding *f)
{
    const size_t wanted = (size_t)8 << 30;
    struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
    void *place = mmap(NULL, wanted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int error = errno;
    char text[64] = "unlimited";

    getrlimit(RLIMIT_AS, &limit);
    if (limit.rlim_cur != RLIM_INFINITY)
        snprintf(text, sizeof text, "%llu MiB", (unsigned long long)(limit.rlim_cur >> 20));
    if (place != MAP_FAILED) {
        munmap(place, wanted);
        found(f, OK, "8 GiB can be reserved, RLIMIT_AS %s", text);
        return;
    }
    found(f, FAIL, "8 GiB cannot be reserved (%s), RLIMIT_AS %s", strerror(error), text);
    remedy(f, limit.rlim_cur != RLIM_INFINITY
                  ? "raise the limit on address space (ulimit -v unlimited); limit memory by a cgroup instead"
                  : "check vm.max_map_count and vm.overcommit_memory");
}

static void ask_max_map_count(finding *f)
{
    char text[64];
    uint64_t count;

    if (!machine_read_line("/proc/sys/vm/max_map_count", text, sizeof text)) {
        found(f, OK, "not to be seen");
        return;
    }
    count = strtoull(text, NULL, 10);
    found(f, count >= 65530 ? OK : WARN, "%llu mappings", (unsigned long long)count);
    if (count < 65530)
        remedy(f, "sysctl vm.max_map_count=65530, when many runs at once are refused");
}

static void ask_overcommit(finding *f)
{
    char text[64];

    if (!machine_read_line("/proc/sys/vm/overcommit_memory", text, sizeof text)) {
        found(f, OK, "not to be seen");
    } else if (text[0] != '2') {
        found(f, OK, "mode %s", text);
    } else {
        found(f, WARN, "mode 2: memory that guests grow into counts as committed at once");
        remedy(f, "sysctl vm.overcommit_memory=0, or raise vm.overcommit_ratio");
    }
}

static void ask_stop_signal(finding *f)
{
    struct sigaction action;

    for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++) {
        if (sigaction(sig, NULL, &action) == 0 && action.sa_handler == SIG_DFL) {
            found(f, OK, "signal %d is free", sig);
            return;
        }
    }
    found(f, FAIL, "no real-time signal is free");
    remedy(f, "start this program with the signals' default actions");
}

static void ask_cgroup(finding *f)
{
    uint64_t limit = machine_cgroup_memory_bytes();
    const uint64_t sensible = (uint64_t)256 << 20; /* a guest of the default size, and room for the host */

    if (limit == 0) {
        found(f, OK, "no memory limit");
        return;
    }
    found(f, limit >= sensible ? OK : WARN, "memory limit %llu MiB", (unsigned long long)(limit >> 20));
    if (limit < sensible)
        remedy(f, "raise the group's memory limit, or run with a --memory that fits into it");
}

/* What stands, and a run on it. */
static void ask_backend(finding *f, cloche_backend backend)
{
    cloche_options asked = CLOCHE_OPTIONS_INIT;
    cloche_request request = CLOCHE_REQUEST_INIT;
    cloche_sandbox *sandbox = NULL;
    cloche_result *result = NULL;
    cloche_error err = { 0 };
    cloche_status status;
    char names[160];

    asked.backend = backend;
    request.code = "return 1";
    request.code_length = strlen(request.code);
    status = cloche_sandbox_create(&asked, &sandbox, &err);
    if (status >= 0)
        status = cloche_sandbox_run(sandbox, &request, &result, &err);
    if (status == CLOCHE_E_NOSYS) {
        found(f, WARN, "not available here: %s", err.text);
    } else if (status < 0) {
        found(f, FAIL, "%s", err.text);
        remedy(f, "see the lines above that fail");
    } else if (!result->ok) {
        found(f, FAIL, "%s: %.200s", cloche_code_name(result->code), result->error.data);
        remedy(f, "see the lines that fail or warn");
    } else {
        layers_names(names, sizeof names, result->isolation);
        found(f, OK, "%s", names);
    }
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}

static void ask_worker(finding *f)
{
    ask_backend(f, CLOCHE_BACKEND_WORKER);
}

static void ask_process(finding *f)
{
    ask_backend(f, CLOCHE_BACKEND_PROCESS);
}

static void ask_run(finding *f)
{
    static const char code[] = "console.log('hello'); return 6 * 7";
    cloche_request request = CLOCHE_REQUEST_INIT;
    cloche_sandbox *sandbox = NULL;
    cloche_result *result = NULL;
    cloche_error err = { 0 };

    request.code = code;
    request.code_length = sizeof code - 1;
    if (cloche_sandbox_create(NULL, &sandbox, &err) < 0 ||
        cloche_sandbox_run(sandbox, &request, &result, &err) < 0) {
        found(f, FAIL, "%s", err.text);
    } else if (!result->ok) {
        found(f, FAIL, "%s: %.200s", cloche_code_name(result->code), result->error.data);
    } else if (result->value.data == NULL || strcmp(result->value.data, "42") != 0 ||
               strcmp(result->out.data != NULL ? result->out.data : "", "hello\n") != 0) {
        found(f, FAIL, "6 * 7 gave %.40s", result->value.data != NULL ? result->value.data : "nothing");
    } else {
        found(f, OK, "6 * 7 = %s in %.3f ms", result->value.data, result->duration_ms);
    }
    if (f->verdict == FAIL)
        remedy(f, "mend what fails above; if nothing does, the library is damaged: install it again");
    cloche_result_destroy(result);
    cloche_sandbox_destroy(sandbox);
}

/* The run comes last: its remedy points to the others. */
static const struct {
    const char *name;
    void (*ask)(finding *f);
} questions[] = {
    { "version", ask_version },
    { "kernel", ask_kernel },
    { "processor", ask_processor },
    { "page size", ask_page_size },
    { "address space", ask_address_space },
    { "max_map_count", ask_max_map_count },
    { "overcommit", ask_overcommit },
    { "stop signal", ask_stop_signal },
    { "cgroup", ask_cgroup },
    { "worker backend", ask_worker },
    { "process backend", ask_process },
    { "run", ask_run },
};

#define QUESTION_COUNT (sizeof questions / sizeof *questions)

static const char *const verdict_names[] = { "ok", "warn", "fail" };

static void print_line(verdict v, const char *name, const char *text, const char *what_to_do)
{
    static const char *const colours[] = { "32", "33", "31" };

    if (text_has_colour(STDOUT_FILENO))
        out_printf("\033[%sm%-4s\033[0m  %-15s  %s\n", colours[v], verdict_names[v], name, text);
    else
        out_printf("%-4s  %-15s  %s\n", verdict_names[v], name, text);
    if (what_to_do[0] != '\0')
        out_printf("%-4s  %-15s  -> %s\n", "", "", what_to_do);
}

/* The ladder goes before the run, which is the verdict. */
static void print_text(const finding *findings, const layers *ladder)
{
    char name[32], text[256];

    for (size_t i = 0; i < QUESTION_COUNT; i++) {
        for (uint32_t k = 0; i == QUESTION_COUNT - 1 && k < ladder->count; k++) {
            const cloche_layer *layer = &ladder->layer[k];
            snprintf(name, sizeof name, "layer %s", layer->name);
            layers_text(layer, text, sizeof text);
            print_line(layer->stands ? OK : WARN, name, text, layer->remedy);
        }
        print_line(findings[i].verdict, questions[i].name, findings[i].text, findings[i].remedy);
    }
}

static void print_json(const finding *findings, const layers *ladder, bool is_working)
{
    buffer out = { 0 };

    buffer_printf(&out, "{\"ok\":%s,\"version\":\"%s\",\"findings\":[", is_working ? "true" : "false", CLOCHE_VERSION);
    for (size_t i = 0; i < QUESTION_COUNT; i++) {
        const finding *f = &findings[i];

        buffer_printf(&out, "%s{\"name\":\"%s\",\"verdict\":\"%s\",\"text\":", i > 0 ? "," : "", questions[i].name,
                      verdict_names[f->verdict]);
        json_text_quote(f->text, strlen(f->text), &out);
        if (f->remedy[0] != '\0') {
            buffer_text(&out, ",\"remedy\":");
            json_text_quote(f->remedy, strlen(f->remedy), &out);
        }
        buffer_text(&out, "}");
    }
    buffer_text(&out, "],\"layers\":");
    layers_add_json(ladder, &out);
    buffer_text(&out, "}\n");
    out_write(STDOUT_FILENO, out.data, out.length);
    buffer_fini(&out);
}

static int print_plan(void)
{
    size_t length = cloche_isolation_plan(NULL, 0);
    char *text = need(length + 1);

    cloche_isolation_plan(text, length + 1);
    out_text(text);
    free(text);
    return EX_OK;
}

int cmd_doctor(int argc, char **argv)
{
    options o = { 0 };
    layers ladder;
    finding findings[QUESTION_COUNT] = { 0 };
    bool is_working;
    int status;

    if (!args_parse(&table, &o, &argc, argv, &status))
        return status;
    if (argc > 1) {
        out_complain("doctor", "takes no argument, but got '%s'", argv[1]);
        return EX_USAGE;
    }
    if (o.is_plan && o.is_json) {
        out_complain("doctor", "--plan: is text, not with --json");
        return EX_USAGE;
    }
    if (o.is_plan)
        return print_plan();
    for (size_t i = 0; i < QUESTION_COUNT; i++)
        questions[i].ask(&findings[i]);
    layers_probe(&ladder);
    is_working = findings[QUESTION_COUNT - 1].verdict != FAIL;
    if (o.is_json)
        print_json(findings, &ladder, is_working);
    else
        print_text(findings, &ladder);
    return is_working ? EX_OK : 1;
}
