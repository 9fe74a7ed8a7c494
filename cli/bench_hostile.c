/* bench_hostile.c - does the answer come at the deadline, whatever the guest does?
 *
 * Each case is given 50 ms. Measured is how long after the deadline the caller has its answer; a case that fails
 * before (out of memory, stack) counts as 0. After every case the next run must be right.
 */
#include <stdio.h>
#include <string.h>

#include "bench.h"

#define DEADLINE_MS 50

const bench_hostile bench_hostiles[] = {
    { "loop", "for (;;) {}" },
    { "catch-all loop", "for (;;) { try { for (;;) {} } catch (e) {} finally { continue } }" },
    { "catastrophic regex", "return /^(a+)+$/.test('a'.repeat(40) + 'b')" },
    { "sort", "const a = []; for (let i = 0; i < 3e6; i++) a[i] = (i * 7919) % 1000003; for (;;) a.sort()" },
    { "sort with comparator", "const a = []; for (let i = 0; i < 1e6; i++) a[i] = (i * 7919) % 1000003;"
                              "for (;;) a.sort((p, q) => q - p)" },
    { "repeat", "let n = 0; for (;;) { const s = 'x'.repeat(1 << 24); n += (s + 'y').charCodeAt(5) }" },
    { "huge BigInt", "let x = 3n; for (;;) x = x * x" },
    { "BigInt to text", "const x = 7n ** 400000n; for (;;) String(x)" },
    { "replace", "const s = 'ab'.repeat(1 << 20); for (;;) s.replace(/a/g, 'cc')" },
    { "Array(1e9) + ''", "return (new Array(1e9) + '').length" },
    { "indexOf on a forged length", "return Array.prototype.indexOf.call({ length: 2 ** 32 - 1 }, 1)" },
    { "reverse on a forged length", "return Array.prototype.reverse.call({ length: 2 ** 53 - 1 })" },
    { "JSON.parse of nested arrays", "const s = '['.repeat(1e5) + ']'.repeat(1e5);"
                                     "for (;;) { try { JSON.parse(s) } catch (e) {} }" },
    { "promise flood", "const f = () => Promise.resolve().then(f); f(); await new Promise(() => {})" },
    { "promise executor", "for (;;) new Promise(() => { for (;;) {} })" },
    { "proxy", "const p = new Proxy({}, { get(t, k, r) { for (;;) {} } }); return p.x" },
    { "getter in the result", "return { get x() { for (;;) {} } }" },
    { "toJSON in the result", "return { toJSON() { for (;;) {} } }" },
    { "message getter", "throw { get message() { for (;;) {} } }" },
    { "deep recursion", "const f = () => { try { f() } finally { f() } }; f()" },
    { "growth", "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))" },
};

const size_t bench_hostile_count = sizeof bench_hostiles / sizeof *bench_hostiles;

static void measure(bench *b, cloche_sandbox *sandbox, const bench_hostile *hostile, size_t count, double *worst_us)
{
    samples s = { 0 };
    char note[96] = "";

    for (size_t i = 0; i < count; i++) {
        double start = bench_now_us();
        cloche_result *result = bench_run(b, sandbox, hostile->code, NULL, DEADLINE_MS);
        double late = bench_now_us() - start - DEADLINE_MS * 1e3;

        if (result == NULL)
            break;
        samples_add(&s, late > 0 ? late : 0);
        if (late > *worst_us)
            *worst_us = late;
        if (result->ok) {
            bench_failed(b, "%s: ended with a value, so it measures nothing", hostile->name);
            i = count;
        }
        if (note[0] == '\0')
            snprintf(note, sizeof note, "%s", cloche_code_name(result->code));
        else if (strcmp(note, cloche_code_name(result->code)) != 0)
            snprintf(note, sizeof note, "different outcomes");
        cloche_result_destroy(result);

        result = bench_run(b, sandbox, "return 6 * 7", NULL, 0);
        if (!bench_is_value(result, "42"))
            bench_failed(b, "%s: the next run was wrong: %.120s", hostile->name,
                         result != NULL && !result->ok ? result->error.data : "another value");
        cloche_result_destroy(result);
    }
    bench_report(b, hostile->name, "us late", &s, note);
    samples_fini(&s);
}

void bench_hostile_set(bench *b)
{
    cloche_sandbox *sandbox = bench_sandbox(b);
    double worst_us = 0;

    if (sandbox == NULL)
        return;
    for (size_t i = 0; i < bench_hostile_count; i++)
        measure(b, sandbox, &bench_hostiles[i], b->is_quick ? 2 : 20, &worst_us);
    bench_value(b, "worst of all", "us late", worst_us, NULL);
    if (worst_us > 50e3)
        bench_failed(b, "an answer came more than 50 ms after its deadline");
    cloche_sandbox_destroy(sandbox);
}
