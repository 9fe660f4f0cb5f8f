#!/bin/sh
# The libraries export exactly the functions that include/weft/ declares, each under a version of their maps; the headers' version is the package's.
# By hand it runs from anywhere; the build folder is then the current one, or build/.
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$(if [ -f config.status ]; then pwd; else echo "$top_srcdir/build"; fi)}
cd "$top_srcdir" || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
checks=0 bad=0
# same PLACE WHAT FILE WHAT FILE: two sorted lists of names
same() {
    checks=$((checks + 1))
    cmp -s "$3" "$5" && return
    comm -23 "$3" "$5" | sed "s|.*|$1: error: '&' is in $2, and not in $4|"
    comm -13 "$3" "$5" | sed "s|.*|$1: error: '&' is in $4, and not in $2|"
    bad=$((bad + 1))
}
# exports LIBRARY HEADER...
exports() {
    lib=$1
    shift
    for header in "$@"; do
        grep -v '^#define' "include/weft/$header.h" | tr '\n' ' ' | grep -oE 'WEFT_API [^;{(]*\(' | sed -E 's/.*[ *]([a-z_0-9]+)\($/\1/'
    done | sort >"$tmp/headers"
    sed -nE 's/^ *(weft_[a-z_0-9]+);.*/\1/p' "$lib.map" | sort >"$tmp/map"
    same "$lib.map" "the headers" "$tmp/headers" "the map" "$tmp/map"
    so=$top_builddir/.libs/lib$lib.so
    [ -f "$so" ] || { echo "$so: error: not built"; bad=$((bad + 1)); return; }
    nm -D --defined-only "$so" | awk '$2 ~ /^[A-Z]$/ && $2 != "A" { print $3 }' | sort >"$tmp/versioned"
    sed -nE 's/@@?WEFT_[0-9.]+$//p' "$tmp/versioned" | sort >"$tmp/exported"
    sed 's/@.*//' "$tmp/versioned" | sort >"$tmp/all"
    same "$lib.map" "the headers" "$tmp/headers" "what the library exports" "$tmp/all"
    same "$lib.map" "what the library exports" "$tmp/all" "what it exports under a version" "$tmp/exported"
}
exports weft $(ls include/weft | sed 's/\.h$//')
exports weft-coll weft coll topo mpi

checks=$((checks + 1))
package=$(sed -nE 's/^AC_INIT\(\[weft\], \[([0-9.]+)\].*/\1/p' configure.ac)
header=$(sed -nE 's/^#define WEFT_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' include/weft/weft.h | paste -sd.)
[ "$package" = "$header" ] || { echo "include/weft/weft.h: error: the headers are of version $header, the package of $package"; bad=$((bad + 1)); }
echo "Checks: $checks, Failures: $bad, Errors: 0"
[ "$bad" -eq 0 ]
