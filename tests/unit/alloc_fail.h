/* alloc_fail.h - the n-th allocation from now on fails
 *
 *   for (long n = 1;; n++) {
 *       alloc_fail_at(n);
 *       rc = the_call();
 *       if (!alloc_fail_end())
 *           break;                  the call needs fewer than n allocations and has succeeded
 *       ... the call has failed as it should ...
 *   }
 *
 * For executables linked with -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc.
 *
 * Threads  one thread at a time
 */
#ifndef TESTS_UNIT_ALLOC_FAIL_H
#define TESTS_UNIT_ALLOC_FAIL_H

#include <stdbool.h>

void alloc_fail_at(long n);
/* All allocations succeed again. Whether one was refused. */
bool alloc_fail_end(void);

#endif
