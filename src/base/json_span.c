#include "base/json_span.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "base/utf8_step.h"
#include "base/word.h"

/* Theory of operation
 *
 * One loop walks the text with a bit per open container (set: object) and a counter. Nothing else is remembered, so
 * checking costs a pass and no memory. Only when there is a fault the same loop walks the text again and leaves a
 * trail: for each open container the key or index it is at, from which the path is spelled. */

/* Where the walk is. */
typedef struct trail {
    size_t at[CL_JSON_DEPTH_MOST]; /* per open container: offset of the member's key, or index of the item */
    uint64_t objects[CL_JSON_DEPTH_MOST / 64];
    uint32_t depth;
    bool in_value; /* the innermost container's member or item has begun */
} trail;

typedef struct walk {
    const uint8_t *value; /* first byte of the root */
    const uint8_t *value_end;
    const uint8_t *fault;
    const char *what;
    bool is_too_deep;
} walk;

static inline const uint8_t *skip_space(const uint8_t *p, const uint8_t *end)
{
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
        p++;
    return p;
}

static const uint8_t *refuse(walk *w, const uint8_t *at, const char *what)
{
    w->fault = at;
    w->what = what;
    return NULL;
}

static const char at_end[] = "unexpected end of the text";

static inline int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* p is behind the backslash; answers the byte behind the escape, NULL with the fault noted. */
static const uint8_t *walk_escape(const uint8_t *p, const uint8_t *end, walk *w)
{
    if (p == end)
        return refuse(w, p, at_end);
    switch (*p++) {
    case '"': case '\\': case '/': case 'b': case 'f': case 'n': case 'r': case 't':
        return p;
    case 'u':
        for (int i = 0; i < 4; i++, p++) {
            if (p == end)
                return refuse(w, p, at_end);
            if (hex_digit(*p) < 0)
                return refuse(w, p, "expected four hexadecimal digits");
        }
        return p;
    default:
        return refuse(w, p - 1, "no such escape");
    }
}

/* p is behind the opening quote; answers the byte behind the closing one. */
static const uint8_t *walk_string(const uint8_t *p, const uint8_t *end, walk *w)
{
    for (;;) {
        p = cl_word_json_plain(p, end);
        if (p == end)
            return refuse(w, p, at_end);
        if (*p == '"')
            return p + 1;
        if (*p == '\\') {
            if ((p = walk_escape(p + 1, end, w)) == NULL)
                return NULL;
        } else if (*p < 0x20) {
            return refuse(w, p, "control character in a string");
        } else {
            while (p < end && *p >= 0x80) {
                uint32_t code_point, step = cl_utf8_step(p, end, &code_point);

                if (code_point == CL_UTF8_BAD || cl_utf8_is_surrogate(code_point))
                    return refuse(w, p, "not UTF-8");
                p += step;
            }
        }
    }
}

static inline bool is_digit(const uint8_t *p, const uint8_t *end)
{
    return p < end && *p >= '0' && *p <= '9';
}

static const uint8_t *walk_digits(const uint8_t *p, const uint8_t *end, walk *w)
{
    if (!is_digit(p, end))
        return refuse(w, p, p == end ? at_end : "expected a digit");
    while (is_digit(p, end))
        p++;
    return p;
}

static const uint8_t *walk_number(const uint8_t *p, const uint8_t *end, walk *w)
{
    if (*p == '-')
        p++;
    if (is_digit(p, end) && *p == '0') {
        p++;
        if (is_digit(p, end))
            return refuse(w, p, "digit after a leading zero");
    } else if ((p = walk_digits(p, end, w)) == NULL) {
        return NULL;
    }
    if (p < end && *p == '.' && (p = walk_digits(p + 1, end, w)) == NULL)
        return NULL;
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        if (p < end && (*p == '+' || *p == '-'))
            p++;
        p = walk_digits(p, end, w);
    }
    return p;
}

static const uint8_t *walk_word(const uint8_t *p, const uint8_t *end, const char *word, walk *w)
{
    for (const uint8_t *start = p; *word != '\0'; word++, p++) {
        if (p == end)
            return refuse(w, p, at_end);
        if (*p != (uint8_t)*word)
            return refuse(w, start, "expected a value");
    }
    return p;
}

