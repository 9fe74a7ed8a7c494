/* submit.h - what the tests of submitted runs share: answers that are waited for */
#ifndef TESTS_API_SUBMIT_H
#define TESTS_API_SUBMIT_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "api.h"

/* ---- answers ---- */

typedef struct answer {
    cloche_result *result;
    _Atomic int count;
    int order; /* of its arrival among all */
    bool is_on_submitter;
    pthread_t submitter;
} answer;

static sem_t arrived;
static _Atomic int arrivals;

static inline void take_answer(void *user, cloche_result *result)
{
    answer *a = user;

    a->result = result;
    a->order = atomic_fetch_add(&arrivals, 1);
    a->is_on_submitter = pthread_equal(pthread_self(), a->submitter);
    atomic_fetch_add(&a->count, 1);
    sem_post(&arrived);
}

static inline void begin(void)
{
    sem_init(&arrived, 0, 0);
    atomic_store(&arrivals, 0);
}

static inline void submit(cloche_sandbox *sandbox, cloche_request request, answer *to)
{
    cloche_error err;

    *to = (answer){.submitter = pthread_self()};
    cloche_status rc = cloche_sandbox_submit(sandbox, &request, take_answer, to, &err);
    ck_assert_msg(rc == CLOCHE_OK, "submit: %s", err.text);
}

static inline void await_answers(int count)
{
    for (int i = 0; i < count; i++) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 30;
        int rc;
        while ((rc = sem_timedwait(&arrived, &until)) != 0 && errno == EINTR)
            ;
        ck_assert_msg(rc == 0, "only %d of %d answers came", i, count);
    }
}

/* Spins until the sandbox's books say so; fails after a while. */
#define await_stats(sandbox, condition)                                       \
    do {                                                                      \
        double end_ = now_ms() + 20000;                                       \
        cloche_stats stats;                                                   \
        do {                                                                  \
            cloche_sandbox_stats((sandbox), &stats);                          \
            sched_yield();                                                    \
        } while (!(condition) && now_ms() < end_);                            \
        ck_assert_msg((condition), "active %u, queued %u, total %llu", stats.active, stats.queued, \
                      (unsigned long long)stats.runs_total);                  \
    } while (0)

static inline void expect_answer(answer *a, cloche_code code)
{
    ck_assert_int_eq(atomic_load(&a->count), 1);
    assert_code(a->result, code);
    cloche_result_destroy(a->result);
    a->result = NULL;
}

static inline cloche_sandbox *open_limited(uint32_t threads, uint32_t concurrency, uint32_t queue)
{
    cloche_options options = CLOCHE_OPTIONS_INIT;
    options.thread_count = threads;
    options.limits.max_concurrency = concurrency;
    options.limits.max_queue = queue;
    return open_with(&options);
}

#define WAIT_CODE(ms) "await new Promise(r => setTimeout(r, " #ms ")); return 'waited'"

static inline cloche_abort *make_switch(void)
{
    cloche_abort *abort_switch;
    ck_assert_int_eq(cloche_abort_create(&abort_switch, NULL), CLOCHE_OK);
    ck_assert(!cloche_abort_is_triggered(abort_switch));
    return abort_switch;
}

#endif
