# install_needs.sh - sourced: what build and tests need, installed where it is missing and can be

cloche_needs="gcc g++ binutils cmake ninja-build clang wabt pkg-config check nodejs ccache valgrind bsdutils"
cloche_missing=""
for package in $cloche_needs; do
    case $package in
        nodejs) command -v node >/dev/null && continue ;;
        gcc | g++ | cmake | clang | pkg-config | ccache | valgrind) command -v "$package" >/dev/null && continue ;;
        binutils) command -v objcopy >/dev/null && continue ;;
        ninja-build) command -v ninja >/dev/null && continue ;;
        wabt) command -v wasm2c >/dev/null && continue ;;
        bsdutils) command -v script >/dev/null && continue ;;
        check) [ -f /usr/include/check.h ] && continue ;;
    esac
    cloche_missing="$cloche_missing $package"
done
command -v npm >/dev/null || cloche_missing="$cloche_missing npm"
if [ -n "$cloche_missing" ]; then
    if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
        echo "installing:$cloche_missing"
        export DEBIAN_FRONTEND=noninteractive
        # shellcheck disable=SC2086
        { apt-get update -qq && apt-get install -y -qq --no-install-recommends $cloche_missing; } >/dev/null || {
            echo "could not install; as root:  apt-get install$cloche_missing" >&2
            exit 1
        }
    else
        echo "missing; as root:  apt-get install$cloche_missing" >&2
        exit 1
    fi
fi
