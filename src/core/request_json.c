#include <cloche/json.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_span.h"
#include "base/utf8.h"

#define FILENAME_BYTES_MOST 255
#define SEED_NUMBER_MOST ((uint64_t)1 << 53) /* what a JSON number carries exactly everywhere */

/* What is handed out, and the texts it points to. */
typedef struct owned {
    cloche_json_request shown; /* first, so that the two are one address */
    char *id;
    char *code;
    char *context;
    char *filename;
} owned;

/* ---- saying what is wrong ---- */

static cloche_status refuse(cloche_error *err, const char *where, const char *what)
{
    return cl_error_set(err, CLOCHE_E_INVAL, 0, "json", "%s: %s", where, what);
}

static cloche_status no_memory(cloche_error *err)
{
    return cl_error_set(err, CLOCHE_E_NOMEM, 0, "json", "reading a request: out of memory");
}

/* A JSON text as a word in a message: scalars and keys as they were written, cut; containers by their type. */
typedef struct shown_text {
    char text[56];
} shown_text;

static shown_text show(const cl_json_span *span)
{
    shown_text shown;
    size_t cut = cl_utf8_cut(span->text, span->length, 48);

    if (span->type == CL_JSON_ARRAY)
        strcpy(shown.text, "array");
    else if (span->type == CL_JSON_OBJECT)
        strcpy(shown.text, "object");
    else
        snprintf(shown.text, sizeof shown.text, "%.*s%s", (int)cut, span->text, cut < span->length ? "\xe2\x80\xa6" : "");
    return shown;
}

/* "context: must be an object, got array" */
static cloche_status refuse_value(cloche_error *err, const char *where, const char *must, const cl_json_span *got)
{
    shown_text shown = show(got);

    return cl_error_set(err, CLOCHE_E_INVAL, 0, "json", "%s: must be %s, got %s", where, must, shown.text);
}

/* "options: unknown option "foo"", where the root has no name. */
static cloche_status refuse_key(cloche_error *err, const char *where, const char *what, const cl_json_span *key)
{
    shown_text shown = show(key);

    return cl_error_set(err, CLOCHE_E_INVAL, 0, "json", "%s%s%s %s", where, *where == '\0' ? "" : ": ", what, shown.text);
}

/* ---- values ---- */

static cloche_status read_bool(const cl_json_span *span, const char *where, bool *out, cloche_error *err)
{
    if (span->type != CL_JSON_TRUE && span->type != CL_JSON_FALSE)
        return refuse_value(err, where, "true or false", span);
    *out = span->type == CL_JSON_TRUE;
    return CLOCHE_OK;
}

/* The decoded string, malloc'ed. */
static cloche_status read_string(const cl_json_span *span, const char *where, char **out, size_t *length,
                                 cloche_error *err)
{
    cl_buf buf;

    if (span->type != CL_JSON_STRING)
        return refuse_value(err, where, "a string", span);
    cl_buf_init(&buf, 0);
    cl_json_decode(span, &buf);
    if ((*out = cl_buf_take(&buf, length)) == NULL)
        return no_memory(err);
    return CLOCHE_OK;
}

static char *copy_span(const cl_json_span *span)
{
    char *copy = malloc(span->length + 1);

    if (copy == NULL)
        return NULL;
    memcpy(copy, span->text, span->length);
    copy[span->length] = '\0';
    return copy;
}

/* ---- options ---- */

static cloche_status read_limit(const cl_json_span *span, const cloche_limit_info *info, cloche_limits *limits,
                                cloche_error *err)
{
    char where[64], must[64];
    uint64_t value;

    snprintf(where, sizeof where, "options.%s", info->option);
    if (!info->per_run)
        return refuse(err, where, "belongs to the sandbox, not to a run");
    if (!cl_json_uint(span, info->least, info->most, &value)) {
        snprintf(must, sizeof must, "an integer from %u to %u", info->least, info->most);
        return refuse_value(err, where, must, span);
    }
    cloche_limits_set(limits, info, (uint32_t)value);
    return CLOCHE_OK;
}

