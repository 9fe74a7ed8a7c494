#!/usr/bin/env bash
# without_test.sh CLOCHE - a build without the TypeScript compiler says so, and runs JavaScript as ever
set -eu
cloche=$1

test "$("$cloche" run -e 'return 1 + 1')" = 2
! said=$("$cloche" run --language ts -e 'let a: number = 1' 2>&1)
[[ $said == *'TypeScript is not in this build; use js'* ]]
! said=$("$cloche" run -e 'let a: number = 1' 2>&1)
[[ $said == *SyntaxError* ]]
