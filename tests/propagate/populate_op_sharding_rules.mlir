// ===== reshapes: merge, split, cross, ones
// --sdy-populate-op-sharding-rules
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%a: tensor<2x4xf32>, %b: tensor<8xf32>, %c: tensor<6x4xf32>, %d: tensor<1x8x1xf32>, %e: tensor<2x3x5xf32>) -> (tensor<8xf32>, tensor<2x2x2xf32>, tensor<8x3xf32>, tensor<8x1xf32>, tensor<5x6xf32>) {
    %0 = stablehlo.reshape %a : (tensor<2x4xf32>) -> tensor<8xf32>
    %1 = stablehlo.reshape %b : (tensor<8xf32>) -> tensor<2x2x2xf32>
    %2 = stablehlo.reshape %c : (tensor<6x4xf32>) -> tensor<8x3xf32>
    %3 = stablehlo.reshape %d : (tensor<1x8x1xf32>) -> tensor<8x1xf32>
    %4 = stablehlo.reshape %e : (tensor<2x3x5xf32>) -> tensor<5x6xf32>
    return %0, %1, %2, %3, %4 : tensor<8xf32>, tensor<2x2x2xf32>, tensor<8x3xf32>, tensor<8x1xf32>, tensor<5x6xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<2x4xf32>, %arg1: tensor<8xf32>, %arg2: tensor<6x4xf32>, %arg3: tensor<1x8x1xf32>, %arg4: tensor<2x3x5xf32>) -> (tensor<8xf32>, tensor<2x2x2xf32>, tensor<8x3xf32>, tensor<8x1xf32>, tensor<5x6xf32>) {
    %0 = stablehlo.reshape %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([ij]) {i=2, j=4}>} : (tensor<2x4xf32>) -> tensor<8xf32>
    %1 = stablehlo.reshape %arg1 {sdy.sharding_rule = #sdy.op_sharding_rule<([ijk])->([i, j, k]) {i=2, j=2, k=2}>} : (tensor<8xf32>) -> tensor<2x2x2xf32>
    %2 = stablehlo.reshape %arg2 {sdy.sharding_rule = #sdy.op_sharding_rule<([ij, l])->([ik, m]) {i=2, j=3, k=4, l=4, m=3}>} : (tensor<6x4xf32>) -> tensor<8x3xf32>
    %3 = stablehlo.reshape %arg3 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([j, l]) {i=1, j=8, k=1, l=1}>} : (tensor<1x8x1xf32>) -> tensor<8x1xf32>
    %4 = stablehlo.reshape %arg4 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k, m])->([j, l]) {i=2, j=5, k=3, l=6, m=5}>} : (tensor<2x3x5xf32>) -> tensor<5x6xf32>
    return %0, %1, %2, %3, %4 : tensor<8xf32>, tensor<2x2x2xf32>, tensor<8x3xf32>, tensor<8x1xf32>, tensor<5x6xf32>
  }
}
// ===== slices, pads, pieces put together
// --sdy-populate-op-sharding-rules
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%a: tensor<8x8xf32>, %i: tensor<i32>, %u: tensor<2x8xf32>, %f: tensor<f32>) -> (tensor<4x8xf32>, tensor<8x8xf32>, tensor<9x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = stablehlo.slice %a [0:4, 0:8] : (tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.dynamic_slice %a, %i, %i, sizes = [4, 8] : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %2 = stablehlo.dynamic_update_slice %a, %u, %i, %i : (tensor<8x8xf32>, tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>
    %3 = stablehlo.pad %a, %f, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<9x8xf32>
    %4 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %5 = stablehlo.slice %a [4:8, 0:8] : (tensor<8x8xf32>) -> tensor<4x8xf32>
    %6 = stablehlo.concatenate %5, %0, dim = 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %7 = stablehlo.reverse %a, dims = [1] : tensor<8x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.dynamic_update_slice %a, %u, %c, %c : (tensor<8x8xf32>, tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>
    return %1, %2, %3, %4, %6, %7, %8 : tensor<4x8xf32>, tensor<8x8xf32>, tensor<9x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<i32>, %arg2: tensor<2x8xf32>, %arg3: tensor<f32>) -> (tensor<4x8xf32>, tensor<8x8xf32>, tensor<9x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = stablehlo.slice %arg0 [0:4, 0:8] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} permutation={i}>} : (tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [4, 8] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [], [])->([i, j]) {i=8, j=8} need_replication={i} blocked_propagation={i}>} : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %2 = stablehlo.dynamic_update_slice %arg0, %arg2, %arg1, %arg1 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [j, k], [], [])->([i, k]) {i=8, j=2, k=8} need_replication={j}>} : (tensor<8x8xf32>, tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>
    %3 = stablehlo.pad %arg0, %arg3, low = [1, 0], high = [0, 0], interior = [0, 0] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=8, j=8} permutation={i}>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<9x8xf32>
    %4 = stablehlo.concatenate %0, %1, dim = 0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8} need_replication={i}>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %5 = stablehlo.slice %arg0 [4:8, 0:8] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} permutation={i}>} : (tensor<8x8xf32>) -> tensor<4x8xf32>
    %6 = stablehlo.concatenate %5, %0, dim = 0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8} permutation={i}>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %7 = stablehlo.reverse %arg0, dims = [1] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} permutation={j}>} : tensor<8x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.dynamic_update_slice %arg0, %arg2, %c, %c {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [j, k], [], [])->([i, k]) {i=8, j=2, k=8}>} : (tensor<8x8xf32>, tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>
    return %1, %2, %3, %4, %6, %7, %8 : tensor<4x8xf32>, tensor<8x8xf32>, tensor<9x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// ===== broadcasts, transposes, selects, bits
// --sdy-populate-op-sharding-rules
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%a: tensor<8x1xf32>, %b: tensor<8x4xf32>, %p: tensor<i1>, %f: tensor<f32>) -> (tensor<2x8x4xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xi32>) {
    %0 = stablehlo.broadcast_in_dim %a, dims = [1, 2] : (tensor<8x1xf32>) -> tensor<2x8x4xf32>
    %1 = stablehlo.transpose %b, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %2 = stablehlo.select %p, %b, %b : tensor<i1>, tensor<8x4xf32>
    %3 = stablehlo.clamp %f, %b, %f : (tensor<f32>, tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
    %4 = stablehlo.bitcast_convert %b : (tensor<8x4xf32>) -> tensor<8x4x4xi8>
    %5 = stablehlo.bitcast_convert %4 : (tensor<8x4x4xi8>) -> tensor<8x4xi32>
    return %0, %1, %2, %3, %5 : tensor<2x8x4xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xi32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x1xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<i1>, %arg3: tensor<f32>) -> (tensor<2x8x4xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xi32>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] {sdy.sharding_rule = #sdy.op_sharding_rule<([j, k])->([i, j, l]) {i=2, j=8, k=1, l=4}>} : (tensor<8x1xf32>) -> tensor<2x8x4xf32>
    %1 = stablehlo.transpose %arg1, dims = [1, 0] {sdy.sharding_rule = #sdy.op_sharding_rule<([j, i])->([i, j]) {i=4, j=8}>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %2 = stablehlo.select %arg2, %arg1, %arg1 {sdy.sharding_rule = #sdy.op_sharding_rule<([], [i, j], [i, j])->([i, j]) {i=8, j=4}>} : tensor<i1>, tensor<8x4xf32>
    %3 = stablehlo.clamp %arg3, %arg1, %arg3 {sdy.sharding_rule = #sdy.op_sharding_rule<([], [i, j], [])->([i, j]) {i=8, j=4}>} : (tensor<f32>, tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
    %4 = stablehlo.bitcast_convert %arg1 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j, k]) {i=8, j=4, k=4} need_replication={k}>} : (tensor<8x4xf32>) -> tensor<8x4x4xi8>
    %5 = stablehlo.bitcast_convert %4 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j]) {i=8, j=4, k=4} need_replication={k}>} : (tensor<8x4x4xi8>) -> tensor<8x4xi32>
    return %0, %1, %2, %3, %5 : tensor<2x8x4xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xi32>
  }
}
// ===== products and convolutions
// --sdy-populate-op-sharding-rules
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%a: tensor<2x4x8xf32>, %b: tensor<2x8x16xf32>, %v: tensor<8xf32>, %w: tensor<8x4xf32>, %i: tensor<8x32x32x6xf32>, %k: tensor<3x3x6x16xf32>, %g: tensor<3x3x3x16xf32>) -> (tensor<2x4x16xf32>, tensor<4xf32>, tensor<8x16x32x16xf32>, tensor<8x32x32x16xf32>) {
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x8xf32>, tensor<2x8x16xf32>) -> tensor<2x4x16xf32>
    %1 = stablehlo.dot %v, %w : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<4xf32>
    %2 = stablehlo.convolution(%i, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[0, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x32x32x6xf32>, tensor<3x3x6x16xf32>) -> tensor<8x16x32x16xf32>
    %3 = stablehlo.convolution(%i, %g) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<8x32x32x6xf32>, tensor<3x3x3x16xf32>) -> tensor<8x32x32x16xf32>
    return %0, %1, %2, %3 : tensor<2x4x16xf32>, tensor<4xf32>, tensor<8x16x32x16xf32>, tensor<8x32x32x16xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<2x4x8xf32>, %arg1: tensor<2x8x16xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8x4xf32>, %arg4: tensor<8x32x32x6xf32>, %arg5: tensor<3x3x6x16xf32>, %arg6: tensor<3x3x3x16xf32>) -> (tensor<2x4x16xf32>, tensor<4xf32>, tensor<8x16x32x16xf32>, tensor<8x32x32x16xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l], [i, l, k])->([i, j, k]) {i=2, j=4, k=16, l=8} reduction={l}>} : (tensor<2x4x8xf32>, tensor<2x8x16xf32>) -> tensor<2x4x16xf32>
    %1 = stablehlo.dot %arg2, %arg3 {sdy.sharding_rule = #sdy.op_sharding_rule<([j], [j, i])->([i]) {i=4, j=8} reduction={j}>} : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<4xf32>
    %2 = stablehlo.convolution(%arg4, %arg5) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[0, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk, l, m], [k, o, m, n])->([i, j, l, n]) {i=8, j=16, k=2, l=32, m=6, n=16, o=1} reduction={k, m} permutation={j, l}>} : (tensor<8x32x32x6xf32>, tensor<3x3x6x16xf32>) -> tensor<8x16x32x16xf32>
    %3 = stablehlo.convolution(%arg4, %arg6) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, lm], [o, p, m, ln])->([i, j, k, ln]) {i=8, j=32, k=32, l=2, m=3, n=8, o=1, p=1} reduction={m} permutation={j, k}>} : (tensor<8x32x32x6xf32>, tensor<3x3x3x16xf32>) -> tensor<8x32x32x16xf32>
    return %0, %1, %2, %3 : tensor<2x4x16xf32>, tensor<4xf32>, tensor<8x16x32x16xf32>, tensor<8x32x32x16xf32>
  }
}
// ===== gathers and scatters
// --sdy-populate-op-sharding-rules
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%a: tensor<16x8x32xf32>, %i: tensor<4x5x2xi32>, %u: tensor<4x5x32xf32>, %n: tensor<16x4x1xi32>, %j: tensor<5x2xi32>) -> (tensor<4x5x32xf32>, tensor<4x5x1x8x16xf32>, tensor<16x4x32xf32>, tensor<16x8x32xf32>, tensor<16x8x32xf32>) {
    %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 32>}> : (tensor<16x8x32xf32>, tensor<4x5x2xi32>) -> tensor<4x5x32xf32>
    %1 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3, 4], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8, 16>}> : (tensor<16x8x32xf32>, tensor<4x5x2xi32>) -> tensor<4x5x1x8x16xf32>
    %2 = "stablehlo.gather"(%a, %n) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 32>}> : (tensor<16x8x32xf32>, tensor<16x4x1xi32>) -> tensor<16x4x32xf32>
    %3 = "stablehlo.scatter"(%a, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %9 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<16x8x32xf32>, tensor<4x5x2xi32>, tensor<4x5x32xf32>) -> tensor<16x8x32xf32>
    %4 = "stablehlo.scatter"(%a, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      stablehlo.return %y : tensor<f32>
    }) : (tensor<16x8x32xf32>, tensor<4x5x2xi32>, tensor<4x5x32xf32>) -> tensor<16x8x32xf32>
    return %0, %1, %2, %3, %4 : tensor<4x5x32xf32>, tensor<4x5x1x8x16xf32>, tensor<16x4x32xf32>, tensor<16x8x32xf32>, tensor<16x8x32xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16x8x32xf32>, %arg1: tensor<4x5x2xi32>, %arg2: tensor<4x5x32xf32>, %arg3: tensor<16x4x1xi32>, %arg4: tensor<5x2xi32>) -> (tensor<4x5x32xf32>, tensor<4x5x1x8x16xf32>, tensor<16x4x32xf32>, tensor<16x8x32xf32>, tensor<16x8x32xf32>) {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 32>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([l, m, k], [i, j, n])->([i, j, k]) {i=4, j=5, k=32, l=16, m=8, n=2} reduction={l, m} need_replication={n}>} : (tensor<16x8x32xf32>, tensor<4x5x2xi32>) -> tensor<4x5x32xf32>
    %1 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3, 4], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8, 16>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([k, m, n], [i, j, o])->([i, j, l, m, n]) {i=4, j=5, k=16, l=1, m=8, n=32, o=2} reduction={k} need_replication={l, n, o} blocked_propagation={n}>} : (tensor<16x8x32xf32>, tensor<4x5x2xi32>) -> tensor<4x5x1x8x16xf32>
    %2 = "stablehlo.gather"(%arg0, %arg3) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 32>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, k], [i, j, m])->([i, j, k]) {i=16, j=4, k=32, l=8, m=1} reduction={l} need_replication={m}>} : (tensor<16x8x32xf32>, tensor<16x4x1xi32>) -> tensor<16x4x32xf32>
    %3 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %5 = stablehlo.add %arg5, %arg6 {sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>} : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) {sdy.sharding_rule = #sdy.op_sharding_rule<([l, m, k], [i, j, n], [i, j, k])->([l, m, k]) {i=4, j=5, k=32, l=16, m=8, n=2} reduction={i, j} need_replication={n}>} : (tensor<16x8x32xf32>, tensor<4x5x2xi32>, tensor<4x5x32xf32>) -> tensor<16x8x32xf32>
    %4 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      stablehlo.return %arg6 : tensor<f32>
    }) {sdy.sharding_rule = #sdy.op_sharding_rule<([l, m, k], [i, j, n], [i, j, k])->([l, m, k]) {i=4, j=5, k=32, l=16, m=8, n=2} need_replication={i, j, n}>} : (tensor<16x8x32xf32>, tensor<4x5x2xi32>, tensor<4x5x32xf32>) -> tensor<16x8x32xf32>
    return %0, %1, %2, %3, %4 : tensor<4x5x32xf32>, tensor<4x5x1x8x16xf32>, tensor<16x4x32xf32>, tensor<16x8x32xf32>, tensor<16x8x32xf32>
  }
}
// ===== sorts, windows, solvers, transforms, random bits
// --sdy-populate-op-sharding-rules
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%a: tensor<8x4xf32>, %v: tensor<8xf32>, %f: tensor<f32>, %m: tensor<2x4x4xf32>, %r: tensor<2x4x3xf32>, %c: tensor<8x4xcomplex<f32>>, %s: tensor<2xui64>) -> (tensor<8x4xf32>, tensor<8xf32>, tensor<4x4xf32>, tensor<2x4x3xf32>, tensor<2x4x4xf32>, tensor<8x4xcomplex<f32>>, tensor<8x3xcomplex<f32>>, tensor<2xui64>, tensor<8x4xui32>) {
    %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %9 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = "stablehlo.sort"(%v) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %9 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = "stablehlo.reduce_window"(%a, %f) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %9 = stablehlo.maximum %x, %y : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<8x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %3 = "stablehlo.triangular_solve"(%m, %r) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
    %4 = stablehlo.cholesky %m, lower = true : tensor<2x4x4xf32>
    %5 = stablehlo.fft %c, type = FFT, length = [4] : (tensor<8x4xcomplex<f32>>) -> tensor<8x4xcomplex<f32>>
    %6 = stablehlo.fft %a, type = RFFT, length = [4] : (tensor<8x4xf32>) -> tensor<8x3xcomplex<f32>>
    %7, %8 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x4xui32>)
    return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<8x4xf32>, tensor<8xf32>, tensor<4x4xf32>, tensor<2x4x3xf32>, tensor<2x4x4xf32>, tensor<8x4xcomplex<f32>>, tensor<8x3xcomplex<f32>>, tensor<2xui64>, tensor<8x4xui32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x4xf32>, %arg1: tensor<8xf32>, %arg2: tensor<f32>, %arg3: tensor<2x4x4xf32>, %arg4: tensor<2x4x3xf32>, %arg5: tensor<8x4xcomplex<f32>>, %arg6: tensor<2xui64>) -> (tensor<8x4xf32>, tensor<8xf32>, tensor<4x4xf32>, tensor<2x4x3xf32>, tensor<2x4x4xf32>, tensor<8x4xcomplex<f32>>, tensor<8x3xcomplex<f32>>, tensor<2xui64>, tensor<8x4xui32>) {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %7 = stablehlo.compare LT, %arg7, %arg8 {sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    }) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} need_replication={j}>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = "stablehlo.sort"(%arg1) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %7 = stablehlo.compare LT, %arg7, %arg8 {sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    }) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8} need_replication={i} blocked_propagation={i}>} : (tensor<8xf32>) -> tensor<8xf32>
    %2 = "stablehlo.reduce_window"(%arg0, %arg2) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %7 = stablehlo.maximum %arg7, %arg8 {sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>} : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=4} permutation={i}>} : (tensor<8x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %3 = "stablehlo.triangular_solve"(%arg3, %arg4) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, j], [i, j, k])->([i, l, k]) {i=2, j=4, k=3, l=4} need_replication={j, k, l}>} : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
    %4 = stablehlo.cholesky %arg3, lower = true {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=2, j=4, k=4} need_replication={j, k}>} : tensor<2x4x4xf32>
    %5 = stablehlo.fft %arg5, type = FFT, length = [4] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} need_replication={j}>} : (tensor<8x4xcomplex<f32>>) -> tensor<8x4xcomplex<f32>>
    %6 = stablehlo.fft %arg0, type = RFFT, length = [4] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} need_replication={j} blocked_propagation={j}>} : (tensor<8x4xf32>) -> tensor<8x3xcomplex<f32>>
    %output_state, %output = stablehlo.rng_bit_generator %arg6, algorithm = DEFAULT {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i], [j, k]) {i=2, j=8, k=4} need_replication={i} blocked_propagation={i}>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x4xui32>)
    return %0, %1, %2, %3, %4, %5, %6, %output_state, %output : tensor<8x4xf32>, tensor<8xf32>, tensor<4x4xf32>, tensor<2x4x3xf32>, tensor<2x4x4xf32>, tensor<8x4xcomplex<f32>>, tensor<8x3xcomplex<f32>>, tensor<2xui64>, tensor<8x4xui32>
  }
}
// ===== custom calls
// --sdy-populate-op-sharding-rules
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%m: tensor<2x4x4xf32>, %t: tensor<2x4xf32>, %a: tensor<8x16xf32>) -> (tensor<2x4x4xf32>, tensor<2x4xf32>, tensor<2x4x4xf32>, tensor<8x4xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
    %0:2 = stablehlo.custom_call @Eigh(%m) : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4xf32>)
    %1:2 = stablehlo.custom_call @Qr(%m) : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4xf32>)
    %2 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%m, %t) : (tensor<2x4x4xf32>, tensor<2x4xf32>) -> tensor<2x4x4xf32>
    %3:2 = stablehlo.custom_call @mhlo.topk(%a) : (tensor<8x16xf32>) -> (tensor<8x4xf32>, tensor<8x4xi32>)
    %4 = stablehlo.custom_call @mhlo.erf(%a) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %5 = stablehlo.custom_call @nobody_knows(%a) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    return %0#0, %1#1, %2, %3#0, %4, %5 : tensor<2x4x4xf32>, tensor<2x4xf32>, tensor<2x4x4xf32>, tensor<8x4xf32>, tensor<8x16xf32>, tensor<8x16xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<2x4x4xf32>, %arg1: tensor<2x4xf32>, %arg2: tensor<8x16xf32>) -> (tensor<2x4x4xf32>, tensor<2x4xf32>, tensor<2x4x4xf32>, tensor<8x4xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
    %0:2 = stablehlo.custom_call @Eigh(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k], [i, k]) {i=2, j=4, k=4}>} : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4xf32>)
    %1:2 = stablehlo.custom_call @Qr(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k], [i, l]) {i=2, j=4, k=4, l=4} need_replication={j, k, l}>} : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4xf32>)
    %2 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%arg0, %arg1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l])->([i, j, k]) {i=2, j=4, k=4, l=4} need_replication={j, k, l}>} : (tensor<2x4x4xf32>, tensor<2x4xf32>) -> tensor<2x4x4xf32>
    %3:2 = stablehlo.custom_call @mhlo.topk(%arg2) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j], [i, j]) {i=8, j=16} need_replication={j} blocked_propagation={j}>} : (tensor<8x16xf32>) -> (tensor<8x4xf32>, tensor<8x4xi32>)
    %4 = stablehlo.custom_call @mhlo.erf(%arg2) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %5 = stablehlo.custom_call @nobody_knows(%arg2) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    return %0#0, %1#1, %2, %3#0, %4, %5 : tensor<2x4x4xf32>, tensor<2x4xf32>, tensor<2x4x4xf32>, tensor<8x4xf32>, tensor<8x16xf32>, tensor<8x16xf32>
  }
}
