#include "answers.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "buffer.h"
#include "out.h"

#define HELD_BYTES_MOST (64u << 20)
#define PROGRESS_MS 200.0

typedef struct answer {
    char *line; /* NULL: not given yet */
    size_t length;
} answer;

struct answers {
    answers_options options;
    pthread_mutex_t lock;
    pthread_cond_t room; /* something was given */
    answer *held;        /* ring of window places; ticket t has place t % window */
    uint32_t window;
    uint64_t next_ticket, next_out;
    uint32_t in_progress;
    size_t held_bytes;
    uint64_t ok_count, failed_count;
    double started_ms, shown_ms;
};

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

answers *answers_create(const answers_options *options)
{
    answers *a = need(sizeof *a);

    *a = (answers){ .options = *options, .started_ms = now_ms() };
    a->window = options->concurrency * 8 > 64 ? options->concurrency * 8 : 64;
    a->held = need(a->window * sizeof *a->held);
    for (uint32_t i = 0; i < a->window; i++)
        a->held[i] = (answer){ 0 };
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->room, NULL);
    return a;
}

void answers_destroy(answers *a)
{
    pthread_cond_destroy(&a->room);
    pthread_mutex_destroy(&a->lock);
    free(a->held);
    free(a);
}

/* The oldest ticket is always in progress or written, so what is held back never waits for the reader. */
static bool has_room(const answers *a)
{
    return a->in_progress < a->options.concurrency && a->next_ticket - a->next_out < a->window &&
           a->held_bytes < HELD_BYTES_MOST;
}

uint64_t answers_admit(answers *a)
{
    uint64_t ticket;

    pthread_mutex_lock(&a->lock);
    while (!has_room(a))
        pthread_cond_wait(&a->room, &a->lock);
    ticket = a->next_ticket++;
    a->in_progress++;
    pthread_mutex_unlock(&a->lock);
    return ticket;
}

static void show_progress(answers *a, bool is_last)
{
    double now = now_ms(), seconds = (now - a->started_ms) / 1e3;
    uint64_t count = a->ok_count + a->failed_count;
    buffer line = { 0 };

    if (!a->options.has_progress || (!is_last && now - a->shown_ms < PROGRESS_MS))
        return;
    a->shown_ms = now;
    buffer_printf(&line, "\r\033[K%llu answered, %llu ok, %llu failed, %.0f/s%s", (unsigned long long)count,
                  (unsigned long long)a->ok_count, (unsigned long long)a->failed_count,
                  seconds > 0 ? (double)count / seconds : 0.0, is_last ? "\n" : "");
    out_write(STDERR_FILENO, line.data, line.length);
    buffer_fini(&line);
}

static void write_line(answers *a, answer *ready)
{
    if (!out_write(STDOUT_FILENO, ready->line, ready->length))
        cloche_abort_trigger(a->options.abort);
    free(ready->line);
    *ready = (answer){ 0 };
}

void answers_give(answers *a, uint64_t ticket, char *line, size_t length, bool is_ok)
{
    answer given = { .line = line, .length = length };

    /* Held while writing: a reader that is slow slows down the runs, which is what bounds the memory. */
    pthread_mutex_lock(&a->lock);
    if (is_ok)
        a->ok_count++;
    else
        a->failed_count++;
    if (a->options.is_unordered) {
        write_line(a, &given);
        a->next_out++;
    } else {
        a->held[ticket % a->window] = given;
        a->held_bytes += length;
        while (a->held[a->next_out % a->window].line != NULL) {
            answer *ready = &a->held[a->next_out % a->window];

            a->held_bytes -= ready->length;
            write_line(a, ready);
            a->next_out++;
        }
    }
    a->in_progress--;
    show_progress(a, false);
    pthread_cond_signal(&a->room);
    pthread_mutex_unlock(&a->lock);
}

void answers_finish(answers *a)
{
    pthread_mutex_lock(&a->lock);
    while (a->in_progress > 0)
        pthread_cond_wait(&a->room, &a->lock);
    show_progress(a, true);
    pthread_mutex_unlock(&a->lock);
}
