/* table.h - the function table all guests share
 *
 * Built once: the engine's functions, then the natives that the host adds (natives.c); read-only afterwards. Elements
 * carry no instance: callers pass their own.
 *
 * Threads  cl_table_init from any thread, works once; the rest is read-only
 */
#ifndef CL_ISOLATE_TABLE_H
#define CL_ISOLATE_TABLE_H

#include "wasm-rt.h"

#include <cloche/status.h>

void cl_table_init(void);
wasm_rt_funcref_table_t cl_table_get(void);

#endif
