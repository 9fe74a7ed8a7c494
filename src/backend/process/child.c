/* child.c - one jailed process: the engine, a socket, nothing else
 *
 * Theory of operation. The zygote has cloned this process into its jail and handed it one socket. It makes its slot and
 * its timers, closes the last doors, says HELLO and serves requests until the host closes the socket. The isolate is the
 * same code as in the worker backend, driven by timers instead of a monitor thread. The host kills it when it is late.
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backend/process/child_jail.h"
#include "backend/process/text.h"
#include "backend/process/wire.h"
#include "backend/process/zygote.h"
#include "base/clock.h"
#include "isolate/alarm.h"
#include "isolate/result.h"
#include "isolate/step.h"
#include "isolate/table.h"
#include "isolate/typescript/translate.h"

enum { EXIT_SETUP = 70, EXIT_PROTOCOL = 71 };

static int run_socket;

static void send_all(const void *data, size_t length)
{
    const char *at = data;

    while (length > 0) {
        ssize_t sent = write(run_socket, at, length);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            _exit(0); /* the host is not interested any more */
        at += sent;
        length -= (size_t)sent;
    }
}

/* false: end of file before the first byte. */
static bool receive_all(void *data, size_t length)
{
    char *at = data;
    size_t left = length;

    while (left > 0) {
        ssize_t got = read(run_socket, at, left);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            if (got == 0 && left == length)
                return false;
            _exit(EXIT_PROTOCOL);
        }
        at += got;
        left -= (size_t)got;
    }
    return true;
}

/* ---- output: as it comes, up to what the host keeps, or all of it where it streams ---- */

typedef struct child_stream {
    bool streams;
    uint64_t left[2], dropped[2];
    bool is_closed[2];
} child_stream;

static void child_output(void *user, int fd, const char *data, size_t length)
{
    child_stream *stream = user;
    struct {
        cl_wire_header header;
        char fd;
    } frame = {.header = {.length = (uint32_t)length + 1, .type = CL_WIRE_OUTPUT}, .fd = (char)fd};
    enum { HEAD = sizeof(cl_wire_header) + 1 };
    int i = fd == 2;

    if (!stream->streams && (stream->is_closed[i] || length > stream->left[i])) {
        /* What does not fit whole: the host cuts it where its limit is, and no more is sent. */
        if (stream->is_closed[i])
            return;
        stream->is_closed[i] = true;
    }
    stream->left[i] -= length < stream->left[i] ? length : stream->left[i];
    send_all(&frame, HEAD);
    send_all(data, length);
}

/* ---- a run ---- */

static void wait_until(uint64_t ns)
{
    struct timespec until = {.tv_sec = (time_t)(ns / CL_NS_PER_S), .tv_nsec = (long)(ns % CL_NS_PER_S)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void child_run(cl_thread *thread, cl_guest *guest, cl_run_request *request, uint64_t start_ns, bool streams)
{
    child_stream stream = {.streams = streams};
    cloche_result *result = cl_result_new();
    cl_buf answer;

    if (result == NULL)
        _exit(EXIT_SETUP);
    stream.left[0] = request->limits.max_stdout_bytes;
    stream.left[1] = request->limits.max_stderr_bytes;
    request->on_output = child_output;
    request->on_output_user = &stream;
    cl_step_begin(guest, request, result, start_ns);
    uint64_t deadline_ns = guest->run.deadline_ns;
    for (;;) {
        uint64_t cpu_ns = request->limits.cpu_ns, used_ns = guest->run.cpu_used_ns;
        cl_alarm_arm(deadline_ns, cpu_ns == 0 ? 0 : used_ns < cpu_ns ? cpu_ns - used_ns : 1);
        cl_step_state state = cl_step_work(thread, guest);
        cl_alarm_disarm();
        if (state == CL_STEP_DONE)
            break;
        uint64_t wake_ns = guest->run.wake_ns;
        wait_until(wake_ns < deadline_ns ? wake_ns : deadline_ns);
        if (cl_clock_ns(CLOCK_MONOTONIC) >= deadline_ns) {
            cl_step_stop(guest, CL_STOP_WALL);
            break;
        }
    }
    cl_buf_init(&answer, 0);
    if (!cl_wire_put_result(&answer, result, (uint32_t)guest->slot.stopped_for, guest->is_trapped))
        _exit(EXIT_SETUP);
    send_all(answer.data, answer.length);
    /* The answer is on its way; what follows costs nobody time. */
    cl_buf_fini(&answer);
    cloche_result_destroy(result);
    guest->is_trapped = false;
    cl_guest_reset(guest);
}

static void serve(cl_thread *thread, cl_guest *guest)
{
    cl_wire_header header;

    while (receive_all(&header, sizeof header)) {
        cl_run_request request;
        char *payload = malloc(header.length);
        if (header.type != CL_WIRE_REQUEST || payload == NULL || !receive_all(payload, header.length) ||
            !cl_wire_get_request(payload, header.length, &request))
            _exit(EXIT_PROTOCOL);
        cl_wire_request fixed;
        memcpy(&fixed, payload, sizeof fixed);
        child_run(thread, guest, &request, fixed.start_ns, fixed.streams);
        free(payload);
    }
}

/* The heap has its whole address range now, and of the kind that no later call has to make. Pages come when they are
 * touched. */
static bool reserve_heap(uint64_t bytes)
{
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_TOP_PAD, 0);
    void *heap = malloc(bytes);
    free(heap);
    return heap != NULL;
}

/* Made once in the zygote and inherited: what is the same in every child and no run has touched. */
static struct {
    cl_guest *guest;
    cl_thread *thread;
    cloche_error err;
} prepared;

void zygote_prepare(uint64_t heap_bytes)
{
    zygote_text_to_memory();
    cl_table_init();
    if (reserve_heap(heap_bytes) && cl_alarm_install(&prepared.err) == CLOCHE_OK &&
        (prepared.thread = cl_thread_get(&prepared.err)) != NULL)
        cl_guest_reserve(&prepared.guest, &prepared.err);
    if (prepared.thread != NULL)
        cl_translate_reserve(prepared.thread);
}

_Noreturn void child_main(int socket, uint64_t heap_bytes)
{
    const cl_wire_header hello = {.length = 0, .type = CL_WIRE_HELLO};
    cloche_error err = {0};

    (void)heap_bytes;
    run_socket = socket;
    if (prepared.guest == NULL || cl_alarm_open(&err) < 0 || cl_guest_fill(prepared.guest, &err) < 0)
        _exit(EXIT_SETUP);
    child_limit_mappings();
    child_seccomp();
    send_all(&hello, sizeof hello);
    serve(prepared.thread, prepared.guest);
    _exit(0);
}
