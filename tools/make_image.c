/* make_image.c - builds the image: starts the engine, loads the prelude, writes what memory then holds
 *
 *   make_image OUT PRELUDE.js... --late LATE.js...
 *
 * The engine is started twice, with two clocks; what differs is Math.random's state, which each run must set anew. The
 * offsets the host relies on inside engine structures are found by trial and proven; a build in which they cannot be
 * found fails.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "isolate/engine.h"
#include "isolate/natives.h"
#include "isolate/table.h"
#include "isolate/thread.h"

enum { ENGINE_PAGES = 18, ENGINE_STACK_TOP = 1048576, ENGINE_STACK_LIMIT = 768 * 1024, TAIL_BYTES = 64, MOST_FILES = 256, FIRST_COLLECTION_BYTES = 4 << 20 };

void cl_quickjs_init_memory(Z_quickjs_instance_t *instance);

/* The tool's own image: an empty engine memory. Replaced by what is built. */
static cl_image image = {
    .magic = CL_IMAGE_MAGIC,
    .shape = {
        .pages = ENGINE_PAGES,
        .stack_pointer = ENGINE_STACK_TOP,
        .window_start = CL_WASM_PAGE,
        .copy_start = ENGINE_STACK_TOP,
        .cold_end = ENGINE_STACK_TOP,
        .used_end = ENGINE_STACK_TOP,
        .tail_start = ENGINE_PAGES * 65536,
    },
};

const cl_image *cl_image_get(void)
{
    return &image;
}

const uint8_t *cl_image_bytes(void)
{
    static const uint8_t none[1];
    return none;
}

const uint8_t *cl_image_late(const cl_late_file *file)
{
    (void)file;
    return cl_image_bytes();
}

_Noreturn static void fail(const char *what, const char *detail)
{
    fprintf(stderr, "make_image: %s%s%s\n", what, detail[0] != '\0' ? ": " : "", detail);
    exit(1);
}

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t used = 0;

    if (file == NULL)
        fail(path, strerror(errno));
    for (size_t got = 1; got > 0; used += got) {
        if ((text = realloc(text, used + 65537)) == NULL)
            fail(path, "out of memory");
        got = fread(text + used, 1, 65536, file);
    }
    if (ferror(file))
        fail(path, "cannot be read");
    fclose(file);
    text[used] = '\0';
    *length = used;
    return text;
}

/* ---- inside the guest ---- */

static char **paths;      /* the files evaluated in the image, then the late ones */
static int prelude_count; /* of the former */
static int path_count;

#define I (guest->instance)
#define CTX (image.context)

_Noreturn static void fail_with_exception(cl_guest *guest, const char *what)
{
    cl_value error = cl_engine_exception(guest);
    const char *data;
    size_t length;
    char text[1024];
    cl_value string = Z_quickjsZ_JS_ToString(I, CTX, error);
    size_t used = 0;
    if (cl_engine_utf8(guest, string, &data, &length))
        used = (size_t)snprintf(text, sizeof text, "%.*s\n", (int)(length < 500 ? length : 500), data);
    uint32_t stack_name = cl_engine_text(guest, "stack", 5);
    cl_value stack = Z_quickjsZ_JS_GetPropertyStr(I, CTX, error, stack_name);
    if (used < sizeof text && cl_engine_utf8(guest, stack, &data, &length))
        snprintf(text + used, sizeof text - used, "%.*s", (int)(length < 500 ? length : 500), data);
    fail(what, text);
}

static void set(cl_guest *guest, cl_value object, const char *name, cl_value value)
{
    enum { CONFIGURABLE_WRITABLE_ENUMERABLE = 7 };
    uint32_t at = cl_engine_text(guest, name, strlen(name));
    Z_quickjsZ_JS_DefinePropertyValueStr(I, CTX, object, at, value, CONFIGURABLE_WRITABLE_ENUMERABLE);
    Z_quickjsZ_free(I, at);
}

static cl_value native(cl_guest *guest, const char *name, int arguments, cl_native index)
{
    uint32_t at = cl_engine_text(guest, name, strlen(name));
    cl_value fn =
        Z_quickjsZ_JS_NewCFunction2(I, CTX, CL_NATIVE_FIRST + index, at, (u32)arguments, 0 /* JS_CFUNC_generic */, 0);
    Z_quickjsZ_free(I, at);
    return fn;
}

/* Bytecode of each prelude file, without source and debug information. Compiling leaves holes in the heap, so it is
 * done in a guest of its own and only the bytecode is read where the image is made. */
