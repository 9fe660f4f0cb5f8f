// What the verifier says of constants and ops that move elements. Each case is a module that is read alone; "error" gives line, column and message.

// -----
// error 3:8 'stablehlo.constant': result 0 has type 'tensor<3xf32>', expected 'tensor<2xf32>'
func.func @f() {
  %0 = "stablehlo.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<3xf32>
  return
}

// -----
// error 3:8 'stablehlo.constant': needs the attribute 'value'
func.func @f() {
  %0 = "stablehlo.constant"() : () -> tensor<3xf32>
  return
}

// -----
// error 3:8 'stablehlo.constant': attribute 'value' is not a dense attribute
func.func @f() {
  %0 = "stablehlo.constant"() <{value = 1 : i32}> : () -> tensor<i32>
  return
}

// -----
// error 3:8 'stablehlo.iota': iota_dimension is 2, expected 0 to 1
func.func @f() {
  %0 = "stablehlo.iota"() <{iota_dimension = 2 : i64}> : () -> tensor<2x3xi32>
  return
}

// -----
// error 3:8 'stablehlo.iota': iota_dimension is 0, but the tensor has no dimensions
func.func @f() {
  %0 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<i32>
  return
}

// -----
// error 3:8 'stablehlo.iota': result 0 has type 'tensor<2xi1>', expected a tensor of integer or float or complex elements
func.func @f() {
  %0 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<2xi1>
  return
}

// -----
// error 3:8 'stablehlo.broadcast': broadcast_sizes [3, -1] has entry -1, expected at least 0
func.func @f(%a: tensor<2xf32>) {
  %0 = "stablehlo.broadcast"(%a) <{broadcast_sizes = array<i64: 3, -1>}> : (tensor<2xf32>) -> tensor<3x2xf32>
  return
}

