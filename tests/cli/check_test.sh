#!/usr/bin/env bash
# check_test.sh - cloche check: parse, do not run
set -u
. "$(dirname "$0")/lib.sh"

printf 'console.log("ran"); return await 1\n' >good.js
printf 'export default 1\n' >module.mjs
printf 'const a = 1;\nconst b = = 2;\n' >bad.js

run check good.js module.mjs
is 'files that parse are exit status 0' 0 "$status"
is 'each is named, and nothing is run' $'good.js: ok\nmodule.mjs: ok' "$out"

run check good.js bad.js
is 'one that does not is exit status 1' 1 "$status"
is 'the others are checked as well' 'good.js: ok' "$out"
has 'place and reason are told' 'bad.js:2:11: SyntaxError' "$err"
has 'the line is shown' '    2 | const b = = 2;' "$err"
has 'with a caret below the place' $'\n      |           ^' "$err"

run check - <bad.js
is '- is standard input' 1 "$status"

run check --json good.js bad.js
is 'JSON is one object per file' 2 "$(wc -l <.out)"
has 'with its name' '{"file":"good.js","ok":true' "$out"
has 'and the place of the error' '"line":2,"column":11' "$out"
is 'JSON has the same exit status' 1 "$status"

run check nosuch.js bad.js good.js
is 'a file that cannot be read is exit status 66' 66 "$status"
has 'it is named with the reason' 'nosuch.js: No such file or directory' "$err"
has 'the others are checked all the same' 'good.js: ok' "$out"
run check --json nosuch.js
has 'JSON tells of it too' '{"file":"nosuch.js","ok":false' "$out"

printf '(a) => a\n' >function.js
run check --kind function function.js
is 'a kind may be asked for' 0 "$status"
run check --kind module good.js
is 'and what is not of that kind does not pass' 1 "$status"

: >empty.js
run check empty.js
is 'an empty file parses' 0 "$status"
run check
is 'no file is misuse' 64 "$status"

printf 'enum Kind { A = 1 }\nexport default Kind.A as number\n' >good.ts
run check good.ts
is 'TypeScript is read as such' 0 "$status"
printf 'let a: number = 1;\n@sealed class A { }\n' >decorator.ts
printf 'const f = (): any => <div/>;\n' >markup.ts
printf 'enum A { B = }\n' >enum.ts
printf 'function f(): void {\n  await g();\n}\n' >await.ts
printf 'let s: string = f(\n' >open.ts
run check decorator.ts markup.ts enum.ts good.ts await.ts open.ts
is 'five files with errors are exit status 1' 1 "$status"
is 'the good one among them is named' 'good.ts: ok' "$out"
has 'a decorator is refused by name' 'decorator.ts:2:1: SyntaxError: decorators are not supported' "$err"
has 'with a hint' 'hint: call the function yourself: C = decorate(C)' "$err"
has 'so is JSX' 'markup.ts:1:22: SyntaxError: JSX is not supported' "$err"
has 'an error in an enum has its place' 'enum.ts:1:14: SyntaxError: Expression expected' "$err"
has 'an await has its own' 'await.ts:2:9: SyntaxError' "$err"
has 'and what is left open' 'open.ts:1:19: SyntaxError: unexpected end of the source' "$err"
has 'each shows its line' $'    2 |   await g();\n      |         ^' "$err"
run check --json decorator.ts await.ts
has 'JSON has the hint' '"hint":"call the function yourself: C = decorate(C)"' "$out"
has 'and the place' '"line":2,"column":9' "$out"

run check "$root"/examples/discount.js "$root"/examples/invoice.mjs "$root"/examples/forever.js "$root"/examples/rules.ts
is 'the examples parse' 0 "$status"

finish
