#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "out.h"

/* NULL, or what went wrong. */
static const char *read_all(int fd, buffer *out)
{
    for (;;) {
        ssize_t n;

        buffer_reserve(out, 64 << 10);
        n = read(fd, out->data + out->length, 64 << 10);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return strerror(errno);
        if (n == 0)
            break;
        out->length += (size_t)n;
        if (out->length > INPUT_MOST_BYTES)
            return "larger than 256 MiB";
    }
    buffer_add(out, "", 0);
    return NULL;
}

bool input_read(const char *command, const char *path, buffer *out, const char **why)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    const char *problem = fd < 0 ? strerror(errno) : read_all(fd, out);

    if (fd > STDERR_FILENO)
        close(fd);
    if (problem == NULL)
        return true;
    buffer_fini(out);
    if (why != NULL)
        *why = problem;
    else
        out_complain(command, "%s: %s", is_stdin ? "standard input" : path, problem);
    return false;
}

const char *input_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}
