#!/bin/sh
# Passes on text: tests/ROOM/PASS.mlir, also of a room in a room, holds cases of the form
#     // weft opt OPTIONS
#     INPUT
#     // ==>
#     OUTPUT, or "// error: PATTERN" for a module that is refused, a line for each error; before OUTPUT may stand lines
#     "// warning: PATTERN", one for each warning
#     // -----
# Each is run with --verify-each. `test_passes.sh --update FILE...` writes the outputs anew, to be read before they are kept.
weft=${top_builddir:-.}/weft
src=${top_srcdir:-.}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
update= checks=0 failures=0
[ "$1" != --update ] || { update=1; shift; }
[ $# -gt 0 ] || set -- "$src"/tests/*/*.mlir "$src"/tests/*/*/*.mlir

# says: standard error has each pattern of $tmp/patterns.
says() {
    while read -r pattern; do grep -q -- "$pattern" "$tmp/err" || return 1; done <"$tmp/patterns"
}

# run_case NAME: runs the case in $tmp/case; leaves it with a fresh output in $tmp/fresh.
run_case() {
    options=$(sed -n '1s|^// weft opt ||p' "$tmp/case")
    [ -n "$options" ] || return 0
    awk '/^\/\/ ==>$/ { exit } NR > 1' "$tmp/case" >"$tmp/in.mlir"
    awk 'found { print } /^\/\/ ==>$/ { found = 1 }' "$tmp/case" >"$tmp/want"
    checks=$((checks + 1))
    eval "\"\$weft\" opt --verify-each $options \"\$tmp/in.mlir\"" >"$tmp/got" 2>"$tmp/err"
    status=$?
    sed -n 's|^// error: ||p' "$tmp/want" >"$tmp/patterns"
    if [ -s "$tmp/patterns" ]; then
        [ $status -ne 0 ] && [ "$(grep -c 'error: ' "$tmp/err")" -eq "$(wc -l <"$tmp/patterns")" ] && says
    else
        sed -n 's|^// warning: ||p' "$tmp/want" >"$tmp/patterns"
        sed '/^\/\/ warning: /!d' "$tmp/want" | cat - "$tmp/got" >"$tmp/told" && mv "$tmp/told" "$tmp/got"
        [ $status -eq 0 ] && cmp -s "$tmp/want" "$tmp/got" &&
            { [ ! -s "$tmp/patterns" ] || [ "$(grep -c 'warning: ' "$tmp/err")" -eq "$(wc -l <"$tmp/patterns")" ]; } && says
    fi
    if [ $? -ne 0 ]; then
        failures=$((failures + 1))
        echo "not ok $1"
        [ -n "$update" ] || { cat "$tmp/err"; diff "$tmp/want" "$tmp/got"; } | head -n 20
    fi
    { sed '/^\/\/ ==>$/q' "$tmp/case"; if [ -s "$tmp/patterns" ]; then cat "$tmp/want"; else cat "$tmp/got"; fi; } >"$tmp/fresh"
}

for file; do
    [ -f "$file" ] || continue
    n=1
    : >"$tmp/whole"
    while :; do
        awk -v n=$n 'BEGIN { k = 1 } /^\/\/ -----$/ { k++; next } k == n' "$file" >"$tmp/case"
        [ -s "$tmp/case" ] || break
        cp "$tmp/case" "$tmp/fresh"
        run_case "${file#"$src"/} case $n"
        [ $n -eq 1 ] || echo "// -----" >>"$tmp/whole"
        cat "$tmp/fresh" >>"$tmp/whole"
        n=$((n + 1))
    done
    [ -z "$update" ] || cp "$tmp/whole" "$file"
done
echo "Checks: $checks, Failures: $failures, Errors: 0"
[ $failures -eq 0 ]
