#include "isolate/image.h"

extern const uint8_t cl_image_data[] __attribute__((visibility("hidden"))); /* image_data.S */

const cl_image *cl_image_get(void)
{
    const cl_image *image = (const cl_image *)(const void *)cl_image_data;
    return image;
}

const uint8_t *cl_image_bytes(void)
{
    return cl_image_data + CL_IMAGE_HEADER_BYTES;
}

const uint8_t *cl_image_late(const cl_late_file *file)
{
    return cl_image_data + file->offset;
}
