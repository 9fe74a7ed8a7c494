#!/usr/bin/env bash
# run_test.sh - cloche run: values, output, sources, outcomes
set -u
. "$(dirname "$0")/lib.sh"

# ---- values ----

run run -e 'return 6 * 7'
is 'a number is printed as JSON' 42 "$out"
is 'a value is exit status 0' 0 "$status"
is 'a run that goes well says nothing on stderr' '' "$err"

run run -e 'return {a: [1, null, "x"], b: undefined}'
is 'an object is printed as JSON' '{"a":[1,null,"x"]}' "$out"

run run -e 'return "plain \"text\" \u00e9 \u{1F600}\n"'
is 'a string is printed as it is, with no second line feed' 'plain "text" é 😀' "$out"
is 'a string with its own line feed gets no other' 1 "$(wc -l <"$work/.out")"

run run -e 'return "a\ud800b"'
is 'a lone surrogate is printed as U+FFFD' 'a�b' "$out"

run run -e 'return "a\0b"'
is 'a NUL in a string is printed' 4 "$(wc -c <"$work/.out")"

run run -e ''
is 'undefined prints nothing' '' "$out"
is 'empty code is a run that goes well' 0 "$status"

run run -pe '1; 2; 3'
is '-p prints the value of the last statement' 3 "$out"

run run -e 'return await Promise.resolve("later")'
is 'await is allowed in a body' later "$out"

# ---- output ----

run run -e 'console.log("one"); console.error("two"); return "three"'
is 'stdout comes first, the value last' $'one\nthree' "$out"
is 'stderr of the guest is stderr' two "$err"

run run --max-output 1k -e 'for (let i = 0; i < 1000; i++) console.log("0123456789")'
is 'output is cut where the limit says' 1024 "$(wc -c <"$work/.out")"
has 'what is cut is said' 'stdout cut: 9976 bytes' "$err"

run run --max-output 1k --json -e 'for (let i = 0; i < 1000; i++) console.log("0123456789")'
has 'what is cut is counted in the result' '"truncated":{"stdout":9976,"stderr":0}' "$out"

( "$CLOCHE" run -e 'console.log("early"); const t = Date.now(); while (Date.now() - t < 1500);' & ) | {
    IFS= read -r -t 1 line
    printf '%s' "${line-}" >"$work/early"
    cat >/dev/null
}
is 'output appears while the run goes on' early "$(cat "$work/early")"

# ---- sources ----

printf 'return "from " + name' >source.js
run run source.js --context '{"name": "a file"}'
is 'a file is run with a context' 'from a file' "$out"
run run - --context '{"name": "stdin"}' <source.js
is '- is standard input' 'from stdin' "$out"
run run --context '{"name": "stdin"}' <source.js
is 'no file is standard input as well' 'from stdin' "$out"

printf '{"name": "@"}' >context.json
run run source.js --context @context.json
is '@FILE is a context' 'from @' "$out"
run run source.js --context @- <context.json
is '@- is a context from standard input' 'from @' "$out"
run run --context=@context.json -- source.js
is 'options end at --' 'from @' "$out"

: >empty.js
run run empty.js
is 'an empty file is a run that goes well' 0 "$status"

printf '#!/usr/bin/env cloche\nreturn 5 // no line feed behind this' >script.js
run run script.js
is 'a first line with #! and a last one with a comment are fine' 5 "$out"

printf 'export default ({n}) => n * 2\n' >module.mjs
run run module.mjs --context '{"n": 21}'
is 'a module is called with the context' 42 "$out"
run run --kind function -e '({n}) => n + 1' --context '{"n": 1}'
is 'a function is called with the context' 2 "$out"

# ---- outcomes ----

