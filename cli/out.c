#include "out.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "buffer.h"

static atomic_int first_errno; /* of standard output; 0: all is well */

void out_open(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
            continue;
        /* The lowest free number is fd itself; the wrong direction keeps the error visible. */
        if (open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
            _exit(EX_IOERR);
    }
    signal(SIGPIPE, SIG_IGN);
}

bool out_write(int fd, const char *data, size_t length)
{
    if (fd == STDOUT_FILENO && atomic_load(&first_errno) != 0)
        return false;
    while (length > 0) {
        ssize_t n = write(fd, data, length);

        if (n >= 0) {
            data += n;
            length -= (size_t)n;
        } else if (errno == EAGAIN) {
            /* The other end of an inherited description may have made it non-blocking. */
            struct pollfd wait = { .fd = fd, .events = POLLOUT };

            poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            int none = 0;

            if (fd != STDOUT_FILENO)
                return true;
            atomic_compare_exchange_strong(&first_errno, &none, errno);
            return false;
        }
    }
    return true;
}

bool out_text(const char *text)
{
    return out_write(STDOUT_FILENO, text, strlen(text));
}

bool out_printf(const char *format, ...)
{
    va_list args;
    char *text = NULL;
    int length;
    bool is_written;

    va_start(args, format);
    length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        need_failed();
    is_written = out_write(STDOUT_FILENO, text, (size_t)length);
    free(text);
    return is_written;
}

bool out_has_failed(void)
{
    return atomic_load(&first_errno) != 0;
}

void out_complain(const char *name, const char *format, ...)
{
    va_list args;
    char *text = NULL;
    buffer line = { 0 };
    int length;

    va_start(args, format);
    length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        need_failed();
    buffer_printf(&line, "cloche%s%s: %s\n", name[0] != '\0' ? " " : "", name, text);
    out_write(STDERR_FILENO, line.data, line.length);
    buffer_fini(&line);
    free(text);
}

int out_close(const char *name, int status)
{
    int error = atomic_load(&first_errno);

    if (error == 0)
        return status;
    out_complain(name, "standard output: %s", strerror(error));
    return EX_IOERR;
}
