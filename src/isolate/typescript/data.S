/* data.S - the TypeScript module's image, linked in; page-aligned, so that it can be mapped */
    .section .rodata
    .balign 4096
    .globl  cl_typescript_data
    .hidden cl_typescript_data
cl_typescript_data:
    .incbin CL_TYPESCRIPT_IMAGE_FILE
    .byte   0

    .section .note.GNU-stack, "", @progbits
