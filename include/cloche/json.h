/* json.h - request and result as JSON, the same on every face
 *
 *   {"id", "code", "language", "kind", "context", "filename", "options": {"timeoutMs", ...}}  ──►  cloche_request
 *   cloche_result  ──►  {"id", "ok", "value", "stdout", ...}
 *
 * Context and value stay text: they are validated, never rebuilt, so numbers, lone surrogates and NULs pass as they are.
 *
 * Owner    cloche_json_request owns the strings its request points to; destroy it after the run was started
 * Threads  pure functions: any thread
 * Errors   CLOCHE_E_INVAL: err->text names the field and what is wrong with it, one line
 */
#ifndef CLOCHE_JSON_H
#define CLOCHE_JSON_H

#include <cloche/sandbox.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cloche_json_request {
    cloche_request request;
    cloche_text id; /* JSON text of the "id" member; absent: none */
} cloche_json_request;

/* Unknown fields and options are errors. On CLOCHE_E_INVAL *out is NULL, but *id (if not NULL) still receives the JSON
 * text of the "id" member where one could be read: it points into text. */
CLOCHE_API cloche_status cloche_request_from_json(const char *text, size_t length, cloche_json_request **out,
                                                  cloche_text *id, cloche_error *err);
CLOCHE_API void cloche_json_request_destroy(cloche_json_request *request);

/* The full result on one line, without line feed. id: JSON text or absent (NULL data). *out is malloc'ed and ends in
 * NUL; release with free(). Absent fields are left out. */
CLOCHE_API cloche_status cloche_result_to_json(const cloche_result *result, cloche_text id, char **out, size_t *length,
                                               cloche_error *err);

/* A result for a request that never reached a sandbox. NULL only when out of memory. */
CLOCHE_API cloche_result *cloche_result_invalid(cloche_code code, const char *text);

#ifdef __cplusplus
}
#endif
#endif
