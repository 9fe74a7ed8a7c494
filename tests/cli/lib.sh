# shellcheck shell=bash disable=SC2034 # variables are used by the tests
# lib.sh - what the command line tests share: run the program, compare, count
#
#   run ARGS...          $out, $err and $status of cloche ARGS (standard input is passed through)
#   is NAME WANTED GOT   equal
#   has NAME PART TEXT   contains; lacks: does not
#   finish               the count, and the exit status
#
# A name is a sentence that is true of the program.

: "${CLOCHE:?the path of the program under test}"
CLOCHE=$(realpath "$CLOCHE")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export TERM=xterm
unset NO_COLOR
passed=0
failed=0

run()
{
    "$CLOCHE" "$@" >"$work/.out" 2>"$work/.err"
    status=$?
    out=$(tr -d '\0' <"$work/.out")
    err=$(tr -d '\0' <"$work/.err")
}

# On a terminal of its own; standard output and standard error are one there, and line ends are CR LF.
run_on_terminal()
{
    out=$(script -qec "$(printf '%q ' "$CLOCHE" "$@")" /dev/null </dev/null | tr -d '\r')
}

pass()
{
    passed=$((passed + 1))
}

fail()
{
    failed=$((failed + 1))
    printf 'not true: %s\n' "$1"
    shift
    printf '    %s\n' "$@"
}

is()
{
    if [[ "$3" == "$2" ]]; then pass; else fail "$1" "wanted: $2" "got:    $3" "stderr: ${err-}"; fi
}

has()
{
    if [[ "$3" == *"$2"* ]]; then pass; else fail "$1" "wanted in it: $2" "got:    $3" "stderr: ${err-}"; fi
}

lacks()
{
    if [[ "$3" != *"$2"* ]]; then pass; else fail "$1" "not wanted in it: $2" "got:    $3"; fi
}

finish()
{
    printf '%d passed, %d failed\n' "$passed" "$failed"
    [[ $failed -eq 0 && $passed -gt 0 ]]
    exit
}
