#!/bin/sh
# weft verify: programs that are right, one that is not, and what cannot be compared.
. "${top_srcdir:-.}/tests/support/cases.sh"
try() { # STATUS ARGUMENTS...: runs weft verify
    want=$1
    shift
    "$weft" verify "$@" >out 2>err
    [ $? -eq "$want" ]
}
says() { cat out err | grep -q -- "$1"; }

cat >good.mlir <<'END'
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<6x8xf32>, %i: tensor<3x1xi32>) -> (tensor<8x8xf32>, tensor<3x8xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}, {"x"}]> : tensor<8x8xf32>
  %2 = "stablehlo.gather"(%1, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<8x8xf32>, tensor<3x1xi32>) -> tensor<3x8xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<3x8xf32>
}
END
# The call's rule says that rows are factored each for itself, which they are not: each device factors the rows that it has.
cat >bad.mlir <<'END'
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x2xf32>, tensor<8x2xf32>) {
  %0 = stablehlo.add %a, %a : tensor<8x2xf32>
  %1:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%0) {mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j]) -> ([i, j], [k]) {i=8, j=2, k=2}, custom>} : (tensor<8x2xf32>) -> (tensor<8x2xf32>, tensor<2xf32>)
  %2 = stablehlo.negate %1#0 : tensor<8x2xf32>
  return %0, %2 : tensor<8x2xf32>, tensor<8x2xf32>
}
END
# The same in a loop of six turns, which takes the call's result in the third one only.
cat >loop.mlir <<'END'
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x2xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c, %v = %a) : tensor<i32>, tensor<8x2xf32>
  cond {
    %n = stablehlo.constant dense<6> : tensor<i32>
    %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %q:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%v) {mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j]) -> ([i, j], [k]) {i=8, j=2, k=2}, custom>} : (tensor<8x2xf32>) -> (tensor<8x2xf32>, tensor<2xf32>)
    %p = stablehlo.compare EQ, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %w = stablehlo.select %p, %q#0, %v : tensor<i1>, tensor<8x2xf32>
    stablehlo.return %j, %w : tensor<i32>, tensor<8x2xf32>
  }
  return %0#1 : tensor<8x2xf32>
}
END
# Sums that are rounded to bf16 and then divided by themselves, as Adam does: where they are next to 0 rounding decides the sign.
cat >mixed.mlir <<'END'
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<64x64xf32> {
  %b = stablehlo.convert %a : (tensor<64x256xf32>) -> tensor<64x256xbf16>
  %d = stablehlo.dot_general %b, %b, contracting_dims = [1] x [1] : (tensor<64x256xbf16>, tensor<64x256xbf16>) -> tensor<64x64xbf16>
  %g = stablehlo.convert %d : (tensor<64x64xbf16>) -> tensor<64x64xf32>
  %s = stablehlo.abs %g : tensor<64x64xf32>
  %e = stablehlo.constant dense<1.0e-8> : tensor<64x64xf32>
  %t = stablehlo.add %s, %e : tensor<64x64xf32>
  %u = stablehlo.divide %g, %t : tensor<64x64xf32>
  return %u : tensor<64x64xf32>
}
END
# bad.mlir of mixed precision
sed -e 's/  %0 = .*/  %n = stablehlo.convert %a : (tensor<8x2xf32>) -> tensor<8x2xbf16>\n  %0 = stablehlo.convert %n : (tensor<8x2xbf16>) -> tensor<8x2xf32>/' bad.mlir >bad_mixed.mlir
# Numbers from constants alone, through a loop that amplifies rounding.
cat >constants.mlir <<'END'
sdy.mesh @mesh = <["x"=4]>
func.func @main() -> tensor<4xf32> {
  %a = stablehlo.constant dense<[[0.7, 0.31, 0.11, 0.93, 0.41, 0.57, 0.23, 0.87], [0.1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3], [0.2, 0.4, 0.6, 0.8, 0.1, 0.3, 0.5, 0.7], [0.9, 0.1, 0.8, 0.2, 0.7, 0.3, 0.6, 0.4]]> : tensor<4x8xf32>
  %b = sdy.sharding_constraint %a <@mesh, [{}, {"x"}]> : tensor<4x8xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%b init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %k = stablehlo.constant dense<0.1> : tensor<4xf32>
  %m = stablehlo.multiply %s, %k : tensor<4xf32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c, %v = %m) : tensor<i32>, tensor<4xf32>
  cond {
    %n = stablehlo.constant dense<20> : tensor<i32>
    %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %f = stablehlo.constant dense<1.0> : tensor<4xf32>
    %r = stablehlo.constant dense<3.9> : tensor<4xf32>
    %d = stablehlo.subtract %f, %v : tensor<4xf32>
    %e = stablehlo.multiply %v, %d : tensor<4xf32>
    %w = stablehlo.multiply %r, %e : tensor<4xf32>
    stablehlo.return %j, %w : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}
