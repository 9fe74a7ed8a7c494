/* host.h - a host for tests: starts a zygote whose children obey attacks.h, and waits for their ends
 *
 * Threads  one test thread; ends arrive on the launch thread
 */
#ifndef TESTS_ESCAPE_HOST_H
#define TESTS_ESCAPE_HOST_H

#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

#include "attacks.h"
#include "backend/process/plan.h"
#include "backend/process/zygote.h"

enum { HOST_CHILDREN = 32, HOST_WAIT_MS = 20000 };

typedef struct host {
    cl_zygote *zygote;
    cl_zygote_config config;
    cl_zygote_report report;
    cloche_error error;
    struct host_child {
        int socket;
        cl_child_exit how;
        sem_t ended;
        int times; /* on_exit was called */
    } children[HOST_CHILDREN];
    sem_t died;
    int deaths;
} host;

/* Limits that suit a test; change them between init and start. */
void host_init(host *h);
cloche_status host_start(host *h);
void host_stop(host *h);

/* All fail the test when the machine does not do its part in HOST_WAIT_MS. */
void host_spawn(host *h, uint32_t id);
cl_child_exit host_wait_exit(host *h, uint32_t id);
void host_wait_death(host *h);

/* Sends an order and takes the answer; false when the child ended instead. */
bool host_order(host *h, uint32_t id, const char *name, int64_t argument, int64_t *answer);
void host_send(host *h, uint32_t id, const char *name, int64_t argument);

/* Process ids that descend from this process at any depth, by /proc; answers how many. The launch's guard is one. */
unsigned host_descendants(int *out, unsigned most);
/* The supervisor and the server of the only zygote of this process; 0: not there. */
int host_guard_pid(void);
int host_supervisor_pid(void);
int host_server_pid(void);
unsigned host_fd_count(void);

/* Waits until claim(user) holds; answers false after HOST_WAIT_MS. */
bool host_until(bool (*claim)(void *user), void *user);

#endif
