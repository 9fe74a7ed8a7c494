#include "backend/process/plan.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

#include <cloche/sandbox.h>

#ifndef CLONE_NEWCGROUP
#define CLONE_NEWCGROUP 0x02000000
#endif

/* When a row is part of the list. */
enum {
    ALWAYS = 0,
    ROOT = 1 << 0,     /* the caller is root */
    NESTED = 1 << 1,   /* namespaces are made inside a user namespace, without privilege outside */
    DIRECT = 1 << 2,   /* root makes them itself, there being no user namespace */
    CAPABLE = 1 << 3,  /* either of them: there are capabilities to give up */
    LANDLOCKED = 1 << 4,
    GROUPED = 1 << 5,
};

enum { USERNS = CLOCHE_LAYER_USERNS, PIDNS = CLOCHE_LAYER_PIDNS, NETNS = CLOCHE_LAYER_NETNS,
       MOUNTNS = CLOCHE_LAYER_MOUNTNS, SECCOMP = CLOCHE_LAYER_SECCOMP, LANDLOCK = CLOCHE_LAYER_LANDLOCK,
       RLIMIT = CLOCHE_LAYER_RLIMIT, CGROUP = CLOCHE_LAYER_CGROUP };

/* Values that are not known before the limits are. */
enum { MEMORY = -1, GROUP = -2, ABI = -3 };

enum { MIB = 1 << 20, CPU_SECONDS = 4 * 3600, SERVER_FDS = 16 };

typedef struct row {
    cl_step_who who;
    cl_step_op op;
    int when;
    uint32_t layer;
    bool is_optional;
    int which;
    int64_t value;
    const char *name, *why;
} row;

#define SUPERVISOR CL_WHO_SUPERVISOR
#define ZYGOTE CL_WHO_ZYGOTE
#define SERVER CL_WHO_SERVER
#define CHILD CL_WHO_CHILD
#define PRIVILEGES CL_PLAN_PRIVILEGES

