/* syntax.h - a source that does not parse, said well
 *
 *   SyntaxError: Expression expected
 *     1 | const x: number = ;
 *       |                   ^
 *   hint: ...
 *       at main.ts:1:19
 *
 * Pure but for memory.
 */
#ifndef CL_ISOLATE_SYNTAX_H
#define CL_ISOLATE_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

typedef struct cl_syntax {
    const char *code;
    size_t code_length;
    size_t offset;       /* of the error, bytes */
    const char *message; /* of the parser */
    bool is_typescript_only; /* read as JavaScript, it does not parse; as TypeScript it would */
} cl_syntax;

typedef struct cl_syntax_advice {
    const char *message; /* in the place of the parser's; NULL: that one is right */
    const char *hint;    /* NULL: none */
    size_t offset;       /* where it is */
} cl_syntax_advice;

/* What is probably meant, for mistakes that are made often. Static texts. */
cl_syntax_advice cl_syntax_advise(const cl_syntax *syntax);

/* The line of the error and a caret below, each ended by a line feed; long lines are shown around the place. */
void cl_syntax_excerpt(cl_buf *out, const cl_syntax *syntax, uint32_t line);

#endif
