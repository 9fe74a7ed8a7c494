#!/usr/bin/env bash
# batch_test.sh - cloche batch: JSON Lines in, JSON Lines out
set -u
. "$(dirname "$0")/lib.sh"

ids()
{
    grep -o '^{"id":[^,]*' | cut -d: -f2 | tr '\n' ' '
}

# ---- answers ----

printf '%s\n' '{"id": 1, "code": "return 1 + 1"}' \
    '{"id": "b", "code": "const t = Date.now(); while (Date.now() - t < 200);"}' '' '   ' \
    '{"id": [3], "code": "return n", "context": {"n": "ctx"}}' >in.jsonl
printf '{"id": 4, "code": "return 4"}' >>in.jsonl
run batch in.jsonl
is 'every line is answered in its order, blank ones skipped, the last without line feed' '1 "b" [3] 4 ' "$(ids <.out)"
is 'a batch that answered every line is exit status 0' 0 "$status"
has 'a value is in its result' '{"id":1,"ok":true,"value":2,' "$out"
has 'a request has a context' '"value":"ctx"' "$out"

run batch <in.jsonl
is 'standard input is the default' 4 "$(wc -l <.out)"
run batch --unordered --concurrency 2 in.jsonl
is 'unordered results come when they are there' '"b" ' "$(tail -n 1 .out | ids)"

printf '%s\n' '{"id": 1, "code": "throw new Error(1)"}' '{"id": 2, "code": "for (;;) {}", "options": {"timeoutMs": 30}}' \
    '{"id": 3, "code": "return process.exit(3)"}' '{"id": 4, "code": "return 1"}' >failing.jsonl
