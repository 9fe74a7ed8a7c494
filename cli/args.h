/* args.h - a command line read by a table
 *
 *   --name value   --name=value   -x value   -xvalue   -pe value (flags may lead)   --  ends the options
 *
 * A command describes its options once; reading them, the messages about wrong ones and --help are made from that.
 * Numbers are kept apart from their bounds: whether 0 ms is a sensible deadline is asked elsewhere.
 */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum arg_type {
    ARG_FLAG,     /* bool */
    ARG_TEXT,     /* const char * */
    ARG_CHOICE,   /* int: index into value, "js|ts|auto" */
    ARG_DURATION, /* arg_amount in milliseconds; 500ms, 5s, 2m, bare: ms */
    ARG_MIB,      /* arg_amount in MiB; 128m, 1g, bare: MiB */
    ARG_SIZE,     /* arg_amount in bytes; 64k, 1m, bare: MiB */
    ARG_COUNT,    /* arg_amount */
    ARG_SEED,     /* arg_amount, =VALUE may be left out: 0 */
} arg_type;

typedef struct arg_amount {
    bool is_given;
    uint64_t value;
} arg_amount;

typedef struct arg_spec {
    const char *name; /* without the dashes */
    char letter;      /* 0: none */
    arg_type type;
    const char *value; /* shown in the help; for ARG_CHOICE the choices themselves */
    const char *text;
    size_t offset; /* of its place in the command's options */
} arg_spec;

typedef struct arg_table {
    const char *command;
    const char *usage;  /* after "cloche COMMAND" */
    const char *text;   /* what it does, a line or two */
    const char *ending; /* shown below the options; NULL: nothing */
    const arg_spec *specs;
    size_t count;
} arg_table;

/* true: go on; argv[1] ... argv[*argc - 1] are the operands now. false: *status is the exit status, all was said. */
bool args_parse(const arg_table *table, void *options, int *argc, char **argv, int *status);

/* The nearest of names, or NULL when none is near enough to suggest. */
const char *args_nearest(const char *word, size_t length, const char *(*name)(const void *, size_t),
                         const void *names, size_t count);

/* "0.5s" with units "ms|s|m"...: false with *why set when it is none. */
bool args_duration_ms(const char *text, uint64_t *out, const char **why);
bool args_size_bytes(const char *text, uint64_t *out, const char **why);

#endif
