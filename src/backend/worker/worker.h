/* worker.h - runs in this process: software fault isolation
 *
 * Theory of operation. A place is a slot (isolate/layout.h): reserved address space with the engine's memory in it.
 * The guest runs on the calling thread, on a stack of the slot. It can reach its linear memory and nothing else: the
 * engine is translated code in which every access is base + 33 bits. What keeps it within its time is a signal; what
 * keeps one run's data from the next is the reset of the slot before it goes back on the list.
 */
#ifndef CL_BACKEND_WORKER_H
#define CL_BACKEND_WORKER_H

#include "backend/backend.h"

cl_backend_open_fn cl_worker_open;

#endif
