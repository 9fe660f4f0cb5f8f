#!/bin/sh
# Functions of the C API that can fail report at their caller's line: each that returns a status, in a header that knows
# weft_source, has a macro that passes WEFT_HERE on to NAME_at. Not so, with the reason:
#   weft_graph_status       it returns what was reported
#   weft_context_*          of weft.h, which does not know graphs
# Collective calls have a weft_call_site instead (coll.h).
src=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$src" || exit 1
checks=0 bad=0
for header in include/weft/*.h; do
    case $header in */weft.h | */coll.h | */mpi.h | */topo.h) continue ;; esac
    for name in $(grep -v '^#define' "$header" | tr '\n' ' ' | grep -oE 'WEFT_API weft_status weft_[a-z_0-9]+' |
        sed 's/.* //'); do
        checks=$((checks + 1))
        name=${name%_at}
        [ "$name" != weft_graph_status ] || continue
        grep -qE "^#define $name\\(\\.\\.\\.\\) +${name}_at\\(WEFT_HERE, __VA_ARGS__\\)" "$header" && continue
        echo "$header: error: $name does not pass its caller's line on: it has no macro over ${name}_at"
        bad=$((bad + 1))
    done
    for name in $(grep -oE 'weft_[a-z_0-9]+_at\(weft_source' "$header" | sed 's/_at(.*//' | sort -u); do
        checks=$((checks + 1))
        grep -qE "^#define $name\\(" "$header" && continue
        echo "$header: error: ${name}_at has no macro $name"
        bad=$((bad + 1))
    done
done
[ $checks -gt 100 ] || { echo "error: the headers have no functions"; bad=$((bad + 1)); }
echo "Checks: $checks, Failures: $bad, Errors: 0"
[ $bad -eq 0 ]
