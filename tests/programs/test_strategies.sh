#!/bin/sh
# The table of docs/strategies.md against the dry run: collectives and bytes of each program that it names.
shared=${WEFT_SHARED:-${top_srcdir:-.}/../shared}
weft=${top_builddir:-.}/weft
table=${top_srcdir:-.}/docs/strategies.md
if [ ! -d "$shared/programs" ]; then
    echo "skipped: 1 ($shared/programs is not there)"
    exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
checks=0 failures=0

# said NAME: the row that the dry run makes, without what the document works out
row() {
    "$weft" dryrun "$shared/programs/$1.mlir" </dev/null >"$tmp/dry" || return 1
    awk -v name="$1" '
        /^(all|reduce|collective)_/ { list = list (list ? ", " : "") $3 " " $1 ($2 == "?" ? "" : " over " $2) }
        /^bytes on the wire/ { bytes = $5 }
        END { printf "| `%s` | %s | %s |", name, list, bytes }' "$tmp/dry"
}

sed -n 's/^| `\([a-z0-9_]*\)` |.*/\1/p' "$table" >"$tmp/names"
while read -r n; do
    checks=$((checks + 1))
    now=$(row "$n")
    if grep -qF "$now" "$table"; then echo "ok $n"; else failures=$((failures + 1)); echo "not ok $n: $now"; fi
done <"$tmp/names"
[ $checks -gt 0 ] || failures=1
echo "Checks: $checks, Failures: $failures, Errors: 0"
[ $failures -eq 0 ]
