// What the verifier says of gather and scatter. Each case is a module that is read alone; "error" gives line, column and message.

// -----
// error 3:8 'stablehlo.gather': offset_dims, collapsed_slice_dims and operand_batching_dims have 4 dimensions together, but the operand of type 'tensor<4x5x6xf32>' has 3
func.func @f(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>) -> tensor<7x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.gather': index_vector_dim is 3, expected 0 to 2
func.func @f(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>) -> tensor<7x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.gather': start_index_map has 1 entries, but an index vector of 'tensor<7x2xi32>' has 2
func.func @f(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>) -> tensor<7x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.gather': start_index_map [0, 0] names dimension 0 twice
func.func @f(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>) -> tensor<7x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.gather': start_index_map [0, 3] has entry 3, expected 0 to 2
func.func @f(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 3], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>) -> tensor<7x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.gather': collapsed_slice_dims [1, 0] is not in rising order
func.func @f(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1, 0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>) -> tensor<7x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.gather': collapsed_slice_dims [0, 4] has entry 4, expected 0 to 2
func.func @f(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 4], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>) -> tensor<7x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.gather': offset_dims [2] has entry 2, expected 0 to 1
func.func @f(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>) -> tensor<7x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.gather': slice_sizes [1, 2, 6] is over 1 in dimension 1, which is collapsed or a batching dimension
func.func @f(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2, 6>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>) -> tensor<7x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.gather': slice_sizes [1, 1, 7] is larger than operand 0 of type 'tensor<4x5x6xf32>'
func.func @f(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 7>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>) -> tensor<7x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.gather': slice_sizes has 2 entries, expected 3
func.func @f(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>) -> tensor<7x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.gather': slice_sizes [1, 1, -1] has entry -1, expected at least 0
func.func @f(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, -1>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>) -> tensor<7x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.gather': result 0 has type 'tensor<6x7xf32>', expected 'tensor<7x6xf32>'
func.func @f(%a: tensor<4x5x6xf32>, %i: tensor<7x2xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<4x5x6xf32>, tensor<7x2xi32>) -> tensor<6x7xf32>
  return
}

// -----
// error 3:8 'stablehlo.gather': operand 1 has type 'tensor<7x2xf32>', expected a tensor of integer elements
func.func @f(%a: tensor<4x5x6xf32>, %i: tensor<7x2xf32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<4x5x6xf32>, tensor<7x2xf32>) -> tensor<7x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.gather': batching dimensions 0 of 'tensor<4x5x6xf32>' and 0 of 'tensor<3x1xi32>' differ in size
func.func @f(%a: tensor<4x5x6xf32>, %i: tensor<3x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2, 6>}> : (tensor<4x5x6xf32>, tensor<3x1xi32>) -> tensor<3x2x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.gather': start_indices_batching_dims [1] contains index_vector_dim 1
func.func @f(%a: tensor<4x5x6xf32>, %i: tensor<4x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2, 6>}> : (tensor<4x5x6xf32>, tensor<4x1xi32>) -> tensor<4x2x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.gather': operand_batching_dims has 1 entries, but start_indices_batching_dims has 0
func.func @f(%a: tensor<4x5x6xf32>, %i: tensor<4x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], operand_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2, 6>}> : (tensor<4x5x6xf32>, tensor<4x1xi32>) -> tensor<4x2x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.gather': start_index_map [0] and operand_batching_dims [0] share dimension 0
func.func @f(%a: tensor<4x5x6xf32>, %i: tensor<4x1xi32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2, 6>}> : (tensor<4x5x6xf32>, tensor<4x1xi32>) -> tensor<4x2x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.scatter': operand 2 of type 'tensor<3x6xf32>' has 6 in dimension 1, expected at most 5
func.func @f(%a: tensor<4x5xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<4x5xf32>
  return
}

// -----
// error 3:8 'stablehlo.scatter': operand 2 of type 'tensor<2x5xf32>' has 2 in dimension 0, expected 3
func.func @f(%a: tensor<4x5xf32>, %i: tensor<3x1xi32>, %u: tensor<2x5xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2x5xf32>) -> tensor<4x5xf32>
  return
}

// -----
// error 3:8 'stablehlo.scatter': operand 2 has type 'tensor<3xf32>' of rank 1, expected rank 2
func.func @f(%a: tensor<4x5xf32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<4x5xf32>
  return
}

// -----
// error 3:8 'stablehlo.scatter': operand 0 has type 'tensor<4x5xf32>' and operand 2 has type 'tensor<3x5xi32>', expected the same element type
func.func @f(%a: tensor<4x5xf32>, %i: tensor<3x1xi32>, %u: tensor<3x5xi32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x5xi32>) -> tensor<4x5xf32>
  return
}

// -----
// error 3:8 'stablehlo.scatter': update_window_dims [2] has entry 2, expected 0 to 1
func.func @f(%a: tensor<4x5xf32>, %i: tensor<3x1xi32>, %u: tensor<3x5xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return
}

// -----
// error 3:8 'stablehlo.scatter': index_vector_dim is -1, expected 0 to 2
func.func @f(%a: tensor<4x5xf32>, %i: tensor<3x1xi32>, %u: tensor<3x5xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = -1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return
}

// -----
// error 3:8 'stablehlo.scatter': update_window_dims, inserted_window_dims and input_batching_dims have 3 dimensions together, but the operand of type 'tensor<4x5xf32>' has 2
func.func @f(%a: tensor<4x5xf32>, %i: tensor<3x1xi32>, %u: tensor<3x5xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return
}

// -----
// error 3:8 'stablehlo.scatter': scatter_dims_to_operand_dims has 2 entries, but an index vector of 'tensor<3x1xi32>' has 1
func.func @f(%a: tensor<4x5xf32>, %i: tensor<3x1xi32>, %u: tensor<3x5xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return
}

// -----
// error 3:8 'stablehlo.scatter': region 0 argument 0 has type 'tensor<2xf32>', expected 'tensor<f32>'
func.func @f(%a: tensor<4x5xf32>, %i: tensor<3x1xi32>, %u: tensor<3x5xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<2xf32>, %y: tensor<2xf32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    "stablehlo.return"(%s) : (tensor<2xf32>) -> ()
  }) : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return
}

// -----
// error 3:8 'stablehlo.scatter': result 0 has type 'tensor<4x6xf32>', expected 'tensor<4x5xf32>'
func.func @f(%a: tensor<4x5xf32>, %i: tensor<3x1xi32>, %u: tensor<3x5xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<4x6xf32>
  return
}

// -----
// error 3:8 'stablehlo.scatter': region 0 argument 0 has type 'tensor<f16>', expected 'tensor<f32>'
func.func @f(%a: tensor<4x5xf32>, %i: tensor<3x1xi32>, %u: tensor<3x5xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f16>, %y: tensor<f16>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f16>, tensor<f16>) -> tensor<f16>
    "stablehlo.return"(%s) : (tensor<f16>) -> ()
  }) : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return
}

// -----
// error 3:8 'stablehlo.scatter': operand 1 has type 'tensor<3x1xf32>', expected a tensor of integer elements
func.func @f(%a: tensor<4x5xf32>, %i: tensor<3x1xf32>, %u: tensor<3x5xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4x5xf32>, tensor<3x1xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return
}
