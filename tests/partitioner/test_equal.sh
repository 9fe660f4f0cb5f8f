#!/bin/sh
# Programs that were partitioned wrongly once: tests/partitioner/equal.mlir holds cases of the form
#     // weft verify OPTIONS
#     PROGRAM
#     // -----
# each of which gives on its mesh what it gives on one device. Where a comment says `sends N bytes`, the dry run says N too, and a run
# counts N; where it says `sends N bytes in M calls`, the dry run says M.
weft=${top_builddir:-.}/weft
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
checks=0 fails=0
sends() { # FILE BYTES [CALLS]
    "$weft" dryrun --json "$1" >"$tmp/dry" && "$weft" run --count "$1" >"$tmp/run" && cat "$tmp/dry" "$tmp/run" &&
        grep -q "^ *\"wire_bytes\": $2,\$" "$tmp/dry" && grep -q "counted per device: wire_bytes $2," "$tmp/run" &&
        { [ -z "$3" ] || grep -q "^ *\"collective_calls\": $3,\$" "$tmp/dry"; }
}
awk -v dir="$tmp" 'BEGIN { n = 1 } /^\/\/ -----$/ { n++; next } { printf "%s\n", $0 >(dir "/" n ".mlir") }' "${top_srcdir:-.}/tests/partitioner/equal.mlir"
while [ -e "$tmp/$((checks + 1)).mlir" ]; do
    checks=$((checks + 1))
    options=$(sed -n '1s|^// weft verify||p' "$tmp/$checks.mlir")
    bytes=$(sed -n 's|^// .*sends \([0-9]*\) bytes.*|\1|p' "$tmp/$checks.mlir")
    calls=$(sed -n 's|^// .*sends [0-9]* bytes in \([0-9]*\) calls*.*|\1|p' "$tmp/$checks.mlir")
    { "$weft" verify $options "$tmp/$checks.mlir" && { [ -z "$bytes" ] || sends "$tmp/$checks.mlir" "$bytes" "$calls"; }; } >"$tmp/out" 2>&1 || { fails=$((fails + 1)); echo "not ok case $checks:$(sed -n '2s|^//||p' "$tmp/$checks.mlir")"; cat "$tmp/out"; }
done
echo "Checks: $checks, Failures: $fails"
[ "$checks" -gt 0 ] && [ "$fails" -eq 0 ]
