/* result.h - who owns the texts of a result
 *
 * A cloche_result is one heap object; each of its texts that is present is a malloc'ed block of its own.
 *
 * Owner    the holder; cloche_result_destroy releases the object and every text in it
 * Threads  one thread at a time
 */
#ifndef CL_ISOLATE_RESULT_H
#define CL_ISOLATE_RESULT_H

#include <cloche/sandbox.h>

/* Until its maker says otherwise it tells of a failure of the host that started nothing: no value, no output, no exit
 * code. NULL: out of memory. */
cloche_result *cl_result_new(void);

/* Copies; what was there before is released. data NULL: absent. false: out of memory, and the text is absent. */
bool cl_result_set_text(cloche_text *to, const char *data, size_t length);

/* Takes a malloc'ed block with a NUL at length; what was there before is released. NULL: absent. */
void cl_result_take_text(cloche_text *to, char *data, size_t length);

#endif
