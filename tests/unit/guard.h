/* guard.h - input that ends where memory ends
 *
 *   | pages, input at their end | PROT_NONE |
 *                               ^ a read here ends the test with SIGSEGV
 *
 * Owner    the caller; guard_free, or the end of the test's process
 */
#ifndef TESTS_UNIT_GUARD_H
#define TESTS_UNIT_GUARD_H

#include <check.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct guarded {
    char *data;
    size_t length;
    void *map;
    size_t map_bytes;
} guarded;

static inline guarded guard_text(const char *text, size_t length)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), body = (length + page - 1) / page * page;
    guarded g = { .length = length, .map_bytes = body + page };

    g.map = mmap(NULL, g.map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(g.map, MAP_FAILED);
    ck_assert_int_eq(mprotect((char *)g.map + body, page, PROT_NONE), 0);
    g.data = (char *)g.map + body - length;
    if (length > 0)
        memcpy(g.data, text, length);
    return g;
}

static inline void guard_free(guarded *g)
{
    munmap(g->map, g->map_bytes);
}

#endif
