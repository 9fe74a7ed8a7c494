#include "backend/process/seccomp.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { PROTECTION = 2, ADVICE = 2 }; /* the third argument of mmap, mprotect, madvise */

/* Common calls first: the kernel caches the answer for those that depend on no argument, the rest walk the list. No
 * call here takes a path, makes a descriptor, a process or executable memory, or names another process. */
void cl_seccomp_build(cl_filter *out)
{
    static const uint32_t advice[] = { MADV_DONTNEED, MADV_HUGEPAGE, MADV_POPULATE_WRITE };

    cl_filter_begin(out);
    cl_filter_allow(out, SYS_read);  /* its socket */
    cl_filter_allow(out, SYS_write); /* its socket */
    cl_filter_allow_values(out, SYS_madvise, ADVICE, advice, 3); /* memory back to the system after a run */
    cl_filter_allow_bits(out, SYS_mprotect, PROTECTION, PROT_READ | PROT_WRITE); /* growth; never code */
    cl_filter_allow(out, SYS_rt_sigreturn);    /* end of the handlers that stop a run or catch its faults */
    cl_filter_allow(out, SYS_timer_settime);   /* deadline and CPU limit, on timers made before */
    cl_filter_allow(out, SYS_timer_gettime);
    cl_filter_allow(out, SYS_clock_gettime);   /* where the vDSO cannot answer: CPU clocks */
    cl_filter_allow(out, SYS_ppoll);           /* waiting for its socket with a deadline */
#ifdef SYS_poll
    cl_filter_allow(out, SYS_poll);            /* likewise, in the C library's form */
#endif
    cl_filter_allow(out, SYS_clock_nanosleep); /* a guest's timer */
    cl_filter_allow(out, SYS_getrandom);       /* a seed for every run */
    cl_filter_allow(out, SYS_futex);           /* the C library's locks; private memory only, nobody else to wake */
    cl_filter_allow(out, SYS_rt_sigprocmask);  /* around entry and exit of a guest */
    cl_filter_allow(out, SYS_sigaltstack);     /* the stack of those handlers */
    cl_filter_allow(out, SYS_munmap);          /* free() of a large block */
    cl_filter_allow(out, SYS_brk);             /* malloc, within RLIMIT_DATA */
    cl_filter_allow(out, SYS_gettid);          /* asserts and handlers name their thread */
    cl_filter_allow(out, SYS_restart_syscall); /* the kernel's own, after a process was stopped and continued */
    cl_filter_allow(out, SYS_exit_group);      /* the end */
    cl_filter_allow(out, SYS_exit);            /* the end */
    cl_filter_refuse(out, SYS_mmap, ENOMEM, PROTECTION, PROT_EXEC); /* malloc fails tidily; code is an attack */
    cl_filter_refuse(out, SYS_mremap, ENOMEM, PROTECTION, 0);       /* realloc fails tidily */
    cl_filter_end(out);
}
