/* status.h - the codes: what a call answers, what a run ends with
 *
 * Two vocabularies, never mixed:
 *   cloche_status  what a function of this library answers; negative means the host side failed or was misused
 *   cloche_code    how a run ended, as every face of the product names it ("SANDBOX_TIMEOUT", ...)
 *
 * Errors   the caller's storage of fixed size: nothing to free, no thread-local, set once nearest the cause
 * Threads  plain data and pure functions: any thread
 */
#ifndef CLOCHE_STATUS_H
#define CLOCHE_STATUS_H

#define CLOCHE_VERSION "0.1.0"
#define CLOCHE_VERSION_MAJOR 0
#define CLOCHE_VERSION_MINOR 1
#define CLOCHE_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CLOCHE_API __attribute__((visibility("default")))
#else
#define CLOCHE_API
#endif

/*  name, value, text */
#define CLOCHE_STATUS_LIST(X)                                                                  \
    X(OK, 0, "ok")                                                                             \
    X(E_INVAL, -1, "invalid argument")         /* an option or request is wrong */             \
    X(E_TOOBIG, -2, "newer structure")         /* a struct has fields this library lacks */    \
    X(E_NOMEM, -3, "out of host memory")       /* memory or address space refused */           \
    X(E_NOSYS, -4, "not available here")       /* the system or this build cannot do it */     \
    X(E_SYS, -5, "system call failed")         /* see os_errno */                              \
    X(E_BUSY, -6, "busy")                      /* would wait for itself, or is taken */                     \
    X(E_INTERNAL, -7, "internal error")

typedef enum cloche_status {
#define CLOCHE_X(name, value, text) CLOCHE_##name = value,
    CLOCHE_STATUS_LIST(CLOCHE_X)
#undef CLOCHE_X
} cloche_status;

/*  name, wire name, exit code of a run that ends so (-1: none) */
#define CLOCHE_CODE_LIST(X)                                    \
    X(NONE, "", 0)                                             \
    X(TIMEOUT, "SANDBOX_TIMEOUT", 124)                         \
    X(MEMORY_EXCEEDED, "SANDBOX_MEMORY_EXCEEDED", 137)         \
    X(EXECUTION_ERROR, "SANDBOX_EXECUTION_ERROR", 1)           \
    X(INVALID_CODE, "SANDBOX_INVALID_CODE", 1)                 \
    X(DISPOSED, "SANDBOX_DISPOSED", -1)                        \
    X(ABORTED, "SANDBOX_ABORTED", 130)                         \
    X(BUSY, "SANDBOX_BUSY", -1)                                \
    X(INVALID_OPTIONS, "SANDBOX_INVALID_OPTIONS", -1)          \
    X(INTERNAL, "SANDBOX_INTERNAL", -1)

typedef enum cloche_code {
#define CLOCHE_X(name, wire, exit_code) CLOCHE_CODE_##name,
    CLOCHE_CODE_LIST(CLOCHE_X)
#undef CLOCHE_X
} cloche_code;

typedef struct cloche_error {
    cloche_status status;
    int os_errno;            /* 0 when no system call was involved */
    const char *place;       /* static text: the module that set it */
    char text[256];          /* one line: what was attempted on what, and what to do */
} cloche_error;

CLOCHE_API const char *cloche_status_name(cloche_status status); /* "CLOCHE_E_INVAL" */
CLOCHE_API const char *cloche_status_text(cloche_status status); /* "invalid argument" */
CLOCHE_API const char *cloche_code_name(cloche_code code);       /* "SANDBOX_TIMEOUT"; "" for NONE */
CLOCHE_API int cloche_code_exit(cloche_code code);               /* 124; -1 where there is none */
CLOCHE_API const char *cloche_version(void);                     /* CLOCHE_VERSION of the library loaded */

#ifdef __cplusplus
}
#endif
#endif
