#include "backend/worker/worker.h"

#include <stdlib.h>

#include "base/error.h"
#include "isolate/table.h"

typedef struct cl_worker {
    cl_backend backend; /* first */
    cl_guest *free_slots; /* core's lock; last in, first out: the warmest memory is used again */
    _Atomic uint32_t slot_count;
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

static cloche_status worker_enter(cl_backend *backend, cloche_error *err)
{
    (void)backend;
    return cl_thread_get(err) != NULL ? CLOCHE_OK : CLOCHE_E_NOMEM;
}

static cl_place *worker_take(cl_backend *backend)
{
    cl_worker *worker = worker_of(backend);
    cl_guest *guest = worker->free_slots;

    if (guest != NULL)
        worker->free_slots = guest->next;
    return (cl_place *)guest;
}

static cl_place *worker_make(cl_backend *backend, cloche_error *err)
{
    cl_guest *guest;

    if (cl_guest_open(&guest, err) < 0)
        return NULL;
    atomic_fetch_add(&worker_of(backend)->slot_count, 1);
    return (cl_place *)guest;
}

static void worker_clean(cl_place *place)
{
    cl_guest_reset(guest_of(place));
}

static void worker_give(cl_backend *backend, cl_place *place)
{
    cl_worker *worker = worker_of(backend);
    cl_guest *guest = guest_of(place);

    worker->traps += guest->is_trapped;
    guest->is_trapped = false;
    guest->next = worker->free_slots;
    worker->free_slots = guest;
}

static void worker_begin(cl_place *place, const cl_run_request *request, cloche_result *result, uint64_t start_ns)
{
    cl_step_begin(guest_of(place), request, result, start_ns);
}

static cl_step_state worker_step(cl_place *place, bool may_wait)
{
    (void)may_wait;
    return cl_step_work(cl_thread_self(), guest_of(place));
}

static uint64_t worker_wake_ns(const cl_place *place)
{
    return ((const cl_guest *)place)->run.wake_ns;
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

    *out = (cl_backend_stats){.places = atomic_load(&worker->slot_count), .traps = worker->traps};
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
    worker->backend = (cl_backend){
        .name = "worker",
        .isolation = CLOCHE_LAYER_SFI,
        .close = worker_close,
        .abandon = worker_close,
        .enter = worker_enter,
        .take = worker_take,
        .make = worker_make,
        .begin = worker_begin,
        .step = worker_step,
        .wake_ns = worker_wake_ns,
        .stop = worker_stop,
        .end = worker_end,
        .clean = worker_clean,
        .give = worker_give,
        .stats = worker_stats,
    };
    *out = &worker->backend;
    return CLOCHE_OK;
}
