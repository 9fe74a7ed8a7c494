/* control.h - what travels between the host and its zygote
 *
 *   host ──► SETUP ─► (SPAWN + one descriptor | KILL)* ─► end of file
 *   host ◄── READY or FAILED ─► EXIT*
 *
 * A message is one packet of exactly its structure. Both ends are parts of this library, of the same build; the size of
 * SETUP tells a helper of another version. Anything else ends the zygote.
 */
#ifndef CL_PROCESS_CONTROL_H
#define CL_PROCESS_CONTROL_H

#include "backend/process/cgroup.h"
#include "backend/process/zygote.h"

enum { CL_CONTROL_FD = 3, CL_PROGRAM_FD = 4 };

typedef enum cl_control_op {
    CL_CONTROL_SETUP = 1,
    CL_CONTROL_SPAWN,
    CL_CONTROL_KILL,
    CL_CONTROL_READY,
    CL_CONTROL_FAILED,
    CL_CONTROL_EXIT,
} cl_control_op;

typedef struct cl_control_setup {
    cl_control_op op;
    cl_zygote_config config;
    cl_cgroup_place cgroup;
} cl_control_setup;

typedef struct cl_control_order { /* SPAWN, KILL */
    cl_control_op op;
    uint32_t id;
} cl_control_order;

typedef struct cl_control_ready {
    cl_control_op op;
    cl_zygote_report report;
} cl_control_ready;

typedef struct cl_control_failed {
    cl_control_op op;
    int os_errno;
    char step[64];
} cl_control_failed;

typedef struct cl_control_exit {
    cl_control_op op;
    uint32_t id;
    cl_child_exit how;
} cl_control_exit;

#endif
