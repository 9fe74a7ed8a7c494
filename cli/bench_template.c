/* bench_template.c - is a fresh run slower than a warm engine when there is real work?
 *
 * 200 rows become 20 KB of markup. Fresh: each time a run of its own. Warm: the same work over and over inside one run
 * (context from its JSON text, the function compiled and called, its value as JSON text), timed by the guest's clock in
 * rounds long enough for its step of 100 us.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "json_text.h"

#define FUNCTION                                                                                                    \
    "function render(context) {"                                                                                    \
    "  let s = '<h1>' + context.title + '</h1><table>';"                                                            \
    "  for (const r of context.rows)"                                                                               \
    "    s += `<tr class=\"${r.ok ? 'ok' : 'late'}\"><td>${r.id}</td><td>${r.name.replace(/&/g, '&amp;')}</td>"    \
    "<td>${r.amount.toFixed(2)}</td></tr>\\n`.padEnd(100);"                                                        \
    "  return s + '</table>';"                                                                                      \
    "}"

static const char fresh_code[] = FUNCTION "return render(context)";

static const char warm_code[] =
    "const code = context.code, text = context.text;"
    "const times = [];"
    "for (let i = 0; i < 200; i++) {"
    "  const start = performance.now();"
    "  for (let k = 0; k < 10; k++) JSON.stringify(new Function('context', code)(JSON.parse(text)));"
    "  times.push((performance.now() - start) * 100);" /* microseconds each: ms * 1000 / 10 */
    "}"
    "return times";

static void add_context(buffer *out)
{
    buffer_text(out, "{\"title\":\"Report\",\"rows\":[");
    for (int i = 0; i < 200; i++)
        buffer_printf(out, "%s{\"id\":%d,\"name\":\"Customer number %d\",\"amount\":%d.%02d,\"ok\":%s}",
                      i > 0 ? "," : "", i, i, i * 1337 / 100, i * 1337 % 100, i % 3 == 0 ? "true" : "false");
    buffer_text(out, "]}");
}

static void measure_fresh(bench *b, cloche_sandbox *sandbox, const char *context)
{
    size_t count = b->is_quick ? 100 : 2000;
    samples s = { 0 };

    for (size_t i = 0; i < count + count / 10; i++) {
        double start = bench_now_us();
        cloche_result *result = bench_run(b, sandbox, fresh_code, context, 0);
        double end = bench_now_us();
        bool is_right = result != NULL && result->ok && result->value.length > 19000;

        if (!is_right)
            bench_failed(b, "the template gave %.100s",
                         result != NULL && !result->ok ? result->error.data : "too little");
        cloche_result_destroy(result);
        if (!is_right)
            break;
        if (i >= count / 10)
            samples_add(&s, end - start);
    }
    bench_report(b, "fresh run", "us", &s, NULL);
    samples_fini(&s);
}

static void measure_warm(bench *b, cloche_sandbox *sandbox, const char *context)
{
    buffer with_text = { 0 };
    samples s = { 0 };
    size_t cursor = 0;
    cloche_text item;

    buffer_text(&with_text, "{\"code\":");
    json_text_quote(fresh_code, strlen(fresh_code), &with_text);
    buffer_text(&with_text, ",\"text\":");
    json_text_quote(context, strlen(context), &with_text);
    buffer_text(&with_text, "}");
    cloche_result *result = bench_run(b, sandbox, warm_code, with_text.data, 60000);
    buffer_fini(&with_text);
    if (result == NULL || !result->ok)
        bench_failed(b, "warm: %.100s", result != NULL ? result->error.data : "no result");
    else
        while (json_text_item(result->value, &cursor, &item))
            samples_add(&s, strtod(item.data, NULL));
    if (s.count > 0)
        bench_report(b, "warm function, inside one run", "us", &s, "by the guest's clock, ten calls each");
    samples_fini(&s);
    cloche_result_destroy(result);
}

void bench_template(bench *b)
{
    cloche_sandbox *sandbox = bench_sandbox(b);
    buffer context = { 0 };

    if (sandbox == NULL)
        return;
    add_context(&context);
    measure_fresh(b, sandbox, context.data);
    measure_warm(b, sandbox, context.data);
    buffer_fini(&context);
    cloche_sandbox_destroy(sandbox);
}
