#include "isolate/slot.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "isolate/budget.h"

/* What every run may have changed. */
static void copy_image(cl_slot *slot)
{
    const cl_shape *shape = slot->shape;
    uint8_t *memory = slot->memory;
    uint32_t cold = shape->cold_end - shape->copy_start;
    uint32_t copied = shape->used_end - shape->copy_start;

    memset(memory + shape->window_start, 0, shape->copy_start - shape->window_start);
    memcpy(memory + shape->cold_end, slot->bytes + cold, copied - cold);
    memset(memory + shape->used_end, 0, shape->tail_start - shape->used_end);
    memcpy(memory + shape->tail_start, slot->bytes + copied, cl_slot_image_size(slot) - shape->tail_start);
}

/* The constants as in the image, read-only. */
static bool freeze(cl_slot *slot)
{
    const cl_shape *shape = slot->shape;
    uint32_t cold = shape->cold_end - shape->copy_start;

    memcpy(slot->memory + shape->copy_start, slot->bytes, cold);
    slot->is_thawed = false;
    return cold == 0 || mprotect(slot->memory + shape->copy_start, cold, PROT_READ) == 0;
}

bool cl_slot_open_deep(cl_slot *slot, uint64_t address)
{
    uint32_t window_start = slot->shape->window_start;

    if (slot->is_deep || address < CL_NULL_BYTES || address >= window_start)
        return false;
    if (mprotect(slot->memory + CL_NULL_BYTES, window_start - CL_NULL_BYTES, PROT_READ | PROT_WRITE) != 0)
        return false;
    slot->is_deep = true;
    return true;
}

/* A write to what is read-only so that it need not be copied back: rare, so it may cost, and reset copies it. */
bool cl_slot_thaw(cl_slot *slot, uint64_t address)
{
    const cl_shape *shape = slot->shape;

    if (slot->is_thawed || address < shape->copy_start || address >= shape->cold_end)
        return false;
    if (mprotect(slot->memory + shape->copy_start, shape->cold_end - shape->copy_start, PROT_READ | PROT_WRITE) != 0)
        return false;
    slot->is_thawed = true;
    return true;
}

bool cl_slot_holds(cl_slot *slot, uint32_t memory_size, uint32_t address, uint64_t length)
{
    if ((uint64_t)address + length > memory_size)
        return false;
    if (address >= slot->shape->window_start || length == 0)
        return true;
    return address >= CL_NULL_BYTES && (slot->is_deep || cl_slot_open_deep(slot, address));
}

bool cl_slot_takes(cl_slot *slot, uint32_t memory_size, uint32_t address, uint64_t length)
{
    const cl_shape *shape = slot->shape;

    if (!cl_slot_holds(slot, memory_size, address, length))
        return false;
    bool is_constant = address < shape->cold_end && (uint64_t)address + length > shape->copy_start;
    return !is_constant || slot->is_thawed || cl_slot_thaw(slot, shape->copy_start);
}

