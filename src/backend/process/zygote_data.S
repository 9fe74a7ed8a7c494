/* zygote_data.S - the program of the jail, as read-only data of the library; CL_ZYGOTE_FILE comes from the build */
    .section .rodata.cl_zygote, "a", @progbits
    .globl  cl_zygote_data
    .hidden cl_zygote_data
    .type   cl_zygote_data, @object
    .balign 4096
cl_zygote_data:
    .incbin CL_ZYGOTE_FILE
.Lend:
    .size   cl_zygote_data, .Lend - cl_zygote_data
    .globl  cl_zygote_data_end
    .hidden cl_zygote_data_end
cl_zygote_data_end:
    .byte   0
    .section .note.GNU-stack, "", @progbits
