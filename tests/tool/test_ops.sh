#!/bin/sh
# `weft ops`: docs/op-table.md is what it prints, and no op lacks anything.
. "${top_srcdir:-.}/tests/support/cases.sh"
"$weft" ops >"${TMPDIR:-/tmp}/ops.$$"
sed -n '/^```$/,/^```$/{/^```$/!p}' "$src/docs/op-table.md" | cmp -s - "${TMPDIR:-/tmp}/ops.$$"
result "docs/op-table.md: 'make op-table' writes it" $?
rm -f "${TMPDIR:-/tmp}/ops.$$"
[ -z "$("$weft" ops --missing)" ]
result "no op has a gap" $?
"$weft" ops | awk 'NR > 1 && NF != 7' | grep -q .
[ $? -ne 0 ]
result "every op has a mark in every column" $?
finish
