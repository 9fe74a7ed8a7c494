/* process.h - a jailed process for each run: a second wall, of another kind
 *
 * Theory of operation. Who there is, and what each may do:
 *
 *   host       trusts nothing that comes from a child; owns the clock, the limits' verdicts and the results
 *   zygote     makes children inside the jail and tells how they ended; sees no tenant's bytes (zygote.h)
 *   child      runs one guest with the isolate of the worker backend; has one socket, may make no mapping, no
 *              descriptor, no process; dies with its run, or (freshness "jail") resets itself between runs and dies
 *              after many of them or after anything odd
 *
 *   place      one child, ready or at work, and its socket. Children are made ahead: a place that was used gets a new
 *              child when it is cleaned, so the next run finds one that waits
 *
 *   request ──socket──► child ──output frames, result──► host copies, checks, then uses
 *   deadline: the child's isolate stops and answers; the host kills it 10 ms later if it did not
 */
#ifndef CL_PROCESS_PROCESS_H
#define CL_PROCESS_PROCESS_H

#include "backend/backend.h"
#include "backend/process/zygote.h"

cl_backend_open_fn cl_process_open;

/* The jail that resolved options ask for. Pure. */
cl_zygote_config cl_process_config(const cloche_options *options);

#endif
