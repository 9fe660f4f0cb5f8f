#!/bin/sh
# What the dry run says is what the run does: wire bytes and peak memory, counted by the runtime, equal those predicted; where branches
# decide, they lie in the range that was predicted.
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
for folder in "$shared"/programs/*/; do # the small ones: with inputs, and so to be run
    [ -f "${folder%/}.mlir" ] && files="$files ${folder%/}.mlir"
done
number() { sed -n "s/^ *\"$2\": *\([0-9]*\),*$/\1/p" "$1" | head -n 1; }
for f in $files; do
    checks=$((checks + 1))
    rm -f "$tmp/dry" "$tmp/run"
    "$weft" dryrun --json "$f" >"$tmp/dry" 2>"$tmp/err" && "$weft" run --count "$f" >"$tmp/run" 2>>"$tmp/err" || touch "$tmp/dry" "$tmp/run"
    want="wire_bytes $(number "$tmp/dry" wire_bytes), peak_memory_bytes $(number "$tmp/dry" peak_memory_bytes), collectives $(number "$tmp/dry" collective_calls)"
    if grep -q "counted per device: $want" "$tmp/run"; then echo "ok ${f##*/}: $want"; else
        failures=$((failures + 1))
        echo "not ok ${f##*/}: predicted $want $(cat "$tmp/run" "$tmp/err")"
    fi
done
# Random programs with collectives in branches: what a run counts lies in the dry run's range.
base=${WEFT_SEED:-$(date +%s)}
for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
    seed=$((base + i))
    checks=$((checks + 1))
    rm -f "$tmp/dry" "$tmp/run"
    awk -v seed=$seed -f "${top_srcdir:-.}/tests/tool/branches.awk" >"$tmp/branches.mlir"
    "$weft" dryrun --json "$tmp/branches.mlir" >"$tmp/dry" 2>"$tmp/err" && "$weft" run --count "$tmp/branches.mlir" >"$tmp/run" 2>>"$tmp/err" || touch "$tmp/dry" "$tmp/run"
    got=$(sed -n 's/^counted per device: wire_bytes \([0-9]*\), peak_memory_bytes \([0-9]*\), collectives \([0-9]*\)$/\1 \2 \3/p' "$tmp/run")
    if echo "$(number "$tmp/dry" least_wire_bytes) $(number "$tmp/dry" wire_bytes) $(number "$tmp/dry" peak_memory_bytes)" \
            "$(number "$tmp/dry" least_collective_calls) $(number "$tmp/dry" collective_calls) $got" |
        awk '{ exit !(NF == 8 && $1 <= $6 && $6 <= $2 && $7 == $3 && $4 <= $8 && $8 <= $5) }'; then echo "ok branches $seed: $got"; else
        failures=$((failures + 1))
        echo "not ok branches, WEFT_SEED=$seed: counted '$got', predicted $(cat "$tmp/dry" "$tmp/err")"
    fi
done
# The ends of the range are what its branches come to when the index is a constant, and then it is exact: three branches with one, two
# and three sums of 4 bytes, inside a loop of two turns.
cat >"$tmp/case" <<'END'
module @m {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<i32>) -> tensor<8x4xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %k = INDEX : tensor<i32>
    %r:2 = stablehlo.while(%t = %zero, %x = %a) : tensor<i32>, tensor<8x4xf32>
    cond {
      %p = stablehlo.compare LT, %t, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %c = "stablehlo.case"(%k) ({
        BODY1
        stablehlo.return %b1 : tensor<8x4xf32>
      }, {
        BODY1 BODY2
        stablehlo.return %b2 : tensor<8x4xf32>
      }, {
        BODY1 BODY2 BODY3
        stablehlo.return %b3 : tensor<8x4xf32>
      }) : (tensor<i32>) -> tensor<8x4xf32>
      %n = stablehlo.add %t, %one : tensor<i32>
      stablehlo.return %n, %c : tensor<i32>, tensor<8x4xf32>
    }
    return %r#1 : tensor<8x4xf32>
  }
}
END
body() { # number operand
    printf '%%s%s = stablehlo.reduce(%%%s init: %%z) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32> ' "$1" "$2"
    printf '%%w%s = stablehlo.broadcast_in_dim %%s%s, dims = [] : (tensor<f32>) -> tensor<8x4xf32> ' "$1" "$1"
    printf '%%b%s = stablehlo.subtract %%%s, %%w%s : tensor<8x4xf32>' "$1" "$2" "$1"
}
# what index wire-bytes-least wire-bytes-most calls-least calls-most
range() {
    checks=$((checks + 1))
    sed -e "s/INDEX/$2/" -e "s/BODY1/$(body 1 x)/" -e "s/BODY2/$(body 2 b1)/" -e "s/BODY3/$(body 3 b2)/" "$tmp/case" >"$tmp/case.mlir"
    "$weft" dryrun --json "$tmp/case.mlir" >"$tmp/dry" 2>"$tmp/err"
    got="$(number "$tmp/dry" least_wire_bytes) $(number "$tmp/dry" wire_bytes) $(number "$tmp/dry" least_collective_calls) $(number "$tmp/dry" collective_calls)"
    if [ "$got" = "$3 $4 $5 $6" ]; then echo "ok $1: $got"; else
        failures=$((failures + 1))
        echo "not ok $1: $got, not $3 $4 $5 $6; $(cat "$tmp/dry" "$tmp/err")"
    fi
}
range 'any branch' 'stablehlo.negate %i' 8 24 2 6
range 'the first branch' 'stablehlo.constant dense<0>' 8 8 2 2
range 'the second branch' 'stablehlo.constant dense<1>' 16 16 4 4
range 'past the last branch' 'stablehlo.constant dense<7>' 24 24 6 6
range 'before the first branch' 'stablehlo.constant dense<-1>' 24 24 6 6
# Which algorithm ran, of all steps.
for way in two_shot windows; do
    checks=$((checks + 1))
    WEFT_ALGORITHMS=all_reduce=$way "$weft" run --count --repeat 3 "$tmp/loop.mlir" >"$tmp/run" 2>&1
    if [ "$(grep ' by ' "$tmp/run")" = "all_reduce by $way: 3 calls" ]; then echo "ok $way"; else
        failures=$((failures + 1))
        echo "not ok $way: $(cat "$tmp/run")"
    fi
done
[ -d "$shared/programs" ] || echo "skipped: 23 ($shared/programs is not there)"
echo "Checks: $checks, Failures: $failures, Errors: 0"
[ $failures -eq 0 ]
