#include "escape.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *describe(expectation e, char *out, size_t size)
{
    switch (e.kind) {
    case DIES_OF:
        snprintf(out, size, "dies of %s", strsignal((int)e.value));
        break;
    case FAILS_WITH:
        snprintf(out, size, "fails with %s", strerrorname_np((int)e.value));
        break;
    case GIVES:
        snprintf(out, size, "answers %lld", (long long)e.value);
        break;
    case WORKS:
        snprintf(out, size, "works");
        break;
    case EXITS:
        snprintf(out, size, "exits with %lld", (long long)e.value);
        break;
    }
    return out;
}

static expectation attack(host *h, const char *name, int64_t argument)
{
    int64_t value;

    host_spawn(h, 0);
    if (host_order(h, 0, name, argument, &value)) {
        host_send(h, 0, "exit", 0);
        host_wait_exit(h, 0);
        return value < 0 ? (expectation){ FAILS_WITH, -value } : (expectation){ GIVES, value };
    }
    int status = host_wait_exit(h, 0).status;
    if (WIFSIGNALED(status))
        return (expectation){ DIES_OF, WTERMSIG(status) };
    return (expectation){ EXITS, WEXITSTATUS(status) };
}

static bool is_met(expectation expected, expectation seen)
{
    if (expected.kind == WORKS)
        return seen.kind == GIVES;
    return expected.kind == seen.kind && expected.value == seen.value;
}

void escape_check(const escape_row *rows, unsigned count, int64_t argument)
{
    unsigned wrong = 0;

    if (geteuid() != 0) {
        fprintf(stderr, "SKIP: %u escape rows need root for their controls\n", count);
        return;
    }
    for (uint32_t done = 0, i = 0; done < count; i++) {
        /* All rows that leave out the same are tried in one jail. */
        host h;
        bool is_first = true;
        for (unsigned j = 0; j < i && is_first; j++)
            is_first = rows[j].left_out != rows[i].left_out;
        if (!is_first)
            continue;
        host_init(&h);
        h.config.left_out = rows[i].left_out;
        h.config.required = 0x1ff & ~rows[i].left_out;
        ck_assert_msg(host_start(&h) == CLOCHE_OK, "%s", h.error.text);
        for (unsigned j = i; j < count; j++)
            if (rows[j].left_out == rows[i].left_out) {
                char want[64], got[64];
                expectation seen = attack(&h, rows[j].attack, argument);
                done++;
                if (is_met(rows[j].expected, seen))
                    continue;
                wrong++;
                fprintf(stderr, "%s, left out 0x%x: expected that it %s (%s), but it %s\n", rows[j].attack,
                        rows[j].left_out, describe(rows[j].expected, want, sizeof want), rows[j].wall,
                        describe(seen, got, sizeof got));
            }
        host_stop(&h);
    }
    ck_assert_msg(wrong == 0, "%u of %u rows differ", wrong, count);
}
