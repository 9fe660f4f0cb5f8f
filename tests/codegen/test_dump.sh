#!/bin/sh
# What code generation decides, as `weft run --dump` prints it: which ops share a kernel, in which order units run, which memory values
# have, what a device does. tests/codegen/dump.mlir has the programs, each with what is expected in comments:
#   // WHAT IT SHOWS
#   // dump STAGE [OPTIONS]
#   //   a line of the dump
# By hand it runs from anywhere; the build folder is then the current one, or build/. --update writes the expected lines anew.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=${top_builddir:-$(if [ -f config.status ]; then pwd; else cd "$here/../../build" && pwd; fi)}
weft=${WEFT:-$top/weft}
export WEFT_TUNE=none
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
awk -v dir="$dir" '/^\/\/ -----/ { n++; next } { printf "%s\n", $0 >(dir "/" sprintf("%03d", n) ".mlir") }' "$here/dump.mlir"
passed=0 failed=0
for file in "$dir"/*.mlir; do
    what=$(sed -n '1s,^// ,,p' "$file")
    # "clusters --devices 2" and so on, one dump a line
    sed -n 's,^// dump ,,p' "$file" >"$dir/dumps"
    while read -r stage options; do
        # shellcheck disable=SC2086
        "$weft" run "$file" --dump="$stage" $options >"$dir/got" 2>"$dir/err" </dev/null || cat "$dir/err" >>"$dir/got"
        awk -v head="// dump $stage${options:+ $options}" '$0 == head { on = 1; next } on && sub(/^\/\/   /, "") { print; next } { on = 0 }' \
            "$file" >"$dir/want"
        if cmp -s "$dir/want" "$dir/got"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "not ok $what: --dump=$stage $options"
            diff -u "$dir/want" "$dir/got" | sed '1,2d; s/^/    /'
        fi
        if [ "${1:-}" = --update ]; then
            awk -v head="// dump $stage${options:+ $options}" -v got="$dir/got" '
                $0 == head { print; while ((getline line <got) > 0) print "//   " line; skip = 1; next }
                skip && /^\/\/   / { next }
                { skip = 0; print }' "$file" >"$dir/new" && mv "$dir/new" "$file"
        fi
    done <"$dir/dumps"
done
if [ "${1:-}" = --update ]; then
    first=1
    for file in "$dir"/*.mlir; do
        [ "$first" ] || echo "// -----"
        first=
        cat "$file"
    done >"$here/dump.mlir"
fi
# All processes of a launch would say the same, so process 0 does, of what is wrong too.
echo 'func.func @main() { %a = stablehlo.nope : tensor<4xf32> }' >"$dir/bad.mlir"
statuses=
for process in 0 1; do
    WEFT_PROCESS=$process WEFT_PROCESSES=2 WEFT_RENDEZVOUS=file:"$dir/meet" "$weft" run "$dir/bad.mlir" --dump=steps >"$dir/out.$process" 2>&1 </dev/null
    statuses="$statuses $?"
done
if [ "$statuses" = " 1 0" ] && grep -q 'error: unknown op' "$dir/out.0" && [ ! -s "$dir/out.1" ]; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "not ok process 0 of a launch says what is wrong, the others nothing:$statuses"
    cat "$dir"/out.?
fi
[ $((passed + failed)) -gt 20 ] || { echo "error: only $((passed + failed)) dumps"; failed=$((failed + 1)); }
echo "Checks: $((passed + failed)), Failures: $failed, Errors: 0"
[ $failed -eq 0 ]
