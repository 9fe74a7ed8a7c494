/* image_data.S - the image file, as read-only data of the library; CL_IMAGE_FILE comes from the build */
    .section .rodata.cl_image, "a", @progbits
    .globl  cl_image_data
    .hidden cl_image_data
    .type   cl_image_data, @object
    .balign 4096
cl_image_data:
    .incbin CL_IMAGE_FILE
    .size   cl_image_data, . - cl_image_data
    .section .note.GNU-stack, "", @progbits
