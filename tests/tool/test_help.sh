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
    "$weft" "$c" --help | awk '/^Options:/ { on = 1 } /^$/ { on = 0 } on' | sed -n 's/^  --\([a-z-]*\).*/\1/p' >out
    "$weft" help --man "$c" | sed -n 's/^\.B \\-\\-//p' | sed 's/\\-/-/g; s/[^a-z-].*//' >err
    cmp -s out err
    result "$c --help and its man page have the same options" $?
    "$weft" help --man "$c" | cmp -s - "$man/weft-$c.1"
    result "weft-$c.1: 'weft help --man $c' prints it" $?
done
for flag in $(awk -F'"' '/^DIAG\(.* WARNING,/ { print $2 }' "$src/base/diags.def"); do
    "$weft" opt --help | grep -q "fail on: .*\b$flag\b"
    result "--werror names the flag $flag" $?
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
"$weft" bench coll --sizes 8 --op gather --format json | grep -q '"algorithm": "small"'
result "bench coll prints JSON" $?
# Bytes are those that are moved: what has a block for each rank moves as many as divide evenly.
"$weft" bench coll --sizes 1K:1K:8 --op all_gather,all_reduce --ranks 3 --format csv >out 2>err && [ "$(cut -d, -f1,3 out | tail -n 2 | tr '\n' ' ')" = 'all_reduce,1024 all_gather,1020 ' ]
result "bench coll counts the bytes that are moved" $?
# busbw is the bytes that a rank must send over the time, and the gain the time in order over the fast one; both are printed with few digits.
"$weft" bench coll --fast --sizes 64K:1M:4 --op all_reduce,all_gather,all_to_all,broadcast --ranks 4 --format csv | awk -F, '
    function off(got, want, digit) { return got < 0.99 * want - digit || got > 1.01 * want + digit }
    NR > 1 { part = $1 == "all_reduce" ? 1.5 : $1 == "broadcast" ? 1 : 0.75
             if (off($5, part * $3 / $4 / 1e3, 1e-4) || off($8, $4 / $7, 1e-3)) { print; bad++ } }
    END { exit bad || NR != 13 }'
result "bench coll divides the bytes by the time" $?
"$weft" bench coll --sizes 4 --op all_gather,all_reduce --ranks 2 --format csv >out 2>err && [ "$(grep -c '^all_reduce' out)" -eq 1 ] && ! grep -q '^all_gather' out &&
    grep -q 'note: all_gather of 4 B has no element for each of 2 ranks' err
result "bench coll prints no line of what moves nothing" $?
# What was measured before a process ended is there. The lines go through a pipe, so that who reads the first one can end the other process then.
for format in plain json; do
    mkdir meet_$format
    mkfifo pipe_$format
    export WEFT_RENDEZVOUS=file:$PWD/meet_$format WEFT_PROCESSES=2
    WEFT_PROCESS=0 "$weft" bench coll --sizes 4:16M:2 --format $format >pipe_$format 2>err &
    first=$!
    WEFT_PROCESS=1 "$weft" bench coll --sizes 4:16M:2 --format $format >out1 2>err1 &
    second=$!
    unset WEFT_RENDEZVOUS WEFT_PROCESSES
    { while read -r line && printf '%s\n' "$line"; do case $line in *all_reduce*) kill -9 $second; break;; esac; done; cat; } <pipe_$format >out
    wait $first
    [ $? -eq 1 ] && grep -q '^ *{*"*\(op": "\)*all_reduce' out && grep -q 'error' err
    result "bench coll --format $format leaves what it measured when a process ends" $?
    wait $second
    cp out $format
done 2>/dev/null
[ "$(head -n 1 json)" = '[' ] && [ "$(tail -n 1 json)" = ']' ] && [ "$(grep -c '^ *{.*},*$' json)" -eq "$(($(wc -l <json) - 2))" ] && [ "$(grep -c '},$' json)" -eq "$(($(wc -l <json) - 3))" ]
result "what it leaves is JSON" $?
"$weft" bench coll --op teleport 2>&1 | grep -q "no collective 'teleport' to time"
result "bench coll refuses what there is not" $?
"$weft" bench coll --op '' 2>&1 | grep -q 'op names no collective'
result "bench coll refuses an empty list" $?
WEFT_ALGORITHMS=all_reduce:4-=magic "$weft" bench coll 2>&1 | grep -q "no collective algorithm 'all_reduce:4-=magic'.*; all_reduce has .* segmented_ring"
result "bench coll refuses an algorithm that there is not" $?
finish
