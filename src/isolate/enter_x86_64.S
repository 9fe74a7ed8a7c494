/* enter_x86_64.S - into the guest, out of it, and over to the caller's stack for a moment
 *
 * cl_slot: host_sp at 0, guest_sp at 8. Entry saves what the ABI asks a callee to keep, mxcsr and the x87 control word
 * included; leaving from any depth, or from a signal handler that rewrote the interrupted context, restores them.
 * System V AMD64 ABI 3.2.1.
 */
    .text

/* int cl_slot_enter(cl_slot *slot, void (*main)(cl_slot *), void *stack_top) */
    .globl  cl_slot_enter
    .hidden cl_slot_enter
    .type   cl_slot_enter, @function
    .p2align 4
cl_slot_enter:
    .cfi_startproc
    pushq   %rbp
    pushq   %rbx
    pushq   %r12
    pushq   %r13
    pushq   %r14
    pushq   %r15
    subq    $8, %rsp
    stmxcsr (%rsp)
    fnstcw  4(%rsp)
    movq    %rsp, 0(%rdi)
    ldmxcsr guest_mxcsr(%rip)   /* a guest computes as the standard says, whatever its caller has set */
    fldcw   guest_x87(%rip)
    movq    %rdx, %rsp
    pushq   %rdi
    pushq   $0                  /* keeps the stack aligned at the call */
    xorl    %ebp, %ebp
    call    *%rsi
    popq    %rdi
    popq    %rdi
    xorl    %esi, %esi
    .cfi_endproc
    /* falls through */

/* void cl_slot_jump_out(cl_slot *slot, int why): answers why from cl_slot_enter */
    .globl  cl_slot_jump_out
    .hidden cl_slot_jump_out
    .type   cl_slot_jump_out, @function
cl_slot_jump_out:
    cld
    movq    0(%rdi), %rsp
    movl    %esi, %eax
    ldmxcsr (%rsp)
    fldcw   4(%rsp)
    addq    $8, %rsp
    popq    %r15
    popq    %r14
    popq    %r13
    popq    %r12
    popq    %rbx
    popq    %rbp
    ret
    .size   cl_slot_jump_out, . - cl_slot_jump_out

/* void cl_slot_hop(cl_slot *slot, void (*fn)(void *), void *arg) */
    .globl  cl_slot_hop
    .hidden cl_slot_hop
    .type   cl_slot_hop, @function
    .p2align 4
cl_slot_hop:
    pushq   %rbp
    pushq   %rbx
    movq    %rsp, %rbx
    movq    %rdi, %rbp
    movq    %rsp, 8(%rdi)
    movq    0(%rdi), %rsp
    ldmxcsr (%rsp)              /* the caller's code runs as its caller left it */
    fldcw   4(%rsp)
    subq    $256, %rsp
    andq    $-16, %rsp
    movq    %rsi, %rax
    movq    %rdx, %rdi
    call    *%rax
    movq    %rbx, %rsp
    ldmxcsr guest_mxcsr(%rip)
    fldcw   guest_x87(%rip)
    popq    %rbx
    popq    %rbp
    ret
    .size   cl_slot_hop, . - cl_slot_hop

    .section .rodata
    .balign 4
guest_mxcsr:
    .long   0x1f80              /* round to nearest, exceptions masked, denormals kept */
guest_x87:
    .word   0x037f

    /* The section is there even where no module is linked: its bounds are asked for. */
    .section guest_text, "ax", @progbits

    .section .note.GNU-stack, "", @progbits
