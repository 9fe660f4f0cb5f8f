module {
  func.func @unary(%arg0: tensor<2x3xf32>, %arg1: tensor<2xcomplex<f32>>) {
    %0 = chlo.acos %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %1 = chlo.acosh %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %2 = chlo.asin %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %3 = chlo.asinh %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %4 = chlo.atan %arg0 {n = 1 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
    %5 = chlo.atanh %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %6 = chlo.bessel_i1e %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %7 = chlo.conj %arg1 : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
    %8 = chlo.cosh %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %9 = chlo.digamma %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %10 = chlo.erf %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %11 = chlo.erf_inv %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %12 = chlo.erfc %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %13 = chlo.lgamma %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %14 = chlo.sinh %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %15 = chlo.square %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %16 = chlo.tan %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %17 = chlo._asin_acos_kernel %arg1 : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
    %18 = chlo.is_inf %arg0 : tensor<2x3xf32> -> tensor<2x3xi1>
    %19 = chlo.is_neg_inf %arg0 : tensor<2x3xf32> -> tensor<2x3xi1>
    %20 = chlo.is_pos_inf %arg0 : tensor<2x3xf32> -> tensor<2x3xi1>
    return
  }
  func.func @binary(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<4xi32>, %arg3: tensor<3xi1>) {
    %0 = chlo.next_after %arg0, %arg0 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    %1 = chlo.polygamma %arg0, %arg0 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    %2 = chlo.zeta %arg0, %arg0 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    %3 = chlo.mulhi %arg2, %arg2 : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
    %4 = chlo.broadcast_add %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %5 = chlo.broadcast_atan2 %arg0, %arg1 {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %6 = chlo.broadcast_divide %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %7 = chlo.broadcast_maximum %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %8 = chlo.broadcast_minimum %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %9 = chlo.broadcast_multiply %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %10 = chlo.broadcast_next_after %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %11 = chlo.broadcast_polygamma %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %12 = chlo.broadcast_power %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %13 = chlo.broadcast_remainder %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %14 = chlo.broadcast_shift_left %arg2, %arg2 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %15 = chlo.broadcast_shift_right_arithmetic %arg2, %arg2 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %16 = chlo.broadcast_shift_right_logical %arg2, %arg2 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %17 = chlo.broadcast_subtract %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %18 = chlo.broadcast_and %arg3, %arg3 : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    %19 = chlo.broadcast_or %arg3, %arg3 : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    %20 = chlo.broadcast_xor %arg3, %arg3 : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    %21 = chlo.broadcast_zeta %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %22 = chlo.broadcast_complex %arg1, %arg1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xcomplex<f32>>
    %23 = chlo.broadcast_compare %arg0, %arg1 {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
    %24 = chlo.broadcast_select %arg3, %arg0, %arg1 : (tensor<3xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    return
  }
  func.func @others(%arg0: tensor<2x3xf32>, %arg1: tensor<2x11x5xf32>, %arg2: tensor<3x2x5x7xf32>, %arg3: tensor<3xi64>, %arg4: tensor<3xf32>) -> tensor<2x2xf32> {
    %0 = chlo.constant dense<[1, 2]> : tensor<2xi32>
    %1 = "chlo.constant_like"(%arg0) <{value = 1.500000e+00 : f32}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %values, %indices = chlo.top_k(%arg0, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
    %2:2 = chlo.scan(%arg0) inits (%arg4) dimension=0  attributes {is_reverse = true} {
    ^bb0(%input: tensor<3xf32>, %carry: tensor<3xf32>):
      %3 = stablehlo.add %input, %carry : tensor<3xf32>
      stablehlo.return %3, %3 : tensor<3xf32>, tensor<3xf32>
    } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
    return %values : tensor<2x2xf32>
  }
}
