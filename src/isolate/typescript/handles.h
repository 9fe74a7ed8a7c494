/* handles.h - the values that the TypeScript module holds by number
 *
 * The module knows undefined, null, booleans, numbers, strings and plain objects of its host by handles. Here a value is
 * plain data; texts and objects live until the next clear. Handles below CL_HANDLE_FIRST are constants.
 *
 * A value or handle that does not exist and a table that is full are answered with false or NULL: the module asks for
 * what no sound one does.
 *
 * Owner    the instance
 * Threads  one thread at a time
 */
#ifndef CL_TYPESCRIPT_HANDLES_H
#define CL_TYPESCRIPT_HANDLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum cl_js_type {
    CL_JS_UNDEFINED,
    CL_JS_NULL,
    CL_JS_BOOLEAN,
    CL_JS_NUMBER,
    CL_JS_TEXT,
    CL_JS_SOURCE, /* a string too: the parts of cl_handles.source, one behind the other */
    CL_JS_OBJECT,
    CL_JS_SYMBOL,  /* Symbol.iterator, which no object here has */
    CL_JS_ENTRIES, /* Object.entries of an object: a list of lists */
    CL_JS_ENTRY,   /* one of them: [key, value] */
} cl_js_type;

typedef struct cl_js_text {
    const char *data; /* NUL behind it */
    size_t length;
} cl_js_text;

typedef struct cl_js_value {
    cl_js_type type;
    union {
        bool boolean;
        double number;
        cl_js_text text;
        uint32_t object; /* also of entries */
        struct {
            uint32_t of, member;
        } entry;
    };
} cl_js_value;

enum {
    CL_HANDLE_UNDEFINED = 128,
    CL_HANDLE_NULL,
    CL_HANDLE_TRUE,
    CL_HANDLE_FALSE,
    CL_HANDLE_FIRST,
    CL_HANDLE_MOST = 512,
    CL_JS_OBJECTS = 8,
    CL_JS_MEMBERS = 16,
    CL_JS_TEXTS = 128,
    CL_JS_SOURCE_PARTS = 4,
};

typedef struct cl_js_object {
    uint32_t count;
    struct {
        cl_js_text key;
        cl_js_value value;
    } members[CL_JS_MEMBERS];
} cl_js_object;

typedef struct cl_handles {
    cl_js_value values[CL_HANDLE_MOST];
    uint32_t next_free[CL_HANDLE_MOST]; /* of a free one: the next; 0: the end */
    uint32_t first_free;
    uint32_t end; /* never used from here on */
    cl_js_object objects[CL_JS_OBJECTS];
    uint32_t object_count;
    char *texts[CL_JS_TEXTS];
    uint32_t text_count;
    cl_js_text source[CL_JS_SOURCE_PARTS]; /* borrowed */
} cl_handles;

/* Also before first use, of zero bytes. */
void cl_handles_clear(cl_handles *handles);

/* 0: the table is full. */
uint32_t cl_handles_add(cl_handles *handles, cl_js_value value);
const cl_js_value *cl_handles_get(const cl_handles *handles, uint32_t handle);
bool cl_handles_drop(cl_handles *handles, uint32_t handle);

/* A copy. false: no memory, or too many. */
bool cl_handles_text(cl_handles *handles, const char *data, size_t length, cl_js_value *out);
bool cl_handles_object(cl_handles *handles, cl_js_value *out);
/* Sets a member; the key is kept as given. false: no object, or too many members. */
bool cl_handles_set(cl_handles *handles, cl_js_value object, cl_js_text key, cl_js_value value);
/* undefined where there is none. */
cl_js_value cl_handles_member(const cl_handles *handles, cl_js_value object, cl_js_text key);

/* Of a list: its length (-1: it is none) and an element; undefined where there is none. */
int cl_handles_list_length(const cl_handles *handles, cl_js_value list);
cl_js_value cl_handles_element(const cl_handles *handles, cl_js_value list, uint32_t index);

size_t cl_handles_source_length(const cl_handles *handles);

#endif
