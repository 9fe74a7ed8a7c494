#include "core/backends.h"

#include "backend/process/process.h"
#include "backend/worker/worker.h"
#include "base/error.h"

cloche_status cl_backend_open(const cloche_options *options, cl_backend **out, cloche_error *err)
{
    *out = NULL;
    switch (options->backend) {
    case CLOCHE_BACKEND_WORKER:
        return cl_worker_open(options, out, err);
    case CLOCHE_BACKEND_PROCESS:
        return cl_process_open(options, out, err);
    }
    return cl_error_set(err, CLOCHE_E_INVAL, 0, "backends", "backend: no backend has the number %d",
                        (int)options->backend);
}
