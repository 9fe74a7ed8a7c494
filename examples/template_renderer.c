/* template_renderer.c - templates that your users write, many at once
 *
 * submit hands a request to the sandbox's threads and returns; the result comes to a callback, on one of them. The
 * request is copied, so its texts may change right after.
 *
 *   cc template_renderer.c -lcloche -pthread -o template_renderer && ./template_renderer
 */
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

#include <cloche/cloche.h>

static const char template[] =
    "const escape = text => String(text).replace(/[&<>\"]/g, c => `&#${c.charCodeAt(0)};`);\n"
    "return `<p>Dear ${escape(name)}, you have ${count} new message${count === 1 ? '' : 's'}.</p>`;";

typedef struct page {
    char html[256];
    sem_t *ready;
} page;

/* Called exactly once per submit, on a thread of the sandbox. The result is ours. */
static void done(void *user, cloche_result *result)
{
    page *p = user;

    snprintf(p->html, sizeof p->html, "%s", result->ok ? result->value.data : result->error.data);
    cloche_result_destroy(result);
    sem_post(p->ready);
}

int main(void)
{
    static const char *const users[] = { "Ada", "Bobby <Tables>", "\\u4e2d\\u6587", "Zo\\u00eb & co" };
    enum { COUNT = sizeof users / sizeof *users };
    page pages[COUNT];
    int submitted = 0;
    sem_t ready;
    cloche_sandbox *sandbox;
    cloche_error err;

    if (cloche_sandbox_create(NULL, &sandbox, &err) < 0) {
        fprintf(stderr, "template_renderer: %s\n", err.text);
        return 1;
    }
    sem_init(&ready, 0, 0);
    for (int i = 0; i < COUNT; i++) {
        cloche_request request = CLOCHE_REQUEST_INIT;
        char context[128];

        pages[i] = (page){ .html = "not submitted", .ready = &ready };
        snprintf(context, sizeof context, "{\"name\": \"%s\", \"count\": %d}", users[i], i + 1);
        request.code = template;
        request.code_length = strlen(template);
        request.context = context;
        request.context_length = strlen(context);
        request.limits.timeout_ms = 200;
        if (cloche_sandbox_submit(sandbox, &request, done, &pages[i], &err) < 0)
            fprintf(stderr, "template_renderer: %s\n", err.text);
        else
            submitted++;
    }
    while (submitted-- > 0)
        sem_wait(&ready);
    for (int i = 0; i < COUNT; i++)
        printf("%s\n", pages[i].html); /* JSON text: a string in its quotes */
    cloche_sandbox_destroy(sandbox);
    sem_destroy(&ready);
    return 0;
}
