#!/bin/sh
# `weft ops`: docs/op-table.md is what it prints, and no op lacks anything.
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
[ -z "$("$weft" ops --missing)" ]
result "no op has a gap" $?
"$weft" ops | awk 'NR > 1 && NF != 7' | grep -q .
[ $? -ne 0 ]
result "every op has a mark in every column" $?
echo "Checks: $checks, Failures: $failures, Errors: 0"
[ $failures -eq 0 ]
