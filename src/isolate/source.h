/* source.h - the TypeScript compiler's part in a run
 *
 * Outside the guest, on the thread that works on the run and under the run's deadline and limits.
 */
#ifndef CL_ISOLATE_SOURCE_H
#define CL_ISOLATE_SOURCE_H

#include "isolate/guest.h"
#include "isolate/thread.h"

/* Before the first step: takes what an earlier run of the same source was translated to. A source in a Markdown fence,
 * as language models write it, is refused: it would parse, as templates that are called. */
void cl_source_begin(cl_guest *guest);

/* Has the source translated. Afterwards it is what the engine is to be given; or the compiler's word on it is in the
 * run, for the engine's error; or the run is done, its failure reported. */
void cl_source_translate(cl_thread *thread, cl_guest *guest, uint64_t cpu_left_ns);

#endif
