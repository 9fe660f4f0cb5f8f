// ===== a batch counted by iota in joined index vectors
// --sdy-explicit-gather-scatter-batching
module {
  func.func @main(%x: tensor<4x8xf32>, %k: tensor<4x1xi32>) -> tensor<4x1xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4xi32>
    %1 = stablehlo.reshape %0 : (tensor<4xi32>) -> tensor<4x1xi32>
    %2 = stablehlo.concatenate %1, %k, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
    %3 = "stablehlo.gather"(%x, %2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4x1xf32>
    return %3 : tensor<4x1xf32>
  }
}
// ->
module {
  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<4x1xi32>) -> tensor<4x1xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x1xi32>) -> tensor<4x1xf32>
    return %0 : tensor<4x1xf32>
  }
}
// ===== negative indices are wrapped, numbers clamped, as NumPy's indexing is written
// --sdy-explicit-gather-scatter-batching
module {
  func.func @main(%x: tensor<4x8xf32>, %k: tensor<4x1xi32>) -> tensor<4xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %n = stablehlo.constant dense<4> : tensor<4xi32>
    %top = stablehlo.constant dense<3> : tensor<i32>
    %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %0 = stablehlo.iota dim = 0 : tensor<4xi32>
    %1 = stablehlo.compare LT, %0, %zeros : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %2 = stablehlo.add %0, %n : tensor<4xi32>
    %3 = stablehlo.select %1, %2, %0 : tensor<4xi1>, tensor<4xi32>
    %4 = stablehlo.clamp %zero, %3, %top : (tensor<i32>, tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %6 = stablehlo.concatenate %k, %5, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
    %7 = "stablehlo.gather"(%x, %6) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [1, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4xf32>
    return %7 : tensor<4xf32>
  }
}
// ->
module {
  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<4x1xi32>) -> tensor<4xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x1xi32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// ===== an iota for all components; the operand is the indices, too
// --sdy-explicit-gather-scatter-batching
module {
  func.func @main(%x: tensor<4x3x2xf32>) -> (tensor<4xi32>, tensor<4xf32>) {
    %0 = stablehlo.iota dim = 0 : tensor<4x2xi32>
    %1 = "stablehlo.gather"(%0, %0) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [1, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x2xi32>, tensor<4x2xi32>) -> tensor<4xi32>
    %2 = stablehlo.iota dim = 0 : tensor<4x3xi32>
    %3 = "stablehlo.gather"(%x, %2) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2], start_index_map = [1, 0, 2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x3x2xf32>, tensor<4x3xi32>) -> tensor<4xf32>
    return %1, %3 : tensor<4xi32>, tensor<4xf32>
  }
}
// ->
module {
  func.func @main(%arg0: tensor<4x3x2xf32>) -> (tensor<4xi32>, tensor<4xf32>) {
    %0 = stablehlo.iota dim = 0 : tensor<4x2xi32>
    %1 = stablehlo.slice %0 [0:4, 0:1] : (tensor<4x2xi32>) -> tensor<4x1xi32>
    %2 = "stablehlo.gather"(%0, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x2xi32>, tensor<4x1xi32>) -> tensor<4xi32>
    %3 = stablehlo.iota dim = 0 : tensor<4x3xi32>
    %4 = stablehlo.slice %3 [0:4, 0:1] : (tensor<4x3xi32>) -> tensor<4x1xi32>
    %5 = stablehlo.slice %3 [0:4, 2:3] : (tensor<4x3xi32>) -> tensor<4x1xi32>
    %6 = stablehlo.concatenate %4, %5, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
    %7 = "stablehlo.gather"(%arg0, %6) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1, 2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x3x2xf32>, tensor<4x2xi32>) -> tensor<4xf32>
    return %2, %7 : tensor<4xi32>, tensor<4xf32>
  }
}
// ===== scatter of two inputs
// --sdy-explicit-gather-scatter-batching
module {
  func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xi32>, %k: tensor<4x1xi32>, %u: tensor<4xf32>, %v: tensor<4xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>) {
    %0 = stablehlo.iota dim = 0 : tensor<4x1xi32>
    %1 = stablehlo.concatenate %0, %k, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
    %2:2 = "stablehlo.scatter"(%x, %y, %1, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
      stablehlo.return %c, %d : tensor<f32>, tensor<i32>
    }) : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<4x2xi32>, tensor<4xf32>, tensor<4xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>)
    return %2#0, %2#1 : tensor<4x8xf32>, tensor<4x8xi32>
  }
}
// ->
module {
  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xi32>, %arg2: tensor<4x1xi32>, %arg3: tensor<4xf32>, %arg4: tensor<4xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>) {
    %0:2 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<i32>, %arg7: tensor<f32>, %arg8: tensor<i32>):
      stablehlo.return %arg7, %arg8 : tensor<f32>, tensor<i32>
    }) : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<4x1xi32>, tensor<4xf32>, tensor<4xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>)
    return %0#0, %0#1 : tensor<4x8xf32>, tensor<4x8xi32>
  }
}
// ===== what counts along another dimension, wraps round in its type, or begins at another number stays
// --sdy-explicit-gather-scatter-batching
module {
  func.func @main(%x: tensor<4x4xf32>, %k: tensor<4x4x1xi32>, %l: tensor<300x1xi8>, %big: tensor<300x8xf32>, %p: tensor<4x4x1xi1>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<300xf32>) {
    %0 = stablehlo.iota dim = 0 : tensor<4xi32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<4xi32>) -> tensor<4x4x1xi32>
    %2 = stablehlo.concatenate %1, %k, dim = 2 : (tensor<4x4x1xi32>, tensor<4x4x1xi32>) -> tensor<4x4x2xi32>
    %3 = "stablehlo.gather"(%x, %2) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x4xf32>, tensor<4x4x2xi32>) -> tensor<4x4xf32>
    %4 = stablehlo.iota dim = 0 : tensor<4x4x1xi32>
    %5 = stablehlo.select %p, %k, %4 : tensor<4x4x1xi1>, tensor<4x4x1xi32>
    %6 = stablehlo.concatenate %5, %k, dim = 2 : (tensor<4x4x1xi32>, tensor<4x4x1xi32>) -> tensor<4x4x2xi32>
    %7 = "stablehlo.gather"(%x, %6) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x4xf32>, tensor<4x4x2xi32>) -> tensor<4x4xf32>
    %8 = stablehlo.iota dim = 0 : tensor<300x1xi8>
    %9 = stablehlo.concatenate %8, %l, dim = 1 : (tensor<300x1xi8>, tensor<300x1xi8>) -> tensor<300x2xi8>
    %10 = "stablehlo.gather"(%big, %9) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<300x8xf32>, tensor<300x2xi8>) -> tensor<300xf32>
    return %3, %7, %10 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<300xf32>
  }
}
// ->
module {
  func.func @main(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4x1xi32>, %arg2: tensor<300x1xi8>, %arg3: tensor<300x8xf32>, %arg4: tensor<4x4x1xi1>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<300xf32>) {
    %0 = stablehlo.iota dim = 0 : tensor<4xi32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<4xi32>) -> tensor<4x4x1xi32>
    %2 = stablehlo.concatenate %1, %arg1, dim = 2 : (tensor<4x4x1xi32>, tensor<4x4x1xi32>) -> tensor<4x4x2xi32>
    %3 = "stablehlo.gather"(%arg0, %2) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x4xf32>, tensor<4x4x2xi32>) -> tensor<4x4xf32>
    %4 = stablehlo.iota dim = 0 : tensor<4x4x1xi32>
    %5 = stablehlo.select %arg4, %arg1, %4 : tensor<4x4x1xi1>, tensor<4x4x1xi32>
    %6 = stablehlo.concatenate %5, %arg1, dim = 2 : (tensor<4x4x1xi32>, tensor<4x4x1xi32>) -> tensor<4x4x2xi32>
    %7 = "stablehlo.gather"(%arg0, %6) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x4xf32>, tensor<4x4x2xi32>) -> tensor<4x4xf32>
    %8 = stablehlo.iota dim = 0 : tensor<300x1xi8>
    %9 = stablehlo.concatenate %8, %arg2, dim = 1 : (tensor<300x1xi8>, tensor<300x1xi8>) -> tensor<300x2xi8>
    %10 = "stablehlo.gather"(%arg3, %9) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<300x8xf32>, tensor<300x2xi8>) -> tensor<300xf32>
    return %3, %7, %10 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<300xf32>
  }
}
