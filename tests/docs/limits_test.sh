#!/usr/bin/env bash
# limits_test.sh ROOT - the table of docs/limits.md against include/cloche/limits.h
#
# One check per limit: option, field, default, bounds and scope are the same. One more: neither has a limit that the
# other lacks, and the order is the same.
set -u
root=${1:-.}
header=$root/include/cloche/limits.h
page=$root/docs/limits.md
passed=0
failed=0

check() { # NAME EXPECTED GOT
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED  %s\n    header  %s\n    page    %s\n' "$1" "$2" "$3"
    fi
}

# Both as lines "option field default least most scope".
in_header() {
    sed -n 's/^ *X(\([a-z_]*\), *"\([A-Za-z]*\)", *\([0-9]*\), *\([0-9]*\), *\([0-9]*\), *\([A-Z]*\), *".*/\2 \1 \3 \4 \5 \6/p' \
        "$header"
}

# | `option` | `field` | default | least | most | scope | text |   digits may be grouped by spaces; words mean 0
in_page() {
    awk -F'|' '/^\| `[A-Za-z]+` \| `[a-z_]+` \|/ {
        for (i = 2; i <= 7; i++) gsub(/[` ]/, "", $i)
        if ($4 == "none" || $4 == "aquarter") $4 = 0
        print $2, $3, $4, $5, $6, ($7 == "run" ? "RUN" : $7 == "sandbox" ? "SANDBOX" : $7)
    }' "$page"
}

rows=$(grep -c '^ *X([a-z_]*, *"' "$header")
check "every row of the header is understood" "$rows" "$(in_header | wc -l)"
check "there are limits" yes "$([ "$rows" -gt 0 ] && echo yes || echo no)"
while read -r option rest; do
    check "$option" "$option $rest" "$(in_page | grep "^$option ")"
done < <(in_header)
check "the same limits in the same order" "$(in_header | cut -d' ' -f1 | tr '\n' ' ')" \
    "$(in_page | cut -d' ' -f1 | tr '\n' ' ')"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
