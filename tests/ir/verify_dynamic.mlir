// What the verifier says of ops whose shapes are operands, and of dimensions with bounds. Each case is a module that is read alone; "error"
// gives line, column and message.

// -----
// error 3:8 'stablehlo.dynamic_broadcast_in_dim': operand 1 has type 'tensor<?xi64>', expected a static shape
func.func @f(%a: tensor<1x3xf32>, %s: tensor<?xi64>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1] : (tensor<1x3xf32>, tensor<?xi64>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.dynamic_broadcast_in_dim': operand 1 has type 'tensor<3xindex>', expected 2 entries
func.func @f(%a: tensor<1x3xf32>, %s: tensor<3xindex>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1] : (tensor<1x3xf32>, tensor<3xindex>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.dynamic_broadcast_in_dim': operand 1 has type 'tensor<2xf32>', expected a tensor of integer elements
func.func @f(%a: tensor<1x3xf32>, %s: tensor<2xf32>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1] : (tensor<1x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 4:8 'stablehlo.dynamic_broadcast_in_dim': operand 1 is the shape [4, 3], but result 0 has type 'tensor<2x3xf32>'
func.func @f(%a: tensor<1x3xf32>) {
  %s = stablehlo.constant dense<[4, 3]> : tensor<2xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1] : (tensor<1x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----
// error 4:8 'stablehlo.dynamic_broadcast_in_dim': operand 0 of type 'tensor<2x3xf32>' does not broadcast to the shape [2, 4] of operand 1
func.func @f(%a: tensor<2x3xf32>) {
  %s = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1] : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----
// error 3:8 'stablehlo.dynamic_broadcast_in_dim': dimension 0 is in known_expanding_dimensions and in known_nonexpanding_dimensions
func.func @f(%a: tensor<1x3xf32>, %s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>} : (tensor<1x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----
// error 4:8 'stablehlo.dynamic_iota': operand 0 is the shape [-1], but result 0 has type 'tensor<?xi32>'
func.func @f() {
  %s = stablehlo.constant dense<[-1]> : tensor<1xi64>
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
  return
}

// -----
// error 4:8 'stablehlo.dynamic_iota': operand 0 is the shape [5], but result 0 has type 'tensor<4xi32>'
func.func @f() {
  %s = stablehlo.constant dense<[5]> : tensor<1xi64>
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<4xi32>
  return
}

// -----
// error 4:8 'stablehlo.dynamic_reshape': operand 1 is the shape [2, 2], which does not hold the 6 elements of operand 0
func.func @f(%a: tensor<6xf32>) {
  %s = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----
// error 3:8 'stablehlo.dynamic_reshape': operand 1 has type 'tensor<3xi64>', expected 2 entries
func.func @f(%a: tensor<6xf32>, %s: tensor<3xi64>) {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<6xf32>, tensor<3xi64>) -> tensor<?x?xf32>
  return
}

// -----
// error 4:8 'stablehlo.dynamic_pad': operand 4, interior_padding, [-1] has entry -1, expected at least 0
func.func @f(%a: tensor<4xf32>, %z: tensor<f32>, %p: tensor<1xi32>) {
  %m = stablehlo.constant dense<[-1]> : tensor<1xi32>
  %0 = stablehlo.dynamic_pad %a, %z, %p, %p, %m : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return
}

// -----
// error 4:8 'stablehlo.dynamic_pad': dimension 0 of operand 0 of type 'tensor<4xf32>' padded by 1, 1 and 1 between elements does not give 'tensor<8xf32>'
func.func @f(%a: tensor<4xf32>, %z: tensor<f32>) {
  %p = stablehlo.constant dense<[1]> : tensor<1xi32>
  %0 = stablehlo.dynamic_pad %a, %z, %p, %p, %p : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<8xf32>
  return
}

// -----
// ok: padding that gives what the result says
func.func @f(%a: tensor<4xf32>, %z: tensor<f32>) {
  %p = stablehlo.constant dense<[1]> : tensor<1xi32>
  %0 = stablehlo.dynamic_pad %a, %z, %p, %p, %p : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<9xf32>
  return
}

// -----
// error 3:8 'stablehlo.dynamic_pad': operand 2 has type 'tensor<1xi32>' and operand 4 has type 'tensor<1xi64>', expected the same type
func.func @f(%a: tensor<4xf32>, %z: tensor<f32>, %p: tensor<1xi32>, %q: tensor<1xi64>) {
  %0 = stablehlo.dynamic_pad %a, %z, %p, %p, %q : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----
// error 3:8 'stablehlo.real_dynamic_slice': operand 1 has type 'tensor<1xi64>' and operand 3 has type 'tensor<1xi32>', expected the same type
func.func @f(%a: tensor<8xf32>, %s: tensor<1xi64>, %t: tensor<1xi32>) {
  %0 = stablehlo.real_dynamic_slice %a, %s, %s, %t : (tensor<8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi32>) -> tensor<?xf32>
  return
}

// -----
// error 4:8 'stablehlo.dynamic_gather': slice_sizes [2, 4] is over 1 in dimension 0, which is collapsed or a batching dimension
func.func @f(%a: tensor<3x4xf32>, %i: tensor<2x1xi64>) {
  %s = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi64>, tensor<2xi64>) -> tensor<2x4xf32>
  return
}

// -----
// error 4:8 'stablehlo.dynamic_gather': slice_sizes [1, 5] is larger than operand 0 of type 'tensor<3x4xf32>'
func.func @f(%a: tensor<3x4xf32>, %i: tensor<2x1xi64>) {
  %s = stablehlo.constant dense<[1, 5]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi64>, tensor<2xi64>) -> tensor<2x5xf32>
  return
}

// -----
// error 3:8 'stablehlo.dynamic_gather': operand 2 has type 'tensor<?xi64>', expected a static shape
func.func @f(%a: tensor<3x4xf32>, %i: tensor<2x1xi64>, %s: tensor<?xi64>) {
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi64>, tensor<?xi64>) -> tensor<2x4xf32>
  return
}

// -----
// error 4:8 'stablehlo.rng': operand 2 is the shape [7], but result 0 has type 'tensor<12xf32>'
func.func @f(%a: tensor<f32>) {
  %s = stablehlo.constant dense<7> : tensor<1xi64>
  %0 = stablehlo.rng %a, %a, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<12xf32>
  return
}

// -----
// error 3:8 'stablehlo.rng': operand 2 has type 'tensor<?xi64>', expected a static shape
func.func @f(%a: tensor<f32>, %s: tensor<?xi64>) {
  %0 = stablehlo.rng %a, %a, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<?xi64>) -> tensor<12xf32>
  return
}

// -----
// error 3:8 'stablehlo.set_dimension_size': operand 1 has type 'tensor<i64>', expected 'tensor<i32>'
func.func @f(%a: tensor<2x4xf32>, %n: tensor<i64>) {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 1 : (tensor<2x4xf32>, tensor<i64>) -> tensor<2x?xf32>
  return
}

// -----
// error 3:8 'stablehlo.add': operand 0 has type 'tensor<2x3xindex>', expected a tensor of integer or i1 or float or complex elements
func.func @f(%a: tensor<2x3xindex>) {
  %0 = stablehlo.add %a, %a : tensor<2x3xindex>
  return
}

// -----
// error 3:8 'stablehlo.negate': operand 0 has type 'tensor<*xf32>', expected a tensor
func.func @f(%a: tensor<*xf32>) {
  %0 = stablehlo.negate %a : tensor<*xf32>
  return
}

// -----
// error 3:8 'stablehlo.broadcast_in_dim': result 0 has type 'tensor<?x3xf32>', expected a static shape, or one dynamic dimension that has a bound
func.func @f(%a: tensor<3xf32>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<?x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.reshape': result 0 has type 'tensor<?x?xf32, #stablehlo.bounds<2, 3>>', expected a static shape, or one dynamic dimension that has a bound
func.func @f(%a: tensor<6xf32>) {
  %0 = stablehlo.reshape %a : (tensor<6xf32>) -> tensor<?x?xf32, #stablehlo.bounds<2, 3>>
  return
}

// -----
// error 3:8 'stablehlo.iota': result 0 has type 'tensor<?xi32>', expected a static shape
func.func @f() {
  %0 = stablehlo.iota dim = 0 : tensor<?xi32>
  return
}

// -----
// ok: one dimension that has a bound may stay dynamic
func.func @f(%a: tensor<?xf32, #stablehlo.bounds<6>>) {
  %0 = stablehlo.reshape %a : (tensor<?xf32, #stablehlo.bounds<6>>) -> tensor<?x1xf32, #stablehlo.bounds<6, ?>>
  return
}

// -----
// error 3:8 'stablehlo.negate': result 0 has type 'tensor<5xf32>', expected 'tensor<?xf32, #stablehlo.bounds<4>>'
func.func @f(%a: tensor<?xf32, #stablehlo.bounds<4>>) {
  %0 = "stablehlo.negate"(%a) : (tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<5xf32>
  return
}

// -----
// error 2:38 1 bounds for a tensor of rank 2
func.func private @f(tensor<?x?xf32, #stablehlo.bounds<4>>)

// -----
// error 2:38 dimension 1 of size 3 has the bound 3
func.func private @f(tensor<?x3xf32, #stablehlo.type_extensions<bounds = [?, 3]>>)

// -----
// error 3:8 'stablehlo.dynamic_conv': window dimensions [0, 3] has entry 0, expected at least 1
func.func @f(%a: tensor<1x8x8x2xf32>, %k: tensor<0x3x2x4xf32>, %p: tensor<2x2xi64>) {
  %0 = "stablehlo.dynamic_conv"(%a, %k, %p) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<1x8x8x2xf32>, tensor<0x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x?x?x4xf32>
  return
}
