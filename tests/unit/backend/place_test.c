/* What a child may say, and what it gets when it says anything else. The test plays the child: it holds the other end of
 * the run socket and there is no zygote, so every byte that comes to the host is the test's. */
#include "backend/process/place.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../runner.h"
#include "base/clock.h"
#include "base/wait.h"
#include "isolate/result.h"

typedef struct stage {
    cl_process process;
    cl_process_place place;
    cl_run_request request;
    cloche_result *result;
    int child;
} stage;

static stage *open_stage(uint64_t wall_ms)
{
    stage *s = calloc(1, sizeof *s);
    int pair[2], on = 1;

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    ck_assert_int_eq(setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on), 0);
    s->child = pair[1];
    pthread_mutex_init(&s->process.lock, NULL);
    pthread_mutex_init(&s->process.zygote_lock, NULL);
    cl_wait_init(&s->process.exits);
    s->place.process = &s->process;
    s->place.child.socket = pair[0];
    /* Should the host ask how it ended: with status 3. */
    s->place.child.has_exited = true;
    s->place.child.how.status = 3 << 8;
    s->request = (cl_run_request){.code = "", .filename = "main.js"};
    s->request.limits = (cl_run_limits){.wall_ns = wall_ms * CL_NS_PER_MS, .max_stdout_bytes = 100,
                                        .max_stderr_bytes = 100, .max_result_bytes = 1000};
    s->result = cl_result_new();
    s->place.run.has_begun = true;
    s->place.run.request = &s->request;
    s->place.run.result = s->result;
    s->place.run.start_ns = cl_clock_ns(CLOCK_MONOTONIC);
    s->place.run.deadline_ns = s->place.run.start_ns + (wall_ms + 10) * CL_NS_PER_MS;
    ck_assert(cl_wire_put_request(&s->place.run.outgoing, &s->request, s->place.run.start_ns));
    return s;
}

/* Takes the request off the socket, so that the end is not a reset. */
static void swallow(stage *s)
{
    char bytes[4096];
    ck_assert_int_gt(recv(s->child, bytes, sizeof bytes, 0), 0);
}

static void say(stage *s, const void *data, size_t length)
{
    ck_assert_int_eq((int)write(s->child, data, length), (int)length);
}

static void say_frame(stage *s, uint32_t type, const void *payload, uint32_t length)
{
    cl_wire_header header = {.length = length, .type = type};
    say(s, &header, sizeof header);
    if (length > 0)
        say(s, payload, length);
}

static void start(stage *s)
{
    ck_assert(!cl_place_work(&s->place, false));
    swallow(s);
}

static void say_result(stage *s, const char *value, cloche_code code, cl_stop stopped_for)
{
    cloche_result *result = cl_result_new();
    cl_buf frame;

    cl_buf_init(&frame, 0);
    result->ok = code == CLOCHE_CODE_NONE;
    result->code = code;
    result->exit_code = cloche_code_exit(code);
    if (code != CLOCHE_CODE_NONE)
        ck_assert(cl_result_set_text(&result->error, "error", 5));
    if (value != NULL)
        ck_assert(cl_result_set_text(&result->value, value, strlen(value)));
    ck_assert(cl_wire_put_result(&frame, result, (uint32_t)stopped_for, false));
    say(s, frame.data, frame.length);
    cl_buf_fini(&frame);
    cloche_result_destroy(result);
}

static void expect(stage *s, cloche_code code, const char *text)
{
    ck_assert(cl_place_work(&s->place, true));
    ck_assert_msg(s->result->code == code, "%s: %s", cloche_code_name(s->result->code),
                  s->result->error.data != NULL ? s->result->error.data : "-");
    if (text != NULL)
        ck_assert_msg(strstr(s->result->error.data, text) != NULL, "'%s' lacks '%s'", s->result->error.data, text);
    ck_assert_int_eq(s->result->ok, code == CLOCHE_CODE_NONE);
}

static void expect_broken(stage *s, const char *what)
{
    expect(s, CLOCHE_CODE_EXECUTION_ERROR, what);
    ck_assert(s->place.is_spent);
    ck_assert_int_eq(s->place.child.socket, -1);
}

