#!/bin/sh
# Each op of StableHLO has a maker in include/weft/ that is named after it, or a line of makers.txt that says what makes
# it.
weft=${top_builddir:-.}/weft
src=${top_srcdir:-.}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
checks=0 failures=0
"$weft" ops | sed -nE 's/^stablehlo\.([a-z_0-9]+) .*/\1/p' | sort >"$tmp/ops"
sed -nE 's/^#define weft_graph_([a-z_0-9]+)\(.*/\1/p' "$src"/include/weft/*.h | sort -u >"$tmp/makers"
sed -nE 's/^([a-z_0-9]+) .*/\1/p' "$src/tests/capi/makers.txt" | sort >"$tmp/said"
[ "$(wc -l <"$tmp/ops")" -gt 100 ] || { echo "error: weft ops lists no ops"; failures=1; }
while read -r op; do
    checks=$((checks + 1))
    if grep -qx "$op" "$tmp/makers"; then
        grep -qx "$op" "$tmp/said" || continue
        echo "makers.txt: error: '$op' has a maker, weft_graph_$op"
    else
        grep -qx "$op" "$tmp/said" && continue
        echo "stablehlo.$op: error: there is no weft_graph_$op, and makers.txt does not say what makes it"
    fi
    failures=$((failures + 1))
done <"$tmp/ops"
for op in $(comm -13 "$tmp/ops" "$tmp/said"); do
    echo "makers.txt: error: there is no op stablehlo.$op"
    failures=$((failures + 1))
done
echo "Checks: $checks, Failures: $failures, Errors: 0"
[ "$failures" = 0 ]
