/* signals.h - SIGINT and SIGTERM stop cleanly, the second one at once
 *
 * A thread waits for them, so that no handler interrupts the guest's thread and what is done about a signal may lock.
 * A signal that our parent has set to be ignored (a background job of a script) stays ignored.
 *
 * Threads  any; signals_start before the first other thread is made, as threads inherit what is blocked
 */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <cloche/sandbox.h>

void signals_start(void);

/* The switch to throw on the next signal; at once, if one has come already. NULL: none. */
void signals_watch(cloche_abort *abort);

int signals_caught(void);  /* the signal, or 0 */
void signals_forget(void); /* the next signal is a first one again */
int signals_wake_fd(void); /* readable once a signal has come */

#endif
