// What the verifier says of linear algebra, transforms, random numbers, CHLO, custom calls. Each case is a module that is read alone; "error" gives line, column and message.

// -----
// error 3:8 'stablehlo.cholesky': operand 0 has type 'tensor<3x4xf32>', expected square matrices
func.func @f(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.cholesky"(%a) <{lower = true}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----
// error 3:8 'stablehlo.triangular_solve': operands of type 'tensor<3x3xf32>' and 'tensor<4x2xf32>' do not fit
func.func @f(%a: tensor<3x3xf32>, %b: tensor<4x2xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// error 3:8 'stablehlo.triangular_solve': operand 1 has type 'tensor<3xf32>' of rank 1, expected rank 2
func.func @f(%a: tensor<3x3xf32>, %b: tensor<3xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----
// error 3:8 'stablehlo.triangular_solve': operand 0 has type 'tensor<3x3xf32>' and operand 1 has type 'tensor<3x2xf64>', expected the same element type
func.func @f(%a: tensor<3x3xf32>, %b: tensor<3x2xf64>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf32>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return
}

// -----
// error 3:8 'stablehlo.triangular_solve': transpose_a is TRANSPOSE_INVALID
func.func @f(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE_INVALID>}> : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----
// error 3:8 'stablehlo.fft': operand 0 has type 'tensor<8xf32>', expected a tensor of complex elements
func.func @f(%a: tensor<8xf32>) {
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 8>}> : (tensor<8xf32>) -> tensor<8xcomplex<f32>>
  return
}

// -----
// error 3:8 'stablehlo.fft': result 0 has type 'tensor<8xcomplex<f32>>', expected 'tensor<5xcomplex<f32>>'
func.func @f(%a: tensor<8xf32>) {
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>}> : (tensor<8xf32>) -> tensor<8xcomplex<f32>>
  return
}

// -----
// error 3:8 'stablehlo.fft': operand 0 has type 'tensor<8xf32>', but fft_length [7] expects 7 in dimension 0
func.func @f(%a: tensor<8xf32>) {
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 7>}> : (tensor<8xf32>) -> tensor<5xcomplex<f32>>
  return
}

// -----
// error 3:8 'stablehlo.fft': operand 0 has type 'tensor<4xcomplex<f32>>', but fft_length [8] expects 5 in dimension 0
func.func @f(%a: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 8>}> : (tensor<4xcomplex<f32>>) -> tensor<8xf32>
  return
}

// -----
// error 3:8 'stablehlo.fft': fft_length has 4 entries, expected 1 to 3 and no more than operand 0 of type 'tensor<1x1x1x1xcomplex<f32>>' has dimensions
func.func @f(%a: tensor<1x1x1x1xcomplex<f32>>) {
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 1, 1, 1, 1>}> : (tensor<1x1x1x1xcomplex<f32>>) -> tensor<1x1x1x1xcomplex<f32>>
  return
}

// -----
// error 3:8 'stablehlo.fft': operand 0 has type 'tensor<8xf16>', expected elements of f32 or f64
func.func @f(%a: tensor<8xf16>) {
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>}> : (tensor<8xf16>) -> tensor<5xcomplex<f32>>
  return
}

