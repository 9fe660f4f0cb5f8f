// weft opt --stablehlo-legalize-quant-to-math
// Arguments and results are storage; what moves moves storage; what computes is written out.
module {
  func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 2.0:3>>, %b: tensor<4xf32>) -> (tensor<2x2x!quant.uniform<i8:f32, 2.0:3>>, tensor<4xf32>) {
    %0 = stablehlo.reshape %a : (tensor<4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<2x2x!quant.uniform<i8:f32, 2.0:3>>
    %1 = stablehlo.uniform_dequantize %a : (tensor<4x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<4xf32>
    %2 = stablehlo.add %1, %b : tensor<4xf32>
    return %0, %2 : tensor<2x2x!quant.uniform<i8:f32, 2.0:3>>, tensor<4xf32>
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<4xi8>, %arg1: tensor<4xf32>) -> (tensor<2x2xi8>, tensor<4xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<4xi8>) -> tensor<2x2xi8>
    %1 = stablehlo.convert %arg0 : (tensor<4xi8>) -> tensor<4xi32>
    %c = stablehlo.constant dense<3> : tensor<4xi32>
    %2 = stablehlo.subtract %1, %c : tensor<4xi32>
    %3 = stablehlo.convert %2 : (tensor<4xi32>) -> tensor<4xf32>
    %4 = stablehlo.convert %3 : (tensor<4xf32>) -> tensor<4xf64>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<4xf64>
    %5 = stablehlo.multiply %4, %cst : tensor<4xf64>
    %6 = stablehlo.convert %5 : (tensor<4xf64>) -> tensor<4xf32>
    %7 = stablehlo.add %6, %arg1 : tensor<4xf32>
    return %0, %7 : tensor<2x2xi8>, tensor<4xf32>
  }
}
