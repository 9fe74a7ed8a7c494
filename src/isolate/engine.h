/* engine.h - the engine's C interface as the host calls it
 *
 * Thin names over the exports of the pinned module. Values are 64-bit and NaN-boxed (quickjs.h, JS_NAN_BOXING);
 * the image tool checks the tags against the engine and refuses to build otherwise. Everything here runs guest code or
 * may: only inside cl_guest_enter. Values are never freed: the run's memory is thrown away whole.
 *
 * Source   quickjs-ng quickjs.h 0.16
 */
#ifndef CL_ISOLATE_ENGINE_H
#define CL_ISOLATE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "isolate/guest.h"
#include "isolate/image.h"

typedef uint64_t cl_value;

enum {
    CL_TAG_FIRST = -9,
    CL_TAG_BIG_INT = -9,
    CL_TAG_SYMBOL = -8,
    CL_TAG_STRING = -7,
    CL_TAG_STRING_ROPE = -6,
    CL_TAG_MODULE = -3,
    CL_TAG_FUNCTION_BYTECODE = -2,
    CL_TAG_OBJECT = -1,
    CL_TAG_INT = 0,
    CL_TAG_BOOL = 1,
    CL_TAG_NULL = 2,
    CL_TAG_UNDEFINED = 3,
    CL_TAG_EXCEPTION = 6,
    CL_TAG_FLOAT64 = 8,
};

#define CL_FLOAT64_ADDEND ((uint64_t)(0x7ff80000 - CL_TAG_FIRST + 1))

static inline cl_value cl_value_make(int32_t tag, uint32_t payload) { return (uint64_t)(uint32_t)tag << 32 | payload; }
static inline int32_t cl_value_tag(cl_value value) { return (int32_t)(value >> 32); }
static inline uint32_t cl_value_payload(cl_value value) { return (uint32_t)value; }

#define CL_UNDEFINED cl_value_make(CL_TAG_UNDEFINED, 0)
#define CL_NULL cl_value_make(CL_TAG_NULL, 0)
#define CL_EXCEPTION cl_value_make(CL_TAG_EXCEPTION, 0)

static inline bool cl_value_is_exception(cl_value v) { return cl_value_tag(v) == CL_TAG_EXCEPTION; }
static inline bool cl_value_is_undefined(cl_value v) { return cl_value_tag(v) == CL_TAG_UNDEFINED; }
static inline bool cl_value_is_object(cl_value v) { return cl_value_tag(v) == CL_TAG_OBJECT; }
static inline bool cl_value_is_string(cl_value v)
{
    return cl_value_tag(v) == CL_TAG_STRING || cl_value_tag(v) == CL_TAG_STRING_ROPE;
}
static inline bool cl_value_is_double(cl_value v)
{
    return (uint32_t)(cl_value_tag(v) - CL_TAG_FIRST) >= CL_TAG_FLOAT64 - CL_TAG_FIRST;
}

/* The number a value holds; fallback when it holds none. Runs no guest code. */
static inline double cl_value_number(cl_value v, double fallback)
{
    if (cl_value_tag(v) == CL_TAG_INT)
        return (int32_t)cl_value_payload(v);
    if (!cl_value_is_double(v))
        return fallback;
    uint64_t bits = v + (CL_FLOAT64_ADDEND << 32);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static inline cl_value cl_value_from_int(int32_t number) { return cl_value_make(CL_TAG_INT, (uint32_t)number); }
static inline cl_value cl_value_from_bool(bool flag) { return cl_value_make(CL_TAG_BOOL, flag); }
static inline cl_value cl_value_from_double(double number)
{
    uint64_t bits;
    if (number != number)
        bits = UINT64_C(0x7ff8000000000000);
    else
        memcpy(&bits, &number, sizeof bits);
    return bits - (CL_FLOAT64_ADDEND << 32);
}

/* ---- flags of JS_Eval2 ---- */
enum {
    CL_EVAL_GLOBAL = 0,
    CL_EVAL_MODULE = 1,
    CL_EVAL_COMPILE_ONLY = 1 << 5,
    CL_EVAL_BARRIER = 1 << 6,
};

/* C strings of the image that the host needs again and again, by offset from image.names_at. */
enum { CL_NAME_BYTES = 32 };
#define CL_NAMES(X) X(name) X(message) X(stack) X(cause) X(errors) X(default) X(lineNumber) X(columnNumber) X(code)
typedef enum cl_name {
#define CL_X(name) CL_NAME_##name,
    CL_NAMES(CL_X)
#undef CL_X
    CL_NAME_COUNT
} cl_name;

static inline uint32_t cl_engine_name(cl_name name)
{
    return cl_image_get()->names_at + (uint32_t)name * CL_NAME_BYTES;
}

/* Memory in the guest's heap. Does not return when there is none. */
uint32_t cl_engine_alloc(cl_guest *guest, uint32_t length);
/* Text copied into the guest, NUL behind it. */
uint32_t cl_engine_text(cl_guest *guest, const char *text, size_t length);
cl_value cl_engine_string(cl_guest *guest, const char *text, size_t length);

/* Source text between a prefix and a suffix; positions count from the line given. */
cl_value cl_engine_eval(cl_guest *guest, uint32_t text, uint32_t length, uint32_t filename, int32_t line, int32_t flags);

cl_value cl_engine_call(cl_guest *guest, cl_value fn, int argc, const cl_value *argv);
static inline cl_value cl_engine_prelude(cl_guest *guest, cl_prelude_fn fn, int argc, const cl_value *argv)
{
    return cl_engine_call(guest, cl_image_get()->prelude[fn], argc, argv);
}

/* The exception that is pending, taken. */
cl_value cl_engine_exception(cl_guest *guest);
cl_value cl_engine_get(cl_guest *guest, cl_value object, cl_name name);

/* String value -> UTF-8 bytes in guest memory, checked to lie there. false: exception or not there. */
bool cl_engine_utf8(cl_guest *guest, cl_value string, const char **data, size_t *length);

/* A text in guest memory; data NULL: none. */
typedef struct cl_text {
    const char *data;
    size_t length;
} cl_text;

/* The text of a string value; of anything else none. An exception on the way is dropped. */
cl_text cl_engine_text_of(cl_guest *guest, cl_value string);
/* Drops the exception that is pending. */
void cl_engine_forget(cl_guest *guest);

#endif
