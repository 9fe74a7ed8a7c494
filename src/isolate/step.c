#include "isolate/step.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "isolate/result.h"
#include "isolate/compile.h"
#include "isolate/engine.h"
#include "isolate/guest_clock.h"
#include "isolate/report.h"
#include "isolate/source.h"
#include "isolate/stop.h"

#define I (guest->instance)
#define CTX (cl_image_get()->context)
#define RT (cl_image_get()->runtime)

enum { PROMISE_PENDING = 0, PROMISE_FULFILLED = 1, PROMISE_REJECTED = 2 };

static void fail_with_exception(cl_guest *guest)
{
    cl_report_error(guest, CLOCHE_CODE_EXECUTION_ERROR, cl_engine_exception(guest));
}

/* From here on `promise` is what the run waits for. */
static void await_promise(cl_guest *guest, cl_value promise)
{
    if (cl_value_is_exception(promise)) {
        fail_with_exception(guest);
        return;
    }
    Z_quickjsZ_JS_PromiseMarkAsHandled(I, CTX, promise);
    guest->run.promise = promise;
}

static void await_value(cl_guest *guest, cl_value value)
{
    await_promise(guest, cl_engine_prelude(guest, CL_PRELUDE_settle, 1, &value));
}

/* ---- start ---- */

static cl_value parse_context(cl_guest *guest)
{
    const cl_run_request *request = guest->run.request;

    if (request->context == NULL)
        return Z_quickjsZ_JS_NewObject(I, CTX);
    uint32_t text = cl_engine_text(guest, request->context, request->context_length);
    cl_value context =
        Z_quickjsZ_JS_ParseJSON(I, CTX, text, (uint32_t)request->context_length, cl_engine_name(CL_NAME_cause));
    Z_quickjsZ_free(I, text);
    return context;
}

static void start_compiled(cl_guest *guest, const cl_compiled *compiled, cl_value context)
{
    cl_run *run = &guest->run;
    cl_value value;

    run->phase = CL_PHASE_RUNNING;
    run->started = true;
    value = Z_quickjsZ_JS_EvalFunction(I, CTX, compiled->code);
    if (cl_value_is_exception(value)) {
        fail_with_exception(guest);
        return;
    }
    switch (compiled->kind) {
    case CLOCHE_KIND_BODY:
        await_promise(guest, cl_engine_call(guest, value, 1, &context));
        break;
    case CLOCHE_KIND_MODULE:
        run->is_module = true;
        run->module = cl_value_payload(compiled->code);
        run->context = context;
        await_promise(guest, value);
        break;
    case CLOCHE_KIND_FUNCTION:
        /* A source that is an expression of another kind has run by now; it ends here. */
        if (!Z_quickjsZ_JS_IsFunction(I, CTX, value)) {
            cl_report_text(guest, CLOCHE_CODE_EXECUTION_ERROR, "TypeError: the source's value is not a function");
            break;
        }
        value = cl_engine_call(guest, value, 1, &context);
        if (cl_value_is_exception(value))
            fail_with_exception(guest);
        else
            await_value(guest, value);
        break;
    case CLOCHE_KIND_SCRIPT:
    case CLOCHE_KIND_AUTO:
        await_value(guest, value);
        break;
    }
}

static void start(cl_guest *guest)
{
    cl_compiled compiled;
    cl_value context = CL_UNDEFINED;

    if (!guest->run.request->check_only) {
        context = parse_context(guest);
        if (cl_value_is_exception(context)) {
            fail_with_exception(guest);
            return;
        }
    }
    if (!cl_compile(guest, &compiled))
        return;
    if (guest->run.request->check_only) {
        cl_report_value(guest, CL_UNDEFINED);
        return;
    }
    if (cl_value_is_exception(cl_engine_prelude(guest, CL_PRELUDE_setContext, 1, &context))) {
        fail_with_exception(guest);
        return;
    }
    start_compiled(guest, &compiled, context);
}

/* ---- the end ---- */

static bool has_default(cl_guest *guest, cl_value namespace)
{
    uint32_t atom = Z_quickjsZ_JS_NewAtom(I, CTX, cl_engine_name(CL_NAME_default));
    return (int32_t)Z_quickjsZ_JS_HasProperty(I, CTX, namespace, atom) > 0;
}

/* A module's value is its default export, awaited, a function called with the context; else its exports. Answers
 * whether something is awaited now. */
static bool take_default(cl_guest *guest, cl_value *value)
{
    cl_run *run = &guest->run;

    if (!run->is_module || run->called_default)
        return false;
    run->called_default = true;
    *value = Z_quickjsZ_JS_GetModuleNamespace(I, CTX, run->module);
    if (!cl_value_is_exception(*value) && has_default(guest, *value)) {
        *value = cl_engine_get(guest, *value, CL_NAME_default);
        if (!cl_value_is_exception(*value) && Z_quickjsZ_JS_IsFunction(I, CTX, *value)) {
            cl_value arguments[] = {*value, run->context};
            await_promise(guest, cl_engine_prelude(guest, CL_PRELUDE_callDefault, 2, arguments));
            return true;
        }
        if (cl_value_is_object(*value)) {
            await_value(guest, *value);
            return true;
        }
    }
    if (cl_value_is_exception(*value)) {
        fail_with_exception(guest);
        return true;
    }
    return false;
}

