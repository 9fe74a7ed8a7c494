/* fault.h - in the build for tests: the n-th check or allocation from now on fails
 *
 * Every status the addon acts on goes through addon_ok, so that is where a call is left out. In the addon that is shipped
 * there is nothing of this.
 */
#ifndef ADDON_FAULT_H
#define ADDON_FAULT_H

#include <stdbool.h>
#include <stdlib.h>

#ifdef ADDON_FAULTS
#include <node_api.h>

bool fault_now(void);
bool fault_define(napi_env env, napi_value exports); /* failAt(n), hasFailed() */

#define malloc(size) (fault_now() ? NULL : malloc(size))
#define calloc(count, size) (fault_now() ? NULL : calloc(count, size))
#else
#define fault_now() false
#define fault_define(env, exports) true
#endif

#endif
