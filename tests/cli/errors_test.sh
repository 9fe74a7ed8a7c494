#!/usr/bin/env bash
# errors_test.sh - what the command line says when something is wrong, and what a terminal is shown
set -u
. "$(dirname "$0")/lib.sh"

# ---- misuse: one line, exit status 64 ----

misuse()
{
    local name=$1 part=$2

    shift 2
    run "$@" </dev/null
    is "$name: exit status 64" 64 "$status"
    has "$name: says what is wrong" "$part" "$err"
    is "$name: in one line" 1 "$(wc -l <.err)"
    is "$name: and nothing on stdout" '' "$out"
}

misuse 'an unknown command' "did you mean run?" rnu
misuse 'an unknown option' "unknown option '--timout'; did you mean --timeout?" run --timout 5s -e 1
misuse 'an option without its value' '--timeout: TIME is missing' run --timeout
misuse 'a duration that is none' "--timeout: '5x' is no duration" run --timeout=5x -e 1
misuse 'a duration that is not whole' "is no duration" run --timeout 0.5ms -e 1
misuse 'a duration out of bounds' '--timeout: 0 ms is outside 1 to 3600000' run --timeout 0 -e 1
misuse 'a size that is none' "--memory: 'lots' is no size" run --memory lots -e 1
misuse 'a size out of bounds' '--memory: 4096 MiB is outside 8 to 4000' run --memory 4g -e 1
misuse 'a negative number' "'-5' is no duration" run --timeout -5 -e 1
misuse 'a choice that is none' "--kind: 'poem' is none of auto|body" run --kind poem -e 1
misuse 'a flag with a value' '--json: takes no value' run --json=yes -e 1
misuse 'two kinds' '--print: is kind script, not body' run -p --kind body -e 1
misuse 'two sources' 'one source only' run a.js b.js
misuse 'a file and code' 'one source only' run a.js -e 1
misuse 'a context that is no JSON' context run -e 1 --context '{'
misuse 'a context that is no object' context run -e 1 --context '[1]'
misuse 'a backend that is none' "--backend: 'oven' is none of worker|process" run --backend oven -e 1
misuse 'a freshness of the worker backend' '--freshness: belongs to --backend process' run --freshness jail -e 1
misuse 'a freshness that is none' "--freshness: 'stale' is none of process|jail" run --backend process --freshness stale -e 1
misuse 'a plan as JSON' '--plan: is text, not with --json' doctor --plan --json
misuse 'a language that is none' "--language: 'python' is none of auto|js|ts" run --language python -e 1

run run --json --context '{' -e 1
has 'a bad option of the run is a result with --json' '"errorCode":"SANDBOX_INVALID_OPTIONS"' "$out"
is 'with exit status 64' 64 "$status"
is 'and nothing on stderr' '' "$err"
run run --json --timeout 0 -e 1
has 'so is a limit out of its bounds' '"errorCode":"SANDBOX_INVALID_OPTIONS"' "$out"
run run --json --nosuch -e 1
is 'misuse of the command line is text with --json too' '' "$out"

run
is 'no command is misuse' 64 "$status"
has 'and shows the help' 'usage: cloche COMMAND' "$err"

# ---- files: exit status 66 ----

run run nosuch.js
is 'a file that is not there is exit status 66' 66 "$status"
is 'it is named with the reason' 'cloche run: nosuch.js: No such file or directory' "$err"
run run .
has 'a folder is no file' 'Is a directory' "$err"
run run /dev/zero
is 'a file without an end is refused' 'cloche run: /dev/zero: larger than 256 MiB' "$err"
run run -e 1 --context @nosuch.json
is 'a context file that is not there is exit status 66' 66 "$status"
"$CLOCHE" run <&- 2>.err
is 'a closed stdin is exit status 66' 66 "$?"

printf 'return "\xff\xfe"' >latin.js
run run latin.js
if [[ $status -ne 0 && -n $err && -z $out ]]; then pass; else fail 'a file that is not UTF-8 is refused' "$status $err"; fi
printf 'return "a\0b".length' >nul.js
run run nul.js
is 'a NUL in a string of the source is a character' 3 "$out"

# ---- output that cannot be written: exit status 74 ----

