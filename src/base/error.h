/* error.h - filling in the caller's cloche_error
 *
 * Owner    the caller's storage; NULL is fine
 * Threads  any thread
 */
#ifndef CL_BASE_ERROR_H
#define CL_BASE_ERROR_H

#include <cloche/status.h>

/* Sets the error once, nearest its cause, and answers status. os_errno 0: no system call involved. */
cloche_status cl_error_set(cloche_error *err, cloche_status status, int os_errno, const char *place, const char *format,
                           ...) __attribute__((format(printf, 5, 6)));

void cl_error_clear(cloche_error *err);

/* Kept in release builds: for our own invariants, where going on would be unsafe. */
#define CL_ASSERT(claim) ((claim) ? (void)0 : cl_assert_failed(#claim, __FILE__, __LINE__))
_Noreturn void cl_assert_failed(const char *claim, const char *file, int line);

#endif
