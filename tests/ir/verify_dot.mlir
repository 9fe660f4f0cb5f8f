// What the verifier says of products and convolutions. Each case is a module that is read alone; "error" gives line, column and message.

// -----
// error 3:8 'stablehlo.dot_general': contracting dimensions 1 of 'tensor<2x3xf32>' and 0 of 'tensor<4x5xf32>' differ in size
func.func @f(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----
// error 3:8 'stablehlo.dot_general': result 0 has type 'tensor<5x2xf32>', expected 'tensor<2x5xf32>'
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<5x2xf32>
  return
}

// -----
// error 3:8 'stablehlo.dot_general': lhs contracting dimensions [2] has entry 2, expected 0 to 1
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}

// -----
// error 3:8 'stablehlo.dot_general': contracting dimensions [1] and [] differ in number
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = []>}> : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}

// -----
// error 3:8 'stablehlo.dot_general': batching dimensions 0 of 'tensor<2x3xf32>' and 1 of 'tensor<2x3xf32>' differ in size
func.func @f(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.dot_general': lhs batching dimensions and lhs contracting dimensions share dimension 0
func.func @f(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [1]>}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.dot_general': lhs contracting dimensions [1, 1] names dimension 1 twice
func.func @f(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1, 1], rhs_contracting_dimensions = [1, 1]>}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.dot_general': result 0 has type 'tensor<2x5xcomplex<f32>>' for operands of f32
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xcomplex<f32>>
  return
}

// -----
// error 3:8 'stablehlo.dot_general': precision_config has 3 entries, expected at most 2
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>, #stablehlo<precision HIGH>]}> : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}

// -----
// error 3:8 'stablehlo.dot_general': precision_config entry 0 is not a precision of stablehlo
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [1 : i32]}> : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}

// -----
// error 3:8 'stablehlo.dot': operands of type 'tensor<2x3xf32>' and 'tensor<2x3xf32>' are not vectors or matrices that fit
func.func @f(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.dot"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.dot': result 0 has type 'tensor<3xf32>', expected 'tensor<2xf32>'
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  %0 = "stablehlo.dot"(%a, %b) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----
// error 3:8 'stablehlo.convolution': result 0 has type 'tensor<1x8x8x6xf32>', expected 'tensor<1x6x6x6xf32>'
func.func @f(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.convolution': operand 1 of type 'tensor<3x3x5x6xf32>' has input feature dimension 5, expected 4
func.func @f(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x5x6xf32>) {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x8x8x4xf32>, tensor<3x3x5x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.convolution': the input feature of size 4 does not divide by feature_group_count 3
func.func @f(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 3 : i64, batch_group_count = 1 : i64}> : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.convolution': feature_group_count is 0, expected at least 1
func.func @f(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 0 : i64, batch_group_count = 1 : i64}> : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.convolution': feature_group_count and batch_group_count are both over 1
func.func @f(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, batch_group_count = 2 : i64}> : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.convolution': the input batch of size 1 does not divide by batch_group_count 2
func.func @f(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 2 : i64}> : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.convolution': window_strides [0, 1] has entry 0, expected at least 1
func.func @f(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, window_strides = array<i64: 0, 1>}> : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.convolution': window_strides has 1 entries, expected 2
func.func @f(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, window_strides = array<i64: 1>}> : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.convolution': padding has type 'tensor<2x3xi64>', expected 'tensor<2x2xi64>'
func.func @f(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, padding = dense<0> : tensor<2x3xi64>}> : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.convolution': rhs_dilation [0, 1] has entry 0, expected at least 1
func.func @f(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, rhs_dilation = array<i64: 0, 1>}> : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.convolution': window_reversal has 1 entries, expected 2
func.func @f(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, window_reversal = array<i1: true>}> : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.convolution': input dimensions has 1 spatial dimensions, expected 2
func.func @f(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.convolution': operand 1 has type 'tensor<3x4x6xf32>' of rank 3, expected rank 4
func.func @f(%a: tensor<1x8x8x4xf32>, %b: tensor<3x4x6xf32>) {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x8x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.convolution': operand 0 has type 'tensor<1x8x8x4xf32>' and operand 1 has type 'tensor<3x3x4x6xbf16>', expected the same element type
func.func @f(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xbf16>) {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xbf16>) -> tensor<1x6x6x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.dot_general': precision_config is HIGH, expected DEFAULT where an algorithm is given
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [HIGH, DEFAULT], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----
// error 3:8 'stablehlo.dot_general': lhs_component_count of the algorithm is 0, expected at least 1
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 0, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----
// error 3:8 'stablehlo.dot_general': num_primitive_operations of the algorithm is -1, expected at least 1
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = -1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----
// error 3:8 'stablehlo.dot_general': the algorithm of tf32 and bf16 with sums in f32, 1 and 1 components, 1 operations and imprecise sums is unknown
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = true> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----
// error 3:80 a dot algorithm without lhs_precision_type, rhs_precision_type or accumulation_type
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----
// error 3:8 'chlo.ragged_dot': lhs_ragged_dimensions has 0 entries, expected 1
func.func @f(%a: tensor<8x4xf32>, %b: tensor<3x4x5xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<8x4xf32>, tensor<3x4x5xf32>, tensor<3xi64>) -> tensor<8x5xf32>
  return
}

// -----
// error 3:8 'chlo.ragged_dot': lhs_ragged_dimensions [2] has entry 2, expected 0 to 1
func.func @f(%a: tensor<8x4xf32>, %b: tensor<3x4x5xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2], rhs_group_dimensions = [0]>}> : (tensor<8x4xf32>, tensor<3x4x5xf32>, tensor<3xi64>) -> tensor<8x5xf32>
  return
}

// -----
// error 3:8 'chlo.ragged_dot': operand 1 of type 'tensor<3x4x5xf32>' has not as many groups as operand 2 of type 'tensor<2xi64>'
func.func @f(%a: tensor<8x4xf32>, %b: tensor<3x4x5xf32>, %g: tensor<2xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<8x4xf32>, tensor<3x4x5xf32>, tensor<2xi64>) -> tensor<8x5xf32>
  return
}

// -----
// error 3:8 'chlo.ragged_dot': operand 2 has type 'tensor<2x3xi64>', expected rank 1
func.func @f(%a: tensor<8x4xf32>, %b: tensor<3x4x5xf32>, %g: tensor<2x3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<8x4xf32>, tensor<3x4x5xf32>, tensor<2x3xi64>) -> tensor<8x5xf32>
  return
}

