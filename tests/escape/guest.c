/* guest.c - in place of the engine: a child that does what it is told (attacks.h) and tells what came of it */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attacks.h"
#include "backend/process/child_jail.h"

enum { RESERVED_BYTES = 1 << 30 };

static char *reserved; /* as the engine has it: address space, opened by mprotect when it grows */

static int64_t child_grow(int64_t bytes)
{
    if (mprotect(reserved, (size_t)bytes, PROT_READ | PROT_WRITE) < 0)
        return -1;
    for (int64_t at = 0; at < bytes; at += 4096)
        reserved[at] = 1;
    return bytes;
}

static int64_t child_do(const attack_order *order)
{
    attack_fn *attack = attack_find(order->name);

    if (attack != NULL)
        return attack(order->argument);
    if (strcmp(order->name, "grow") == 0)
        return child_grow(order->argument);
    if (strcmp(order->name, "allocate") == 0)
        return malloc((size_t)order->argument) == NULL ? -1 : 0;
    if (strcmp(order->name, "exit") == 0)
        _exit((int)order->argument);
    if (strcmp(order->name, "crash") == 0)
        *(volatile char *)reserved = 0; /* inaccessible until it grows */
    if (strcmp(order->name, "spin") == 0)
        for (;;)
            __asm__ volatile("");
    return -1000;
}

_Noreturn void child_main(int socket, uint64_t heap_bytes)
{
    attack_order order;

    (void)heap_bytes;
    reserved = mmap(NULL, RESERVED_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    child_limit_mappings();
    child_seccomp();
    while (read(socket, &order, sizeof order) == (ssize_t)sizeof order) {
        attack_answer answer = { child_do(&order) };
        if (write(socket, &answer, sizeof answer) != (ssize_t)sizeof answer)
            break;
    }
    _exit(0);
}