/* A number, or decimal digits in quotes for what is above 2^53. */
static bool read_seed(const cl_json_span *span, uint64_t *out)
{
    cl_json_span digits = { span->text + 1, span->length - 2, CL_JSON_NUMBER };

    if (span->type == CL_JSON_NUMBER)
        return cl_json_uint(span, 0, SEED_NUMBER_MOST, out);
    if (span->type != CL_JSON_STRING || span->length < 3)
        return false;
    for (size_t i = 0; i < digits.length; i++)
        if (digits.text[i] < '0' || digits.text[i] > '9')
            return false;
    return cl_json_uint(&digits, 0, UINT64_MAX, out);
}

static cloche_status read_deterministic(const cl_json_span *span, cloche_request *request, cloche_error *err)
{
    static const char where[] = "options.deterministic";
    cl_json_span key, value;
    bool has_seed = false, has_now = false;

    if (span->type != CL_JSON_OBJECT)
        return refuse_value(err, where, "an object {seed, now}", span);
    for (size_t cursor = 0; cl_json_member(span, &cursor, &key, &value);) {
        bool is_seed = cl_json_equals(&key, "seed"), is_now = cl_json_equals(&key, "now");

        if (!is_seed && !is_now)
            return refuse_key(err, where, "unknown option", &key);
        if (is_seed ? has_seed : has_now)
            return refuse_key(err, where, "given twice:", &key);
        has_seed |= is_seed;
        has_now |= is_now;
        if (is_seed && !read_seed(&value, &request->seed))
            return refuse_value(err, "options.deterministic.seed",
                                "an integer from 0 to 2^53, or one up to 2^64-1 in quotes", &value);
        if (is_now && (!cl_json_double(&value, &request->now_ms) || request->now_ms < 0 ||
                       request->now_ms > CLOCHE_NOW_MS_MOST))
            return refuse_value(err, "options.deterministic.now",
                                "milliseconds since 1970, from 0 to 18446744073000", &value);
    }
    request->deterministic = true;
    return CLOCHE_OK;
}

static cloche_status read_drain(const cl_json_span *span, cloche_request *request, cloche_error *err)
{
    return read_bool(span, "options.drain", &request->drain, err);
}

static cloche_status read_absent_door(const cl_json_span *span, const char *where, cloche_error *err)
{
    if (span->type == CL_JSON_FALSE)
        return CLOCHE_OK;
    return refuse(err, where, "not available in this build; leave it out or set it to false");
}

static cloche_status read_allow_fs(const cl_json_span *span, cloche_request *request, cloche_error *err)
{
    (void)request;
    return read_absent_door(span, "options.allowFs", err);
}

static cloche_status read_allow_network(const cl_json_span *span, cloche_request *request, cloche_error *err)
{
    (void)request;
    return read_absent_door(span, "options.allowNetwork", err);
}

static cloche_status read_backend(const cl_json_span *span, cloche_request *request, cloche_error *err)
{
    (void)span, (void)request;
    return refuse(err, "options.backend", "a request cannot choose the backend; it is the sandbox's");
}

/* Options that are no limits. */
static const struct {
    const char *name;
    cloche_status (*read)(const cl_json_span *span, cloche_request *request, cloche_error *err);
} switches[] = {
    { "drain", read_drain },
    { "deterministic", read_deterministic },
    { "allowFs", read_allow_fs },
    { "allowNetwork", read_allow_network },
    { "backend", read_backend },
};

#define SWITCH_COUNT ((uint32_t)(sizeof switches / sizeof switches[0]))

/* Index among limits and switches, or their number when there is no such option. */
static uint32_t find_option(const cl_json_span *key)
{
    uint32_t limit_count, i;
    const cloche_limit_info *limits = cloche_limits_table(&limit_count);

    for (i = 0; i < limit_count; i++)
        if (cl_json_equals(key, limits[i].option))
            return i;
    for (i = 0; i < SWITCH_COUNT; i++)
        if (cl_json_equals(key, switches[i].name))
            break;
    return limit_count + i;
}

static cloche_status read_options(const cl_json_span *span, cloche_request *request, cloche_error *err)
{
    uint32_t limit_count;
    const cloche_limit_info *limits = cloche_limits_table(&limit_count);
    cl_json_span key, value;
    uint64_t seen = 0;

    CL_ASSERT(limit_count + SWITCH_COUNT <= 64);
    if (span->type != CL_JSON_OBJECT)
        return refuse_value(err, "options", "an object", span);
    for (size_t cursor = 0; cl_json_member(span, &cursor, &key, &value);) {
        uint32_t option = find_option(&key);
        cloche_status rc;

        if (option == limit_count + SWITCH_COUNT)
            return refuse_key(err, "options", "unknown option", &key);
        if (seen >> option & 1)
            return refuse_key(err, "options", "given twice:", &key);
        seen |= (uint64_t)1 << option;
        if (option < limit_count)
            rc = read_limit(&value, &limits[option], &request->limits, err);
        else
            rc = switches[option - limit_count].read(&value, request, err);
        if (rc < 0)
            return rc;
    }
    return CLOCHE_OK;
}

