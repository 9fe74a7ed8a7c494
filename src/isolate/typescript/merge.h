/* merge.h - names that a namespace has from its other blocks
 *
 *   namespace A { export const x = 1 }
 *   namespace A { export const y = x + 1 }       the compiler leaves x as it is, and it would not be found
 *                ^ import x = A.x;               inserted here
 *
 * What an earlier block of the same namespace, or of one around, exports is known in a later one by its bare name. The
 * compiler does not see that; it does see an import alias. A name whose value may change (let, var) is read where it is
 * used: A. goes before each use, unless something in the block declares the name too. Where the block itself declares
 * it, it is left alone.
 *
 * Pure but for memory.
 */
#ifndef CL_TYPESCRIPT_MERGE_H
#define CL_TYPESCRIPT_MERGE_H

#include "base/buf.h"
#include "isolate/typescript/lines.h"

enum { CL_INSERTIONS_MOST = 64 };

typedef struct cl_insertion {
    cl_place_lf at; /* in the source with all of them */
    uint32_t units;
} cl_insertion;

typedef struct cl_insertions {
    cl_insertion list[CL_INSERTIONS_MOST];
    uint32_t count;
} cl_insertions;

/* The source with insertions, if there are any to make. false: it is right as it is. */
bool cl_merge_namespaces(const char *code, size_t length, cl_buf *out, cl_insertions *made);

/* A place in the source with insertions, as a place in the one without. */
cl_place_lf cl_insertions_undo(const cl_insertion *list, uint32_t count, cl_place_lf place);

#endif
