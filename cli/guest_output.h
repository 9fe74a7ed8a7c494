/* guest_output.h - what the guest writes, passed on while it runs
 *
 * As much as the result would keep: a guest may not fill a disk because its output was not captured. On a terminal
 * control sequences are shown instead of obeyed.
 *
 * Threads  one run at a time; guest_output_add is a cloche_output_fn
 */
#ifndef CLI_GUEST_OUTPUT_H
#define CLI_GUEST_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cloche/sandbox.h>

#include "text.h"

typedef struct guest_stream {
    bool is_visible;
    size_t left; /* bytes that may still be passed on */
    uint64_t dropped;
    text_filter filter;
    const char *marker; /* pass on only what follows this line; NULL once it was seen, or when there is none */
    buffer line;        /* while there is a marker: the line that may become it */
} guest_stream;

typedef struct guest_output {
    guest_stream streams[2]; /* of descriptors 1 and 2 */
    cloche_abort *abort;     /* triggered when standard output fails: nobody reads the rest */
} guest_output;

/* most: bytes of each stream. marker may be NULL; borrowed. */
void guest_output_init(guest_output *output, cloche_abort *abort, size_t most, bool is_raw, const char *marker);
void guest_output_add(void *output, int fd, const char *data, size_t length);
/* Behind the run: what was left in the middle of a character, and a line on standard error if something was cut. */
void guest_output_fini(guest_output *output, const char *command);

#endif
