#!/bin/sh
# --memory: a program that holds more than it may computes values again, and its results stay the same, bit for bit; what cannot be done is
# refused with the least memory that can.
. "${top_srcdir:-.}/tests/support/cases.sh"

# A chain of ten products with silu, and its gradients: the results of the forward half are held for the other.
{
    echo 'func.func @main(%x: tensor<512x64xf32>, %w: tensor<64x64xf32>) -> tensor<f32> {'
    last=%x
    for k in 0 1 2 3 4 5 6 7 8 9; do
        echo "  %p$k = stablehlo.dot_general $last, %w, contracting_dims = [1] x [0] : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>"
        echo "  %l$k = stablehlo.logistic %p$k : tensor<512x64xf32>"
        echo "  %t$k = stablehlo.multiply %p$k, %l$k : tensor<512x64xf32>"
        last=%t$k
    done
    echo '  %z = stablehlo.constant dense<0.0> : tensor<f32>'
    echo "  %s = stablehlo.reduce($last init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<512x64xf32>, tensor<f32>) -> tensor<f32>"
    echo '  return %s : tensor<f32> }'
} >forward.mlir
"$weft" opt --weft-differentiate='of=0 wrt=0,1' forward.mlir >chain.mlir || exit 1
{
    echo 'sdy.mesh @mesh = <["d"=2]>'
    sed '1s/tensor<512x64xf32>/tensor<512x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>}/' forward.mlir
} | "$weft" opt --weft-differentiate='of=0 wrt=0,1' - >split.mlir || exit 1

# peak FILE OPTION...: the bytes that a device holds.
peak() {
    "$weft" run --count "$@" 2>err | sed -n 's/.*peak_memory_bytes \([0-9]*\).*/\1/p'
}
for program in chain split; do
    free=$(peak $program.mlir)
    "$weft" run $program.mlir --seed 3 --outputs $program >out 2>err || exit 1
    for share in 90 75 60; do
        most=$((free * share / 100))
        held=$(peak $program.mlir --memory "${most}B")
        [ -n "$held" ] && [ "$held" -le $most ]
        result "$program holds $held of $most bytes, where it would hold $free" $?
        "$weft" run $program.mlir --seed 3 --memory "${most}B" --compare $program --rtol 0 --atol 0 >out 2>err
        result "$program has the same results within $share % of its memory" $?
    done
    "$weft" run $program.mlir --memory "${free}B" --count >out 2>err && grep -q "peak_memory_bytes $free" out
    result "$program fits into what it takes as it is" $?

    # Whoever asks for what the refusal says gets a program; for a byte less nobody does.
    "$weft" run $program.mlir --memory 100kB >out 2>err
    [ $? -eq 2 ] && grep -q 'the program takes [0-9]* bytes of a device.s memory at least, and may take 100000' err
    result "$program is refused in 100 kB" $?
    least=$(sed -n 's/.*the program takes \([0-9]*\) bytes.*/\1/p' err)
    held=$(peak $program.mlir --memory "${least}B")
    [ -n "$held" ] && [ "$held" -eq "$least" ]
    result "$program holds $held bytes where at least $least are needed" $?
    refuses 2 "takes $least bytes of a device's memory at least" "$weft" run $program.mlir --memory "$((least - 1))B"
done

"$weft" compile chain.mlir --memory 1100kB -o small.weft && "$weft" run small.weft --seed 3 --compare chain --rtol 0 --atol 0 >out 2>err
result "a compiled program holds less, too" $?

# Scores of attention as a whole, 8 MiB of them, where tiles are not worth it; in tiles where there is no room.
cat >scores.mlir <<'END'
func.func @main(%q: tensor<128x128x16xf32>, %k: tensor<128x128x16xf32>, %v: tensor<128x128x16xf32>) -> tensor<128x128x16xf32> {
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<128x128x16xf32>, tensor<128x128x16xf32>) -> tensor<128x128x128xf32>
  %e = stablehlo.exponential %s : tensor<128x128x128xf32>
  %o = stablehlo.dot_general %e, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<128x128x128xf32>, tensor<128x128x16xf32>) -> tensor<128x128x16xf32>
  return %o : tensor<128x128x16xf32>
}
END
free=$(peak scores.mlir --costs 'tile-gain 1000')
held=$(peak scores.mlir --costs 'tile-gain 1000' --memory 8MiB)
[ -n "$held" ] && [ "$free" -gt 12000000 ] && [ "$held" -le 8388608 ]
result "scores that take $free bytes with all else are in tiles where 8 MiB may be held: $held" $?
"$weft" run scores.mlir --costs 'tile-gain 1000' --outputs scores >out 2>err &&
    "$weft" run scores.mlir --costs 'tile-gain 1000' --memory 8MiB --compare scores --rtol 1e-5 >out 2>err