/* clang-format off */
static const row rows[] = {
    /* ---- the supervisor: tied to the host, outlives everything else ---- */
    { SUPERVISOR, CL_STEP_DEATH_SIGNAL, ALWAYS, 0, false, SIGCONT, 0, "prctl(PR_SET_PDEATHSIG)",
      "the end of the host is heard even when its descriptors live on, and by a stopped process too" },
    { SUPERVISOR, CL_STEP_CGROUP_MAKE, GROUPED, CGROUP, false, 0, GROUP, "mkdir(cgroup)",
      "all children together stay within the memory the host has granted; removed when the last one is gone" },

    /* ---- the zygote: out of the caller's identity, into the namespaces ---- */
    { ZYGOTE, CL_STEP_DEATH_SIGNAL, ALWAYS, 0, false, SIGKILL, 0, "prctl(PR_SET_PDEATHSIG)",
      "dies with the supervisor" },
    { ZYGOTE, CL_STEP_CGROUP_JOIN, GROUPED, CGROUP, false, 0, 0, "write(cgroup.procs)",
      "while the identity that may write there is still held; every child is born in the group" },
    { ZYGOTE, CL_STEP_OOM_SCORE, ALWAYS, 0, true, 0, 1000, "write(oom_score_adj)",
      "when the machine runs out of memory a guest dies before its host" },
    { ZYGOTE, CL_STEP_UNSHARE, DIRECT, PIDNS, false, CLONE_NEWPID, 0, "unshare(CLONE_NEWPID)",
      "no process outside has a number in here, and the end of the server is the end of all" },
    { ZYGOTE, CL_STEP_UNSHARE, DIRECT, MOUNTNS, false, CLONE_NEWNS, 0, "unshare(CLONE_NEWNS)",
      "mounts can be taken away without taking them from the host" },
    { ZYGOTE, CL_STEP_UNSHARE, DIRECT, NETNS, false, CLONE_NEWNET, 0, "unshare(CLONE_NEWNET)",
      "a network without any interface, and abstract sockets of its own" },
    { ZYGOTE, CL_STEP_UNSHARE, DIRECT, NETNS, false, CLONE_NEWIPC, 0, "unshare(CLONE_NEWIPC)",
      "no shared memory or message queue of the host" },
    { ZYGOTE, CL_STEP_UNSHARE, DIRECT, MOUNTNS, false, CLONE_NEWUTS, 0, "unshare(CLONE_NEWUTS)",
      "the host's name is not told" },
    { ZYGOTE, CL_STEP_UNSHARE, DIRECT, MOUNTNS, false, CLONE_NEWCGROUP, 0, "unshare(CLONE_NEWCGROUP)",
      "the host's groups are not told" },
    { ZYGOTE, CL_STEP_CHANGE_IDS, ROOT | NESTED, RLIMIT, false, 0, CL_PLAN_NOBODY, "setresuid(65534)",
      "the one id inside must not be root outside; RLIMIT_NPROC does not bind root" },
    { ZYGOTE, CL_STEP_DUMPABLE, ROOT | NESTED, 0, true, 0, 1, "prctl(PR_SET_DUMPABLE, 1)",
      "the map files of /proc/self belong to us again; taken back below" },
    { ZYGOTE, CL_STEP_UNSHARE, NESTED, USERNS, false, CLONE_NEWUSER, 0, "unshare(CLONE_NEWUSER)",
      "what follows needs no privilege outside, and capabilities in here are worth nothing out there" },
    { ZYGOTE, CL_STEP_MAP_IDS, NESTED, USERNS, false, 0, CL_PLAN_NOBODY, "write(uid_map)",
      "one id, setgroups denied: there is no other id to become" },
    { ZYGOTE, CL_STEP_UNSHARE, NESTED, PIDNS, false, CLONE_NEWPID, 0, "unshare(CLONE_NEWPID)",
      "no process outside has a number in here, and the end of the server is the end of all" },
    { ZYGOTE, CL_STEP_UNSHARE, NESTED, MOUNTNS, false, CLONE_NEWNS, 0, "unshare(CLONE_NEWNS)",
      "mounts can be taken away without taking them from the host" },
    { ZYGOTE, CL_STEP_UNSHARE, NESTED, NETNS, false, CLONE_NEWNET, 0, "unshare(CLONE_NEWNET)",
      "a network without any interface, and abstract sockets of its own" },
    { ZYGOTE, CL_STEP_UNSHARE, NESTED, NETNS, false, CLONE_NEWIPC, 0, "unshare(CLONE_NEWIPC)",
      "no shared memory or message queue of the host" },
    { ZYGOTE, CL_STEP_UNSHARE, NESTED, MOUNTNS, false, CLONE_NEWUTS, 0, "unshare(CLONE_NEWUTS)",
      "the host's name is not told" },
    { ZYGOTE, CL_STEP_UNSHARE, NESTED, MOUNTNS, false, CLONE_NEWCGROUP, 0, "unshare(CLONE_NEWCGROUP)",
      "the host's groups are not told" },

    /* ---- the server: nothing to see, nothing to regain; then it listens ---- */
    { SERVER, CL_STEP_MOUNTS_PRIVATE, CAPABLE, MOUNTNS, false, 0, 0, "mount(MS_REC | MS_PRIVATE)",
      "no mount travels to the host or from it" },
    { SERVER, CL_STEP_EMPTY_ROOT, CAPABLE, MOUNTNS, false, 0, 0, "pivot_root(tmpfs)",
      "an empty folder, read-only, no devices, no set-id, nothing executable; the old root is detached" },
    { SERVER, CL_STEP_HOST_NAME, CAPABLE, MOUNTNS, false, 0, 0, "sethostname(cloche)",
      "the same name everywhere" },
    { SERVER, CL_STEP_DROP_BOUNDING, CAPABLE, PRIVILEGES, true, 0, 0, "prctl(PR_CAPBSET_DROP)",
      "no program could bring a capability back; no_new_privs says so too" },
    { SERVER, CL_STEP_LOCK_SECUREBITS, CAPABLE, PRIVILEGES, true, 0, 0, "prctl(PR_SET_SECUREBITS)",
      "uid 0 means nothing in here; no_new_privs covers it where this is refused" },
    { SERVER, CL_STEP_CHANGE_IDS, ROOT | DIRECT, RLIMIT, false, 0, CL_PLAN_NOBODY, "setresuid(65534)",
      "after the steps that only root can do; RLIMIT_NPROC does not bind root" },
    { SERVER, CL_STEP_DROP_CAPABILITIES, ALWAYS, PRIVILEGES, false, 0, 0, "capset(none)",
      "after mounting and naming, which need them" },
    { SERVER, CL_STEP_NO_NEW_PRIVS, ALWAYS, PRIVILEGES, false, 0, 0, "prctl(PR_SET_NO_NEW_PRIVS)",
      "no program gives privilege; without it landlock and seccomp are refused" },
    { SERVER, CL_STEP_RLIMIT, ALWAYS, RLIMIT, false, RLIMIT_CORE, 0, "setrlimit(RLIMIT_CORE)",
      "a guest's memory is never written to a disk" },
    { SERVER, CL_STEP_RLIMIT, ALWAYS, RLIMIT, false, RLIMIT_FSIZE, 0, "setrlimit(RLIMIT_FSIZE)",
      "no file can be written, not even a nameless one" },
    { SERVER, CL_STEP_RLIMIT, ALWAYS, RLIMIT, false, RLIMIT_MEMLOCK, 0, "setrlimit(RLIMIT_MEMLOCK)",
      "no memory is pinned" },
    { SERVER, CL_STEP_RLIMIT, ALWAYS, RLIMIT, false, RLIMIT_MSGQUEUE, 0, "setrlimit(RLIMIT_MSGQUEUE)",
      "no message queue" },
    { SERVER, CL_STEP_RLIMIT, ALWAYS, RLIMIT, false, RLIMIT_NOFILE, SERVER_FDS, "setrlimit(RLIMIT_NOFILE)",
      "the server holds five descriptors and a child's socket for a moment" },
    { SERVER, CL_STEP_LANDLOCK, LANDLOCKED, LANDLOCK, false, 0, ABI, "landlock_restrict_self()",
      "every right that this kernel knows is handled, none is granted; after the mounts, which it would refuse" },
    { SERVER, CL_STEP_DUMPABLE, ALWAYS, PRIVILEGES, false, 0, 0, "prctl(PR_SET_DUMPABLE, 0)",
      "processes of the same id elsewhere cannot trace us or read our memory" },
    { SERVER, CL_STEP_DEATH_SIGNAL, ALWAYS, 0, false, SIGKILL, 0, "prctl(PR_SET_PDEATHSIG)",
      "dies with the supervisor; armed here because changing the identity disarms it" },

    /* ---- a child: limits, its own mappings, then the filter ---- */
    { CHILD, CL_STEP_DEATH_SIGNAL, ALWAYS, 0, false, SIGKILL, 0, "prctl(PR_SET_PDEATHSIG)",
      "dies with the server, also where there is no pid namespace" },
    { CHILD, CL_STEP_CLOSE_FDS, ALWAYS, 0, false, 0, 0, "close_range()",
      "its own socket is all it has: no control socket, nobody else's socket" },
    { CHILD, CL_STEP_RLIMIT, ALWAYS, RLIMIT, false, RLIMIT_NPROC, 0, "setrlimit(RLIMIT_NPROC)",
      "no process and no thread can be made" },
    { CHILD, CL_STEP_RLIMIT, ALWAYS, RLIMIT, false, RLIMIT_NOFILE, CL_PLAN_CHILD_FDS, "setrlimit(RLIMIT_NOFILE)",
      "no descriptor beyond the socket" },
    { CHILD, CL_STEP_RLIMIT, ALWAYS, RLIMIT, false, RLIMIT_CPU, CPU_SECONDS, "setrlimit(RLIMIT_CPU)",
      "far above any run: ends what every other clock has missed" },
    { CHILD, CL_STEP_RLIMIT, ALWAYS, RLIMIT, false, RLIMIT_STACK, 8 * MIB, "setrlimit(RLIMIT_STACK)",
      "the host's own setting may be unlimited" },
    { CHILD, CL_STEP_RLIMIT_DATA, ALWAYS, RLIMIT, false, RLIMIT_DATA, MEMORY, "setrlimit(RLIMIT_DATA)",
      "when all mappings are made: the kernel's wall behind the engine's growth check (not RLIMIT_AS: rlimit.c)" },
    { CHILD, CL_STEP_SECCOMP, ALWAYS, SECCOMP, false, 0, 0, "seccomp(allow list)",
      "last, since it forbids everything above; what is not named kills" },
};
/* clang-format on */

