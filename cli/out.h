/* out.h - writing that is never silently lost
 *
 * Standard output is written without a buffer of its own, so that a reader at the other end of a pipe gets each piece
 * at once. The first error is remembered; out_close turns it into one line on standard error and exit status 74.
 * Standard error is written as well as it can be: there is no place left to complain.
 *
 * Threads  any; a single out_write is not torn apart by the writes of another only as far as the file allows
 */
#ifndef CLI_OUT_H
#define CLI_OUT_H

#include <stdbool.h>
#include <stddef.h>

/* A standard descriptor that was closed by our parent is taken, so that no file opened later is mistaken for it.
 * Reads and writes on it go on to fail. SIGPIPE becomes an ordinary error. Once, before anything is opened. */
void out_open(void);

/* false: standard output has failed, now or before. */
bool out_write(int fd, const char *data, size_t length);
bool out_text(const char *text);
bool out_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool out_has_failed(void);

/* One line on standard error: "cloche NAME: ...". */
void out_complain(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* status, or 74 when standard output has failed. */
int out_close(const char *name, int status);

#endif
