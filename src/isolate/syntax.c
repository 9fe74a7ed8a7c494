#include "isolate/syntax.h"

#include <string.h>

#include "base/utf8.h"

/* ---- the text around the place ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           (unsigned char)c >= 0x80;
}

static bool starts_with(const cl_syntax *s, size_t at, const char *text)
{
    size_t length = strlen(text);
    return s->code_length - at >= length && memcmp(s->code + at, text, length) == 0;
}

static bool is_word_at(const cl_syntax *s, size_t at, const char *word)
{
    size_t end = at + strlen(word);
    return at <= s->code_length && starts_with(s, at, word) && (end == s->code_length || !is_word(s->code[end]));
}

/* Whether the word ends right before a place, blanks aside. */
static bool is_word_before(const cl_syntax *s, size_t at, const char *word)
{
    size_t length = strlen(word);

    while (at > 0 && is_blank(s->code[at - 1]))
        at--;
    return at >= length && is_word_at(s, at - length, word) && (at == length || !is_word(s->code[at - length - 1]));
}

static size_t line_start(const cl_syntax *s, size_t at)
{
    while (at > 0 && s->code[at - 1] != '\n')
        at--;
    return at;
}

static size_t skip_blanks(const cl_syntax *s, size_t at)
{
    while (at < s->code_length && (s->code[at] == ' ' || s->code[at] == '\t'))
        at++;
    return at;
}

static bool says(const cl_syntax *s, const char *part)
{
    return strstr(s->message, part) != NULL;
}

/* ---- the mistakes ---- */

static bool is_decorator(const cl_syntax *s)
{
    return starts_with(s, s->offset, "@");
}

static bool is_accessor(const cl_syntax *s)
{
    return is_word_before(s, s->offset, "accessor") || is_word_at(s, s->offset, "accessor");
}

/* A tag where an expression may begin, in the line of the error or the one before; SIZE_MAX: none. */
static size_t find_tag(const cl_syntax *s)
{
    size_t from = line_start(s, s->offset);

    from = from > 0 ? line_start(s, from - 1) : from;
    for (size_t i = from; i < s->code_length && i <= s->offset; i++) {
        if (s->code[i] != '<' || i + 1 >= s->code_length || !(is_word(s->code[i + 1]) || s->code[i + 1] == '>'))
            continue;
        size_t before = i;
        while (before > 0 && is_blank(s->code[before - 1]))
            before--;
        bool opens = before == 0 || strchr("=(,?:&|{[>", s->code[before - 1]) != NULL || is_word_before(s, i, "return");
        const char *rest = s->code + i;
        size_t length = s->code_length - i;
        if (opens && (memmem(rest, length, "/>", 2) != NULL || memmem(rest, length, "</", 2) != NULL))
            return i;
    }
    return SIZE_MAX;
}

static bool is_jsx(const cl_syntax *s)
{
    return find_tag(s) != SIZE_MAX;
}

static bool is_fence(const cl_syntax *s)
{
    return starts_with(s, skip_blanks(s, line_start(s, s->offset)), "```") || starts_with(s, skip_blanks(s, 0), "```");
}

static bool is_typographic(const cl_syntax *s)
{
    return s->code_length - s->offset >= 3 && memcmp(s->code + s->offset, "\xE2\x80", 2) == 0 &&
           (unsigned char)s->code[s->offset + 2] >= 0x98 && (unsigned char)s->code[s->offset + 2] <= 0x9F;
}

static bool is_python(const cl_syntax *s)
{
    static const char *const words[] = {"def", "elif", "print", "from", "pass", "lambda"};
    size_t at = skip_blanks(s, line_start(s, s->offset));

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (is_word_at(s, at, words[i]) && starts_with(s, at + strlen(words[i]), " "))
            return true;
    return starts_with(s, s->offset, "#") && !starts_with(s, s->offset, "#!");
}

static bool is_await(const cl_syntax *s)
{
    return is_word_before(s, s->offset, "await") || is_word_at(s, s->offset, "await");
}

static bool is_return_in_module(const cl_syntax *s)
{
    return (says(s, "Return statement") || says(s, "return not in a function")) &&
           (memmem(s->code, s->code_length, "import", 6) != NULL || memmem(s->code, s->code_length, "export", 6) != NULL);
}

static bool is_module_in_body(const cl_syntax *s)
{
    return says(s, "cannot be used outside of module code") ||
           ((is_word_at(s, s->offset, "import") || is_word_at(s, s->offset, "export")) && !says(s, "end of"));
}

