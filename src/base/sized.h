/* sized.h - public structs that grow
 *
 * A public struct starts with `uint32_t size`, set by its caller; fields are only appended. One rule for all:
 *
 *   caller's size    fields
 *   shorter          an older caller: what it does not know is zero
 *   equal
 *   longer           a newer caller: fine while everything this library does not know is zero, else CLOCHE_E_TOOBIG
 *
 * Errors   CLOCHE_E_INVAL size is below 4, as in a struct nobody set up; CLOCHE_E_TOOBIG also above 4096, as in one
 *          that holds garbage
 * Threads  any thread
 * Source   clone3(2); openat2(2), "Extensibility"
 */
#ifndef CL_BASE_SIZED_H
#define CL_BASE_SIZED_H

#include <stddef.h>

#include <cloche/status.h>

/* Copies from into to, of to_size bytes, whose size field becomes to_size. what names the struct in the error. On
 * failure to is zero but for its size. */
cloche_status cl_sized_copy(void *to, size_t to_size, const void *from, const char *what, cloche_error *err);

#endif