/* ---- fields ---- */

enum { FIELD_ID, FIELD_CODE, FIELD_CONTEXT, FIELD_LANGUAGE, FIELD_KIND, FIELD_FILENAME, FIELD_OPTIONS, FIELD_COUNT };

static const char *const field_names[FIELD_COUNT] = { "id",   "code",     "context", "language",
                                                      "kind", "filename", "options" };

/* Finds the fields. A key that is wrong does not end the search: an answer should carry its id, wherever that is. */
static cloche_status find_fields(const cl_json_span *root, cl_json_span fields[FIELD_COUNT], cloche_error *err)
{
    cloche_status rc = CLOCHE_OK;
    cl_json_span key, value;

    for (size_t cursor = 0; cl_json_member(root, &cursor, &key, &value);) {
        int i = 0;

        while (i < FIELD_COUNT && !cl_json_equals(&key, field_names[i]))
            i++;
        if (i < FIELD_COUNT && fields[i].type == CL_JSON_NONE)
            fields[i] = value;
        else if (rc == CLOCHE_OK)
            rc = refuse_key(err, "", i < FIELD_COUNT ? "field given twice:" : "unknown field", &key);
    }
    return rc;
}

/* The id in front of a place that is nested too deep: everything before it has been checked. A value counts when the
 * comma behind it is there. */
static void find_early_id(const char *text, size_t length, cloche_text *id)
{
    cl_json_span root = { text, length, CL_JSON_OBJECT }, key, value;

    while (root.length > 0 && strchr(" \t\r\n", *root.text) != NULL && *root.text != '\0') {
        root.text++;
        root.length--;
    }
    if (root.length == 0 || *root.text != '{')
        return;
    for (size_t cursor = 0; cl_json_member(&root, &cursor, &key, &value);) {
        if (cursor < root.length && cl_json_equals(&key, "id")) {
            *id = (cloche_text){ value.text, value.length };
            return;
        }
    }
}

static cloche_status read_code(const cl_json_span *span, owned *to, cloche_error *err)
{
    cloche_request *request = &to->shown.request;
    cloche_status rc;

    if (span->type == CL_JSON_NONE)
        return refuse(err, "code", "missing; a request needs the source as a string");
    if ((rc = read_string(span, "code", &to->code, &request->code_length, err)) < 0)
        return rc;
    request->code = to->code;
    return CLOCHE_OK;
}

static cloche_status read_context(const cl_json_span *span, owned *to, cloche_error *err)
{
    if (span->type == CL_JSON_NONE)
        return CLOCHE_OK;
    if (span->type != CL_JSON_OBJECT)
        return refuse_value(err, "context", "an object", span);
    if ((to->context = copy_span(span)) == NULL)
        return no_memory(err);
    to->shown.request.context = to->context;
    to->shown.request.context_length = span->length;
    return CLOCHE_OK;
}

static cloche_status read_language(const cl_json_span *span, cloche_request *request, cloche_error *err)
{
    if (span->type == CL_JSON_NONE)
        return CLOCHE_OK;
    for (int i = CLOCHE_LANGUAGE_AUTO; i <= CLOCHE_LANGUAGE_TS; i++) {
        if (cl_json_equals(span, cloche_language_name((cloche_language)i))) {
            request->language = (cloche_language)i;
            return CLOCHE_OK;
        }
    }
    return refuse_value(err, "language", "\"js\", \"ts\" or \"auto\"", span);
}

static cloche_status read_kind(const cl_json_span *span, cloche_request *request, cloche_error *err)
{
    if (span->type == CL_JSON_NONE)
        return CLOCHE_OK;
    for (int i = CLOCHE_KIND_AUTO; i <= CLOCHE_KIND_SCRIPT; i++) {
        if (cl_json_equals(span, cloche_kind_name((cloche_kind)i))) {
            request->kind = (cloche_kind)i;
            return CLOCHE_OK;
        }
    }
    return refuse_value(err, "kind", "\"auto\", \"body\", \"module\", \"function\" or \"script\"", span);
}

