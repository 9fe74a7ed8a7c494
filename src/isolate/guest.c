#include "isolate/guest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "isolate/result.h"
#include "isolate/budget.h"
#include "isolate/image.h"
#include "isolate/sanitizer.h"
#include "isolate/table.h"

static uint32_t image_size(void)
{
    return cl_image_get()->pages * CL_WASM_PAGE;
}

/* Everything a run can change outside linear memory. */
static void assign_state(cl_guest *guest)
{
    const cl_image *image = cl_image_get();
    *guest->instance = (Z_quickjs_instance_t){
        .Z_env_instance = (struct Z_env_instance_t *)guest,
        .Z_wasi_snapshot_preview1_instance = (struct Z_wasi_snapshot_preview1_instance_t *)guest,
        .w2c___stack_pointer = image->stack_pointer,
        .w2c_memory = {.data = guest->memory, .pages = image->pages, .max_pages = 65536, .size = image_size()},
        .w2c___indirect_function_table = cl_table_get(),
    };
    memset(&guest->run, 0, sizeof guest->run);
    guest->is_dirty = false;
}

/* What every run may have changed. */
static void copy_image(cl_guest *guest)
{
    const cl_image *image = cl_image_get();
    uint8_t *memory = guest->memory;
    uint32_t cold = image->cold_end - image->copy_start;
    uint32_t copied = image->used_end - image->copy_start;
    memset(memory + image->window_start, 0, image->copy_start - image->window_start);
    memcpy(memory + image->cold_end, cl_image_bytes() + cold, copied - cold);
    memset(memory + image->used_end, 0, image->tail_start - image->used_end);
    memcpy(memory + image->tail_start, cl_image_bytes() + copied, image_size() - image->tail_start);
}

/* The constants as in the image, read-only. */
static bool freeze(cl_guest *guest)
{
    const cl_image *image = cl_image_get();
    uint32_t cold = image->cold_end - image->copy_start;
    memcpy(guest->memory + image->copy_start, cl_image_bytes(), cold);
    guest->is_thawed = false;
    return cold == 0 || mprotect(guest->memory + image->copy_start, cold, PROT_READ) == 0;
}

bool cl_guest_open_deep(cl_guest *guest, uint64_t address)
{
    uint32_t window_start = cl_image_get()->window_start;

    if (guest->is_deep || address < CL_NULL_BYTES || address >= window_start)
        return false;
    if (mprotect(guest->memory + CL_NULL_BYTES, window_start - CL_NULL_BYTES, PROT_READ | PROT_WRITE) != 0)
        return false;
    guest->is_deep = true;
    return true;
}

/* A write to what is read-only so that it need not be copied back: rare, so it may cost, and reset copies it. */
bool cl_guest_thaw(cl_guest *guest, uint64_t address)
{
    const cl_image *image = cl_image_get();

    if (guest->is_thawed || address < image->copy_start || address >= image->cold_end)
        return false;
    if (mprotect(guest->memory + image->copy_start, image->cold_end - image->copy_start, PROT_READ | PROT_WRITE) != 0)
        return false;
    guest->is_thawed = true;
    return true;
}

bool cl_guest_holds(cl_guest *guest, uint32_t address, uint64_t length)
{
    if ((uint64_t)address + length > guest->instance->w2c_memory.size)
        return false;
    if (address >= cl_image_get()->window_start)
        return true;
    return address >= CL_NULL_BYTES && (guest->is_deep || cl_guest_open_deep(guest, address));
}

bool cl_guest_takes(cl_guest *guest, uint32_t address, uint64_t length)
{
    const cl_image *image = cl_image_get();

    if (!cl_guest_holds(guest, address, length))
        return false;
    bool is_constant = address < image->cold_end && (uint64_t)address + length > image->copy_start;
    return !is_constant || guest->is_thawed || cl_guest_thaw(guest, image->copy_start);
}

