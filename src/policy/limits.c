#include "policy/limits.h"

#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"

enum { PER_RUN_SANDBOX = 0, PER_RUN_RUN = 1 };

static const cloche_limit_info table[] = {
#define CLOCHE_X(field_, option_, dflt_, least_, most_, scope_, text_)                                              \
    { .option = option_,                                                                                            \
      .field = #field_,                                                                                             \
      .text = text_,                                                                                                \
      .dflt = dflt_,                                                                                                \
      .least = least_,                                                                                              \
      .most = most_,                                                                                                \
      .offset = (uint32_t)offsetof(cloche_limits, field_),                                                          \
      .per_run = PER_RUN_##scope_ },
    CLOCHE_LIMIT_LIST(CLOCHE_X)
#undef CLOCHE_X
};

#define TABLE_COUNT ((uint32_t)(sizeof table / sizeof table[0]))

/* The struct stands in the middle of others, so its size never changes. */
_Static_assert(sizeof(cloche_limits) == sizeof(uint32_t) * 32, "a new limit takes one of the reserved words");

void cloche_limits_init(cloche_limits *limits)
{
    *limits = (cloche_limits)CLOCHE_LIMITS_INIT;
}

const cloche_limit_info *cloche_limits_table(uint32_t *count)
{
    if (count != NULL)
        *count = TABLE_COUNT;
    return table;
}

const cloche_limit_info *cloche_limits_find(const char *option)
{
    for (uint32_t i = 0; i < TABLE_COUNT; i++)
        if (strcmp(table[i].option, option) == 0)
            return &table[i];
    return NULL;
}

uint32_t cloche_limits_get(const cloche_limits *limits, const cloche_limit_info *info)
{
    uint32_t value;

    memcpy(&value, (const char *)limits + info->offset, sizeof value);
    return value;
}

void cloche_limits_set(cloche_limits *limits, const cloche_limit_info *info, uint32_t value)
{
    memcpy((char *)limits + info->offset, &value, sizeof value);
}

static cloche_status check(const cloche_limit_info *info, uint32_t value, cl_scope scope, cloche_error *err)
{
    if (scope == CL_SCOPE_RUN && !info->per_run)
        return cl_error_set(err, CLOCHE_E_INVAL, 0, "limits", "%s: belongs to the sandbox, not to a run", info->option);
    if (value < info->least || value > info->most)
        return cl_error_set(err, CLOCHE_E_INVAL, 0, "limits", "%s: given %u, allowed %u..%u", info->option, value,
                            info->least, info->most);
    return CLOCHE_OK;
}

static cloche_status copy(cloche_limits *to, const cloche_limits *from, cloche_error *err)
{
    cloche_status rc = cl_sized_copy(to, sizeof *to, from, "limits", err);

    for (size_t i = 0; rc == CLOCHE_OK && i < sizeof to->reserved / sizeof to->reserved[0]; i++)
        if (to->reserved[i] != 0)
            rc = cl_error_set(err, CLOCHE_E_TOOBIG, 0, "limits",
                              "limits: reserved[%zu] is set, a limit that this library does not know", i);
    return rc;
}

cloche_status cl_limits_resolve(const cloche_limits *given, const cloche_limits *base, cl_scope scope,
                                cloche_limits *out, cloche_error *err)
{
    cloche_limits asked = CLOCHE_LIMITS_INIT, resolved = CLOCHE_LIMITS_INIT;
    cloche_status rc;

    cloche_limits_init(out);
    if (given != NULL && (rc = copy(&asked, given, err)) < 0)
        return rc;
    for (uint32_t i = 0; i < TABLE_COUNT; i++) {
        const cloche_limit_info *info = &table[i];
        uint32_t value = cloche_limits_get(&asked, info);

        if (value != 0 && (rc = check(info, value, scope, err)) < 0)
            return rc;
        if (value == 0)
            value = base != NULL ? cloche_limits_get(base, info) : info->dflt;
        cloche_limits_set(&resolved, info, value);
    }
    *out = resolved;
    return CLOCHE_OK;
}
