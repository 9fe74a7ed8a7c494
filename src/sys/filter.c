#include "sys/filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/raw.h"

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#else
#error "filter: name this architecture"
#endif


_Static_assert(sizeof(struct cl_filter_step) == sizeof(struct sock_filter), "same layout as the kernel's");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the low half of an argument comes first");

enum {
    LOAD = BPF_LD | BPF_W | BPF_ABS,
    EQUAL = BPF_JMP | BPF_JEQ | BPF_K,
    HAS_BITS = BPF_JMP | BPF_JSET | BPF_K,
    ANSWER = BPF_RET | BPF_K,
};

static void put(cl_filter *filter, int code, uint32_t k, unsigned if_true, unsigned if_false)
{
    if (filter->count == CL_FILTER_MOST || if_true > 255 || if_false > 255) {
        filter->is_full = true;
        return;
    }
    filter->steps[filter->count++] = (struct cl_filter_step){ (uint16_t)code, (uint8_t)if_true, (uint8_t)if_false, k };
}

static uint32_t low_of(unsigned argument)
{
    return (uint32_t)(offsetof(struct seccomp_data, args) + 8 * argument);
}

void cl_filter_begin(cl_filter *filter)
{
    filter->count = 0;
    filter->is_full = false;
    put(filter, LOAD, offsetof(struct seccomp_data, arch), 0, 0);
    put(filter, EQUAL, OUR_ARCH, 1, 0);
    put(filter, ANSWER, SECCOMP_RET_KILL_PROCESS, 0, 0);
    put(filter, LOAD, offsetof(struct seccomp_data, nr), 0, 0);
}

/* Each rule leaves the number in the accumulator when it does not apply, and answers when it does. */
void cl_filter_allow(cl_filter *filter, long number)
{
    put(filter, EQUAL, (uint32_t)number, 0, 1);
    put(filter, ANSWER, SECCOMP_RET_ALLOW, 0, 0);
}

void cl_filter_allow_values(cl_filter *filter, long number, unsigned argument, const uint32_t *values, unsigned count)
{
    put(filter, EQUAL, (uint32_t)number, 0, count + 5);
    put(filter, LOAD, low_of(argument) + 4, 0, 0);
    put(filter, EQUAL, 0, 0, count + 1);
    put(filter, LOAD, low_of(argument), 0, 0);
    for (unsigned i = 0; i < count; i++)
        put(filter, EQUAL, values[i], count - i, 0);
    put(filter, ANSWER, SECCOMP_RET_KILL_PROCESS, 0, 0);
    put(filter, ANSWER, SECCOMP_RET_ALLOW, 0, 0);
}

void cl_filter_allow_bits(cl_filter *filter, long number, unsigned argument, uint32_t bits)
{
    put(filter, EQUAL, (uint32_t)number, 0, 6);
    put(filter, LOAD, low_of(argument) + 4, 0, 0);
    put(filter, EQUAL, 0, 0, 2);
    put(filter, LOAD, low_of(argument), 0, 0);
    put(filter, HAS_BITS, ~bits, 0, 1);
    put(filter, ANSWER, SECCOMP_RET_KILL_PROCESS, 0, 0);
    put(filter, ANSWER, SECCOMP_RET_ALLOW, 0, 0);
}

void cl_filter_refuse(cl_filter *filter, long number, int os_errno, unsigned argument, uint32_t deadly)
{
    put(filter, EQUAL, (uint32_t)number, 0, 4);
    put(filter, LOAD, low_of(argument), 0, 0);
    put(filter, HAS_BITS, deadly, 0, 1);
    put(filter, ANSWER, SECCOMP_RET_KILL_PROCESS, 0, 0);
    put(filter, ANSWER, SECCOMP_RET_ERRNO | ((uint32_t)os_errno & SECCOMP_RET_DATA), 0, 0);
}

void cl_filter_end(cl_filter *filter)
{
    put(filter, ANSWER, SECCOMP_RET_KILL_PROCESS, 0, 0);
}

bool cl_filter_is_available(void)
{
    /* Refused before the program is looked at, or else the missing program is what is wrong. */
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) < 0 && errno == EFAULT;
}

int cl_filter_install(const cl_filter *filter)
{
    struct sock_fprog program = { filter->count, (struct sock_filter *)(uintptr_t)filter->steps };
    long answer;

    if (filter->is_full) {
        errno = EOVERFLOW;
        return -1;
    }
    /* A thread that stays outside would make the filter worthless. */
    answer = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    if (answer > 0) {
        errno = ESRCH;
        return -1;
    }
    return (int)answer;
}

CL_RAW_CODE long cl_filter_install_raw(const cl_filter *filter)
{
    struct sock_fprog program = { filter->count, (struct sock_filter *)(uintptr_t)filter->steps };

    if (filter->is_full)
        return -EOVERFLOW;
    return cl_raw(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)&program, 0, 0);
}
