/* repair.h - where the compiler and TypeScript disagree
 *
 * What the compiler refuses and TypeScript takes is replaced by text of the same length that means the same; what it
 * would translate to something else is found, so that it can be refused or put right.
 *
 * Pure but for memory.
 */
#ifndef CL_TYPESCRIPT_REPAIR_H
#define CL_TYPESCRIPT_REPAIR_H

#include <stdbool.h>
#include <stddef.h>

/* Something at the offset that can be replaced: `import a = B.c` in a function body is a constant, `export {}` in a
 * namespace is nothing. *repaired is the source with all repairs so far, malloc'ed; NULL: none yet. */
bool cl_repair(char **repaired, const char *code, size_t length, size_t offset);

/* What the compiler takes and means otherwise: a `const enum` becomes an enum, which has an object that can be asked;
 * `import {} from` is nothing. */
void cl_repair_first(char **repaired, const char *code, size_t length);

/* Puts back a semicolon that was erased with the type before it, where the text behind would now go on with what stands
 * before: `let a = b` `type T = c` `;[1]`. code: what erasure left of the source, of the same length. */
void cl_repair_semicolons(const char *source, size_t length, char *code);

/* `declare` alone in a line, and a declaration in the next: the compiler drops both, TypeScript neither. */
bool cl_repair_finds_declare(const char *code, size_t length, size_t *offset);

/* Whether an enum seems to be in it (a comment may be taken for one): what erasure would refuse after all. */
bool cl_repair_has_enum(const char *code, size_t length);

/* Whether the source says `export =`. */
bool cl_repair_assigns_exports(const char *code, size_t length);

#endif
