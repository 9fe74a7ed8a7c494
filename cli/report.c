#include "report.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "json_text.h"
#include "out.h"
#include "text.h"

report_style report_style_for(int fd, bool is_raw)
{
    return (report_style){
        .has_colour = text_has_colour(fd),
        .is_visible = text_is_terminal(fd) && !is_raw,
        .columns = text_columns(fd),
    };
}

static void add_text(buffer *out, const report_style *style, const char *data, size_t length)
{
    if (style->is_visible)
        text_make_visible(data, length, out);
    else
        buffer_add(out, data, length);
}

static void colour(buffer *out, const report_style *style, const char *code)
{
    if (style->has_colour)
        buffer_printf(out, "\033[%sm", code);
}

static bool ends_with(cloche_text text, cloche_text ending)
{
    return ending.data != NULL && ending.length <= text.length &&
           memcmp(text.data + text.length - ending.length, ending.data, ending.length) == 0;
}

/* Name and message of a cause or a collected error; anything that was thrown may be one. */
static void add_related(buffer *out, const report_style *style, const char *label, cloche_text json)
{
    cloche_text name = json_text_member(json, "name"), message = json_text_member(json, "message");
    buffer text = { 0 };

    if (json_text_is_string(message)) {
        if (json_text_is_string(name)) {
            json_text_decode(name, &text);
            buffer_text(&text, ": ");
        }
        json_text_decode(message, &text);
    } else {
        buffer_add(&text, json.data, json.length);
    }
    buffer_text(out, label);
    add_text(out, style, text.data != NULL ? text.data : "", text.length);
    buffer_text(out, "\n");
    buffer_fini(&text);
}

static void add_causes(buffer *out, const report_style *style, const cloche_error_detail *detail)
{
    cloche_text item;
    size_t cursor = 0;

    while (detail->errors.data != NULL && json_text_item(detail->errors, &cursor, &item))
        add_related(out, style, "  - ", item);
    for (item = detail->cause; item.data != NULL; item = json_text_member(item, "cause"))
        add_related(out, style, "caused by: ", item);
}

static void add_stack(buffer *out, const report_style *style, cloche_text stack)
{
    colour(out, style, "2");
    add_text(out, style, stack.data, stack.length);
    colour(out, style, "0");
    if (stack.data[stack.length - 1] != '\n')
        buffer_text(out, "\n");
}

void report_add(buffer *out, const report_style *style, const cloche_result *result, const report_source *source)
{
    const cloche_error_detail *detail = &result->detail;
    cloche_text head = result->error;
    cloche_text stack = { 0 };
    size_t before;

    if (result->has_detail && detail->stack.length > 0 && ends_with(head, detail->stack)) {
        stack = detail->stack;
        head.length -= stack.length;
    }
    while (head.length > 0 && head.data[head.length - 1] == '\n')
        head.length--;
    /* What follows the first line of a source that does not parse is shown below, in the terminal's width. */
    if (result->has_detail && result->code == CLOCHE_CODE_INVALID_CODE && memchr(head.data, '\n', head.length) != NULL)
        head.length = (size_t)((const char *)memchr(head.data, '\n', head.length) - head.data);

    colour(out, style, "1;31");
    if (!result->has_detail && memmem(head.data, head.length, "SANDBOX_", 8) != head.data)
        buffer_printf(out, "%s: ", cloche_code_name(result->code));
    add_text(out, style, head.data != NULL ? head.data : "", head.length);
    colour(out, style, "0");
    buffer_text(out, "\n");
    if (!result->has_detail)
        return;

    before = out->length;
    if (detail->line > source->lines_before) {
        uint32_t line = detail->line - source->lines_before;

        report_excerpt(out, style, source->text, source->length, line, detail->column, line);
    }
    if (detail->hint.length > 0) {
        buffer_text(out, "hint: ");
        add_text(out, style, detail->hint.data, detail->hint.length);
        buffer_text(out, "\n");
    }
    if (stack.length > 0 && !source->is_stack_hidden) {
        if (out->length > before)
            buffer_text(out, "\n");
        add_stack(out, style, stack);
    }
    add_causes(out, style, detail);
}

void report_print(const cloche_result *result, const report_source *source, bool is_raw)
{
    report_style style = report_style_for(STDERR_FILENO, is_raw);
    buffer out = { 0 };

    report_add(&out, &style, result, source);
    out_write(STDERR_FILENO, out.data, out.length);
    buffer_fini(&out);
}

void report_usage(const cloche_result *result)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } layers[] = {
#define CLOCHE_X(name, wire, bit) { bit, wire },
        CLOCHE_LAYER_LIST(CLOCHE_X)
#undef CLOCHE_X
    };
    buffer line = { 0 };

    buffer_printf(&line, "%.3f ms, %.3f ms CPU, %.3f ms queued, %.1f MiB at most", result->duration_ms,
                  result->usage.cpu_ms, result->queue_ms, (double)result->usage.memory_peak_bytes / (1 << 20));
    if (result->usage.pending > 0)
        buffer_printf(&line, ", %u pending", result->usage.pending);
    buffer_text(&line, ", isolation");
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
        if ((result->isolation & layers[i].bit) != 0)
            buffer_printf(&line, " %s", layers[i].name);
    if (result->isolation == 0)
        buffer_text(&line, " none");
    buffer_text(&line, "\n");
    out_write(STDERR_FILENO, line.data, line.length);
    buffer_fini(&line);
}
