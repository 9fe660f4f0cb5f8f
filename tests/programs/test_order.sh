#!/bin/sh
# order.mlir gives the same on the four devices of its mesh as on one.
weft=${top_builddir:-.}/weft
program=${top_srcdir:-.}/tests/programs/order.mlir
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
"$weft" run "$program" --devices=1 --outputs "$tmp" >"$tmp/out" 2>&1 && "$weft" run "$program" --compare "$tmp" >>"$tmp/out" 2>&1 || failures=1
[ $failures -eq 0 ] || cat "$tmp/out"
echo "Checks: 1, Failures: $failures, Errors: 0"
[ $failures -eq 0 ]