START_TEST(a_result_is_taken)
{
    stage *s = open_stage(5000);

    start(s);
    say_frame(s, CL_WIRE_HELLO, NULL, 0);
    say_frame(s, CL_WIRE_OUTPUT, "\1hello\n", 7);
    say_result(s, "{\"a\":1}", CLOCHE_CODE_NONE, CL_STOP_NONE);
    expect(s, CLOCHE_CODE_NONE, NULL);
    ck_assert_str_eq(s->result->value.data, "{\"a\":1}");
    ck_assert_uint_eq(s->place.run.out.kept.length, 6);
    ck_assert(!s->place.is_spent);
    ck_assert_int_eq(s->place.child.pid, getpid()); /* as the kernel tells */
}
END_TEST

START_TEST(a_result_in_single_bytes_is_taken)
{
    stage *s = open_stage(5000);
    cloche_result *result = cl_result_new();
    cl_buf frame;

    start(s);
    cl_buf_init(&frame, 0);
    result->ok = true;
    result->code = CLOCHE_CODE_NONE;
    result->exit_code = 0;
    cl_result_set_text(&result->value, "7", 1);
    ck_assert(cl_wire_put_result(&frame, result, 0, false));
    for (size_t i = 0; i < frame.length; i++) {
        ck_assert(i + 1 == frame.length || !s->place.run.is_over);
        say(s, frame.data + i, 1);
        ck_assert_int_eq(cl_place_work(&s->place, false), i + 1 == frame.length);
    }
    ck_assert_str_eq(s->result->value.data, "7");
}
END_TEST

START_TEST(garbage_breaks_the_protocol)
{
    stage *s = open_stage(5000);

    start(s);
    say(s, "GET / HTTP/1.1\r\n\r\n", 18);
    expect_broken(s, "too long");
}
END_TEST

START_TEST(half_a_frame_is_waited_for_until_the_deadline)
{
    stage *s = open_stage(30);
    const cl_wire_header header = {.length = sizeof(cl_wire_result), .type = CL_WIRE_RESULT};

    start(s);
    say(s, &header, sizeof header);
    say(s, "half", 4);
    expect(s, CLOCHE_CODE_TIMEOUT, "timeoutMs 30");
    ck_assert(s->place.is_spent);
}
END_TEST

START_TEST(silence_is_a_timeout)
{
    stage *s = open_stage(30);

    start(s);
    expect(s, CLOCHE_CODE_TIMEOUT, "timeoutMs 30");
    ck_assert(cl_clock_ns(CLOCK_MONOTONIC) - s->place.run.start_ns < 500 * CL_NS_PER_MS);
}
END_TEST

START_TEST(an_end_without_a_result_is_told_as_such)
{
    stage *s = open_stage(5000);

    start(s);
    say_frame(s, CL_WIRE_HELLO, NULL, 0);
    say_frame(s, CL_WIRE_OUTPUT, "\1kept", 5);
    close(s->child);
    expect(s, CLOCHE_CODE_EXECUTION_ERROR, "exit status 3");
    ck_assert_str_eq(s->place.run.out.kept.data, "kept");
}
END_TEST

START_TEST(the_second_of_two_results_ends_the_child)
{
    stage *s = open_stage(5000);

    start(s);
    say_result(s, "1", CLOCHE_CODE_NONE, CL_STOP_NONE);
    say_result(s, "2", CLOCHE_CODE_NONE, CL_STOP_NONE);
    expect(s, CLOCHE_CODE_NONE, NULL);
    ck_assert_str_eq(s->result->value.data, "1");
    ck_assert(s->place.is_spent);
}
END_TEST

START_TEST(a_second_hello_breaks_the_protocol)
{
    stage *s = open_stage(5000);

    start(s);
    say_frame(s, CL_WIRE_HELLO, NULL, 0);
    say_frame(s, CL_WIRE_HELLO, NULL, 0);
    expect_broken(s, "hello");
}
END_TEST

START_TEST(a_request_from_a_child_breaks_the_protocol)
{
    stage *s = open_stage(5000);

    start(s);
    say_frame(s, CL_WIRE_REQUEST, "x", 1);
    expect_broken(s, "no known kind");
}
END_TEST

