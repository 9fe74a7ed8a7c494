#include "isolate/typescript/merge.h"

#include <stdlib.h>
#include <string.h>

#include "isolate/typescript/tokens.h"

/* Bounds of the work: this is host code, which no deadline interrupts. */
enum { BLOCKS_MOST = 128, NAMES_MOST = 512, LOOKS_MOST = 1 << 23 };

/* namespace A.B { ... } is two blocks, one in the other, with the same braces. */
typedef struct block {
    uint32_t name;          /* token */
    uint32_t open, close;   /* tokens of its braces */
    int parent;             /* the block it lies in; -1: none */
    int space;              /* the first block of the same namespace */
    uint32_t around;        /* token of the brace around it, 0: none: where its name is declared */
} block;

typedef struct exported {
    uint32_t name; /* token */
    int block;
    bool is_mutable; /* let or var: its value is read where it is used */
} exported;

/* Text to be put in before a byte of the source. */
typedef struct edit {
    uint32_t at;
    uint32_t name;     /* token of the name; of an alias, else of the use */
    uint32_t from;     /* token of the namespace's name */
    enum { ALIAS, MEMBER, SHORTHAND } what;
} edit;

typedef struct merge {
    cl_tokens t;
    block blocks[BLOCKS_MOST];
    int block_count;
    exported names[NAMES_MOST];
    uint32_t name_count;
    edit edits[CL_INSERTIONS_MOST];
    uint32_t edit_count;
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

static bool is_same(const merge *m, int a, int b)
{
    return m->blocks[a].space == m->blocks[b].space;
}

/* The same namespace: the same name in the same place, or in the same namespace. Its first block stands for it. */
static int space_of(const merge *m, const block *of)
{
    for (int i = 0; i < m->block_count; i++) {
        const block *b = &m->blocks[i];
        bool is_beside = of->parent < 0 || b->parent < 0 ? of->parent == b->parent && of->around == b->around
                                                         : is_same(m, of->parent, b->parent);
        if (is_beside && cl_token_same(&m->t, of->name, b->name))
            return b->space;
    }
    return m->block_count;
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
            m->blocks[m->block_count].space = space_of(m, &m->blocks[m->block_count]);
            parent = m->block_count++;
        }
    }
    return m->block_count > 1;
}

static bool add_name(merge *m, uint32_t token, int in, bool is_mutable)
{
    if (m->name_count == NAMES_MOST)
        return false;
    m->names[m->name_count++] = (exported){.name = token, .block = in, .is_mutable = is_mutable};
    return true;
}

