#!/bin/sh
# Programs whose shardings are written in other forms run on as many devices as these name, with the results of the same program without any.
. "${top_srcdir:-.}/tests/support/cases.sh"
OMP_NUM_THREADS=1
export OMP_NUM_THREADS
same() { # WHAT PROGRAM PLAIN DEVICES: random data, the same for both
    rm -rf want && mkdir want && "$weft" run "$3" --devices 1 --outputs want >out 2>err && "$weft" run "$2" --compare want >out 2>err && grep -q agree out &&
        [ "$("$weft" dryrun "$2" 2>/dev/null | sed -n "1s/ devices;.*//p")" = "$4" ]
    result "$1" $?
}

cat >plain.mlir <<'END'
func.func @main(%a: tensor<8x6xf32>, %b: tensor<6x4xf32>) -> (tensor<8x4xf32>, tensor<8x6xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.iota dim = 0 : tensor<8x6xi32>
  %c = stablehlo.constant dense<4> : tensor<8x6xi32>
  %2 = stablehlo.divide %1, %c : tensor<8x6xi32>
  %3 = stablehlo.convert %2 : (tensor<8x6xi32>) -> tensor<8x6xf32>
  %4 = stablehlo.add %a, %3 : tensor<8x6xf32>
  return %0, %4 : tensor<8x4xf32>, tensor<8x6xf32>
}
END

# Two devices along each dimension, in an order of their own; a sum by groups of device numbers; the number of a row of devices.
cat >manual.mlir <<'END'
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<8x6xf32> {mhlo.sharding = "{devices=[2,2]3,0,2,1}"}, %b: tensor<6x4xf32>) -> (tensor<8x4xf32> {mhlo.sharding = "{replicated}"}, tensor<8x6xf32>) {
    %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[2,2]3,0,2,1}"} : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8x6xf32>) -> tensor<4x3xf32>
    %2 = stablehlo.custom_call @Sharding(%b) {mhlo.sharding = "{devices=[2,1,2]3,2,0,1 last_tile_dim_replicate}"} : (tensor<6x4xf32>) -> tensor<6x4xf32>
    %3 = stablehlo.custom_call @SPMDFullToShardShape(%2) {mhlo.sharding = "{manual}"} : (tensor<6x4xf32>) -> tensor<3x4xf32>
    %4:2 = call @body(%1, %3) : (tensor<4x3xf32>, tensor<3x4xf32>) -> (tensor<4x4xf32>, tensor<4x3xf32>)
    %5 = stablehlo.custom_call @Sharding(%4#0) {mhlo.sharding = "{manual}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %6 = stablehlo.custom_call @SPMDShardToFullShape(%5) {mhlo.sharding = "{devices=[2,1,2]3,0,2,1 last_tile_dim_replicate}"} : (tensor<4x4xf32>) -> tensor<8x4xf32>
    %7 = stablehlo.custom_call @SPMDShardToFullShape(%4#1) {mhlo.sharding = "{devices=[2,2]3,0,2,1}"} : (tensor<4x3xf32>) -> tensor<8x6xf32>
    return %6, %7 : tensor<8x4xf32>, tensor<8x6xf32>
  }
  func.func private @body(%a: tensor<4x3xf32>, %b: tensor<3x4xf32>) -> (tensor<4x4xf32>, tensor<4x3xf32>) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x4xf32>) -> tensor<4x4xf32>
    %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[3, 0], [2, 1]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %id = stablehlo.partition_id : tensor<ui32>
    %one = stablehlo.constant dense<1> : tensor<ui32>
    %two = stablehlo.constant dense<2> : tensor<ui32>
    %low = stablehlo.compare EQ, %id, %one : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %high = stablehlo.compare EQ, %id, %two : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %second = stablehlo.or %low, %high : tensor<i1>
    %row = stablehlo.convert %second : (tensor<i1>) -> tensor<f32>
    %2 = stablehlo.broadcast_in_dim %row, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %3 = stablehlo.add %a, %2 : tensor<4x3xf32>
    return %1, %3 : tensor<4x4xf32>, tensor<4x3xf32>
  }
}
END
same "a manual computation of GSPMD's, on devices in an order of their own" manual.mlir plain.mlir 4
sed 's/%a: tensor<8x6xf32>,/%a: tensor<8x6xf32> {mhlo.sharding = "{devices=[2,3]<=[6]}"},/; s/%b: tensor<6x4xf32>/& {mhlo.sharding = "{devices=[3,2]<=[6]}"}/' plain.mlir >two.mlir
same "grids that need two meshes" two.mlir plain.mlir 6
sed 's/%a: tensor<8x6xf32>,/%a: tensor<8x6xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}"},/' plain.mlir >sized.mlir
"$weft" run sized.mlir --mesh axis_0=4 --compare want >out 2>err && grep -q agree out; result "another size for a mesh that was imported" $?
"$weft" run sized.mlir --devices 3 --compare want >out 2>err && grep -q agree out; result "another number of devices" $?

shared=$shared/faults
for name in 02-gspmd-annotated-export-gspmd_auto 02-gspmd-annotated-export-gspmd_manual 03-sdy-round-trip-export-rt_manual 05-ragged-all-to-all; do
    [ -d "$shared/$name" ] || { skips=$((skips + 1)); continue; }
    "$weft" run "$shared/$name/program.mlir" --inputs "$shared/$name" --compare "$shared/$name" >out 2>err && grep -q agree out && [ ! -s err ]
    result "$name" $?
done
finish "no shared programs"
