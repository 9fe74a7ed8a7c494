#include <unistd.h>
#include "backend/process/zygote.h"
#include "backend/process/child_jail.h"
_Noreturn void child_main(int socket, uint64_t guest_limit_bytes)
{
    char c;
    (void)guest_limit_bytes;
    child_limit_mappings();
    child_seccomp();
    if (read(socket, &c, 1) == 1 && write(socket, &c, 1) != 1) _exit(2);
    _exit(0);
}