run run -e 'throw new TypeError("no good")'
is 'a guest that throws is exit status 1' 1 "$status"
has 'what was thrown is reported' 'TypeError: no good' "$err"
is 'a failure prints no value' '' "$out"
run run -e 'process.exit(7)'
is 'the guest chooses its exit status' 7 "$status"
is 'and that is no error to report' '' "$err"
run run -e 'const = 1'
is 'a source that does not parse is exit status 1' 1 "$status"
run run --timeout 50ms -e 'console.log("before"); for (;;) {}'
is 'out of time is exit status 124' 124 "$status"
is 'output before the deadline is kept' before "$out"
has 'the code is named' SANDBOX_TIMEOUT "$err"
run run --memory 8 -e 'const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))'
is 'out of memory is exit status 137' 137 "$status"
run run --cpu-time 50ms -e 'for (;;) {}'
is 'out of CPU time is exit status 124' 124 "$status"
has 'CPU time is named' CPU "$err"

# ---- the result as JSON ----

run run --json -e 'console.log("hi"); return {a: 1}'
is 'JSON is one line' 1 "$(wc -l <"$work/.out")"
has 'JSON begins with ok and value' '{"ok":true,"value":{"a":1},"stdout":"hi\n","stderr":"","duration":' "$out"
has 'JSON has the exit code' '"exitCode":0' "$out"
has 'JSON has the usage' '"usage":{"cpuMs":' "$out"
has 'JSON has the isolation' '"isolation":["sfi"' "$out"
lacks 'what is absent is left out' null "$out"
run run --json -e 'throw new RangeError("x")'
has 'JSON has the code of the error' '"errorCode":"SANDBOX_EXECUTION_ERROR"' "$out"
has 'JSON has the details of the error' '"errorDetail":{"name":"RangeError","message":"x"' "$out"
is 'the exit status is that of the run with --json too' 1 "$status"
is 'nothing else is printed with --json' '' "$err"
run run --json --timeout 20 -e 'console.log(1); for (;;) {}'
has 'output comes with a timeout' '"stdout":"1\n"' "$out"
is 'a bare number is milliseconds' 124 "$status"

# ---- the rest ----

run run --stats -e 'return 1'
has '--stats tells the time on stderr' 'ms CPU' "$err"
is '--stats leaves stdout alone' 1 "$out"

run run --deterministic=7 -e 'return [Math.random(), Date.now()]'
first=$out
run run --deterministic=7 -e 'return [Math.random(), Date.now()]'
is 'a deterministic run repeats itself' "$first" "$out"
run run --deterministic=8 -e 'return [Math.random(), Date.now()]'
if [[ $out != "$first" ]]; then pass; else fail 'another seed gives other numbers' "$out"; fi

run run -e 'setTimeout(() => console.log("late"), 20); return 1'
is 'a run ends with its value' 1 "$out"
run run --drain -e 'setTimeout(() => console.log("late"), 20); return 1'
is '--drain waits for timers' $'late\n1' "$out"

env --default-signal=INT timeout --preserve-status -s INT 0.5 "$CLOCHE" run -e 'console.log("a"); for (;;) {}' >"$work/.out" 2>&1
is 'SIGINT stops a run with exit status 130' 130 "$?"

run run --language ts -e 'enum A { B = 3 } return A.B as number'
is '--language ts reads TypeScript' 3 "$out"
run run -e 'const a: number = 4; return a'
is 'and so does a source that is no JavaScript' 4 "$out"
run run --language js -e 'const a: number = 4; return a'
is '--language js does not' 1 "$status"
has 'and says what the source is' 'this is TypeScript' "$err"
printf 'enum A { B }\nconst f = (x: any): any => {\n  return x.y.z;\n};\nf({});\n' >deep.ts
run run deep.ts
has 'an error in transformed code shows the line of the source' '    3 |   return x.y.z;' "$err"
has 'and its place' 'at f (deep.ts:3:10)' "$err"

for example in discount.js invoice.mjs rules.ts; do
    run run "$root/examples/$example" --context "@$root/examples/order.json"
    is "examples/$example runs" 0 "$status"
done
run run "$root/examples/forever.js" --timeout 50ms
is 'examples/forever.js is stopped' 124 "$status"

finish
