#!/usr/bin/env bash
# process_test.sh - the process backend as the command line shows it: layers, the same outcomes, the doctor's ladder
set -u
. "$(dirname "$0")/lib.sh"

# ["sfi","userns"] -> sfi userns
isolation()
{
    grep -o '"isolation":\[[^]]*' <<<"$1" | cut -d'[' -f2 | tr -d '"' | tr ',' ' '
}

# Those that the doctor finds standing.
standing()
{
    grep -o '{"name":"[a-z]*","stands":true' <<<"$1" | cut -d'"' -f4 | tr '\n' ' ' | sed 's/ $//'
}

# ---- layers ----

run run --backend process --json -e 'return 1'
is 'a run on the process backend is a run' 0 "$status"
has 'its value is there' '"ok":true,"value":1' "$out"
layers=$(isolation "$out")
run doctor --json
is 'the doctor is content' 0 "$status"
is 'the run lists the layers that the doctor finds' "$(standing "$out")" "$layers"
for layer in sfi seccomp rlimit; do
    has "$layer always stands" " $layer " " $layers "
done
if unshare --user --pid --net --mount true 2>/dev/null; then
    has 'so do the namespaces where they are permitted' 'sfi userns pidns netns mountns seccomp' "$layers"
else
    echo 'skipped: namespaces are not permitted here'
fi
run run --backend process --freshness jail --json -e 'return 1'
is 'a jail that is reset has the same layers' "$layers" "$(isolation "$out")"
run run --json -e 'return 1'
is 'the worker backend has its one' sfi "$(isolation "$out")"

if [[ $(id -u) -eq 0 ]] && command -v setpriv >/dev/null; then
    cp "$CLOCHE" "$work/cloche"
    chmod 711 "$work"
    out=$(setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs "$work/cloche" run --backend process --json -e 'return 1' 2>&1)
    has 'an ordinary user has a run' '"ok":true,"value":1' "$out"
    is 'with the same layers but the group' "$(sed 's/ cgroup//' <<<"$layers")" "$(isolation "$out" | sed 's/ cgroup//')"
else
    echo 'skipped: only root can become another user'
fi

# ---- the same outcomes ----

same()
{
    local name=$1 worker

    shift
    run "$@" --backend worker </dev/null
    worker="$status|$out|$err"
    run "$@" --backend process </dev/null
    is "$name" "$worker" "$status|$out|$err"
    run "$@" --backend process --freshness jail </dev/null
    is "$name, in a jail that is reset" "$worker" "$status|$out|$err"
}

same 'a value' run -e 'return {a: [1, "ä"]}'
same 'output' run -e 'console.log("one"); console.error("two"); return "three"'
same 'an error with its place' run -e 'const x = 1;
  x.y.z'
same 'source that does not parse' run -e 'return 1 +'
same 'an exit status of the guest' run -e 'console.log(1); process.exit(3)'
same 'memory over' run --memory 16m -e 'const a = []; for (;;) a.push(new Uint8Array(1 << 20))'
same 'output that is cut' run --max-output 1k -e 'console.log("x".repeat(5000))'
same 'a context' run --context '{"price": 10}' -e 'return price * 2'
same 'a deterministic run' run --deterministic=7 -e 'return [Math.random(), Date.now()]'
same 'a module' run --kind module -e 'export default 42'
same 'a context that is none' run --context '[' -e 1
run run --backend process --timeout 50ms -e 'for (;;);'
is 'time over is exit status 124' 124 "$status"
run run --backend process --timeout 5s --cpu-time 30ms -e 'for (;;);'
is 'so is CPU time over' 124 "$status"
has 'and it says so' CPU "$err"

env --default-signal=INT "$CLOCHE" run --backend process --timeout 60s -e 'console.log("on"); for (;;);' >int.out 2>int.err &
pid=$!
for _ in $(seq 1 100); do [[ -s int.out ]] && break; sleep 0.05; done
below=$(pgrep -P "$pid" | head -1)
kill -INT "$pid"
wait "$pid"
is 'SIGINT ends the run' 130 "$?"
for _ in $(seq 1 100); do [[ -n $below && ! -e /proc/$below ]] && break; sleep 0.05; done
if [[ -n $below && ! -e /proc/$below ]]; then pass; else fail 'and the processes of the jail' "guard: $below"; fi

# ---- batch ----

for i in $(seq 1 300); do
    printf '{"id": %d, "code": "if (typeof leftover !== \\"undefined\\") throw 1; globalThis.leftover = 1; await new Promise(r => setTimeout(r, %d)); return %d"}\n' \
        "$i" "$((i % 4))" "$i"
done >many.jsonl
for freshness in process jail; do
    run batch --backend process --freshness "$freshness" --concurrency 16 many.jsonl
    is "a batch is answered ($freshness)" 0 "$status"
    is "each line, in order, and nothing is left over ($freshness)" "$(seq -s ' ' 1 300)" \
        "$(grep -o '"ok":true,"value":[0-9]*' .out | cut -d: -f3 | tr '\n' ' ' | sed 's/ $//')"
done

# ---- the doctor ----

run doctor
has 'the ladder has a line per layer' 'layer userns' "$out"
is 'each of them' 9 "$(grep -c '^\S* *layer ' .out)"
is 'one that does not stand has a remedy' "$(grep -c '^warn  layer ' .out)" "$(grep -A1 '^warn  layer ' .out | grep -c -- '-> ')"
run doctor --plan
is 'the plan is printed' 0 "$status"
has 'it begins with the supervisor' ' 1  supervisor ' "$out"
has 'and ends with the filter of the child' 'seccomp' "$(tail -n 3 .out)"
if [[ $(wc -l <.out) -ge 20 ]]; then pass; else fail 'it has a line per step' "$out"; fi

# ---- the bench ----

run bench process --quick --json
has 'the bench has its figures' '"measure":"fresh process"' "$out"
has 'and compares them' '"measure":"fresh to fork, exit, wait"' "$out"

finish
