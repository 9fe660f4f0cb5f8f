// weft opt --weft-insert-reshards
// The sum over a cut contraction is left unreduced and finished where it is read.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {}]> : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// -----
// weft opt --weft-insert-reshards
// Two sums that are added are finished once.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [0] x [1] : (tensor<16x8xf32>, tensor<8x16xf32>) -> tensor<8x8xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = stablehlo.add %0, %2 : tensor<8x8xf32>
    return %3 : tensor<8x8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [0] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<16x8xf32>, tensor<8x16xf32>) -> tensor<8x8xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = stablehlo.add %0, %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : tensor<8x8xf32>
    %4 = sdy.reshard %3 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    return %4 : tensor<8x8xf32>
  }
}
// -----
// weft opt --weft-insert-reshards
// A maximum is finished behind its op; both readers of the gathered argument share one reshard.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.reverse %arg0, dims = [0] : tensor<8x4xf32>
    return %0, %1, %arg0 : tensor<4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = sdy.all_reduce max {"x"} %0 out_sharding=<@mesh, [{}]> : tensor<4xf32>
    %2 = sdy.reshard %arg0 <@mesh, [{}, {}]> : tensor<8x4xf32>
    %3 = stablehlo.reverse %2, dims = [0] : tensor<8x4xf32>
    return %1, %3, %2 : tensor<4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
  }
}
// -----
// weft opt --weft-insert-reshards
// What a loop carries stays in the result's sharding.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %c) : tensor<8xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, []>]>}
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg_0, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %iterArg_0, %c_1 : tensor<i32>
      %2 = stablehlo.tanh %iterArg : tensor<8xf32>
      stablehlo.return %2, %1 : tensor<8xf32>, tensor<i32>
    }
    return %0#0 : tensor<8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
    %1:2 = stablehlo.while(%iterArg = %0, %iterArg_0 = %c) : tensor<8xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, []>]>}
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_0, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg_0, %c_1 : tensor<i32>
      %3 = stablehlo.tanh %iterArg {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
      stablehlo.return %3, %2 : tensor<8xf32>, tensor<i32>
    }
    return %1#0 : tensor<8xf32>
  }
}
// -----
// weft opt --weft-insert-reshards
// What the turns of a loop write, and another loop reads, is carried where they make it, not where propagation has it, when nobody else wants
// it there: no row changes places.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<0.0> : tensor<4x8x64xf32>
    %0:3 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %c, %iterArg_1 = %cst) : tensor<8x64xf32>, tensor<i32>, tensor<4x8x64xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, []>, <@mesh, [{}, {}, {"x"}]>]>}
    cond {
      %c_2 = stablehlo.constant dense<4> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_0, %c_2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg_0, %c_3 : tensor<i32>
      %3 = stablehlo.tanh %iterArg {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x64xf32>
      %4 = stablehlo.broadcast_in_dim %3, dims = [1, 2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<8x64xf32>) -> tensor<1x8x64xf32>
      %5 = stablehlo.dynamic_update_slice %iterArg_1, %4, %iterArg_0, %c_2, %c_2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"x"}]>]>} : (tensor<4x8x64xf32>, tensor<1x8x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x8x64xf32>
      stablehlo.return %3, %2, %5 : tensor<8x64xf32>, tensor<i32>, tensor<4x8x64xf32>
    }
    %1:3 = stablehlo.while(%iterArg = %0#0, %iterArg_0 = %c, %iterArg_1 = %0#2) : tensor<8x64xf32>, tensor<i32>, tensor<4x8x64xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, []>, <@mesh, [{}, {}, {"x"}]>]>}
    cond {
      %c_2 = stablehlo.constant dense<4> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_0, %c_2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg_0, %c_3 : tensor<i32>
      %3 = stablehlo.dynamic_slice %iterArg_1, %iterArg_0, %c_2, %c_2, sizes = [1, 8, 64] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"x"}]>]>} : (tensor<4x8x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x64xf32>
      %4 = stablehlo.reshape %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<1x8x64xf32>) -> tensor<8x64xf32>
      %5 = stablehlo.multiply %iterArg, %4 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x64xf32>
      stablehlo.return %5, %2, %iterArg_1 : tensor<8x64xf32>, tensor<i32>, tensor<4x8x64xf32>
    }
    return %1#0 : tensor<8x64xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x8x64xf32>
    %cst_0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} dense<0.000000e+00> : tensor<4x8x64xf32>
    %0:3 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %c, %iterArg_2 = %cst_0) : tensor<8x64xf32>, tensor<i32>, tensor<4x8x64xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, []>, <@mesh, [{}, {"x"}, {}]>]>}
    cond {
      %c_3 = stablehlo.constant dense<4> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_1, %c_3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg_1, %c_4 : tensor<i32>
      %3 = stablehlo.tanh %iterArg {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x64xf32>
      %4 = stablehlo.broadcast_in_dim %3, dims = [1, 2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<8x64xf32>) -> tensor<1x8x64xf32>
      %5 = stablehlo.dynamic_update_slice %iterArg_2, %4, %iterArg_1, %c_3, %c_3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<4x8x64xf32>, tensor<1x8x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x8x64xf32>
      stablehlo.return %3, %2, %5 : tensor<8x64xf32>, tensor<i32>, tensor<4x8x64xf32>
    }
    %1:3 = stablehlo.while(%iterArg = %0#0, %iterArg_1 = %c, %iterArg_2 = %0#2) : tensor<8x64xf32>, tensor<i32>, tensor<4x8x64xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, []>, <@mesh, [{}, {"x"}, {}]>]>}
    cond {
      %c_3 = stablehlo.constant dense<4> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_1, %c_3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg_1, %c_4 : tensor<i32>
      %3 = stablehlo.dynamic_slice %iterArg_2, %iterArg_1, %c_3, %c_3, sizes = [1, 8, 64] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<4x8x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x64xf32>
      %4 = stablehlo.reshape %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<1x8x64xf32>) -> tensor<8x64xf32>
      %5 = stablehlo.multiply %iterArg, %4 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x64xf32>
      stablehlo.return %5, %2, %iterArg_2 : tensor<8x64xf32>, tensor<i32>, tensor<4x8x64xf32>
    }
    return %1#0 : tensor<8x64xf32>
  }
}
// -----
// weft opt --weft-insert-reshards
// What does not divide is cut into parts of which the last hold padding; a reduction may be cut so, a sort along the dimension not.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<f32>, tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %2 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %3 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    }) : (tensor<6xf32>) -> tensor<6xf32>
    return %1, %2 : tensor<f32>, tensor<6xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<f32>, tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [], unreduced={"x"}>]>} : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %1 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<6xf32>
    %2 = "stablehlo.sort"(%1) <{dimension = 0 : i64}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %5 = stablehlo.compare LT, %arg1, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    }) : (tensor<6xf32>) -> tensor<6xf32>
    %3 = sdy.reshard %0 <@mesh, []> : tensor<f32>
    %4 = sdy.reshard %2 <@mesh, [{"x"}]> : tensor<6xf32>
    return %3, %4 : tensor<f32>, tensor<6xf32>
  }
}
// -----
// weft opt --weft-insert-reshards
// What passes a barrier stays where it is, each value its own way.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<4xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<4xf32>) {
    %0:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{}]>]>} %arg0, %arg1 : tensor<8xf32>, tensor<4xf32>
    return %0#0, %0#1 : tensor<8xf32>, tensor<4xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<4xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<4xf32>) {
    %0:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{}]>]>} %arg0, %arg1 : tensor<8xf32>, tensor<4xf32>
    return %0#0, %0#1 : tensor<8xf32>, tensor<4xf32>
  }
}
// -----
// weft opt --weft-partition
// Shapes without a common divisor: a part of the result comes from all over the operand, which stays whole.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<2x3xf32>) -> (tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
  func.func @main(%arg0: tensor<2x3xf32>) -> (tensor<3x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
    %2 = stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.dynamic_slice %2, %c, %1, sizes = [3, 1] : (tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x1xf32>
    return %3 : tensor<3x1xf32>
  }
}
// -----
// weft opt --weft-partition
// A call whose writer gave a rule is split along the loops that both sides have.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4x8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> tensor<4x8x2xf32> {
    %0:2 = stablehlo.custom_call @factor(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k]) -> ([i, l, m], [i, n]) {i=4, j=8, k=2, l=8, m=2, n=2}, custom>} : (tensor<4x8x2xf32>) -> (tensor<4x8x2xf32>, tensor<4x2xf32>)
    return %0#0 : tensor<4x8x2xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
  func.func @main(%arg0: tensor<2x8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> (tensor<2x8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) {
    %0:2 = stablehlo.custom_call @factor(%arg0) : (tensor<2x8x2xf32>) -> (tensor<2x8x2xf32>, tensor<2x2xf32>)
    return %0#0 : tensor<2x8x2xf32>
  }
}
// -----
// weft opt --weft-insert-reshards
// A call that computes element by element stays in parts, by the rule of work of its target.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x8xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = stablehlo.custom_call @X64SplitLow(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x8xui64>) -> tensor<8x8xui32>
    return %0 : tensor<8x8xui32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x8xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = stablehlo.custom_call @X64SplitLow(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x8xui64>) -> tensor<8x8xui32>
    return %0 : tensor<8x8xui32>
  }
}
// -----
// weft opt --weft-insert-reshards
// Of a stack of matrices each device takes some; what cut the matrices cuts the stack.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}]>}) -> (tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}]>}) {
    %0 = stablehlo.custom_call @Cholesky(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {"y"}]>]>} : (tensor<8x4x4xf32>) -> tensor<8x4x4xf32>
    return %0 : tensor<8x4x4xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}]>}) -> (tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"x", "y"}, {}, {}]> : tensor<8x4x4xf32>
    %1 = stablehlo.custom_call @Cholesky(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y"}, {}, {}]>]>} : (tensor<8x4x4xf32>) -> tensor<8x4x4xf32>
    %2 = sdy.reshard %1 <@mesh, [{"x"}, {}, {"y"}]> : tensor<8x4x4xf32>
    return %2 : tensor<8x4x4xf32>
  }
}
// -----
// weft opt --weft-insert-reshards
// A collective of the program works on parts along the axes that its groups do not cross.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// -----
// weft opt --weft-insert-reshards
// Four of eight devices can hold whole heads: the axis is cut in two.
module {
  sdy.mesh @mesh = <["x"=8]>
  func.func @main(%arg0: tensor<16x768xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<16x12x64xf32> {
    %0 = stablehlo.reshape %arg0 : (tensor<16x768xf32>) -> tensor<16x12x64xf32>
    return %0 : tensor<16x12x64xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=8]>
  func.func @main(%arg0: tensor<16x768xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<16x12x64xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {"x":(1)4}]> : tensor<16x768xf32>
    %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x":(1)4}, {}]>]>} : (tensor<16x768xf32>) -> tensor<16x12x64xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {}, {}]> : tensor<16x12x64xf32>
    return %2 : tensor<16x12x64xf32>
  }
}
// -----
// weft opt --weft-insert-reshards
// The order of two axes along a sum is the one in which they lie there, not that of the result.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<2x64x13xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}, {}]>}) -> (tensor<2x13xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<2x64x13xf32>, tensor<f32>) -> tensor<2x13xf32>
    return %0 : tensor<2x13xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<2x64x13xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}, {}]>}) -> (tensor<2x13xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x", "y"}>]>} : (tensor<2x64x13xf32>, tensor<f32>) -> tensor<2x13xf32>
    %1 = sdy.reshard %0 <@mesh, [{"y"}, {}]> : tensor<2x13xf32>
    return %1 : tensor<2x13xf32>
  }
}
// -----
// weft opt --weft-insert-reshards
// Rows go to batches before the product, where they are a third as large as behind it, though product and bias both have to be elsewhere than
// propagation has them for that.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8x64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %arg1: tensor<32x96xf32>, %arg2: tensor<96xf32>) -> (tensor<8x64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<8x64x32xf32>, tensor<32x96xf32>) -> tensor<8x64x96xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<96xf32>) -> tensor<8x64x96xf32>
    %2 = stablehlo.add %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : tensor<8x64x96xf32>
    %3 = stablehlo.dot_general %2, %2, batching_dims = [0] x [0], contracting_dims = [2] x [2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>]>} : (tensor<8x64x96xf32>, tensor<8x64x96xf32>) -> tensor<8x64x64xf32>
    return %3 : tensor<8x64x64xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8x64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %arg1: tensor<32x96xf32>, %arg2: tensor<96xf32>) -> (tensor<8x64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"x"}, {}, {}]> : tensor<8x64x32xf32>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [2] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>]>} : (tensor<8x64x32xf32>, tensor<32x96xf32>) -> tensor<8x64x96xf32>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>]>} : (tensor<96xf32>) -> tensor<8x64x96xf32>
    %3 = stablehlo.add %1, %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>]>} : tensor<8x64x96xf32>
    %4 = stablehlo.dot_general %3, %3, batching_dims = [0] x [0], contracting_dims = [2] x [2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>]>} : (tensor<8x64x96xf32>, tensor<8x64x96xf32>) -> tensor<8x64x64xf32>
    return %4 : tensor<8x64x64xf32>
  }
}
// -----
// weft opt --weft-insert-reshards
// A sum with two readers is scattered for both, though the first alone, which adds up what it would be scattered along, would have it whole.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<32xf32>, tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<16x64xf32>, tensor<64x32xf32>) -> tensor<16x32xf32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %2 = stablehlo.multiply %0, %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<16x32xf32>
    return %1, %2 : tensor<32xf32>, tensor<16x32xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<32xf32>, tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<16x64xf32>, tensor<64x32xf32>) -> tensor<16x32xf32>
    %1 = sdy.reshard %0 <@mesh, [{"x"}, {}]> : tensor<16x32xf32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : (tensor<16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %3 = stablehlo.multiply %1, %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<16x32xf32>
    %4 = sdy.reshard %2 <@mesh, [{}]> : tensor<32xf32>
    return %4, %3 : tensor<32xf32>, tensor<16x32xf32>
  }
}
// -----
// weft opt --weft-insert-reshards
// A barrier has its operands where their readers want them, but makes none larger than it was: the weight is gathered behind it.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<256x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<256x64xf32>
    %1:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>, <@mesh, [{"x"}, {}]>]>} %0, %arg1 : tensor<256x64xf32>, tensor<64x32xf32>
    %2 = stablehlo.dot_general %1#0, %1#1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<256x64xf32>, tensor<64x32xf32>) -> tensor<256x32xf32>
    return %2 : tensor<256x32xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<256x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<256x64xf32>
    %1:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>]>} %0, %arg1 : tensor<256x64xf32>, tensor<64x32xf32>
    %2 = sdy.reshard %1#1 <@mesh, [{}, {}]> : tensor<64x32xf32>
    %3 = stablehlo.dot_general %1#0, %2, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<256x64xf32>, tensor<64x32xf32>) -> tensor<256x32xf32>
    return %3 : tensor<256x32xf32>
  }
}
// -----
// weft opt --weft-insert-reshards
// To slice by a part of an axis and permute is cheaper than to gather and slice, in front of the reshape as behind it; in front, the reshape is shared
// by twice as many.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<4x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4x64xf32>) -> tensor<256xf32>
    return %0 : tensor<256xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<4x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<4x64xf32>
    %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4x64xf32>) -> tensor<256xf32>
    return %1 : tensor<256xf32>
  }
}
// -----
// weft opt --weft-insert-reshards
// A roll by an amount that is known at run time only: the slice would have its operand whole, which costs more to make than it saves; both ends are
// sharded along the other dimension, where twice the value costs nothing.
module {
  sdy.mesh @mesh = <["x"=8]>
  func.func @main(%arg0: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<i32>) -> (tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.concatenate %arg0, %arg0, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<128x32xf32>
    %1 = stablehlo.dynamic_slice %0, %arg1, %c, sizes = [64, 32] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<128x32xf32>, tensor<i32>, tensor<i32>) -> tensor<64x32xf32>
    return %1 : tensor<64x32xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=8]>
  func.func @main(%arg0: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<i32>) -> (tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = sdy.reshard %arg0 <@mesh, [{}, {"x"}]> : tensor<64x32xf32>
    %1 = stablehlo.concatenate %0, %0, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<128x32xf32>
    %2 = stablehlo.dynamic_slice %1, %arg1, %c, sizes = [64, 32] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<128x32xf32>, tensor<i32>, tensor<i32>) -> tensor<64x32xf32>
    %3 = sdy.reshard %2 <@mesh, [{"x"}, {}]> : tensor<64x32xf32>
    return %3 : tensor<64x32xf32>
  }
}
// -----
// weft opt --weft-insert-reshards
// A complete value as terms of a sum: one device keeps it. Terms of an argument go through what is linear, and stay.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
    %1 = stablehlo.add %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : tensor<8x8xf32>
    %2 = stablehlo.add %1, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {}]> : tensor<8x8xf32>
    %1 = sdy.replicated_to_unreduced {"x"} %0 out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
    %2 = stablehlo.add %1, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : tensor<8x8xf32>
    %3 = stablehlo.add %2, %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : tensor<8x8xf32>
    return %3 : tensor<8x8xf32>
  }
}
// -----
// weft opt --weft-insert-reshards
// A value cut along the axis of its terms: each device keeps its part. A constant is made complete first.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
    %cst = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} dense<1.000000e+00> : tensor<8x8xf32>
    %0 = sdy.reshard %arg0 <@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
    %1 = stablehlo.add %cst, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<8x8xf32>
    %0 = sdy.reshard %cst <@mesh, [{}, {}]> : tensor<8x8xf32>
    %1 = sdy.replicated_to_unreduced {"x"} %0 out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
    %2 = sdy.sharded_to_unreduced [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
    %3 = stablehlo.add %1, %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : tensor<8x8xf32>
    return %3 : tensor<8x8xf32>
  }
}
// -----
// weft opt --weft-insert-reshards
// What is not linear, of a complete value: computed first.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
    %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
    %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {}]> : tensor<8x8xf32>
    %2 = sdy.replicated_to_unreduced {"x"} %1 out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
}
// -----
// weft opt --weft-insert-reshards
// A product is made where the function returns it: that moves the small operand, not the large result, which no other
// reader wants there.
module {
  sdy.mesh @mesh = <["x"=8]>
  func.func @main(%arg0: tensor<1024x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x1024xf32>) -> (tensor<1024x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<1024x4xf32>, tensor<4x1024xf32>) -> tensor<1024x1024xf32>
    return %0 : tensor<1024x1024xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=8]>
  func.func @main(%arg0: tensor<1024x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x1024xf32>) -> (tensor<1024x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {}]> : tensor<1024x4xf32>
    %1 = sdy.reshard %arg1 <@mesh, [{}, {"x"}]> : tensor<4x1024xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<1024x4xf32>, tensor<4x1024xf32>) -> tensor<1024x1024xf32>
    return %2 : tensor<1024x1024xf32>
  }
}
