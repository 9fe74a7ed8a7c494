/* bench_startup.c - what does `cloche run` cost as a program?
 *
 * From the start of the process to its end, beside true(1).
 */
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

extern char **environ;

/* The exit status; -1: it could not be started, or was killed. */
static int spawn_and_wait(const char *path, char **argv)
{
    posix_spawn_file_actions_t actions;
    int status = 0, error;
    pid_t child;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    error = posix_spawn(&child, path, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

static void measure(bench *b, const char *name, const char *path, char **argv)
{
    size_t count = b->is_quick ? 10 : 200;
    samples s = { 0 };

    for (size_t i = 0; i < count; i++) {
        double start = bench_now_us();
        int status = spawn_and_wait(path, argv);

        if (status != 0) {
            bench_failed(b, "%s: exit status %d", argv[0], status);
            break;
        }
        samples_add(&s, bench_now_us() - start);
    }
    if (s.count > 0)
        bench_report(b, name, "us", &s, NULL);
    samples_fini(&s);
}

void bench_startup(bench *b)
{
    char *run[] = { "cloche", "run", "-e", "return 1", NULL };
    char *nothing[] = { "true", NULL };

    measure(b, "cloche run -e 'return 1'", "/proc/self/exe", run);
    measure(b, "true", "/bin/true", nothing);
}
