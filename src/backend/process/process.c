#include "backend/process/process.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/process/place.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/wait.h"
#include "isolate/result.h"
#include "sys/task.h"

#define GRACE_NS (10 * CL_NS_PER_MS)      /* between the deadline and SIGKILL */
#define FIXED_BYTES (UINT64_C(64) << 20)  /* of a child beside guest memory and heap: image, stacks, the program */
#define HEAP_BYTES (UINT64_C(8) << 20)    /* of its heap beside requests and results */

enum { RUNS_PER_CHILD = 1000, SPARE_CHILDREN = 8, READY_AHEAD = 4, SPAWN_TRIES = 3, DEATH_WAIT_MS = 2500 };

static cl_process *process_of(cl_backend *backend)
{
    return (cl_process *)backend;
}

static cl_process_place *place_of(cl_place *place)
{
    return (cl_process_place *)place;
}

/* ---- children ---- */

static void on_exit_of(void *user, uint32_t id, const cl_child_exit *how)
{
    cl_process *process = user;

    pthread_mutex_lock(&process->lock);
    for (cl_process_place *place = process->places; place != NULL; place = place->chain)
        if (place->child.id == id) {
            place->child.has_exited = true;
            place->child.is_orphan = process->is_dead;
            place->child.how = *how;
        }
    pthread_cond_broadcast(&process->exits);
    pthread_mutex_unlock(&process->lock);
}

static void on_death(void *user)
{
    cl_process *process = user;

    pthread_mutex_lock(&process->lock);
    process->is_dead = true;
    for (cl_process_place *place = process->places; place != NULL; place = place->chain)
        if (!place->child.has_exited)
            place->child.has_exited = place->child.is_orphan = true;
    pthread_cond_broadcast(&process->exits);
    pthread_mutex_unlock(&process->lock);
}

static void set_dead(cl_process *process, bool is_dead)
{
    pthread_mutex_lock(&process->lock);
    process->is_dead = is_dead;
    pthread_mutex_unlock(&process->lock);
}

/* Without locks: it takes milliseconds, and its events come while it starts. */
static cloche_status start_zygote(cl_process *process, cloche_error *err)
{
    const cl_zygote_events events = {.on_exit = on_exit_of, .on_death = on_death, .user = process};
    cl_zygote *zygote;
    cloche_status rc;

    set_dead(process, false); /* before: it may die as soon as it has started */
    rc = cl_zygote_start(&process->config, &events, &zygote, &process->report, err);
    pthread_mutex_lock(&process->zygote_lock);
    process->zygote = rc < 0 ? NULL : zygote;
    pthread_mutex_unlock(&process->zygote_lock);
    if (rc < 0)
        set_dead(process, true);
    return rc;
}

/* A dead zygote is replaced by the first who needs it. */
static cloche_status need_zygote(cl_process *process, cloche_error *err)
{
    cloche_status rc = CLOCHE_OK;

    pthread_mutex_lock(&process->restart_lock);
    pthread_mutex_lock(&process->lock);
    bool is_dead = process->is_dead;
    pthread_mutex_unlock(&process->lock);
    if (is_dead) {
        pthread_mutex_lock(&process->zygote_lock);
        cl_zygote *dead = process->zygote;
        process->zygote = NULL;
        pthread_mutex_unlock(&process->zygote_lock);
        cl_zygote_stop(dead);
        rc = start_zygote(process, err);
        if (rc == CLOCHE_OK)
            process->backend.isolation = process->report.isolation;
    }
    pthread_mutex_unlock(&process->restart_lock);
    return rc;
}

void cl_place_kill(cl_process_place *place)
{
    cl_process *process = place->process;

    pthread_mutex_lock(&process->zygote_lock);
    if (process->zygote != NULL)
        cl_zygote_kill(process->zygote, place->child.id);
    pthread_mutex_unlock(&process->zygote_lock);
}

/* The socket is the caller's; nobody else can reach it any more. */
static int take_socket(cl_process_place *place)
{
    pthread_mutex_lock(&place->process->lock);
    int socket = place->child.socket;
    place->child.socket = -1;
    pthread_mutex_unlock(&place->process->lock);
    return socket;
}

/* The place's child is a new one from here on, of which nothing is known. */
static uint32_t begin_child(cl_process_place *place, int socket)
{
    pthread_mutex_lock(&place->process->lock);
    uint32_t id = ++place->process->next_id;
    place->child = (cl_child){.id = id, .socket = socket};
    pthread_mutex_unlock(&place->process->lock);
    return id;
}

