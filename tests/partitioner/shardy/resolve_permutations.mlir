// weft opt --sdy-resolve-permutation-factors
// What a pad gets from beyond the first device is what it pads by, not the zeros of a permute; a dimension that is not cut is padded locally.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %cst = stablehlo.constant dense<1.500000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [1, 2], high = [-1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x3xf32>, tensor<f32>) -> tensor<8x5xf32>
    return %0 : tensor<8x5xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %cst = stablehlo.constant dense<1.500000e+00> : tensor<f32>
    %0 = sdy.manual_computation(%arg0, %cst) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, []>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<2x3xf32>, %arg2: tensor<f32>) {
      %1 = "stablehlo.collective_permute"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [1, 3], [2, 4], [3, 5], [4, 6], [5, 7]]> : tensor<6x2xi64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %2 = stablehlo.concatenate %1, %arg1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
      %3 = stablehlo.pad %2, %arg2, low = [2, 0], high = [2, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<4x3xf32>, tensor<f32>) -> tensor<8x3xf32>
      %4 = stablehlo.partition_id : tensor<ui32>
      %5 = stablehlo.convert %4 : (tensor<ui32>) -> tensor<i64>
      %c = stablehlo.constant dense<2> : tensor<i64>
      %6 = stablehlo.divide %5, %c : tensor<i64>
      %c_0 = stablehlo.constant dense<4> : tensor<i64>
      %7 = stablehlo.remainder %6, %c_0 : tensor<i64>
      %c_1 = stablehlo.constant dense<0> : tensor<i64>
      %c_2 = stablehlo.constant dense<3> : tensor<i64>
      %8 = stablehlo.multiply %7, %c_1 : tensor<i64>
      %9 = stablehlo.add %8, %c_2 : tensor<i64>
      %c_3 = stablehlo.constant dense<0> : tensor<i64>
      %10 = stablehlo.maximum %9, %c_3 : tensor<i64>
      %11 = stablehlo.dynamic_slice %3, %10, %c_3, sizes = [2, 3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x3xf32>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>
      %12 = stablehlo.iota dim = 0 : tensor<2xi64>
      %c_4 = stablehlo.constant dense<2> : tensor<i64>
      %c_5 = stablehlo.constant dense<-1> : tensor<i64>
      %13 = stablehlo.multiply %7, %c_4 : tensor<i64>
      %14 = stablehlo.add %13, %c_5 : tensor<i64>
      %15 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<i64>) -> tensor<2xi64>
      %16 = stablehlo.add %12, %15 : tensor<2xi64>
      %c_6 = stablehlo.constant dense<0> : tensor<2xi64>
      %17 = stablehlo.compare GE, %16, %c_6 : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
      %c_7 = stablehlo.constant dense<8> : tensor<2xi64>
      %18 = stablehlo.compare LT, %16, %c_7 : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
      %19 = stablehlo.and %17, %18 : tensor<2xi1>
      %20 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<2xi1>) -> tensor<2x3xi1>
      %21 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
      %22 = stablehlo.select %20, %11, %21 : tensor<2x3xi1>, tensor<2x3xf32>
      %23 = stablehlo.pad %22, %arg2, low = [0, 2], high = [0, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x5xf32>
      sdy.return %23 : tensor<2x5xf32>
    } : (tensor<8x3xf32>, tensor<f32>) -> tensor<8x5xf32>
    return %0 : tensor<8x5xf32>
  }
}
// -----
// weft opt --sdy-resolve-permutation-factors
// Windows are as long as a slice's strides need; devices in another order are looked up. A part may shrink without a permute.
module {
  sdy.mesh @mesh = <["x"=2], device_ids=[1, 0]>
  func.func @main(%arg0: tensor<9x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<3x3xi32>, tensor<9x6xi32>) {
    %0 = stablehlo.slice %arg0 [1:8:3, 1:7:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<9x8xi32>) -> tensor<3x3xi32>
    %1 = stablehlo.slice %arg0 [0:9, 1:7] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<9x8xi32>) -> tensor<9x6xi32>
    return %0, %1 : tensor<3x3xi32>, tensor<9x6xi32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2], device_ids=[1, 0]>
  func.func @main(%arg0: tensor<9x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<3x3xi32>, tensor<9x6xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = sdy.manual_computation(%arg0, %c) in_shardings=[<@mesh, [{}, {"x"}]>, <@mesh, []>] out_shardings=[<@mesh, [{}, {"x"}]>] manual_axes={"x"} (%arg1: tensor<9x4xi32>, %arg2: tensor<i32>) {
      %3 = stablehlo.concatenate %arg1, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<9x4xi32>) -> tensor<9x4xi32>
      %4 = stablehlo.pad %3, %arg2, low = [0, 3], high = [0, 3], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<9x4xi32>, tensor<i32>) -> tensor<9x10xi32>
      %5 = stablehlo.partition_id : tensor<ui32>
      %6 = stablehlo.convert %5 : (tensor<ui32>) -> tensor<i64>
      %c_1 = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
      %7 = stablehlo.dynamic_slice %c_1, %6, sizes = [1] : (tensor<2xi64>, tensor<i64>) -> tensor<1xi64>
      %8 = stablehlo.reshape %7 : (tensor<1xi64>) -> tensor<i64>
      %c_2 = stablehlo.constant dense<0> : tensor<i64>
      %c_3 = stablehlo.constant dense<4> : tensor<i64>
      %9 = stablehlo.multiply %8, %c_2 : tensor<i64>
      %10 = stablehlo.add %9, %c_3 : tensor<i64>
      %c_4 = stablehlo.constant dense<0> : tensor<i64>
      %11 = stablehlo.maximum %10, %c_4 : tensor<i64>
      %12 = stablehlo.dynamic_slice %4, %c_4, %11, sizes = [9, 3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<9x10xi32>, tensor<i64>, tensor<i64>) -> tensor<9x3xi32>
      %13 = stablehlo.slice %12 [1:8:3, 0:3:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<9x3xi32>) -> tensor<3x2xi32>
      sdy.return %13 : tensor<3x2xi32>
    } : (tensor<9x8xi32>, tensor<i32>) -> tensor<3x4xi32>
    %1 = stablehlo.slice %0 [0:3, 0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<3x4xi32>) -> tensor<3x3xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %2 = sdy.manual_computation(%arg0, %c_0) in_shardings=[<@mesh, [{}, {"x"}]>, <@mesh, []>] out_shardings=[<@mesh, [{}, {"x"}]>] manual_axes={"x"} (%arg1: tensor<9x4xi32>, %arg2: tensor<i32>) {
      %3 = stablehlo.concatenate %arg1, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<9x4xi32>) -> tensor<9x4xi32>
      %4 = stablehlo.pad %3, %arg2, low = [0, 3], high = [0, 3], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<9x4xi32>, tensor<i32>) -> tensor<9x10xi32>
      %5 = stablehlo.partition_id : tensor<ui32>
      %6 = stablehlo.convert %5 : (tensor<ui32>) -> tensor<i64>
      %c_1 = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
      %7 = stablehlo.dynamic_slice %c_1, %6, sizes = [1] : (tensor<2xi64>, tensor<i64>) -> tensor<1xi64>
      %8 = stablehlo.reshape %7 : (tensor<1xi64>) -> tensor<i64>
      %c_2 = stablehlo.constant dense<-1> : tensor<i64>
      %c_3 = stablehlo.constant dense<4> : tensor<i64>
      %9 = stablehlo.multiply %8, %c_2 : tensor<i64>
      %10 = stablehlo.add %9, %c_3 : tensor<i64>
      %c_4 = stablehlo.constant dense<0> : tensor<i64>
      %11 = stablehlo.maximum %10, %c_4 : tensor<i64>
      %12 = stablehlo.dynamic_slice %4, %c_4, %11, sizes = [9, 3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<9x10xi32>, tensor<i64>, tensor<i64>) -> tensor<9x3xi32>
      sdy.return %12 : tensor<9x3xi32>
    } : (tensor<9x8xi32>, tensor<i32>) -> tensor<9x6xi32>
    return %1, %2 : tensor<3x3xi32>, tensor<9x6xi32>
  }
}
// -----
// weft opt --sdy-resolve-permutation-factors='replica-count=8'
// A reverse over part of an axis: padding moves to the front, all of the axis is the computation's business, and the other dimension of it is padded too.
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<3x5xf32>) -> tensor<3x5xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"x", "y":(1)2}, {"y":(2)2}]> : tensor<3x5xf32>
    %1 = stablehlo.reverse %0, dims = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y":(1)2}, {"y":(2)2}]>]>} : tensor<3x5xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {}]> : tensor<3x5xf32>
    return %2 : tensor<3x5xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh_reversed = <["x"=2, "y"=4], device_ids=[1, 0, 3, 2, 5, 4, 7, 6]>
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<3x5xf32>) -> tensor<3x5xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"x", "y":(1)2}, {"y":(2)2}]> : tensor<3x5xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.pad %0, %cst, low = [0, 0], high = [1, 1], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y":(1)2}, {"y":(2)2}]>]>} : (tensor<3x5xf32>, tensor<f32>) -> tensor<4x6xf32>
    %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"x", "y":(1)2}, {"y":(2)2}]>] out_shardings=[<@mesh, [{"x", "y":(1)2}, {"y":(2)2}]>] manual_axes={"x", "y"} (%arg1: tensor<1x3xf32>) {
      %7 = "stablehlo.collective_permute"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<1x3xf32>) -> tensor<1x3xf32>
      %8 = stablehlo.slice %7 [0:1, 2:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<1x3xf32>) -> tensor<1x1xf32>
      %9 = stablehlo.slice %arg1 [0:1, 0:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<1x3xf32>) -> tensor<1x2xf32>
      %10 = stablehlo.concatenate %8, %9, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<1x1xf32>, tensor<1x2xf32>) -> tensor<1x3xf32>
      sdy.return %10 : tensor<1x3xf32>
    } : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %3 = stablehlo.reverse %2, dims = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh_reversed, [{"x", "y":(1)2}, {"y":(2)2}]>]>} : tensor<4x6xf32>
    %4 = sdy.reshard %3 <@mesh, [{"x", "y":(1)2}, {"y":(2)2}]> : tensor<4x6xf32>
    %5 = stablehlo.slice %4 [0:3, 0:5] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y":(1)2}, {"y":(2)2}]>]>} : (tensor<4x6xf32>) -> tensor<3x5xf32>
    %6 = sdy.reshard %5 <@mesh, [{}, {}]> : tensor<3x5xf32>
    return %6 : tensor<3x5xf32>
  }
}
// -----
// weft opt --sdy-resolve-permutation-factors
// Reversed back, the devices stand in the order in which they are counted: that mesh is there already.
module {
  sdy.mesh @mesh = <["x"=2], device_ids=[1, 0]>
  sdy.mesh @counted = <["x"=2]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.reverse %arg0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2], device_ids=[1, 0]>
  sdy.mesh @counted = <["x"=2]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.reverse %arg0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@counted, [{"x"}]>]>} : tensor<4xf32>
    %1 = sdy.reshard %0 <@mesh, [{"x"}]> : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
