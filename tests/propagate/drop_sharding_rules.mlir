// ===== what the writer of the program said of an op stays
// --sdy-drop-sharding-rules
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.custom_call @mine(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=4}, custom>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.add %0, %0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=4}>} : tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.custom_call @mine(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=4}, custom>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.add %0, %0 : tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
}