run batch failing.jsonl
is 'runs that fail do not fail the batch' 0 "$status"
is 'each failure has its code' 'SANDBOX_EXECUTION_ERROR SANDBOX_TIMEOUT SANDBOX_EXECUTION_ERROR ' \
    "$(grep -o '"errorCode":"[^"]*' .out | cut -d'"' -f4 | tr '\n' ' ')"

# ---- lines that are no requests ----

{
    printf '%s\n' 'garbage' '{"id": 2, "code": 5}' '{"id": "three", "nope": 1, "code": ""}' '[]' '{"id": 5}' \
        '{"id": 6, "code": "", "options": {"timeoutMs": 0}}' '{"id": 7, "code": "", "language": "cobol"}'
    printf '{"id": 8, "code": "a\0b"}\n'
    printf '{"id": 9, "code": "\xff\xfe"}\n'
    printf '{"id": 10, "code": "return 10"}\n'
} >bad.jsonl
run batch bad.jsonl
is 'a line that is no request does not end the batch' 0 "$status"
is 'each gets a result' 10 "$(wc -l <.out)"
is 'the result says that the options are invalid' 9 "$(grep -c '"errorCode":"SANDBOX_INVALID_OPTIONS"' .out)"
has 'the id is there where it could be read' '{"id":"three","ok":false' "$out"
has 'the field is named' nope "$(sed -n 3p .out)"
has 'the option is named' timeoutMs "$(sed -n 6p .out)"
has 'the line after them runs' '{"id":10,"ok":true,"value":10' "$out"

{
    head -c 68157440 /dev/zero | tr '\0' x
    printf '\n{"id": 2, "code": "return 2"}\n'
} >long.jsonl
run batch long.jsonl
has 'a line that is too long is answered' 'line 1 is longer than 64 MiB' "$out"
has 'and the next one runs' '{"id":2,"ok":true,"value":2' "$out"

printf '\xef\xbb\xbf{"id": 1, "code": "return 1"}\r\n' >dos.jsonl
run batch dos.jsonl
has 'a byte order mark and CR LF are fine' '{"id":1,"ok":true,"value":1' "$out"

# ---- defaults ----

printf '%s\n' '{"id": 1, "code": "for (;;) {}"}' '{"id": 2, "code": "return a", "context": {"a": "own"}}' \
    '{"id": 3, "code": "return a"}' >defaults.jsonl
run batch --timeout 50ms --context '{"a": "default"}' defaults.jsonl
has 'a limit on the command line is the default' SANDBOX_TIMEOUT "$(sed -n 1p .out)"
has 'a request has its own context' '"value":"own"' "$(sed -n 2p .out)"
has 'or that of the command line' '"value":"default"' "$(sed -n 3p .out)"
run batch --timeout 0 defaults.jsonl
is 'a wrong default is said at once' 64 "$status"
run batch --concurrency 0 defaults.jsonl
is 'a concurrency of none is refused' 64 "$status"
run batch --backend process --timeout 50ms --context '{"a": "default"}' defaults.jsonl
is 'a batch runs on the process backend' 0 "$status"
is 'with the same outcomes' 'SANDBOX_TIMEOUT "own" "default" ' \
    "$(grep -o '"value":"[a-z]*"\|"errorCode":"[^"]*' .out | sed 's/"errorCode":"//; s/"value"://' | tr '\n' ' ')"
run batch --freshness jail defaults.jsonl
is 'a freshness that is not the backend'"'"'s is refused' 64 "$status"
run batch nosuch.jsonl
is 'a file that is not there is exit status 66' 66 "$status"

# ---- one request, one answer ----

coproc CLIENT { "$CLOCHE" batch 2>/dev/null; }
answered=0
for i in 1 2 3; do
    printf '{"id": %d, "code": "return %d * 2"}\n' "$i" "$i" >&"${CLIENT[1]}"
    IFS= read -r -t 5 line <&"${CLIENT[0]}" && [[ $line == "{\"id\":$i,\"ok\":true,\"value\":$((i * 2)),"* ]] &&
        answered=$((answered + 1))
done
is 'an answer comes before the next request and before the end of the input' 3 "$answered"
pid=$CLIENT_PID
eval "exec ${CLIENT[1]}>&-"
wait "$pid"
is 'the end of the input ends the batch' 0 "$?"

# ---- order, load, neighbours ----

for i in $(seq 1 500); do
    printf '{"id": %d, "code": "const t = performance.now(); while (performance.now() - t < %d); return %d"}\n' \
        "$i" "$((i % 3))" "$i"
done >many.jsonl
run batch --concurrency 8 many.jsonl
is 'many runs at once keep their order' "$(seq -s ' ' 1 500) " "$(ids <.out)"
"$CLOCHE" batch many.jsonl >first.out & first=$!
"$CLOCHE" batch many.jsonl >second.out & second=$!
wait "$first" && wait "$second"
is 'two batches at once both end well' 0 "$?"
is 'and both answer everything' '500 500' "$(grep -c '"ok":true' first.out) $(grep -c '"ok":true' second.out)"

for i in $(seq 1 40); do
    printf '{"id": %d, "code": "return \\"x\\".repeat(8e6)"}\n' "$i"
done >large.jsonl
{ printf '{"id": 0, "code": "const t = Date.now(); while (Date.now() - t < 1000);"}\n'; cat large.jsonl; } >held.jsonl
run batch --concurrency 4 held.jsonl
is 'large results behind a slow one are held back and written' 41 "$(wc -l <.out)"

# ---- ends ----

mkfifo pipe
exec 9<>pipe
printf '%s\n' '{"id": 1, "code": "return 1"}' '{"id": 2, "code": "for (;;) {}", "options": {"timeoutMs": 60000}}' >pipe
env --default-signal=INT "$CLOCHE" batch --concurrency 2 <pipe >int.out 2>int.err &
batch=$!
for _ in $(seq 1 100); do [[ -s int.out ]] && break; sleep 0.05; done
kill -INT "$batch"
wait "$batch"
is 'SIGINT ends a batch with exit status 130' 130 "$?"
exec 9>&-
has 'results so far are kept' '{"id":1,"ok":true' "$(cat int.out)"
has 'what was running is answered as aborted' '"errorCode":"SANDBOX_ABORTED"' "$(cat int.out)"

"$CLOCHE" batch many.jsonl >/dev/full 2>.err
is 'a full disk is exit status 74' 74 "$?"
is 'and said in one line' 1 "$(wc -l <.err)"
"$CLOCHE" batch many.jsonl 2>.err | head -n 1 >/dev/null
is 'a reader that leaves is exit status 74' 74 "${PIPESTATUS[0]}"
"$CLOCHE" batch many.jsonl >&- 2>.err
is 'a closed stdout is exit status 74' 74 "$?"

script -qec "$(printf '%q ' "$CLOCHE") batch many.jsonl > tty.out" /dev/null </dev/null >progress
has 'progress is shown on a terminal' '500 answered, 500 ok, 0 failed' "$(cat progress)"
run batch many.jsonl
is 'and nowhere else' '' "$err"

run batch "$root/examples/requests.jsonl"
is 'examples/requests.jsonl is answered' 3 "$(wc -l <.out)"

finish
