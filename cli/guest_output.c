#include "guest_output.h"

#include <string.h>
#include <unistd.h>

#include "out.h"

void guest_output_init(guest_output *output, cloche_abort *abort, size_t most, bool is_raw, const char *marker)
{
    *output = (guest_output){ .abort = abort };
    for (int i = 0; i < 2; i++) {
        output->streams[i].left = most;
        output->streams[i].is_visible = !is_raw && text_is_terminal(i + 1);
        output->streams[i].marker = marker;
    }
}

static void pass_on(guest_output *output, guest_stream *stream, int fd, const char *data, size_t length)
{
    size_t cut = stream->dropped > 0 ? 0 : text_cut(data, length, stream->left);
    buffer visible = { 0 };
    bool is_written;

    if (cut < length) {
        stream->dropped += length - cut;
        stream->left = 0;
    } else {
        stream->left -= cut;
    }
    if (cut == 0)
        return;
    if (stream->is_visible) {
        text_filter_add(&stream->filter, data, cut, &visible);
        is_written = out_write(fd, visible.data, visible.length);
        buffer_fini(&visible);
    } else {
        is_written = out_write(fd, data, cut);
    }
    if (!is_written && output->abort != NULL)
        cloche_abort_trigger(output->abort);
}

void guest_output_add(void *user, int fd, const char *data, size_t length)
{
    guest_output *output = user;
    guest_stream *stream = &output->streams[fd == STDERR_FILENO];

    while (stream->marker != NULL && length > 0) {
        const char *feed = memchr(data, '\n', length);
        size_t piece = feed != NULL ? (size_t)(feed - data) : length;

        /* A line longer than the marker is not it, and need not be kept. */
        if (stream->line.length <= strlen(stream->marker))
            buffer_add(&stream->line, data, piece);
        if (feed == NULL)
            return;
        data = feed + 1;
        length -= piece + 1;
        if (strcmp(stream->line.data, stream->marker) == 0)
            stream->marker = NULL;
        stream->line.length = 0;
    }
    if (length > 0)
        pass_on(output, stream, fd, data, length);
}

void guest_output_fini(guest_output *output, const char *command)
{
    static const char *const names[2] = { "stdout", "stderr" };

    for (int i = 0; i < 2; i++) {
        guest_stream *stream = &output->streams[i];
        buffer rest = { 0 };

        text_filter_end(&stream->filter, &rest);
        if (rest.length > 0)
            out_write(i + 1, rest.data, rest.length);
        buffer_fini(&rest);
        buffer_fini(&stream->line);
        if (stream->dropped > 0)
            out_complain(command, "%s cut: %llu bytes not shown; raise --max-output", names[i],
                         (unsigned long long)stream->dropped);
    }
}
