/* escape.h - one attack against one jail, and what must come of it
 *
 * A row says: this attack, with these layers left out, ends so. The first row of an attack is the whole jail; the rows
 * after it take layers away, so that the next wall is seen; the last is the control: nothing stands, and the attack
 * works, or fails for another reason. Rows need root and a system where every layer stands; elsewhere they are skipped,
 * and say so.
 */
#ifndef TESTS_ESCAPE_ESCAPE_H
#define TESTS_ESCAPE_ESCAPE_H

#include <errno.h>
#include <signal.h>
#include <stdint.h>

#include "host.h"

/* What comes of an attack. */
typedef enum expectation_kind { DIES_OF, FAILS_WITH, GIVES, WORKS, EXITS } expectation_kind;

typedef struct expectation {
    expectation_kind kind;
    int64_t value;
} expectation;

#define DIES(signal) { DIES_OF, signal }
#define FAILS(error) { FAILS_WITH, error }
#define ANSWERS(value) { GIVES, value }
#define SUCCEEDS { WORKS, 0 }
#define LEAVES(code) { EXITS, code }

typedef struct escape_row {
    const char *attack;
    uint32_t left_out;
    expectation expected;
    const char *wall; /* what stops it, or why it is no loss that nothing does */
} escape_row;

#define NOTHING 0
#define SECCOMP CLOCHE_LAYER_SECCOMP
#define RLIMIT CLOCHE_LAYER_RLIMIT
#define MOUNTNS CLOCHE_LAYER_MOUNTNS
#define NETNS CLOCHE_LAYER_NETNS
#define PIDNS CLOCHE_LAYER_PIDNS
#define USERNS CLOCHE_LAYER_USERNS
#define LANDLOCK CLOCHE_LAYER_LANDLOCK
#define ALL (0x1fe | CL_PLAN_PRIVILEGES)

/* Runs all rows; the argument is what the attacks that need one get. Fails the test naming every row that differs. */
void escape_check(const escape_row *rows, unsigned count, int64_t argument);

#define ESCAPE_CHECK(rows, argument) escape_check(rows, sizeof rows / sizeof rows[0], argument)

#endif
