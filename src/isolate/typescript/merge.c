#include "isolate/typescript/merge.h"

#include <stdlib.h>
#include <string.h>

#include "isolate/typescript/tokens.h"

enum { BLOCKS_MOST = 256, NAMES_MOST = 1024 };

/* namespace A.B { ... } is two blocks, one in the other, with the same braces. */
typedef struct block {
    uint32_t name;          /* token */
    uint32_t open, close;   /* tokens of its braces */
    int parent;             /* the block it lies in; -1: none */
    uint32_t around;        /* token of the brace around it, 0: none: where its name is declared */
} block;

typedef struct exported {
    uint32_t name; /* token */
    int block;
} exported;

typedef struct merge {
    cl_tokens t;
    block blocks[BLOCKS_MOST];
    int block_count;
    exported names[NAMES_MOST];
    uint32_t name_count;
} merge;

static bool is_one_of(const cl_tokens *t, uint32_t i, const char *const *words, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (cl_token_is(t, i, words[k]))
            return true;
    return false;
}
#define IS_ONE_OF(t, i, ...) \
    is_one_of(t, i, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static bool is_dot_before(const cl_tokens *t, uint32_t i)
{
    return i > 0 && cl_token_is_sign(t, i - 1, '.');
}

/* ---- what there is ---- */

static int innermost(const merge *m, uint32_t token)
{
    int found = -1;
    for (int i = 0; i < m->block_count; i++)
        if (m->blocks[i].open < token && token < m->blocks[i].close)
            found = i; /* blocks come in the order of their names, so the last one is the innermost */
    return found;
}

static uint32_t brace_around(const cl_tokens *t, uint32_t token)
{
    for (uint32_t i = token; i-- > 0;) {
        if (cl_token_is_sign(t, i, '}'))
            i = t->list[i].match;
        else if (cl_token_is_sign(t, i, '{') && t->list[i].match > token)
            return i + 1; /* so that 0 stays free */
    }
    return 0;
}

static bool find_blocks(merge *m)
{
    const cl_tokens *t = &m->t;

    for (uint32_t i = 0; i + 2 < t->count; i++) {
        if (!IS_ONE_OF(t, i, "namespace", "module") || is_dot_before(t, i) || (i > 0 && cl_token_is(t, i - 1, "declare")) ||
            t->list[i + 1].type != CL_TOKEN_WORD || t->list[i + 1].begins_line)
            continue;
        uint32_t end = i + 2;
        while (cl_token_is_sign(t, end, '.') && end + 1 < t->count && t->list[end + 1].type == CL_TOKEN_WORD)
            end += 2;
        if (!cl_token_is_sign(t, end, '{'))
            continue;
        int parent = innermost(m, i);
        uint32_t around = brace_around(t, i);
        for (uint32_t name = i + 1; name < end; name += 2) {
            if (m->block_count == BLOCKS_MOST)
                return false;
            m->blocks[m->block_count] = (block){.name = name, .open = end, .close = t->list[end].match, .parent = parent,
                                                .around = name == i + 1 ? around : end + 1};
            parent = m->block_count++;
        }
    }
    return m->block_count > 1;
}

/* The same namespace: the same name in the same place, or in the same namespace. */
static bool is_same(const merge *m, int a, int b)
{
    while (a >= 0 && b >= 0) {
        if (a == b)
            return true;
        const block *x = &m->blocks[a], *y = &m->blocks[b];
        if (!cl_token_same(&m->t, x->name, y->name))
            return false;
        if (x->parent < 0 || y->parent < 0)
            return x->parent < 0 && y->parent < 0 && x->around == y->around;
        a = x->parent;
        b = y->parent;
    }
    return false;
}

static bool add_name(merge *m, uint32_t token, int in)
{
    if (m->name_count == NAMES_MOST)
        return false;
    m->names[m->name_count++] = (exported){.name = token, .block = in};
    return true;
}

/* Names of `const a = ..., b = ...` from the token behind const; patterns are left alone. */
static bool add_constants(merge *m, uint32_t i, int in)
{
    const cl_tokens *t = &m->t;

    for (uint32_t end = m->blocks[in].close; i < end; i++) {
        if (t->list[i].type != CL_TOKEN_WORD)
            return true;
        if (!add_name(m, i, in))
            return false;
        /* To the comma before the next one. */
        for (i++; i < end && !cl_token_is_sign(t, i, ','); i++) {
            if (cl_token_is_sign(t, i, ';') || (t->list[i].begins_line && t->list[i].type == CL_TOKEN_WORD))
                return true;
            if (t->list[i].type == CL_TOKEN_SIGN && strchr("([{", t->code[t->list[i].start]) != NULL)
                i = t->list[i].match;
        }
    }
    return true;
}

static bool find_names(merge *m)
{
    const cl_tokens *t = &m->t;

    for (int b = 0; b < m->block_count; b++) {
        const block *own = &m->blocks[b];
        if (cl_token_is_sign(t, own->name + 1, '.') && !add_name(m, own->name + 2, b)) /* A.B exports B from A */
            return false;
        if (cl_token_is_sign(t, own->name + 1, '.'))
            continue;
        for (uint32_t i = own->open + 1; i < own->close; i++) {
            if (cl_token_is_sign(t, i, '{') || cl_token_is_sign(t, i, '(')) {
                i = t->list[i].match;
                continue;
            }
            if (!cl_token_is(t, i, "export"))
                continue;
            uint32_t at = i + 1;
            bool is_const = cl_token_is(t, at, "const") && !cl_token_is(t, at + 1, "enum");
            if (is_const && !add_constants(m, at + 1, b))
                return false;
            if (is_const)
                continue;
            while (IS_ONE_OF(t, at, "async", "abstract", "const"))
                at++;
            if (!IS_ONE_OF(t, at, "function", "class", "enum", "namespace", "module", "import"))
                continue;
            at += cl_token_is_sign(t, at + 1, '*') ? 2 : 1;
            if (at < own->close && t->list[at].type == CL_TOKEN_WORD && !add_name(m, at, b))
                return false;
        }
    }
    return true;
}

/* ---- what is missing ---- */

static bool has_word(const merge *m, const block *b, uint32_t name)
{
    for (uint32_t i = b->open + 1; i < b->close; i++)
        if (cl_token_same(&m->t, i, name) && !is_dot_before(&m->t, i))
            return true;
    return false;
}

/* Whether the block itself declares the name: right in it, not deeper. */
static bool declares(const merge *m, const block *b, uint32_t name)
{
    const cl_tokens *t = &m->t;

    for (uint32_t i = b->open + 1; i < b->close; i++) {
        if (cl_token_is_sign(t, i, '(') || cl_token_is_sign(t, i, '[')) {
            i = t->list[i].match;
            continue;
        }
        if (cl_token_same(t, i, name) && i > 0 &&
            (IS_ONE_OF(t, i - 1, "const", "let", "var", "function", "class", "enum", "namespace", "module", "import", "type",
                       "interface") ||
             cl_token_is_sign(t, i - 1, '*') || (cl_token_is_sign(t, i - 1, ',') && !cl_token_is_sign(t, i + 1, ')'))))
            return true;
        if (cl_token_is_sign(t, i, '{'))
            i = t->list[i].match;
    }
    return false;
}

/* The block around `inner` (or itself) that has the same namespace as `of`. */
static bool lies_in(const merge *m, int inner, int of)
{
    for (; inner >= 0; inner = m->blocks[inner].parent)
        if (inner != of && is_same(m, inner, of))
            return true;
    return false;
}

static bool insert_for(const merge *m, int b, cl_buf *out)
{
    const block *own = &m->blocks[b];
    const cl_tokens *t = &m->t;
    bool inserted = false;

    for (uint32_t n = 0; n < m->name_count; n++) {
        const exported *name = &m->names[n];
        const block *from = &m->blocks[name->block];
        bool is_known = false; /* twice exported: once inserted */
        for (uint32_t k = 0; k < n && !is_known; k++)
            is_known = cl_token_same(t, m->names[k].name, name->name) && lies_in(m, b, m->names[k].block);
        if (is_known || from->close > own->open || !lies_in(m, b, name->block) || !has_word(m, own, name->name) ||
            declares(m, own, name->name))
            continue;
        const cl_token *word = &t->list[name->name], *namespace = &t->list[from->name];
        cl_buf_puts(out, " import ");
        cl_buf_append(out, t->code + word->start, word->end - word->start);
        cl_buf_puts(out, " = ");
        cl_buf_append(out, t->code + namespace->start, namespace->end - namespace->start);
        cl_buf_puts(out, ".");
        cl_buf_append(out, t->code + word->start, word->end - word->start);
        cl_buf_puts(out, ";");
        inserted = true;
    }
    return inserted;
}

static uint32_t units_of(const char *text, size_t length)
{
    return cl_lines_place(text, length, length).column;
}

static bool write(const merge *m, size_t length, cl_buf *out, cl_insertions *made)
{
    const cl_tokens *t = &m->t;
    size_t from = 0;

    for (int b = 0; b < m->block_count; b++) {
        uint32_t end = t->list[m->blocks[b].open].end;
        if (cl_token_is_sign(t, m->blocks[b].name + 1, '.'))
            continue; /* the innermost has the braces */
        cl_buf_append(out, t->code + from, end - from);
        from = end;
        size_t before = out->length;
        if (!insert_for(m, b, out))
            continue;
        if (made->count == CL_INSERTIONS_MOST || out->failed)
            return false;
        made->list[made->count++] = (cl_insertion){
            .at = cl_lines_place(out->data, before, before),
            .units = units_of(out->data + before, out->length - before),
        };
    }
    cl_buf_append(out, t->code + from, length - from);
    return made->count > 0 && !out->failed;
}

bool cl_merge_namespaces(const char *code, size_t length, cl_buf *out, cl_insertions *made)
{
    made->count = 0;
    if (memmem(code, length, "namespace", 9) == NULL && memmem(code, length, "module", 6) == NULL)
        return false;
    merge *m = calloc(1, sizeof *m);
    if (m == NULL || !cl_tokens_make(code, length, &m->t)) {
        free(m);
        return false;
    }
    bool is_changed = find_blocks(m) && find_names(m) && write(m, length, out, made);
    cl_tokens_free(&m->t);
    free(m);
    return is_changed;
}

cl_place_lf cl_insertions_undo(const cl_insertion *list, uint32_t count, cl_place_lf place)
{
    /* The last one first: those before it in the line are still in its column. */
    for (uint32_t i = count; i-- > 0;) {
        if (list[i].at.line != place.line || place.column <= list[i].at.column)
            continue;
        uint32_t behind = place.column - list[i].at.column;
        place.column -= behind < list[i].units ? behind : list[i].units;
    }
    return place;
}
