/* main.c - cloche: untrusted JavaScript under glass, from the command line */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include <cloche/cloche.h>

#include "args.h"
#include "buffer.h"
#include "command.h"
#include "out.h"

typedef struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *text;
} command;

static int cmd_version(int argc, char **argv);

static const command commands[] = {
    { "run", cmd_run, "run a source and print its value" },
    { "batch", cmd_batch, "run requests from JSON Lines, answer in JSON Lines" },
    { "check", cmd_check, "parse files, run nothing" },
    { "repl", cmd_repl, "type a line, see its value" },
    { "doctor", cmd_doctor, "what this machine allows, and a real run" },
    { "bench", cmd_bench, "measure it here" },
    { "version", cmd_version, "print the version" },
};

#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static const arg_table version_table = {
    .command = "version",
    .usage = "",
    .text = "Prints the version of the program, and that of the library when it differs.",
};

static int cmd_version(int argc, char **argv)
{
    int status;

    if (!args_parse(&version_table, NULL, &argc, argv, &status))
        return status;
    if (strcmp(cloche_version(), CLOCHE_VERSION) != 0)
        out_printf("cloche %s (library %s)\n", CLOCHE_VERSION, cloche_version());
    else
        out_printf("cloche %s\n", CLOCHE_VERSION);
    return EX_OK;
}

static void add_help(buffer *b)
{
    buffer_text(b, "usage: cloche COMMAND [options]\n\nRuns untrusted JavaScript under glass.\n\ncommands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        buffer_printf(b, "  %-9s %s\n", commands[i].name, commands[i].text);
    buffer_text(b, "\n  cloche run -e 'return 6 * 7'\n  cloche COMMAND --help\n");
}

static const char *command_name(const void *unused, size_t index)
{
    (void)unused;
    return commands[index].name;
}

static int unknown_command(const char *word)
{
    const char *near = args_nearest(word, strlen(word), command_name, NULL, COMMAND_COUNT);

    if (near != NULL)
        out_complain("", "unknown command '%s'; did you mean %s?", word, near);
    else if (access(word, R_OK) == 0)
        out_complain("", "unknown command '%s'; did you mean cloche run %s?", word, word);
    else
        out_complain("", "unknown command '%s'; see cloche --help", word);
    return EX_USAGE;
}

static int run_command(const char *word, int argc, char **argv)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(word, commands[i].name) == 0)
            return out_close(word, commands[i].run(argc, argv));
    return unknown_command(word);
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    buffer help = { 0 };
    bool is_asked = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;

    out_open();
    /* For the width of characters alone; numbers and messages stay in the C locale. */
    if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
        setlocale(LC_CTYPE, "");
    if (strcmp(word, "--version") == 0)
        word = "version";
    if (is_asked && argc > 2) { /* cloche help run */
        char *asked[] = { argv[2], "--help", NULL };

        return run_command(argv[2], 2, asked);
    }
    if (argc > 1 && !is_asked)
        return run_command(word, argc - 1, argv + 1);
    add_help(&help);
    out_write(is_asked ? STDOUT_FILENO : STDERR_FILENO, help.data, help.length);
    buffer_fini(&help);
    return out_close("", is_asked ? EX_OK : EX_USAGE);
}
