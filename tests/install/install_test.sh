#!/usr/bin/env bash
# install_test.sh BUILD - installs into an empty folder and builds the examples against what is there, shared and static
set -eu
build=$(realpath "$1")
source=$(realpath "$(dirname "$0")/../..")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cmake --install "$build" --prefix "$folder" >"$folder/log"
libdir=$(dirname "$(find "$folder" -name cloche.pc)")
export PKG_CONFIG_PATH=$libdir
for example in rule_engine template_renderer code_tool; do
    cc -std=c11 -Wall -Wextra -Werror "$source/examples/$example.c" $(pkg-config --define-variable=prefix="$folder" --cflags --libs cloche) \
        -o "$folder/$example"
    LD_LIBRARY_PATH=$(dirname "$libdir") "$folder/$example" >"$folder/$example.out"
    test -s "$folder/$example.out"
done
cc -std=c11 "$source/examples/rule_engine.c" -I"$folder/include" "$(dirname "$libdir")/libcloche.a" -pthread -lm -o "$folder/static"
"$folder/static" >"$folder/static.out"
# Times differ from run to run, the rest does not.
diff <(sed 's/[0-9.]* ms)/ms)/' "$folder/rule_engine.out") <(sed 's/[0-9.]* ms)/ms)/' "$folder/static.out")
# What the comparison with others times.
cc -std=gnu11 -Wall -Wextra -Werror "$source/bench/peers/in_c.c" -I"$folder/include" "$(dirname "$libdir")/libcloche.a" -pthread -lm -o "$folder/in_c"
for name in worker process jail; do
    printf '\n\n' | "$folder/in_c" $name 'return 1 < 2' >"$folder/in_c.out"
    test "$(grep -cE '^[0-9]+\.[0-9]{4}$' "$folder/in_c.out")" = 2
done
test -f "$folder/share/man/man1/cloche.1"
test -f "$folder/share/bash-completion/completions/cloche"
# Only what the public headers name is exported.
nm -D --defined-only "$(dirname "$libdir")/libcloche.so" | awk '$2 ~ /[TDBR]/ {print $3}' | grep -v '^cloche_' >"$folder/strange" || true
if [ -s "$folder/strange" ]; then
    echo "exported, but not public:"
    cat "$folder/strange"
    exit 1
fi
