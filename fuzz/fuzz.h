/* fuzz.h - what a fuzz target is: one function, and claims that end the process when they do not hold
 *
 * libFuzzer calls the target (libfuzzer.c); replay.c does, over files and what it makes of them, with any compiler.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int fuzz_one(const uint8_t *data, size_t size);

#define FUZZ_HOLDS(claim)                                                            \
    do {                                                                             \
        if (!(claim)) {                                                              \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #claim); \
            abort();                                                                 \
        }                                                                            \
    } while (0)

#endif
