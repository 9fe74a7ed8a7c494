#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backend/process/cgroup.h"

enum { TEXT_BYTES = 65536 };

/* Whether `word` is one of a comma-separated list. */
static bool has_word(const char *list, size_t length, const char *word)
{
    size_t want = strlen(word);

    while (length > 0) {
        const char *comma = memchr(list, ',', length);
        size_t n = comma == NULL ? length : (size_t)(comma - list);
        if (n == want && memcmp(list, word, n) == 0)
            return true;
        n += comma != NULL;
        list += n;
        length -= n;
    }
    return false;
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end == NULL ? NULL : end + 1;
}

static size_t line_length(const char *line)
{
    return strcspn(line, "\n");
}

/* "4:memory,other:/own/group": the group of the controller. "0::/own/group" is that of v2, for controller "". */
static bool find_group(const char *groups, const char *controller, const char **group, size_t *length)
{
    for (const char *line = groups; line != NULL && *line != '\0'; line = next_line(line)) {
        const char *end = line + line_length(line);
        const char *first = memchr(line, ':', (size_t)(end - line));
        const char *second = first == NULL ? NULL : memchr(first + 1, ':', (size_t)(end - first - 1));
        if (second == NULL)
            continue;
        size_t names = (size_t)(second - first - 1);
        if (controller[0] == '\0' ? names != 0 : !has_word(first + 1, names, controller))
            continue;
        *group = second + 1;
        *length = (size_t)(end - second - 1);
        return true;
    }
    return false;
}

typedef struct field {
    const char *at;
    size_t length;
} field;

/* The fields of a line of mountinfo that matter: 4th root, 5th mount point; after " - ": type, source, options. */
static bool split_mount(const char *line, size_t length, field *root, field *point, field *type, field *options)
{
    const char *end = line + length, *dash = memmem(line, length, " - ", 3);
    field fields[5];
    const char *at = line;

    if (dash == NULL)
        return false;
    for (int i = 0; i < 5; i++) {
        fields[i].at = at;
        fields[i].length = strcspn(at, " \n");
        at += fields[i].length;
        if (at >= dash && i < 4)
            return false;
        at++;
    }
    *root = fields[3];
    *point = fields[4];
    at = dash + 3;
    type->at = at;
    type->length = strcspn(at, " \n");
    at += type->length + 1;
    if (at >= end)
        return false;
    at += strcspn(at, " \n") + 1;
    if (at >= end)
        return false;
    options->at = at;
    options->length = (size_t)(end - at);
    return true;
}

/* mount point + (group without the part above the mount's root). */
static bool join(field root, field point, const char *group, size_t length, char *out, uint32_t size)
{
    int n;

    if (root.length == 1 && root.at[0] == '/')
        root.length = 0;
    if (length < root.length || memcmp(group, root.at, root.length) != 0 ||
        (length > root.length && group[root.length] != '/'))
        return false;
    group += root.length;
    length -= root.length;
    if (length == 1)
        length = 0; /* "/" */
    n = snprintf(out, size, "%.*s%.*s", (int)point.length, point.at, (int)length, group);
    return n > 0 && (uint32_t)n < size;
}

static bool find_mount(const char *mounts, const char *wanted_type, const char *controller, const char *group,
                       size_t length, char *out, uint32_t size)
{
    for (const char *line = mounts; line != NULL && *line != '\0'; line = next_line(line)) {
        field root, point, type, options;
        if (!split_mount(line, line_length(line), &root, &point, &type, &options))
            continue;
        if (type.length != strlen(wanted_type) || memcmp(type.at, wanted_type, type.length) != 0)
            continue;
        if (controller[0] != '\0' && !has_word(options.at, options.length, controller))
            continue;
        if (join(root, point, group, length, out, size))
            return true;
    }
    return false;
}

bool cl_cgroup_find(const char *groups, const char *mounts, const char *controller, cl_cgroup_kind *kind, char *out,
                    uint32_t size)
{
    const char *group;
    size_t length;

    *kind = CL_CGROUP_NONE;
    if (find_group(groups, controller, &group, &length) &&
        find_mount(mounts, "cgroup", controller, group, length, out, size))
        *kind = CL_CGROUP_V1;
    else if (find_group(groups, "", &group, &length) && find_mount(mounts, "cgroup2", "", group, length, out, size))
        *kind = CL_CGROUP_V2;
    return *kind != CL_CGROUP_NONE;
}

