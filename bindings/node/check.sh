#!/usr/bin/env bash
# check.sh BUILD - everything of the package: lint, types, tests on Node and Bun, faults, documents, the tarball
#
# After npm ci and a build with CLOCHE_ADDON. Ends in "N passed, N failed".
set -u
build=$(realpath "$1")
cd "$(dirname "$0")" || exit 1
bun=node_modules/@oven/bun-linux-x64/bin/bun
log=$(mktemp)
trap 'rm -f "$log" "$log.json" "$log.bun"' EXIT
passed=0
failed=0

# One thing that is either right or not.
must() {
    local name=$1
    shift
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $name"
        tail -n 40 "$log"
    fi
}

# One that counts by itself, and says so in such a line.
counted() {
    local name=$1 counts
    shift
    "$@" >"$log" 2>&1
    local status=$?
    counts=$(grep -aE '[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1 | grep -oE '[0-9]+' | head -n 2 | tr '\n' ' ')
    set -- ${counts:-0 0}
    passed=$((passed + $1))
    failed=$((failed + $2))
    echo "$name: $1 passed, $2 failed"
    if [ "$status" -ne 0 ] || [ "$1" -eq 0 ]; then
        [ "$2" -ne 0 ] || failed=$((failed + 1))
        tail -n 60 "$log"
    fi
}

on_node() {
    npx vitest run --coverage --reporter=default --reporter=json --outputFile="$log.json"
    local status=$?
    node -e 'const r = require(process.argv[1]); console.log(`${r.numPassedTests} passed, ${r.numFailedTests} failed`)' "$log.json"
    return $status
}

on_bun() {
    "$bun" test --timeout 60000 2>&1 | tee "$log.bun"
    local status=${PIPESTATUS[0]}
    awk '/ pass$/ { p = $1 } / fail$/ { f = $1 } END { print p + 0 " passed, " f + 0 " failed" }' "$log.bun"
    return "$status"
}

must "the TypeScript layer compiles" node build.mjs
must "the sources are clean" npm run -s lint
must "the types fit" npm run -s typecheck
counted "tests on Node, with coverage" on_node
counted "tests on Bun" on_bun
counted "faults" node test/faults.mjs "$build/bindings/node/faults/cloche.node"
counted "documents" npm run -s docs:check
counted "the tarball" npm run -s pack:test
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
