# Completion of cloche(1) for bash. Source it, or put it into /usr/share/bash-completion/completions/cloche.

_cloche()
{
    local commands='run batch check repl doctor bench version'
    local run='--print --language --kind --context --backend --freshness --timeout --cpu-time --memory
               --max-output --deterministic --drain'
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} options

    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$current")
        return
    fi
    # bash takes --option=value apart at the "=".
    if [[ $current == '=' ]]; then
        current=
    elif [[ $previous == '=' ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $previous in
        --language) options='auto js ts' ;;
        --kind) options='auto body module function script' ;;
        --backend) options='worker process' ;;
        --freshness) options='process jail' ;;
        --timeout | --cpu-time) options='100ms 1s 5s 1m' ;;
        --memory) options='16m 128m 1g' ;;
        --max-output) options='64k 1m 16m' ;;
        --context)
            mapfile -t COMPREPLY < <(compgen -P '@' -f -- "${current#@}")
            return
            ;;
        -e | --eval | --concurrency | --runs | --deterministic) return ;;
    esac
    if [[ -z ${options-} && $current == -* ]]; then
        case $command in
            run) options="--eval $run --json --stats --raw --help" ;;
            batch) options="--concurrency --unordered $run --help" ;;
            check) options='--kind --language --json --help' ;;
            repl) options='--timeout --memory --raw --help' ;;
            doctor) options='--json --plan --help' ;;
            bench) options='--quick --backend --runs --json --help' ;;
            *) options='--help' ;;
        esac
    elif [[ -z ${options-} && $command == bench ]]; then
        options='fresh template hostile throughput startup process soak'
    fi
    if [[ -n ${options-} ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    elif [[ $command == run || $command == batch || $command == check ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
}

complete -o filenames -F _cloche cloche