result "scores in tiles give the same results" $?

# A loop that adds up products: their factors are written to arrays, which only a program with room for them has.
cat >sum.mlir <<'END'
func.func @main(%xs: tensor<64x4x64xf32>, %s: tensor<4x128xf32>, %g0: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<64> : tensor<i32>
  %r:3 = stablehlo.while(%i = %zero, %h = %s, %g = %g0) : tensor<i32>, tensor<4x128xf32>, tensor<64x128xf32>
  cond {
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %slice = stablehlo.dynamic_slice %xs, %i, %zero, %zero, sizes = [1, 4, 64] : (tensor<64x4x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x64xf32>
    %x = stablehlo.reshape %slice : (tensor<1x4x64xf32>) -> tensor<4x64xf32>
    %next = stablehlo.sine %h : tensor<4x128xf32>
    %p = stablehlo.dot_general %x, %next, contracting_dims = [0] x [0] : (tensor<4x64xf32>, tensor<4x128xf32>) -> tensor<64x128xf32>
    %f = stablehlo.add %g, %p : tensor<64x128xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next, %f : tensor<i32>, tensor<4x128xf32>, tensor<64x128xf32>
  }
  return %r#2 : tensor<64x128xf32>
}
END
free=$(peak sum.mlir)
small=$(peak sum.mlir --costs 'stack-gain 1000')
[ "$small" -lt $((free - 64 * 4 * 128 * 4 / 2)) ]
result "a loop's sum takes $small bytes, and $free with an array" $?
"$weft" run sum.mlir --seed 3 --outputs sum >out 2>err || exit 1
"$weft" run sum.mlir --seed 3 --costs 'stack-gain 1000' --outputs looped >out 2>err || exit 1
for most in $free $((free - 1)) "$small"; do
    held=$(peak sum.mlir --memory "${most}B")
    [ -n "$held" ] && [ "$held" -eq $([ "$most" -eq "$free" ] && echo "$free" || echo "$small") ]
    result "it holds $held of $most bytes" $?
done
"$weft" run sum.mlir --seed 3 --memory "${free}B" --compare sum --rtol 0 --atol 0 >out 2>err
result "with room for the array it has the same results" $?
"$weft" run sum.mlir --seed 3 --memory "${small}B" --compare looped --rtol 0 --atol 0 >out 2>err &&
    "$weft" run sum.mlir --seed 3 --memory "${small}B" --compare sum --rtol 1e-5 --atol 1e-5 >out 2>err
result "without, those of the loop" $?
refuses 2 "takes $small bytes of a device's memory at least" "$weft" run sum.mlir --memory "$((small - 1))B"

# The dry run's what-if.
figure() { sed -n "s/^ *\"$1\": \([0-9.e+]*\),*\$/\1/p" "$2" | head -n 1; }
for how in none dots full; do "$weft" dryrun chain.mlir --remat $how --json >$how.json 2>err || exit 1; done
"$weft" dryrun chain.mlir --json | cmp -s - none.json
result "--remat none is as without" $?
most=$(figure peak_memory_bytes none.json)
for how in dots full; do [ "$(figure peak_memory_bytes $how.json)" -lt "$most" ]; result "--remat $how holds less than $most" $?; done
[ "$(figure peak_memory_bytes full.json)" -lt "$(figure peak_memory_bytes dots.json)" ]
result "--remat full holds less than dots" $?
for how in none dots full; do "$weft" dryrun chain.mlir --remat $how --topology dgx-h100 --json >$how.json 2>err || exit 1; done
[ "$(figure product_flops dots.json)" = "$(figure product_flops none.json)" ] && [ "$(figure repeated_flops dots.json)" = 0.0 ]
result "--remat dots repeats no products" $?
awk "BEGIN { exit !($(figure product_flops full.json) - $(figure repeated_flops full.json) == $(figure product_flops none.json)) }" &&
    awk "BEGIN { exit !($(figure repeated_flops full.json) > 0) }"
result "--remat full counts its products as repeated" $?
refuses 2 "\-\-remat is none, dots or full, not 'some'" "$weft" dryrun chain.mlir --remat some

refuses 2 "\-\-memory is a size, as 8GiB, not 'much'" "$weft" run chain.mlir --memory much
refuses 2 "\-\-memory is a size, as 8GiB, not '0B'" "$weft" run chain.mlir --memory 0B
refuses 2 "\-\-memory is a size, as 8GiB, not '5GB/s'" "$weft" compile chain.mlir --memory 5GB/s
refuses 2 "'small.weft' is compiled already: --memory is for 'weft compile'" "$weft" run small.weft --memory 1GB
finish
