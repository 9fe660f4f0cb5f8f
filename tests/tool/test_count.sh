#!/bin/sh
# What the dry run says is what the run does: wire bytes and peak memory, counted by the runtime, equal those predicted.
weft=${top_builddir:-.}/weft
shared=${WEFT_SHARED:-${top_srcdir:-.}/../shared}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
checks=0 failures=0
cat >"$tmp/loop.mlir" <<'END'
module @m {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                         %b: tensor<6x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<8x5xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<8x5xf32>
    return %0 : tensor<8x5xf32>
  }
}
END
files=$tmp/loop.mlir
[ -d "$shared/programs" ] && for n in mlp_dp mlp_tp mlp_dp_tp mlp_zero3 gpt_s_dp gpt_s_tp gpt_s_fsdp gpt_s_fsdp_tp gpt_s_tp_sp; do
    files="$files $shared/programs/$n.mlir"
done
number() { sed -n "s/^ *\"$2\": *\([0-9]*\),*$/\1/p" "$1" | head -n 1; }
for f in $files; do
    checks=$((checks + 1))
    rm -f "$tmp/dry" "$tmp/run"
    "$weft" dryrun --json "$f" >"$tmp/dry" 2>"$tmp/err" && "$weft" run --count "$f" >"$tmp/run" 2>>"$tmp/err" || touch "$tmp/dry" "$tmp/run"
    want="wire_bytes $(number "$tmp/dry" wire_bytes), peak_memory_bytes $(number "$tmp/dry" peak_memory_bytes),"
    if grep -q "counted per device: $want" "$tmp/run"; then echo "ok ${f##*/}: $want"; else
        failures=$((failures + 1))
        echo "not ok ${f##*/}: predicted $want $(cat "$tmp/run" "$tmp/err")"
    fi
done
# Which algorithm ran, of all steps.
for way in two_shot windows; do
    checks=$((checks + 1))
    WEFT_ALGORITHMS=all_reduce=$way "$weft" run --count --repeat 3 "$tmp/loop.mlir" >"$tmp/run" 2>&1
    if [ "$(grep ' by ' "$tmp/run")" = "all_reduce by $way: 3 calls" ]; then echo "ok $way"; else
        failures=$((failures + 1))
        echo "not ok $way: $(cat "$tmp/run")"
    fi
done
[ -d "$shared/programs" ] || echo "skipped: 9 ($shared/programs is not there)"
echo "Checks: $checks, Failures: $failures, Errors: 0"
[ $failures -eq 0 ]
