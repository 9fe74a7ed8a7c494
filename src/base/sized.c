#include "base/sized.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"

#define SIZE_MOST 4096u

static void set_size(void *to, size_t to_size)
{
    uint32_t size = (uint32_t)to_size;

    memcpy(to, &size, sizeof size);
}

cloche_status cl_sized_copy(void *to, size_t to_size, const void *from, const char *what, cloche_error *err)
{
    const unsigned char *bytes = from;
    uint32_t size;

    CL_ASSERT(to_size >= sizeof size && to_size <= SIZE_MOST);
    memset(to, 0, to_size);
    set_size(to, to_size);
    memcpy(&size, from, sizeof size);
    if (size < sizeof size)
        return cl_error_set(err, CLOCHE_E_INVAL, 0, "sized", "%s: size is %u; set the struct up with its _INIT", what,
                            size);
    if (size > SIZE_MOST)
        return cl_error_set(err, CLOCHE_E_TOOBIG, 0, "sized", "%s: size is %u, more than %u", what, size, SIZE_MOST);
    for (size_t i = to_size; i < size; i++)
        if (bytes[i] != 0)
            return cl_error_set(err, CLOCHE_E_TOOBIG, 0, "sized",
                                "%s: a field at byte %zu is set that this library does not know", what, i);
    memcpy(to, from, size < to_size ? size : to_size);
    set_size(to, to_size);
    return CLOCHE_OK;
}
