module {
  func.func @unary(%arg0: tensor<2x3xf32>, %arg1: tensor<4xi32>, %arg2: tensor<2xcomplex<f32>>, %arg3: tensor<4xi1>, %arg4: tensor<?x3xf64>) {
    %0 = stablehlo.abs %arg0 : tensor<2x3xf32>
    %1 = stablehlo.abs %arg2 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %2 = stablehlo.cbrt %arg0 : tensor<2x3xf32>
    %3 = stablehlo.ceil %arg0 : tensor<2x3xf32>
    %4 = stablehlo.cosine %arg0 {note = "kept", result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xf32>
    %5 = stablehlo.count_leading_zeros %arg1 : tensor<4xi32>
    %6 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2x3xf32>
    %7 = stablehlo.exponential_minus_one %arg0 : tensor<2x3xf32>
    %8 = stablehlo.floor %arg0 : tensor<2x3xf32>
    %9 = stablehlo.log %arg4 : tensor<?x3xf64>
    %10 = stablehlo.log_plus_one %arg0 : tensor<2x3xf32>
    %11 = stablehlo.logistic %arg0 : tensor<2x3xf32>
    %12 = stablehlo.negate %arg1 : tensor<4xi32>
    %13 = stablehlo.popcnt %arg1 : tensor<4xi32>
    %14 = stablehlo.round_nearest_afz %arg0 : tensor<2x3xf32>
    %15 = stablehlo.round_nearest_even %arg0 : tensor<2x3xf32>
    %16 = stablehlo.rsqrt %arg0 : tensor<2x3xf32>
    %17 = stablehlo.sign %arg0 : tensor<2x3xf32>
    %18 = stablehlo.sine %arg0 : tensor<2x3xf32>
    %19 = stablehlo.sqrt %arg0 : tensor<2x3xf32>
    %20 = stablehlo.tan %arg0 : tensor<2x3xf32>
    %21 = stablehlo.tanh %arg0 : tensor<2x3xf32>
    %22 = stablehlo.not %arg3 : tensor<4xi1>
    %23 = stablehlo.imag %arg2 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %24 = stablehlo.real %arg2 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %25 = stablehlo.is_finite %arg0 : (tensor<2x3xf32>) -> tensor<2x3xi1>
    %26 = stablehlo.convert %arg0 : (tensor<2x3xf32>) -> tensor<2x3xbf16>
    %27 = stablehlo.convert %arg0 : tensor<2x3xf32>
    %28 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<2x3xf32>
    %29 = stablehlo.bitcast_convert %arg1 : (tensor<4xi32>) -> tensor<4xui32>
    return
  }
  func.func @binary(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<4xi32>, %arg3: tensor<2x3xi1>, %arg4: tensor<i1>, %arg5: tensor<?x3xf32>, %arg6: tensor<f32>) -> (tensor<2x3xf32>, tensor<2x3xcomplex<f32>>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<2x3xf32>
    %1 = stablehlo.add %arg0, %arg5 : (tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<2x3xf32>
    %2 = stablehlo.atan2 %arg0, %arg1 : tensor<2x3xf32>
    %3 = stablehlo.divide %arg0, %arg1 : tensor<2x3xf32>
    %4 = stablehlo.maximum %arg0, %arg1 : tensor<2x3xf32>
    %5 = stablehlo.minimum %arg0, %arg1 : tensor<2x3xf32>
    %6 = stablehlo.multiply %arg0, %arg1 : tensor<2x3xf32>
    %7 = stablehlo.power %arg0, %arg1 : tensor<2x3xf32>
    %8 = stablehlo.remainder %arg0, %arg1 : tensor<2x3xf32>
    %9 = stablehlo.shift_left %arg2, %arg2 : tensor<4xi32>
    %10 = stablehlo.shift_right_arithmetic %arg2, %arg2 : tensor<4xi32>
    %11 = stablehlo.shift_right_logical %arg2, %arg2 : tensor<4xi32>
    %12 = stablehlo.subtract %arg0, %arg1 {a = 1 : i8, "odd name" = 2 : i64} : tensor<2x3xf32>
    %13 = stablehlo.and %arg3, %arg3 : tensor<2x3xi1>
    %14 = stablehlo.or %arg3, %arg3 : tensor<2x3xi1>
    %15 = stablehlo.xor %arg3, %arg3 : tensor<2x3xi1>
    %16 = stablehlo.complex %arg0, %arg1 : tensor<2x3xcomplex<f32>>
    %17 = stablehlo.compare LT, %arg0, %arg1, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %18 = stablehlo.compare EQ, %arg2, %arg2 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %19 = stablehlo.compare GE, %arg0, %arg1, TOTALORDER {x} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %20 = stablehlo.select %arg3, %arg0, %arg1 : tensor<2x3xi1>, tensor<2x3xf32>
    %21 = stablehlo.select %arg4, %arg0, %arg5 : (tensor<i1>, tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<2x3xf32>
    %22 = stablehlo.clamp %arg0, %arg0, %arg1 : tensor<2x3xf32>
    %23 = stablehlo.clamp %arg6, %arg0, %arg6 : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %24 = "stablehlo.map"(%arg0, %arg1) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %25 = stablehlo.multiply %arg7, %arg8 : tensor<f32>
      stablehlo.return %25 : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %24, %16 : tensor<2x3xf32>, tensor<2x3xcomplex<f32>>
  }
}
