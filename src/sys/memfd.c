#include "sys/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

static int create(const char *name)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);

    if (fd < 0 && errno == EINVAL) /* before 6.3 every one is executable */
        fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return fd;
}

cloche_status cl_memfd_sealed_open(const char *name, const void *bytes, size_t length, int *out, cloche_error *err)
{
    cloche_status rc = CLOCHE_OK;
    const char *from = bytes;
    int fd;

    *out = -1;
    if ((fd = create(name)) < 0)
        return cl_error_set(err, CLOCHE_E_NOSYS, errno, "memfd", "memfd_create %s", name);
    for (size_t done = 0; done < length;) {
        ssize_t n = write(fd, from + done, length - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            rc = cl_error_set(err, errno == ENOMEM || errno == ENOSPC ? CLOCHE_E_NOMEM : CLOCHE_E_SYS, errno, "memfd",
                              "write %zu bytes to memfd %s", length, name);
            goto out;
        }
        done += (size_t)n;
    }
    if (fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0) {
        rc = cl_error_set(err, CLOCHE_E_SYS, errno, "memfd", "seal memfd %s", name);
        goto out;
    }
    *out = fd;
    fd = -1;
out:
    if (fd >= 0)
        close(fd);
    return rc;
}