// -----
// error 3:10 'stablehlo.rng_bit_generator': operand 0 has type 'tensor<3xui64>', which is not a state of THREE_FRY
func.func @f(%s: tensor<3xui64>) {
  %0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

// -----
// error 3:10 'stablehlo.rng_bit_generator': result 0 has type 'tensor<3xui64>', expected 'tensor<2xui64>'
func.func @f(%s: tensor<2xui64>) {
  %0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

// -----
// error 3:8 'stablehlo.rng': operand 0 has type 'tensor<i32>', expected a tensor of float elements
func.func @f(%a: tensor<i32>, %n: tensor<1xi64>) {
  %0 = "stablehlo.rng"(%a, %a, %n) <{rng_distribution = #stablehlo<rng_distribution NORMAL>}> : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<4xi32>
  return
}

// -----
// error 3:8 'stablehlo.batch_norm_inference': operand 1 has type 'tensor<2xf32>', expected 3 features
func.func @f(%x: tensor<2x3xf32>, %s: tensor<2xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.batch_norm_inference': feature_index is 2, expected 0 to 1
func.func @f(%x: tensor<2x3xf32>, %s: tensor<3xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) <{epsilon = 1.0e-3 : f32, feature_index = 2 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.batch_norm_inference': operand 0 has type 'tensor<2x3xf32>' and operand 1 has type 'tensor<3xf64>', expected the same element type
func.func @f(%x: tensor<2x3xf32>, %s: tensor<3xf64>) {
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.get_dimension_size': dimension is 2, expected 0 to 1
func.func @f(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.get_dimension_size"(%a) <{dimension = 2 : i64}> : (tensor<2x3xf32>) -> tensor<i32>
  return
}

// -----
// error 3:8 'stablehlo.einsum': einsum_config "ab,bc->ad" does not fit the operands
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  %0 = "stablehlo.einsum"(%a, %b) <{einsum_config = "ab,bc->ad"}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----
// error 3:8 'stablehlo.einsum': einsum_config gives 'b' the sizes 3 and 4
func.func @f(%a: tensor<2x3xf32>, %b: tensor<4x4xf32>) {
  %0 = "stablehlo.einsum"(%a, %b) <{einsum_config = "ab,bc->ac"}> : (tensor<2x3xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  return
}

// -----
// error 3:10 'chlo.top_k': k is 4, but operand 0 has type 'tensor<2x3xf32>'
func.func @f(%a: tensor<2x3xf32>) {
  %0:2 = "chlo.top_k"(%a) <{k = 4 : i64}> : (tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xi32>)
  return
}

// -----
// error 3:10 'chlo.top_k': result 1 has type 'tensor<2x2xi64>', expected 'tensor<2x2xi32>'
func.func @f(%a: tensor<2x3xf32>) {
  %0:2 = "chlo.top_k"(%a) <{k = 2 : i64}> : (tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x2xi64>)
  return
}

// -----
// error 3:8 'chlo.broadcast_add': operands of type 'tensor<2x3xf32>' and 'tensor<2xf32>' do not broadcast
func.func @f(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  %0 = "chlo.broadcast_add"(%a, %b) : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'chlo.broadcast_add': operands of type 'tensor<2x3xf32>' and 'tensor<2xf32>' do not broadcast
func.func @f(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  %0 = "chlo.broadcast_add"(%a, %b) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.custom_call': operand_layouts and result_layouts are given only together
func.func @f(%a: tensor<2xf32>) {
  %0 = "stablehlo.custom_call"(%a) <{call_target_name = "f", operand_layouts = [dense<0> : tensor<1xindex>]}> : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.custom_call': needs the attribute 'call_target_name'
func.func @f(%a: tensor<2xf32>) {
  %0 = "stablehlo.custom_call"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:3 'check.expect_eq': operand 0 has type 'tensor<f32>' and operand 1 has type 'tensor<f64>', expected the same type
func.func @f(%a: tensor<f32>, %b: tensor<f64>) {
  "check.expect_eq"(%a, %b) : (tensor<f32>, tensor<f64>) -> ()
  return
}

// -----
// error 3:3 'check.expect_almost_eq': operand 0 has type 'tensor<i32>', expected a tensor of float or complex elements
func.func @f(%a: tensor<i32>) {
  check.expect_almost_eq %a, %a : tensor<i32>
  return
}

// -----
// error 3:3 'check.expect_close': max_ulp_difference is not a number of type ui64
func.func @f(%a: tensor<f32>) {
  "check.expect_close"(%a, %a) <{max_ulp_difference = 3 : i64}> : (tensor<f32>, tensor<f32>) -> ()
  return
}

// -----
// error 3:3 'check.expect_eq_const': value is not a constant of type 'tensor<f32>'
func.func @f(%a: tensor<f32>) {
  check.expect_eq_const %a, dense<1.0> : tensor<2xf32>
  return
}

// -----
// error 3:3 'check.expect_close': needs the attribute 'max_ulp_difference'
func.func @f(%a: tensor<f32>) {
  "check.expect_close"(%a, %a) : (tensor<f32>, tensor<f32>) -> ()
  return
}

// -----
// error 3:34 expected a limit such as tolerance, found 'nearness'
func.func @f(%a: tensor<f32>) {
  check.expect_almost_eq %a, %a, nearness = 1 : tensor<f32>
  return
}
