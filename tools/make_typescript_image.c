/* make_typescript_image.c - writes the memory with which the TypeScript module begins
 *
 *   make_typescript_image OUT SAMPLE.ts
 *
 * The module keeps nothing between two translations that would be worth having: one in untouched memory is as fast as the
 * tenth. So the image is the module's own data. The sample is translated; pages of the data that stay as
 * they were are constants.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "isolate/image.h"
#include "isolate/table.h"
#include "isolate/typescript/image.h"
#include "isolate/typescript/instance.h"

enum { MODULE_PAGES = 40, STACK_TOP = 2097152, MOST_GROWTH_PAGES = 1024 };

void cl_swc_init_memory(Z_swc_instance_t *instance);

static const cl_shape empty = {
    .pages = MODULE_PAGES,
    .stack_pointer = STACK_TOP,
    .window_start = CL_WASM_PAGE,
    .copy_start = STACK_TOP,
    .cold_end = STACK_TOP,
    .used_end = STACK_TOP,
    .tail_start = MODULE_PAGES * 65536,
};

/* The engine is linked in with what both modules share; no image of it is there. */
const cl_image *cl_image_get(void)
{
    static const cl_image none;
    return &none;
}

const uint8_t *cl_image_bytes(void)
{
    return cl_typescript_bytes();
}

const uint8_t *cl_image_late(const cl_late_file *file)
{
    (void)file;
    return cl_typescript_bytes();
}

const cl_shape *cl_typescript_shape(void)
{
    return &empty;
}

const uint8_t *cl_typescript_bytes(void)
{
    static const uint8_t none[1];
    return none;
}

_Noreturn static void fail(const char *what, const char *detail)
{
    fprintf(stderr, "make_typescript_image: %s: %s\n", what, detail);
    exit(1);
}

static char *read_file(const char *path, size_t *length)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "rb");

    if (file == NULL)
        fail(path, strerror(errno));
    *length = fread(text, 1, sizeof text, file);
    if (ferror(file) || *length == sizeof text)
        fail(path, "cannot be read, or is too long");
    fclose(file);
    return text;
}

static cl_typescript *open_instance(void)
{
    cl_typescript *typescript;
    cloche_error err = {0};

    if (cl_typescript_reserve(&typescript, &err) < 0 || cl_typescript_fill(typescript, &err) < 0)
        fail("cannot open an instance", err.text);
    cl_swc_init_memory(typescript->instance);
    typescript->slot.most_pages = MOST_GROWTH_PAGES;
    return typescript;
}

static void translate(cl_thread *thread, cl_typescript *typescript, const char *path, cl_ts_mode mode)
{
    cl_ts_task task = {.mode = mode, .is_module = true};
    cl_until until = {.deadline_ns = cl_clock_ns(CLOCK_MONOTONIC) + 600 * CL_NS_PER_S};
    static _Atomic int no_stop;
    cl_ts_answer answer;

    until.stop = &no_stop;
    task.source[0].data = read_file(path, &task.source[0].length);
    cl_typescript_work(thread, typescript, &task, &until, &answer);
    if (answer.left != CL_LEAVE_NONE || (!answer.ok && !answer.is_unsupported)) {
        char detail[512];
        snprintf(detail, sizeof detail, "left as %d, trap %u, import %s, %s (line %u)", (int)answer.left,
                 typescript->slot.trap, typescript->unreached != NULL ? typescript->unreached : "none",
                 answer.error.data != NULL ? answer.error.data : "no error", answer.line);
        fail(path, detail);
    }
    cl_handles_clear(&typescript->handles);
}

/* untouched: before the translation; used: after it. */
static cl_shape shape_of(const uint8_t *untouched, const uint8_t *used)
{
    uint32_t size = MODULE_PAGES * CL_WASM_PAGE;
    cl_shape shape = {.pages = MODULE_PAGES, .stack_pointer = STACK_TOP, .window_start = STACK_TOP - CL_TS_WINDOW_BYTES};

    shape.copy_start = shape.cold_end = STACK_TOP;
    while (shape.cold_end + CL_NULL_BYTES <= size &&
           memcmp(untouched + shape.cold_end, used + shape.cold_end, CL_NULL_BYTES) == 0)
        shape.cold_end += CL_NULL_BYTES;
    shape.tail_start = shape.used_end = size;
    while (shape.used_end > shape.cold_end && untouched[shape.used_end - 1] == 0)
        shape.used_end--;
    shape.used_end = (shape.used_end + 63) / 64 * 64;
    return shape;
}

static void write_image(const char *path, const cl_ts_image *image, const uint8_t *memory)
{
    uint8_t header[CL_TS_IMAGE_HEADER_BYTES] = {0};
    const cl_shape *shape = &image->shape;
    FILE *file = fopen(path, "wb");

    memcpy(header, image, sizeof *image);
    if (file == NULL || fwrite(header, sizeof header, 1, file) != 1 ||
        fwrite(memory + shape->copy_start, shape->used_end - shape->copy_start, 1, file) != 1 || fclose(file) != 0)
        fail(path, strerror(errno));
    printf("typescript image: %u KiB copied, %u KiB constant, %u KiB zeroed behind it\n",
           (shape->used_end - shape->cold_end) / 1024, (shape->cold_end - shape->copy_start) / 1024,
           (shape->tail_start - shape->used_end) / 1024);
}

int main(int argc, char **argv)
{
    cloche_error err = {0};

    if (argc != 3)
        fail("usage", "make_typescript_image OUT SAMPLE.ts");
    cl_table_init();
    if (cl_threads_init(0, &err) < 0)
        fail("cannot start", err.text);
    cl_thread *thread = cl_thread_get(&err);
    if (thread == NULL)
        fail("cannot start", err.text);
    cl_typescript *untouched = open_instance(), *used = open_instance();
    translate(thread, used, argv[2], CL_TS_TRANSFORM);
    cl_ts_image image = {.magic = CL_TS_IMAGE_MAGIC, .shape = shape_of(untouched->slot.memory, used->slot.memory)};
    write_image(argv[1], &image, untouched->slot.memory);
    cl_typescript_close(untouched);
    cl_typescript_close(used);
    return 0;
}
