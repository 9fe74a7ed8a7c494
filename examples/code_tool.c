/* code_tool.c - a tool for a language model: run the code it wrote, answer with something it can act on
 *
 * Models write whole functions, forget an await, and loop. The answer names the line and shows it, so that the next
 * attempt can be better than the last. Everything the model can make large is bounded.
 *
 *   cc code_tool.c -lcloche -o code_tool && ./code_tool
 */
#include <stdio.h>
#include <string.h>

#include <cloche/cloche.h>

static const char *const attempts[] = {
    "async ({ prices }) => {\n  const total = prices.reduce((a, b) => a + b);\n  return total.toFixd(2);\n}",
    "async ({ prices }) => {\n  return { prices: prices.map(async p => p * 2) };\n}",
    "async ({ prices }) => {\n  let i = 0;\n  while (i < prices.length) console.log(prices[i]);\n}",
    "async ({ prices }) => {\n  const all = [];\n  for (;;) all.push(new Array(1e5).fill(prices));\n}",
    "async ({ prices }) => {\n  console.log('adding', prices.length, 'prices');\n"
    "  return prices.reduce((a, b) => a + b).toFixed(2);\n}",
};

/* Line number `line` of the source, without its line feed. */
static void print_line(const char *source, unsigned line)
{
    while (--line > 0 && (source = strchr(source, '\n')) != NULL)
        source++;
    if (source != NULL)
        printf("  the line: %.*s\n", (int)strcspn(source, "\n"), source);
}

static void print_answer(const char *source, const cloche_result *result)
{
    if (result->out.length > 0)
        printf("  stdout: %.20s%s", result->out.data, result->out.length > 20 ? "...\n" : "\n");
    if (result->out_truncated > 0)
        printf("  (%llu bytes more were cut)\n", (unsigned long long)result->out_truncated);
    if (result->ok) {
        printf("  value: %s\n", result->value.data != NULL ? result->value.data : "undefined");
        return;
    }
    printf("  %s\n", cloche_code_name(result->code));
    if (!result->has_detail) { /* not the guest's own error: a limit */
        printf("  %s\n", result->error.data);
        return;
    }
    printf("  %s: %s\n", result->detail.name.data != NULL ? result->detail.name.data : "thrown",
           result->detail.message.data);
    if (result->detail.line > 0) {
        printf("  at line %u, column %u\n", result->detail.line, result->detail.column);
        print_line(source, result->detail.line);
    }
}

int main(void)
{
    static const char context[] = "{\"prices\": [9.99, 20, 12.5]}";
    cloche_sandbox *sandbox;
    cloche_error err;

    if (cloche_sandbox_create(NULL, &sandbox, &err) < 0) {
        fprintf(stderr, "code_tool: %s\n", err.text);
        return 1;
    }
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        cloche_request request = CLOCHE_REQUEST_INIT;
        cloche_result *result;

        request.code = attempts[i];
        request.code_length = strlen(attempts[i]);
        request.kind = CLOCHE_KIND_FUNCTION; /* the source is one function, called with the context */
        request.context = context;
        request.context_length = sizeof context - 1;
        request.limits.timeout_ms = 200;
        request.limits.memory_limit_mb = 16;
        request.limits.max_stdout_bytes = 1000; /* a model reads no more than that anyway */
        printf("attempt %zu\n", i + 1);
        if (cloche_sandbox_run(sandbox, &request, &result, &err) < 0) {
            printf("  %s\n", err.text);
            continue;
        }
        print_answer(attempts[i], result);
        cloche_result_destroy(result);
    }
    cloche_sandbox_destroy(sandbox);
    return 0;
}
