// weft opt --sdy-insert-explicit-reshards=enable-full-version=true
// A factor that both operands shard otherwise gets the axes of the larger tensor; the smaller one comes there.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<8x64xf32> {
    %0 = stablehlo.dot %arg0, %arg1 : (tensor<8x32xf32>, tensor<32x64xf32>) -> tensor<8x64xf32>
    return %0 : tensor<8x64xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<8x64xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {"x"}]> : tensor<8x32xf32>
    %1 = stablehlo.dot %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<8x32xf32>, tensor<32x64xf32>) -> tensor<8x64xf32>
    %2 = sdy.all_reduce {"x"} %1 out_sharding=<@mesh, [{}, {"y"}]> : tensor<8x64xf32>
    %3 = sdy.reshard %2 <@mesh, [{}, {}]> : tensor<8x64xf32>
    return %3 : tensor<8x64xf32>
  }
}
// -----
// weft opt --sdy-insert-explicit-reshards=enable-full-version=true
// Sums over a sharded factor are finished behind the op, then brought to where the result is declared.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x32xf32>, tensor<32x64xf32>) -> tensor<8x64xf32>
    return %0 : tensor<8x64xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x32xf32>, tensor<32x64xf32>) -> tensor<8x64xf32>
    %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x64xf32>
    %2 = sdy.reshard %1 <@mesh, [{"x"}, {}]> : tensor<8x64xf32>
    return %2 : tensor<8x64xf32>
  }
}
// -----
// weft opt --sdy-insert-explicit-reshards=enable-full-version=true
// A maximum is finished as such; a product along a sharded dimension is not split, as no all-reduce multiplies.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<32xf32>, tensor<32xf32>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<8x32xf32>, tensor<f32>) -> tensor<32xf32>
    %1 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.multiply across dimensions = [0] : (tensor<8x32xf32>, tensor<f32>) -> tensor<32xf32>
    return %0, %1 : tensor<32xf32>, tensor<32xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<32xf32>, tensor<32xf32>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<8x32xf32>, tensor<f32>) -> tensor<32xf32>
    %1 = sdy.all_reduce max {"x"} %0 out_sharding=<@mesh, [{}]> : tensor<32xf32>
    %2 = sdy.reshard %arg0 <@mesh, [{}, {}]> : tensor<8x32xf32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.multiply across dimensions = [0] : (tensor<8x32xf32>, tensor<f32>) -> tensor<32xf32>
    return %1, %3 : tensor<32xf32>, tensor<32xf32>
  }
}
// -----
// weft opt --sdy-insert-explicit-reshards=enable-full-version=true
// Of two tensors the larger is followed, here the operand of a slice; a value that nobody shards is brought along.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = stablehlo.slice %arg0 [0:8, 0:16] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<8x32xf32>) -> tensor<8x16xf32>
    %1 = stablehlo.add %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<8x16xf32>
    return %1 : tensor<8x16xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = stablehlo.slice %arg0 [0:8, 0:16] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x32xf32>) -> tensor<8x16xf32>
    %1 = sdy.reshard %0 <@mesh, [{"y"}, {}]> : tensor<8x16xf32>
    %2 = sdy.reshard %arg1 <@mesh, [{"y"}, {}]> : tensor<8x16xf32>
    %3 = stablehlo.add %1, %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<8x16xf32>
    %4 = sdy.reshard %3 <@mesh, [{}, {}]> : tensor<8x16xf32>
    return %4 : tensor<8x16xf32>
  }
}
// -----
// weft opt --sdy-insert-explicit-reshards=enable-full-version=true
// What a dimension that must be whole gives up goes to a batch dimension that it divides: a sort along its sharded dimension.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = false}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.compare LT, %arg1, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}]>]>} : (tensor<8x32xf32>) -> tensor<8x32xf32>
    return %0 : tensor<8x32xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"y", "x"}, {}]> : tensor<8x32xf32>
    %1 = "stablehlo.sort"(%0) <{dimension = 1 : i64, is_stable = false}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %3 = stablehlo.compare LT, %arg1, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", "x"}, {}]>]>} : (tensor<8x32xf32>) -> tensor<8x32xf32>
    %2 = sdy.reshard %1 <@mesh, [{"y"}, {"x"}]> : tensor<8x32xf32>
    return %2 : tensor<8x32xf32>
  }
}
// -----
// weft opt --sdy-insert-explicit-reshards=enable-full-version=true
// A reshape whose axes do not fit: those that fit both sides stay.
module {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) -> tensor<3x4xf32> {
    %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<12xf32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) -> tensor<3x4xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"y", "x"}]> : tensor<12xf32>
    %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}]>]>} : (tensor<12xf32>) -> tensor<3x4xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {"x"}]> : tensor<3x4xf32>
    %3 = sdy.reshard %2 <@mesh, [{}, {}]> : tensor<3x4xf32>
    return %3 : tensor<3x4xf32>
  }
}
// -----
// weft opt --sdy-insert-explicit-reshards=enable-full-version=true
// Meshes of the same axes and other devices meet in the one that shards most tensors.
module {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @turned = <["x"=4], device_ids=[3, 2, 1, 0]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@turned, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@turned, [{"x"}]>}) {
    %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@turned, [{"x"}]>]>} : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @turned = <["x"=4], device_ids=[3, 2, 1, 0]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@turned, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@turned, [{"x"}]>}) {
    %0 = sdy.reshard %arg0 <@turned, [{"x"}]> : tensor<8xf32>
    %1 = stablehlo.add %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@turned, [{"x"}]>]>} : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// -----
