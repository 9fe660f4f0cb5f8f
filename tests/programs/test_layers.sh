#!/bin/sh
# layers.mlir with gathers a turn ahead gives what it gives on one device, for odd and even numbers of turns, and makes as many gathers.
weft=${top_builddir:-.}/weft
source=${top_srcdir:-.}/tests/programs/layers.mlir
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
checks=0 failures=0

# bytes OPTIONS...: of the step, as the dry run says.
bytes() { "$weft" dryrun --json "$@" "$tmp/layers.mlir" | sed -n 's/^ *"wire_bytes": *\([0-9]*\),*$/\1/p' | head -n 1; }

for layers in 1 2 3 4 5 8 9; do
    checks=$((checks + 1))
    sed "s/dense<LAYERS>/dense<$layers>/" "$source" >"$tmp/layers.mlir"
    ahead=$("$weft" opt "--weft-partition=machine=dgx-h100" "$tmp/layers.mlir" | sed -n '/stablehlo.while/q; /all_gather/p' | wc -l)
    if [ $layers -lt 3 ]; then want=0; else want=1; fi
    {
        [ $((ahead > 0)) -eq $want ] && "$weft" run "$tmp/layers.mlir" --devices=1 --outputs "$tmp/one" &&
            "$weft" run "$tmp/layers.mlir" --machine dgx-h100 --compare "$tmp/one" && "$weft" run "$tmp/layers.mlir" --compare "$tmp/one" &&
            [ "$(bytes --machine dgx-h100)" = "$(bytes --machine dgx-h100 --no-overlap)" ]
    } >"$tmp/out" 2>&1 && continue
    failures=$((failures + 1))
    echo "not ok $layers layers, $ahead gathers before the first loop"
    cat "$tmp/out"
done
echo "Checks: $checks, Failures: $failures, Errors: 0"
[ $failures -eq 0 ]
