// weft opt --weft-propagate
// The user's uneven cut stays, what propagation would cut unevenly is cut where it divides.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<6x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}, %arg1: tensor<6x3xf32>) -> (tensor<6x3xf32>, tensor<3x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<6x3xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<6x3xf32>) -> tensor<3x6xf32>
    return %0, %1 : tensor<6x3xf32>, tensor<3x6xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func @main(%arg0: tensor<6x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<6x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<6x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<3x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<6x3xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<6x3xf32>) -> tensor<3x6xf32>
    return %0, %1 : tensor<6x3xf32>, tensor<3x6xf32>
  }
}
// -----
// weft opt --weft-note-uneven-borders
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    return %arg1 : tensor<8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> attributes {weft.given_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{}]>, <@mesh, [{}]>]>} {
    return %arg1 : tensor<8xf32>
  }
}
// -----
// weft opt --weft-export
// From parts of 3 3 3 1 to whole, to parts along the other dimension, and summed with the padding masked.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<10x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<10x6xf32>, tensor<10x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<6xf32>) {
    %0 = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0] : (tensor<10x6xf32>, tensor<f32>) -> tensor<6xf32>
    return %arg0, %arg0, %1 : tensor<10x6xf32>, tensor<10x6xf32>, tensor<6xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<3x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<10x6xf32>, tensor<10x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<6xf32>) {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
    %c = stablehlo.constant dense<3> : tensor<i32>
    %2 = stablehlo.multiply %1, %c : tensor<i32>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %3 = stablehlo.multiply %1, %c_0 : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c_1 = stablehlo.constant dense<10> : tensor<i32>
    %4 = stablehlo.subtract %c_1, %2 : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %6 = stablehlo.iota dim = 0 : tensor<3xi32>
    %7 = stablehlo.compare LT, %6, %5 : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<3xi1>) -> tensor<3x6xi1>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x6xf32>
    %10 = stablehlo.select %8, %arg0, %9 : tensor<3x6xi1>, tensor<3x6xf32>
    %11 = stablehlo.reduce(%10 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3x6xf32>, tensor<f32>) -> tensor<6xf32>
    %12 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<3x6xf32>) -> tensor<12x6xf32>
    %13 = stablehlo.slice %12 [0:10, 0:6] : (tensor<12x6xf32>) -> tensor<10x6xf32>
    %14 = stablehlo.pad %13, %cst, low = [0, 0], high = [0, 2], interior = [0, 0] : (tensor<10x6xf32>, tensor<f32>) -> tensor<10x8xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %15 = stablehlo.dynamic_slice %14, %c_2, %3, sizes = [10, 2] : (tensor<10x8xf32>, tensor<i32>, tensor<i32>) -> tensor<10x2xf32>
    %16 = "stablehlo.all_reduce"(%11) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %17 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %17 : tensor<f32>
    }) : (tensor<6xf32>) -> tensor<6xf32>
    return %13, %15, %16 : tensor<10x6xf32>, tensor<10x2xf32>, tensor<6xf32>
  }
}
// -----
// weft opt --sdy-convert-global-to-local='compact=true'
// Over 2 parts 10 is 5 5, over 4 it is 3 3 3 1: no gather between them.
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) -> (tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = sdy.all_gather [{"y"}] %arg0 out_sharding=<@mesh, [{"x"}]> : tensor<10xf32>
    return %0 : tensor<10xf32>
  }
}
// ==>
// error: gather the dimension first
// -----
// weft opt --sdy-convert-global-to-local
// As Shardy writes it all parts are whole.
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) -> (tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = sdy.all_gather [{"y"}] %arg0 out_sharding=<@mesh, [{"x"}]> : tensor<10xf32>
    return %0 : tensor<10xf32>
  }
}
// ==>
// error: split unevenly
// -----
// weft opt --sdy-convert-global-to-local='compact=true'
// In four steps a part of 16 is no multiple of 3.
module {
  sdy.mesh @mesh = <["x"=3]>
  func.func @main(%arg0: tensor<48xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<48xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.fft %arg0, type = FFT, length = [48] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<48xcomplex<f32>>) -> tensor<48xcomplex<f32>>
    return %0 : tensor<48xcomplex<f32>>
  }
}
// ==>
// error: stablehlo.fft over 3 shards of 48 elements, which it cannot do in parts: gather the dimension first
// -----
// weft opt --sdy-convert-global-to-local='compact=true'
// A prime has no columns.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<31xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<61xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [61] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<31xcomplex<f32>>) -> tensor<61xf32>
    return %0 : tensor<61xf32>
  }
}
// ==>
// error: stablehlo.fft over 4 shards of 61 elements, which it cannot do in parts: gather the dimension first
// -----
// weft opt --weft-note-uneven-borders --sdy-user-priority-propagate --sdy-close-shardings --weft-keep-uneven-borders
// What is noted of a border has no priorities: they would stand at dimensions that are closed by then.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%a: tensor<4x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}p2, {"x", "y"}p1]>}) -> tensor<4x7xf32> {
  %0 = stablehlo.tanh %a : tensor<4x7xf32>
  return %0 : tensor<4x7xf32>
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<4x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}) -> (tensor<4x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}) {
    %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x", "y"}]>]>} : tensor<4x7xf32>
    return %0 : tensor<4x7xf32>
  }
}
// -----
// weft opt --weft-propagate
// Results keep what propagation found, where no part is empty, no argument takes their place and the user has not said otherwise.
sdy.mesh @m = <["x"=4, "y"=2]>
func.func @main(%a: tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %b: tensor<3x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %c: tensor<10x8xf32> {tf.aliasing_output = 2 : i32}) -> (tensor<10x8xf32>, tensor<3x8xf32>, tensor<10x8xf32>, tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) {
  %0 = stablehlo.negate %a : tensor<10x8xf32>
  %1 = stablehlo.negate %b : tensor<3x8xf32>
  %2 = stablehlo.add %a, %c : tensor<10x8xf32>
  return %0, %1, %2, %0 : tensor<10x8xf32>, tensor<3x8xf32>, tensor<10x8xf32>, tensor<10x8xf32>
}
// ==>
module {
  sdy.mesh @m = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func @main(%arg0: tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %arg1: tensor<3x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg2: tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>, tf.aliasing_output = 2 : i32}) -> (tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, tensor<3x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}, tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}, tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : tensor<10x8xf32>
    %1 = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<3x8xf32>
    %2 = stablehlo.add %arg0, %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : tensor<10x8xf32>
    return %0, %1, %2, %0 : tensor<10x8xf32>, tensor<3x8xf32>, tensor<10x8xf32>, tensor<10x8xf32>
  }
}