END
cat >check.mlir <<'END'
func.func @main() {
  %c = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %d = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %0 = stablehlo.reshape %c : (tensor<2x3xi32>) -> tensor<3x2xi32>
  stablehlo.custom_call @check.expect_eq(%0, %d) {has_side_effect = true} : (tensor<3x2xi32>, tensor<3x2xi32>) -> ()
  return
}
END
cat >spmd.mlir <<'END'
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<ui32> {
    %0 = stablehlo.partition_id : tensor<ui32>
    return %0 : tensor<ui32>
  }
}
END

try 0 good.mlir && says 'equal on 4 devices and on one'; result "the program's own shardings" $?
try 0 good.mlir --mesh x=4,y=1 --seed 5 --fill 0-1=uniform --fill 2=3; result "another mesh and other arguments" $?
try 0 good.mlir --shardings 1:20 --save saved && says '20 random shardings: 20 equal, 0 failed' && [ ! -e saved ]; result "random shardings" $?
try 0 good.mlir --shardings 7 --devices 6 && says '1 random sharding: 1 equal'; result "random shardings on six devices" $?
try 0 check.mlir --shardings 1:30; result "a program of checks, without a mesh and results" $?

try 1 bad.mlir && says "bad.mlir:4:10: error: 'stablehlo.custom_call' computes something else on 2 devices than on one: result 0: " &&
    says 'elements differ, all within \[0:8, 0:2\]; \[0, 0\] is .* and should be ' &&
    says 'bad.mlir:3:8: note: operand 0: tensor<8x2xf32>, #sdy.sharding<@mesh, \[{"x"}, {}\]>' &&
    says 'note: result 0: tensor<8x2xf32>, #sdy.sharding<@mesh, \[{"x"}, {}\]>' && says 'note: output 1 is computed from it' &&
    [ "$(grep -c 'error: ' err)" -eq 1 ]; result "the first op that differs" $?
try 1 loop.mlir && says "loop.mlir:13:12: error: 'stablehlo.custom_call' computes something else on 2 devices than on one: result 0: " &&
    says 'loop.mlir:4:10: note: in iteration 3 of this loop; earlier ones agree' && [ "$(grep -c 'error: ' err)" -eq 1 ]; result "the first op that differs, in a loop" $?
for seed in 0 1 2 3; do
    try 0 mixed.mlir --seed $seed; result "rounding to narrower floats, seed $seed" $?