cloche_status cl_slot_reserve(cl_slot *slot, const cl_shape *shape, const uint8_t *bytes, cloche_error *err)
{
    uint8_t *reservation =
        mmap(NULL, CL_RESERVATION_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (reservation == MAP_FAILED)
        return cl_error_set(err, CLOCHE_E_NOMEM, errno, "slot",
                            "cannot reserve 8 GiB of address space for a slot (ulimit -v, or too many slots?)");
    *slot = (cl_slot){
        .shape = shape,
        .bytes = bytes,
        .memory = reservation + CL_BASE_OFFSET,
        .reservation = reservation,
        .stack_low = reservation + CL_STACK_GUARD_BYTES,
        .mapped_end = shape->pages * CL_WASM_PAGE,
    };
    if (mprotect(slot->stack_low, CL_STACK_BYTES, PROT_READ | PROT_WRITE) != 0 ||
        mprotect(slot->memory - CL_HOST_BYTES, CL_HOST_BYTES, PROT_READ | PROT_WRITE) != 0 ||
        mprotect(slot->memory + shape->window_start, slot->mapped_end - shape->window_start,
                 PROT_READ | PROT_WRITE) != 0) {
        cl_error_set(err, CLOCHE_E_NOMEM, errno, "slot",
                     "cannot map a slot (vm.max_map_count, or memory overcommit off?)");
        munmap(reservation, CL_RESERVATION_BYTES);
        *slot = (cl_slot){0};
        return CLOCHE_E_NOMEM;
    }
    slot->stack_id = cl_sanitizer_know_stack(slot->stack_low, CL_STACK_BYTES);
    return CLOCHE_OK;
}

cloche_status cl_slot_fill(cl_slot *slot, cloche_error *err)
{
#ifdef MADV_POPULATE_WRITE
    uint32_t window_start = slot->shape->window_start;
    /* One call instead of a page fault per page at the first run; older kernels fault the pages in. */
    madvise(slot->memory + window_start, slot->mapped_end - window_start, MADV_POPULATE_WRITE);
    madvise(slot->stack_low + CL_STACK_BYTES - CL_FIRST_STACK_BYTES, CL_FIRST_STACK_BYTES, MADV_POPULATE_WRITE);
#endif
    copy_image(slot);
    if (!freeze(slot))
        return cl_error_set(err, CLOCHE_E_NOMEM, errno, "slot", "cannot protect a slot (vm.max_map_count?)");
    return CLOCHE_OK;
}

void cl_slot_close(cl_slot *slot)
{
    if (slot->reservation == NULL)
        return;
    cl_budget_give(slot->charged);
    cl_sanitizer_forget_stack(slot->stack_id);
    munmap(slot->reservation, CL_RESERVATION_BYTES);
    *slot = (cl_slot){0};
}

uint32_t cl_slot_grow(cl_slot *slot, wasm_rt_memory_t *memory, uint32_t pages)
{
    uint32_t before = memory->pages;
    uint64_t growth = (uint64_t)before + pages - slot->shape->pages;

    if (growth > slot->most_pages)
        cl_slot_leave(slot, CL_LEAVE_MEMORY);
    uint32_t end = (uint32_t)((before + pages) * (uint64_t)CL_WASM_PAGE);
    if (end > slot->mapped_end) {
        uint32_t more = end - slot->mapped_end;
        if (!cl_budget_take(more))
            cl_slot_leave(slot, CL_LEAVE_HOST_MEMORY);
        if (mprotect(slot->memory + slot->mapped_end, more, PROT_READ | PROT_WRITE) != 0) {
            cl_budget_give(more);
            cl_slot_leave(slot, CL_LEAVE_HOST_MEMORY);
        }
        slot->mapped_end = end;
        slot->charged += more;
    }
    memory->pages += pages;
    memory->size = end;
    if (growth > slot->peak_pages)
        slot->peak_pages = (uint32_t)growth;
    return before;
}

/* Growth: what stays open or resident is zeroed, the rest goes back to the system; all but what stays open is closed. */
static void reset_growth(cl_slot *slot)
{
    uint32_t start = cl_slot_image_size(slot);
    uint32_t end = slot->mapped_end;
    uint32_t open_end = end - start < slot->open_growth ? end : start + slot->open_growth;
    uint32_t kept = end - start < CL_KEPT_GROWTH_BYTES ? end : start + CL_KEPT_GROWTH_BYTES;

    memset(slot->memory + start, 0, kept - start);
    if (kept < end)
        CL_ASSERT(madvise(slot->memory + kept, end - kept, MADV_DONTNEED) == 0);
    if (open_end < end)
        CL_ASSERT(mprotect(slot->memory + open_end, end - open_end, PROT_NONE) == 0);
    slot->mapped_end = open_end;
    cl_budget_give(slot->charged);
    slot->charged = 0;
}

static void reset_deep(cl_slot *slot)
{
    uint8_t *closed = slot->memory + CL_NULL_BYTES;
    size_t length = slot->shape->window_start - CL_NULL_BYTES;

    CL_ASSERT(madvise(closed, length, MADV_DONTNEED) == 0);
    CL_ASSERT(mprotect(closed, length, PROT_NONE) == 0);
    /* The native stack cannot be read by a guest; it is only given back. */
    CL_ASSERT(madvise(slot->stack_low, CL_STACK_BYTES - CL_KEPT_STACK_BYTES, MADV_DONTNEED) == 0);
    slot->is_deep = false;
}

void cl_slot_reset(cl_slot *slot)
{
    if (slot->is_dirty) {
        if (slot->mapped_end != cl_slot_image_size(slot))
            reset_growth(slot);
        if (slot->is_deep)
            reset_deep(slot);
        if (slot->is_thawed)
            CL_ASSERT(freeze(slot));
        copy_image(slot);
        cl_sanitizer_clean(slot->stack_low, CL_STACK_BYTES);
    }
    slot->most_pages = slot->peak_pages = slot->trap = 0;
    slot->stopped_for = CL_STOP_NONE;
    slot->is_dirty = false;
}

_Noreturn void cl_slot_leave(cl_slot *slot, cl_leave why)
{
    cl_slot_jump_out(slot, (int)why);
}
