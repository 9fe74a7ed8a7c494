/* wire.h - what host and child say to each other over a run socket
 *
 *   host  ─► child   REQUEST  limits, form, source, context
 *   child ─► host    HELLO    ready
 *                    OUTPUT   a piece of standard output or error, in order
 *                    RESULT   what the run ended with, and its texts
 *
 * A frame is a header and a payload. Both ends are the same build on the same machine, so numbers are in its own order.
 * What comes from a child is not trusted: lengths are checked against bounds before anything is taken, texts are checked
 * before they are used, what it says of times is held against the host's clocks, and its layers it is not asked for.
 *
 * Pure but for wire_send. Threads: any thread, one at a time per reader
 */
#ifndef CL_PROCESS_WIRE_H
#define CL_PROCESS_WIRE_H

#include "base/buf.h"
#include "isolate/guest.h"

typedef enum cl_wire_type {
    CL_WIRE_REQUEST = 1,
    CL_WIRE_HELLO,
    CL_WIRE_OUTPUT,
    CL_WIRE_RESULT,
} cl_wire_type;

typedef struct cl_wire_header {
    uint32_t length; /* of the payload */
    uint32_t type;
} cl_wire_header;

enum { CL_WIRE_OUTPUT_MOST = 65536 }; /* bytes of one OUTPUT, its stream number included */

/* Fixed part of a REQUEST; code, context and filename follow. */
typedef struct cl_wire_request {
    cl_run_limits limits;
    uint64_t start_ns; /* CLOCK_MONOTONIC, which both share: the deadline is the same on both sides */
    uint64_t seed;
    double now_ms;
    uint64_t code_length, context_length, filename_length;
    uint32_t language, kind;
    uint8_t has_context, check_only, drain, deterministic, streams;
} cl_wire_request;

/* Texts of a RESULT, in this order behind its fixed part. */
#define CL_WIRE_TEXTS(X) X(value) X(error) X(detail.name) X(detail.message) X(detail.stack) X(detail.cause) X(detail.errors) X(detail.hint)
enum { CL_WIRE_TEXT_COUNT = 8 };
#define CL_WIRE_ABSENT UINT64_MAX

typedef struct cl_wire_result {
    uint64_t lengths[CL_WIRE_TEXT_COUNT]; /* CL_WIRE_ABSENT: no such text */
    uint64_t out_dropped, err_dropped;
    uint64_t memory_peak_bytes;
    uint64_t cpu_ns;      /* as the child counts it */
    uint32_t code;
    int32_t exit_code;
    uint32_t line, column;
    uint32_t pending;
    uint32_t stopped_for; /* cl_stop: the child's isolate stopped the run; the host knows its own clock */
    uint8_t ok, started, has_detail, is_trapped;
} cl_wire_result;

/* The frame of a request, header included. false: out of memory. */
bool cl_wire_put_request(cl_buf *out, const cl_run_request *request, uint64_t start_ns);
/* Points into the payload. false: not a request. */
bool cl_wire_get_request(const char *payload, size_t length, cl_run_request *out);

bool cl_wire_put_result(cl_buf *out, const cloche_result *result, uint32_t stopped_for, bool is_trapped);
/* Checked against the request's limits, copied into the result: value is JSON, texts are UTF-8 of bounded length, the
 * code one a child may give. false: not a result, nothing is taken. */
bool cl_wire_get_result(const char *payload, size_t length, const cl_run_limits *limits, cloche_result *out,
                        cl_wire_result *fixed);

/* Most bytes a RESULT may have under these limits. */
size_t cl_wire_result_most(const cl_run_limits *limits);

#endif
