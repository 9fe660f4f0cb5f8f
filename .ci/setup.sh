# setup.sh: what ./demo and ./check share: packages, the build, and the environment of mpirun. Sourced by bash, from the source's root.

# What a build needs on Debian 12, and what only the tests need.
BUILD_PACKAGES="build-essential autoconf automake libtool pkg-config libopenmpi-dev openmpi-bin libucx-dev libhwloc-dev llvm-19-dev libdnnl-dev libopenblas-openmp-dev libjansson-dev libssl-dev"
TEST_PACKAGES="check doxygen libopenblas0-serial spin locales mpich libmpich-dev iproute2 clang-19 libclang-rt-19-dev python3 python3-venv"
LONG_PACKAGES="slurm-wlm munge" # of ./check long

# What ./demo makes; ./check makes it first, so that it does without the rest.
DEMO_TARGETS="weft examples/gpt/train"

. tests/support/launcher.sh

cores=$(nproc)
# Where logs go: $logs, in the build folder of who sources this.
logs_in() { logs=$PWD/$1/logs && mkdir -p "$logs"; }

say() { printf '\n== %s\n' "$*"; }

package_missing() { ! dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'; }

# Installs the packages named that are not there; without root it says what is missing and fails.
need_packages() {
    local p missing=()
    command -v dpkg-query >/dev/null || return 0 # not Debian: configure says what it lacks
    for p in "$@"; do package_missing "$p" && missing+=("$p"); done
    [ ${#missing[@]} -eq 0 ] && return 0
    if [ "$(id -u)" -ne 0 ]; then
        echo "these packages are missing; as root: apt-get install ${missing[*]}" >&2
        return 1
    fi
    say "installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    apt-get -qq update && quietly "$logs/packages.log" apt-get -qq -y --no-install-recommends install "${missing[@]}"
}

# Runs a command with its output in a file, shown only when it fails.
quietly() {
    local log=$1
    shift
    "$@" </dev/null >"$log" 2>&1 && return 0
    tail -n 40 "$log" >&2
    echo "failed: $* (log: $log)" >&2
    return 1
}

# make_configure: writes ./configure where it is missing or older than what it is made of.
make_configure() {
    local f
    if [ -x configure ] && [ -f Makefile.in ]; then
        for f in configure.ac Makefile.am */local.mk; do [ "$f" -nt Makefile.in ] && break; f=; done
        [ -z "$f" ] && return 0
    fi
    quietly "$logs/autoreconf.log" autoreconf -fi
}

# configure_in DIR OPTIONS...: configures an out-of-tree build, again only when the options or ./configure changed. libtool, a script that each object is
# compiled by, is then run by /bin/sh: Debian's takes half of bash's time.
configure_in() {
    local dir=$1
    shift
    mkdir -p "$dir"
    [ -f "$dir/Makefile" ] && [ "$dir/config.status" -nt configure ] && [ "$(cat "$dir/options" 2>/dev/null)" = "$*" ] && return 0
    (cd "$dir" && quietly configure.log env CONFIG_SHELL=/bin/sh ../configure "$@") && echo "$*" >"$dir/options"
}
