/* The TypeScript module in its slot: what it answers, and that a reset leaves nothing of what came before. */
#include "isolate/typescript/instance.h"

#include <string.h>

#include "base/clock.h"
#include "isolate/table.h"

#include "../runner.h"

static cl_thread *thread;
static _Atomic int stop;

static cl_typescript *open_instance(void)
{
    cl_typescript *typescript;
    cloche_error err;

    cl_table_init();
    ck_assert_int_eq(cl_threads_init(0, &err), CLOCHE_OK);
    thread = cl_thread_get(&err);
    ck_assert_ptr_nonnull(thread);
    ck_assert_int_eq(cl_typescript_reserve(&typescript, &err), CLOCHE_OK);
    ck_assert_int_eq(cl_typescript_fill(typescript, &err), CLOCHE_OK);
    return typescript;
}

static cl_ts_answer work(cl_typescript *typescript, const char *code, cl_ts_mode mode, unsigned timeout_ms)
{
    cl_ts_task task = {.source = {{code, strlen(code)}}, .mode = mode, .is_module = true};
    cl_until until = {.deadline_ns = cl_clock_ns(CLOCK_MONOTONIC) + timeout_ms * CL_NS_PER_MS, .stop = &stop};
    cl_ts_answer answer;

    typescript->slot.most_pages = 2048;
    cl_typescript_work(thread, typescript, &task, &until, &answer);
    return answer;
}

static char *repeated(const char *before, const char *part, unsigned count, const char *behind)
{
    char *text = malloc(strlen(before) + count * strlen(part) + strlen(behind) + 1), *at = stpcpy(text, before);

    while (count-- > 0)
        at = stpcpy(at, part);
    strcpy(at, behind);
    return text;
}

START_TEST(erasure_keeps_every_byte_that_is_left_in_its_place)
{
    cl_typescript *typescript = open_instance();

    cl_ts_answer answer = work(typescript, "let a: number = 1;\nlet b = a as any;", CL_TS_STRIP, 1000);
    ck_assert(answer.ok);
    ck_assert_str_eq(answer.code.data, "let a         = 1;\nlet b = a       ;");
    cl_typescript_close(typescript);
}
END_TEST

START_TEST(javascript_comes_out_as_it_went_in)
{
    static const char *const sources[] = {
        "", "1", "const a = b < c, d = e >> f >>> 1;", "label: for (const x of y) { continue label }", "a?.b ?? c; x = y / z / 2",
        "class A { #x = 1; static { } get y() { return this.#x } static async *z() { } }", "`a${`b${c}`}d`", "/[/]/g.test(a)",
        "import a, { b as c } from 'd'; export * as e from 'f'", "// \xf0\x9f\x98\x80\r\n\xe2\x80\xa8'\xc3\xa9'",
        "async () => { for await (const x of y); }", "var { a = 1, ...b } = c, [d, , e] = f", "import('x'); import.meta",
    };
    cl_typescript *typescript = open_instance();

    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        cl_ts_answer answer = work(typescript, sources[i], CL_TS_STRIP, 1000);
        ck_assert_msg(answer.ok, "%s: %s", sources[i], answer.error.data);
        ck_assert_uint_eq(answer.code.length, strlen(sources[i]));
        ck_assert_str_eq(answer.code.data, sources[i]);
        cl_typescript_reset(typescript);
    }
    cl_typescript_close(typescript);
}
END_TEST

START_TEST(transformation_comes_with_a_map)
{
    cl_typescript *typescript = open_instance();

    cl_ts_answer answer = work(typescript, "enum A { B }", CL_TS_TRANSFORM, 1000);
    ck_assert(answer.ok);
    ck_assert_ptr_nonnull(strstr(answer.code.data, "A[A[\"B\"] = 0] = \"B\""));
    ck_assert_ptr_nonnull(strstr(answer.map.data, "\"mappings\":\""));
    cl_typescript_close(typescript);
}
END_TEST

