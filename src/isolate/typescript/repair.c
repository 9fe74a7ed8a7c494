#include "isolate/typescript/repair.h"

#include <stdlib.h>
#include <string.h>

#include "isolate/typescript/tokens.h"

typedef struct text {
    const char *code;
    size_t length;
} text;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           (unsigned char)c >= 0x80;
}

static size_t skip_blanks(text t, size_t at)
{
    while (at < t.length && is_blank(t.code[at]))
        at++;
    return at;
}

static bool starts(text t, size_t at, const char *word)
{
    return t.length - at >= strlen(word) && memcmp(t.code + at, word, strlen(word)) == 0;
}

/* An equals sign that is no part of another sign. */
static bool is_assignment(text t, size_t at)
{
    return starts(t, at, "=") && !starts(t, at, "==") && !starts(t, at, "=>");
}

static bool is_import_alias(text t, size_t at)
{
    size_t end = skip_blanks(t, at + 6);

    if (!starts(t, at, "import") || end == at + 6)
        return false;
    while (end < t.length && is_word(t.code[end]))
        end++;
    return is_assignment(t, skip_blanks(t, end));
}

/* The end of `export {}`; 0: it is something else. */
static size_t empty_export_end(text t, size_t at)
{
    if (!starts(t, at, "export"))
        return 0;
    size_t brace = skip_blanks(t, at + 6);
    if (!starts(t, brace, "{"))
        return 0;
    brace = skip_blanks(t, brace + 1);
    return starts(t, brace, "}") ? brace + 1 : 0;
}

static bool make_copy(char **repaired, const char *code, size_t length)
{
    if (*repaired != NULL)
        return true;
    if ((*repaired = malloc(length + 1)) == NULL)
        return false;
    memcpy(*repaired, code, length);
    return true;
}

static void blank_out(char *code, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        code[i] = is_blank(code[i]) ? code[i] : ' ';
}

static bool is_const_enum(const cl_tokens *t, uint32_t i)
{
    return cl_token_is(t, i, "const") && cl_token_is(t, i + 1, "enum") && cl_token_is_sign(t, i + 3, '{');
}

static bool is_empty_import(const cl_tokens *t, uint32_t i)
{
    return cl_token_is(t, i, "import") && cl_token_is_sign(t, i + 1, '{') && cl_token_is_sign(t, i + 2, '}') &&
           cl_token_is(t, i + 3, "from") && i + 4 < t->count && t->list[i + 4].type == CL_TOKEN_LITERAL;
}

void cl_repair_first(char **repaired, const char *code, size_t length)
{
    bool has_enum = memmem(code, length, "enum", 4) != NULL && memmem(code, length, "const", 5) != NULL;
    cl_tokens tokens;

    if ((!has_enum && memmem(code, length, "import", 6) == NULL) || !cl_tokens_make(code, length, &tokens))
        return;
    for (uint32_t i = 0; i + 3 < tokens.count; i++) {
        bool is_const = is_const_enum(&tokens, i);
        if ((is_const || is_empty_import(&tokens, i)) && make_copy(repaired, code, length))
            blank_out(*repaired, tokens.list[i].start, tokens.list[is_const ? i : i + 4].end);
    }
    cl_tokens_free(&tokens);
}

bool cl_repair(char **repaired, const char *code, size_t length, size_t offset)
{
    text t = {*repaired != NULL ? *repaired : code, length};
    bool is_alias = is_import_alias(t, offset);
    size_t end = empty_export_end(t, offset);

    if (!is_alias && end == 0)
        return false;
    if (!make_copy(repaired, code, length))
        return false;
    if (is_alias)
        memcpy(*repaired + offset, "const ", 6);
    blank_out(*repaired, offset, end);
    return true;
}

void cl_repair_semicolons(const char *source, size_t length, char *code)
{
    text t = {source, length};

    for (size_t i = 0; i < length; i++) {
        if (source[i] != ';' || code[i] != ' ')
            continue;
        size_t next = skip_blanks(t, i + 1);
        if (next < length && code[next] == source[next] && code[next] != '\0' && strchr("[(`+-/*", code[next]) != NULL)
            code[i] = ';';
    }
}

bool cl_repair_finds_declare(const char *code, size_t length, size_t *offset)
{
    static const char *const words[] = {"var", "let", "const", "function", "class", "enum", "namespace", "module",
                                        "abstract", "async", "type", "interface"};
    cl_tokens tokens;
    bool found = false;

    if (memmem(code, length, "declare", 7) == NULL || !cl_tokens_make(code, length, &tokens))
        return false;
    for (uint32_t i = 0; i + 1 < tokens.count && !found; i++) {
        if (!cl_token_is(&tokens, i, "declare") || !tokens.list[i + 1].begins_line ||
            (i > 0 && cl_token_is_sign(&tokens, i - 1, '.')))
            continue;
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
            found |= cl_token_is(&tokens, i + 1, words[k]);
        *offset = tokens.list[i].start;
    }
    cl_tokens_free(&tokens);
    return found;
}

bool cl_repair_has_enum(const char *code, size_t length)
{
    text t = {code, length};

    for (const char *at = code; (at = memmem(at, length - (size_t)(at - code), "enum ", 5)) != NULL; at++) {
        size_t word = skip_blanks(t, (size_t)(at - code) + 5), end = word;
        while (end < length && is_word(code[end]))
            end++;
        bool is_declared = at - code >= 8 && memcmp(at - 8, "declare ", 8) == 0;
        if (end > word && (at == code || !is_word(at[-1])) && !is_declared && starts(t, skip_blanks(t, end), "{"))
            return true;
    }
    return false;
}

bool cl_repair_assigns_exports(const char *code, size_t length)
{
    text t = {code, length};

    for (const char *at = code; (at = memmem(at, length - (size_t)(at - code), "export", 6)) != NULL; at++)
        if (is_assignment(t, skip_blanks(t, (size_t)(at - code) + 6)))
            return true;
    return false;
}
