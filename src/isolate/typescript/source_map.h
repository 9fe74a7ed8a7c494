/* source_map.h - from a place in what the compiler printed to the place in the source
 *
 * The map is kept as the text it came as and read from its start each time: it is asked for errors only. Lines and
 * columns are 0-based, columns in UTF-16 units. The text comes from the compiler's slot and is believed nothing: what
 * cannot be read ends the search.
 *
 * Pure.
 * Source   ECMA-426 (source maps), "mappings"
 */
#ifndef CL_TYPESCRIPT_SOURCE_MAP_H
#define CL_TYPESCRIPT_SOURCE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isolate/typescript/lines.h"

/* The "mappings" of a source map's JSON text. false: it has none. */
bool cl_source_map_find(const char *json, size_t length, const char **mappings, size_t *mappings_length);

/* The last mapping at or before the place, in its line or, failing that, in a line before. false: there is none. */
bool cl_source_map_look_up(const char *mappings, size_t length, cl_place_lf printed, cl_place_lf *found_printed,
                           cl_place_lf *found_source);

#endif