START_TEST(a_value_that_is_no_json_breaks_the_protocol)
{
    static const char *const values[] = {"{", "1 2", "", "nul", "\"\xff\"", "{\"a\":}"};

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        stage *s = open_stage(5000);
        start(s);
        say_result(s, values[i], CLOCHE_CODE_NONE, CL_STOP_NONE);
        expect_broken(s, "a result that is none");
    }
}
END_TEST

START_TEST(a_value_over_the_limit_breaks_the_protocol)
{
    stage *s = open_stage(5000);
    char value[1200];

    memset(value, '1', sizeof value);
    value[1100] = '\0';
    start(s);
    say_result(s, value, CLOCHE_CODE_NONE, CL_STOP_NONE);
    expect_broken(s, "a result that is none");
}
END_TEST

START_TEST(every_truncation_of_a_result_is_none)
{
    stage *s = open_stage(5000);
    cloche_result *result = cl_result_new();
    cl_buf frame;
    cl_wire_result fixed;

    cl_buf_init(&frame, 0);
    result->ok = true;
    result->code = CLOCHE_CODE_NONE;
    result->exit_code = 0;
    cl_result_set_text(&result->value, "[1,2]", 5);
    ck_assert(cl_wire_put_result(&frame, result, 0, false));
    const char *payload = frame.data + sizeof(cl_wire_header);
    size_t length = frame.length - sizeof(cl_wire_header);
    for (size_t cut = 0; cut < length; cut++)
        ck_assert(!cl_wire_get_result(payload, cut, &s->request.limits, s->result, &fixed));
    ck_assert(cl_wire_get_result(payload, length, &s->request.limits, s->result, &fixed));
}
END_TEST

START_TEST(lengths_that_lie_are_refused)
{
    stage *s = open_stage(5000);
    cl_wire_result fixed, out;
    char payload[sizeof fixed + 8] = {0};

    for (int i = 0; i < CL_WIRE_TEXT_COUNT; i++) {
        static const uint64_t lies[] = {9, 1u << 20, UINT32_MAX, UINT64_MAX - 1, UINT64_MAX / 2};
        for (size_t k = 0; k < sizeof lies / sizeof lies[0]; k++) {
            memset(&fixed, 0, sizeof fixed);
            fixed.ok = 1;
            for (int t = 0; t < CL_WIRE_TEXT_COUNT; t++)
                fixed.lengths[t] = CL_WIRE_ABSENT;
            fixed.lengths[i] = lies[k];
            memcpy(payload, &fixed, sizeof fixed);
            ck_assert(!cl_wire_get_result(payload, sizeof payload, &s->request.limits, s->result, &out));
        }
    }
}
END_TEST

START_TEST(a_child_cannot_claim_what_only_the_host_knows)
{
    static const cloche_code codes[] = {CLOCHE_CODE_DISPOSED, CLOCHE_CODE_ABORTED, CLOCHE_CODE_BUSY,
                                        CLOCHE_CODE_INVALID_OPTIONS};

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        stage *s = open_stage(5000);
        start(s);
        say_result(s, NULL, codes[i], CL_STOP_NONE);
        expect_broken(s, "a result that is none");
    }
}
END_TEST

START_TEST(a_timeout_before_its_time_breaks_the_protocol)
{
    stage *s = open_stage(5000);

    start(s);
    say_result(s, NULL, CLOCHE_CODE_TIMEOUT, CL_STOP_WALL);
    expect_broken(s, "before its time");
    s = open_stage(5000);
    start(s);
    say_result(s, NULL, CLOCHE_CODE_TIMEOUT, CL_STOP_CPU); /* no CPU limit was given */
    expect_broken(s, "before its time");
}
END_TEST

START_TEST(a_flood_is_bounded)
{
    stage *s = open_stage(5000);
    char piece[200];

    memset(piece, 'x', sizeof piece);
    piece[0] = 1;
    start(s);
    say_frame(s, CL_WIRE_OUTPUT, piece, sizeof piece); /* the piece that does not fit is the last */
    say_frame(s, CL_WIRE_OUTPUT, piece, sizeof piece);
    expect_broken(s, "output");
    ck_assert_uint_eq(s->place.run.out.kept.length, 100);
}
END_TEST

