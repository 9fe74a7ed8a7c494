/* filter.h - a system call filter, written as a list of rules
 *
 *   begin ─► allow, allow_values, allow_bits, refuse ... ─► end ─► install
 *
 * Rules are tried in the order they were written: common calls first. What no rule names kills the process, and so does
 * a call of another architecture (int 0x80) or number range (x32: its numbers equal none of ours). Arguments are
 * compared whole, all 64 bits.
 *
 * Owner    plain data
 * Threads  pure, except install: the whole process
 * Errors   install: -1 and errno; a list that does not fit: EOVERFLOW there
 * Source   seccomp(2)
 */
#ifndef CL_SYS_FILTER_H
#define CL_SYS_FILTER_H

#include <stdbool.h>
#include <stdint.h>

enum { CL_FILTER_MOST = 192 };

typedef struct cl_filter {
    uint16_t count;
    bool is_full;
    struct cl_filter_step { /* struct sock_filter */
        uint16_t code;
        uint8_t if_true, if_false;
        uint32_t k;
    } steps[CL_FILTER_MOST];
} cl_filter;

void cl_filter_begin(cl_filter *filter);
void cl_filter_allow(cl_filter *filter, long number);
/* Allowed when the argument is one of the values; else kills. */
void cl_filter_allow_values(cl_filter *filter, long number, unsigned argument, const uint32_t *values, unsigned count);
/* Allowed when the argument has no bit outside `bits`; else kills. */
void cl_filter_allow_bits(cl_filter *filter, long number, unsigned argument, uint32_t bits);
/* Fails with os_errno; kills when the argument has one of the bits in `deadly`. */
void cl_filter_refuse(cl_filter *filter, long number, int os_errno, unsigned argument, uint32_t deadly);
void cl_filter_end(cl_filter *filter);

/* Whether install can work at all; errno says why not. */
bool cl_filter_is_available(void);

/* For all threads of the process, and for ever. Needs no_new_privs or CAP_SYS_ADMIN. */
int cl_filter_install(const cl_filter *filter);
/* The same without touching errno or any other memory, for this thread only: answers a negative errno. */
long cl_filter_install_raw(const cl_filter *filter);

#endif