static bool is_unclosed(const cl_syntax *s)
{
    return says(s, "end of the source") || says(s, "Unterminated template") || says(s, "unexpected end of template");
}

static bool is_open_string(const cl_syntax *s)
{
    return says(s, "Unterminated string") || says(s, "unexpected end of string");
}

static bool is_declared_twice(const cl_syntax *s)
{
    return says(s, "redefinition") || says(s, "redeclaration") || says(s, "already been declared") ||
           says(s, "defined multiple times");
}

static bool is_without_value(const cl_syntax *s)
{
    return says(s, "must be initialized") || says(s, "missing initializer");
}

static bool is_comma_missing(const cl_syntax *s)
{
    return says(s, "Expected ','") || says(s, "expecting ','");
}

static bool is_typescript(const cl_syntax *s)
{
    return s->is_typescript_only;
}

/* In this order: what is sure comes before what is likely. */
static const struct {
    bool (*is)(const cl_syntax *);
    cl_syntax_advice advice;
} mistakes[] = {
    {is_fence, {NULL, "take the Markdown fence (```) away", 0}},
    {is_decorator, {"decorators are not supported", "call the function yourself: C = decorate(C)", 0}},
    {is_accessor, {"accessor fields are not supported", "write a getter and a setter over a private field (#x)", 0}},
    {is_typographic, {NULL, "these are typographic quotes; use ' or \"", 0}},
    {is_typescript, {NULL, "this is TypeScript; ask for language ts or auto", 0}},
    {is_await, {NULL, "await is allowed in async functions only; make the function around it async", 0}},
    {is_return_in_module, {NULL, "a source with import or export is a module: give the value with export default", 0}},
    {is_module_in_body, {NULL, "import and export belong at the top of a module, and a module has no return at its top", 0}},
    {is_jsx, {"JSX is not supported", "build the text with template strings, or call the functions that JSX stands for", 0}},
    {is_open_string, {NULL, "a string in quotes ends in its line; use a template (`) for several lines", 0}},
    {is_unclosed, {NULL, "a bracket, template or comment is left open", 0}},
    {is_declared_twice, {NULL, "the name is declared twice; leave out the second let, const or class", 0}},
    {is_without_value, {NULL, "give it a value, or declare it with let", 0}},
    {is_python, {NULL, "this is Python or shell; the sandbox runs JavaScript and TypeScript (comments begin with //)", 0}},
    {is_comma_missing, {NULL, "a comma, an operator or a closing bracket is missing before this", 0}},
};

cl_syntax_advice cl_syntax_advise(const cl_syntax *s)
{
    cl_syntax_advice advice = {NULL, NULL, s->offset};

    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        if (!mistakes[i].is(s))
            continue;
        advice = mistakes[i].advice;
        advice.offset = mistakes[i].is == is_jsx ? find_tag(s) : s->offset;
        break;
    }
    return advice;
}

/* ---- the excerpt ---- */

enum { SHOWN_BEFORE = 60, SHOWN_BEHIND = 60 };

void cl_syntax_excerpt(cl_buf *out, const cl_syntax *s, uint32_t line)
{
    size_t start = line_start(s, s->offset), end = s->offset, from = start, to;

    while (end < s->code_length && s->code[end] != '\n' && s->code[end] != '\r')
        end++;
    if (s->offset - start > SHOWN_BEFORE)
        from = start + cl_utf8_cut(s->code + start, s->offset - start, s->offset - start - SHOWN_BEFORE);
    to = s->offset + cl_utf8_cut(s->code + s->offset, end - s->offset, SHOWN_BEHIND);
    cl_buf_printf(out, "%5u | %s", line, from > start ? "..." : "");
    for (size_t i = from; i < to; i++) {
        bool is_surrogate = to - i >= 3 && (unsigned char)s->code[i] == 0xED && (unsigned char)s->code[i + 1] >= 0xA0;
        bool is_control = (unsigned char)s->code[i] < 0x20 && s->code[i] != '\t';
        if (is_surrogate || is_control)
            cl_buf_puts(out, "\xEF\xBF\xBD");
        else
            cl_buf_append(out, s->code + i, 1);
        i += is_surrogate ? 2 : 0;
    }
    cl_buf_printf(out, "%s\n      | %s", to < end ? "..." : "", from > start ? "   " : "");
    /* Tabs stay tabs, so that the caret stands where it should whatever their width. */
    for (size_t i = from; i < s->offset; i++)
        if (((unsigned char)s->code[i] & 0xc0) != 0x80)
            cl_buf_puts(out, s->code[i] == '\t' ? "\t" : " ");
    cl_buf_puts(out, "^\n");
}
