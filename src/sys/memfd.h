/* memfd.h - bytes as a file without a path
 *
 * Owner    the descriptor is the caller's; close-on-exec
 * Threads  any thread
 * Errors   CLOCHE_E_NOSYS the system has no memfd or refuses executable ones; CLOCHE_E_NOMEM, CLOCHE_E_SYS
 * Source   memfd_create(2), since 3.17; MFD_EXEC since 6.3
 */
#ifndef CL_SYS_MEMFD_H
#define CL_SYS_MEMFD_H

#include <stddef.h>

#include <cloche/status.h>

/* A file of these bytes that nobody can change any more, and that may be executed. */
cloche_status cl_memfd_sealed_open(const char *name, const void *bytes, size_t length, int *out, cloche_error *err);

#endif