/* The zygote has refused since it is dying: its death is told a moment later, unless another thread has seen to it. */
static void await_death(cl_process *process)
{
    uint64_t until_ns = cl_clock_ns(CLOCK_MONOTONIC) + DEATH_WAIT_MS * CL_NS_PER_MS;

    pthread_mutex_lock(&process->lock);
    while (!process->is_dead && cl_clock_ns(CLOCK_MONOTONIC) < until_ns)
        cl_wait_until(&process->exits, &process->lock, until_ns);
    pthread_mutex_unlock(&process->lock);
}

/* A zygote may die between any two lines here. */
static cloche_status spawn(cl_process_place *place, const int pair[2], cloche_error *err)
{
    cl_process *process = place->process;

    for (int tries = 1;; tries++) {
        cloche_status rc = need_zygote(process, err);
        if (rc < 0)
            return rc;
        uint32_t id = begin_child(place, pair[0]);
        pthread_mutex_lock(&process->zygote_lock);
        bool is_there = process->zygote != NULL;
        rc = is_there ? cl_zygote_spawn(process->zygote, id, pair[1], err)
                      : cl_error_set(err, CLOCHE_E_SYS, 0, "process", "the process that makes jailed children has just died");
        pthread_mutex_unlock(&process->zygote_lock);
        if (rc != CLOCHE_E_SYS || tries == SPAWN_TRIES)
            return rc;
        if (is_there)
            await_death(process);
    }
}

cloche_status cl_place_spawn(cl_process_place *place, cloche_error *err)
{
    cloche_status rc;
    int pair[2], on = 1;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return cl_error_set(err, CLOCHE_E_SYS, errno, "process", "cannot make a socket for a jailed child");
    if (setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0) {
        rc = cl_error_set(err, CLOCHE_E_SYS, errno, "process", "cannot ask for the sender of a socket");
        goto out;
    }
    rc = spawn(place, pair, err);
    place->is_spent = false;
    if (rc < 0) {
        if (place->child.socket == pair[0])
            take_socket(place);
        pthread_mutex_lock(&place->process->lock);
        place->child.has_exited = place->child.is_orphan = true; /* nobody will tell of it */
        pthread_mutex_unlock(&place->process->lock);
    } else {
        pair[0] = -1;
    }
out:
    if (pair[0] >= 0)
        close(pair[0]);
    close(pair[1]);
    return rc;
}

void cl_place_drop_child(cl_process_place *place)
{
    if (place->child.socket < 0)
        return;
    cl_place_kill(place);
    close(take_socket(place));
}

/* ---- the backend ---- */

static cloche_status process_enter(cl_backend *backend, cloche_error *err)
{
    (void)backend, (void)err;
    return CLOCHE_OK;
}

/* ---- the nursery ----
 *
 * A place that was used needs a new child. That is done by a thread of its own: an order to the zygote can put the
 * giver off its processor for as long as the zygote clones, and whoever asked for the run has its answer already. */

static void push(cl_process_place **list, cl_process_place *place)
{
    place->next = *list;
    *list = place;
}

/* First in, first out: the child that has been ready longest. Lock held. */
static void make_free(cl_process *process, cl_process_place *place)
{
    place->next = NULL;
    if (process->free_last != NULL)
        process->free_last->next = place;
    else
        process->free_first = place;
    process->free_last = place;
    process->free_count++;
}

/* Lock held. */
static void forget(cl_process *process, cl_process_place *place)
{
    for (cl_process_place **at = &process->places; *at != NULL; at = &(*at)->chain)
        if (*at == place) {
            *at = place->chain;
            process->place_count--;
            break;
        }
    free(place);
}

static void *nursery_main(void *arg)
{
    cl_process *process = arg;

    cl_task_name("cloche-nursery");
    pthread_mutex_lock(&process->lock);
    while (!process->is_closing) {
        cl_process_place *place = process->used;
        cloche_error err;

        if (place == NULL) {
            pthread_cond_wait(&process->work, &process->lock);
            continue;
        }
        process->used = place->next;
        bool is_wanted = process->free_count < READY_AHEAD;
        pthread_mutex_unlock(&process->lock);
        cl_place_drop_child(place);
        /* If it cannot be made now, the run that gets the place tries again and says why. */
        if (is_wanted)
            cl_place_spawn(place, &err);
        pthread_mutex_lock(&process->lock);
        if (is_wanted)
            make_free(process, place);
        else
            forget(process, place);
    }
    pthread_mutex_unlock(&process->lock);
    return NULL;
}

