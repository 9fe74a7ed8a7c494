/* answers.h - results of a batch on their way out
 *
 *   reader ── admit ──► ticket 0 1 2 3 ...        at most `concurrency` in progress
 *   pool   ── give(ticket, line) ──► held back until it is its turn, or written at once (unordered)
 *
 * What is held back is bounded in number and in bytes: the reader waits rather than let one slow run pile up the
 * results of all that follow.
 *
 * Threads  admit and finish: the reader; give: any
 */
#ifndef CLI_ANSWERS_H
#define CLI_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cloche/sandbox.h>

typedef struct answers answers;

typedef struct answers_options {
    uint32_t concurrency;
    bool is_unordered;
    bool has_progress;
    cloche_abort *abort; /* triggered when standard output fails */
} answers_options;

answers *answers_create(const answers_options *options);
void answers_destroy(answers *a);

/* Waits for room. */
uint64_t answers_admit(answers *a);
/* Takes line: malloc'ed, length bytes that end in a line feed. Exactly once per ticket. */
void answers_give(answers *a, uint64_t ticket, char *line, size_t length, bool is_ok);
/* Waits until every ticket has been given; the last words of the progress. */
void answers_finish(answers *a);

#endif
