/* json_text.h - the little that the command line needs to know of JSON
 *
 * Reads only text that the library has written and so is known to be JSON. Checking JSON is the library's work.
 */
#ifndef CLI_JSON_TEXT_H
#define CLI_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <cloche/sandbox.h>

#include "buffer.h"

bool json_text_is_string(cloche_text text);
void json_text_decode(cloche_text string, buffer *out); /* lone surrogates as U+FFFD: output is UTF-8 */

/* Absent (NULL data) when object is no object or has no such member. name is plain ASCII. */
cloche_text json_text_member(cloche_text object, const char *name);
/* Start with cursor 0; false at the end. */
bool json_text_item(cloche_text array, size_t *cursor, cloche_text *item);

void json_text_quote(const char *data, size_t length, buffer *out); /* what is not UTF-8 as U+FFFD */

#endif
