#include "isolate/guest.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "isolate/image.h"
#include "isolate/result.h"
#include "isolate/table.h"
#include "isolate/typescript/translation.h"

/* Everything a run can change outside linear memory. */
static void assign_state(cl_guest *guest)
{
    *guest->instance = (Z_quickjs_instance_t){
        .Z_env_instance = (struct Z_env_instance_t *)guest,
        .Z_wasi_snapshot_preview1_instance = (struct Z_wasi_snapshot_preview1_instance_t *)guest,
        .w2c___stack_pointer = cl_image_get()->shape.stack_pointer,
        .w2c_memory = cl_slot_descriptor(&guest->slot),
        .w2c___indirect_function_table = cl_table_get(),
    };
    memset(&guest->run, 0, sizeof guest->run);
}

cloche_status cl_guest_reserve(cl_guest **out, cloche_error *err)
{
    cloche_status rc;
    cl_guest *guest = calloc(1, sizeof *guest);

    *out = NULL;
    if (guest == NULL)
        return cl_error_set(err, CLOCHE_E_NOMEM, 0, "guest", "cannot allocate a slot");
    if ((rc = cl_slot_reserve(&guest->slot, &cl_image_get()->shape, cl_image_bytes(), err)) < 0) {
        free(guest);
        return rc;
    }
    guest->instance = cl_slot_instance(&guest->slot, offsetof(Z_quickjs_instance_t, w2c_memory));
    *out = guest;
    return CLOCHE_OK;
}

cloche_status cl_guest_fill(cl_guest *guest, cloche_error *err)
{
    cloche_status rc;

    if ((rc = cl_slot_fill(&guest->slot, err)) < 0)
        return rc;
    assign_state(guest);
    return CLOCHE_OK;
}

cloche_status cl_guest_open(cl_guest **out, cloche_error *err)
{
    cloche_status rc;

    if ((rc = cl_guest_reserve(out, err)) < 0)
        return rc;
    if ((rc = cl_guest_fill(*out, err)) < 0) {
        cl_guest_close(*out);
        *out = NULL;
    }
    return rc;
}

void cl_guest_close(cl_guest *guest)
{
    if (guest == NULL)
        return;
    cl_slot_close(&guest->slot);
    free(guest);
}

static void free_run(cl_run *run)
{
    cl_buf_fini(&run->out.kept);
    cl_buf_fini(&run->err.kept);
    cl_buf_fini(&run->scratch);
    cl_buf_fini(&run->json);
    cl_translation_unref(run->translation);
    free(run->word.message);
    cl_result_set_text(&run->part.name, NULL, 0);
    cl_result_set_text(&run->part.message, NULL, 0);
    cl_result_set_text(&run->part.stack, NULL, 0);
}

void cl_guest_reset(cl_guest *guest)
{
    free_run(&guest->run);
    cl_slot_reset(&guest->slot);
    assign_state(guest);
}
