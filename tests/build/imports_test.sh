#!/usr/bin/env bash
# imports_test.sh SOURCE BUILD - the list of the TypeScript module's imports cannot be wrong unnoticed
set -u
script=$1/src/guest/typescript/stubs.cmake
list=$1/src/guest/typescript/imports.txt
header=$2/typescript/swc_wasm.h
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# NAME WANTED-IN-OUTPUT: what the script says of $work/list; nothing wanted means that it is content.
says() {
    local out status
    out=$(cmake -DHEADER="$header" -DLIST="$work/list" -DOUT="$work/out.c" -P "$script" 2>&1 | tr -s ' \n' ' ')
    status=${PIPESTATUS[0]}
    if { [ -z "$2" ] && [ -z "$out" ] && [ -s "$work/out.c" ]; } || { [ -n "$2" ] && [[ $out == *"$2"* ]]; }; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'not true: %s\n    %s (%s)\n' "$1" "$out" "$status"
    fi
    rm -f "$work/out.c"
}

cp "$list" "$work/list"
says 'the list fits the module' ''
grep -v '__wbindgen_string_get' "$list" >"$work/list"
says 'an implemented name that is missing stops the build' 'imports __wbindgen_string_get, which is not in'
grep -v '__wbindgen_debug_string' "$list" >"$work/list"
says 'so does one that is never called' 'imports __wbindgen_debug_string, which is not in'
{ cat "$list"; echo 'host  __wbindgen_gone'; } >"$work/list"
says 'a name that the module does not import is told' 'names __wbindgen_gone, which'
{ cat "$list"; echo 'never __wbindgen_gone'; } >"$work/list"
says 'a name without a reason is refused' 'is neither "host NAME" nor "never NAME REASON"'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
