/* cache.h - translations of sources that came before
 *
 * Found by the whole source and the form asked for, so that one never stands in for another. What is asked for least
 * recently goes when the bound of bytes (sources and translations) is reached. A translation larger than a quarter of the
 * bound is not kept.
 *
 * Owner    the sandbox: nothing is shared between sandboxes
 * Threads  any thread
 */
#ifndef CL_TYPESCRIPT_CACHE_H
#define CL_TYPESCRIPT_CACHE_H

#include "isolate/guest.h"
#include "isolate/typescript/translation.h"

typedef struct cl_translation_cache cl_translation_cache;

/* NULL: out of memory. */
cl_translation_cache *cl_translation_cache_create(size_t most_bytes);
void cl_translation_cache_destroy(cl_translation_cache *cache);

/* A reference, the caller's; NULL: not there. */
cl_translation *cl_translation_cache_find(cl_translation_cache *cache, const cl_run_request *request);
/* Takes the place of an earlier one. Out of memory: it is not kept, which costs the next run its time. */
void cl_translation_cache_add(cl_translation_cache *cache, const cl_run_request *request, cl_translation *translation);

#endif
