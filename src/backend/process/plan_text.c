#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cloche/sandbox.h>

#include "backend/process/plan.h"

typedef struct text {
    char *out;
    size_t size, length;
} text;

__attribute__((format(printf, 2, 3))) static void add(text *t, const char *format, ...)
{
    size_t room = t->length < t->size ? t->size - t->length : 0;
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(room > 0 ? t->out + t->length : NULL, room, format, args);
    va_end(args);
    if (n > 0)
        t->length += (size_t)n;
}

const char *cl_plan_who_name(cl_step_who who)
{
    static const char *const names[] = { "supervisor", "zygote", "server", "child" };
    return names[who];
}

const char *cl_plan_layer_name(uint32_t layer)
{
    switch (layer) {
#define CLOCHE_X(name, wire, bit) \
    case CLOCHE_LAYER_##name:     \
        return wire;
        CLOCHE_LAYER_LIST(CLOCHE_X)
#undef CLOCHE_X
    case CL_PLAN_PRIVILEGES:
        return "privileges";
    default:
        return "-";
    }
}

static void add_value(text *t, const cl_step *step)
{
    char value[32] = "";

    if (step->op == CL_STEP_RLIMIT || step->op == CL_STEP_RLIMIT_DATA || step->op == CL_STEP_CGROUP_MAKE ||
        step->op == CL_STEP_LANDLOCK)
        snprintf(value, sizeof value, "%llu", (unsigned long long)step->value);
    add(t, " %-11s", value);
}

size_t cl_plan_text(const cl_plan_input *input, char *out, size_t size)
{
    text t = { out, size, 0 };
    cl_plan plan;

    if (size > 0)
        out[0] = '\0';
    cl_plan_make(input, &plan);
    for (uint32_t i = 0; i < plan.count; i++) {
        const cl_step *step = &plan.steps[i];
        add(&t, "%2u  %-10s  %-10s  %-28s", i + 1, cl_plan_who_name(step->who), cl_plan_layer_name(step->layer),
            step->name);
        add_value(&t, step);
        add(&t, " %s\n", step->why);
    }
    for (uint32_t i = 0; i < plan.gap_count; i++) {
        const cl_plan_gap *gap = &plan.gaps[i];
        add(&t, " -  %-10s  %-10s  %-28s", "nobody", cl_plan_layer_name(gap->layer), gap->step);
        if (gap->os_errno != 0)
            add(&t, "             %s", strerror(gap->os_errno));
        add(&t, "\n");
    }
    return t.length;
}