/* The awaited promise has settled. */
static void settle(cl_guest *guest, int state)
{
    cl_run *run = &guest->run;
    cl_value value = Z_quickjsZ_JS_PromiseResult(I, CTX, run->promise);

    if (state == PROMISE_REJECTED) {
        cl_report_error(guest, CLOCHE_CODE_EXECUTION_ERROR, value);
        return;
    }
    if (take_default(guest, &value))
        return;
    if (run->request->drain && run->phase != CL_PHASE_DRAINING) {
        run->phase = CL_PHASE_DRAINING;
        run->value = value;
        return;
    }
    cl_report_value(guest, value);
}

static bool is_settled(cl_guest *guest)
{
    if (guest->run.phase != CL_PHASE_RUNNING)
        return guest->run.phase == CL_PHASE_DONE;
    int state = (int)Z_quickjsZ_JS_PromiseState(I, CTX, guest->run.promise);
    if (state == PROMISE_PENDING)
        return false;
    settle(guest, state);
    return guest->run.phase == CL_PHASE_DONE;
}

/* ---- jobs and timers ---- */

static bool run_ticks(cl_guest *guest)
{
    guest->run.wants_ticks = false;
    if (!cl_value_is_exception(cl_engine_prelude(guest, CL_PRELUDE_ticks, 0, NULL)))
        return true;
    fail_with_exception(guest);
    return false;
}

/* Ticks, then promise jobs, until there are neither; the value is looked at after each. */
static void run_jobs(cl_guest *guest)
{
    uint32_t context_at = cl_engine_alloc(guest, 4);

    while (!is_settled(guest)) {
        cl_stop_check(guest);
        if (guest->run.wants_ticks) {
            if (!run_ticks(guest))
                return;
            continue;
        }
        int32_t ran;
        while ((ran = (int32_t)Z_quickjsZ_JS_ExecutePendingJob(I, RT, context_at)) > 0) {
            cl_stop_check(guest);
            if (is_settled(guest))
                return;
        }
        if (ran < 0) {
            fail_with_exception(guest);
            return;
        }
        /* Looking at the value may have begun to wait for another promise, which may have settled already. */
        if (!guest->run.wants_ticks && !is_settled(guest))
            break;
    }
    Z_quickjsZ_free(I, context_at);
}

/* A rejection that nobody has handled when the jobs are empty ends the run. */
static bool fails_by_rejection(cl_guest *guest)
{
    if (!guest->run.has_rejections)
        return false;
    cl_value promise = cl_engine_prelude(guest, CL_PRELUDE_unhandled, 0, NULL);
    if (!cl_value_is_object(promise))
        return false;
    cl_report_error(guest, CLOCHE_CODE_EXECUTION_ERROR, Z_quickjsZ_JS_PromiseResult(I, CTX, promise));
    return true;
}

/* Whether a timer is live that keeps the run going, as those without unref() do. */
static bool has_referenced(cl_guest *guest)
{
    return cl_value_number(cl_engine_prelude(guest, CL_PRELUDE_referenced, 0, NULL), 0) > 0;
}

/* Nothing is left that could run. */
static void run_dry(cl_guest *guest)
{
    if (guest->run.phase == CL_PHASE_DRAINING)
        cl_report_value(guest, guest->run.value);
    else
        cl_report_text(guest, CLOCHE_CODE_EXECUTION_ERROR,
                       "Error: the value never settles: it waits for a promise that nothing left can resolve");
}

/* Until the run has ended or waits for a timer. */
static void go_on(cl_guest *guest)
{
    cl_run *run = &guest->run;

    for (;;) {
        run_jobs(guest);
        if (run->phase == CL_PHASE_DONE || fails_by_rejection(guest))
            return;
        if (!run->has_timers || !has_referenced(guest)) {
            run_dry(guest);
            return;
        }
        cl_value turn = cl_engine_prelude(guest, CL_PRELUDE_turn, 0, NULL);
        if (cl_value_is_exception(turn)) {
            fail_with_exception(guest);
            return;
        }
        double wait_ms = cl_value_number(turn, -1);
        if (wait_ms < 0)
            continue;
        if (!(wait_ms <= 4294967296.0)) {
            run_dry(guest);
            return;
        }
        uint64_t wait_ns = (uint64_t)(wait_ms * 1e6);
        if (run->request->deterministic) {
            run->virtual_ns += wait_ns;
            cl_stop_check(guest);
            continue;
        }
        run->wake_ns = cl_clock_ns(CLOCK_MONOTONIC) + wait_ns;
        return;
    }
}

