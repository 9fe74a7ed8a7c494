#include "isolate/output.h"

#include <string.h>

#include "base/utf8.h"
#include "isolate/stop.h"


typedef struct cl_delivery {
    const cl_run_request *request;
    int fd;
    const char *data;
    size_t length;
} cl_delivery;

static void deliver(void *arg)
{
    const cl_delivery *d = arg;
    d->request->on_output(d->request->on_output_user, d->fd, d->data, d->length);
}

void cl_stream_keep(cl_stream *stream, size_t most, const char *data, size_t length)
{
    size_t room = stream->dropped > 0 ? 0 : most - stream->kept.length;
    size_t part = length <= room ? length : cl_utf8_cut(data, length, room);

    if (part > 0 && !cl_buf_append(&stream->kept, data, part))
        part = 0; /* the host is out of memory: counted as cut, which is what happened */
    stream->dropped += length - part;
}

/* The engine writes a lone surrogate as three bytes ED A0..BF xx: the same length as U+FFFD. */
static void replace_surrogates(char *data, size_t length)
{
    for (char *at = data; (at = memchr(at, 0xED, length - (size_t)(at - data))) != NULL; at++)
        if (length - (size_t)(at - data) >= 3 && (unsigned char)at[1] >= 0xA0)
            memcpy(at, "\xEF\xBF\xBD", 3);
}

void cl_output_write(cl_guest *guest, int fd, const char *data, size_t length)
{
    cl_run *run = &guest->run;
    const cl_run_request *request = run->request;
    cl_stream *stream = fd == 2 ? &run->err : &run->out;
    size_t most = fd == 2 ? request->limits.max_stderr_bytes : request->limits.max_stdout_bytes;

    while (length > 0) {
        char piece[4096];
        size_t part = length <= sizeof piece ? length : cl_utf8_cut(data, length, sizeof piece);
        if (part == 0)
            part = length < sizeof piece ? length : sizeof piece;
        memcpy(piece, data, part);
        replace_surrogates(piece, part);
        cl_stream_keep(stream, most, piece, part);
        if (request->on_output != NULL) {
            cl_delivery delivery = {request, fd, piece, part};
            cl_thread_hop(&guest->slot, deliver, &delivery);
        }
        data += part;
        length -= part;
        cl_stop_check(guest);
    }
}
