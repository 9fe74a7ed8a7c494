#include "isolate/typescript/translation.h"

#include <stdlib.h>
#include <string.h>

#include "isolate/typescript/merge.h"
#include "isolate/typescript/source_map.h"

static char *copy(const char *data, size_t length)
{
    char *text = malloc(length + 1);
    if (text != NULL) {
        memcpy(text, data, length);
        text[length] = '\0';
    }
    return text;
}

cl_translation *cl_translation_new(const cl_translation *from)
{
    cl_translation *translation = malloc(sizeof *translation);

    if (translation == NULL)
        return NULL;
    *translation = *from;
    atomic_init(&translation->refs, 1);
    translation->code = copy(from->code, from->code_length);
    translation->mappings = from->mappings != NULL ? copy(from->mappings, from->mappings_length) : NULL;
    size_t insertions_size = from->insertion_count * sizeof *from->insertions;
    translation->insertions = from->insertion_count > 0 ? malloc(insertions_size) : NULL;
    if (translation->insertions != NULL)
        memcpy(translation->insertions, from->insertions, insertions_size);
    if (translation->code != NULL && (translation->mappings != NULL || from->mappings == NULL) &&
        (translation->insertions != NULL || from->insertion_count == 0))
        return translation;
    cl_translation_unref(translation);
    return NULL;
}

void cl_translation_unref(cl_translation *translation)
{
    if (translation == NULL || atomic_fetch_sub_explicit(&translation->refs, 1, memory_order_acq_rel) != 1)
        return;
    free(translation->code);
    free(translation->mappings);
    free(translation->insertions);
    free(translation);
}

/* A place in what was printed, as a place in the code that was cut out of it. */
static cl_place_lf unshifted(const cl_translation *translation, cl_place_lf place)
{
    uint32_t before = place.line == 0 ? translation->printed_before : 0;
    place.column -= place.column < before ? place.column : before;
    return place;
}

size_t cl_translation_to_source(const cl_translation *translation, const char *source, size_t source_length,
                                size_t code_offset)
{
    cl_place_lf printed, mapped, in_source;

    if (translation->mappings == NULL)
        return code_offset < source_length ? code_offset : source_length;
    printed = cl_lines_place(translation->code, translation->code_length, code_offset);
    if (printed.line == 0)
        printed.column += translation->printed_before;
    if (!cl_source_map_look_up(translation->mappings, translation->mappings_length, printed, &mapped, &in_source))
        return 0;
    if (in_source.line == 0)
        in_source.column -= in_source.column < translation->source_before ? in_source.column : translation->source_before;
    in_source = cl_insertions_undo(translation->insertions, translation->insertion_count, in_source);
    size_t from = cl_lines_offset(source, source_length, in_source);
    /* Between two mappings: as far as the text was printed as it was written, so far does the place go on. */
    size_t start = cl_lines_offset(translation->code, translation->code_length, unshifted(translation, mapped));
    if (mapped.line != printed.line || start > code_offset || code_offset - start > source_length - from)
        return from;
    size_t distance = code_offset - start;
    return memcmp(translation->code + start, source + from, distance) == 0 ? from + distance : from;
}