// -----
// error 3:8 'stablehlo.broadcast': result 0 has type 'tensor<2x3xf32>', expected 'tensor<3x2xf32>'
func.func @f(%a: tensor<2xf32>) {
  %0 = "stablehlo.broadcast"(%a) <{broadcast_sizes = array<i64: 3>}> : (tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.broadcast_in_dim': operand 0 dimension 0 of 'tensor<2xf32>' does not broadcast to result dimension 1 of 'tensor<2x3xf32>'
func.func @f(%a: tensor<2xf32>) {
  %0 = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.broadcast_in_dim': broadcast_dimensions [2] has entry 2, expected 0 to 1
func.func @f(%a: tensor<2xf32>) {
  %0 = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 2>}> : (tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.broadcast_in_dim': broadcast_dimensions has 1 entries, expected 2
func.func @f(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.broadcast_in_dim': broadcast_dimensions [1, 1] names dimension 1 twice
func.func @f(%a: tensor<1x1xf32>) {
  %0 = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 1, 1>}> : (tensor<1x1xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.broadcast_in_dim': result 0 has type 'tensor<2x3xf64>', expected elements of f32
func.func @f(%a: tensor<2xf32>) {
  %0 = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xf32>) -> tensor<2x3xf64>
  return
}

// -----
// error 3:8 'stablehlo.broadcast_in_dim': attribute 'broadcast_dimensions' is not an array of type i64
func.func @f(%a: tensor<2xf32>) {
  %0 = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = 0 : i64}> : (tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.reshape': result 0 of type 'tensor<7xf32>' has 7 elements, but operand 0 of type 'tensor<2x3xf32>' has 6
func.func @f(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.reshape"(%a) : (tensor<2x3xf32>) -> tensor<7xf32>
  return
}

// -----
// error 3:8 'stablehlo.reshape': result 0 has type 'tensor<6xi32>', expected elements of f32
func.func @f(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.reshape"(%a) : (tensor<2x3xf32>) -> tensor<6xi32>
  return
}

// -----
// error 3:8 'stablehlo.transpose': permutation [1, 1] names dimension 1 twice
func.func @f(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.transpose"(%a) <{permutation = array<i64: 1, 1>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----
// error 3:8 'stablehlo.transpose': permutation has 1 entries, expected 2
func.func @f(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.transpose"(%a) <{permutation = array<i64: 1>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----
// error 3:8 'stablehlo.transpose': result 0 has type 'tensor<2x3xf32>', expected 'tensor<3x2xf32>'
func.func @f(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.transpose"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.reverse': dimensions [1, 1] names dimension 1 twice
func.func @f(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.reverse"(%a) <{dimensions = array<i64: 1, 1>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.reverse': dimensions [-1] has entry -1, expected 0 to 1
func.func @f(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.reverse"(%a) <{dimensions = array<i64: -1>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.slice': dimension 0 is sliced from 3 to 9, which is not within operand 0 of type 'tensor<8xf32>'
func.func @f(%a: tensor<8xf32>) {
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 3>, limit_indices = array<i64: 9>, strides = array<i64: 1>}> : (tensor<8xf32>) -> tensor<6xf32>
  return
}

// -----
// error 3:8 'stablehlo.slice': dimension 0 is sliced from 5 to 4, which is not within operand 0 of type 'tensor<8xf32>'
func.func @f(%a: tensor<8xf32>) {
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 5>, limit_indices = array<i64: 4>, strides = array<i64: 1>}> : (tensor<8xf32>) -> tensor<0xf32>
  return
}

// -----
// error 3:8 'stablehlo.slice': strides [0] has entry 0, expected at least 1
func.func @f(%a: tensor<8xf32>) {
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 0>, limit_indices = array<i64: 8>, strides = array<i64: 0>}> : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----
// error 3:8 'stablehlo.slice': result 0 has type 'tensor<2xf32>', expected 'tensor<3xf32>'
func.func @f(%a: tensor<8xf32>) {
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 0>, limit_indices = array<i64: 8>, strides = array<i64: 3>}> : (tensor<8xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.slice': start_indices has 2 entries, expected 1
func.func @f(%a: tensor<8xf32>) {
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 8>, strides = array<i64: 3>}> : (tensor<8xf32>) -> tensor<3xf32>
  return
}

// -----
// error 3:8 'stablehlo.pad': interior_padding [-1] has entry -1, expected at least 0
func.func @f(%a: tensor<8xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.pad"(%a, %z) <{edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: 1>, interior_padding = array<i64: -1>}> : (tensor<8xf32>, tensor<f32>) -> tensor<10xf32>
  return
}

// -----
// error 3:8 'stablehlo.pad': dimension 0 of operand 0 of type 'tensor<8xf32>' padded by -5, -5 and 0 between elements has no valid size
func.func @f(%a: tensor<8xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.pad"(%a, %z) <{edge_padding_low = array<i64: -5>, edge_padding_high = array<i64: -5>, interior_padding = array<i64: 0>}> : (tensor<8xf32>, tensor<f32>) -> tensor<0xf32>
  return
}

// -----
// error 3:8 'stablehlo.pad': operand 1 has type 'tensor<1xf32>' of rank 1, expected rank 0
func.func @f(%a: tensor<8xf32>, %z: tensor<1xf32>) {
  %0 = "stablehlo.pad"(%a, %z) <{edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: 1>, interior_padding = array<i64: 0>}> : (tensor<8xf32>, tensor<1xf32>) -> tensor<10xf32>
  return
}

// -----
// error 3:8 'stablehlo.pad': operand 0 has type 'tensor<8xf32>' and operand 1 has type 'tensor<i32>', expected the same element type
func.func @f(%a: tensor<8xf32>, %z: tensor<i32>) {
  %0 = "stablehlo.pad"(%a, %z) <{edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: 1>, interior_padding = array<i64: 0>}> : (tensor<8xf32>, tensor<i32>) -> tensor<10xf32>
  return
}

// -----
// error 3:8 'stablehlo.pad': result 0 has type 'tensor<10xf32>', expected 'tensor<17xf32>'
func.func @f(%a: tensor<8xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.pad"(%a, %z) <{edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: 1>, interior_padding = array<i64: 1>}> : (tensor<8xf32>, tensor<f32>) -> tensor<10xf32>
  return
}

// -----
// error 3:8 'stablehlo.concatenate': operand 1 of type 'tensor<3x3xf32>' does not join operand 0 of type 'tensor<2x3xf32>' along dimension 1
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x3xf32>) {
  %0 = "stablehlo.concatenate"(%a, %b) <{dimension = 1 : i64}> : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.concatenate': dimension is 2, expected 0 to 1
func.func @f(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.concatenate"(%a, %a) <{dimension = 2 : i64}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.concatenate': has no operands
func.func @f() {
  %0 = "stablehlo.concatenate"() <{dimension = 0 : i64}> : () -> tensor<0xf32>
  return
}

// -----
// error 3:8 'stablehlo.dynamic_slice': has 1 start indices for operand 0 of type 'tensor<2x3xf32>', expected 2
func.func @f(%a: tensor<2x3xf32>, %i: tensor<i32>) {
  %0 = "stablehlo.dynamic_slice"(%a, %i) <{slice_sizes = array<i64: 1, 1>}> : (tensor<2x3xf32>, tensor<i32>) -> tensor<1x1xf32>
  return
}

// -----
// error 3:8 'stablehlo.dynamic_slice': operand 1 has type 'tensor<i32>' and operand 2 has type 'tensor<i64>', expected the same element type
func.func @f(%a: tensor<2x3xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  %0 = "stablehlo.dynamic_slice"(%a, %i, %j) <{slice_sizes = array<i64: 1, 1>}> : (tensor<2x3xf32>, tensor<i32>, tensor<i64>) -> tensor<1x1xf32>
  return
}

// -----
// error 3:8 'stablehlo.dynamic_slice': operand 1 has type 'tensor<f32>', expected a tensor of integer elements
func.func @f(%a: tensor<3xf32>, %i: tensor<f32>) {
  %0 = "stablehlo.dynamic_slice"(%a, %i) <{slice_sizes = array<i64: 1>}> : (tensor<3xf32>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----
// error 3:8 'stablehlo.dynamic_slice': slice_sizes [4] is larger than operand 0 of type 'tensor<3xf32>'
func.func @f(%a: tensor<3xf32>, %i: tensor<i32>) {
  %0 = "stablehlo.dynamic_slice"(%a, %i) <{slice_sizes = array<i64: 4>}> : (tensor<3xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----
// error 3:8 'stablehlo.dynamic_slice': result 0 has type 'tensor<3xf32>', expected 'tensor<2xf32>'
func.func @f(%a: tensor<3xf32>, %i: tensor<i32>) {
  %0 = "stablehlo.dynamic_slice"(%a, %i) <{slice_sizes = array<i64: 2>}> : (tensor<3xf32>, tensor<i32>) -> tensor<3xf32>
  return
}

// -----
// error 3:8 'stablehlo.dynamic_update_slice': operand 1 of type 'tensor<4xf32>' is larger than operand 0 of type 'tensor<3xf32>'
func.func @f(%a: tensor<3xf32>, %u: tensor<4xf32>, %i: tensor<i32>) {
  %0 = "stablehlo.dynamic_update_slice"(%a, %u, %i) : (tensor<3xf32>, tensor<4xf32>, tensor<i32>) -> tensor<3xf32>
  return
}

// -----
// error 3:8 'stablehlo.dynamic_update_slice': operand 1 has type 'tensor<2x2xf32>' of rank 2, expected rank 1
func.func @f(%a: tensor<3xf32>, %u: tensor<2x2xf32>, %i: tensor<i32>) {
  %0 = "stablehlo.dynamic_update_slice"(%a, %u, %i) : (tensor<3xf32>, tensor<2x2xf32>, tensor<i32>) -> tensor<3xf32>
  return
}

// -----
// error 3:8 'stablehlo.dynamic_update_slice': operand 0 has type 'tensor<3xf32>' and operand 1 has type 'tensor<2xi32>', expected the same element type
func.func @f(%a: tensor<3xf32>, %u: tensor<2xi32>, %i: tensor<i32>) {
  %0 = "stablehlo.dynamic_update_slice"(%a, %u, %i) : (tensor<3xf32>, tensor<2xi32>, tensor<i32>) -> tensor<3xf32>
  return
}
