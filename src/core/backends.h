/* backends.h - the one place that knows which backends there are */
#ifndef CL_CORE_BACKENDS_H
#define CL_CORE_BACKENDS_H

#include "backend/backend.h"

cl_backend_open_fn cl_backend_open;

#endif
