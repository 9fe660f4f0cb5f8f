// weft opt --cse
// Equal ops with equal bodies are one; what nobody reads goes, collectives too; bodies of one loop are apart.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4x2xf32>, %arg2: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<i32>) -> (tensor<2xf32>, tensor<i32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>
    %1 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>
    %2 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.maximum across dimensions = [0] : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>
    %3 = stablehlo.add %0, %1 : tensor<2xf32>
    %4 = stablehlo.add %3, %2 : tensor<2xf32>
    %5 = sdy.all_gather [{"x"}] %arg2 out_sharding=<@mesh, [{}]> : tensor<2xf32>
    %6 = stablehlo.while(%iterArg = %arg1) : tensor<i32>
    cond {
      %c = stablehlo.constant dense<3> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %c = stablehlo.constant dense<3> : tensor<i32>
      %7 = stablehlo.add %iterArg, %c : tensor<i32>
      stablehlo.return %7 : tensor<i32>
    }
    return %4, %6 : tensor<2xf32>, tensor<i32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4x2xf32>, %arg1: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg2: tensor<i32>) -> (tensor<2xf32>, tensor<i32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>
    %1 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>
    %2 = stablehlo.add %0, %0 : tensor<2xf32>
    %3 = stablehlo.add %2, %1 : tensor<2xf32>
    %4 = stablehlo.while(%iterArg = %arg2) : tensor<i32>
    cond {
      %c = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.compare LT, %iterArg, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %c = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.add %iterArg, %c : tensor<i32>
      stablehlo.return %5 : tensor<i32>
    }
    return %3, %4 : tensor<2xf32>, tensor<i32>
  }
}
// -----
// weft opt --cse
// What is equal outside of a manual or named computation stays there: their regions may not use it.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
    %2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg1: tensor<8xf32>) {
      %4 = stablehlo.iota dim = 0 : tensor<8xf32>
      %5 = stablehlo.iota dim = 0 : tensor<8xf32>
      %6 = stablehlo.add %arg1, %4 : tensor<8xf32>
      %7 = stablehlo.add %6, %5 : tensor<8xf32>
      sdy.return %7 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %3 = sdy.named_computation<"f">(%1) (%arg1: tensor<8xf32>) {
      %4 = stablehlo.iota dim = 0 : tensor<8xf32>
      %5 = stablehlo.add %arg1, %4 : tensor<8xf32>
      sdy.return %5 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %8 = stablehlo.iota dim = 0 : tensor<8xf32>
    return %2, %3, %8 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
    %2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg1: tensor<8xf32>) {
      %4 = stablehlo.iota dim = 0 : tensor<8xf32>
      %5 = stablehlo.add %arg1, %4 : tensor<8xf32>
      %6 = stablehlo.add %5, %4 : tensor<8xf32>
      sdy.return %6 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %3 = sdy.named_computation<"f">(%1) (%arg1: tensor<8xf32>) {
      %4 = stablehlo.iota dim = 0 : tensor<8xf32>
      %5 = stablehlo.add %arg1, %4 : tensor<8xf32>
      sdy.return %5 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %2, %3, %0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
// -----
// weft opt --cse
// A sort that loses an operand loses the sharding rule, which speaks of both.
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
  %0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 0 : i64}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<f32>):
    %1 = stablehlo.compare LT, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i], [i]) {i=8} need_replication={i}>} : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0 : tensor<8xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = stablehlo.compare LT, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
