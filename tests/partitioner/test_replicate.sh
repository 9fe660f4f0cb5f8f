#!/bin/sh
# Warnings of replication: exactly those that tests/partitioner/replicate.mlir foretells, as warnings and as errors, and following the
# advice makes each go away, for fewer bytes or less time.
. "${top_srcdir:-.}/tests/support/cases.sh"
cases=$src/tests/partitioner/replicate.mlir
"$weft" opt --weft-partition --split-input-file --verify-diagnostics -o /dev/null "$cases" 2>"$tmp/err"
result "the warnings foretold, and no others" $?
awk -v dir="$tmp" 'BEGIN { n = 1 } /^\/\/ -----$/ { n++; next } { print >(dir "/" n ".mlir") }' "$cases"
n=1
while [ -e "$tmp/$n.mlir" ]; do
    want=0
    grep expected-warning "$tmp/$n.mlir" | grep -qv 'does not follow' && want=1
    "$weft" dryrun --werror=replicate "$tmp/$n.mlir" >/dev/null 2>"$tmp/err"
    [ $? -eq $want ] && [ "$(grep -c 'error: .*\[replicate\]$' "$tmp/err")" -eq $want ]
    result "case $n with --werror=replicate" $?
    "$weft" dryrun --silence=replicate --silence=memory --silence=constraint "$tmp/$n.mlir" >"$tmp/before" 2>"$tmp/err" && [ ! -s "$tmp/err" ]
    result "case $n with --silence=replicate" $?
    n=$((n + 1))
done
# Follows the advice in case N by this sed command: silent, and the estimate of the step falls by a third at least.
follow() { # N SED
    sed "$2" "$tmp/$1.mlir" >"$tmp/followed.mlir"
    time_of() { "$weft" dryrun --json "$1" 2>"$tmp/err" | sed -n 's/.*"step_time_s": *\([0-9.e+-]*\).*/\1/p'; }
    before=$(time_of "$tmp/$1.mlir") after=$(time_of "$tmp/followed.mlir")
    [ ! -s "$tmp/err" ] && awk -v a="$after" -v b="$before" 'BEGIN { exit !(a > 0 && a * 1.5 < b) }'
    result "case $1 as advised: $after s, was $before s" $?
}
follow 1 's|%a: tensor<1024x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, \[{}, {}\]>}|%a: tensor<1024x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}|'
follow 3 's|<@mesh, \[{}, {}\]>\]>}|<@mesh, [{"x"}, {}]>]>}|'
follow 9 's|%a: tensor<1024x1024xf32>) ->|%a: tensor<1024x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) ->|'
"$weft" dryrun --werror=nothing "$tmp/1.mlir" >/dev/null 2>"$tmp/err"
[ $? -eq 2 ] && grep -q "no warning is called 'nothing'" "$tmp/err"
result "a flag that no warning has" $?
"$weft" opt --weft-partition --split-input-file --verify-diagnostics -o /dev/null "$src/tests/partitioner/needs_whole.mlir" 2>"$tmp/err"
result "gathers that no annotation avoids, and no others" $?
finish
