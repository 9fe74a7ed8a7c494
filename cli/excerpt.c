/* excerpt.c - the source line of an error and the caret below it
 *
 * A caret is placed by cells, a column is counted in UTF-16 units: the line is walked once to translate, with tabs
 * opened to the next multiple of four and wide characters taking two. What would be obeyed by a terminal takes one
 * cell and shows as U+FFFD. A long line is shown through a window around the error, an ellipsis at each cut.
 */
#include <string.h>

#include "report.h"
#include "text.h"

#define TAB_CELLS 4u

typedef struct span {
    const char *start, *end;
} span;

/* CR LF, LF, CR, U+2028 and U+2029 end a line, as in ECMAScript. Answers the bytes of the line end at `at`; 0: none. */
static size_t line_end_length(const char *at, const char *end)
{
    if (*at == '\n')
        return 1;
    if (*at == '\r')
        return at + 1 < end && at[1] == '\n' ? 2 : 1;
    if (end - at >= 3 && memcmp(at, "\xE2\x80", 2) == 0 && (at[2] == '\xA8' || at[2] == '\xA9'))
        return 3;
    return 0;
}

static bool find_line(const char *text, size_t length, uint32_t line, span *out)
{
    const char *end = text + length;

    out->start = text;
    for (const char *at = text; at < end;) {
        size_t width = line_end_length(at, end);

        if (width > 0 && --line == 0) {
            out->end = at;
            return true;
        }
        at += width > 0 ? width : 1;
        if (width > 0)
            out->start = at;
    }
    out->end = end;
    return line == 1;
}

static uint32_t cells_at(uint32_t code_point, uint32_t cell)
{
    if (code_point == '\t')
        return TAB_CELLS - cell % TAB_CELLS;
    return text_is_hidden(code_point) ? 1 : text_width(code_point);
}

/* The cell of a 1-based column in UTF-16 units; the cell behind the line when it ends before. */
static uint32_t cell_of_column(span line, uint32_t column)
{
    uint32_t cell = 0, unit = 1;

    for (const char *at = line.start; at < line.end && unit < column;) {
        uint32_t c = text_next(&at, line.end);

        cell += cells_at(c, cell);
        unit += c > 0xFFFF ? 2 : 1;
    }
    return cell;
}

const char *report_place(const char *text, size_t length, uint32_t line, uint32_t column)
{
    uint32_t unit = 1;
    span found;

    if (line == 0 || !find_line(text, length, line, &found))
        return NULL;
    for (const char *at = found.start; at < found.end;) {
        const char *start = at;

        if (unit >= column)
            return start;
        unit += text_next(&at, found.end) > 0xFFFF ? 2 : 1;
    }
    return NULL;
}

/* The cells [first, first + count) of the line. */
static void add_window(buffer *out, span line, uint32_t first, uint32_t count)
{
    uint32_t cell = 0;

    if (first > 0)
        buffer_text(out, "…");
    for (const char *at = line.start; at < line.end;) {
        const char *start = at;
        uint32_t c = text_next(&at, line.end);
        uint32_t cells = cells_at(c, cell);

        if (cell >= first && cell + cells > first + count) {
            buffer_text(out, "…");
            return;
        }
        if (cell >= first && c == '\t')
            buffer_printf(out, "%*s", (int)cells, "");
        else if (cell >= first && (text_is_hidden(c) || c == 0xFFFD))
            buffer_text(out, "\xEF\xBF\xBD");
        else if (cell >= first)
            buffer_add(out, start, (size_t)(at - start));
        else if (cell + cells > first) /* cut through by the window's edge */
            buffer_printf(out, "%*s", (int)(cell + cells - first), "");
        cell += cells;
    }
}

void report_excerpt(buffer *out, const report_style *style, const char *text, size_t length, uint32_t line,
                    uint32_t column, uint32_t shown_line)
{
    const char *dim = style->has_colour ? "\033[2m" : "", *red = style->has_colour ? "\033[1;31m" : "";
    const char *plain = style->has_colour ? "\033[0m" : "";
    uint32_t caret, room, first = 0;
    buffer gutter = { 0 };
    span found;

    if (line == 0 || !find_line(text, length, line, &found))
        return;
    buffer_printf(&gutter, "%5u", shown_line);
    room = style->columns > gutter.length + 20 ? style->columns - (uint32_t)gutter.length - 5 : 20;
    caret = cell_of_column(found, column);
    if (caret >= room * 3 / 4)
        first = caret - room / 2;

    buffer_printf(out, "\n%s%s |%s ", dim, gutter.data, plain);
    add_window(out, found, first, room);
    buffer_text(out, "\n");
    if (column > 0)
        buffer_printf(out, "%s%*s |%s %*s%s^%s\n", dim, (int)gutter.length, "", plain,
                      (int)(caret - first + (first > 0 ? 1 : 0)), "", red, plain);
    buffer_fini(&gutter);
}
