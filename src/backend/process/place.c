#include "backend/process/place.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "backend/process/outcome.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"
#include "isolate/result.h"
#include "base/wait.h"

enum {
    READ_BYTES = 16384,
    EXIT_WAIT_MS = 2500,  /* for the zygote's word after end of file: longer than its own end takes to be noticed */
    DEATH_WAIT_MS = 20,
    REST_WAIT_MS = 20,    /* for the rest of what a killed child had said */
    CLOCK_SLACK_NS = 2000000,
    TICK_NS = 12000000,   /* how far another process's CPU clock may lag: a tick of the slowest kernel, and some */
    MOST_RETRIES = 3,
};

/* ---- conclusions ---- */

static void conclude(cl_process_place *place, const cl_outcome *outcome)
{
    cloche_result *result = place->run.result;

    result->ok = false;
    result->code = outcome->code;
    result->exit_code = cloche_code_exit(outcome->code);
    result->has_detail = false;
    cl_result_set_text(&result->value, NULL, 0);
    cl_result_set_text(&result->error, outcome->text, strlen(outcome->text));
    place->run.is_over = true;
    place->is_spent = true;
}

static double after_ms(const cl_process_place *place)
{
    return (double)(cl_clock_ns(CLOCK_MONOTONIC) - place->run.start_ns) / 1e6;
}

static void conclude_stop(cl_process_place *place, cl_stop why)
{
    cl_outcome outcome = cl_outcome_of_stop(why, &place->run.request->limits, after_ms(place));
    conclude(place, &outcome);
}

static void conclude_broken(cl_process_place *place, const char *what)
{
    cl_outcome outcome = {.code = CLOCHE_CODE_EXECUTION_ERROR};

    snprintf(outcome.text, sizeof outcome.text, "stopped: the jailed child broke the protocol (%s)", what);
    conclude(place, &outcome);
    cl_place_drop_child(place);
}

/* A child that was killed by others before it has said a word of the run may be replaced by another: all that a guest
 * can do goes through the socket, so nothing has happened that anybody could have seen. */
static bool try_another(cl_process_place *place)
{
    struct cl_place_run *run = &place->run;
    cloche_error err;

    if (run->retries >= MOST_RETRIES || run->heard[0] + run->heard[1] > 0 || atomic_load(&run->stop) != CL_STOP_NONE)
        return false;
    run->retries++;
    cl_place_drop_child(place);
    if (cl_place_spawn(place, &err) < 0)
        return false;
    run->sent = 0;
    run->cpu_before_ns = 0;
    cl_buf_reset(&run->incoming);
    return true;
}

/* The socket is at its end without a result. */
static void conclude_exit(cl_process_place *place)
{
    cl_process *process = place->process;
    uint64_t until_ns = cl_clock_ns(CLOCK_MONOTONIC) + EXIT_WAIT_MS * CL_NS_PER_MS;
    cl_child_exit how;

    pthread_mutex_lock(&process->lock);
    while (!place->child.has_exited && cl_clock_ns(CLOCK_MONOTONIC) < until_ns)
        cl_wait_until(&process->exits, &process->lock, until_ns);
    /* Killed by nobody here: perhaps it died with its zygote, of which the word comes a moment later. */
    until_ns = cl_clock_ns(CLOCK_MONOTONIC) + DEATH_WAIT_MS * CL_NS_PER_MS;
    while (place->child.has_exited && place->child.how.status == SIGKILL && !place->child.how.is_oom &&
           !process->is_dead && cl_clock_ns(CLOCK_MONOTONIC) < until_ns)
        cl_wait_until(&process->exits, &process->lock, until_ns);
    bool is_orphan = place->child.is_orphan || (process->is_dead && place->child.how.status == SIGKILL);
    bool is_known = place->child.has_exited && !is_orphan;
    bool is_alive = !place->child.has_exited;
    how = place->child.how;
    pthread_mutex_unlock(&process->lock);
    if (is_alive) {
        conclude_broken(place, "it closed its socket and went on");
        return;
    }
    /* SIGKILL is nothing that a guest brings about, unless by its memory. */
    if ((!is_known || (how.status == SIGKILL && !how.is_oom)) && try_another(place))
        return;
    place->run.result->started = place->run.sent > 0;
    if (is_known && how.cpu_ns > place->run.cpu_before_ns)
        place->run.result->usage.cpu_ms = (double)(how.cpu_ns - place->run.cpu_before_ns) / 1e6;
    cl_outcome outcome = cl_outcome_of_exit(is_known ? &how : NULL, place->child.has_said_hello != 0,
                                            process->config.memory_bytes >= process->config.group_bytes);
    conclude(place, &outcome);
}

/* ---- frames ---- */