// -----
// weft opt --sdy-resolve-permutation-factors
// 6 over 4 are 2 2 2 0, as 2x3 over 2 and 2 they are 2 1 2 1: one hop. 3x2 is cut at the same places and stays.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<2x3xi32>, tensor<3x2xi32>) {
    %0 = stablehlo.slice %arg0 [0:6] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xi32>) -> tensor<6xi32>
    %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(1)2}, {"x":(2)2}]>]>} : (tensor<6xi32>) -> tensor<2x3xi32>
    %2 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<6xi32>) -> tensor<3x2xi32>
    return %1, %2 : tensor<2x3xi32>, tensor<3x2xi32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<2x3xi32>, tensor<3x2xi32>) {
    %0 = stablehlo.slice %arg0 [0:6] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xi32>) -> tensor<6xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.pad %0, %c, low = [0], high = [2], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<6xi32>, tensor<i32>) -> tensor<8xi32>
    %2 = sdy.manual_computation(%1, %c) in_shardings=[<@mesh, [{"x"}]>, <@mesh, []>] out_shardings=[<@mesh, [{"x":(1)2}, {"x":(2)2}]>] manual_axes={"x"} (%arg1: tensor<2xi32>, %arg2: tensor<i32>) {
      %5 = "stablehlo.collective_permute"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<2xi32>) -> tensor<2xi32>
      %6 = stablehlo.concatenate %5, %arg1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
      %7 = stablehlo.pad %6, %arg2, low = [2], high = [2], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<4xi32>, tensor<i32>) -> tensor<8xi32>
      %8 = stablehlo.partition_id : tensor<ui32>
      %9 = stablehlo.convert %8 : (tensor<ui32>) -> tensor<i64>
      %c_0 = stablehlo.constant dense<2> : tensor<i64>
      %10 = stablehlo.divide %9, %c_0 : tensor<i64>
      %c_1 = stablehlo.constant dense<2> : tensor<i64>
      %11 = stablehlo.remainder %10, %c_1 : tensor<i64>
      %c_2 = stablehlo.constant dense<2> : tensor<i64>
      %12 = stablehlo.remainder %9, %c_2 : tensor<i64>
      %c_3 = stablehlo.constant dense<2> : tensor<i64>
      %13 = stablehlo.multiply %11, %c_3 : tensor<i64>
      %14 = stablehlo.add %13, %12 : tensor<i64>
      %c_4 = stablehlo.constant dense<[4, 4, 3, 3]> : tensor<4xi64>
      %15 = stablehlo.dynamic_slice %c_4, %14, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
      %16 = stablehlo.reshape %15 : (tensor<1xi64>) -> tensor<i64>
      %c_5 = stablehlo.constant dense<0> : tensor<i64>
      %17 = stablehlo.maximum %16, %c_5 : tensor<i64>
      %18 = stablehlo.dynamic_slice %7, %17, sizes = [2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xi32>, tensor<i64>) -> tensor<2xi32>
      %19 = stablehlo.reshape %18 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<2xi32>) -> tensor<1x2xi32>
      sdy.return %19 : tensor<1x2xi32>
    } : (tensor<8xi32>, tensor<i32>) -> tensor<2x4xi32>
    %3 = stablehlo.slice %2 [0:2, 0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(1)2}, {"x":(2)2}]>]>} : (tensor<2x4xi32>) -> tensor<2x3xi32>
    %4 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<6xi32>) -> tensor<3x2xi32>
    return %3, %4 : tensor<2x3xi32>, tensor<3x2xi32>
  }
}
// -----
// weft opt --sdy-resolve-permutation-factors='enable-halo-exchange=false'
// Without exchanges all is resharded, what keeps its size but shifts too; a slice of which each device has its part is left, and the other dimension stays cut.
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<i32>) -> (tensor<8x4xi32>, tensor<7x4xi32>, tensor<8x4xi32>) {
    %0 = stablehlo.pad %arg0, %arg1, low = [1, 0], high = [-1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x4xi32>, tensor<i32>) -> tensor<8x4xi32>
    %1 = stablehlo.slice %arg0 [0:7, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x4xi32>) -> tensor<7x4xi32>
    %2 = "stablehlo.reduce_window"(%arg0, %arg1) <{padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 1>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %3 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %3 : tensor<i32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x4xi32>, tensor<i32>) -> tensor<8x4xi32>
    return %0, %1, %2 : tensor<8x4xi32>, tensor<7x4xi32>, tensor<8x4xi32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<i32>) -> (tensor<8x4xi32>, tensor<7x4xi32>, tensor<8x4xi32>) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {"y"}]> : tensor<8x4xi32>
    %1 = stablehlo.pad %0, %arg1, low = [1, 0], high = [-1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<8x4xi32>, tensor<i32>) -> tensor<8x4xi32>
    %2 = sdy.reshard %1 <@mesh, [{"x"}, {"y"}]> : tensor<8x4xi32>
    %3 = stablehlo.slice %arg0 [0:7, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x4xi32>) -> tensor<7x4xi32>
    %4 = sdy.reshard %arg0 <@mesh, [{}, {"y"}]> : tensor<8x4xi32>
    %5 = "stablehlo.reduce_window"(%4, %arg1) <{padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 1>}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %7 = stablehlo.add %arg2, %arg3 : tensor<i32>
      stablehlo.return %7 : tensor<i32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<8x4xi32>, tensor<i32>) -> tensor<8x4xi32>
    %6 = sdy.reshard %5 <@mesh, [{"x"}, {"y"}]> : tensor<8x4xi32>
    return %2, %3, %6 : tensor<8x4xi32>, tensor<7x4xi32>, tensor<8x4xi32>
  }
}
// -----
// weft opt --sdy-resolve-permutation-factors
// Too far for exchanges, cut otherwise on both sides, of no fixed size, or with a rule of the user's.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<i32>, %arg2: tensor<?xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<2xi32>, tensor<9xi32>, tensor<?xi32>, tensor<7xi32>) {
    %0 = stablehlo.slice %arg0 [6:8] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xi32>) -> tensor<2xi32>
    %1 = stablehlo.pad %arg0, %arg1, low = [1], high = [0], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xi32>, tensor<i32>) -> tensor<9xi32>
    %2 = stablehlo.reverse %arg2, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<?xi32>
    %3 = stablehlo.slice %arg0 [1:8] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([j]) {i=8, j=7}, custom>} : (tensor<8xi32>) -> tensor<7xi32>
    return %0, %1, %2, %3 : tensor<2xi32>, tensor<9xi32>, tensor<?xi32>, tensor<7xi32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<i32>, %arg2: tensor<?xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<2xi32>, tensor<9xi32>, tensor<?xi32>, tensor<7xi32>) {
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xi32>
    %1 = stablehlo.slice %0 [6:8] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xi32>) -> tensor<2xi32>
    %2 = sdy.reshard %1 <@mesh, [{"x"}]> : tensor<2xi32>
    %3 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xi32>
    %4 = stablehlo.pad %3, %arg1, low = [1], high = [0], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xi32>, tensor<i32>) -> tensor<9xi32>
    %5 = sdy.reshard %arg2 <@mesh, [{}]> : tensor<?xi32>
    %6 = stablehlo.reverse %5, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<?xi32>
    %7 = sdy.reshard %6 <@mesh, [{"x"}]> : tensor<?xi32>
    %8 = stablehlo.slice %arg0 [1:8] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([j]) {i=8, j=7}, custom>} : (tensor<8xi32>) -> tensor<7xi32>
    return %2, %4, %7, %8 : tensor<2xi32>, tensor<9xi32>, tensor<?xi32>, tensor<7xi32>
  }
}
// -----
// weft opt --sdy-resolve-permutation-factors='replica-count=2 partition-count=2'
// One number says which device this is.
module {
}
// ==>
// error: does not support both replica_count > 1 and partition_count > 1 yet.
// -----
// weft opt --sdy-resolve-permutation-factors
// Uneven reshapes whose two sides are cut along different axes, or one side only: both are made whole.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<24xi32>, tensor<2x3x4xi32>) {
    %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<6xi32>) -> tensor<2x3xi32>
    %1 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<6xi32>) -> tensor<2x3xi32>
    %2 = stablehlo.reshape %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<6x4xi32>) -> tensor<24xi32>
    %3 = stablehlo.reshape %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"y"}]>]>} : (tensor<6x4xi32>) -> tensor<2x3x4xi32>
    return %0, %1, %2, %3 : tensor<2x3xi32>, tensor<2x3xi32>, tensor<24xi32>, tensor<2x3x4xi32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<24xi32>, tensor<2x3x4xi32>) {
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<6xi32>
    %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<6xi32>) -> tensor<2x3xi32>
    %2 = sdy.reshard %1 <@mesh, [{"y"}, {}]> : tensor<2x3xi32>
    %3 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<6xi32>
    %4 = stablehlo.reshape %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<6xi32>) -> tensor<2x3xi32>
    %5 = sdy.reshard %4 <@mesh, [{}, {}]> : tensor<2x3xi32>
    %6 = sdy.reshard %arg1 <@mesh, [{}, {}]> : tensor<6x4xi32>
    %7 = stablehlo.reshape %6 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<6x4xi32>) -> tensor<24xi32>
    %8 = sdy.reshard %7 <@mesh, [{"y"}]> : tensor<24xi32>
    %9 = sdy.reshard %arg2 <@mesh, [{}, {"y"}]> : tensor<6x4xi32>
    %10 = stablehlo.reshape %9 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"y"}]>]>} : (tensor<6x4xi32>) -> tensor<2x3x4xi32>
    %11 = sdy.reshard %10 <@mesh, [{}, {}, {"y"}]> : tensor<2x3x4xi32>
    return %2, %5, %8, %11 : tensor<2x3xi32>, tensor<2x3xi32>, tensor<24xi32>, tensor<2x3x4xi32>
  }
}
// -----
// weft opt --sdy-resolve-permutation-factors
// As many elements with their padding on both sides: an exchange only where both count the devices in the same order.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<2x3xi32>, tensor<2x3xi32>) {
    %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(2)2}, {"x":(1)2}]>]>} : (tensor<6xi32>) -> tensor<2x3xi32>
    %1 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(1)2}, {"x":(2)2}]>]>} : (tensor<6xi32>) -> tensor<2x3xi32>
    return %0, %1 : tensor<2x3xi32>, tensor<2x3xi32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<2x3xi32>, tensor<2x3xi32>) {
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<6xi32>
    %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<6xi32>) -> tensor<2x3xi32>
    %2 = sdy.reshard %1 <@mesh, [{"x":(2)2}, {"x":(1)2}]> : tensor<2x3xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.pad %arg0, %c, low = [0], high = [2], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<6xi32>, tensor<i32>) -> tensor<8xi32>
    %4 = sdy.manual_computation(%3, %c) in_shardings=[<@mesh, [{"x"}]>, <@mesh, []>] out_shardings=[<@mesh, [{"x":(1)2}, {"x":(2)2}]>] manual_axes={"x"} (%arg1: tensor<2xi32>, %arg2: tensor<i32>) {
      %6 = "stablehlo.collective_permute"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [1, 3], [2, 4], [3, 5], [4, 6], [5, 7]]> : tensor<6x2xi64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<2xi32>) -> tensor<2xi32>
      %7 = stablehlo.concatenate %6, %arg1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
      %8 = stablehlo.pad %7, %arg2, low = [2], high = [2], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<4xi32>, tensor<i32>) -> tensor<8xi32>
      %9 = stablehlo.partition_id : tensor<ui32>
      %10 = stablehlo.convert %9 : (tensor<ui32>) -> tensor<i64>
      %c_0 = stablehlo.constant dense<4> : tensor<i64>
      %11 = stablehlo.divide %10, %c_0 : tensor<i64>
      %c_1 = stablehlo.constant dense<2> : tensor<i64>
      %12 = stablehlo.remainder %11, %c_1 : tensor<i64>
      %c_2 = stablehlo.constant dense<2> : tensor<i64>
      %13 = stablehlo.divide %10, %c_2 : tensor<i64>
      %c_3 = stablehlo.constant dense<2> : tensor<i64>
      %14 = stablehlo.remainder %13, %c_3 : tensor<i64>
      %c_4 = stablehlo.constant dense<2> : tensor<i64>
      %15 = stablehlo.multiply %12, %c_4 : tensor<i64>
      %16 = stablehlo.add %15, %14 : tensor<i64>
      %c_5 = stablehlo.constant dense<[4, 4, 3, 3]> : tensor<4xi64>
      %17 = stablehlo.dynamic_slice %c_5, %16, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
      %18 = stablehlo.reshape %17 : (tensor<1xi64>) -> tensor<i64>
      %c_6 = stablehlo.constant dense<0> : tensor<i64>
      %19 = stablehlo.maximum %18, %c_6 : tensor<i64>
      %20 = stablehlo.dynamic_slice %8, %19, sizes = [2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xi32>, tensor<i64>) -> tensor<2xi32>
      %21 = stablehlo.reshape %20 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<2xi32>) -> tensor<1x2xi32>
      sdy.return %21 : tensor<1x2xi32>
    } : (tensor<8xi32>, tensor<i32>) -> tensor<2x4xi32>
    %5 = stablehlo.slice %4 [0:2, 0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(1)2}, {"x":(2)2}]>]>} : (tensor<2x4xi32>) -> tensor<2x3xi32>
    return %2, %5 : tensor<2x3xi32>, tensor<2x3xi32>
  }
}
// -----
// weft opt --sdy-resolve-permutation-factors=enable-halo-exchange=false
// And none where exchanges are not wanted.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<2x3xi32>, tensor<2x3xi32>) {
    %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(2)2}, {"x":(1)2}]>]>} : (tensor<6xi32>) -> tensor<2x3xi32>
    %1 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(1)2}, {"x":(2)2}]>]>} : (tensor<6xi32>) -> tensor<2x3xi32>
    return %0, %1 : tensor<2x3xi32>, tensor<2x3xi32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<2x3xi32>, tensor<2x3xi32>) {
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<6xi32>
    %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<6xi32>) -> tensor<2x3xi32>
    %2 = sdy.reshard %1 <@mesh, [{"x":(2)2}, {"x":(1)2}]> : tensor<2x3xi32>
    %3 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<6xi32>
    %4 = stablehlo.reshape %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<6xi32>) -> tensor<2x3xi32>
    %5 = sdy.reshard %4 <@mesh, [{"x":(1)2}, {"x":(2)2}]> : tensor<2x3xi32>
    return %2, %5 : tensor<2x3xi32>, tensor<2x3xi32>
  }
}
