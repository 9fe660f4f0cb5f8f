// weft opt --weft-expand-ops
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @einsum(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = "stablehlo.einsum"(%a, %b) <{einsum_config = "ij,jk->ik"}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
// ==>
module {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func @einsum(%arg0: tensor<4x8xf32>, %arg1: tensor<8x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  }
}
// -----
// weft opt --weft-expand-ops
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @norm(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %o: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>, <@m, [{"y"}]>, <@m, [{}]>]>} : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1, %0#2 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
}
// ==>
module {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func @norm(%arg0: tensor<4x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %cst = stablehlo.constant dense<1.000000e-03> : tensor<4x8xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_1 = stablehlo.constant dense<4.000000e+00> : tensor<8xf32>
    %1 = stablehlo.divide %0, %cst_1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}]>]>} : tensor<8xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<4x8xf32>
    %4 = stablehlo.multiply %3, %3 : tensor<4x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_3 = stablehlo.constant dense<4.000000e+00> : tensor<8xf32>
    %6 = stablehlo.divide %5, %cst_3 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : tensor<8xf32>
    %7 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %8 = stablehlo.subtract %arg0, %7 : tensor<4x8xf32>
    %9 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %10 = stablehlo.add %9, %cst : tensor<4x8xf32>
    %11 = stablehlo.sqrt %10 : tensor<4x8xf32>
    %12 = stablehlo.divide %8, %11 : tensor<4x8xf32>
    %13 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %14 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %15 = stablehlo.multiply %14, %12 : tensor<4x8xf32>
    %16 = stablehlo.add %15, %13 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : tensor<4x8xf32>
    return %16, %1, %6 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
