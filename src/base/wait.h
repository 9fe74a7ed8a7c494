/* wait.h - conditions that wait by the monotonic clock */
#ifndef CL_BASE_WAIT_H
#define CL_BASE_WAIT_H

#include <pthread.h>
#include <stdint.h>

#include "base/clock.h"

static inline void cl_wait_init(pthread_cond_t *cond)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* UINT64_MAX: without end. May come back early. */
static inline void cl_wait_until(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t until_ns)
{
    if (until_ns == UINT64_MAX) {
        pthread_cond_wait(cond, lock);
        return;
    }
    struct timespec until = {.tv_sec = (time_t)(until_ns / CL_NS_PER_S), .tv_nsec = (long)(until_ns % CL_NS_PER_S)};
    pthread_cond_timedwait(cond, lock, &until);
}

#endif
