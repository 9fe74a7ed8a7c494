#!/usr/bin/env bash
# valgrind_test.sh BUILD - the examples and a batch of cases without a memory error and without a leak
#
# Not in here: runs that go deep. They fault on purpose once, where the shadow stack is opened, and that is what valgrind
# reports. Times are not judged: everything is many times slower.
set -eu
build=$(realpath "$1")
cases=$(realpath "$(dirname "$0")/../cases")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LD_LIBRARY_PATH=$build

check() {
    valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect \
        --errors-for-leak-kinds=definite,indirect "$@"
}

for example in rule_engine template_renderer code_tool; do
    check "$build/example_$example" >"$folder/$example"
done
# The same fields, with a deadline that fits the slower clock; hostile cases that go deep stay out.
grep -h '"lang":"js"' "$cases"/{basics,values,context,console,console-format,modules,errors,timers}.jsonl |
    grep -vE '"timeoutMs"|recurs' |
    sed -E 's/"(group|source|why|lang|expect)":("([^"\\]|\\.)*"|\{[^{}]*(\{[^{}]*\}[^{}]*)*\}),?//g; s/,\}$/}/' >"$folder/requests"
check "$build/cloche" batch --timeout 60s --concurrency 2 <"$folder/requests" >"$folder/results"
test "$(wc -l <"$folder/requests")" -eq "$(wc -l <"$folder/results")"
# The requests arrived whole: most of them succeed.
test "$(grep -c '"ok":true' "$folder/results")" -gt "$(($(wc -l <"$folder/results") / 2))"
