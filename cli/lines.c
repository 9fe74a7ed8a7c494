#include "lines.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES (64u << 10)
#define KEPT_BYTES (1u << 20) /* a buffer that one long line made larger than this is given back */

/* What was handed out goes; the rest moves to the front. */
static void compact(lines *l)
{
    size_t rest = l->bytes.length - l->start;

    if (rest == 0 && l->bytes.capacity > KEPT_BYTES)
        buffer_fini(&l->bytes);
    else if (l->start > 0)
        memmove(l->bytes.data, l->bytes.data + l->start, rest);
    l->bytes.length = rest;
    l->searched -= l->start;
    l->start = 0;
}

/* LINES_LINE: there are more bytes, or the end was reached. */
static lines_answer fill(lines *l)
{
    struct pollfd wait[2] = { { .fd = l->fd, .events = POLLIN }, { .fd = l->wake_fd, .events = POLLIN } };
    ssize_t n;

    compact(l);
    do {
        if (poll(wait, 2, -1) < 0 && errno != EINTR)
            return LINES_FAILED;
        if (wait[1].revents != 0)
            return LINES_WOKEN;
        if (wait[0].revents == 0)
            continue;
        buffer_reserve(&l->bytes, READ_BYTES);
        n = read(l->fd, l->bytes.data + l->bytes.length, READ_BYTES);
        if (n >= 0)
            break;
        if (errno != EINTR && errno != EAGAIN)
            return LINES_FAILED;
    } while (true);
    l->bytes.length += (size_t)n;
    l->is_at_end = n == 0;
    return LINES_LINE;
}

lines_answer lines_next(lines *l, const char **line, size_t *length)
{
    for (;;) {
        char *start = l->bytes.data + l->start;
        char *feed = l->searched < l->bytes.length
                         ? memchr(l->bytes.data + l->searched, '\n', l->bytes.length - l->searched)
                         : NULL;
        size_t rest = l->bytes.length - l->start;
        size_t width = feed != NULL ? (size_t)(feed - start) : rest;
        bool is_whole = feed != NULL || (l->is_at_end && (rest > 0 || l->is_skipping));
        lines_answer answer;

        if (is_whole) {
            bool is_too_long = l->is_skipping || width > l->most;

            l->start += width + (feed != NULL ? 1 : 0);
            l->searched = l->start;
            l->is_skipping = false;
            l->number++;
            if (is_too_long)
                return LINES_TOO_LONG;
            start[width] = '\0'; /* the line feed's place, or the one that a buffer keeps behind its end */
            *line = start;
            *length = width;
            return LINES_LINE;
        }
        if (l->is_at_end)
            return LINES_END;
        l->searched = l->bytes.length;
        if (rest > l->most || l->is_skipping) {
            l->is_skipping = true;
            l->start = l->bytes.length;
        }
        if ((answer = fill(l)) != LINES_LINE)
            return answer;
    }
}

void lines_fini(lines *l)
{
    buffer_fini(&l->bytes);
}
