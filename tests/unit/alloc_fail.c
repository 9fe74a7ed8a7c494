#include "alloc_fail.h"

#include <errno.h>
#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static long left;   /* 0: not counting */
static bool failed;

void alloc_fail_at(long n)
{
    left = n;
    failed = false;
}

bool alloc_fail_end(void)
{
    left = 0;
    return failed;
}

static bool fails_now(void)
{
    if (left == 0 || --left > 0)
        return false;
    failed = true;
    errno = ENOMEM;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return fails_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails_now() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails_now() ? NULL : __real_realloc(old, size);
}
