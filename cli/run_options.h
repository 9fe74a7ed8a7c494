/* run_options.h - the options that every command with a run understands
 *
 * A command puts a run_options into its own options and RUN_OPTION_SPECS into its table. Limits go to the sandbox, so
 * that a request of a batch may override them; the rest goes to each request that does not say otherwise.
 */
#ifndef CLI_RUN_OPTIONS_H
#define CLI_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <cloche/cloche.h>

#include "args.h"
#include "buffer.h"

typedef struct run_options {
    int language; /* cloche_language */
    int kind;     /* cloche_kind */
    int backend;  /* cloche_backend */
    int freshness; /* cloche_freshness, of the process backend */
    bool is_printed; /* -p: kind "script" */
    bool drain;
    const char *context; /* JSON or @FILE; NULL: none */
    arg_amount timeout, cpu_time, memory, max_output, deterministic;
} run_options;

/* The choices are in the order of the library's enums. */
#define RUN_OPTION_SPECS(type, member)                                                   \
    { "print", 'p', ARG_FLAG, NULL, "the value of the last statement, as eval gives it", \
      offsetof(type, member.is_printed) },                                               \
    { "language", 0, ARG_CHOICE, "auto|js|ts", "language of the source",                 \
      offsetof(type, member.language) },                                                 \
    { "kind", 0, ARG_CHOICE, "auto|body|module|function|script", "form of the source",   \
      offsetof(type, member.kind) },                                                     \
    { "context", 0, ARG_TEXT, "JSON|@FILE", "object whose keys are globals of the run",  \
      offsetof(type, member.context) },                                                  \
    { "backend", 0, ARG_CHOICE, "worker|process", "here (default), or in a jailed process", \
      offsetof(type, member.backend) },                                                  \
    { "freshness", 0, ARG_CHOICE, "process|jail", "a process per run (default), or a jail reset", \
      offsetof(type, member.freshness) },                                                \
    { "timeout", 0, ARG_DURATION, "TIME", "wall time, default 5s",                       \
      offsetof(type, member.timeout) },                                                  \
    { "cpu-time", 0, ARG_DURATION, "TIME", "CPU time, default none",                     \
      offsetof(type, member.cpu_time) },                                                 \
    { "memory", 0, ARG_MIB, "SIZE", "memory of the guest, default 128m",                 \
      offsetof(type, member.memory) },                                                   \
    { "max-output", 0, ARG_SIZE, "SIZE", "of stdout and of stderr, default 1m each",     \
      offsetof(type, member.max_output) },                                               \
    { "deterministic", 0, ARG_SEED, "SEED", "random numbers repeat, clock from 1970-01-01", \
      offsetof(type, member.deterministic) },                                            \
    { "drain", 0, ARG_FLAG, NULL, "wait for timers that outlive the value",              \
      offsetof(type, member.drain) }

/* How amounts are written; the ending of a help text. */
#define RUN_OPTION_ENDING "TIME is 500ms, 5s or 2m (a bare number: ms), SIZE is 64k, 128m or 1g (a bare number: MiB)."

/* false: *text says in one line which option is out of its bounds, or contradicts another. */
bool run_options_check(const run_options *options, buffer *text);

/* Into the sandbox's options: backend, freshness and limits. Checked before. */
void run_options_to_sandbox(const run_options *options, cloche_options *out);

/* Fills what the request leaves open. context may be absent; borrowed. */
void run_options_to_request(const run_options *options, cloche_text context, cloche_request *request);

/* The text behind --context, in *storage if it had to be read. false: said so on standard error. */
bool run_options_context(const run_options *options, const char *command, buffer *storage, cloche_text *out);

/* Creates the sandbox. NULL: *result is the answer that every run would get. */
cloche_sandbox *run_options_open(const run_options *options, uint32_t thread_count, cloche_result **result);

/* The answer to a call that gave none. Never NULL. */
cloche_result *run_options_failed(const cloche_error *err);

/* Exit status for a result. */
int run_options_exit(const cloche_result *result);

#endif