static int64_t value_of(const row *r, const cl_plan_input *input)
{
    if (r->value == MEMORY)
        return (int64_t)input->memory_bytes;
    if (r->value == GROUP)
        return (int64_t)input->group_bytes;
    if (r->value == ABI)
        return input->landlock_abi;
    return r->value;
}

static bool is_left_out(const cl_plan_input *input, uint32_t layer)
{
    return (input->left_out & layer) != 0;
}

/* Conditions that hold. */
static int conditions(const cl_plan_input *input)
{
    int holds = 0;

    if (input->is_root)
        holds |= ROOT;
    if (input->userns_errno == 0 && !is_left_out(input, USERNS))
        holds |= NESTED;
    else if (input->is_root)
        holds |= DIRECT;
    if (holds & (NESTED | DIRECT))
        holds |= CAPABLE;
    if (input->landlock_abi > 0)
        holds |= LANDLOCKED;
    if (input->cgroup != CL_CGROUP_NONE && input->group_bytes > 0)
        holds |= GROUPED;
    return holds;
}

static void gap(cl_plan *out, uint32_t layer, int os_errno, const char *step)
{
    out->gaps[out->gap_count++] = (cl_plan_gap){ layer, os_errno, step };
}

static void make_gaps(const cl_plan_input *input, int holds, cl_plan *out)
{
    static const uint32_t namespaces[] = { PIDNS, NETNS, MOUNTNS };
    static const char left_out[] = "left out";

    if (is_left_out(input, USERNS))
        gap(out, USERNS, 0, left_out);
    else if (!(holds & NESTED))
        gap(out, USERNS, input->userns_errno, "unshare(CLONE_NEWUSER)");
    for (unsigned i = 0; i < sizeof namespaces / sizeof namespaces[0]; i++)
        if (is_left_out(input, namespaces[i]))
            gap(out, namespaces[i], 0, left_out);
        else if (!(holds & CAPABLE))
            gap(out, namespaces[i], input->userns_errno, "needs userns or root");
    if (is_left_out(input, LANDLOCK))
        gap(out, LANDLOCK, 0, left_out);
    else if (!(holds & LANDLOCKED))
        gap(out, LANDLOCK, input->landlock_errno, "landlock_create_ruleset()");
    if (is_left_out(input, SECCOMP))
        gap(out, SECCOMP, 0, left_out);
    if (is_left_out(input, RLIMIT))
        gap(out, RLIMIT, 0, left_out);
    if (is_left_out(input, CGROUP))
        gap(out, CGROUP, 0, left_out);
    else if (input->group_bytes == 0)
        gap(out, CGROUP, 0, "not asked for");
    else if (!(holds & GROUPED))
        gap(out, CGROUP, input->cgroup_errno, "find a writable memory cgroup");
}

void cl_plan_make(const cl_plan_input *input, cl_plan *out)
{
    int holds = conditions(input);

    _Static_assert(sizeof rows / sizeof rows[0] <= CL_PLAN_MOST, "every row has its place");
    out->count = out->gap_count = 0;
    make_gaps(input, holds, out);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const row *r = &rows[i];
        /* Giving up the identity is counted to rlimit, but is part of privileges where those are left out. */
        uint32_t layer = r->op == CL_STEP_CHANGE_IDS ? PRIVILEGES : r->layer;
        if ((r->when & ~holds) != 0 || is_left_out(input, layer))
            continue;
        out->steps[out->count++] = (cl_step){ r->who,   r->op,   r->layer, r->is_optional,
                                              r->which, (uint64_t)value_of(r, input), r->name, r->why };
    }
}
