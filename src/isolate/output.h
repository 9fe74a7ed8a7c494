/* output.h - what a guest prints
 *
 * Kept up to the limit of its stream, cut at a UTF-8 boundary, the rest counted; handed to the embedder as it comes.
 * Bytes are copied out of the guest first. Surrogates become U+FFFD.
 */
#ifndef CL_ISOLATE_OUTPUT_H
#define CL_ISOLATE_OUTPUT_H

#include "isolate/guest.h"

/* From inside a run; data lies in guest memory. fd is 1 or 2. */
void cl_output_write(cl_guest *guest, int fd, const char *data, size_t length);

/* Appends what fits under most; the first byte that does not closes the stream, so that nothing is kept behind a gap. */
void cl_stream_keep(cl_stream *stream, size_t most, const char *data, size_t length);

#endif
