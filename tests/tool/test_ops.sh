#!/bin/sh
# `weft ops`: docs/op-table.md is what it prints, and no op lacks anything but those named here.
weft=${top_builddir:-.}/weft
src=${top_srcdir:-.}
checks=0 failures=0
result() {
    checks=$((checks + 1))
    if [ "$2" -eq 0 ]; then echo "ok $1"; else failures=$((failures + 1)); echo "not ok $1"; fi
}
"$weft" ops >"${TMPDIR:-/tmp}/ops.$$"
sed -n '/^```$/,/^```$/{/^```$/!p}' "$src/docs/op-table.md" | cmp -s - "${TMPDIR:-/tmp}/ops.$$"
result "docs/op-table.md: 'make op-table' writes it" $?
rm -f "${TMPDIR:-/tmp}/ops.$$"
# What still has a gap; a line goes when the gap is closed.
gaps="stablehlo.collective_broadcast stablehlo.collective_reduce"
[ "$("$weft" ops --missing | awk 'NR > 1 { print $1 }' | sort | tr '\n' ' ')" = "$gaps " ]
result "no other gaps than: $gaps" $?
"$weft" ops | awk 'NR > 1 && NF != 7' | grep -q .
[ $? -ne 0 ]
result "every op has a mark in every column" $?
echo "Checks: $checks, Failures: $failures, Errors: 0"
[ $failures -eq 0 ]
