#!/bin/sh
# Programs that cannot be partitioned as asked: the op, its line, both shardings, and what to change. tests/partitioner/bad.mlir holds cases
#     // says: PATTERN     (some)
#     PROGRAM
#     // -----
# each of which fails with one error and says all of these; lines are the program's own.
weft=${top_builddir:-.}/weft
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
checks=0 fails=0
awk -v dir="$tmp" 'BEGIN { n = 1 } /^\/\/ -----$/ { n++; next } /^\/\/ says: / { print substr($0, 10) >(dir "/" n ".says"); next } { print >(dir "/" n ".mlir") }' \
    "${top_srcdir:-.}/tests/partitioner/bad.mlir"
while [ -e "$tmp/$((checks + 1)).mlir" ]; do
    checks=$((checks + 1)) why=
    for way in "opt --weft-partition" dryrun; do
        "$weft" $way "$tmp/$checks.mlir" >"$tmp/out" 2>"$tmp/err"
        [ $? -eq 1 ] || why="$why exit status;"
        [ "$(grep -c 'error: ' "$tmp/err")" -eq 1 ] || why="$why $(grep -c 'error: ' "$tmp/err") errors;"
        while read -r text; do grep -q -e "$text" "$tmp/err" || why="$why no '$text';"; done <"$tmp/$checks.says"
    done
    [ -z "$why" ] || { fails=$((fails + 1)); echo "not ok case $checks:$why"; cat "$tmp/err"; }
done
echo "Checks: $checks, Failures: $fails"
[ "$checks" -gt 0 ] && [ "$fails" -eq 0 ]
