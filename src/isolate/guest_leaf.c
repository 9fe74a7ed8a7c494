/* guest_leaf.c - the C library functions that generated code calls, as guest code
 *
 * The engine's object has its references to memcpy and friends renamed to these (CMakeLists.txt). A long fill or copy
 * is thus left like any other guest instruction, and a fault in it is the guest's.
 */
#include <stddef.h>
#include <stdint.h>

#include "isolate/guest_text.h"

void *cl_guest_memcpy(void *to, const void *from, size_t length);
void *cl_guest_memmove(void *to, const void *from, size_t length);
void *cl_guest_memset(void *to, int byte, size_t length);
double cl_guest_floor(double x);
double cl_guest_ceil(double x);
double cl_guest_trunc(double x);
double cl_guest_nearbyint(double x);

typedef uint64_t word __attribute__((aligned(1), may_alias));
typedef long long block __attribute__((vector_size(16), aligned(1), may_alias));

enum { LONG_COPY = 512 }; /* from here on the string instructions are faster */

CL_GUEST_TEXT void *cl_guest_memcpy(void *to, const void *from, size_t length)
{
    unsigned char *t = to;
    const unsigned char *f = from;

    if (length >= LONG_COPY) {
        __asm__ volatile("rep movsb" : "+D"(t), "+S"(f), "+c"(length) : : "memory");
        return to;
    }
    for (; length >= 16; length -= 16, t += 16, f += 16)
        *(block *)t = *(const block *)f;
    if (length >= 8) {
        *(word *)t = *(const word *)f;
        length -= 8, t += 8, f += 8;
    }
    while (length-- > 0) {
        *t++ = *f++;
        __asm__ volatile("" : : : "memory"); /* keeps the compiler from turning the loop into a call of itself */
    }
    return to;
}

CL_GUEST_TEXT void *cl_guest_memmove(void *to, const void *from, size_t length)
{
    unsigned char *t = to;
    const unsigned char *f = from;

    if (t == f)
        return to;
    if ((uintptr_t)t - (uintptr_t)f >= length)
        return cl_guest_memcpy(to, from, length);
    /* Overlapping, target behind source: backwards. */
    for (; length >= 16; length -= 16) {
        block b = *(const block *)(f + length - 16);
        *(block *)(t + length - 16) = b;
    }
    while (length-- > 0) {
        t[length] = f[length];
        __asm__ volatile("" : : : "memory");
    }
    return to;
}

CL_GUEST_TEXT void *cl_guest_memset(void *to, int byte, size_t length)
{
    unsigned char *t = to;

    if (length >= LONG_COPY) {
        __asm__ volatile("rep stosb" : "+D"(t), "+c"(length) : "a"(byte) : "memory");
        return to;
    }
    uint64_t w = (uint8_t)byte * UINT64_C(0x0101010101010101);
    for (; length >= 8; length -= 8, t += 8)
        *(word *)t = w;
    while (length-- > 0) {
        *t++ = (unsigned char)byte;
        __asm__ volatile("" : : : "memory");
    }
    return to;
}

/* Adding and taking away 2^52 rounds to an integer in the current mode (to nearest); larger numbers are integers. */
static inline __attribute__((always_inline)) double round_even(double x)
{
    const double big = 4503599627370496.0;
    double magnitude = __builtin_fabs(x);
    if (!(magnitude < big))
        return x;
    double r = magnitude + big;
    __asm__("" : "+x"(r));
    r -= big;
    return __builtin_copysign(r, x);
}

CL_GUEST_TEXT double cl_guest_nearbyint(double x)
{
    return round_even(x);
}

CL_GUEST_TEXT double cl_guest_floor(double x)
{
    double r = round_even(x);
    return r > x ? __builtin_copysign(r - 1.0, x) : r;
}

CL_GUEST_TEXT double cl_guest_ceil(double x)
{
    double r = round_even(x);
    return r < x ? __builtin_copysign(r + 1.0, x) : r;
}

CL_GUEST_TEXT double cl_guest_trunc(double x)
{
    double m = __builtin_fabs(x);
    double r = round_even(m);
    return __builtin_copysign(r > m ? r - 1.0 : r, x);
}
