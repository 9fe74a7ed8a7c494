/* raw.h - a system call that touches nothing but registers
 *
 * For code that borrows another thread's memory and thread-local storage: the C library's wrappers store errno there.
 * Answers as the kernel does: a negative errno on failure. Always inline: where it makes a child on the caller's own
 * stack (CLONE_VFORK) a return from it would be the child's, and overwritten before it is the parent's.
 *
 * Threads  any, and processes that share this one's memory
 * Source   syscall(2), "Architecture calling conventions"
 */
#ifndef CL_SYS_RAW_H
#define CL_SYS_RAW_H

#include <sys/syscall.h>

/* No code of a sanitizer either, which keeps its state in thread-local storage. */
#define CL_RAW_CODE __attribute__((no_sanitize("address", "thread", "undefined")))

#if defined(__x86_64__)
static inline CL_RAW_CODE __attribute__((always_inline)) long cl_raw(long number, long a, long b, long c, long d, long e)
{
    long answer;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    __asm__ volatile("syscall"
                     : "=a"(answer)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return answer;
}
#elif defined(__aarch64__)
static inline CL_RAW_CODE __attribute__((always_inline)) long cl_raw(long number, long a, long b, long c, long d, long e)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
    return x0;
}
#else
#error "cl_raw: write the calling convention of this architecture"
#endif

#endif
