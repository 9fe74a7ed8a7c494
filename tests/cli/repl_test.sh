#!/usr/bin/env bash
# repl_test.sh - cloche repl: entries, the session, commands
set -u
. "$(dirname "$0")/lib.sh"

session()
{
    run repl <<<"$1"
}

session $'1 + 1\n"text"\n[1, 2].map(x => x * 2)'
is 'each entry prints its value as JSON' $'2\n"text"\n[2,4]' "$out"
is 'the end of the input is a good end' 0 "$status"

session $'let x = 20\nconst f = n => n + 1\nf(x) * 2'
is 'names live on' 42 "$out"

session $'console.log("once")\nconsole.log("twice")'
is 'output of earlier entries is not shown again' $'once\ntwice' "$out"

session $'let n = 1\nthrow new Error("bad")\nn'
is 'an entry that fails is not kept' 1 "$out"
has 'it is reported' 'Error: bad' "$err"

session $'let a = 1\nlet b = 2\nnull.x'
has 'the line of an error is that of the entry' '1 | null.x' "$err"

session $'function add(a, b) {\n  return a + b;\n}\nadd(2, 3)'
is 'an entry may take several lines' 5 "$out"
session $'[1,\n2,\n3].length'
is 'a bracket may stay open' 3 "$out"
session $'`a\nb`'
is 'so may a template' '"a\nb"' "$out"
session $'1 /* open\nclosed */ + 1'
is 'so may a comment' 2 "$out"
session $'"open\n5'
is 'a string in quotes may not' 5 "$out"
session $'(1 +\n\n2 + 3'
has 'an empty line ends what is not complete' SyntaxError "$err"
is 'and the next entry is a new one' 5 "$out"

session '{a: 1, b: [2]}'
is 'an object may be typed as it is' '{"a":1,"b":[2]}' "$out"

session $'const r = Math.random()\nr === r && r\nr'
is 'a replay gives the same random numbers' 1 "$(sort -u <<<"$out" | wc -l)"

session $'let x = 5\n.reset\ntypeof x'
is '.reset forgets the session' '"undefined"' "$out"
session $'let x = 5\nx * 2\n.save saved.js'
has '.save writes the source' 'let x = 5' "$(cat saved.js)"
session $'.help\n.nosuch'
has '.help tells the commands' .reset "$out"
has 'what is no command is said' .nosuch "$err"
session $'1\n.exit\n2'
is '.exit leaves' 1 "$out"

run repl --timeout 50ms <<<$'for (;;) {}\n7'
is 'an entry that does not end is stopped, and the next one runs' 7 "$out"
run repl file.js
is 'a file is misuse' 64 "$status"

out=$(printf '6 * 7\n.exit\n' | script -qec "$CLOCHE repl" /dev/null | tr -d '\r')
has 'a terminal gets a prompt' '> ' "$out"
has 'and the value' $'> 42\n' "$out"

finish
