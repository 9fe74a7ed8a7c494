#!/usr/bin/env bash
# help_test.sh - help, manual page and completion tell of the same options
set -u
. "$(dirname "$0")/lib.sh"

page=$(sed 's/\\-/-/g' "$root/packaging/cloche.1")
completion=$(cat "$root/packaging/cloche.bash")

run --help
is 'help is exit status 0' 0 "$status"
commands=$(sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' .out)
if [[ $(wc -w <<<"$commands") -ge 7 ]]; then pass; else fail 'help lists the commands' "$out"; fi

for command in $commands; do
    run "$command" --help
    is "$command has a help" 0 "$status"
    has "$command's help begins with the usage" "usage: cloche $command" "$out"
    has "the manual page has $command" ".It Cm $command" "$page"
    has "the completion has $command" "$command" "$completion"
    # --max-output SIZE, --deterministic[=SEED]
    while read -r option; do
        [[ $option == --help ]] || has "the manual page has $option of $command" "-${option#--}" "$page"
        has "the completion has $option of $command" "$option" "$completion"
    done < <(grep -o -- '^  ....--[a-z-]*' .out | grep -o -- '--[a-z-]*')
    longest=$(wc -L <.out)
    if [[ $longest -le 110 ]]; then pass; else fail "$command's help fits into 110 columns" "$longest"; fi
done

run help run
has 'help COMMAND is the help of that command' 'usage: cloche run' "$out"
run version
is 'the version is one line' 'cloche 0.1.0' "$out"
run --version
is '--version is the same' 'cloche 0.1.0' "$out"

# ---- the limits in the README are those of the header ----

# 16777216 -> 16 777 216
grouped()
{
    sed -E ':again; s/([0-9])([0-9]{3})( |$)/\1 \2\3/; t again' <<<"$1"
}

rows=0
while IFS='|' read -r option default least most scope text; do
    [[ $scope == SANDBOX ]] && mark='*' || mark=''
    case $option in
        maxTotalMemoryMb) default='a quarter of RAM or cgroup' ;;
        *) [[ $default == 0 ]] && default=none || default=$(grouped "$default") ;;
    esac
    has "the README tells of $option" \
        "| \`$option\`$mark | $default | $(grouped "$least") to $(grouped "$most") | $text |" "$(cat "$root/README.md")"
    rows=$((rows + 1))
done < <(sed -nE 's/^ *X\(\w+, "(\w+)", ([0-9]+), ([0-9]+), ([0-9]+), (\w+), "([^"]*)"\).*/\1|\2|\3|\4|\5|\6/p' \
    "$root/include/cloche/limits.h")
is 'and of no other limit' "$rows" "$(grep -c '^| `[a-zA-Z]*`\*\? |' "$root/README.md")"

# ---- the completion completes ----

# shellcheck source=/dev/null
. "$root/packaging/cloche.bash"
complete_line()
{
    read -ra COMP_WORDS <<<"$1"
    [[ $1 == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _cloche
    printf '%s ' "${COMPREPLY[@]}"
}
is 'a command is completed' 'batch bench ' "$(complete_line 'cloche b')"
is 'an option is completed' '--timeout ' "$(complete_line 'cloche run --ti')"
is 'a choice is completed' 'module ' "$(complete_line 'cloche run --kind m')"
is 'a bench is completed' 'fresh ' "$(complete_line 'cloche bench f')"

finish
