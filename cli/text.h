/* text.h - text for people: what a terminal is shown
 *
 * Guest output may carry sequences that move the cursor, rename the window or answer for the user. On a terminal they
 * are shown instead of obeyed: a control character as \x1b, a character that turns the reading direction as \u202e, a
 * byte that is not UTF-8 as \xff. Line feed and tab stay.
 */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"

bool text_is_terminal(int fd);
bool text_has_colour(int fd); /* a terminal that is not "dumb", and NO_COLOR is not set (https://no-color.org) */
uint32_t text_columns(int fd); /* of a terminal, else 100 */

/* One code point at *at, which moves on; 0xFFFD and one byte for what is not UTF-8. *at < end. */
uint32_t text_next(const char **at, const char *end);
bool text_is_hidden(uint32_t code_point); /* would be obeyed rather than shown */
uint32_t text_width(uint32_t code_point); /* cells on a terminal */

/* Output comes in pieces, and a piece may end inside a character. */
typedef struct text_filter {
    char pending[4];
    uint32_t length;
} text_filter;

void text_filter_add(text_filter *filter, const char *data, size_t length, buffer *out);
void text_filter_end(text_filter *filter, buffer *out);

/* The whole at once. */
void text_make_visible(const char *data, size_t length, buffer *out);

/* The largest cut <= most that does not split a character. */
size_t text_cut(const char *data, size_t length, size_t most);

#endif
