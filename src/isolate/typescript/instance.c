#include "isolate/typescript/instance.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"

/* ---- the table: one for all instances, read-only once built ---- */

enum { TABLE_ELEMENTS = 4096 };

static _Alignas(65536) wasm_rt_funcref_t table[TABLE_ELEMENTS];
static uint32_t table_size;
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

void cl_swc_build_table(Z_swc_instance_t *instance); /* appended to the module by recipe.cmake */
/* The module is compiled with this name in the place of wasm_rt's. */
void cl_typescript_allocate_table(wasm_rt_funcref_table_t *out, uint32_t elements, uint32_t max_elements);

void cl_typescript_allocate_table(wasm_rt_funcref_table_t *out, uint32_t elements, uint32_t max_elements)
{
    CL_ASSERT(elements <= TABLE_ELEMENTS);
    table_size = elements;
    *out = (wasm_rt_funcref_table_t){.data = table, .size = elements, .max_size = max_elements};
}

static void build_table(void)
{
    Z_swc_instance_t scratch = {0};
    cl_swc_build_table(&scratch);
    CL_ASSERT(mprotect(table, sizeof table, PROT_READ) == 0);
}

/* ---- the slot ---- */

static void assign_state(cl_typescript *typescript)
{
    *typescript->instance = (Z_swc_instance_t){
        .Z___wbindgen_placeholder___instance = (struct Z___wbindgen_placeholder___instance_t *)typescript,
        .w2c_g0 = cl_typescript_shape()->stack_pointer,
        .w2c_memory = cl_slot_descriptor(&typescript->slot),
        .w2c___wbindgen_export_1 = {.data = table, .size = table_size, .max_size = table_size},
    };
    typescript->unreached = NULL;
}

cloche_status cl_typescript_reserve(cl_typescript **out, cloche_error *err)
{
    cloche_status rc;
    cl_typescript *typescript = calloc(1, sizeof *typescript);

    *out = NULL;
    if (typescript == NULL)
        return cl_error_set(err, CLOCHE_E_NOMEM, 0, "typescript", "cannot allocate an instance");
    if ((rc = cl_slot_reserve(&typescript->slot, cl_typescript_shape(), cl_typescript_bytes(), err)) < 0) {
        free(typescript);
        return rc;
    }
    typescript->slot.open_growth = CL_TS_OPEN_GROWTH;
    pthread_once(&table_once, build_table);
    typescript->instance = cl_slot_instance(&typescript->slot, offsetof(Z_swc_instance_t, w2c_memory));
    cl_handles_clear(&typescript->handles);
    *out = typescript;
    return CLOCHE_OK;
}

cloche_status cl_typescript_fill(cl_typescript *typescript, cloche_error *err)
{
    cloche_status rc;

    if ((rc = cl_slot_fill(&typescript->slot, err)) < 0)
        return rc;
    assign_state(typescript);
    typescript->is_filled = true;
    return CLOCHE_OK;
}

void cl_typescript_close(cl_typescript *typescript)
{
    if (typescript == NULL)
        return;
    cl_handles_clear(&typescript->handles);
    cl_slot_close(&typescript->slot);
    free(typescript);
}

void cl_typescript_reset(cl_typescript *typescript)
{
    cl_handles_clear(&typescript->handles);
    cl_slot_reset(&typescript->slot);
    assign_state(typescript);
}

/* ---- a translation ---- */

static cl_js_text text(const char *data)
{
    return (cl_js_text){data, strlen(data)};
}

static uint32_t options_of(cl_typescript *typescript)
{
    const cl_ts_task *task = typescript->task;
    cl_handles *handles = &typescript->handles;
    cl_js_value yes = {.type = CL_JS_BOOLEAN, .boolean = true};
    cl_js_value is_module = {.type = CL_JS_BOOLEAN, .boolean = task->is_module};
    cl_js_value mode = {.type = CL_JS_TEXT, .text = text(task->mode == CL_TS_STRIP ? "strip-only" : "transform")};
    cl_js_value options, transform;

    CL_ASSERT(cl_handles_object(handles, &options) && cl_handles_object(handles, &transform));
    CL_ASSERT(cl_handles_set(handles, options, text("mode"), mode));
    CL_ASSERT(cl_handles_set(handles, options, text("module"), is_module));
    CL_ASSERT(cl_handles_set(handles, options, text("sourceMap"), yes));
    CL_ASSERT(cl_handles_set(handles, options, text("transform"), transform));
    /* As tsc for ESNext: fields stay fields, and a member of an enum is read where it is used. */
    CL_ASSERT(cl_handles_set(handles, transform, text("nativeClassProperties"), yes));
    CL_ASSERT(cl_handles_set(handles, transform, text("tsEnumIsMutable"), yes));
    return cl_handles_add(handles, options);
}

static cl_js_text text_member(cl_typescript *typescript, cl_js_value object, const char *name)
{
    cl_js_value value = cl_handles_member(&typescript->handles, object, text(name));
    return value.type == CL_JS_TEXT ? value.text : (cl_js_text){NULL, 0};
}

static uint32_t number_member(cl_typescript *typescript, cl_js_value object, const char *name)
{
    cl_js_value value = cl_handles_member(&typescript->handles, object, text(name));
    return value.type == CL_JS_NUMBER && value.number >= 0 && value.number < 4e9 ? (uint32_t)value.number : 0;
}

/* On the private stack. */
static void work_main(cl_slot *slot)
{
    cl_typescript *typescript = (cl_typescript *)(void *)slot;
    cl_ts_answer *answer = typescript->answer;
    Z_swc_instance_t *instance = typescript->instance;
    uint32_t words[3]; /* the value, the error, whether there is one */

    memcpy(typescript->handles.source, typescript->task->source, sizeof typescript->task->source);
    uint32_t source = cl_handles_add(&typescript->handles, (cl_js_value){.type = CL_JS_SOURCE});
    uint32_t options = options_of(typescript);
    uint32_t at = Z_swcZ___wbindgen_add_to_stack_pointer(instance, (uint32_t)-16);
    Z_swcZ_transformSync(instance, at, source, options);
    if (!cl_slot_holds(slot, instance->w2c_memory.size, at, sizeof words))
        cl_typescript_unreached(typescript, "transformSync");
    memcpy(words, cl_slot_at(slot, at), sizeof words); /* the stack pointer comes back with the reset */
    const cl_js_value *value = cl_handles_get(&typescript->handles, words[words[2] != 0]);
    if (value == NULL)
        cl_typescript_unreached(typescript, "transformSync");
    if (words[2] == 0) {
        answer->code = text_member(typescript, *value, "code");
        answer->map = text_member(typescript, *value, "map");
        answer->ok = answer->code.data != NULL;
        return;
    }
    cl_js_text code = text_member(typescript, *value, "code");
    answer->error = value->type == CL_JS_TEXT ? value->text : text_member(typescript, *value, "message");
    answer->is_unsupported = code.data != NULL && strcmp(code.data, "UnsupportedSyntax") == 0;
    answer->line = number_member(typescript, *value, "startLine");
    answer->cell = number_member(typescript, *value, "startColumn");
}

void cl_typescript_work(cl_thread *thread, cl_typescript *typescript, const cl_ts_task *task, const cl_until *until,
                        cl_ts_answer *answer)
{
    *answer = (cl_ts_answer){0};
    typescript->task = task;
    typescript->answer = answer;
    answer->left = cl_thread_enter(thread, &typescript->slot, work_main, until);
    if (answer->left != CL_LEAVE_NONE)
        *answer = (cl_ts_answer){.left = answer->left};
    typescript->task = NULL;
    typescript->answer = NULL;
}