/* On the private stack. */
static void step_main(cl_slot *slot)
{
    cl_guest *guest = cl_guest_of(slot);

    if (guest->run.phase == CL_PHASE_START)
        start(guest);
    if (guest->run.phase != CL_PHASE_DONE && !guest->run.wants_compiler)
        go_on(guest);
}

/* ---- outside ---- */

/* Never zero: xorshift would stay there. */
static void seed_random(cl_guest *guest)
{
    uint64_t state = 0;
    while (state == 0)
        cl_guest_random(guest, (uint8_t *)&state, sizeof state);
    memcpy(cl_guest_at(guest, cl_image_get()->random_at), &state, sizeof state);
}

void cl_step_begin(cl_guest *guest, const cl_run_request *request, cloche_result *result, uint64_t start_ns)
{
    cl_run *run = &guest->run;

    CL_ASSERT(!guest->slot.is_dirty);
    run->request = request;
    run->result = result;
    run->code = request->code;
    run->code_length = request->code_length;
    run->start_ns = start_ns;
    run->deadline_ns = start_ns + request->limits.wall_ns;
    run->random_state = request->seed;
    run->phase = CL_PHASE_START;
    guest->slot.is_dirty = true;
    guest->slot.most_pages = request->limits.memory_pages;
    seed_random(guest);
}

static void take_stream(cl_stream *stream, cloche_text *to, uint64_t *dropped)
{
    size_t length;
    char *text = cl_buf_take(&stream->kept, &length);
    cl_result_take_text(to, text, text != NULL ? length : 0);
    *dropped = stream->dropped;
}

static void finish(cl_guest *guest)
{
    cl_run *run = &guest->run;
    cloche_result *result = run->result;

    result->started = run->started;
    take_stream(&run->out, &result->out, &result->out_truncated);
    take_stream(&run->err, &result->err, &result->err_truncated);
    uint32_t pages = guest->slot.peak_pages;
    pages = run->translation_pages > pages ? run->translation_pages : pages;
    result->usage.memory_peak_bytes = (uint64_t)pages * CL_WASM_PAGE;
    result->usage.pending = run->live_timers;
    result->usage.cpu_ms = (double)run->cpu_used_ns / 1e6;
}

static uint64_t cpu_left(const cl_run *run, uint64_t since_ns)
{
    uint64_t limit_ns = run->request->limits.cpu_ns;

    if (limit_ns == 0)
        return 0; /* the clock of a thread is a system call */
    uint64_t used_ns = run->cpu_used_ns + cl_clock_ns(CLOCK_THREAD_CPUTIME_ID) - since_ns;
    return limit_ns > used_ns ? limit_ns - used_ns : 1;
}

static cl_leave enter(cl_thread *thread, cl_guest *guest, uint64_t since_ns)
{
    cl_run *run = &guest->run;
    cl_until until = {.deadline_ns = run->deadline_ns, .cpu_left_ns = cpu_left(run, since_ns), .stop = &run->stop};

    return cl_thread_enter(thread, &guest->slot, step_main, &until);
}

/* Whether the TypeScript compiler comes before the engine. */
static bool begins_with_compiler(const cl_run *run)
{
    return run->phase == CL_PHASE_START && run->translation == NULL && run->request->language == CLOCHE_LANGUAGE_TS;
}

cl_step_state cl_step_work(cl_thread *thread, cl_guest *guest)
{
    cl_run *run = &guest->run;
    cl_leave why = CL_LEAVE_NONE;
    uint64_t cpu_before_ns = cl_clock_ns(CLOCK_THREAD_CPUTIME_ID);

    cl_source_begin(guest);
    if (begins_with_compiler(run))
        cl_source_translate(thread, guest, cpu_left(run, cpu_before_ns));
    if (run->phase != CL_PHASE_DONE)
        why = enter(thread, guest, cpu_before_ns);
    if (run->wants_compiler && why == CL_LEAVE_NONE) {
        run->wants_compiler = false;
        cl_source_translate(thread, guest, cpu_left(run, cpu_before_ns));
        if (run->phase != CL_PHASE_DONE)
            why = enter(thread, guest, cpu_before_ns);
    }
    run->cpu_used_ns += cl_clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_before_ns;
    if (why != CL_LEAVE_NONE)
        cl_report_leave(guest, why);
    guest->is_trapped |= why == CL_LEAVE_TRAP || why == CL_LEAVE_FAULT;
    if (run->phase != CL_PHASE_DONE)
        return CL_STEP_WAITING;
    finish(guest);
    return CL_STEP_DONE;
}

void cl_step_stop(cl_guest *guest, cl_stop why)
{
    guest->slot.stopped_for = (int)why;
    cl_report_leave(guest, CL_LEAVE_STOP);
    finish(guest);
}
