/* tokens.h - a source as words and signs
 *
 * Good enough to find declarations by: strings, templates, comments and regular expressions are passed over as one token
 * each, brackets are paired. Where a slash begins a regular expression is told from the token before, as highlighters do.
 *
 * Pure but for memory. Owner: the caller, cl_tokens_free
 */
#ifndef CL_TYPESCRIPT_TOKENS_H
#define CL_TYPESCRIPT_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum cl_token_type {
    CL_TOKEN_WORD,
    CL_TOKEN_SIGN,    /* one byte */
    CL_TOKEN_LITERAL, /* string, number, regular expression, a part of a template */
} cl_token_type;

typedef struct cl_token {
    uint32_t start, end; /* bytes */
    uint32_t match;      /* of ( [ { and ) ] }: the other one */
    uint8_t type;
    bool begins_line;
} cl_token;

typedef struct cl_tokens {
    const char *code;
    cl_token *list;
    uint32_t count;
} cl_tokens;

/* false: no memory, brackets that do not pair or nest too deeply, too many tokens; nothing is to be freed then. */
bool cl_tokens_make(const char *code, size_t length, cl_tokens *out);
void cl_tokens_free(cl_tokens *tokens);

static inline bool cl_token_is_sign(const cl_tokens *t, uint32_t i, char sign)
{
    return i < t->count && t->list[i].type == CL_TOKEN_SIGN && t->code[t->list[i].start] == sign;
}
bool cl_token_is(const cl_tokens *t, uint32_t i, const char *word);
/* Two words of the same text. */
bool cl_token_same(const cl_tokens *t, uint32_t a, uint32_t b);

#endif