uint64_t cl_place_cpu_ns(const cl_process_place *place)
{
    struct timespec t;
    /* clock_getcpuclockid(3) for another process: any may ask. */
    clockid_t clock;
    if (place->child.pid == 0 || clock_getcpuclockid(place->child.pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return 0;
    return (uint64_t)t.tv_sec * CL_NS_PER_S + (uint64_t)t.tv_nsec;
}

static bool take_output(cl_process_place *place, const char *data, size_t length)
{
    struct cl_place_run *run = &place->run;
    const cl_run_request *request = run->request;

    if (length < 1 || (data[0] != 1 && data[0] != 2))
        return false;
    int i = data[0] == 2;
    size_t most = i ? request->limits.max_stderr_bytes : request->limits.max_stdout_bytes;
    const char *text = data + 1;
    if (--length == 0)
        return false; /* nothing said, and so nothing that a bound could count */
    /* Over the limit a child sends one piece more, unless somebody listens. */
    if (cl_utf8_check(text, length, false) != length || (request->on_output == NULL && run->heard[i] > most))
        return false;
    run->heard[i] += length;
    cl_stream_keep(i ? &run->err : &run->out, most, text, length);
    if (request->on_output != NULL)
        request->on_output(request->on_output_user, i ? 2 : 1, text, length);
    return true;
}

/* What it says about a stop must agree with the host's own clocks. */
static bool agrees(const cl_process_place *place, const cl_wire_result *fixed)
{
    const struct cl_place_run *run = &place->run;
    const cl_run_limits *limits = &run->request->limits;

    if (fixed->code != CLOCHE_CODE_TIMEOUT)
        return true;
    if (fixed->stopped_for == CL_STOP_CPU)
        return limits->cpu_ns != 0 && cl_place_cpu_ns(place) - run->cpu_before_ns + TICK_NS >= limits->cpu_ns;
    return cl_clock_ns(CLOCK_MONOTONIC) + CLOCK_SLACK_NS >= run->start_ns + limits->wall_ns;
}

static const char *take_result(cl_process_place *place, const char *data, size_t length)
{
    struct cl_place_run *run = &place->run;
    cl_wire_result fixed;

    if (!cl_wire_get_result(data, length, &run->request->limits, run->result, &fixed))
        return "a result that is none";
    if (!agrees(place, &fixed))
        return "a timeout before its time";
    /* The kernel's count, which lags by up to a tick; within that the child's own is the finer one. */
    uint64_t counted_ns = cl_place_cpu_ns(place) - run->cpu_before_ns;
    uint64_t cpu_ns = fixed.cpu_ns < counted_ns ? counted_ns : fixed.cpu_ns;
    if (cpu_ns > counted_ns + TICK_NS)
        cpu_ns = counted_ns + TICK_NS;
    run->result->usage.cpu_ms = (double)cpu_ns / 1e6;
    if (fixed.code == CLOCHE_CODE_TIMEOUT)
        conclude_stop(place, (cl_stop)fixed.stopped_for);
    run->is_over = true;
    if (fixed.is_trapped || fixed.code == CLOCHE_CODE_TIMEOUT || fixed.code == CLOCHE_CODE_MEMORY_EXCEEDED)
        place->is_spent = true;
    if (fixed.is_trapped)
        atomic_fetch_add(&place->process->traps, 1);
    return NULL;
}

static const char *take_frame(cl_process_place *place, const cl_wire_header *header, const char *payload)
{
    switch ((cl_wire_type)header->type) {
    case CL_WIRE_HELLO:
        /* What it has used until now was its own start, not the run. */
        place->run.cpu_before_ns = cl_place_cpu_ns(place);
        return header->length == 0 && !place->child.has_said_hello++ ? NULL : "a second hello";
    case CL_WIRE_OUTPUT:
        return take_output(place, payload, header->length) ? NULL : "output that is none";
    case CL_WIRE_RESULT:
        return take_result(place, payload, header->length);
    case CL_WIRE_REQUEST:
        break;
    }
    return "a frame of no known kind";
}

/* Whole frames at the front of what has come in. */
static void take_frames(cl_process_place *place)
{
    struct cl_place_run *run = &place->run;
    cl_buf *in = &run->incoming;
    size_t at = 0;

    while (!run->is_over && in->length - at >= sizeof(cl_wire_header)) {
        cl_wire_header header;
        memcpy(&header, in->data + at, sizeof header);
        size_t most = header.type == CL_WIRE_RESULT ? cl_wire_result_most(&run->request->limits) : CL_WIRE_OUTPUT_MOST;
        const char *wrong = header.length > most ? "a frame that is too long" : NULL;
        if (wrong == NULL && in->length - at - sizeof header < header.length)
            break;
        if (wrong == NULL)
            wrong = take_frame(place, &header, in->data + at + sizeof header);
        if (wrong != NULL) {
            conclude_broken(place, wrong);
            return;
        }
        at += sizeof header + header.length;
    }
    memmove(in->data, in->data + at, in->length - at);
    in->length -= at;
    if (run->is_over && in->length > 0)
        place->is_spent = true; /* it goes on talking: not fit for another run */
}

/* ---- the socket ---- */

/* The sender's process number comes from the kernel, translated to this process's view. */
static ssize_t receive(cl_process_place *place, void *data, size_t size)
{
    union {
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
        struct cmsghdr align;
    } control;
    struct iovec vector = {.iov_base = data, .iov_len = size};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};

    if (place->child.pid == 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
    }
    /* Descriptors that a child might send find no room and are dropped by the kernel. */
    ssize_t got = recvmsg(place->child.socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got > 0 && place->child.pid == 0) {
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        if (head != NULL && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_CREDENTIALS) {
            struct ucred from;
            memcpy(&from, CMSG_DATA(head), sizeof from);
            place->child.pid = from.pid;
        }
    }
    return got;
}

/* The kernel tells whether the child has read the request: bytes that it left unread make the end a reset. Where it has
 * not, its guest has not begun, however it died. */
static void conclude_end(cl_process_place *place, bool is_reset)
{
    int wish = atomic_load(&place->run.stop);

    if (wish != CL_STOP_NONE) {
        place->run.result->started = place->run.sent > 0;
        place->run.result->usage.cpu_ms = (double)(cl_place_cpu_ns(place) - place->run.cpu_before_ns) / 1e6;
        conclude_stop(place, (cl_stop)wish);
    } else if ((!is_reset && place->run.sent > 0) || !try_another(place)) {
        conclude_exit(place);
    }
}

/* true: something came; false: nothing there, or the end was concluded. */
static bool take_some(cl_process_place *place)
{
    char piece[READ_BYTES];
    ssize_t got = receive(place, piece, sizeof piece);

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (got <= 0) {
        conclude_end(place, got < 0 && errno == ECONNRESET);
        return false;
    }
    if (!cl_buf_append(&place->run.incoming, piece, (size_t)got)) {
        conclude_broken(place, "more than the host has memory for");
        return false;
    }
    take_frames(place);
    return true;
}

/* Part of the request that goes now. */
static void send_some(cl_process_place *place)
{
    struct cl_place_run *run = &place->run;

    while (run->sent < run->outgoing.length) {
        ssize_t sent = send(place->child.socket, run->outgoing.data + run->sent, run->outgoing.length - run->sent,
                            MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return; /* full: later. Gone: reading finds the end */
        run->sent += (size_t)sent;
    }
}

static void wait_for_socket(cl_process_place *place)
{
    struct cl_place_run *run = &place->run;
    uint64_t now_ns = cl_clock_ns(CLOCK_MONOTONIC);
    uint64_t until_ns = run->deadline_ns;
    short out = run->sent < run->outgoing.length ? POLLOUT : 0;
    struct pollfd fd = {.fd = place->child.socket, .events = (short)(POLLIN | out)};

    if (now_ns >= until_ns)
        return;
    struct timespec pause = {.tv_sec = (time_t)((until_ns - now_ns) / CL_NS_PER_S),
                             .tv_nsec = (long)((until_ns - now_ns) % CL_NS_PER_S)};
    ppoll(&fd, 1, &pause, NULL);
}

/* A child that has served a run and was not asked anything since has nothing to say. */
static bool has_said_more(const cl_process_place *place)
{
    char byte;
    return recv(place->child.socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

bool cl_place_work(cl_process_place *place, bool wait)
{
    struct cl_place_run *run = &place->run;

    if (run->sent == 0 && run->retries == 0 && !run->is_over) {
        if (place->child.has_said_hello == 0)
            take_some(place); /* its hello, if it is there */
        else if (has_said_more(place))
            try_another(place);
    }
    while (!run->is_over) {
        send_some(place);
        bool has_come = take_some(place);
        if (run->is_over)
            break;
        /* Looked at after each piece: a child that never stops talking is late all the same. */
        int wish = atomic_load(&run->stop);
        if (wish != CL_STOP_NONE || cl_clock_ns(CLOCK_MONOTONIC) >= run->deadline_ns) {
            cl_place_end(place, wish != CL_STOP_NONE ? (cl_stop)wish : CL_STOP_WALL);
            break;
        }
        if (has_come)
            continue;
        /* A request that does not fit the socket at once is sent to its end here: the child reads it now. */
        if (!wait && run->sent == run->outgoing.length)
            return false;
        wait_for_socket(place);
    }
    return true;
}

void cl_place_end(cl_process_place *place, cl_stop why)
{
    uint64_t until_ns = cl_clock_ns(CLOCK_MONOTONIC) + REST_WAIT_MS * CL_NS_PER_MS;
    struct pollfd fd = {.fd = place->child.socket, .events = POLLIN};

    atomic_store(&place->run.stop, (int)why);
    place->run.result->started = place->run.sent > 0; /* it may have begun: nobody can say otherwise */
    place->run.result->usage.cpu_ms = (double)(cl_place_cpu_ns(place) - place->run.cpu_before_ns) / 1e6;
    cl_place_kill(place);
    while (!place->run.is_over && cl_clock_ns(CLOCK_MONOTONIC) < until_ns)
        if (!take_some(place) && !place->run.is_over)
            poll(&fd, 1, 1);
    /* A result that came after all is too late. */
    conclude_stop(place, why);
}
