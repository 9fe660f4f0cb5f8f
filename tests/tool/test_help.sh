#!/bin/sh
# Help, version and man pages: every command has them, and docs/man is what the tool prints.
. "${top_srcdir:-.}/tests/support/cases.sh"
man=$src/docs/man
"$weft" --version | grep -q '^weft [0-9]*\.[0-9]*\.[0-9]*$'
result "--version" $?
"$weft" --help | grep -q '^usage: weft COMMAND'
result "--help" $?
"$weft" >/dev/null 2>&1
[ $? -eq 2 ]
result "no command" $?
"$weft" help --man | cmp -s - "$man/weft.1"
result "weft.1: 'weft help --man' prints it" $?
for c in $("$weft" help | awk '{ print $1 }'); do
    "$weft" "$c" --help | grep -q "^Examples:"
    result "$c --help has examples" $?
    "$weft" "$c" --help | awk 'length > 130 { bad = 1 } END { exit bad }'
    result "$c --help has lines of at most 130 columns" $?
    "$weft" help --man "$c" | cmp -s - "$man/weft-$c.1"
    result "weft-$c.1: 'weft help --man $c' prints it" $?
done
"$weft" ops | awk 'NR > 1 && $1 == "stablehlo.add" && $2 == "yes" && $6 == "yes" { found = 1 } END { exit !found }'
result "ops lists stablehlo.add" $?
"$weft" topo --ranks 4 --synthetic 'package:2 core:2 pu:1' | grep -q .
result "topo of a synthetic machine" $?
"$weft" bench coll --sizes 1K:8K:8 --op all_reduce,scatter --ranks 3 | awk '
    $2 == "P=3" && $4 == "B" && $6 == "us" && $7 == "busbw" && $9 == "GB/s" && $10 != "" { n++ } END { exit n != 4 }'
result "bench coll prints a line per collective and size, with the algorithm that ran" $?
WEFT_ALGORITHMS=all_reduce:-1K=windows,all_reduce=two_shot "$weft" bench coll --sizes 1K:8K:8 --op all_reduce --format csv | awk -F, '
    NR == 2 { low = $6 } NR == 3 { high = $6 } END { exit !(NR == 3 && low == "windows" && high == "two_shot") }'
result "bench coll: WEFT_ALGORITHMS forces by size" $?
"$weft" bench coll --sizes 4 --op gather --format json | grep -q '"algorithm": "small"'
result "bench coll prints JSON" $?
"$weft" bench coll --op teleport 2>&1 | grep -q "no collective 'teleport' to time"
result "bench coll refuses what there is not" $?
"$weft" bench coll --op '' 2>&1 | grep -q 'op names no collective'
result "bench coll refuses an empty list" $?
WEFT_ALGORITHMS=all_reduce:4-=magic "$weft" bench coll 2>&1 | grep -q "no collective algorithm 'all_reduce:4-=magic'"
result "bench coll refuses an algorithm that there is not" $?
finish
