/* log.h - where messages go
 *
 * The library never prints. It hands the embedder one line per event: level, module, key=value text. Guest text in it
 * is escaped and bounded. No sink, no output.
 *
 * Threads  the sink is called from any thread that uses the sandbox, possibly from several at once, on a stack of
 *          the embedder's; it may call the library
 */
#ifndef CLOCHE_LOG_H
#define CLOCHE_LOG_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cloche_log_level {
    CLOCHE_LOG_ERROR, /* someone acts */
    CLOCHE_LOG_WARN,  /* someone looks */
    CLOCHE_LOG_INFO,  /* life cycle */
    CLOCHE_LOG_DEBUG, /* off in production */
} cloche_log_level;

/* text: NUL-terminated, one line, borrowed for the call. */
typedef void (*cloche_log_fn)(void *user, cloche_log_level level, const char *module, const char *text);

#ifdef __cplusplus
}
#endif
#endif
