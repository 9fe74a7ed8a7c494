/* imports.c - the twelve functions the engine module imports
 *
 * Only clock and random do anything. Modules, rejections and host functions go through natives of ours, and
 * descriptors do not exist in here.
 */
#include <string.h>

#include "isolate/guest.h"
#include "isolate/guest_clock.h"

enum { WASI_OK = 0, WASI_BADF = 8, WASI_INVAL = 28 };

static cl_guest *guest_of(const void *instance)
{
    return (cl_guest *)(uintptr_t)instance;
}

u32 Z_wasi_snapshot_preview1Z_clock_time_get(struct Z_wasi_snapshot_preview1_instance_t *instance, u32 clock,
                                             u64 precision, u32 at)
{
    cl_guest *guest = guest_of(instance);
    u64 ns = clock == 0 ? cl_guest_wall_ns(guest) : cl_guest_since_start_ns(guest);

    (void)precision;
    if (!cl_guest_takes(guest, at, sizeof ns))
        return WASI_INVAL;
    memcpy(cl_guest_at(guest, at), &ns, sizeof ns);
    return WASI_OK;
}

u32 Z_wasi_snapshot_preview1Z_random_get(struct Z_wasi_snapshot_preview1_instance_t *instance, u32 at, u32 length)
{
    cl_guest *guest = guest_of(instance);

    if (length > 65536 || !cl_guest_takes(guest, at, length))
        return WASI_INVAL;
    cl_guest_random(guest, cl_guest_at(guest, at), length);
    return WASI_OK;
}

u32 Z_wasi_snapshot_preview1Z_fd_close(struct Z_wasi_snapshot_preview1_instance_t *instance, u32 fd)
{
    (void)instance, (void)fd;
    return WASI_BADF;
}

u32 Z_wasi_snapshot_preview1Z_fd_fdstat_get(struct Z_wasi_snapshot_preview1_instance_t *instance, u32 fd, u32 at)
{
    (void)instance, (void)fd, (void)at;
    return WASI_BADF;
}

u32 Z_wasi_snapshot_preview1Z_fd_seek(struct Z_wasi_snapshot_preview1_instance_t *instance, u32 fd, u64 offset,
                                      u32 whence, u32 at)
{
    (void)instance, (void)fd, (void)offset, (void)whence, (void)at;
    return WASI_BADF;
}

/* The engine's own messages (assertions, memory dumps) have no reader. */
u32 Z_wasi_snapshot_preview1Z_fd_write(struct Z_wasi_snapshot_preview1_instance_t *instance, u32 fd, u32 vectors,
                                       u32 count, u32 at)
{
    (void)instance, (void)fd, (void)vectors, (void)count, (void)at;
    return WASI_BADF;
}

u32 Z_envZ_host_get_timezone_offset(struct Z_env_instance_t *instance, u32 time, u32 high)
{
    (void)instance, (void)time, (void)high;
    return 0; /* UTC */
}

u32 Z_envZ_host_interrupt(struct Z_env_instance_t *instance)
{
    (void)instance;
    return 0;
}

/* The convenience layer of the module (qjs_*) is not used, so these are not reached. */
u32 Z_envZ_host_call(struct Z_env_instance_t *instance, u32 a, u32 b, u32 c, u32 d, u32 e)
{
    (void)instance, (void)a, (void)b, (void)c, (void)d, (void)e;
    return 0;
}

u32 Z_envZ_host_module_load(struct Z_env_instance_t *instance, u32 name, u32 length)
{
    (void)instance, (void)name, (void)length;
    return 0;
}

u32 Z_envZ_host_module_normalize(struct Z_env_instance_t *instance, u32 base, u32 name)
{
    (void)instance, (void)base, (void)name;
    return 0;
}

void Z_envZ_host_promise_rejection(struct Z_env_instance_t *instance, u32 promise, u32 reason, u32 is_handled)
{
    (void)instance, (void)promise, (void)reason, (void)is_handled;
}