/* way is NULL while only the answer is wanted; the compiler makes a loop of each kind. */
static inline __attribute__((always_inline)) bool walk_text(const uint8_t *start, const uint8_t *end,
                                                            uint32_t max_depth, walk *w, trail *way)
{
    uint64_t own_objects[CL_JSON_DEPTH_MOST / 64] = { 0 };
    uint64_t *objects = way != NULL ? way->objects : own_objects;
    const uint8_t *p = skip_space(start, end);
    uint32_t depth = 0;

    w->value = p;
    w->is_too_deep = false;
value:
    if (p == end) {
        refuse(w, p, at_end);
        goto fault;
    }
    switch (*p) {
    case '{':
        if (depth == max_depth)
            goto too_deep;
        objects[depth / 64] |= (uint64_t)1 << depth % 64;
        depth++;
        if (way != NULL)
            way->in_value = false;
        p = skip_space(p + 1, end);
        if (p < end && *p == '}')
            goto close;
        goto key;
    case '[':
        if (depth == max_depth)
            goto too_deep;
        objects[depth / 64] &= ~((uint64_t)1 << depth % 64);
        depth++;
        if (way != NULL) {
            way->at[depth - 1] = 0;
            way->in_value = true;
        }
        p = skip_space(p + 1, end);
        if (p < end && *p == ']')
            goto close;
        goto value;
    case '"':
        p = walk_string(p + 1, end, w);
        break;
    case '-': case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
        p = walk_number(p, end, w);
        break;
    case 't':
        p = walk_word(p, end, "true", w);
        break;
    case 'f':
        p = walk_word(p, end, "false", w);
        break;
    case 'n':
        p = walk_word(p, end, "null", w);
        break;
    default:
        refuse(w, p, "expected a value");
        goto fault;
    }
    if (p == NULL)
        goto fault;
    goto after;

close:
    depth--;
    p++;
after:
    if (way != NULL)
        way->in_value = false;
    if (depth == 0) {
        w->value_end = p;
        p = skip_space(p, end);
        if (p == end)
            return true;
        refuse(w, p, "more text after the value");
        goto fault;
    }
    p = skip_space(p, end);
    if (p == end) {
        refuse(w, p, at_end);
        goto fault;
    }
    if (objects[(depth - 1) / 64] >> (depth - 1) % 64 & 1) {
        if (*p == '}')
            goto close;
        if (*p != ',') {
            refuse(w, p, "expected ',' or '}'");
            goto fault;
        }
        p = skip_space(p + 1, end);
        goto key;
    }
    if (*p == ']')
        goto close;
    if (*p != ',') {
        refuse(w, p, "expected ',' or ']'");
        goto fault;
    }
    if (way != NULL) {
        way->at[depth - 1]++;
        way->in_value = true;
    }
    p = skip_space(p + 1, end);
    goto value;

key:
    if (p == end || *p != '"') {
        refuse(w, p, p == end ? at_end : "expected a member's name in quotes");
        goto fault;
    }
    if (way != NULL)
        way->at[depth - 1] = (size_t)(p - start);
    if ((p = walk_string(p + 1, end, w)) == NULL)
        goto fault;
    p = skip_space(p, end);
    if (p == end || *p != ':') {
        refuse(w, p, p == end ? at_end : "expected ':'");
        goto fault;
    }
    if (way != NULL)
        way->in_value = true;
    p = skip_space(p + 1, end);
    goto value;

too_deep:
    refuse(w, p, max_depth >= CL_JSON_DEPTH ? "nested deeper than 1000" : "nested too deep");
    w->is_too_deep = true;
fault:
    if (way != NULL)
        way->depth = depth;
    return false;
}

/* ---- the path of a fault ---- */

typedef struct path {
    char *text;
    size_t length;
    bool is_full;
} path;

#define PATH_MOST (sizeof ((cl_json_fault *)NULL)->path - sizeof "\xe2\x80\xa6")

static void path_add(path *to, const char *text, size_t length)
{
    size_t take;

    if (to->is_full)
        return;
    take = cl_utf8_cut(text, length, PATH_MOST - to->length);
    memcpy(to->text + to->length, text, take);
    to->length += take;
    if (take < length) {
        memcpy(to->text + to->length, "\xe2\x80\xa6", 3);
        to->length += 3;
        to->is_full = true;
    }
    to->text[to->length] = '\0';
}

static bool is_name(const uint8_t *p, const uint8_t *end)
{
    if (p == end || (*p >= '0' && *p <= '9'))
        return false;
    for (; p < end; p++)
        if (!((*p >= '0' && *p <= '9') || ((*p | 0x20) >= 'a' && (*p | 0x20) <= 'z') || *p == '_' || *p == '$'))
            return false;
    return true;
}