static struct {
    uint8_t *bytes;
    uint32_t length;
} bytecode[MOST_FILES];

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void compile(cl_guest *guest, int file)
{
    enum { WRITE_BYTECODE_STRIPPED = 1 << 0 | 1 << 4 | 1 << 5 };
    const char *path = paths[file];
    const char *name_text = base_name(path);
    size_t length;
    char *text = read_file(path, &length);
    uint32_t source = cl_engine_text(guest, text, length);
    uint32_t name = cl_engine_text(guest, name_text, strlen(name_text));

    free(text);
    cl_value compiled = cl_engine_eval(guest, source, (uint32_t)length, name, 1, CL_EVAL_COMPILE_ONLY);
    if (cl_value_is_exception(compiled))
        fail_with_exception(guest, path);
    uint32_t size_at = cl_engine_alloc(guest, 4);
    uint32_t at = Z_quickjsZ_JS_WriteObject(I, CTX, size_at, compiled, WRITE_BYTECODE_STRIPPED);
    uint32_t size;
    memcpy(&size, cl_guest_at(guest, size_at), sizeof size);
    if (at == 0 || !cl_guest_holds(guest, at, size))
        fail_with_exception(guest, path);
    bytecode[file].bytes = malloc(size);
    bytecode[file].length = size;
    if (bytecode[file].bytes == NULL)
        fail(path, "out of memory");
    memcpy(bytecode[file].bytes, cl_guest_at(guest, at), size);
}

static cl_value load(cl_guest *guest, int file)
{
    enum { READ_BYTECODE = 1 << 0 };
    uint32_t at = cl_engine_text(guest, (const char *)bytecode[file].bytes, bytecode[file].length);
    cl_value read = Z_quickjsZ_JS_ReadObject(I, CTX, at, bytecode[file].length, READ_BYTECODE);
    if (cl_value_is_exception(read))
        fail_with_exception(guest, paths[file]);
    Z_quickjsZ_free(I, at);
    return read;
}

static void load_prelude(cl_guest *guest)
{
    cl_value host = Z_quickjsZ_JS_NewObjectProto(I, CTX, CL_NULL);
    cl_value internal = Z_quickjsZ_JS_NewObjectProto(I, CTX, CL_NULL);
    cl_value arguments[] = {host, internal};

#define CL_X(name, count) set(guest, host, #name, native(guest, #name, count, CL_NATIVE_##name));
    CL_NATIVE_LIST(CL_X)
#undef CL_X
    set(guest, internal, "exports", Z_quickjsZ_JS_NewObjectProto(I, CTX, CL_NULL));
    for (int i = 0; i < prelude_count; i++) {
        cl_value fn = Z_quickjsZ_JS_EvalFunction(I, CTX, load(guest, i));
        if (cl_value_is_exception(fn))
            fail_with_exception(guest, paths[i]);
        cl_value done = cl_engine_call(guest, fn, 2, arguments);
        if (cl_value_is_exception(done))
            fail_with_exception(guest, paths[i]);
        Z_quickjsZ_JS_FreeValue(I, CTX, fn);
        Z_quickjsZ_JS_FreeValue(I, CTX, done);
    }
    uint32_t exports_name = cl_engine_text(guest, "exports", 7);
    cl_value exports = Z_quickjsZ_JS_GetPropertyStr(I, CTX, internal, exports_name);
    static const char *const names[] = {
#define CL_X(name) #name,
        CL_PRELUDE_LIST(CL_X)
#undef CL_X
    };
    for (int i = 0; i < CL_PRELUDE_COUNT; i++) {
        uint32_t at = cl_engine_text(guest, names[i], strlen(names[i]));
        cl_value fn = Z_quickjsZ_JS_GetPropertyStr(I, CTX, exports, at);
        if (!Z_quickjsZ_JS_IsFunction(I, CTX, fn))
            fail("the prelude exports no function", names[i]);
        image.prelude[i] = fn;
        Z_quickjsZ_free(I, at);
    }
    Z_quickjsZ_free(I, exports_name);
    /* exports, host and internal stay referenced by what the prelude keeps of them. */
}

