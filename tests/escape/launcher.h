/* launcher.h - makes this process one on which the system refuses things, as containers and other machines do
 *
 * Each function is for a forked process: there is no way back.
 */
#ifndef TESTS_ESCAPE_LAUNCHER_H
#define TESTS_ESCAPE_LAUNCHER_H

#include <stdint.h>

void launcher_become(unsigned id);

/* The call fails with os_errno from here on. */
void launcher_refuse(long number, int os_errno);
/* Only where the low half of the first argument has one of these bits. */
void launcher_refuse_bits(long number, uint32_t bits, int os_errno);

#endif