/* The key as it is written, which is text of one line already. */
static void path_add_key(path *to, const uint8_t *key, const uint8_t *end)
{
    walk ignored;
    const uint8_t *behind = walk_string(key + 1, end, &ignored);

    if (is_name(key + 1, behind - 1)) {
        path_add(to, ".", 1);
        path_add(to, (const char *)key + 1, (size_t)(behind - key) - 2);
    } else {
        path_add(to, "[", 1);
        path_add(to, (const char *)key, (size_t)(behind - key));
        path_add(to, "]", 1);
    }
}

static __attribute__((noinline)) void find_path(const uint8_t *start, const uint8_t *end, uint32_t max_depth,
                                                cl_json_fault *fault)
{
    path to = { .text = fault->path };
    trail way = { .depth = 0 };
    walk again;
    uint32_t count;

    fault->path[0] = '\0';
    walk_text(start, end, max_depth, &again, &way);
    count = way.depth > 0 && !way.in_value ? way.depth - 1 : way.depth;
    for (uint32_t i = 0; i < count && !to.is_full; i++) {
        if (way.objects[i / 64] >> i % 64 & 1) {
            path_add_key(&to, start + way.at[i], end);
        } else {
            char index[32];
            int length = snprintf(index, sizeof index, "[%zu]", way.at[i]);

            path_add(&to, index, (size_t)length);
        }
    }
}

/* ---- check ---- */

static cl_json_type type_of(uint8_t first)
{
    switch (first) {
    case 'n': return CL_JSON_NULL;
    case 'f': return CL_JSON_FALSE;
    case 't': return CL_JSON_TRUE;
    case '"': return CL_JSON_STRING;
    case '[': return CL_JSON_ARRAY;
    case '{': return CL_JSON_OBJECT;
    default: return CL_JSON_NUMBER;
    }
}

bool cl_json_check(const char *text, size_t length, uint32_t max_depth, cl_json_span *out, cl_json_fault *fault)
{
    const uint8_t *start = (const uint8_t *)(length == 0 ? "" : text), *end = start + length;
    walk w;

    if (max_depth > CL_JSON_DEPTH_MOST)
        max_depth = CL_JSON_DEPTH_MOST;
    if (out != NULL)
        *out = (cl_json_span){ .type = CL_JSON_NONE };
    if (!walk_text(start, end, max_depth, &w, NULL)) {
        if (fault != NULL) {
            fault->offset = (size_t)(w.fault - start);
            fault->what = w.what;
            fault->is_too_deep = w.is_too_deep;
            find_path(start, end, max_depth, fault);
        }
        return false;
    }
    if (out != NULL)
        *out = (cl_json_span){ (const char *)w.value, (size_t)(w.value_end - w.value), type_of(*w.value) };
    return true;
}

/* ---- members and items ----
 *
 * The text has been checked, so these only find where a value ends. They still stay inside the span. */

/* Like cl_word_json_plain, for text in which only a quote or an escape matters. */
static inline const uint8_t *to_quote_or_escape(const uint8_t *p, const uint8_t *end)
{
    while (end - p >= 8) {
        uint64_t word = cl_word_load(p), marks = cl_word_equal(word, '"') | cl_word_equal(word, '\\');

        if (marks != 0)
            return p + cl_word_first(marks);
        p += 8;
    }
    while (p < end && *p != '"' && *p != '\\')
        p++;
    return p;
}

static const uint8_t *skip_string(const uint8_t *p, const uint8_t *end)
{
    for (p++; (p = to_quote_or_escape(p, end)) < end;) {
        if (*p == '"')
            return p + 1;
        p = end - p > 2 ? p + 2 : end;
    }
    return end;
}

static const uint8_t *skip_value(const uint8_t *p, const uint8_t *end)
{
    size_t depth = 0;

    while (p < end) {
        switch (*p) {
        case '"':
            p = skip_string(p, end);
            if (depth == 0)
                return p;
            continue;
        case '{': case '[':
            depth++;
            break;
        case '}': case ']':
            if (depth <= 1)
                return depth == 0 ? p : p + 1;
            depth--;
            break;
        case ',': case ' ': case '\n': case '\r': case '\t':
            if (depth == 0)
                return p;
            break;
        default:
            break;
        }
        p++;
    }
    return p;
}

static bool take_value(const uint8_t **p, const uint8_t *end, cl_json_span *out)
{
    const uint8_t *start = skip_space(*p, end);

    if (start == end)
        return false;
    *p = skip_value(start, end);
    *out = (cl_json_span){ (const char *)start, (size_t)(*p - start), type_of(*start) };
    return true;
}

