// weft opt --symbol-dce
// Constants of MLIR's own dialect, in both forms.
module {
  func.func @main() -> (tensor<2xf32>, tensor<i64>) {
    %cst = arith.constant dense<[1.0, 2.5]> : tensor<2xf32>
    %0 = "arith.constant"() <{value = dense<7> : tensor<i64>}> : () -> tensor<i64>
    return %cst, %0 : tensor<2xf32>, tensor<i64>
  }
}
// ==>
module {
  func.func @main() -> (tensor<2xf32>, tensor<i64>) {
    %cst = stablehlo.constant dense<[1.000000e+00, 2.500000e+00]> : tensor<2xf32>
    %c = stablehlo.constant dense<7> : tensor<i64>
    return %cst, %c : tensor<2xf32>, tensor<i64>
  }
}
// -----
// weft opt --symbol-dce
// A scalar is no tensor.
module {
  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %cst = arith.constant 1.0 : f32
    return %arg0 : tensor<2xf32>
  }
}
// ==>
// error: expected
