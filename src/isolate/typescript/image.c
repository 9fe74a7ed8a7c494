#include "isolate/typescript/image.h"

#include "isolate/typescript/instance.h"

extern const uint8_t cl_typescript_data[] __attribute__((visibility("hidden"))); /* data.S */

const cl_shape *cl_typescript_shape(void)
{
    return &((const cl_ts_image *)(const void *)cl_typescript_data)->shape;
}

const uint8_t *cl_typescript_bytes(void)
{
    return cl_typescript_data + CL_TS_IMAGE_HEADER_BYTES;
}
