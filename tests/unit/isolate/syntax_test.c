/* What is said of a source that does not parse: excerpts and hints. */
#include "isolate/syntax.h"

#include <string.h>

#include "../guard.h"
#include "../runner.h"

static char *excerpt(const char *code, size_t offset, uint32_t line)
{
    cl_buf out;
    size_t length;

    cl_buf_init(&out, 0);
    cl_syntax_excerpt(&out, &(cl_syntax){.code = code, .code_length = strlen(code), .offset = offset}, line);
    return cl_buf_take(&out, &length);
}

START_TEST(an_excerpt_is_the_line_with_a_caret_below_the_place)
{
    ck_assert_str_eq(excerpt("one\ntwo\nthree", 5, 2), "    2 | two\n      |  ^\n");
    ck_assert_str_eq(excerpt("one\r\ntwo\r\n", 5, 2), "    2 | two\n      | ^\n");
    ck_assert_str_eq(excerpt("one", 3, 1), "    1 | one\n      |    ^\n");
    ck_assert_str_eq(excerpt("", 0, 1), "    1 | \n      | ^\n");
    ck_assert_str_eq(excerpt("\ta\t= ;", 5, 1), "    1 | \ta\t= ;\n      | \t \t  ^\n");
    ck_assert_str_eq(excerpt("\xc3\xa9\xc3\xa9;", 4, 1), "    1 | \xc3\xa9\xc3\xa9;\n      |   ^\n");
    ck_assert_str_eq(excerpt("a\x1b[1m;", 5, 1), "    1 | a\xef\xbf\xbd[1m;\n      |      ^\n");
    ck_assert_str_eq(excerpt("'\xed\xa0\x80' ;", 6, 1), "    1 | '\xef\xbf\xbd' ;\n      |     ^\n");
}
END_TEST

START_TEST(a_long_line_is_shown_around_the_place)
{
    char code[1001];

    memset(code, 'x', 1000);
    code[1000] = '\0';
    code[500] = '!';
    char *text = excerpt(code, 500, 7);
    ck_assert_uint_lt(strlen(text), 250);
    ck_assert_ptr_nonnull(strstr(text, "...x"));
    ck_assert_ptr_nonnull(strstr(text, "x...\n"));
    char *caret = strchr(text, '^'), *shown = strchr(text, '!');
    ck_assert_int_eq(caret - strrchr(text, '|'), shown - strchr(text, '|'));
}
END_TEST

START_TEST(hints_fit_the_mistake)
{
    static const struct {
        const char *code;
        size_t offset;
        const char *message, *hint;
    } mistakes[] = {
        {"@dec class A { }", 0, "unexpected token", "C = decorate(C)"},
        {"class A { accessor x = 1 }", 19, "expecting ';'", "private field"},
        {"return <b>x</b>", 10, "Expression expected", "template strings"},
        {"x = \xe2\x80\x9c", 4, "Unexpected character", "typographic"},
        {"function f() { await g() }", 21, "expecting ';'", "async"},
        {"import 'x'; return 1", 12, "return not in a function", "export default"},
        {"import x from 'y'", 0, "'import', and 'export' cannot be used outside of module code", "top of a module"},
        {"x = 'abc", 4, "unexpected end of string", "ends in its line"},
        {"f(", 2, "unexpected end of the source", "left open"},
        {"let a, a", 7, "invalid redefinition of lexical identifier", "twice"},
        {"const a", 6, "missing initializer for const variable", "a value"},
        {"def f(x):", 4, "expecting ';'", "Python"},
        {"x = 1 # one", 6, "unexpected token", "comments begin with //"},
        {"f(1 2)", 4, "Expected ',', got '2'", "comma"},
    };

    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        cl_syntax syntax = {.code = mistakes[i].code, .code_length = strlen(mistakes[i].code),
                            .offset = mistakes[i].offset, .message = mistakes[i].message};
        cl_syntax_advice advice = cl_syntax_advise(&syntax);
        ck_assert_msg(advice.hint != NULL && strstr(advice.hint, mistakes[i].hint) != NULL, "%s: %s", mistakes[i].code,
                      advice.hint);
    }
}
END_TEST

START_TEST(where_nothing_is_known_nothing_is_said)
{
    static const char *const codes[] = {"return 1 +* 2", "a b", "x = {", "defuse = 1 1", "awaiting x", "a < b c", "<", "let x = y z"};

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        cl_syntax syntax = {.code = codes[i], .code_length = strlen(codes[i]), .message = "unexpected token"};
        for (syntax.offset = 0; syntax.offset < syntax.code_length; syntax.offset++)
            ck_assert_msg(cl_syntax_advise(&syntax).hint == NULL, "%s at %zu: %s", codes[i], syntax.offset,
                          cl_syntax_advise(&syntax).hint);
    }
}
END_TEST

/* Each place of each text, which ends where memory ends. */
START_TEST(no_byte_outside_the_source_is_read)
{
    static const char *const texts[] = {"@", "accessor", "<b/>", "```", "\xe2\x80", "await", "\nimport", "def ", "#", "", " ", "<", "</"};
    static const char *const messages[] = {"", "Unterminated template", "Return statement", "Expected ','"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        guarded code = guard_text(texts[i], strlen(texts[i]));
        for (size_t m = 0; m < sizeof messages / sizeof messages[0]; m++)
            for (size_t offset = 0; offset <= code.length; offset++) {
                cl_syntax syntax = {.code = code.data, .code_length = code.length, .offset = offset, .message = messages[m]};
                cl_buf out;
                cl_syntax_advise(&syntax);
                cl_buf_init(&out, 0);
                cl_syntax_excerpt(&out, &syntax, 1);
                cl_buf_fini(&out);
            }
        guard_free(&code);
    }
}
END_TEST

TEST_MAIN("unit/isolate/syntax", an_excerpt_is_the_line_with_a_caret_below_the_place, a_long_line_is_shown_around_the_place,
          hints_fit_the_mistake, where_nothing_is_known_nothing_is_said, no_byte_outside_the_source_is_read)
