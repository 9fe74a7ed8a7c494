/* signals.h - shows that fault and stop signals work: what the tests of signals share */
#ifndef TESTS_API_SIGNALS_H
#define TESTS_API_SIGNALS_H

#include "api.h"

/* Goes deep enough to fault in the closed part of the engine's own stack, which a handler of ours must open. */
#define DEEP_CODE                                                                                         \
    "let depth = 0; const f = () => { depth++; return [1].map(f) }; try { f() } catch (e) {"              \
    " return e instanceof RangeError && depth > 100 ? 'deep' : String(e) }"
#define DEEP_VALUE "\"deep\""

static inline void expect_all_signals_work(cloche_sandbox *sandbox)
{
    expect_end(sandbox, ask_for("for (;;);", 30), CLOCHE_CODE_TIMEOUT);
    expect_value(sandbox, DEEP_CODE, DEEP_VALUE);
    expect_end(sandbox, ask_for("for (;;) /^(a+)+$/.test('a'.repeat(40) + 'b')", 30), CLOCHE_CODE_TIMEOUT);
    expect_next_run_right(sandbox);
}

#endif
