/* translation.h - what the engine is given in the place of a TypeScript source
 *
 *   stripped      types are blanks: every byte that is left is where it was
 *   transformed   printed anew; `mappings` lead back
 *
 * Immutable once made, so that a cache may lend one to any number of runs.
 *
 * Owner    shared: ref and unref
 * Threads  any thread
 */
#ifndef CL_TYPESCRIPT_TRANSLATION_H
#define CL_TYPESCRIPT_TRANSLATION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cloche/sandbox.h>

typedef struct cl_translation {
    _Atomic uint32_t refs;
    cloche_kind kind;         /* the form in which it is for the engine */
    bool assigns_exports;     /* a module that says `export =` */
    char *code;
    size_t code_length;
    char *mappings;           /* NULL: stripped */
    size_t mappings_length;
    uint32_t printed_before;  /* characters that stood before `code` in its first line when it was printed, */
    uint32_t source_before;   /* and before the source when it was read */
    struct cl_insertion *insertions; /* what was put into the source, for a transformation; NULL: nothing */
    uint32_t insertion_count;
} cl_translation;

static inline cl_translation *cl_translation_ref(cl_translation *translation)
{
    atomic_fetch_add_explicit(&translation->refs, 1, memory_order_relaxed);
    return translation;
}
/* NULL is fine. */
void cl_translation_unref(cl_translation *translation);
/* Copies its texts; one reference. NULL: out of memory. */
cl_translation *cl_translation_new(const cl_translation *from);

/* The byte of the source that a byte of the code comes from. */
size_t cl_translation_to_source(const cl_translation *translation, const char *source, size_t source_length,
                                size_t code_offset);

#endif
