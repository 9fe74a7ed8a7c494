/* cloche.h - untrusted JavaScript on a server, under glass
 *
 *   cloche_sandbox *sandbox;
 *   cloche_result *result;
 *   cloche_request request = CLOCHE_REQUEST_INIT;
 *
 *   cloche_sandbox_create(NULL, &sandbox, NULL);
 *   request.code = "return price * qty";
 *   request.code_length = strlen(request.code);
 *   request.context = "{\"price\": 10, \"qty\": 3}";
 *   request.context_length = strlen(request.context);
 *   cloche_sandbox_run(sandbox, &request, &result, NULL);
 *   puts(result->ok ? result->value.data : result->error.data);      30
 *   cloche_result_destroy(result);
 *   cloche_sandbox_destroy(sandbox);
 *
 * Create one sandbox and keep it: a run then costs microseconds. Structs that start with `size` are set up with their
 * _INIT macro or _init function; zero is the safe default of every field.
 */
#ifndef CLOCHE_CLOCHE_H
#define CLOCHE_CLOCHE_H

#include <cloche/isolation.h>
#include <cloche/json.h>
#include <cloche/limits.h>
#include <cloche/log.h>
#include <cloche/sandbox.h>
#include <cloche/status.h>

#endif