static void listen_to_nothing(void *user, int fd, const char *data, size_t length)
{
    (void)user, (void)fd, (void)data, (void)length;
}

static void *talk_without_end(void *user)
{
    stage *s = user;
    char piece[sizeof(cl_wire_header) + 1001];
    const cl_wire_header header = {.length = 1001, .type = CL_WIRE_OUTPUT};

    memset(piece, 'x', sizeof piece);
    memcpy(piece, &header, sizeof header);
    piece[sizeof header] = 1;
    while (send(s->child, piece, sizeof piece, MSG_NOSIGNAL) == sizeof piece)
        continue;
    return NULL;
}

START_TEST(a_child_that_never_stops_talking_is_late_all_the_same)
{
    stage *s = open_stage(50);
    pthread_t thread;

    s->request.on_output = listen_to_nothing;
    start(s);
    ck_assert_int_eq(pthread_create(&thread, NULL, talk_without_end, s), 0);
    expect(s, CLOCHE_CODE_TIMEOUT, "timeoutMs 50");
    /* 10 ms of grace and 20 ms for what is still in the socket, then it is over. */
    ck_assert(cl_clock_ns(CLOCK_MONOTONIC) - s->place.run.start_ns < 300 * CL_NS_PER_MS);
    close(s->place.child.socket);
    pthread_join(thread, NULL);
}
END_TEST

START_TEST(a_child_that_dies_before_it_is_ready_is_the_hosts_failure)
{
    stage *s = open_stage(5000);

    start(s);
    close(s->child);
    expect(s, CLOCHE_CODE_INTERNAL, "could not be set up");
}
END_TEST

START_TEST(output_that_is_no_text_or_of_no_stream_breaks_the_protocol)
{
    static const char *const payloads[] = {"\1\xff\xfe", "\3text", "\1\xED\xA0\x80", "\1"};

    for (size_t i = 0; i < sizeof payloads / sizeof payloads[0]; i++) {
        stage *s = open_stage(5000);
        start(s);
        say_frame(s, CL_WIRE_OUTPUT, payloads[i], (uint32_t)strlen(payloads[i]));
        expect_broken(s, "output");
    }
}
END_TEST

static int open_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

START_TEST(descriptors_from_a_child_are_not_taken)
{
    stage *s = open_stage(5000);
    union {
        char bytes[CMSG_SPACE(4 * sizeof(int))];
        struct cmsghdr align;
    } control = {0};
    int fds[4] = {s->child, s->child, s->child, s->child};
    cl_wire_header hello = {.length = 0, .type = CL_WIRE_HELLO};
    struct iovec vector = {.iov_base = &hello, .iov_len = sizeof hello};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control,
                             .msg_controllen = sizeof control};

    start(s);
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof fds);
    memcpy(CMSG_DATA(head), fds, sizeof fds);
    ck_assert_int_eq((int)sendmsg(s->child, &message, 0), (int)sizeof hello);
    int before = open_descriptors();
    say_result(s, "1", CLOCHE_CODE_NONE, CL_STOP_NONE);
    expect(s, CLOCHE_CODE_NONE, NULL);
    ck_assert_int_eq(open_descriptors(), before);
}
END_TEST

TEST_MAIN("backend/place", a_result_is_taken, a_result_in_single_bytes_is_taken, garbage_breaks_the_protocol,
          half_a_frame_is_waited_for_until_the_deadline, silence_is_a_timeout, an_end_without_a_result_is_told_as_such,
          the_second_of_two_results_ends_the_child, a_second_hello_breaks_the_protocol,
          a_request_from_a_child_breaks_the_protocol, a_value_that_is_no_json_breaks_the_protocol,
          a_value_over_the_limit_breaks_the_protocol, every_truncation_of_a_result_is_none, lengths_that_lie_are_refused,
          a_child_cannot_claim_what_only_the_host_knows, a_timeout_before_its_time_breaks_the_protocol,
          a_flood_is_bounded, output_that_is_no_text_or_of_no_stream_breaks_the_protocol,
          descriptors_from_a_child_are_not_taken, a_child_that_never_stops_talking_is_late_all_the_same,
          a_child_that_dies_before_it_is_ready_is_the_hosts_failure)