/* Names of `const a = ..., b = ...` from the token behind const; patterns are left alone. */
static bool add_variables(merge *m, uint32_t i, int in, bool is_mutable)
{
    const cl_tokens *t = &m->t;

    for (uint32_t end = m->blocks[in].close; i < end; i++) {
        if (t->list[i].type != CL_TOKEN_WORD)
            return true;
        if (!add_name(m, i, in, is_mutable))
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
        if (cl_token_is_sign(t, own->name + 1, '.') && !add_name(m, own->name + 2, b, false)) /* A.B exports B from A */
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
            bool is_mutable = IS_ONE_OF(t, at, "let", "var");
            bool is_variable = is_mutable || (cl_token_is(t, at, "const") && !cl_token_is(t, at + 1, "enum"));
            if (is_variable && !add_variables(m, at + 1, b, is_mutable))
                return false;
            if (is_variable)
                continue;
            while (IS_ONE_OF(t, at, "async", "abstract", "const"))
                at++;
            if (!IS_ONE_OF(t, at, "function", "class", "enum", "namespace", "module", "import"))
                continue;
            at += cl_token_is_sign(t, at + 1, '*') ? 2 : 1;
            if (at < own->close && t->list[at].type == CL_TOKEN_WORD && !add_name(m, at, b, false))
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

static bool add_edit(merge *m, edit e)
{
    if (m->edit_count == CL_INSERTIONS_MOST)
        return false;
    m->edits[m->edit_count++] = e;
    return true;
}

static bool is_sign_in(const cl_tokens *t, uint32_t i, const char *signs)
{
    return i < t->count && t->list[i].type == CL_TOKEN_SIGN && strchr(signs, t->code[t->list[i].start]) != NULL;
}

/* Whether a use of the name in the block, at any depth, may be another's: something in there declares it. */
static bool is_shadowed(const merge *m, const block *b, uint32_t name)
{
    const cl_tokens *t = &m->t;

    for (uint32_t i = b->open + 1; i < b->close; i++) {
        /* Brackets before an arrow or a body are parameters; those of if, while and for are taken for some, too. */
        if (cl_token_is_sign(t, i, '(')) {
            uint32_t close = t->list[i].match;
            bool is_list = is_sign_in(t, close + 1, "{:") || (cl_token_is_sign(t, close + 1, '=') && cl_token_is_sign(t, close + 2, '>'));
            for (uint32_t k = i + 1; is_list && k < close; k++)
                if (cl_token_same(t, k, name) && !is_dot_before(t, k))
                    return true;
        }
        if (!cl_token_same(t, i, name) || is_dot_before(t, i))
            continue;
        if (IS_ONE_OF(t, i - 1, "const", "let", "var", "function", "class", "enum", "namespace", "module", "import", "as") ||
            (cl_token_is_sign(t, i + 1, '=') && cl_token_is_sign(t, i + 2, '>')))
            return true;
        /* In a pattern behind let, const or var. */
        for (uint32_t k = i; k-- > b->open && is_sign_in(t, k, "{[,");)
            if (IS_ONE_OF(t, k - 1, "const", "let", "var"))
                return true;
    }
    return false;
}

/* { n } as a value: behind what a value comes after. */
static bool is_shorthand(const cl_tokens *t, uint32_t i)
{
    if (!is_sign_in(t, i - 1, "{,") || !is_sign_in(t, i + 1, ",}"))
        return false;
    for (uint32_t k = i; k-- > 0;) {
        if (is_sign_in(t, k, ")]}"))
            k = t->list[k].match;
        else if (cl_token_is_sign(t, k, '{'))
            return k > 0 && (is_sign_in(t, k - 1, "=(,:[?&|") || cl_token_is(t, k - 1, "return"));
        else if (is_sign_in(t, k, "(["))
            return false;
    }
    return false;
}

static bool add_members(merge *m, const block *b, const exported *name)
{
    const cl_tokens *t = &m->t;
    uint32_t from = m->blocks[name->block].name;

    for (uint32_t i = b->open + 1; i < b->close; i++) {
        bool is_spread = i > 2 && cl_token_is_sign(t, i - 1, '.') && cl_token_is_sign(t, i - 2, '.');
        if (!cl_token_same(t, i, name->name) || (is_dot_before(t, i) && !is_spread))
            continue;
        if (cl_token_is_sign(t, i + 1, ':') && is_sign_in(t, i - 1, "{,"))
            continue; /* a key */
        if (!add_edit(m, (edit){t->list[i].start, i, from, is_shorthand(t, i) ? SHORTHAND : MEMBER}))
            return false;
    }
    return true;
}

/* What is missing in one block. */
static bool add_edits(merge *m, int b)
{
    const block *own = &m->blocks[b];
    const cl_tokens *t = &m->t;

    for (uint32_t n = 0; n < m->name_count; n++) {
        const exported *name = &m->names[n];
        const block *from = &m->blocks[name->block];
        bool is_known = false; /* twice exported: once inserted */
        for (uint32_t k = 0; k < n && !is_known; k++)
            is_known = cl_token_same(t, m->names[k].name, name->name) && lies_in(m, b, m->names[k].block);
        if (is_known || from->close > own->open || !lies_in(m, b, name->block) || !has_word(m, own, name->name) ||
            declares(m, own, name->name))
            continue;
        if (!name->is_mutable && !add_edit(m, (edit){t->list[own->open].end, name->name, from->name, ALIAS}))
            return false;
        if (name->is_mutable && !is_shadowed(m, own, name->name) && !add_members(m, own, name))
            return false;
    }
    return true;
}

static int by_place(const void *a, const void *b)
{
    const edit *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void put_word(cl_buf *out, const cl_tokens *t, uint32_t token)
{
    cl_buf_append(out, t->code + t->list[token].start, t->list[token].end - t->list[token].start);
}

static void put_edit(cl_buf *out, const cl_tokens *t, const edit *e)
{
    if (e->what == ALIAS)
        cl_buf_puts(out, " import ");
    if (e->what != MEMBER) {
        put_word(out, t, e->name);
        cl_buf_puts(out, e->what == ALIAS ? " = " : ": ");
    }
    put_word(out, t, e->from);
    cl_buf_puts(out, ".");
    if (e->what == ALIAS) {
        put_word(out, t, e->name);
        cl_buf_puts(out, ";");
    }
}

static bool write(merge *m, size_t length, cl_buf *out, cl_insertions *made)
{
    const cl_tokens *t = &m->t;
    size_t from = 0;

    for (int b = 0; b < m->block_count; b++)
        /* Of A.B the innermost has the braces. */
        if (!cl_token_is_sign(t, m->blocks[b].name + 1, '.') && !add_edits(m, b))
            return false;
    qsort(m->edits, m->edit_count, sizeof *m->edits, by_place);
    for (uint32_t i = 0; i < m->edit_count; i++) {
        cl_buf_append(out, t->code + from, m->edits[i].at - from);
        from = m->edits[i].at;
        size_t before = out->length;
        put_edit(out, t, &m->edits[i]);
        if (out->failed)
            return false;
        made->list[made->count++] = (cl_insertion){
            .at = cl_lines_place(out->data, before, before),
            .units = cl_lines_place(out->data + before, out->length - before, out->length - before).column,
        };
    }
    cl_buf_append(out, t->code + from, length - from);
    return made->count > 0 && !out->failed;
}

/* For each block and name, the tokens of the block and the names before are looked at. */
static bool is_bounded(const merge *m)
{
    uint64_t looks = (uint64_t)m->block_count * m->name_count;

    for (int b = 0; b < m->block_count; b++)
        looks += m->blocks[b].close - m->blocks[b].open;
    return looks * m->name_count <= LOOKS_MOST;
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
    bool is_changed = find_blocks(m) && find_names(m) && is_bounded(m) && write(m, length, out, made);
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
