/* attacks.h - what a guest's process could try if the engine were broken open
 *
 * Each attack is one system call, or the shortest chain that is worth something, made raw from inside the child. It is
 * harmless where it works: signal 0, a read, an object that dies with the process.
 *
 *   test ── attack_order {name, argument} ──► guest.c in the jail ── attack_answer {value or -errno} ──►
 */
#ifndef TESTS_ESCAPE_ATTACKS_H
#define TESTS_ESCAPE_ATTACKS_H

#include <stdint.h>

typedef struct attack_order {
    char name[32];
    int64_t argument; /* a process, a port, an address: the test's */
} attack_order;

typedef struct attack_answer {
    int64_t value; /* of the system call as the kernel gives it: negative errno */
} attack_answer;

typedef int64_t attack_fn(int64_t argument);

attack_fn *attack_find(const char *name);

#endif
