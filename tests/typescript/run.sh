#!/usr/bin/env bash
# run.sh CLOCHE - fetches what the comparison needs, once, and makes it
set -eu
folder=$(dirname "$0")
if ! cmp -s "$folder/package-lock.json" "$folder/node_modules/.made-from"; then
    npm ci --silent --no-progress --prefix "$folder"
    cp "$folder/package-lock.json" "$folder/node_modules/.made-from"
fi
exec node "$folder/run.mjs" "$1"