cloche_status cl_guest_reserve(cl_guest **out, cloche_error *err)
{
    const cl_image *image = cl_image_get();
    cloche_status rc = CLOCHE_OK;
    cl_guest *guest = NULL;
    uint8_t *reservation = MAP_FAILED;

    *out = NULL;
    if ((guest = calloc(1, sizeof *guest)) == NULL) {
        rc = cl_error_set(err, CLOCHE_E_NOMEM, 0, "guest", "cannot allocate a slot");
        goto out;
    }
    reservation = mmap(NULL, CL_RESERVATION_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reservation == MAP_FAILED) {
        rc = cl_error_set(err, CLOCHE_E_NOMEM, errno, "guest",
                          "cannot reserve 8 GiB of address space for a slot (ulimit -v, or too many slots?)");
        goto out;
    }
    guest->reservation = reservation;
    guest->stack_low = reservation + CL_STACK_GUARD_BYTES;
    guest->memory = reservation + CL_BASE_OFFSET;
    guest->instance = (Z_quickjs_instance_t *)(void *)(guest->memory - CL_MEMORY_DISTANCE -
                                                       offsetof(Z_quickjs_instance_t, w2c_memory));
    guest->mapped_end = image_size();
    if (mprotect(guest->stack_low, CL_STACK_BYTES, PROT_READ | PROT_WRITE) != 0 ||
        mprotect(guest->memory - CL_HOST_BYTES, CL_HOST_BYTES, PROT_READ | PROT_WRITE) != 0 ||
        mprotect(guest->memory + image->window_start, guest->mapped_end - image->window_start,
                 PROT_READ | PROT_WRITE) != 0) {
        rc = cl_error_set(err, CLOCHE_E_NOMEM, errno, "guest",
                          "cannot map a slot (vm.max_map_count, or memory overcommit off?)");
        goto out;
    }
    guest->stack_id = cl_sanitizer_know_stack(guest->stack_low, CL_STACK_BYTES);
    *out = guest;
    guest = NULL;
    reservation = MAP_FAILED;
out:
    if (reservation != MAP_FAILED)
        munmap(reservation, CL_RESERVATION_BYTES);
    free(guest);
    return rc;
}

cloche_status cl_guest_fill(cl_guest *guest, cloche_error *err)
{
#ifdef MADV_POPULATE_WRITE
    const cl_image *image = cl_image_get();
    /* One call instead of a page fault per page at the first run; older kernels fault the pages in. */
    madvise(guest->memory + image->window_start, guest->mapped_end - image->window_start, MADV_POPULATE_WRITE);
    madvise(guest->stack_low + CL_STACK_BYTES - CL_FIRST_STACK_BYTES, CL_FIRST_STACK_BYTES, MADV_POPULATE_WRITE);
#endif
    copy_image(guest);
    if (!freeze(guest))
        return cl_error_set(err, CLOCHE_E_NOMEM, errno, "guest", "cannot protect a slot (vm.max_map_count?)");
    assign_state(guest);
    return CLOCHE_OK;
}

cloche_status cl_guest_open(cl_guest **out, cloche_error *err)
{
    cloche_status rc;

    if ((rc = cl_guest_reserve(out, err)) < 0)
        return rc;
    if ((rc = cl_guest_fill(*out, err)) < 0) {
        cl_guest_close(*out);
        *out = NULL;
    }
    return rc;
}

void cl_guest_close(cl_guest *guest)
{
    if (guest == NULL)
        return;
    cl_sanitizer_forget_stack(guest->stack_id);
    munmap(guest->reservation, CL_RESERVATION_BYTES);
    free(guest);
}

/* Growth: what stays resident is zeroed, the rest goes back to the system; all of it is closed again. */
static void reset_growth(cl_guest *guest)
{
    uint32_t start = image_size();
    uint32_t end = guest->mapped_end;
    uint32_t kept = end - start < CL_KEPT_GROWTH_BYTES ? end : start + CL_KEPT_GROWTH_BYTES;

    memset(guest->memory + start, 0, kept - start);
    if (kept < end)
        CL_ASSERT(madvise(guest->memory + kept, end - kept, MADV_DONTNEED) == 0);
    CL_ASSERT(mprotect(guest->memory + start, end - start, PROT_NONE) == 0);
    guest->mapped_end = start;
    cl_budget_give(end - start);
}

static void reset_deep(cl_guest *guest)
{
    const cl_image *image = cl_image_get();
    uint8_t *closed = guest->memory + CL_NULL_BYTES;
    size_t length = image->window_start - CL_NULL_BYTES;

    CL_ASSERT(madvise(closed, length, MADV_DONTNEED) == 0);
    CL_ASSERT(mprotect(closed, length, PROT_NONE) == 0);
    /* The native stack cannot be read by a guest; it is only given back. */
    CL_ASSERT(madvise(guest->stack_low, CL_STACK_BYTES - CL_KEPT_STACK_BYTES, MADV_DONTNEED) == 0);
    guest->is_deep = false;
}

static void free_run(cl_run *run)
{
    cl_buf_fini(&run->out.kept);
    cl_buf_fini(&run->err.kept);
    cl_buf_fini(&run->scratch);
    cl_buf_fini(&run->json);
    cl_result_set_text(&run->part.name, NULL, 0);
    cl_result_set_text(&run->part.message, NULL, 0);
    cl_result_set_text(&run->part.stack, NULL, 0);
}

void cl_guest_reset(cl_guest *guest)
{
    free_run(&guest->run);
    if (guest->is_dirty) {
        if (guest->mapped_end != image_size())
            reset_growth(guest);
        if (guest->is_deep)
            reset_deep(guest);
        if (guest->is_thawed)
            CL_ASSERT(freeze(guest));
        copy_image(guest);
        cl_sanitizer_clean(guest->stack_low, CL_STACK_BYTES);
    }
    assign_state(guest);
}

_Noreturn void cl_guest_leave(cl_guest *guest, cl_leave why)
{
    cl_guest_jump_out(guest, (int)why);
}
