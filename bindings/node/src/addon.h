/* addon.h - libcloche for Node and Bun, by Node-API 8
 *
 *   event loop                                     pool threads of the sandbox
 *   run() ── submit ─────────────────────────────► guest
 *     ▲ promise                                       │ output, done
 *     └── deliver() ◄── threadsafe function ◄─────────┘
 *
 * One `addon_env` per environment (main thread, each worker); it owns the threadsafe function through which its runs come
 * back. A `box` is a sandbox as JavaScript holds it. Everything here is of the environment's own thread but for what is
 * marked *pool*.
 *
 * Values cross as JSON text and are made by JSON.parse in JavaScript; objects made here get their members by definition,
 * never by assignment, so that no setter of a prototype is run.
 */
#ifndef ADDON_ADDON_H
#define ADDON_ADDON_H

#define NAPI_VERSION 8
#include <node_api.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <cloche/cloche.h>

#include "fault.h"

typedef struct box box;
typedef struct run run;
typedef struct message message;

typedef struct addon_env {
    napi_env env;
    napi_threadsafe_function inbox;
    napi_ref make_result;  /* the layer's own maker of a result that is ok; NULL: not given */
    uint32_t in_flight;    /* runs and disposals: while there are any the loop is kept alive */
    box *boxes;
    napi_ref set_immediate;
    napi_ref pump;         /* delivers output, in a turn of the loop of its own */
    pthread_mutex_t lock;  /* of what follows */
    pthread_cond_t drained;
    message *output, *output_end; /* pieces of all runs, in order */
    size_t pending_bytes;
    bool is_pumping;       /* a delivery is to come, which will look at the list */
    bool is_closing;
} addon_env;

struct box {
    addon_env *owner;
    cloche_sandbox *sandbox; /* NULL once disposed */
    uint32_t in_flight;
    bool is_disposing;
    bool is_released;        /* the library's part is gone; waits for the last messages */
    napi_deferred disposed;
    napi_async_work work;
    napi_ref self;           /* strong while something is in flight */
    box *next, *previous;
};

struct run {
    box *box;
    napi_deferred promise;
    napi_ref on_output;      /* NULL: none */
    napi_async_context context; /* of on_output */
    message *end;            /* made with the run, so that its end is never lost for want of memory */
    cloche_json_request *options;
    char *code, *context_json;
};

/* The end of a run, or a piece of its output; consecutive small pieces become one. */
struct message {
    run *run;
    cloche_result *result; /* the end; NULL: output */
    message *next;
    int fd;
    size_t length, room;
    char data[];
};

/* ---- addon.c ---- */
addon_env *addon_env_of(napi_env env);
/* Keeps the loop alive while something is in flight. */
void addon_begin(addon_env *owner);
void addon_end(addon_env *owner);
/* *pool*. false: the environment is closing, and the message is still the caller's. */
bool addon_post_end(addon_env *owner, message *m);
/* *pool*. A guest that prints faster than the loop reads waits here, as it would for a pipe. */
void addon_post_output(addon_env *owner, run *r, int fd, const char *data, size_t length);
/* What is left of a run's output, before its end is told. */
void addon_flush(addon_env *owner, run *r);

/* ---- args.c: every call answers whether it worked; if not an exception is pending ---- */
bool addon_check(napi_env env, napi_status status);
/* In the build for tests a call that is to fail is not made. */
#define addon_ok(env, call) addon_check(env, fault_now() ? napi_generic_failure : (call))
bool addon_throw(napi_env env, cloche_code code, const char *text); /* always false */
/* malloc'ed UTF-8 with a NUL behind. */
bool addon_text(napi_env env, napi_value value, char **out, size_t *length);
bool addon_is_given(napi_env env, napi_value value, bool *out);
bool addon_define(napi_env env, napi_value object, const char *name, napi_value value);
bool addon_string(napi_env env, cloche_text text, napi_value *out);

/* ---- box.c ---- */
napi_value box_create(napi_env env, napi_callback_info info);
napi_value box_dispose(napi_env env, napi_callback_info info);
napi_value box_stats(napi_env env, napi_callback_info info);
napi_value box_isolation(napi_env env, napi_callback_info info);
box *box_of(napi_env env, napi_value value);
void box_enter(box *b);
void box_leave(box *b);
void box_close_all(addon_env *owner); /* at the environment's end */

/* ---- run.c ---- */
napi_value run_submit(napi_env env, napi_callback_info info);
napi_value run_sync(napi_env env, napi_callback_info info);
napi_value run_abort(napi_env env, napi_callback_info info);
void run_deliver_end(napi_env env, message *m);
void run_deliver_output(napi_env env, const message *m);
void run_free(napi_env env, run *r);

/* ---- result.c ---- */
napi_value result_set_maker(napi_env env, napi_callback_info info);
bool result_to_js(napi_env env, const cloche_result *result, napi_value *out);
bool layers_to_js(napi_env env, uint32_t bits, napi_value *out);

#endif
