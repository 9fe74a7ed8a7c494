#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "out.h"

static pthread_mutex_t state_lock = PTHREAD_MUTEX_INITIALIZER;
static cloche_abort *watched;
static int caught;
static int wake[2] = { -1, -1 };
static sigset_t waited;

static void *wait_for_signals(void *unused)
{
    (void)unused;
    for (;;) {
        int sig = sigwaitinfo(&waited, NULL);

        if (sig < 0)
            continue;
        pthread_mutex_lock(&state_lock);
        if (caught != 0)
            _exit(128 + sig);
        caught = sig;
        if (watched != NULL)
            cloche_abort_trigger(watched);
        if (write(wake[1], "", 1) < 0) {
            /* full: it is readable already */
        }
        pthread_mutex_unlock(&state_lock);
    }
    return NULL;
}

void signals_start(void)
{
    static const int signals[] = { SIGINT, SIGTERM };
    struct sigaction action;
    pthread_t thread;
    int error;

    sigemptyset(&waited);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&waited, signals[i]);
    if (pipe2(wake, O_CLOEXEC | O_NONBLOCK) < 0) {
        out_complain("", "pipe: %s", strerror(errno));
        _exit(EX_OSERR);
    }
    pthread_sigmask(SIG_BLOCK, &waited, NULL);
    error = pthread_create(&thread, NULL, wait_for_signals, NULL);
    if (error != 0) {
        out_complain("", "cannot start a thread: %s", strerror(error));
        _exit(EX_OSERR);
    }
    pthread_detach(thread);
}

void signals_watch(cloche_abort *abort)
{
    pthread_mutex_lock(&state_lock);
    watched = abort;
    if (abort != NULL && caught != 0)
        cloche_abort_trigger(abort);
    pthread_mutex_unlock(&state_lock);
}

int signals_caught(void)
{
    int sig;

    pthread_mutex_lock(&state_lock);
    sig = caught;
    pthread_mutex_unlock(&state_lock);
    return sig;
}

void signals_forget(void)
{
    char byte[16];

    pthread_mutex_lock(&state_lock);
    caught = 0;
    while (read(wake[0], byte, sizeof byte) > 0) {
        /* one byte per signal */
    }
    pthread_mutex_unlock(&state_lock);
}

int signals_wake_fd(void)
{
    return wake[0];
}
