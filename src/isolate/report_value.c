/* report_value.c - the value as JSON text: written inside the run, copied, then checked */
#include "isolate/report.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/json_span.h"
#include "isolate/result.h"

static void keep_value(cl_guest *guest, const char *data, size_t length)
{
    cloche_result *result = guest->run.result;
    size_t most = guest->run.request->limits.max_result_bytes;

    if (length > most) {
        cl_report_text(guest, CLOCHE_CODE_EXECUTION_ERROR, "the value has %zu bytes as JSON; maxResultBytes is %zu",
                       length, most);
        return;
    }

    cl_report_clear(result);
    if (data != NULL && !cl_result_set_text(&result->value, data, length)) {
        cl_report_text(guest, CLOCHE_CODE_INTERNAL, "host memory: no room for a value of %zu bytes", length);
        return;
    }
    result->ok = true;
    cl_report_conclude(guest, CLOCHE_CODE_NONE);
}

/* A string is quoted here: several times as fast as in the engine, and no guest code has a part in it. */
static void keep_string(cl_guest *guest, cl_value value)
{
    cl_buf *json = &guest->run.json;
    cl_text text = cl_engine_text_of(guest, value);
    size_t most = guest->run.request->limits.max_result_bytes;
    size_t length;

    if (text.data == NULL) {
        cl_report_text(guest, CLOCHE_CODE_EXECUTION_ERROR, "the value's text could not be read");
        return;
    }
    cl_buf_init(json, most);
    if (!cl_buf_json_string(json, text.data, text.length)) {
        cl_report_text(guest, CLOCHE_CODE_EXECUTION_ERROR,
                       "the value has more than %zu bytes as JSON; maxResultBytes is %zu", most, most);
        cl_buf_fini(json);
        return;
    }
    cl_report_clear(guest->run.result);
    char *data = cl_buf_take(json, &length);
    cl_result_take_text(&guest->run.result->value, data, length);
    guest->run.result->ok = true;
    cl_report_conclude(guest, CLOCHE_CODE_NONE);
}

void cl_report_value(cl_guest *guest, cl_value value)
{
    char number[16];
    cl_text text;
    cl_json_fault fault;
    cl_json_span span;

    switch (cl_value_tag(value)) { /* what needs no call */
    case CL_TAG_UNDEFINED:
        keep_value(guest, NULL, 0);
        return;
    case CL_TAG_NULL:
        keep_value(guest, "null", 4);
        return;
    case CL_TAG_BOOL:
        keep_value(guest, cl_value_payload(value) ? "true" : "false", cl_value_payload(value) ? 4 : 5);
        return;
    case CL_TAG_STRING:
    case CL_TAG_STRING_ROPE:
        keep_string(guest, value);
        return;
    case CL_TAG_INT:
        keep_value(guest, number,
                   (size_t)snprintf(number, sizeof number, "%" PRId32, (int32_t)cl_value_payload(value)));
        return;
    }
    cl_value json = cl_engine_prelude(guest, CL_PRELUDE_stringify, 1, &value);
    if (cl_value_is_exception(json)) {
        cl_report_error(guest, CLOCHE_CODE_EXECUTION_ERROR, cl_engine_exception(guest));
        return;
    }
    if (cl_value_is_undefined(json)) {
        keep_value(guest, NULL, 0);
        return;
    }
    text = cl_engine_text_of(guest, json);
    if (text.data == NULL) {
        cl_report_text(guest, CLOCHE_CODE_EXECUTION_ERROR, "the value's JSON text could not be read");
        return;
    }
    keep_value(guest, text.data, text.length);
    /* Copied first, then checked. */
    const cloche_text *kept = &guest->run.result->value;
    if (guest->run.result->ok && !cl_json_check(kept->data, kept->length, CL_JSON_DEPTH, &span, &fault))
        cl_report_text(guest, CLOCHE_CODE_EXECUTION_ERROR, "value%s: %s", fault.path, fault.what);
}
