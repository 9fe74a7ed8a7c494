/* trap.h - the signal handlers: stop, and faults
 *
 *   sig_stop    the stop signal: leaves the run that the monitor named, if guest code was interrupted
 *   sig_fault   SIGSEGV, SIGBUS: claims a fault only if guest code made it and the address lies in the slot of the
 *               thread's own run; opens the closed shadow stack, and makes constants
 *               writable, once a run; everything else goes to whoever was there before
 *
 * A handler leaves by rewriting the interrupted context and returning, so the kernel restores the signal mask and the
 * alternate stack. The handlers are never uninstalled.
 */
#ifndef CL_ISOLATE_TRAP_H
#define CL_ISOLATE_TRAP_H

#include <cloche/status.h>

cloche_status cl_trap_install(int signal, cloche_error *err);
int cl_trap_stop_signal(void);

#endif