static cl_place *process_take(cl_backend *backend)
{
    cl_process *process = process_of(backend);

    pthread_mutex_lock(&process->lock);
    cl_process_place *place = process->free_first;
    if (place != NULL) {
        process->free_first = place->next;
        if (process->free_first == NULL)
            process->free_last = NULL;
        process->free_count--;
    }
    pthread_mutex_unlock(&process->lock);
    return (cl_place *)place;
}

static cl_process_place *make_place(cl_process *process, cloche_error *err)
{
    cl_process_place *place = calloc(1, sizeof *place);

    if (place == NULL) {
        cl_error_set(err, CLOCHE_E_NOMEM, 0, "process", "cannot allocate a place");
        return NULL;
    }
    place->process = process;
    place->child.socket = -1;
    if (cl_place_spawn(place, err) < 0) {
        free(place);
        return NULL;
    }
    pthread_mutex_lock(&process->lock);
    place->chain = process->places;
    process->places = place;
    process->place_count++;
    pthread_mutex_unlock(&process->lock);
    return place;
}

static cl_place *process_make(cl_backend *backend, cloche_error *err)
{
    return (cl_place *)make_place(process_of(backend), err);
}

static void process_begin(cl_place *opaque, const cl_run_request *request, cloche_result *result, uint64_t start_ns)
{
    cl_process_place *place = place_of(opaque);
    cloche_error err;

    memset(&place->run, 0, sizeof place->run);
    place->run.has_begun = true;
    place->run.request = request;
    place->run.result = result;
    place->run.start_ns = start_ns;
    place->run.deadline_ns = start_ns + request->limits.wall_ns + GRACE_NS;
    place->run.cpu_before_ns = cl_place_cpu_ns(place);
    if (place->child.socket < 0 && cl_place_spawn(place, &err) < 0) {
        result->code = CLOCHE_CODE_INTERNAL;
        cl_result_set_text(&result->error, err.text, strlen(err.text));
        place->run.is_over = true;
        return;
    }
    if (!cl_wire_put_request(&place->run.outgoing, request, start_ns)) {
        static const char text[] = "host memory: no room for the request";
        result->code = CLOCHE_CODE_INTERNAL;
        cl_result_set_text(&result->error, text, sizeof text - 1);
        place->run.is_over = true;
    }
}

static void take_stream(cl_stream *stream, cloche_text *to, uint64_t *dropped)
{
    size_t length;
    char *text = cl_buf_take(&stream->kept, &length);

    cl_result_take_text(to, text, text != NULL ? length : 0);
    if (*dropped < stream->dropped)
        *dropped = stream->dropped;
}

static void finish(cl_process_place *place)
{
    cloche_result *result = place->run.result;

    take_stream(&place->run.out, &result->out, &result->out_truncated);
    take_stream(&place->run.err, &result->err, &result->err_truncated);
}

static cl_step_state process_step(cl_place *opaque, bool may_wait)
{
    cl_process_place *place = place_of(opaque);

    if (!cl_place_work(place, may_wait))
        return CL_STEP_WAITING;
    finish(place);
    return CL_STEP_DONE;
}

static uint64_t process_wake_ns(const cl_place *place)
{
    (void)place;
    return UINT64_MAX; /* its socket wakes it */
}

static int process_fd(const cl_place *place)
{
    return ((const cl_process_place *)place)->child.socket;
}

static void process_stop(cl_place *opaque, cl_stop why)
{
    cl_process_place *place = place_of(opaque);
    int none = CL_STOP_NONE;

    if (!atomic_compare_exchange_strong(&place->run.stop, &none, (int)why))
        return;
    pthread_mutex_lock(&place->process->lock);
    if (place->child.socket >= 0)
        shutdown(place->child.socket, SHUT_RDWR); /* whoever waits on it reads what is there, then the end */
    pthread_mutex_unlock(&place->process->lock);
}

static void process_end(cl_place *opaque, cl_stop why)
{
    cl_process_place *place = place_of(opaque);

    cl_place_end(place, why);
    finish(place);
}

static void process_clean(cl_place *opaque)
{
    cl_process_place *place = place_of(opaque);

    cl_buf_fini(&place->run.outgoing);
    cl_buf_fini(&place->run.incoming);
    cl_buf_fini(&place->run.out.kept);
    cl_buf_fini(&place->run.err.kept);
}

static void process_give(cl_backend *backend, cl_place *opaque)
{
    cl_process *process = process_of(backend);
    cl_process_place *place = place_of(opaque);

    pthread_mutex_lock(&process->lock);
    if (!place->run.has_begun || (process->keeps_children && !place->is_spent && place->child.socket >= 0 &&
                                  ++place->child.runs < RUNS_PER_CHILD)) {
        make_free(process, place);
    } else {
        push(&process->used, place);
        pthread_cond_signal(&process->work);
    }
    pthread_mutex_unlock(&process->lock);
}