static bool read_text(const char *path, char *out, size_t size)
{
    size_t length = 0;
    ssize_t n = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return false;
    while (length < size - 1 && (n = read(fd, out + length, size - 1 - length)) > 0)
        length += (size_t)n;
    close(fd);
    out[length] = '\0';
    return n >= 0;
}

static bool file_has_word(const char *folder, const char *name, const char *word)
{
    char path[CL_CGROUP_PATH + 64], text[512];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!read_text(path, text, sizeof text))
        return false;
    for (char *c = text; *c != '\0'; c++)
        if (*c == ' ' || *c == '\n')
            *c = ',';
    return has_word(text, strlen(text), word);
}

/* Whether groups made in this one get a memory controller; tries to switch it on where it is off. */
static bool gives_memory(const char *folder)
{
    char path[CL_CGROUP_PATH + 64];
    int fd;

    if (file_has_word(folder, "cgroup.subtree_control", "memory"))
        return true;
    if (!file_has_word(folder, "cgroup.controllers", "memory"))
        return false;
    snprintf(path, sizeof path, "%s/cgroup.subtree_control", folder);
    if ((fd = open(path, O_WRONLY | O_CLOEXEC)) < 0)
        return false;
    bool gives = write(fd, "+memory", 7) == 7;
    if (write(fd, "+pids", 5) < 0)
        errno = 0; /* a second wall only: RLIMIT_NPROC and seccomp stand */
    close(fd);
    return gives;
}

/* The folder of v2 in which groups can be made: ours, or the one it lies in. */
static bool find_parent_v2(char *folder, int *why)
{
    char *slash;

    if (!file_has_word(folder, "cgroup.controllers", "memory")) {
        *why = ENODEV; /* the memory controller is not in this hierarchy, or not given to us */
        return false;
    }
    if (gives_memory(folder) && access(folder, W_OK) == 0)
        return true;
    if ((slash = strrchr(folder, '/')) == NULL || slash == folder) {
        *why = EBUSY;
        return false;
    }
    *slash = '\0';
    if (access(folder, W_OK) < 0) {
        *why = errno;
        return false;
    }
    *why = EBUSY; /* a group that has processes cannot have groups with controllers */
    return gives_memory(folder);
}

static bool append_name(char *path, const char *name)
{
    size_t length = strlen(path);
    int n = snprintf(path + length, CL_CGROUP_PATH - length, "/%s", name);

    return n > 0 && (size_t)n < CL_CGROUP_PATH - length;
}

void cl_cgroup_choose(cl_cgroup_place *out)
{
    static _Atomic uint32_t counter;
    static const char nothing[] = "";
    char groups[4096], mounts[TEXT_BYTES], name[64];
    cl_cgroup_kind pids_kind;
    bool is_found;

    memset(out, 0, sizeof *out);
    out->os_errno = ENOENT;
    if (!read_text("/proc/self/cgroup", groups, sizeof groups) ||
        !read_text("/proc/self/mountinfo", mounts, sizeof mounts))
        return;
    is_found = cl_cgroup_find(groups, mounts, "memory", &out->kind, out->memory, sizeof out->memory);
    if (is_found && out->kind == CL_CGROUP_V2)
        is_found = find_parent_v2(out->memory, &out->os_errno);
    else if (is_found && access(out->memory, W_OK) < 0) {
        out->os_errno = errno;
        is_found = false;
    }
    snprintf(name, sizeof name, "cloche-%d-%u", (int)getpid(),
             atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed));
    if (!is_found || !append_name(out->memory, name)) {
        out->kind = CL_CGROUP_NONE;
        return;
    }
    out->os_errno = 0;
    if (out->kind == CL_CGROUP_V1 &&
        !(cl_cgroup_find(groups, mounts, "pids", &pids_kind, out->pids, sizeof out->pids) &&
          pids_kind == CL_CGROUP_V1 && access(out->pids, W_OK) == 0 && append_name(out->pids, name)))
        memcpy(out->pids, nothing, sizeof nothing);
}