done
try 1 bad_mixed.mlir && says "bad_mixed.mlir:5:10: error: 'stablehlo.custom_call' computes something else on 2 devices"; result "an op that differs, after rounding to narrower floats" $?
try 0 constants.mlir; result "rounding that a program of constants amplifies" $?
try 2 good.mlir --devices 0 && says "'--devices' takes a whole number of at least 1, not '0'"; result "no devices" $?
try 0 bad.mlir --atol 1000; result "a tolerance that allows it" $?
try 1 bad.mlir --shardings 1:12 --mesh x=2 --save saved && says 'seed [0-9]*: fails on 2 devices' && ls saved/seed-*.mlir >/dev/null; result "random shardings that fail are listed and saved" $?
file=$(ls saved/seed-*.mlir | head -n 1)
try 1 "$file" && says "'stablehlo.custom_call' computes something else on 2 devices"; result "what was saved fails again" $?
seed=${file#saved/seed-}
"$weft" opt --weft-prepare "--weft-draw-shardings=seed=${seed%.mlir} mesh='x=2'" bad.mlir >again.mlir 2>err && cmp -s again.mlir "$file"; result "a seed draws the same again" $?

# Annotations of a form that is not read: one warning, however often the program is built and whatever comes out.
sed 's/%b: tensor<6x8xf32>/%b: tensor<6x8xf32> {mhlo.sharding = "{devices=[1,4]}"}/' good.mlir >annotated.mlir
sed 's/%a: tensor<8x2xf32> {[^}]*}, {}\]>}/%a: tensor<8x2xf32> {mhlo.sharding = "{devices=[2,1]}"}/' bad.mlir >annotated_bad.mlir
warns() { says "$1: warning: the sharding '{devices=" && [ "$(grep -c 'warning: ' err)" -eq 1 ]; }
try 0 annotated.mlir && warns annotated.mlir:2:89; result "a sharding that is not read" $?
try 0 annotated.mlir --shardings 1:3 && warns annotated.mlir:2:89; result "a sharding that is not read, under random ones" $?
try 1 annotated_bad.mlir --shardings 1:12 --mesh x=2 && warns annotated_bad.mlir:2:17; result "a sharding that is not read, in a program that fails" $?
try 1 annotated.mlir --werror annotation && says "annotated.mlir:2:89: error: the sharding '{devices="; result "a sharding that is not read, as an error" $?
for command in dryrun explain run 'run --order auto' 'opt --weft-partition'; do
    "$weft" $command annotated.mlir >out 2>err && warns annotated.mlir:2:89
    result "a sharding that is not read, by weft $command" $?
done

# A second moment that was negative would leave next to no sum, and rounding decide whether its root is a number.
cat >moment.mlir <<'END'
sdy.mesh @mesh = <["x"=2]>
func.func @main(%p: tensor<64x8192xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %x: tensor<64x8192xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %v: tensor<8192xbf16>) -> tensor<8192xbf16> {
  %0 = stablehlo.multiply %p, %x : tensor<64x8192xbf16>
  %z = stablehlo.constant dense<0.0> : tensor<bf16>
  %g = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<64x8192xbf16>, tensor<bf16>) -> tensor<8192xbf16>
  %b = stablehlo.constant dense<0.9> : tensor<8192xbf16>
  %c = stablehlo.constant dense<0.0156> : tensor<8192xbf16>
  %1 = stablehlo.multiply %g, %g : tensor<8192xbf16>
  %2 = stablehlo.multiply %c, %1 : tensor<8192xbf16>
  %3 = stablehlo.multiply %b, %v : tensor<8192xbf16>
  %4 = stablehlo.add %3, %2 : tensor<8192xbf16>
  %5 = stablehlo.sqrt %4 : tensor<8192xbf16>
  return %5 : tensor<8192xbf16>
}
END
for seed in 1 2 3 4; do try 0 moment.mlir --seed $seed || break; done; [ $? -eq 0 ] && grep -q equal out; result "second moments are not negative" $?

try 1 spmd.mlir && says "is written for each device ('stablehlo.partition_id')"; result "a program of one device of two" $?
try 2 check.mlir && says 'the program is for one device'; result "nothing to compare" $?
try 2 good.mlir --shardings x && says "SEED or SEED:COUNT, not 'x'"; result "a seed that is none" $?
try 2 good.mlir --shardings 3:0; result "no shardings to draw" $?
try 2 good.mlir --rtol -1 && says "'--rtol' takes a number"; result "a tolerance below zero" $?
try 2 good.mlir --shardings 1 --mesh x; result "a mesh that is none" $?
try 1 nowhere.mlir; result "a file that is not there" $?

finish
