#include "backend/process/text.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#define HUGE ((uintptr_t)2 << 20)
#define PAGE ((uintptr_t)4096)

static uintptr_t up(uintptr_t address, uintptr_t unit)
{
    return (address + unit - 1) / unit * unit;
}

/* The bytes of a mapping in anonymous memory, at the same place. */
static void move(uintptr_t start, uintptr_t end, int protection)
{
    size_t length = end - start;
    char *area = mmap(NULL, length + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (area == MAP_FAILED)
        return;
    char *copy = (char *)up((uintptr_t)area, HUGE);
    if (length % HUGE == 0)
        madvise(copy, length, MADV_HUGEPAGE);
    memcpy(copy, (const void *)start, length);
    if (mprotect(copy, length, protection) == 0)
        mremap(copy, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)start);
    munmap(area, length + HUGE); /* what is left of it */
}

void zygote_text_to_memory(void)
{
    const Elf64_Phdr *header = (const Elf64_Phdr *)getauxval(AT_PHDR);
    unsigned long count = getauxval(AT_PHNUM);
    uintptr_t start = UINTPTR_MAX, end = 0;

    if (header == NULL)
        return;
    for (unsigned long i = 0; i < count; i++) {
        if (header[i].p_type != PT_LOAD || (header[i].p_flags & PF_W))
            continue;
        uintptr_t from = header[i].p_vaddr / PAGE * PAGE;
        uintptr_t to = up(header[i].p_vaddr + header[i].p_memsz, PAGE);
        start = from < start ? from : start;
        end = to > end ? to : end;
    }
    uintptr_t huge_start = up(start, HUGE), huge_end = end / HUGE * HUGE;
    if (huge_start >= huge_end || end - start > 64 * HUGE)
        return;
    move(huge_start, huge_end, PROT_READ | PROT_EXEC);
    for (unsigned long i = 0; i < count; i++) {
        if (header[i].p_type != PT_LOAD || (header[i].p_flags & PF_W))
            continue;
        uintptr_t from = header[i].p_vaddr / PAGE * PAGE;
        uintptr_t to = up(header[i].p_vaddr + header[i].p_memsz, PAGE);
        int protection = PROT_READ | (header[i].p_flags & PF_X ? PROT_EXEC : 0);
        if (from < huge_start)
            move(from, to < huge_start ? to : huge_start, protection);
        if (to > huge_end)
            move(from > huge_end ? from : huge_end, to, protection);
    }
}
