#include <cloche/isolation.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backend/process/cgroup.h"
#include "backend/process/plan.h"
#include "backend/process/process.h"
#include "backend/process/zygote.h"
#include "base/error.h"
#include "core/host_memory.h"
#include "policy/limits.h"
#include "sys/landlock.h"

_Static_assert((int)CLOCHE_LAYER_COUNT == (int)CL_LAYER_REPORTS, "one report per layer");
_Static_assert(sizeof(((cloche_layer *)0)->step) >= sizeof(((cl_layer_report *)0)->step), "steps fit");
_Static_assert(sizeof(((cloche_layer *)0)->remedy) >= sizeof(((cl_layer_report *)0)->remedy), "remedies fit");

/* The jail of a sandbox with defaults. */
static cl_zygote_config default_config(void)
{
    cloche_options options = CLOCHE_OPTIONS_INIT;

    cl_limits_resolve(NULL, NULL, CL_SCOPE_SANDBOX, &options.limits, NULL);
    options.limits.max_total_memory_mb = cl_host_memory_quarter_mb();
    return cl_process_config(&options);
}

static cloche_status probe(const cl_zygote_config *config, cl_zygote_report *report, cloche_error *err)
{
    const cl_zygote_events events = {0};
    cl_zygote *zygote;
    cloche_status rc = cl_zygote_start(config, &events, &zygote, report, err);

    cl_zygote_stop(zygote);
    return rc;
}

cloche_status cloche_isolation_probe(cloche_layer *layers, uint32_t capacity, uint32_t *count, cloche_error *err)
{
    const cl_zygote_config config = default_config();
    cl_zygote_report report;
    cloche_status rc;

    *count = 0;
    cl_error_clear(err);
    if ((rc = probe(&config, &report, err)) < 0)
        return rc;
    for (uint32_t i = 0; i < report.count && i < capacity; i++) {
        const cl_layer_report *from = &report.layers[i];
        layers[i] = (cloche_layer){
            .name = cl_plan_layer_name(from->bit),
            .bit = from->bit,
            .stands = from->stands,
            .os_errno = from->os_errno,
        };
        snprintf(layers[i].step, sizeof layers[i].step, "%s", from->step);
        snprintf(layers[i].remedy, sizeof layers[i].remedy, "%s", from->remedy);
        *count = i + 1;
    }
    return CLOCHE_OK;
}

/* Only an attempt tells whether user namespaces can be had: the plan of a jail without them is another one. */
static int userns_errno(const cl_zygote_config *config)
{
    cl_zygote_report report;

    if (probe(config, &report, NULL) == CLOCHE_OK)
        for (uint32_t i = 0; i < report.count; i++)
            if (report.layers[i].bit == CLOCHE_LAYER_USERNS && !report.layers[i].stands)
                return report.layers[i].os_errno;
    return 0;
}

size_t cloche_isolation_plan(char *out, size_t size)
{
    const cl_zygote_config config = default_config();
    cl_cgroup_place cgroup;
    int abi = cl_landlock_abi(), abi_errno = errno;
    cl_plan_input input = {
        .memory_bytes = config.memory_bytes,
        .group_bytes = config.group_bytes,
        .most_children = config.most_children,
        .is_root = geteuid() == 0,
        .landlock_abi = abi > 0 ? abi : 0,
        .landlock_errno = abi > 0 ? 0 : abi_errno,
        .userns_errno = userns_errno(&config),
    };

    cl_cgroup_choose(&cgroup);
    input.cgroup = cgroup.kind;
    input.cgroup_errno = cgroup.os_errno;
    return cl_plan_text(&input, out, size);
}