static void check_values(cl_guest *guest)
{
    const double numbers[] = {0.0, 1.5, -2.25, 1e300, -1e-300};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        cl_value value = Z_quickjsZ_JS_NewNumber(I, CTX, numbers[i]);
        if (cl_value_number(value, -1) != numbers[i])
            fail("the engine's values have another shape", "numbers");
        if (numbers[i] != 0.0 && cl_value_from_double(numbers[i]) != value)
            fail("the engine's values have another shape", "doubles");
    }
    if (cl_value_tag(Z_quickjsZ_JS_NewStringLen(I, CTX, image.names_at, 4)) != CL_TAG_STRING ||
        cl_value_tag(Z_quickjsZ_JS_NewObject(I, CTX)) != CL_TAG_OBJECT ||
        Z_quickjsZ_JS_Throw(I, CTX, CL_NULL) != CL_EXCEPTION || cl_engine_exception(guest) != CL_NULL)
        fail("the engine's values have another shape", "tags");
}

static uint32_t word_at(cl_guest *guest, uint32_t at)
{
    uint32_t word = 0;
    if (at >= ENGINE_STACK_TOP && cl_guest_holds(guest, at, sizeof word))
        memcpy(&word, cl_guest_at(guest, at), sizeof word);
    return word;
}

static cl_value value_at(cl_guest *guest, uint32_t at)
{
    cl_value value = 0;
    if (at >= ENGINE_STACK_TOP && cl_guest_holds(guest, at, sizeof value))
        memcpy(&value, cl_guest_at(guest, at), sizeof value);
    return value;
}

/* Where JSFunctionBytecode keeps its constant pool and the length of its source: the only places that fit two
 * functions of different length. */
static void find_bytecode_fields(cl_guest *guest)
{
    enum { STRUCT_BYTES = 160 };
    static const char *const sources[] = {"(async function () { return 11 })", "(async function () { return 11 + 222 })"};
    uint32_t name = cl_engine_text(guest, "probe.js", 8);
    uint32_t scripts[2], children[2] = {0, 0};
    uint32_t lengths[2] = {(uint32_t)strlen(sources[0]) - 2, (uint32_t)strlen(sources[1]) - 2};
    int found = 0;

    for (int i = 0; i < 2; i++) {
        uint32_t text = cl_engine_text(guest, sources[i], strlen(sources[i]));
        cl_value script =
            cl_engine_eval(guest, text, (uint32_t)strlen(sources[i]), name, 1, CL_EVAL_COMPILE_ONLY);
        if (cl_value_tag(script) != CL_TAG_FUNCTION_BYTECODE)
            fail("a compiled script has another tag", "");
        scripts[i] = cl_value_payload(script);
    }
    for (uint32_t at = 0; at < STRUCT_BYTES; at += 4) {
        cl_value first = value_at(guest, word_at(guest, scripts[0] + at));
        cl_value second = value_at(guest, word_at(guest, scripts[1] + at));
        if (cl_value_tag(first) == CL_TAG_FUNCTION_BYTECODE && cl_value_tag(second) == CL_TAG_FUNCTION_BYTECODE) {
            image.cpool_at = at;
            children[0] = cl_value_payload(first);
            children[1] = cl_value_payload(second);
            found++;
        }
    }
    if (found != 1)
        fail("the constant pool of a compiled script was not found", "");
    found = 0;
    for (uint32_t at = 0; at < STRUCT_BYTES; at += 4)
        if (word_at(guest, children[0] + at) == lengths[0] && word_at(guest, children[1] + at) == lengths[1]) {
            image.source_at = at;
            found++;
        }
    if (found != 1)
        fail("the source length of a compiled function was not found", "");
}

static void write_names(cl_guest *guest)
{
    static const char *const names[] = {
#define CL_X(name) #name,
        CL_NAMES(CL_X)
#undef CL_X
    };
    image.names_at = cl_engine_alloc(guest, CL_NAME_COUNT * CL_NAME_BYTES);
    memset(cl_guest_at(guest, image.names_at), 0, CL_NAME_COUNT * CL_NAME_BYTES);
    for (uint32_t i = 0; i < CL_NAME_COUNT; i++)
        memcpy(cl_guest_at(guest, image.names_at + i * CL_NAME_BYTES), names[i], strlen(names[i]));
}

