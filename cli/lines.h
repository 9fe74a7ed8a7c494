/* lines.h - lines of a descriptor, as they come
 *
 * A line is handed out as soon as its line feed has arrived, so that a client at the other end of a pipe may wait for
 * an answer before it writes on. The last line may lack its line feed. Bytes are not looked at: NULs pass.
 *
 * Owner    a line is borrowed until the next call
 */
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"

typedef struct lines {
    int fd;
    int wake_fd;      /* becomes readable when reading shall end; -1: none */
    size_t most;      /* bytes of a line */
    uint64_t number;  /* of the line handed out last, from 1 */
    buffer bytes;     /* [start, length) is not handed out yet */
    size_t start;
    size_t searched;  /* no line feed before this */
    bool is_at_end;
    bool is_skipping; /* in the middle of a line that is too long */
} lines;

typedef enum lines_answer {
    LINES_LINE,
    LINES_TOO_LONG, /* the line is skipped; go on */
    LINES_END,
    LINES_WOKEN,
    LINES_FAILED, /* errno */
} lines_answer;

/* line: without its line feed, followed by a NUL that length does not count. */
lines_answer lines_next(lines *l, const char **line, size_t *length);
void lines_fini(lines *l);

#endif
