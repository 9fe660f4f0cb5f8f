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
