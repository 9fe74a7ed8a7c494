#include "backend/process/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const uint32_t layers[] = {
#define CLOCHE_X(name, wire, bit) CLOCHE_LAYER_##name,
    CLOCHE_LAYER_LIST(CLOCHE_X)
#undef CLOCHE_X
};

_Static_assert(sizeof layers / sizeof layers[0] == CL_LAYER_REPORTS, "one report per layer");

#define ANY (-1)
#define NAMESPACES (CLOCHE_LAYER_PIDNS | CLOCHE_LAYER_NETNS | CLOCHE_LAYER_MOUNTNS)

/* The first row that fits. */
static const struct {
    uint32_t layers;
    int os_errno;
    const char *remedy;
} remedies[] = {
    { CLOCHE_LAYER_USERNS, ENOSPC, "raise user.max_user_namespaces" },
    { CLOCHE_LAYER_USERNS, EINVAL, "run a kernel with CONFIG_USER_NS" },
    { CLOCHE_LAYER_USERNS, ENOSYS, "run a kernel with CONFIG_USER_NS" },
    { CLOCHE_LAYER_USERNS, ANY,
      "kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0, "
      "or a container profile that permits unshare" },
    { NAMESPACES, ENOSPC, "raise user.max_*_namespaces" },
    { NAMESPACES, EINVAL, "run outside a chroot, on a kernel with this namespace" },
    { NAMESPACES, ANY, "permit user namespaces (see userns), or run as root with CAP_SYS_ADMIN" },
    { CLOCHE_LAYER_SECCOMP, ANY,
      "run a kernel with CONFIG_SECCOMP_FILTER, or a container profile that permits seccomp" },
    { CLOCHE_LAYER_LANDLOCK, EOPNOTSUPP, "add landlock to the kernel's lsm= list" },
    { CLOCHE_LAYER_LANDLOCK, ANY,
      "run Linux 5.13 or later with CONFIG_SECURITY_LANDLOCK, or a container profile that permits landlock" },
    { CLOCHE_LAYER_RLIMIT, ANY,
      "run as an ordinary user, or give the container CAP_SETUID, CAP_SETGID and the id 65534" },
    { CLOCHE_LAYER_CGROUP, EROFS, "mount /sys/fs/cgroup writable in the container" },
    { CLOCHE_LAYER_CGROUP, 0, "set a limit for all children together" },
    { CLOCHE_LAYER_CGROUP, ANY,
      "run as root, or in a delegated group: systemd-run --user --scope, "
      "or a unit with Delegate=memory pids and DelegateSubgroup=main" },
};

static const char *remedy_of(uint32_t layer, int os_errno)
{
    for (size_t i = 0; i < sizeof remedies / sizeof remedies[0]; i++)
        if ((remedies[i].layers & layer) != 0 && (remedies[i].os_errno == ANY || remedies[i].os_errno == os_errno))
            return remedies[i].remedy;
    return "";
}

static cl_layer_report *find(cl_zygote_report *report, uint32_t layer)
{
    for (uint32_t i = 0; i < report->count; i++)
        if (report->layers[i].bit == layer)
            return &report->layers[i];
    return NULL;
}

const cl_layer_report *cl_report_find(const cl_zygote_report *report, uint32_t layer)
{
    for (uint32_t i = 0; i < report->count; i++)
        if (report->layers[i].bit == layer)
            return &report->layers[i];
    return NULL;
}

void cl_report_fail(cl_zygote_report *report, uint32_t layer, int os_errno, const char *step)
{
    cl_layer_report *entry = find(report, layer);

    if (entry == NULL || !entry->stands)
        return;
    entry->stands = false;
    entry->os_errno = os_errno;
    snprintf(entry->step, sizeof entry->step, "%s", step);
    snprintf(entry->remedy, sizeof entry->remedy, "%s", remedy_of(layer, os_errno));
    report->isolation &= ~layer;
}

void cl_report_init(cl_zygote_report *report, const cl_plan *plan)
{
    memset(report, 0, sizeof *report);
    report->count = CL_LAYER_REPORTS;
    for (uint32_t i = 0; i < report->count; i++) {
        report->layers[i].bit = layers[i];
        report->layers[i].stands = true;
        report->isolation |= layers[i];
    }
    for (uint32_t i = 0; i < plan->gap_count; i++)
        cl_report_fail(report, plan->gaps[i].layer, plan->gaps[i].os_errno, plan->gaps[i].step);
}

bool cl_report_stands(const cl_zygote_report *report, uint32_t layer)
{
    return (report->isolation & layer) != 0;
}

bool cl_report_is_sound(const cl_zygote_report *report)
{
    uint32_t isolation = 0;

    if (report->count != CL_LAYER_REPORTS)
        return false;
    for (uint32_t i = 0; i < report->count; i++) {
        const cl_layer_report *entry = &report->layers[i];
        if (entry->bit != layers[i] || memchr(entry->step, '\0', sizeof entry->step) == NULL ||
            memchr(entry->remedy, '\0', sizeof entry->remedy) == NULL)
            return false;
        if (entry->stands)
            isolation |= entry->bit;
    }
    return isolation == report->isolation;
}
