/* guest_text.h - the section that holds guest code
 *
 * The generated code and the few leaf functions it calls lie in the section guest_text and nothing else does: a program
 * counter in it is guest code, which may be left at any instruction; any other is host code, which may not.
 */
#ifndef CL_ISOLATE_GUEST_TEXT_H
#define CL_ISOLATE_GUEST_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#define CL_GUEST_TEXT __attribute__((section("guest_text"), noinline))

extern char __start_guest_text[] __attribute__((visibility("hidden")));
extern char __stop_guest_text[] __attribute__((visibility("hidden")));

static inline bool cl_in_guest_text(uintptr_t pc)
{
    return pc >= (uintptr_t)__start_guest_text && pc < (uintptr_t)__stop_guest_text;
}

#endif
