// One small valid program per op of the table, named on its first line: read, verified, printed and read again in both forms, and
// the seeds of the fuzzers.
// -----
// stablehlo.abs
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.abs %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.cbrt
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.cbrt %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.ceil
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.ceil %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.cosine
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.cosine %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.count_leading_zeros
func.func @main(%a: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %0 = stablehlo.count_leading_zeros %a : tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// -----
// stablehlo.exponential
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.exponential %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.exponential_minus_one
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.exponential_minus_one %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.floor
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.floor %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.log
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.log %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.log_plus_one
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.log_plus_one %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.logistic
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.logistic %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.negate
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.negate %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.popcnt
func.func @main(%a: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %0 = stablehlo.popcnt %a : tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// -----
// stablehlo.round_nearest_afz
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.round_nearest_afz %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.round_nearest_even
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.round_nearest_even %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.rsqrt
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.rsqrt %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.sign
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.sign %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.sine
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.sine %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.sqrt
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.sqrt %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.tan
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.tan %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.tanh
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.tanh %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.not
func.func @main(%a: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %0 = stablehlo.not %a : tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// -----
// stablehlo.add
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.add %a, %b : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.atan2
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.atan2 %a, %b : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.divide
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.divide %a, %b : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.maximum
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.maximum %a, %b : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.minimum
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.minimum %a, %b : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.multiply
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.multiply %a, %b : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.power
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.power %a, %b : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.remainder
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.remainder %a, %b : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.shift_left
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %0 = stablehlo.shift_left %a, %b : tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// -----
// stablehlo.shift_right_arithmetic
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %0 = stablehlo.shift_right_arithmetic %a, %b : tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// -----
// stablehlo.shift_right_logical
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %0 = stablehlo.shift_right_logical %a, %b : tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// -----
// stablehlo.subtract
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.subtract %a, %b : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.and
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %0 = stablehlo.and %a, %b : tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// -----
// stablehlo.or
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %0 = stablehlo.or %a, %b : tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// -----
// stablehlo.xor
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %0 = stablehlo.xor %a, %b : tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// -----
// chlo.acos
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.acos %a : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.acosh
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.acosh %a : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.asin
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.asin %a : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.asinh
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.asinh %a : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.atan
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.atan %a : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.atanh
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.atanh %a : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.bessel_i1e
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.bessel_i1e %a : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.conj
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.conj %a : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.cosh
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.cosh %a : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.digamma
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.digamma %a : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.erf
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.erf %a : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.erf_inv
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.erf_inv %a : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.erfc
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.erfc %a : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.lgamma
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.lgamma %a : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.sinh
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.sinh %a : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.square
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.square %a : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.tan
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.tan %a : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo._asin_acos_kernel
func.func @main(%a: tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>> {
  %0 = chlo._asin_acos_kernel %a : tensor<2x3xcomplex<f32>> -> tensor<2x3xcomplex<f32>>
  return %0 : tensor<2x3xcomplex<f32>>
}
// -----
// chlo.next_after
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.next_after %a, %b : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.polygamma
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.polygamma %a, %b : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.zeta
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.zeta %a, %b : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.mulhi
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %0 = chlo.mulhi %a, %b : tensor<2x3xi32>, tensor<2x3xi32> -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// -----
// chlo.broadcast_add
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.broadcast_atan2
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.broadcast_atan2 %a, %b {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.broadcast_divide
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.broadcast_divide %a, %b {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.broadcast_maximum
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.broadcast_maximum %a, %b {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.broadcast_minimum
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.broadcast_minimum %a, %b {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.broadcast_multiply
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.broadcast_multiply %a, %b {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.broadcast_next_after
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.broadcast_next_after %a, %b {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.broadcast_polygamma
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.broadcast_polygamma %a, %b {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.broadcast_power
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.broadcast_power %a, %b {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.broadcast_remainder
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.broadcast_remainder %a, %b {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.broadcast_shift_left
func.func @main(%a: tensor<2x3xi32>, %b: tensor<3xi32>) -> tensor<2x3xi32> {
  %0 = chlo.broadcast_shift_left %a, %b {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// -----
// chlo.broadcast_shift_right_arithmetic
func.func @main(%a: tensor<2x3xi32>, %b: tensor<3xi32>) -> tensor<2x3xi32> {
  %0 = chlo.broadcast_shift_right_arithmetic %a, %b {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// -----
// chlo.broadcast_shift_right_logical
func.func @main(%a: tensor<2x3xi32>, %b: tensor<3xi32>) -> tensor<2x3xi32> {
  %0 = chlo.broadcast_shift_right_logical %a, %b {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// -----
// chlo.broadcast_subtract
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.broadcast_subtract %a, %b {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// chlo.broadcast_and
func.func @main(%a: tensor<2x3xi32>, %b: tensor<3xi32>) -> tensor<2x3xi32> {
  %0 = chlo.broadcast_and %a, %b {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// -----
// chlo.broadcast_or
func.func @main(%a: tensor<2x3xi32>, %b: tensor<3xi32>) -> tensor<2x3xi32> {
  %0 = chlo.broadcast_or %a, %b {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// -----
// chlo.broadcast_xor
func.func @main(%a: tensor<2x3xi32>, %b: tensor<3xi32>) -> tensor<2x3xi32> {
  %0 = chlo.broadcast_xor %a, %b {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// -----
// chlo.broadcast_zeta
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.broadcast_zeta %a, %b {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// stablehlo.imag
func.func @main(%a: tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32> {
  %0 = stablehlo.imag %a : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----
// stablehlo.real
func.func @main(%a: tensor<2x3xcomplex<f64>>) -> tensor<2x3xf64> {
  %0 = stablehlo.real %a : (tensor<2x3xcomplex<f64>>) -> tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// -----
// stablehlo.is_finite
func.func @main(%a: tensor<4xf32>) -> tensor<4xi1> {
  %0 = stablehlo.is_finite %a : (tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----
// stablehlo.convert
func.func @main(%a: tensor<4xf32>) -> tensor<4xi8> {
  %0 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----
// stablehlo.reduce_precision
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reduce_precision %a, format = e5m10 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
// stablehlo.uniform_quantize
func.func @main(%a: tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
  %0 = stablehlo.uniform_quantize %a : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
}

// -----
// stablehlo.uniform_dequantize
func.func @main(%a: tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25:3}>>) -> tensor<2xf32> {
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25:3}>>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----
// stablehlo.complex
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xcomplex<f32>> {
  %0 = stablehlo.complex %a, %b : tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}

// -----
// stablehlo.compare
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xi1> {
  %0 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// -----
// stablehlo.select
func.func @main(%p: tensor<2xi1>, %a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.select %p, %a, %b : tensor<2xi1>, tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----
// stablehlo.clamp
func.func @main(%l: tensor<f32>, %a: tensor<2xf32>, %h: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.clamp %l, %a, %h : (tensor<f32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----
// stablehlo.map
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.map"(%a, %b) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.multiply %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----
// stablehlo.bitcast_convert
func.func @main(%a: tensor<2xf32>) -> tensor<2x2xi16> {
  %0 = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<2x2xi16>
  return %0 : tensor<2x2xi16>
}

// -----
// stablehlo.constant
func.func @main() -> tensor<2x2xf32> {
  %0 = stablehlo.constant dense<[[1.0, -0.0], [0x7FC00000, 3.14159274]]> : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----
// stablehlo.iota
func.func @main() -> tensor<2x3xi32> {
  %0 = stablehlo.iota dim = 1 : tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----
// stablehlo.broadcast
func.func @main(%a: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.broadcast %a, sizes = [2] : (tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----
// stablehlo.broadcast_in_dim
func.func @main(%a: tensor<1x3xf32>) -> tensor<3x4x2xf32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [2, 0] : (tensor<1x3xf32>) -> tensor<3x4x2xf32>
  return %0 : tensor<3x4x2xf32>
}

// -----
// stablehlo.reshape
func.func @main(%a: tensor<2x3xf32>) -> tensor<6x1xf32> {
  %0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<6x1xf32>
  return %0 : tensor<6x1xf32>
}

// -----
// stablehlo.transpose
func.func @main(%a: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  return %0 : tensor<4x2x3xf32>
}

// -----
// stablehlo.reverse
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.reverse %a, dims = [1] : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----
// stablehlo.slice
func.func @main(%a: tensor<8x4xf32>) -> tensor<3x4xf32> {
  %0 = stablehlo.slice %a [1:7:2, 0:4] : (tensor<8x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----
// stablehlo.pad
func.func @main(%a: tensor<2x3xf32>, %z: tensor<f32>) -> tensor<5x3xf32> {
  %0 = stablehlo.pad %a, %z, low = [1, -1], high = [1, 1], interior = [1, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// -----
// stablehlo.concatenate
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----
// weft.assemble
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>) -> tensor<2x4xf32> {
  %0 = "weft.assemble"(%a, %b, %a) <{dimension = 1 : i64, limit_indices = array<i64: 3, 1, 1>, start_indices = array<i64: 1, 0, 0>}> : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x3xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----
// stablehlo.dynamic_slice
func.func @main(%a: tensor<4x4xf32>, %i: tensor<i32>) -> tensor<2x3xf32> {
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [2, 3] : (tensor<4x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----
// stablehlo.dynamic_update_slice
func.func @main(%a: tensor<4x4xf32>, %u: tensor<2x3xf32>, %i: tensor<i64>) -> tensor<4x4xf32> {
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %i : (tensor<4x4xf32>, tensor<2x3xf32>, tensor<i64>, tensor<i64>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
// stablehlo.gather
func.func @main(%a: tensor<3x4x2xf32>, %i: tensor<2x3x2xi64>) -> tensor<2x3x2x2xf32> {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2, 2>}> : (tensor<3x4x2xf32>, tensor<2x3x2xi64>) -> tensor<2x3x2x2xf32>
  return %0 : tensor<2x3x2x2xf32>
}

// -----
// stablehlo.scatter
func.func @main(%a: tensor<5x2xf32>, %i: tensor<3x1xi32>, %u: tensor<3x2xf32>) -> tensor<5x2xf32> {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x2xf32>, tensor<3x1xi32>, tensor<3x2xf32>) -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}

// -----
// stablehlo.torch_index_select
func.func @main(%a: tensor<5x2xf32>, %i: tensor<3xi32>) -> tensor<3x2xf32> {
  %0 = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<5x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----
// stablehlo.get_dimension_size
func.func @main(%a: tensor<2x?xf32>) -> tensor<i32> {
  %0 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<2x?xf32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----
// stablehlo.set_dimension_size
func.func @main(%a: tensor<2x4xf32>, %n: tensor<i32>) -> tensor<2x?xf32, #stablehlo.bounds<?, 4>> {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 1 : (tensor<2x4xf32>, tensor<i32>) -> tensor<2x?xf32, #stablehlo.bounds<?, 4>>
  return %0 : tensor<2x?xf32, #stablehlo.bounds<?, 4>>
}

// -----
// stablehlo.dynamic_broadcast_in_dim
func.func @main(%a: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<1x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----
// stablehlo.dynamic_conv
func.func @main(%a: tensor<1x8x8x2xf32>, %k: tensor<3x3x2x4xf32>, %p: tensor<2x2xi32>) -> tensor<1x?x?x4xf32> {
  %0 = "stablehlo.dynamic_conv"(%a, %k, %p) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 2, 1>}> : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi32>) -> tensor<1x?x?x4xf32>
  return %0 : tensor<1x?x?x4xf32>
}

// -----
// stablehlo.dynamic_gather
func.func @main(%a: tensor<3x4x2xf32>, %i: tensor<2x3x2xi64>) -> tensor<2x3x2x2xf32> {
  %s = stablehlo.constant dense<[1, 2, 2]> : tensor<3xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>}> : (tensor<3x4x2xf32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x2x2xf32>
  return %0 : tensor<2x3x2x2xf32>
}

// -----
// stablehlo.dynamic_iota
func.func @main(%s: tensor<1xi64>) -> tensor<?xi32> {
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----
// stablehlo.dynamic_pad
func.func @main(%a: tensor<4xf32>, %z: tensor<f32>, %p: tensor<1xi32>) -> tensor<?xf32> {
  %0 = stablehlo.dynamic_pad %a, %z, %p, %p, %p : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----
// stablehlo.dynamic_reshape
func.func @main(%a: tensor<?xf32>, %s: tensor<2xindex>) -> tensor<?x?xf32> {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----
// stablehlo.real_dynamic_slice
func.func @main(%a: tensor<8xf32>, %s: tensor<1xi64>) -> tensor<?xf32> {
  %0 = stablehlo.real_dynamic_slice %a, %s, %s, %s : (tensor<8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----
// stablehlo.dot
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot %a, %b, precision = [HIGH, DEFAULT] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----
// stablehlo.dot_general
func.func @main(%a: tensor<5x2x3xbf16>, %b: tensor<5x3x4xbf16>) -> tensor<5x2x4xf32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<5x2x3xbf16>, tensor<5x3x4xbf16>) -> tensor<5x2x4xf32>
  return %0 : tensor<5x2x4xf32>
}

// -----
// stablehlo.convolution
func.func @main(%a: tensor<1x8x8x2xf32>, %k: tensor<3x3x1x4xf32>) -> tensor<1x4x10x4xf32> {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[0, 1], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x8x8x2xf32>, tensor<3x3x1x4xf32>) -> tensor<1x4x10x4xf32>
  return %0 : tensor<1x4x10x4xf32>
}

// -----
// stablehlo.einsum
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.einsum %a, %b, config = "ab,bc->ac" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----
// stablehlo.unary_einsum
func.func @main(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = "stablehlo.unary_einsum"(%a) <{einsum_config = "ab->ba"}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----
// stablehlo.reduce
func.func @main(%a: tensor<2x3xf32>, %i: tensor<2x3xi32>, %z: tensor<f32>, %k: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %1:2 = stablehlo.reduce(%a init: %z), (%i init: %k) across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
   reducer(%x: tensor<f32>, %y: tensor<f32>) (%u: tensor<i32>, %v: tensor<i32>) {
    stablehlo.return %y, %u : tensor<f32>, tensor<i32>
  }
  return %0 : tensor<2xf32>
}

// -----
// stablehlo.reduce_window
func.func @main(%a: tensor<4x6xf32>, %z: tensor<f32>) -> tensor<2x5xf32> {
  %0 = "stablehlo.reduce_window"(%a, %z) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 2>, window_dilations = array<i64: 1, 3>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// -----
// stablehlo.select_and_scatter
func.func @main(%a: tensor<4x6xf32>, %s: tensor<2x3xf32>, %z: tensor<f32>) -> tensor<4x6xf32> {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----
// stablehlo.sort
func.func @main(%a: tensor<4x6xf32>, %b: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %u: tensor<i32>, %v: tensor<i32>):
    %1 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4x6xf32>, tensor<4x6xi32>) -> (tensor<4x6xf32>, tensor<4x6xi32>)
  return %0#1 : tensor<4x6xi32>
}

// -----
// stablehlo.batch_norm_grad
func.func @main(%a: tensor<2x3x4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %0:3 = "stablehlo.batch_norm_grad"(%a, %s, %s, %s, %a) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}> : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0#2 : tensor<4xf32>
}

// -----
// stablehlo.batch_norm_inference
func.func @main(%a: tensor<2x3x4xf32>, %s: tensor<4xf32>) -> tensor<2x3x4xf32> {
  %0 = "stablehlo.batch_norm_inference"(%a, %s, %s, %s, %s) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}> : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----
// stablehlo.batch_norm_training
func.func @main(%a: tensor<2x3x4xf32>, %s: tensor<3xf32>) -> tensor<3xf32> {
  %0:3 = "stablehlo.batch_norm_training"(%a, %s, %s) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#1 : tensor<3xf32>
}

// -----
// stablehlo.cholesky
func.func @main(%a: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x3x3xf32>
  return %0 : tensor<2x3x3xf32>
}

// -----
// stablehlo.triangular_solve
func.func @main(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----
// stablehlo.fft
func.func @main(%a: tensor<3x8xf32>) -> tensor<3x5xcomplex<f32>> {
  %0 = stablehlo.fft %a, type = RFFT, length = [8] : (tensor<3x8xf32>) -> tensor<3x5xcomplex<f32>>
  return %0 : tensor<3x5xcomplex<f32>>
}

// -----
// stablehlo.rng
func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<2x3xf32> {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----
// stablehlo.rng_bit_generator
func.func @main(%a: tensor<2xui64>) -> tensor<4xui32> {
  %0, %1 = stablehlo.rng_bit_generator %a, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  return %1 : tensor<4xui32>
}

// -----
// stablehlo.while
func.func @main(%n: tensor<i32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<2xf32>
    cond {
    %1 = stablehlo.compare GT, %i, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.subtract %i, %one : tensor<i32>
    %2 = stablehlo.add %v, %v : tensor<2xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}

// -----
// stablehlo.case
func.func @main(%i: tensor<i32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<2xf32>
  }, {
    %1 = stablehlo.negate %x : tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----
// stablehlo.if
func.func @main(%p: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<2xf32>
  }, {
    %1 = stablehlo.negate %x : tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----
// stablehlo.return
func.func @main(%p: tensor<i1>, %x: tensor<2xf32>) {
  "stablehlo.if"(%p) ({
    "stablehlo.return"() : () -> ()
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> ()
  return
}

// -----
// stablehlo.optimization_barrier
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) -> tensor<2xf32> {
  %0, %1 = stablehlo.optimization_barrier %a, %t : tensor<2xf32>, !stablehlo.token
  return %0 : tensor<2xf32>
}

// -----
// stablehlo.tuple
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) -> tuple<tensor<2xf32>, !stablehlo.token> {
  %0 = stablehlo.tuple %a, %t : tuple<tensor<2xf32>, !stablehlo.token>
  return %0 : tuple<tensor<2xf32>, !stablehlo.token>
}

// -----
// stablehlo.get_tuple_element
func.func @main(%a: tuple<tensor<2xf32>, tuple<tensor<i32>>>) -> tensor<i32> {
  %0 = stablehlo.get_tuple_element %a[1] : (tuple<tensor<2xf32>, tuple<tensor<i32>>>) -> tuple<tensor<i32>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<i32>>) -> tensor<i32>
  return %1 : tensor<i32>
}

// -----
// stablehlo.create_token
func.func @main() -> !stablehlo.token {
  %0 = stablehlo.create_token : !stablehlo.token
  return %0 : !stablehlo.token
}

// -----
// stablehlo.after_all
func.func @main(%t: !stablehlo.token) -> !stablehlo.token {
  %0 = stablehlo.after_all %t, %t : !stablehlo.token
  return %0 : !stablehlo.token
}

// -----
// stablehlo.infeed
func.func @main(%t: !stablehlo.token) -> tensor<2x2xi32> {
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = "", layout = [[0, 1]]}> : (!stablehlo.token) -> (tensor<2x2xi32>, !stablehlo.token)
  return %0#0 : tensor<2x2xi32>
}

// -----
// stablehlo.outfeed
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) -> !stablehlo.token {
  %0 = "stablehlo.outfeed"(%a, %t) <{outfeed_config = "x"}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
}

// -----
// stablehlo.send
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) -> !stablehlo.token {
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
}

// -----
// stablehlo.recv
func.func @main(%t: !stablehlo.token) -> tensor<2xf32> {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %0#0 : tensor<2xf32>
}

// -----
// stablehlo.custom_call
func.func @main(%a: tensor<2x3xf32>, %t: !stablehlo.token) -> tensor<2x3xf32> {
  %0:2 = stablehlo.custom_call @target(%a, %t) {api_version = 4 : i32, backend_config = {k = 1 : i64}, has_side_effect = true, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<2x3xf32>, !stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
  return %0#0 : tensor<2x3xf32>
}

// -----
// stablehlo.composite
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.composite "my.op" %a {composite_attributes = {k = "v"}, decomposition = @impl, version = 3 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @impl(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}

// -----
// stablehlo.async_start
func.func @main(%a: tensor<4x4xf32>) -> !stablehlo.future<tensor<2x4xf32>> {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<4x4xf32>):
    %1 = stablehlo.slice %x [0:2, 0:4] : (tensor<4x4xf32>) -> tensor<2x4xf32>
    stablehlo.return %1 : tensor<2x4xf32>
  }) : (tensor<4x4xf32>) -> !stablehlo.future<tensor<2x4xf32>>
  return %0 : !stablehlo.future<tensor<2x4xf32>>
}

// -----
// stablehlo.async_done
func.func @main(%a: !stablehlo.future<tensor<2x4xf32>>) -> tensor<2x4xf32> {
  %0 = "stablehlo.async_done"(%a) : (!stablehlo.future<tensor<2x4xf32>>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----
// stablehlo.partition_id
func.func @main() -> tensor<ui32> {
  %0 = stablehlo.partition_id : tensor<ui32>
  return %0 : tensor<ui32>
}

// -----
// stablehlo.replica_id
func.func @main() -> tensor<ui32> {
  %0 = stablehlo.replica_id : tensor<ui32>
  return %0 : tensor<ui32>
}

// -----
// stablehlo.all_reduce
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
// stablehlo.all_gather
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%a: tensor<4x2xf32>) -> tensor<4x8xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> : (tensor<4x2xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----
// stablehlo.reduce_scatter
func.func @main(%a: tensor<4x8xf32>) -> tensor<4x4xf32> {
  %0 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
// stablehlo.all_to_all
func.func @main(%a: tensor<4x2xf32>) -> tensor<2x4xf32> {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----
// stablehlo.collective_permute
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
// stablehlo.collective_broadcast
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
// stablehlo.collective_reduce
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.collective_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
// chlo.is_inf
func.func @main(%a: tensor<4xf32>) -> tensor<4xi1> {
  %0 = chlo.is_inf %a : tensor<4xf32> -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----
// chlo.is_neg_inf
func.func @main(%a: tensor<4xf32>) -> tensor<4xi1> {
  %0 = chlo.is_neg_inf %a : tensor<4xf32> -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----
// chlo.is_pos_inf
func.func @main(%a: tensor<4xf32>) -> tensor<4xi1> {
  %0 = chlo.is_pos_inf %a : tensor<4xf32> -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----
// chlo.broadcast_complex
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xcomplex<f32>> {
  %0 = chlo.broadcast_complex %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xcomplex<f32>>
  return %0 : tensor<2x3xcomplex<f32>>
}

// -----
// chlo.broadcast_compare
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xi1> {
  %0 = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return %0 : tensor<2x3xi1>
}

// -----
// chlo.broadcast_select
func.func @main(%p: tensor<3xi1>, %a: tensor<2x3xf32>, %b: tensor<f32>) -> tensor<2x3xf32> {
  %0 = chlo.broadcast_select %p, %a, %b : (tensor<3xi1>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----
// chlo.constant
func.func @main() -> tensor<2xf32> {
  %0 = chlo.constant dense<1.5> : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----
// chlo.constant_like
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "chlo.constant_like"(%a) <{value = 2.500000e+00 : f32}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----
// chlo.ragged_dot
func.func @main(%a: tensor<8x4xf32>, %b: tensor<3x4x5xf32>, %g: tensor<3xi64>) -> tensor<8x5xf32> {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<8x4xf32>, tensor<3x4x5xf32>, tensor<3xi64>) -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}

// -----
// chlo.top_k
func.func @main(%a: tensor<8x4xf32>) -> tensor<8x2xi32> {
  %0, %1 = chlo.top_k(%a, k = 2) : tensor<8x4xf32> -> (tensor<8x2xf32>, tensor<8x2xi32>)
  return %1 : tensor<8x2xi32>
}

// -----
// chlo.scan
func.func @main(%a: tensor<8x4xf32>, %c: tensor<4xf32>) -> tensor<8x4xf32> {
  %0, %1 = chlo.scan(%a) inits (%c) dimension=0 attributes {is_reverse = false} {
  ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
    %2 = stablehlo.add %x, %y : tensor<4xf32>
    stablehlo.return %2, %2 : tensor<4xf32>, tensor<4xf32>
  } : (tensor<8x4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>)
  return %0 : tensor<8x4xf32>
}

// -----
// sdy.mesh
sdy.mesh @a = <["x"=2, "y"=4]>
sdy.mesh @b = <["x"=2, "y"=2], device_ids=[3, 0, 1, 2]>
sdy.mesh @c = <[], device_ids=[5]>

// -----
// sdy.constant
func.func @main() -> tensor<2xf32> {
  %0 = sdy.constant dense<1.5> : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----
// sdy.sharding_constraint
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.sharding_constraint %a <@m, [{"x", ?}p1, {"y":(2)2}], replicated={"y":(1)2}> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// sdy.reshard
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.reshard %a <@m, [{"x"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// sdy.manual_computation
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
    %1 = stablehlo.add %b, %b : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// sdy.named_computation
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.named_computation<"stage">(%a) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{}, {}]>] (%b: tensor<8x8xf32>) {
    sdy.return %b : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// sdy.sharding_group
func.func @main(%a: tensor<8xf32>) {
  sdy.sharding_group %a group_id=3 : tensor<8xf32>
  return
}

// -----
// sdy.data_flow_edge
sdy.mesh @m = <["x"=2]>
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.data_flow_edge %a sharding=<@m, [{"x"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// sdy.func_data_flow_edge
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.func_data_flow_edge %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// sdy.propagation_barrier
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.propagation_barrier %a allowed_direction=FORWARD : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// sdy.return
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"n">(%a) (%b: tensor<8xf32>) {
    sdy.return %b : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// sdy.all_gather
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.all_gather [{"y"}, {}] %a out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// sdy.all_slice
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.all_slice [{"y"}, {}] %a out_sharding=<@m, [{"x", "y"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// sdy.all_to_all
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.all_to_all [{"x"}: 0->1] %a out_sharding=<@m, [{}, {"x"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// sdy.collective_permute
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.collective_permute %a out_sharding=<@m, [{"y"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// sdy.all_reduce
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced={"y"}>}) -> tensor<8x8xf32> {
  %0 = sdy.all_reduce {"y"} %a out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// sdy.reduce_scatter
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], unreduced={"y"}>}) -> tensor<8x8xf32> {
  %0 = sdy.reduce_scatter [{}, {"y"}] %a out_sharding=<@m, [{"x"}, {"y"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// sdy.sharded_to_unreduced
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.sharded_to_unreduced [{"x"}, {}] %a out_sharding=<@m, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// sdy.replicated_to_unreduced
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.replicated_to_unreduced {"y"} %a out_sharding=<@m, [{"x"}, {}], unreduced={"y"}> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// check.expect_eq
func.func @main(%a: tensor<2xf32>) {
  check.expect_eq %a, %a : tensor<2xf32>
  return
}

// -----
// check.expect_eq_const
func.func @main(%a: tensor<2xf32>) {
  check.expect_eq_const %a, dense<1.0> : tensor<2xf32>
  return
}

// -----
// check.expect_almost_eq
func.func @main(%a: tensor<2xf32>) {
  check.expect_almost_eq %a, %a : tensor<2xf32>
  return
}

// -----
// check.expect_almost_eq_const
func.func @main(%a: tensor<2xf32>) {
  check.expect_almost_eq_const %a, dense<1.0> : tensor<2xf32>
  return
}

// -----
// check.expect_close
func.func @main(%a: tensor<2xf32>) {
  check.expect_close %a, %a, max_ulp_difference = 3, min_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  return
}

// -----
// builtin.module
module @m attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func private @f(tensor<2xf32>)
}

// -----
// func.func
func.func public @main(%a: tensor<2xf32> {jax.buffer_donor = true, mhlo.sharding = "{replicated}"}) -> (tensor<2xf32> {jax.result_info = "r"}) attributes {x.y} {
  return %a : tensor<2xf32>
}

// -----
// func.call
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @g(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @g(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}

// -----
// func.return
func.func @main(%a: tensor<2xf32>, %b: tensor<f32>) -> (tensor<f32>, tensor<2xf32>) {
  return %b, %a : tensor<f32>, tensor<2xf32>
}