static cloche_status read_filename(const cl_json_span *span, owned *to, cloche_error *err)
{
    size_t length = 0;
    cloche_status rc;

    if (span->type == CL_JSON_NONE)
        return CLOCHE_OK;
    if ((rc = read_string(span, "filename", &to->filename, &length, err)) < 0)
        return rc;
    if (length < 1 || length > FILENAME_BYTES_MOST)
        return cl_error_set(err, CLOCHE_E_INVAL, 0, "json", "filename: must be 1 to %d bytes, got %zu",
                            FILENAME_BYTES_MOST, length);
    if (memchr(to->filename, '\0', length) != NULL)
        return refuse(err, "filename", "must not contain a NUL");
    if (cl_utf8_check(to->filename, length, false) < length)
        return refuse(err, "filename", "must not contain a lone surrogate");
    to->shown.request.filename = to->filename;
    return CLOCHE_OK;
}

static cloche_status read_fields(const cl_json_span fields[FIELD_COUNT], owned *to, cloche_error *err)
{
    cloche_request *request = &to->shown.request;
    cloche_status rc;

    if (fields[FIELD_ID].type != CL_JSON_NONE) {
        if ((to->id = copy_span(&fields[FIELD_ID])) == NULL)
            return no_memory(err);
        to->shown.id = (cloche_text){ to->id, fields[FIELD_ID].length };
    }
    if ((rc = read_code(&fields[FIELD_CODE], to, err)) < 0 ||
        (rc = read_context(&fields[FIELD_CONTEXT], to, err)) < 0 ||
        (rc = read_language(&fields[FIELD_LANGUAGE], request, err)) < 0 ||
        (rc = read_kind(&fields[FIELD_KIND], request, err)) < 0 ||
        (rc = read_filename(&fields[FIELD_FILENAME], to, err)) < 0)
        return rc;
    return fields[FIELD_OPTIONS].type == CL_JSON_NONE ? CLOCHE_OK : read_options(&fields[FIELD_OPTIONS], request, err);
}

static cloche_status refuse_text(const cl_json_fault *fault, cloche_error *err)
{
    const char *where = fault->path[0] == '.' ? fault->path + 1 : fault->path;

    return cl_error_set(err, CLOCHE_E_INVAL, 0, "json", "%s: %s at byte %zu", *where != '\0' ? where : "request",
                        fault->what, fault->offset);
}

cloche_status cloche_request_from_json(const char *text, size_t length, cloche_json_request **out, cloche_text *id,
                                       cloche_error *err)
{
    cl_json_span root, fields[FIELD_COUNT] = { { 0 } };
    cl_json_fault fault;
    cloche_text found_id = { 0 };
    owned *to = NULL;
    cloche_status rc;

    *out = NULL;
    /* The context may be as deep as the contract says, and it is one level down. */
    if (!cl_json_check(text, length, CL_JSON_DEPTH + 1, &root, &fault)) {
        if (fault.is_too_deep)
            find_early_id(text, fault.offset, &found_id);
        rc = refuse_text(&fault, err);
        goto out;
    }
    if (root.type != CL_JSON_OBJECT) {
        rc = refuse_value(err, "request", "an object", &root);
        goto out;
    }
    rc = find_fields(&root, fields, err);
    found_id = (cloche_text){ fields[FIELD_ID].text, fields[FIELD_ID].length };
    if (rc < 0)
        goto out;
    if ((to = calloc(1, sizeof *to)) == NULL) {
        rc = no_memory(err);
        goto out;
    }
    to->shown.request = (cloche_request)CLOCHE_REQUEST_INIT;
    if ((rc = read_fields(fields, to, err)) < 0)
        goto out;
    *out = &to->shown;
    to = NULL;
out:
    if (id != NULL)
        *id = found_id;
    if (to != NULL)
        cloche_json_request_destroy(&to->shown);
    return rc;
}

void cloche_json_request_destroy(cloche_json_request *request)
{
    owned *to = (owned *)request;

    if (to == NULL)
        return;
    free(to->id);
    free(to->code);
    free(to->context);
    free(to->filename);
    free(to);
}
