#include "isolate/typescript/tokens.h"

#include <stdlib.h>
#include <string.h>

/* All of this is host code, which no deadline interrupts: a source beyond these is not looked at. */
enum { NESTING_MOST = 128, TOKENS_MOST = 1 << 19 };

typedef struct scan {
    const char *code;
    size_t length, at;
    cl_tokens *out;
    uint32_t room;
    bool begins_line;
    uint32_t open[NESTING_MOST]; /* tokens of open brackets; a template's ${ is an open brace too */
    uint32_t depth;
} scan;

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '#' ||
           (unsigned char)c >= 0x80;
}

bool cl_token_is(const cl_tokens *t, uint32_t i, const char *word)
{
    return i < t->count && t->list[i].type == CL_TOKEN_WORD && t->list[i].end - t->list[i].start == strlen(word) &&
           memcmp(t->code + t->list[i].start, word, strlen(word)) == 0;
}

bool cl_token_same(const cl_tokens *t, uint32_t a, uint32_t b)
{
    const cl_token *x = &t->list[a], *y = &t->list[b];
    return x->type == CL_TOKEN_WORD && y->type == CL_TOKEN_WORD && x->end - x->start == y->end - y->start &&
           memcmp(t->code + x->start, t->code + y->start, x->end - x->start) == 0;
}

static bool add(scan *s, cl_token_type type, size_t start)
{
    cl_tokens *out = s->out;

    if (out->count == TOKENS_MOST)
        return false;
    if (out->count == s->room) {
        uint32_t room = s->room < 256 ? 256 : s->room * 2;
        cl_token *list = realloc(out->list, room * sizeof *list);
        if (list == NULL)
            return false;
        out->list = list;
        s->room = room;
    }
    out->list[out->count++] = (cl_token){.start = (uint32_t)start, .end = (uint32_t)s->at, .type = (uint8_t)type,
                                         .begins_line = s->begins_line};
    s->begins_line = false;
    return true;
}

static bool pair(scan *s)
{
    uint32_t here = s->out->count - 1;
    char sign = s->code[s->out->list[here].start];

    if (strchr("([{", sign) != NULL) {
        if (s->depth == NESTING_MOST)
            return false;
        s->open[s->depth++] = here;
        return true;
    }
    if (s->depth == 0)
        return false;
    uint32_t opener = s->open[--s->depth];
    s->out->list[opener].match = here;
    s->out->list[here].match = opener;
    char open = s->code[s->out->list[opener].start];
    return (open == '(' && sign == ')') || (open == '[' && sign == ']') || (open == '{' && sign == '}');
}

static void skip_line(scan *s)
{
    while (s->at < s->length && s->code[s->at] != '\n')
        s->at++;
}

static void skip_quoted(scan *s)
{
    char quote = s->code[s->at++];

    while (s->at < s->length && s->code[s->at] != quote && s->code[s->at] != '\n')
        s->at += s->code[s->at] == '\\' ? 2 : 1;
    s->at = s->at < s->length ? s->at + 1 : s->length;
}

/* To the end of a template or to its next ${; true: the latter. */
static bool skip_template(scan *s)
{
    while (s->at < s->length) {
        char c = s->code[s->at];
        if (c == '`') {
            s->at++;
            return false;
        }
        if (c == '$' && s->at + 1 < s->length && s->code[s->at + 1] == '{') {
            s->at += 2;
            return true;
        }
        s->at += c == '\\' ? 2 : 1;
    }
    s->at = s->length;
    return false;
}

static void skip_regex(scan *s)
{
    bool in_class = false;

    for (s->at++; s->at < s->length && s->code[s->at] != '\n'; s->at++) {
        char c = s->code[s->at];
        if (c == '\\')
            s->at++;
        else if (c == '[')
            in_class = true;
        else if (c == ']')
            in_class = false;
        else if (c == '/' && !in_class)
            break;
    }
    for (s->at++; s->at < s->length && is_word_byte(s->code[s->at]);)
        s->at++;
    s->at = s->at < s->length ? s->at : s->length;
}

static bool begins_regex(const scan *s)
{
    static const char *const words[] = {"return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else",
                                        "do", "instanceof", "yield", "await"};
    const cl_tokens *t = s->out;

    if (t->count == 0)
        return true;
    const cl_token *last = &t->list[t->count - 1];
    if (last->type == CL_TOKEN_LITERAL)
        return false;
    if (last->type == CL_TOKEN_SIGN)
        return strchr(")]}", t->code[last->start]) == NULL || (t->code[last->start] == '}' && s->begins_line);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (cl_token_is(t, t->count - 1, words[i]))
            return true;
    return false;
}

/* A template's part that ends in ${ opens a bracket, which the } before its next part closes. */
static bool add_template(scan *s, size_t start)
{
    bool is_open = skip_template(s);

    if (!add(s, CL_TOKEN_LITERAL, start))
        return false;
    if (!is_open)
        return true;
    if (s->depth == NESTING_MOST)
        return false;
    s->open[s->depth++] = s->out->count - 1;
    return true;
}

static bool closes_template(const scan *s)
{
    return s->depth > 0 && s->out->list[s->open[s->depth - 1]].type == CL_TOKEN_LITERAL;
}

static bool next(scan *s)
{
    size_t start = s->at;
    char c = s->code[s->at], after = s->at + 1 < s->length ? s->code[s->at + 1] : '\0';

    if (c == '\n' || c == ' ' || c == '\t' || c == '\r') {
        s->begins_line |= c == '\n';
        s->at++;
        return true;
    }
    if (c == '/' && after == '/') {
        skip_line(s);
        return true;
    }
    if (c == '/' && after == '*') {
        const char *end = memmem(s->code + s->at + 2, s->length - s->at - 2, "*/", 2);
        size_t stop = end != NULL ? (size_t)(end - s->code) + 2 : s->length;
        s->begins_line |= memchr(s->code + s->at, '\n', stop - s->at) != NULL;
        s->at = stop;
        return true;
    }
    if (c == '\'' || c == '"') {
        skip_quoted(s);
        s->at = s->at < s->length ? s->at : s->length;
        return add(s, CL_TOKEN_LITERAL, start);
    }
    if (c == '`') {
        s->at++;
        return add_template(s, start);
    }
    if (c == '}' && closes_template(s)) {
        s->depth--;
        s->at++;
        return add_template(s, start);
    }
    if (c == '/' && begins_regex(s)) {
        skip_regex(s);
        return add(s, CL_TOKEN_LITERAL, start);
    }
    if (is_word_byte(c)) {
        while (s->at < s->length && is_word_byte(s->code[s->at]))
            s->at++;
        return add(s, c >= '0' && c <= '9' ? CL_TOKEN_LITERAL : CL_TOKEN_WORD, start);
    }
    s->at++;
    return add(s, CL_TOKEN_SIGN, start) && (c == '\0' || strchr("()[]{}", c) == NULL || pair(s));
}

bool cl_tokens_make(const char *code, size_t length, cl_tokens *out)
{
    scan *s = malloc(sizeof *s);

    *out = (cl_tokens){.code = code};
    if (s == NULL)
        return false;
    *s = (scan){.code = code, .length = length, .out = out, .begins_line = true};
    bool is_good = length < UINT32_MAX;
    while (is_good && s->at < length)
        is_good = next(s);
    is_good = is_good && s->depth == 0;
    free(s);
    if (!is_good)
        cl_tokens_free(out);
    return is_good;
}

void cl_tokens_free(cl_tokens *tokens)
{
    free(tokens->list);
    tokens->list = NULL;
    tokens->count = 0;
}