// -----
// error 3:8 'chlo.ragged_dot': operand 2 has type 'tensor<6x3xi64>', expected dimension 0 of the size of dimension 0 of operand 0 of type 'tensor<7x8x4xf32>'
func.func @f(%a: tensor<7x8x4xf32>, %b: tensor<3x7x4x5xf32>, %g: tensor<6x3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<7x8x4xf32>, tensor<3x7x4x5xf32>, tensor<6x3xi64>) -> tensor<7x8x5xf32>
  return
}

// -----
// error 3:8 'chlo.ragged_dot': rhs_group_dimensions has 1 entries, expected none where the ragged dimension is batched or contracted
func.func @f(%a: tensor<8x4xf32>, %b: tensor<3x4x5xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<8x4xf32>, tensor<3x4x5xf32>, tensor<3xi64>) -> tensor<8x5xf32>
  return
}

// -----
// error 3:8 'chlo.ragged_dot': rhs_group_dimensions has 0 entries, expected 1 where the ragged dimension is lhs's alone
func.func @f(%a: tensor<8x4xf32>, %b: tensor<3x4x5xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>}> : (tensor<8x4xf32>, tensor<3x4x5xf32>, tensor<3xi64>) -> tensor<8x5xf32>
  return
}

// -----
// error 3:8 'chlo.ragged_dot': rhs_group_dimensions names dimension 1, which is batched or contracted
func.func @f(%a: tensor<8x4xf32>, %b: tensor<3x4x5xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [1]>}> : (tensor<8x4xf32>, tensor<3x4x5xf32>, tensor<3xi64>) -> tensor<8x5xf32>
  return
}

// -----
// ok: a product per group where the contracted dimension is ragged
func.func @f(%a: tensor<8x4xf32>, %b: tensor<4x5xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1]>}> : (tensor<8x4xf32>, tensor<4x5xf32>, tensor<3xi64>) -> tensor<3x8x5xf32>
  return
}

// -----
// error 3:8 'stablehlo.tanh': result_accuracy has tolerances, which only the mode TOLERANCE has, not HIGHEST
func.func @f(%a: tensor<2xf32>) {
  %0 = stablehlo.tanh %a {result_accuracy = #stablehlo.result_accuracy<atol = 1.0, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.tanh': result_accuracy has a negative tolerance
func.func @f(%a: tensor<2xf32>) {
  %0 = stablehlo.tanh %a {result_accuracy = #stablehlo.result_accuracy<ulps = -1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
  return
}
