/* seccomp.h - the system calls a guest's process may make
 *
 * Pure     builds a list; sys/filter.h installs it
 */
#ifndef CL_PROCESS_SECCOMP_H
#define CL_PROCESS_SECCOMP_H

#include "sys/filter.h"

void cl_seccomp_build(cl_filter *out);

#endif
