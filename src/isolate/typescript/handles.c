#include "isolate/typescript/handles.h"

#include <stdlib.h>
#include <string.h>

void cl_handles_clear(cl_handles *handles)
{
    for (uint32_t i = 0; i < handles->text_count; i++)
        free(handles->texts[i]);
    handles->text_count = handles->object_count = handles->first_free = 0;
    handles->end = CL_HANDLE_FIRST;
    memset(handles->source, 0, sizeof handles->source);
    handles->values[CL_HANDLE_UNDEFINED] = (cl_js_value){.type = CL_JS_UNDEFINED};
    handles->values[CL_HANDLE_NULL] = (cl_js_value){.type = CL_JS_NULL};
    handles->values[CL_HANDLE_TRUE] = (cl_js_value){.type = CL_JS_BOOLEAN, .boolean = true};
    handles->values[CL_HANDLE_FALSE] = (cl_js_value){.type = CL_JS_BOOLEAN, .boolean = false};
}

uint32_t cl_handles_add(cl_handles *handles, cl_js_value value)
{
    uint32_t handle = handles->first_free;

    if (handle != 0)
        handles->first_free = handles->next_free[handle];
    else if (handles->end < CL_HANDLE_MOST)
        handle = handles->end++;
    else
        return 0;
    handles->values[handle] = value;
    handles->next_free[handle] = CL_HANDLE_MOST; /* in use */
    return handle;
}

static bool is_live(const cl_handles *handles, uint32_t handle)
{
    if (handle < CL_HANDLE_FIRST)
        return handle >= CL_HANDLE_UNDEFINED;
    return handle < handles->end && handles->next_free[handle] == CL_HANDLE_MOST;
}

const cl_js_value *cl_handles_get(const cl_handles *handles, uint32_t handle)
{
    return is_live(handles, handle) ? &handles->values[handle] : NULL;
}

bool cl_handles_drop(cl_handles *handles, uint32_t handle)
{
    if (handle < CL_HANDLE_FIRST)
        return true;
    if (!is_live(handles, handle))
        return false;
    handles->next_free[handle] = handles->first_free;
    handles->first_free = handle;
    return true;
}

bool cl_handles_text(cl_handles *handles, const char *data, size_t length, cl_js_value *out)
{
    if (handles->text_count == CL_JS_TEXTS)
        return false;
    char *copy = malloc(length + 1);
    if (copy == NULL)
        return false;
    if (length > 0)
        memcpy(copy, data, length);
    copy[length] = '\0';
    handles->texts[handles->text_count++] = copy;
    *out = (cl_js_value){.type = CL_JS_TEXT, .text = {copy, length}};
    return true;
}

bool cl_handles_object(cl_handles *handles, cl_js_value *out)
{
    if (handles->object_count == CL_JS_OBJECTS)
        return false;
    handles->objects[handles->object_count].count = 0;
    *out = (cl_js_value){.type = CL_JS_OBJECT, .object = handles->object_count++};
    return true;
}

static uint32_t find(const cl_js_object *object, cl_js_text key)
{
    uint32_t i = 0;

    while (i < object->count && (object->members[i].key.length != key.length ||
                                 memcmp(object->members[i].key.data, key.data, key.length) != 0))
        i++;
    return i;
}

bool cl_handles_set(cl_handles *handles, cl_js_value object, cl_js_text key, cl_js_value value)
{
    if (object.type != CL_JS_OBJECT)
        return false;
    cl_js_object *to = &handles->objects[object.object];
    uint32_t at = find(to, key);
    if (at == CL_JS_MEMBERS)
        return false;
    to->count += at == to->count;
    to->members[at].key = key;
    to->members[at].value = value;
    return true;
}

cl_js_value cl_handles_member(const cl_handles *handles, cl_js_value object, cl_js_text key)
{
    if (object.type == CL_JS_OBJECT) {
        const cl_js_object *from = &handles->objects[object.object];
        uint32_t at = find(from, key);
        if (at < from->count)
            return from->members[at].value;
    }
    return (cl_js_value){.type = CL_JS_UNDEFINED};
}

int cl_handles_list_length(const cl_handles *handles, cl_js_value list)
{
    if (list.type == CL_JS_ENTRY)
        return 2;
    return list.type == CL_JS_ENTRIES ? (int)handles->objects[list.object].count : -1;
}

cl_js_value cl_handles_element(const cl_handles *handles, cl_js_value list, uint32_t index)
{
    if (list.type == CL_JS_ENTRIES && index < handles->objects[list.object].count)
        return (cl_js_value){.type = CL_JS_ENTRY, .entry = {list.object, index}};
    if (list.type != CL_JS_ENTRY || index > 1)
        return (cl_js_value){.type = CL_JS_UNDEFINED};
    const cl_js_object *object = &handles->objects[list.entry.of];
    if (index == 1)
        return object->members[list.entry.member].value;
    return (cl_js_value){.type = CL_JS_TEXT, .text = object->members[list.entry.member].key};
}

size_t cl_handles_source_length(const cl_handles *handles)
{
    size_t length = 0;

    for (int i = 0; i < CL_JS_SOURCE_PARTS; i++)
        length += handles->source[i].length;
    return length;
}
