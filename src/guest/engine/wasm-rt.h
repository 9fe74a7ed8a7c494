/* wasm-rt.h - what generated code needs of its runtime
 *
 * wasm2c's output includes a header of this name. This one declares the same types and functions and nothing more; the
 * functions live in src/isolate/wasm_rt.c. A guest's memory lies at a fixed distance behind its instance (see
 * recipe.cmake), so `data` is only used by the rare bulk operations.
 *
 * Source   the C text that wasm2c 1.0.32 (Debian package wabt) writes
 */
#ifndef WASM_RT_H_
#define WASM_RT_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#define wasm_rt_memcpy __builtin_memcpy
#define wasm_rt_unreachable __builtin_unreachable

/* Out-of-bounds accesses land in guard pages; deep recursion in the guard of the private stack. */
#define WASM_RT_MEMCHECK_SIGNAL_HANDLER 1
#define WASM_RT_USE_STACK_DEPTH_COUNT 0

typedef enum {
    WASM_RT_TRAP_NONE,
    WASM_RT_TRAP_OOB,
    WASM_RT_TRAP_INT_OVERFLOW,
    WASM_RT_TRAP_DIV_BY_ZERO,
    WASM_RT_TRAP_INVALID_CONVERSION,
    WASM_RT_TRAP_UNREACHABLE,
    WASM_RT_TRAP_CALL_INDIRECT,
    WASM_RT_TRAP_UNCAUGHT_EXCEPTION,
    WASM_RT_TRAP_EXHAUSTION,
} wasm_rt_trap_t;

typedef enum {
    WASM_RT_I32,
    WASM_RT_I64,
    WASM_RT_F32,
    WASM_RT_F64,
    WASM_RT_FUNCREF,
    WASM_RT_EXTERNREF,
} wasm_rt_type_t;

typedef void (*wasm_rt_function_ptr_t)(void);

typedef struct {
    uint32_t func_type; /* from wasm_rt_register_func_type; 0 matches none */
    wasm_rt_function_ptr_t func;
} wasm_rt_funcref_t;

typedef void *wasm_rt_externref_t;
#define wasm_rt_externref_null_value ((wasm_rt_externref_t)0)

typedef struct {
    uint8_t *data;
    uint32_t pages, max_pages; /* of 64 KiB */
    uint32_t size;             /* bytes */
} wasm_rt_memory_t;

typedef struct {
    wasm_rt_funcref_t *data;
    uint32_t max_size;
    uint32_t size;
} wasm_rt_funcref_table_t;

typedef struct {
    wasm_rt_externref_t *data;
    uint32_t max_size;
    uint32_t size;
} wasm_rt_externref_table_t;

bool wasm_rt_is_initialized(void);
__attribute__((noreturn)) void wasm_rt_trap(wasm_rt_trap_t trap);
uint32_t wasm_rt_register_func_type(uint32_t params, uint32_t results, ...);
void wasm_rt_allocate_memory(wasm_rt_memory_t *memory, uint32_t pages, uint32_t max_pages);
uint32_t wasm_rt_grow_memory(wasm_rt_memory_t *memory, uint32_t pages);
void wasm_rt_free_memory(wasm_rt_memory_t *memory);
void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *table, uint32_t elements, uint32_t max_elements);
void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *table);

/* Called by the generated code where the engine has found that an allocation failed; does not return in a run. */
void cl_guest_out_of_memory(void *instance);

#endif
