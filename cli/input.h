/* input.h - a file, or standard input, read whole
 *
 * Sizes are bounded by what the library's limits could ever allow, so that /dev/zero is an error and not the end of
 * the machine's memory.
 */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <stdbool.h>

#include "buffer.h"

#define INPUT_MOST_BYTES (256u << 20)

/* "-" is standard input. false: said so on standard error as "cloche COMMAND: PATH: ...", or, where why is not NULL,
 * put into *why instead. */
bool input_read(const char *command, const char *path, buffer *out, const char **why);

const char *input_base_name(const char *path);

#endif
