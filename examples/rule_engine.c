/* rule_engine.c - business rules that your customers write
 *
 * Each rule is a function body; its context is the order. A rule that fails, loops or eats memory costs its own answer
 * and nothing else: the next rule runs in an environment that is fresh.
 *
 *   cc rule_engine.c -lcloche -o rule_engine && ./rule_engine
 */
#include <stdio.h>
#include <string.h>

#include <cloche/cloche.h>

static const char order[] = "{\"order\": {\"total\": 249.5, \"country\": \"DE\", \"items\": ["
                            "{\"sku\": \"B-1\", \"qty\": 2, \"price\": 100}, "
                            "{\"sku\": \"T-7\", \"qty\": 1, \"price\": 49.5}]}}";

static const struct {
    const char *name, *code;
} rules[] = {
    { "free shipping", "return order.total > 200 && ['DE', 'AT'].includes(order.country)" },
    { "discount", "const n = order.items.reduce((sum, item) => sum + item.qty, 0);\n"
                  "return { percent: n >= 3 ? 10 : 0, because: `${n} items` }" },
    { "a typing error", "return order.itmes.length > 1" },
    { "never ends", "while (order.total > 0) {}" },
};

int main(void)
{
    cloche_options options = CLOCHE_OPTIONS_INIT;
    cloche_sandbox *sandbox;
    cloche_error err;

    /* A rule gets 20 ms and 16 MiB. Keep the sandbox: a run then costs microseconds. */
    options.limits.timeout_ms = 20;
    options.limits.memory_limit_mb = 16;
    if (cloche_sandbox_create(&options, &sandbox, &err) < 0) {
        fprintf(stderr, "rule_engine: %s\n", err.text);
        return 1;
    }
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        cloche_request request = CLOCHE_REQUEST_INIT;
        cloche_result *result;

        request.code = rules[i].code;
        request.code_length = strlen(rules[i].code);
        request.context = order;
        request.context_length = strlen(order);
        request.filename = rules[i].name;
        if (cloche_sandbox_run(sandbox, &request, &result, &err) < 0) {
            fprintf(stderr, "rule_engine: %s\n", err.text);
            continue;
        }
        /* The value is JSON text; none at all means undefined. */
        if (result->ok)
            printf("%-15s %s\n", rules[i].name, result->value.data != NULL ? result->value.data : "(nothing)");
        else
            printf("%-15s %s: %s\n", rules[i].name, cloche_code_name(result->code), result->error.data);
        cloche_result_destroy(result);
    }
    cloche_sandbox_destroy(sandbox);
    return 0;
}
