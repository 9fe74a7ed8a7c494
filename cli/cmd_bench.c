/* cmd_bench.c - which benches there are, and the machine they ran on */
#include <string.h>
#include <sysexits.h>

#include "args.h"
#include "bench.h"
#include "command.h"
#include "json_text.h"
#include "machine.h"
#include "out.h"

typedef struct options {
    bool is_json, is_quick;
    arg_amount runs;
    int backend;
} options;

static const arg_spec specs[] = {
    { "quick", 0, ARG_FLAG, NULL, "few samples: does it work, not how fast is it", offsetof(options, is_quick) },
    { "backend", 0, ARG_CHOICE, "worker|process", "of the soak, default worker", offsetof(options, backend) },
    { "runs", 0, ARG_COUNT, "N", "runs of the soak, default 100000", offsetof(options, runs) },
    { "json", 0, ARG_FLAG, NULL, "print one JSON object", offsetof(options, is_json) },
};

static const struct {
    const char *name;
    void (*run)(bench *b);
} benches[] = {
    { "fresh", bench_fresh },           { "template", bench_template }, { "hostile", bench_hostile_set },
    { "throughput", bench_throughput }, { "startup", bench_startup },   { "process", bench_process },
    { "soak", bench_soak },
};

#define BENCH_COUNT (sizeof benches / sizeof *benches)

static const arg_table table = {
    .command = "bench",
    .usage = "[NAME...] [options]",
    .text = "Measures this build on this machine and prints median, 99th percentile, maximum and how many.\n"
            "Without a name all of them:\n"
            "  fresh       the smallest run, beside a bare copy of the image\n"
            "  template    20 KB of markup: a fresh run, beside a warm function\n"
            "  hostile     how late the answer is after a deadline of 50 ms\n"
            "  throughput  runs per second on one thread and on all cores\n"
            "  startup     the whole program, beside true(1)\n"
            "  process     a jailed process per run, beside a bare fork and a bare ping-pong\n"
            "  soak        memory, descriptors and mappings after many runs",
    .specs = specs,
    .count = sizeof specs / sizeof *specs,
};

static const char *bench_name(const void *unused, size_t index)
{
    (void)unused;
    return benches[index].name;
}

static bool is_known(const char *word)
{
    const char *near;

    for (size_t i = 0; i < BENCH_COUNT; i++)
        if (strcmp(benches[i].name, word) == 0)
            return true;
    near = args_nearest(word, strlen(word), bench_name, NULL, BENCH_COUNT);
    if (near != NULL)
        out_complain("bench", "no bench '%s'; did you mean %s?", word, near);
    else
        out_complain("bench", "no bench '%s'; see cloche bench --help", word);
    return false;
}

static bool is_asked(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return true;
    return argc == 1;
}

static void print_json(const bench *b, const machine *m)
{
    buffer out = { 0 };

    buffer_printf(&out, "{\"version\":\"%s\",\"cpu\":", cloche_version());
    json_text_quote(m->cpu, strlen(m->cpu), &out);
    buffer_printf(&out, ",\"cores\":%u,\"kernel\":", m->cores);
    json_text_quote(m->kernel, strlen(m->kernel), &out);
    buffer_printf(&out, ",\"ok\":%s,\"measures\":[%s]}\n", b->has_failed ? "false" : "true",
                  b->json.length > 0 ? b->json.data : "");
    out_write(1, out.data, out.length);
    buffer_fini(&out);
}

int cmd_bench(int argc, char **argv)
{
    options o = { 0 };
    bench b = { 0 };
    machine m;
    int status;

    if (!args_parse(&table, &o, &argc, argv, &status))
        return status;
    for (int i = 1; i < argc; i++)
        if (!is_known(argv[i]))
            return EX_USAGE;
    if (o.runs.is_given && (o.runs.value < 1 || o.runs.value > 1000000000)) {
        out_complain("bench", "--runs: %llu is outside 1 to 1000000000", (unsigned long long)o.runs.value);
        return EX_USAGE;
    }
    b.is_json = o.is_json;
    b.is_quick = o.is_quick;
    b.runs = o.runs.value;
    b.backend = (cloche_backend)o.backend;
    machine_get(&m);
    if (!b.is_json)
        out_printf("cloche %s, %s, %u cores, %s\n", cloche_version(), m.cpu[0] != '\0' ? m.cpu : "unknown processor",
                   m.cores, m.kernel);
    for (size_t i = 0; i < BENCH_COUNT && !out_has_failed(); i++) {
        b.name = benches[i].name;
        if (is_asked(b.name, argc, argv))
            benches[i].run(&b);
    }
    if (b.is_json)
        print_json(&b, &m);
    buffer_fini(&b.json);
    return b.has_failed ? 1 : EX_OK;
}
