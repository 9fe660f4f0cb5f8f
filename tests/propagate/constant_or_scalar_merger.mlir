// ===== same value and sharding, same region
// --sdy-constant-or-scalar-merger
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%x: tensor<8xf32>, %s: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %a = sdy.constant dense<1.0> : tensor<8xf32>
    %b = sdy.constant dense<1.0> : tensor<8xf32>
    %c = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} dense<1.0> : tensor<8xf32>
    %d = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %e = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %0 = stablehlo.add %a, %b : tensor<8xf32>
    %1 = stablehlo.add %c, %d : tensor<8xf32>
    %2 = stablehlo.add %0, %e : tensor<8xf32>
    return %1, %2 : tensor<8xf32>, tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %1 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} dense<1.000000e+00> : tensor<8xf32>
    %2 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %3 = stablehlo.add %0, %0 : tensor<8xf32>
    %4 = stablehlo.add %1, %2 : tensor<8xf32>
    %5 = stablehlo.add %3, %2 : tensor<8xf32>
    return %4, %5 : tensor<8xf32>, tensor<8xf32>
  }
}