for args in 'run -e return+1' 'version' 'run --json -e 1' '--help' 'run --help' 'doctor'; do
    # shellcheck disable=SC2086
    "$CLOCHE" $args >/dev/full 2>.err
    is "a full disk is exit status 74 ($args)" 74 "$?"
    has "and said ($args)" 'standard output: No space left on device' "$(cat .err)"
done
"$CLOCHE" run -e 'return 1' >&- 2>.err
is 'a closed stdout is exit status 74' 74 "$?"
"$CLOCHE" run -e 'for (;;) console.log("x".repeat(1000))' 2>.err | head -c 10 >/dev/null
is 'a reader that leaves stops the run' 74 "${PIPESTATUS[0]}"
is 'in one line' 1 "$(wc -l <.err)"
"$CLOCHE" run -e 'console.error("lost"); return 1' >.out 2>&-
is 'a closed stderr changes nothing' '0 1' "$? $(cat .out)"

# ---- the report ----

printf 'function f(o) {\n\treturn o.missing.part;\n}\nf({});\n' >report.js
run run report.js
has 'the line is shown' '    2 |     return o.missing.part;' "$err"
has 'the caret is below the place, behind the tab' $'\n      |            ^' "$err"
has 'the file is named in the stack' 'report.js:2:' "$err"

printf 'const 日本 = "😀é"; null.x;\n' >wide.js
run run wide.js
column=$(grep -n '\^' .err | head -1 | cut -d: -f2- | sed 's/^ *| //' | tr -cd ' ' | wc -c)
if [[ $column -ge 20 ]]; then pass; else fail 'wide characters take two cells' "$err"; fi

printf 'const s = "%s"; null.x; const t = "%s";\n' "$(printf 'a%.0s' $(seq 500))" "$(printf 'b%.0s' $(seq 500))" >wide2.js
run run wide2.js
has 'a long line is shown around the place' '…aaa' "$err"
has 'and cut at its end' 'bbb…' "$err"
has 'with the place in it' 'null.x' "$err"

run run -e 'throw new Error("outer", {cause: new TypeError("inner")})'
has 'the cause is told' 'caused by: TypeError: inner' "$err"
run run -e 'throw new AggregateError([new Error("one"), new Error("two")], "both")'
has 'collected errors are told' '- Error: two' "$err"
run run -e 'throw 42'
has 'what is no error is told too' 42 "$err"

# ---- terminals ----

run_on_terminal run report.js
has 'a terminal gets colour' $'\033[1;31mTypeError' "$out"
NO_COLOR=1 run_on_terminal run report.js
lacks 'NO_COLOR is respected' $'\033[' "$out"
TERM=dumb run_on_terminal run report.js
lacks 'a dumb terminal gets no colour' $'\033[' "$out"
run run report.js
lacks 'a file gets no colour' $'\033[' "$err"

escapes='console.log("\x1b]0;title\x07 \u202e \u0085"); return "\x1b[2J"'
run_on_terminal run -e "$escapes"
is 'control sequences are shown on a terminal' $'\\x1b]0;title\\x07 \\u202e \\x85\n\\x1b[2J' "$out"
run_on_terminal run --raw -e 'return "\x1b[2J"'
is '--raw lets them through' $'\033[2J' "$out"
run run -e 'return "\x1b[2J"'
is 'a file gets them as they are' $'\033[2J' "$out"
run_on_terminal run -e 'throw new Error("\x1b[2J")'
has 'an error has them shown as well' 'Error: \x1b[2J' "$out"

# ---- the doctor ----

run doctor
is 'the doctor finds that a run works' 0 "$status"
has 'and what it answered' '6 * 7 = 42' "$out"
run doctor --json
has 'its findings are JSON' '{"ok":true,"version":' "$out"
has 'with the layers of the jail' '"layers":[{"name":"sfi","stands":true},{"name":"userns","stands":' "$out"
if [ -z "${CLOCHE_SANITIZE:-}" ]; then # a program with AddressSanitizer itself cannot start without address space
    ( ulimit -v 4000000; "$CLOCHE" doctor >.out 2>.err )
    is 'without address space the doctor fails' 1 "$?"
    has 'it names the layer' 'fail  address space' "$(cat .out)"
    has 'and the remedy' 'ulimit -v unlimited' "$(cat .out)"
fi

finish