START_TEST(an_error_has_a_text_and_a_place)
{
    cl_typescript *typescript = open_instance();

    cl_ts_answer answer = work(typescript, "let a = 1;\nlet b: = 2", CL_TS_STRIP, 1000);
    ck_assert(!answer.ok && !answer.is_unsupported && answer.left == CL_LEAVE_NONE);
    ck_assert_ptr_nonnull(answer.error.data);
    ck_assert_uint_eq(answer.line, 2);
    ck_assert_uint_eq(answer.cell, 7);
    cl_typescript_reset(typescript);
    answer = work(typescript, "enum A { B }", CL_TS_STRIP, 1000);
    ck_assert(!answer.ok && answer.is_unsupported);
    cl_typescript_close(typescript);
}
END_TEST

/* ---- reset ---- */

/* Everything that a translation can reach: memory as far as it is open, and the instance. */
static void expect_untouched(cl_typescript *used, cl_typescript *fresh, const char *after)
{
    uint32_t start = used->slot.shape->window_start, size = cl_slot_image_size(&used->slot);

    ck_assert_msg(memcmp(used->slot.memory + start, fresh->slot.memory + start, size - start) == 0, "memory after %s", after);
    ck_assert_msg(used->slot.mapped_end <= size + CL_TS_OPEN_GROWTH, "growth stays open after %s", after);
    ck_assert_msg(!used->slot.is_deep && !used->slot.is_thawed && !used->slot.is_dirty, "the slot after %s", after);
    ck_assert_uint_eq(used->instance->w2c_g0, fresh->instance->w2c_g0);
    ck_assert_uint_eq(used->instance->w2c_memory.size, size);
    ck_assert_uint_eq(used->handles.end, CL_HANDLE_FIRST);
    ck_assert_uint_eq(used->handles.text_count + used->handles.object_count + used->handles.first_free, 0);
    /* What is open behind it, and what opens at the next growth, holds zeros. */
    static const uint8_t zeros[CL_TS_OPEN_GROWTH + 65536];
    wasm_rt_memory_t memory = cl_slot_descriptor(&used->slot);
    used->slot.most_pages = sizeof zeros / 65536;
    cl_slot_grow(&used->slot, &memory, used->slot.most_pages);
    ck_assert_msg(memcmp(used->slot.memory + size, zeros, sizeof zeros) == 0, "growth after %s", after);
    used->slot.is_dirty = true;
    cl_typescript_reset(used);
}

/* Control: without the reset the memory differs, so the comparison can fail. */
START_TEST(a_translation_leaves_marks_in_memory)
{
    cl_typescript *used = open_instance(), *fresh = open_instance();
    uint32_t start = used->slot.shape->window_start, size = cl_slot_image_size(&used->slot);

    work(used, "let a: number = 1", CL_TS_STRIP, 1000);
    ck_assert_int_ne(memcmp(used->slot.memory + start, fresh->slot.memory + start, size - start), 0);
    ck_assert_uint_gt(used->slot.mapped_end, size);
    ck_assert(used->slot.is_dirty);
    cl_typescript_close(used);
    cl_typescript_close(fresh);
}
END_TEST

