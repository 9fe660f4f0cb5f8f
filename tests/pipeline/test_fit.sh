#!/bin/sh
# --memory and fusion: where many large values are reduced to small ones, kernels that would hold several of them at once are apart, so that
# the least memory is that of one after the other. `most` is arguments, results and the values that one step needs.
. "${top_srcdir:-.}/tests/support/cases.sh"

# sums KIND: a program with 12 products of 256x256 floats, 262144 bytes each, which it adds up.
sums() {
    awk -v kind="$1" 'BEGIN {
        T = "tensor<256x256xf32>"; V = kind == "whole" ? T : "tensor<256xf32>"
        print "func.func @main(%x: tensor<256x16xf32>, %w: tensor<12x16x256xf32>) -> " V " {"
        print "  %zero = stablehlo.constant dense<0.0> : tensor<f32>"
        print "  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>"
        for (k = 0; k < 12; k++) {
            print "  %s" k " = stablehlo.slice %w [" k ":" k + 1 ", 0:16, 0:256] : (tensor<12x16x256xf32>) -> tensor<1x16x256xf32>"
            print "  %r" k " = stablehlo.reshape %s" k " : (tensor<1x16x256xf32>) -> tensor<16x256xf32>"
            print "  %d" k " = stablehlo.dot_general %x, %r" k ", contracting_dims = [1] x [0] : (tensor<256x16xf32>, tensor<16x256xf32>) -> " T
            v = "%d" k
            if (kind == "of tanh") { print "  %t" k " = stablehlo.tanh %d" k " : " T; v = "%t" k }
            init = kind == "maxima" ? "%low" : "%zero"
            of = kind == "maxima" ? "maximum" : "add"
            if (kind != "whole") {
                print "  %v" k " = stablehlo.reduce(" v " init: " init ") applies stablehlo." of " across dimensions = [1] : (" T ", tensor<f32>) -> " V
                v = "%v" k
            }
            if (k) print "  %a" k " = stablehlo.add " last ", " v " : " V
            last = k ? "%a" k : v
        }
        print "  return " last " : " V " }"
    }'
}
peak() { "$weft" run --count "$@" 2>err | sed -n 's/.*peak_memory_bytes \([0-9]*\).*/\1/p'; }

given=$((256 * 16 * 4 + 12 * 16 * 256 * 4)) one=262144
while read -r products result kind; do
    most=$((given + result + products * one + 40000)) # the rows' sums and the products' scratch beside
    sums "$kind" >sums.mlir
    free=$(peak sums.mlir)
    [ "$free" -gt $((given + 10 * one)) ]
    result "$kind: $free bytes are held for speed" $?
    "$weft" run sums.mlir --seed 3 --outputs whole >out 2>err || exit 1
    "$weft" run sums.mlir --memory 100kB >out 2>err
    least=$(sed -n 's/.*the program takes \([0-9]*\) bytes of a device.s memory at least.*/\1/p' err)
    [ -n "$least" ] && [ "$least" -le $most ]
    result "$kind: it takes $least bytes at least, of $most" $?
    [ "$(peak sums.mlir --memory "${least}B")" -eq "$least" ]
    result "$kind: which it takes then" $?
    refuses 2 "takes $least bytes of a device's memory at least" "$weft" run sums.mlir --memory "$((least - 1))B"
    [ "$(peak sums.mlir --memory "${free}B")" -eq "$free" ]
    result "$kind: where there is room all is as without --memory" $?
    "$weft" run sums.mlir --seed 3 --memory "${least}B" --compare whole --rtol 1e-5 --atol 1e-5 >out 2>err
    result "$kind: the same results" $?
    "$weft" compile sums.mlir --memory "${least}B" -o small.weft >out 2>err && "$weft" run small.weft --seed 3 --compare whole --rtol 1e-5 --atol 1e-5 >out 2>err
    result "$kind: and compiled" $?
done <<'END'
1 1024 maxima
1 1024 of tanh
1 262144 whole
END
finish