static void build(cl_slot *slot)
{
    cl_guest *guest = cl_guest_of(slot);

    Z_quickjsZ__initialize(I);
    image.runtime = Z_quickjsZ_JS_NewRuntime(I);
    Z_quickjsZ_JS_SetMaxStackSize(I, image.runtime, ENGINE_STACK_LIMIT);
    image.context = Z_quickjsZ_JS_NewContext(I, image.runtime);
    write_names(guest);
    Z_quickjsZ_JS_SetHostPromiseRejectionTracker(I, image.runtime, CL_NATIVE_FIRST + CL_NATIVE_REJECTION, 0);
    Z_quickjsZ_JS_SetModuleLoaderFunc(I, image.runtime, CL_NATIVE_FIRST + CL_NATIVE_MODULE_NAME,
                                      CL_NATIVE_FIRST + CL_NATIVE_MODULE_LOAD, 0);
    for (int i = 0; i < path_count && bytecode[i].bytes == NULL; i++)
        compile(guest, i);
    load_prelude(guest);
    Z_quickjsZ_JS_RunGC(I, image.runtime);
    /* A run is short: no collection of cycles before it has made 4 MiB. */
    Z_quickjsZ_JS_SetGCThreshold(I, image.runtime, FIRST_COLLECTION_BYTES);
}

/* What changes engine memory only while the image is built goes into a guest of its own. */
static void probe(cl_slot *slot)
{
    cl_guest *guest = cl_guest_of(slot);

    build(slot);
    check_values(guest);
    find_bytecode_fields(guest);
}

static double random_value;

static void draw(cl_slot *slot)
{
    cl_guest *guest = cl_guest_of(slot);

    uint32_t name = cl_engine_text(guest, "probe.js", 8);
    uint32_t text = cl_engine_text(guest, "Math.random()", 13);
    random_value = cl_value_number(cl_engine_eval(guest, text, 13, name, 1, CL_EVAL_GLOBAL), -1);
}

/* ---- outside ---- */

static cl_run_request request_at(double now_ms)
{
    cl_run_request request = {.deterministic = true, .seed = 1, .now_ms = now_ms};
    request.limits.memory_pages = 1024;
    request.limits.max_timers = 1000;
    return request;
}

static cl_guest *enter(const cl_run_request *request, void (*main_fn)(cl_slot *), cl_guest *guest)
{
    cloche_error err = {0};
    cl_thread *thread = cl_thread_get(&err);

    if (thread == NULL || (guest == NULL && cl_guest_open(&guest, &err) < 0))
        fail("cannot open a guest", err.text);
    if (guest->run.request == NULL)
        cl_quickjs_init_memory(guest->instance);
    guest->run.request = request;
    guest->run.start_ns = cl_clock_ns(CLOCK_MONOTONIC);
    guest->slot.most_pages = request->limits.memory_pages;
    cl_until until = {.deadline_ns = guest->run.start_ns + 600 * CL_NS_PER_S, .stop = &guest->run.stop};
    cl_leave why = cl_thread_enter(thread, &guest->slot, main_fn, &until);
    if (why != CL_LEAVE_NONE) {
        char text[64];
        snprintf(text, sizeof text, "left as %d, trap %u", (int)why, guest->slot.trap);
        fail("the engine did not start", text);
    }
    return guest;
}

static double draw_with(cl_guest *guest, uint32_t at, uint64_t state)
{
    memcpy(guest->slot.memory + at, &state, sizeof state);
    enter(guest->run.request, draw, guest);
    return random_value;
}

/* Of the words of JSContext that depend on the clock (another one seeds the hashes of Map), the one that governs
 * Math.random: equal states give equal numbers, different ones different numbers. */
static void find_random(cl_guest *first, const cl_guest *second)
{
    enum { CONTEXT_BYTES = 1024, MOST = 16 };
    uint32_t candidates[MOST], count = 0, found = 0;

    for (uint32_t at = image.context; at < image.context + CONTEXT_BYTES && count < MOST; at += 8)
        if (memcmp(first->slot.memory + at, second->slot.memory + at, 8) != 0)
            candidates[count++] = at;
    for (uint32_t i = 0; i < count; i++) {
        double a = draw_with(first, candidates[i], 1), b = draw_with(first, candidates[i], 2);
        double c = draw_with(first, candidates[i], 1);
        if (a == c && a != b && a >= 0 && a < 1) {
            image.random_at = candidates[i];
            found++;
        }
    }
    if (found != 1)
        fail("Math.random's state was not found", "the engine's context has another shape");
}

/* Pages from the start of the data that neither starting the engine nor the prelude has written: its constants. */
static uint32_t find_cold_end(const uint8_t *memory)
{
    cloche_error err = {0};
    cl_guest *untouched;
    uint32_t page = CL_NULL_BYTES, at = image.shape.stack_pointer;

    if (cl_guest_open(&untouched, &err) < 0)
        fail("cannot open a guest", err.text);
    cl_quickjs_init_memory(untouched->instance);
    while (at + page <= ENGINE_PAGES * CL_WASM_PAGE && memcmp(untouched->slot.memory + at, memory + at, page) == 0)
        at += page;
    cl_guest_close(untouched);
    return at;
}

