/* wasm_rt.c - our runtime for wasm2c's code: types, the table, growth, traps */
#include <pthread.h>
#include <stdarg.h>
#include <sys/mman.h>

#include "base/error.h"
#include "isolate/guest.h"
#include "isolate/natives.h"
#include "isolate/table.h"
#include "isolate/thread.h"

/* ---- function types: equal signatures get equal numbers; filled while the table is built, then only read ---- */

enum { MAX_TYPES = 256, MAX_VALUES = 30 };

typedef struct {
    uint32_t params, results;
    uint8_t values[MAX_VALUES];
} func_type;

static func_type types[MAX_TYPES];
static uint32_t type_count;

uint32_t wasm_rt_register_func_type(uint32_t params, uint32_t results, ...)
{
    func_type type = {.params = params, .results = results};
    va_list list;

    CL_ASSERT(params + results <= MAX_VALUES);
    va_start(list, results);
    for (uint32_t i = 0; i < params + results; i++)
        type.values[i] = (uint8_t)va_arg(list, int);
    va_end(list);
    for (uint32_t i = 0; i < type_count; i++)
        if (memcmp(&types[i], &type, sizeof type) == 0)
            return i + 1;
    CL_ASSERT(type_count < MAX_TYPES);
    types[type_count] = type;
    return ++type_count;
}

/* ---- the table ---- */

enum { TABLE_BYTES = 16384, TABLE_ELEMENTS = TABLE_BYTES / sizeof(wasm_rt_funcref_t) };

static _Alignas(65536) union {
    wasm_rt_funcref_t elements[TABLE_ELEMENTS];
    uint8_t pages[65536];
} table;
static uint32_t table_size;
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *out, uint32_t elements, uint32_t max_elements)
{
    CL_ASSERT(elements + CL_NATIVE_COUNT <= TABLE_ELEMENTS);
    CL_ASSERT(elements == CL_NATIVE_FIRST);
    *out = (wasm_rt_funcref_table_t){.data = table.elements, .size = elements, .max_size = max_elements};
}

void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *out)
{
    (void)out;
}

void cl_quickjs_build_table(Z_quickjs_instance_t *instance); /* appended to the module by recipe.cmake */

static void build_table(void)
{
    Z_quickjs_instance_t scratch = {0};
    cl_quickjs_build_table(&scratch);
    table_size = CL_NATIVE_FIRST + cl_natives_fill(table.elements + CL_NATIVE_FIRST);
    CL_ASSERT(mprotect(&table, sizeof table, PROT_READ) == 0);
}

void cl_table_init(void)
{
    pthread_once(&table_once, build_table);
}

wasm_rt_funcref_table_t cl_table_get(void)
{
    return (wasm_rt_funcref_table_t){.data = table.elements, .size = table_size, .max_size = table_size};
}

/* ---- memory ---- */

bool wasm_rt_is_initialized(void)
{
    return true;
}

/* Only the image tool instantiates; its slot is open already. */
void wasm_rt_allocate_memory(wasm_rt_memory_t *memory, uint32_t pages, uint32_t max_pages)
{
    memory->pages = pages;
    memory->max_pages = max_pages;
    memory->size = pages * CL_WASM_PAGE;
}

void wasm_rt_free_memory(wasm_rt_memory_t *memory)
{
    (void)memory;
}

/* The generated code passes no instance to these: the slot is the one this thread is in. */
uint32_t wasm_rt_grow_memory(wasm_rt_memory_t *memory, uint32_t pages)
{
    return cl_slot_grow(cl_thread_slot(), memory, pages);
}

void wasm_rt_trap(wasm_rt_trap_t trap)
{
    cl_slot *slot = cl_thread_slot();
    slot->trap = trap;
    cl_slot_leave(slot, CL_LEAVE_TRAP);
}

void cl_guest_out_of_memory(void *instance)
{
    cl_guest *guest = (cl_guest *)((Z_quickjs_instance_t *)instance)->Z_env_instance;
    cl_guest_leave(guest, CL_LEAVE_MEMORY);
}