/* Moves to the next entry: over the opening bracket, or the comma after the last one. */
static const uint8_t *next_entry(const cl_json_span *container, cl_json_type type, size_t cursor)
{
    const uint8_t *start = (const uint8_t *)container->text, *end = start + container->length, *p;

    if (container->type != type || cursor >= container->length)
        return NULL;
    p = skip_space(start + cursor, end);
    if (p == end || (cursor > 0 && *p != ','))
        return NULL;
    p = skip_space(p + 1, end);
    return p == end || *p == ']' || *p == '}' ? NULL : p;
}

bool cl_json_member(const cl_json_span *object, size_t *cursor, cl_json_span *key, cl_json_span *value)
{
    const uint8_t *start = (const uint8_t *)object->text, *p = next_entry(object, CL_JSON_OBJECT, *cursor), *end;

    if (p == NULL)
        return false;
    end = start + object->length;
    if (!take_value(&p, end, key))
        return false;
    p = skip_space(p, end);
    if (p == end || *p != ':')
        return false;
    p++;
    if (!take_value(&p, end, value))
        return false;
    *cursor = (size_t)(p - start);
    return true;
}

bool cl_json_item(const cl_json_span *array, size_t *cursor, cl_json_span *item)
{
    const uint8_t *start = (const uint8_t *)array->text, *p = next_entry(array, CL_JSON_ARRAY, *cursor);

    if (p == NULL || !take_value(&p, start + array->length, item))
        return false;
    *cursor = (size_t)(p - start);
    return true;
}

/* ---- strings ---- */

static uint32_t hex_unit(const uint8_t *p)
{
    uint32_t unit = 0;

    for (int i = 0; i < 4; i++)
        unit = unit << 4 | (uint32_t)hex_digit(p[i]);
    return unit;
}

/* p is behind the backslash of a checked string; end is its closing quote. Answers what is behind the escape, or behind
 * both of a pair of surrogates. */
static const uint8_t *unescape(const uint8_t *p, const uint8_t *end, uint32_t *code_point)
{
    uint32_t low;

    switch (*p++) {
    case 'b': *code_point = '\b'; return p;
    case 'f': *code_point = '\f'; return p;
    case 'n': *code_point = '\n'; return p;
    case 'r': *code_point = '\r'; return p;
    case 't': *code_point = '\t'; return p;
    case 'u': break;
    default: *code_point = p[-1]; return p;
    }
    *code_point = hex_unit(p);
    p += 4;
    if (*code_point >> 10 != 0xd800 >> 10 || end - p < 6 || p[0] != '\\' || p[1] != 'u')
        return p;
    low = hex_unit(p + 2);
    if (low >> 10 != 0xdc00 >> 10)
        return p;
    *code_point = 0x10000 + ((*code_point & 0x3ff) << 10 | (low & 0x3ff));
    return p + 6;
}

bool cl_json_decode(const cl_json_span *string, cl_buf *out)
{
    const uint8_t *p, *end;

    if (string->type != CL_JSON_STRING)
        return false;
    p = (const uint8_t *)string->text + 1;
    end = p + string->length - 2;
    cl_buf_append(out, "", 0); /* An empty string is written, too. */
    while (p < end) {
        const uint8_t *escape = memchr(p, '\\', (size_t)(end - p));
        uint32_t code_point;
        char text[4];

        if (escape == NULL)
            return cl_buf_append(out, p, (size_t)(end - p));
        cl_buf_append(out, p, (size_t)(escape - p));
        p = unescape(escape + 1, end, &code_point);
        if (!cl_buf_append(out, text, cl_utf8_put(code_point, text)))
            return false;
    }
    return !out->failed;
}

bool cl_json_equals(const cl_json_span *string, const char *text)
{
    const uint8_t *p, *end;

    if (string->type != CL_JSON_STRING)
        return false;
    p = (const uint8_t *)string->text + 1;
    end = p + string->length - 2;
    while (p < end) {
        uint32_t code_point = 0, size;
        char bytes[4];

        if (*p != '\\') {
            if (*text == '\0' || (uint8_t)*text != *p)
                return false;
            p++;
            text++;
            continue;
        }
        p = unescape(p + 1, end, &code_point);
        size = cl_utf8_put(code_point, bytes);
        for (uint32_t i = 0; i < size; i++, text++)
            if (*text == '\0' || *text != bytes[i])
                return false;
    }
    return *text == '\0';
}
