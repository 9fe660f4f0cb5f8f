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