static void process_stats(cl_backend *backend, cl_backend_stats *out)
{
    cl_process *process = process_of(backend);

    pthread_mutex_lock(&process->lock);
    *out = (cl_backend_stats){.places = process->place_count, .traps = atomic_load(&process->traps)};
    pthread_mutex_unlock(&process->lock);
}

static void free_places(cl_process *process)
{
    while (process->places != NULL) {
        cl_process_place *place = process->places;
        process->places = place->chain;
        if (place->child.socket >= 0)
            close(place->child.socket);
        free(place);
    }
    free(process);
}

static void process_abandon(cl_backend *backend)
{
    cl_process *process = process_of(backend);

    cl_zygote_abandon(process->zygote);
    free_places(process);
}

static void process_close(cl_backend *backend)
{
    cl_process *process = process_of(backend);

    pthread_mutex_lock(&process->lock);
    process->is_closing = true;
    pthread_cond_signal(&process->work);
    pthread_mutex_unlock(&process->lock);
    if (process->has_nursery)
        pthread_join(process->nursery, NULL);
    cl_zygote_stop(process->zygote);
    pthread_cond_destroy(&process->work);
    pthread_mutex_destroy(&process->lock);
    pthread_mutex_destroy(&process->restart_lock);
    pthread_mutex_destroy(&process->zygote_lock);
    pthread_cond_destroy(&process->exits);
    free_places(process);
}

cl_zygote_config cl_process_config(const cloche_options *options)
{
    const cloche_limits *limits = &options->limits;
    /* A request, its source's translation with its map, output kept twice over, a result as value and as frame. */
    uint64_t heap_bytes = HEAP_BYTES + 8 * (uint64_t)limits->max_source_bytes + limits->max_context_bytes +
                          2 * ((uint64_t)limits->max_stdout_bytes + limits->max_stderr_bytes) +
                          4 * (uint64_t)limits->max_result_bytes;

    return (cl_zygote_config){
        .memory_bytes = ((uint64_t)limits->memory_limit_mb << 20) + FIXED_BYTES + heap_bytes,
        .group_bytes = (uint64_t)limits->max_total_memory_mb << 20,
        .most_children = 2 * limits->max_concurrency + SPARE_CHILDREN, /* new ones while old ones are reaped */
        .required = options->require_isolation,
        .heap_bytes = heap_bytes,
    };
}

static cloche_status start_nursery(cl_process *process, cloche_error *err)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int failed = pthread_create(&process->nursery, NULL, nursery_main, process);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed != 0)
        return cl_error_set(err, CLOCHE_E_NOMEM, failed, "process", "cannot start the thread that renews children");
    process->has_nursery = true;
    return CLOCHE_OK;
}

cloche_status cl_process_open(const cloche_options *options, cl_backend **out, cloche_error *err)
{
    cloche_status rc;
    cl_process *process;
    *out = NULL;
    if ((process = calloc(1, sizeof *process)) == NULL)
        return cl_error_set(err, CLOCHE_E_NOMEM, 0, "process", "cannot allocate a backend");
    pthread_mutex_init(&process->lock, NULL);
    pthread_mutex_init(&process->restart_lock, NULL);
    pthread_mutex_init(&process->zygote_lock, NULL);
    cl_wait_init(&process->exits);
    cl_wait_init(&process->work);
    process->keeps_children = options->freshness == CLOCHE_FRESHNESS_JAIL;
    process->config = cl_process_config(options);
    process->backend = (cl_backend){
        .name = "process",
        .grace_ns = GRACE_NS,
        .bounds_runs = true,
        .close = process_close,
        .abandon = process_abandon,
        .enter = process_enter,
        .take = process_take,
        .make = process_make,
        .begin = process_begin,
        .step = process_step,
        .wake_ns = process_wake_ns,
        .fd = process_fd,
        .stop = process_stop,
        .end = process_end,
        .clean = process_clean,
        .give = process_give,
        .stats = process_stats,
    };
    if ((rc = start_zygote(process, err)) < 0) {
        process_close(&process->backend);
        return rc;
    }
    if ((rc = start_nursery(process, err)) < 0) {
        process_close(&process->backend);
        return rc;
    }
    process->backend.isolation = process->report.isolation;
    process->backend.charges_limit = (process->report.isolation & CLOCHE_LAYER_CGROUP) == 0;
    *out = &process->backend;
    return CLOCHE_OK;
}