START_TEST(a_reset_leaves_nothing_however_a_translation_ended)
{
    const struct {
        const char *name;
        char *code;
        cl_ts_mode mode;
        unsigned timeout_ms;
        cl_leave left;
    } ways[] = {
        {"a short one", strdup("let a: number = 1"), CL_TS_STRIP, 1000, CL_LEAVE_NONE},
        {"a transformation", strdup("enum A { B = 'secret' }"), CL_TS_TRANSFORM, 1000, CL_LEAVE_NONE},
        {"an error", strdup("let a: = 'secret'"), CL_TS_STRIP, 1000, CL_LEAVE_NONE},
        {"a long one", repeated("let a: ", "1 | ", 100000, "2 = 1"), CL_TS_STRIP, 5000, CL_LEAVE_NONE},
        {"a deep one", repeated("let a: ", "A<", 100000, "x"), CL_TS_STRIP, 5000, CL_LEAVE_FAULT},
        {"a deep expression", repeated("let a = ", "(", 100000, "1"), CL_TS_TRANSFORM, 5000, CL_LEAVE_FAULT},
        {"a stop", repeated("x = ", "a ? (b) : c => ", 300, "1 as any"), CL_TS_STRIP, 20, CL_LEAVE_STOP},
        {"memory over", repeated("let a: ", "1 | ", 3000000, "2"), CL_TS_STRIP, 5000, CL_LEAVE_MEMORY},
    };
    cl_typescript *used = open_instance(), *fresh = open_instance();

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        cl_ts_answer answer = work(used, ways[i].code, ways[i].mode, ways[i].timeout_ms);
        ck_assert_msg(answer.left == ways[i].left, "%s was left as %d", ways[i].name, (int)answer.left);
        cl_typescript_reset(used);
        expect_untouched(used, fresh, ways[i].name);
        answer = work(used, "let a: number = 1", CL_TS_STRIP, 1000);
        ck_assert(answer.ok);
        ck_assert_str_eq(answer.code.data, "let a         = 1");
        cl_typescript_reset(used);
        free(ways[i].code);
    }
    cl_typescript_close(used);
    cl_typescript_close(fresh);
}
END_TEST

/* ---- handles ---- */

START_TEST(a_handle_that_is_not_there_is_no_value)
{
    static cl_handles handles;

    cl_handles_clear(&handles);
    static const uint32_t wrong[] = {0, 127, CL_HANDLE_FIRST, CL_HANDLE_MOST - 1, CL_HANDLE_MOST, UINT32_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        ck_assert_ptr_null(cl_handles_get(&handles, wrong[i]));
    ck_assert_int_eq(cl_handles_get(&handles, CL_HANDLE_UNDEFINED)->type, CL_JS_UNDEFINED);
    ck_assert(cl_handles_get(&handles, CL_HANDLE_TRUE)->boolean);
    uint32_t one = cl_handles_add(&handles, (cl_js_value){.type = CL_JS_NUMBER, .number = 1});
    ck_assert(cl_handles_drop(&handles, one));
    ck_assert_ptr_null(cl_handles_get(&handles, one));
    ck_assert(!cl_handles_drop(&handles, one));
    ck_assert_uint_eq(cl_handles_add(&handles, (cl_js_value){.type = CL_JS_NULL}), one);
}
END_TEST

START_TEST(full_tables_are_told)
{
    static cl_handles handles;
    cl_js_value value;
    uint32_t count = 0;

    cl_handles_clear(&handles);
    while (cl_handles_add(&handles, (cl_js_value){.type = CL_JS_NULL}) != 0)
        count++;
    ck_assert_uint_eq(count, CL_HANDLE_MOST - CL_HANDLE_FIRST);
    for (count = 0; cl_handles_text(&handles, "x", 1, &value); count++)
        ck_assert_str_eq(value.text.data, "x");
    ck_assert_uint_eq(count, CL_JS_TEXTS);
    for (count = 0; cl_handles_object(&handles, &value); count++)
        ;
    ck_assert_uint_eq(count, CL_JS_OBJECTS);
    static const char names[] = "abcdefghijklmnopqrstuvwxyz";
    for (count = 0; cl_handles_set(&handles, value, (cl_js_text){names + count, 1}, value); count++)
        ;
    ck_assert_uint_eq(count, CL_JS_MEMBERS);
    cl_handles_clear(&handles);
    ck_assert_uint_ne(cl_handles_add(&handles, value), 0);
    cl_handles_clear(&handles);
}
END_TEST

TEST_MAIN("unit/typescript/instance", erasure_keeps_every_byte_that_is_left_in_its_place, javascript_comes_out_as_it_went_in,
          transformation_comes_with_a_map, an_error_has_a_text_and_a_place, a_translation_leaves_marks_in_memory,
          a_reset_leaves_nothing_however_a_translation_ended, a_handle_that_is_not_there_is_no_value, full_tables_are_told)