// weft opt --sdy-insert-explicit-reshards=enable-full-version=true
// Loops, calls and computations get their values where they want them, right behind where these come from.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<i32>) -> tensor<8xf32> {
    %c = stablehlo.constant dense<4> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<8xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>, <@mesh, []>]>}
     cond {
      %3 = stablehlo.compare LT, %iterArg_0, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = stablehlo.add %iterArg_0, %iterArg_0 : tensor<i32>
      %4 = stablehlo.negate %iterArg {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
      stablehlo.return %4, %3 : tensor<8xf32>, tensor<i32>
    }
    %1 = sdy.manual_computation(%0#0) in_shardings=[<@mesh, [{"x", "y"}]>] out_shardings=[<@mesh, [{"x", "y"}]>] manual_axes={"x"} (%arg2: tensor<2xf32>) {
      %3 = stablehlo.negate %arg2 : tensor<2xf32>
      sdy.return %3 : tensor<2xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %2 = call @f(%1) : (tensor<8xf32>) -> tensor<8xf32>
    return %2 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<i32>) -> tensor<8xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"y"}]> : tensor<8xf32>
    %c = stablehlo.constant dense<4> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %0, %iterArg_0 = %arg1) : tensor<8xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>, <@mesh, []>]>}
    cond {
      %6 = stablehlo.compare LT, %iterArg_0, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    } do {
      %6 = stablehlo.add %iterArg_0, %iterArg_0 : tensor<i32>
      %7 = sdy.reshard %iterArg <@mesh, [{"x"}]> : tensor<8xf32>
      %8 = stablehlo.negate %7 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
      %9 = sdy.reshard %8 <@mesh, [{"y"}]> : tensor<8xf32>
      stablehlo.return %9, %6 : tensor<8xf32>, tensor<i32>
    }
    %2 = sdy.reshard %1#0 <@mesh, [{"x", "y"}]> : tensor<8xf32>
    %3 = sdy.manual_computation(%2) in_shardings=[<@mesh, [{"x", "y"}]>] out_shardings=[<@mesh, [{"x", "y"}]>] manual_axes={"x"} (%arg2: tensor<2xf32>) {
      %6 = stablehlo.negate %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<2xf32>
      %7 = sdy.reshard %6 <@mesh, [{}]> : tensor<2xf32>
      %8 = sdy.reshard %7 <@mesh, [{"y"}]> : tensor<2xf32>
      sdy.return %8 : tensor<2xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %4 = sdy.reshard %3 <@mesh, [{"y"}]> : tensor<8xf32>
    %5 = call @f(%4) : (tensor<8xf32>) -> tensor<8xf32>
    return %5 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<8xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// -----
// weft opt --sdy-insert-explicit-reshards=enable-full-version=true
// Partial values: finished where a reader is not partial, kept where it is, made from whole values and shards for one that wants them so.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, tensor<8x8xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<8x8xf32>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x", "y"}>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = sdy.reshard %arg1 <@mesh, [{}, {}], unreduced={"x", "y"}> : tensor<8x8xf32>
    return %0, %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, tensor<8x8xf32>) {
    %0 = sdy.all_reduce {"x", "y"} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %1 = stablehlo.negate %0 : tensor<8x8xf32>
    %2 = stablehlo.transpose %arg0, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x", "y"}>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = sdy.replicated_to_unreduced {"y"} %arg1 out_sharding=<@mesh, [{"x"}, {}], unreduced={"y"}> : tensor<8x8xf32>
    %4 = sdy.sharded_to_unreduced [{"x"}, {}] %3 out_sharding=<@mesh, [{}, {}], unreduced={"x", "y"}> : tensor<8x8xf32>
    %5 = sdy.all_reduce {"x"} %2 out_sharding=<@mesh, [{}, {}], unreduced={"y"}> : tensor<8x8xf32>
    %6 = sdy.all_reduce {"x", "y"} %4 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    return %1, %5, %6 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// -----
// weft opt --sdy-insert-explicit-reshards=enable-full-version=true
// An op on one device gets its operands there and gives its results back.
module {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @one = <[], device_ids=[2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.custom_call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @one = <[], device_ids=[2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
    %1 = sdy.reshard %0 <@one, []> : tensor<8xf32>
    %2 = stablehlo.custom_call @f(%1) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %3 = sdy.reshard %2 <@mesh, [{}]> : tensor<8xf32>
    %4 = sdy.reshard %3 <@mesh, [{"x"}]> : tensor<8xf32>
    return %4 : tensor<8xf32>
  }
}
// -----
// weft opt --sdy-insert-explicit-reshards
// The short version moves the result of a product when that is the smaller tensor, and pieces to where their concatenation is.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<4x16xf32>) {
    %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x8xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
    return %0, %2 : tensor<4x8xf32>, tensor<4x16xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<4x16xf32>) {
    %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {"x"}]> : tensor<4x8xf32>
    %2 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x8xf32>
    %3 = sdy.reshard %1 <@mesh, [{"y"}, {}]> : tensor<4x8xf32>
    %4 = sdy.reshard %2 <@mesh, [{"y"}, {}]> : tensor<4x8xf32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
    return %1, %5 : tensor<4x8xf32>, tensor<4x16xf32>
  }
}
// -----
// weft opt --sdy-insert-explicit-reshards=enable-full-version=true
// A sum whose zero was brought elsewhere is one from zero: it is finished over the devices.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<32xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = sdy.reshard %cst <@mesh, []> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0] : (tensor<8x32xf32>, tensor<f32>) -> tensor<32xf32>
    return %1 : tensor<32xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<32xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = sdy.reshard %cst <@mesh, []> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0] : (tensor<8x32xf32>, tensor<f32>) -> tensor<32xf32>
    %2 = sdy.all_reduce {"x"} %1 out_sharding=<@mesh, [{}]> : tensor<32xf32>
    return %2 : tensor<32xf32>
  }
}
// -----
// weft opt --sdy-insert-explicit-reshards=enable-full-version=true
// Of two results the second is wanted elsewhere, and both operands lie where they are needed.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8x32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
    %0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<i32>):
      %1 = stablehlo.compare LT, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{"y"}, {}]>]>} : (tensor<8x32xf32>, tensor<8x32xi32>) -> (tensor<8x32xf32>, tensor<8x32xi32>)
    return %0#0, %0#1 : tensor<8x32xf32>, tensor<8x32xi32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8x32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
    %0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<i32>):
      %2 = stablehlo.compare LT, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>]>} : (tensor<8x32xf32>, tensor<8x32xi32>) -> (tensor<8x32xf32>, tensor<8x32xi32>)
    %1 = sdy.reshard %0#1 <@mesh, [{"y"}, {}]> : tensor<8x32xi32>
    return %0#0, %1 : tensor<8x32xf32>, tensor<8x32xi32>
  }
}
// -----
// weft opt --sdy-insert-explicit-reshards=enable-full-version=true
// The same of a reduction, whose operands are not shaped as its results are.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.reduce(%arg0 init: %cst), (%arg1 init: %c) across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{"y"}]>]>} : (tensor<8x32xf32>, tensor<8x32xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
     reducer(%arg2: tensor<f32>, %arg3: tensor<f32>) (%arg4: tensor<i32>, %arg5: tensor<i32>) {
      %1 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
      %2 = stablehlo.add %arg4, %arg5 : tensor<i32>
      stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
    }
    return %0#0, %0#1 : tensor<8xf32>, tensor<8xi32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.reduce(%arg0 init: %cst), (%arg1 init: %c) across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>]>} : (tensor<8x32xf32>, tensor<8x32xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
     reducer(%arg2: tensor<f32>, %arg4: tensor<f32>) (%arg3: tensor<i32>, %arg5: tensor<i32>)  {
      %2 = stablehlo.maximum %arg2, %arg4 : tensor<f32>
      %3 = stablehlo.add %arg3, %arg5 : tensor<i32>
      stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
    }
    %1 = sdy.reshard %0#1 <@mesh, [{"y"}]> : tensor<8xi32>
    return %0#0, %1 : tensor<8xf32>, tensor<8xi32>
  }
}
