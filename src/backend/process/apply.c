#include "backend/process/apply.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>

#include "backend/process/steps.h"
#include "sys/jail.h"
#include "sys/landlock.h"

enum { SPARE_PROCESSES = 4 }; /* the zygote on its way, the server, the probe */

static int as_errno(int answer)
{
    return answer < 0 ? errno : 0;
}

static int perform(cl_apply *apply, const cl_step *step)
{
    switch (step->op) {
    case CL_STEP_DEATH_SIGNAL:
        return as_errno(prctl(PR_SET_PDEATHSIG, step->which, 0, 0, 0));
    case CL_STEP_CGROUP_MAKE:
        return cl_cgroup_make(apply->cgroup, step->value, apply->most_children + SPARE_PROCESSES);
    case CL_STEP_CGROUP_JOIN:
        return cl_cgroup_join(apply->cgroup);
    case CL_STEP_OOM_SCORE:
        return zygote_oom_score((int)step->value);
    case CL_STEP_CHANGE_IDS:
        return as_errno(cl_jail_change_ids((uid_t)step->value, (gid_t)step->value));
    case CL_STEP_DUMPABLE:
        return as_errno(prctl(PR_SET_DUMPABLE, (unsigned long)step->value, 0, 0, 0));
    case CL_STEP_UNSHARE:
        return zygote_unshare(step->which);
    case CL_STEP_MAP_IDS:
        return zygote_map_ids((unsigned)step->value);
    case CL_STEP_MOUNTS_PRIVATE:
        return zygote_mounts_private();
    case CL_STEP_EMPTY_ROOT:
        return zygote_empty_root();
    case CL_STEP_HOST_NAME:
        return zygote_host_name();
    case CL_STEP_DROP_BOUNDING:
        return as_errno(cl_jail_drop_bounding());
    case CL_STEP_LOCK_SECUREBITS:
        return as_errno(cl_jail_lock_securebits());
    case CL_STEP_DROP_CAPABILITIES:
        return as_errno(cl_jail_drop_capabilities());
    case CL_STEP_NO_NEW_PRIVS:
        return as_errno(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    case CL_STEP_LANDLOCK:
        return as_errno(cl_landlock_deny_all((int)step->value));
    case CL_STEP_RLIMIT:
        return zygote_rlimit(step->which, step->value);
    case CL_STEP_CLOSE_FDS: /* child_jail.c */
    case CL_STEP_RLIMIT_DATA:
    case CL_STEP_SECCOMP:
        break;
    }
    return ENOSYS;
}

static bool is_reported(uint32_t layer)
{
    return layer != 0 && layer != CL_PLAN_PRIVILEGES;
}

const cl_step *zygote_apply(cl_apply *apply, cl_step_who who)
{
    for (uint32_t i = 0; i < apply->plan->count; i++) {
        const cl_step *step = &apply->plan->steps[i];
        if (step->who != who)
            continue;
        if (is_reported(step->layer) && step->layer != CLOCHE_LAYER_RLIMIT &&
            !cl_report_stands(apply->report, step->layer))
            continue;
        if ((apply->os_errno = perform(apply, step)) == 0 || step->is_optional)
            continue;
        if (!is_reported(step->layer))
            return step;
        cl_report_fail(apply->report, step->layer, apply->os_errno, step->name);
    }
    return NULL;
}
