#include "backend/worker/worker.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "isolate/table.h"

typedef struct cl_worker {
    cl_backend backend; /* first */
    pthread_mutex_t slots_lock;
    cl_guest *free_slots; /* last in, first out: the warmest memory is used again */
    uint32_t slot_count;
    uint64_t traps;
} cl_worker;

static cl_guest *guest_of(cl_place *place)
{
    return (cl_guest *)place;
}

static cl_worker *worker_of(cl_backend *backend)
{
    return (cl_worker *)backend;
}

static cl_place *worker_take(cl_backend *backend, cloche_error *err)
{
    cl_worker *worker = worker_of(backend);

    if (cl_thread_get(err) == NULL)
        return NULL;
    pthread_mutex_lock(&worker->slots_lock);
    cl_guest *guest = worker->free_slots;
    if (guest != NULL)
        worker->free_slots = guest->next;
    else
        worker->slot_count++;
    pthread_mutex_unlock(&worker->slots_lock);
    if (guest == NULL && cl_guest_open(&guest, err) < 0) {
        pthread_mutex_lock(&worker->slots_lock);
        worker->slot_count--;
        pthread_mutex_unlock(&worker->slots_lock);
    }
    return (cl_place *)guest;
}

static void worker_give(cl_backend *backend, cl_place *place)
{
    cl_worker *worker = worker_of(backend);
    cl_guest *guest = guest_of(place);

    bool is_trapped = guest->run.is_trapped;
    cl_guest_reset(guest);
    pthread_mutex_lock(&worker->slots_lock);
    worker->traps += is_trapped;
    guest->next = worker->free_slots;
    worker->free_slots = guest;
    pthread_mutex_unlock(&worker->slots_lock);
}

static void worker_begin(cl_place *place, const cl_run_request *request, cloche_result *result, uint64_t start_ns)
{
    cl_step_begin(guest_of(place), request, result, start_ns);
}

static cl_step_state worker_step(cl_place *place)
{
    return cl_step(cl_thread_self(), guest_of(place));
}

static uint64_t worker_wake_ns(const cl_place *place)
{
    return ((const cl_guest *)place)->run.wake_ns;
}

static cl_stop worker_stop_of(const cl_place *place)
{
    return (cl_stop)atomic_load(&((const cl_guest *)place)->run.stop);
}

static void worker_stop(cl_place *place, cl_stop why)
{
    int none = CL_STOP_NONE;
    atomic_compare_exchange_strong(&guest_of(place)->run.stop, &none, (int)why);
}

static void worker_end(cl_place *place, cl_stop why)
{
    cl_step_stop(guest_of(place), why);
}

static void worker_stats(cl_backend *backend, cl_backend_stats *out)
{
    cl_worker *worker = worker_of(backend);

    pthread_mutex_lock(&worker->slots_lock);
    *out = (cl_backend_stats){.places = worker->slot_count, .traps = worker->traps};
    pthread_mutex_unlock(&worker->slots_lock);
}

/* No run is in progress. */
static void worker_close(cl_backend *backend)
{
    cl_worker *worker = worker_of(backend);

    cl_threads_quiesce();
    while (worker->free_slots != NULL) {
        cl_guest *guest = worker->free_slots;
        worker->free_slots = guest->next;
        cl_guest_close(guest);
    }
    pthread_mutex_destroy(&worker->slots_lock);
    free(worker);
}

cloche_status cl_worker_open(const cloche_options *options, cl_backend **out, cloche_error *err)
{
    cloche_status rc;
    cl_worker *worker;

    *out = NULL;
    if ((rc = cl_threads_init(options->stop_signal, err)) < 0)
        return rc;
    cl_table_init();
    if ((worker = calloc(1, sizeof *worker)) == NULL)
        return cl_error_set(err, CLOCHE_E_NOMEM, 0, "worker", "cannot allocate a backend");
    pthread_mutex_init(&worker->slots_lock, NULL);
    worker->backend = (cl_backend){
        .name = "worker",
        .isolation = CLOCHE_LAYER_SFI,
        .close = worker_close,
        .take = worker_take,
        .give = worker_give,
        .begin = worker_begin,
        .step = worker_step,
        .wake_ns = worker_wake_ns,
        .stop_of = worker_stop_of,
        .stop = worker_stop,
        .end = worker_end,
        .stats = worker_stats,
    };
    *out = &worker->backend;
    return CLOCHE_OK;
}
