// weft opt --chlo-legalize-to-stablehlo
// An op with an attribute for a value, one that stands for its operand, one that becomes another, and one on complex numbers.
module {
  func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<2xcomplex<f32>>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi1>, tensor<2xcomplex<f32>>) {
    %0 = "chlo.constant_like"(%arg0) <{value = 1.500000e+00 : f32}> : (tensor<2xf32>) -> tensor<2xf32>
    %1 = chlo.square %arg0 {mhlo.frontend_attributes = {a = "b"}} : tensor<2xf32> -> tensor<2xf32>
    %2 = chlo.conj %1 : tensor<2xf32> -> tensor<2xf32>
    %3 = chlo.is_neg_inf %2 : tensor<2xf32> -> tensor<2xi1>
    %4 = chlo.conj %arg1 : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
    return %0, %2, %3, %4 : tensor<2xf32>, tensor<2xf32>, tensor<2xi1>, tensor<2xcomplex<f32>>
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<2xcomplex<f32>>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi1>, tensor<2xcomplex<f32>>) {
    %cst = stablehlo.constant dense<1.500000e+00> : tensor<2xf32>
    %0 = stablehlo.multiply %arg0, %arg0 {mhlo.frontend_attributes = {a = "b"}} : tensor<2xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<2xf32>
    %1 = stablehlo.compare EQ, %0, %cst_0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %2 = stablehlo.real %arg1 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %3 = stablehlo.imag %arg1 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %4 = stablehlo.negate %3 : tensor<2xf32>
    %5 = stablehlo.complex %2, %4 : tensor<2xcomplex<f32>>
    return %cst, %0, %1, %5 : tensor<2xf32>, tensor<2xf32>, tensor<2xi1>, tensor<2xcomplex<f32>>
  }
}
// -----
// weft opt --chlo-legalize-to-stablehlo
// Inside regions; a type that is computed in a wider one; chlo.broadcast_* twice replaced.
module {
  func.func @main(%arg0: tensor<4xbf16>, %arg1: tensor<bf16>, %arg2: tensor<i1>) -> tensor<4xbf16> {
    %0 = "stablehlo.if"(%arg2) ({
      %1 = chlo.tan %arg0 : tensor<4xbf16> -> tensor<4xbf16>
      stablehlo.return %1 : tensor<4xbf16>
    }, {
      %1 = chlo.broadcast_next_after %arg1, %arg0 : (tensor<bf16>, tensor<4xbf16>) -> tensor<4xbf16>
      stablehlo.return %1 : tensor<4xbf16>
    }) : (tensor<i1>) -> tensor<4xbf16>
    return %0 : tensor<4xbf16>
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<4xbf16>, %arg1: tensor<bf16>, %arg2: tensor<i1>) -> tensor<4xbf16> {
    %0 = "stablehlo.if"(%arg2) ({
      %1 = stablehlo.convert %arg0 : (tensor<4xbf16>) -> tensor<4xf32>
      %2 = stablehlo.tan %1 : tensor<4xf32>
      %3 = stablehlo.convert %2 : (tensor<4xf32>) -> tensor<4xbf16>
      stablehlo.return %3 : tensor<4xbf16>
    }, {
      %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<bf16>) -> tensor<4xbf16>
      %2 = stablehlo.bitcast_convert %1 : (tensor<4xbf16>) -> tensor<4xi16>
      %3 = stablehlo.bitcast_convert %arg0 : (tensor<4xbf16>) -> tensor<4xi16>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<4xbf16>
      %c = stablehlo.constant dense<1> : tensor<4xi16>
      %c_0 = stablehlo.constant dense<-1> : tensor<4xi16>
      %c_1 = stablehlo.constant dense<-32768> : tensor<4xi16>
      %4 = stablehlo.compare LT, %1, %arg0 : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xi1>
      %5 = stablehlo.compare GT, %1, %cst : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xi1>
      %6 = stablehlo.compare EQ, %4, %5 : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
      %7 = stablehlo.select %6, %c, %c_0 : tensor<4xi1>, tensor<4xi16>
      %8 = stablehlo.add %2, %7 : tensor<4xi16>
      %9 = stablehlo.and %3, %c_1 : tensor<4xi16>
      %10 = stablehlo.or %9, %c : tensor<4xi16>
      %11 = stablehlo.compare EQ, %1, %cst : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xi1>
      %12 = stablehlo.select %11, %10, %8 : tensor<4xi1>, tensor<4xi16>
      %13 = stablehlo.bitcast_convert %12 : (tensor<4xi16>) -> tensor<4xbf16>
      %14 = stablehlo.compare EQ, %1, %arg0 : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xi1>
      %15 = stablehlo.compare NE, %1, %1 : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xi1>
      %16 = stablehlo.compare NE, %arg0, %arg0 : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xi1>
      %17 = stablehlo.or %15, %16 : tensor<4xi1>
      %18 = stablehlo.add %1, %arg0 : tensor<4xbf16>
      %19 = stablehlo.select %14, %arg0, %13 : tensor<4xi1>, tensor<4xbf16>
      %20 = stablehlo.select %17, %18, %19 : tensor<4xi1>, tensor<4xbf16>
      stablehlo.return %20 : tensor<4xbf16>
    }) : (tensor<i1>) -> tensor<4xbf16>
    return %0 : tensor<4xbf16>
  }
}
