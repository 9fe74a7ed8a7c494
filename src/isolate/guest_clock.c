#include "isolate/guest_clock.h"

#include <errno.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/error.h"

static uint64_t step(uint64_t ns)
{
    return ns - ns % CL_GUEST_CLOCK_STEP_NS;
}

uint64_t cl_guest_wall_ns(const cl_guest *guest)
{
    const cl_run_request *request = guest->run.request;
    if (request->deterministic) {
        double ns = request->now_ms * (double)CL_NS_PER_MS;
        return (ns > 0 ? (uint64_t)ns : 0) + guest->run.virtual_ns;
    }
    return step(cl_clock_ns(CLOCK_REALTIME));
}

uint64_t cl_guest_since_start_ns(const cl_guest *guest)
{
    if (guest->run.request->deterministic)
        return guest->run.virtual_ns;
    return step(cl_clock_ns(CLOCK_MONOTONIC) - guest->run.start_ns);
}

/* splitmix64, for a stream that depends on the seed alone. */
static uint64_t next_of(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void random_of_system(uint8_t *bytes, size_t length)
{
    while (length > 0) {
        ssize_t got = getrandom(bytes, length, 0);
        if (got < 0) {
            CL_ASSERT(errno == EINTR);
            continue;
        }
        bytes += got;
        length -= (size_t)got;
    }
}

/* A run needs 8 bytes at its start: a pool per thread saves a system call each time. Bytes handed out are wiped. */
static __thread struct {
    uint8_t bytes[1024];
    size_t left;
} pool __attribute__((tls_model("initial-exec")));

void cl_guest_random(cl_guest *guest, uint8_t *bytes, size_t length)
{
    if (guest->run.request->deterministic) {
        while (length > 0) {
            uint64_t word = next_of(&guest->run.random_state);
            size_t part = length < sizeof word ? length : sizeof word;
            memcpy(bytes, &word, part);
            bytes += part;
            length -= part;
        }
        return;
    }
    if (length > sizeof pool.bytes / 4) {
        random_of_system(bytes, length);
        return;
    }
    if (pool.left < length) {
        random_of_system(pool.bytes, sizeof pool.bytes);
        pool.left = sizeof pool.bytes;
    }
    pool.left -= length;
    memcpy(bytes, pool.bytes + pool.left, length);
    memset(pool.bytes + pool.left, 0, length);
}