static void place_late_files(uint32_t at)
{
    for (int i = prelude_count; i < path_count; i++) {
        cl_late_file *file = &image.late[i - prelude_count];
        if (strlen(base_name(paths[i])) >= sizeof file->name)
            fail(paths[i], "the name is too long");
        strcpy(file->name, base_name(paths[i]));
        file->offset = at;
        file->length = bytecode[i].length;
        at += file->length;
    }
}

static void write_image(const char *path, const uint8_t *memory, uint32_t size)
{
    uint8_t header[CL_IMAGE_HEADER_BYTES] = {0};
    FILE *file = fopen(path, "wb");
    uint32_t cold_end = find_cold_end(memory); /* while `image` still is the tool's own */

    image.shape.pages = size / CL_WASM_PAGE;
    image.shape.copy_start = image.shape.stack_pointer;
    image.shape.cold_end = cold_end;
    image.shape.window_start = image.shape.stack_pointer - CL_WINDOW_BYTES;
    image.shape.tail_start = size - TAIL_BYTES;
    image.shape.used_end = image.shape.tail_start;
    while (image.shape.used_end > image.shape.copy_start && memory[image.shape.used_end - 1] == 0)
        image.shape.used_end--;
    image.shape.used_end = (image.shape.used_end + 63) / 64 * 64;
    place_late_files(CL_IMAGE_HEADER_BYTES + image.shape.used_end - image.shape.copy_start + TAIL_BYTES);
    memcpy(header, &image, sizeof image);
    if (file == NULL || fwrite(header, sizeof header, 1, file) != 1 ||
        fwrite(memory + image.shape.copy_start, image.shape.used_end - image.shape.copy_start, 1, file) != 1 ||
        fwrite(memory + image.shape.tail_start, TAIL_BYTES, 1, file) != 1)
        fail(path, strerror(errno));
    for (int i = prelude_count; i < path_count; i++)
        if (fwrite(bytecode[i].bytes, bytecode[i].length, 1, file) != 1)
            fail(path, strerror(errno));
    if (fclose(file) != 0)
        fail(path, strerror(errno));
    printf("image: %u KiB copied per run, %u KiB constant, %u KiB of memory, %u KiB zeroed behind it\n",
           (image.shape.used_end - image.shape.cold_end) / 1024, (image.shape.cold_end - image.shape.copy_start) / 1024, size / 1024, (image.shape.tail_start - image.shape.used_end) / 1024);
}

static void take_arguments(int argc, char **argv)
{
    int late = 0;

    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--late") == 0)
            late = i;
    if (argc < 3 || argc - 3 > MOST_FILES || late == 0 || argc - late - 1 > CL_LATE_MOST - 1)
        fail("usage: make_image OUT PRELUDE.js... --late LATE.js...", "");
    paths = argv + 2;
    prelude_count = late - 2;
    path_count = argc - 3;
    memmove(argv + late, argv + late + 1, (size_t)(argc - late) * sizeof *argv);
}

int main(int argc, char **argv)
{
    const cl_run_request early = request_at(1e12), late = request_at(1.5e12);
    cloche_error err = {0};

    take_arguments(argc, argv);
    cl_table_init();
    if (cl_threads_init(0, &err) < 0)
        fail("cannot start", err.text);

    cl_guest *probed = enter(&early, probe, NULL);
    cl_guest *other = enter(&early, build, NULL);
    cl_guest *guest = enter(&late, build, NULL);
    image.shape.stack_pointer = guest->instance->w2c___stack_pointer;
    uint32_t size = guest->instance->w2c_memory.size;
    uint8_t *memory = calloc(1, size);
    if (memory == NULL)
        fail("out of memory", "");
    memcpy(memory + image.shape.stack_pointer, guest->slot.memory + image.shape.stack_pointer, size - image.shape.stack_pointer);
    find_random(guest, other);
    /* A state of zero would stay zero; each run writes its own. */
    memset(memory + image.random_at, 0, 8);
    write_image(argv[1], memory, size);
    free(memory);
    cl_guest_close(probed);
    cl_guest_close(other);
    cl_guest_close(guest);
    for (int i = 0; i < path_count; i++)
        free(bytecode[i].bytes);
    return 0;
}
