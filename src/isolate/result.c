#include "isolate/result.h"

#include <stdlib.h>
#include <string.h>

#include <cloche/json.h>

cloche_result *cl_result_new(void)
{
    cloche_result *result = calloc(1, sizeof *result);

    if (result == NULL)
        return NULL;
    result->size = sizeof *result;
    result->code = CLOCHE_CODE_INTERNAL;
    result->exit_code = -1;
    return result;
}

void cl_result_take_text(cloche_text *to, char *data, size_t length)
{
    free((char *)to->data);
    to->data = data;
    to->length = data == NULL ? 0 : length;
}

bool cl_result_set_text(cloche_text *to, const char *data, size_t length)
{
    char *copy = NULL;

    if (data != NULL && (copy = malloc(length + 1)) != NULL) {
        memcpy(copy, data, length);
        copy[length] = '\0';
    }
    cl_result_take_text(to, copy, length);
    return (copy == NULL) == (data == NULL);
}

void cloche_result_destroy(cloche_result *result)
{
    if (result == NULL)
        return;
    cloche_text *texts[] = {
        &result->value,       &result->out,            &result->err,          &result->error,         &result->detail.name,
        &result->detail.message, &result->detail.stack, &result->detail.cause, &result->detail.errors,
        &result->detail.hint,
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        cl_result_take_text(texts[i], NULL, 0);
    free(result);
}

cloche_result *cloche_result_invalid(cloche_code code, const char *text)
{
    cloche_result *result = cl_result_new();

    if (result == NULL)
        return NULL;
    /* There is no way to say success here. */
    result->code = code == CLOCHE_CODE_NONE ? CLOCHE_CODE_INTERNAL : code;
    result->exit_code = cloche_code_exit(result->code);
    if (text == NULL)
        text = cloche_code_name(result->code);
    if (cl_result_set_text(&result->out, "", 0) && cl_result_set_text(&result->err, "", 0) &&
        cl_result_set_text(&result->error, text, strlen(text)))
        return result;
    cloche_result_destroy(result);
    return NULL;
}
