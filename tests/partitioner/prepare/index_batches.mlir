// weft opt --weft-index-batches --cse
// A loss by label: rows counted, choices given.
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<8xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<8xi32>
    %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<8xi32>) -> tensor<8x1xi32>
    %2 = stablehlo.reshape %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<8xi32>) -> tensor<8x1xi32>
    %3 = stablehlo.concatenate %1, %2, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x2xi32>
    %4 = "stablehlo.gather"(%arg0, %3) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<8x64xf32>, tensor<8x2xi32>) -> tensor<8xf32>
    return %4 : tensor<8xf32>
  }
}
// ==>
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<8xf32> {
    %0 = stablehlo.reshape %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<8xi32>) -> tensor<8x1xi32>
    %1 = "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<8x64xf32>, tensor<8x1xi32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// -----
// weft opt --weft-index-batches --cse
// Two components of four count, in another order than that of the operand. The two that are left stand in a value of unknown making: slices.
module {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<4x6x9x7x5xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}, {}, {}, {}]>}, %arg1: tensor<6x4x2xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}, {}]>}, %arg2: tensor<6x4x5xf32>) -> tensor<4x6x9x7x5xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<6x4x1xi32>
    %1 = stablehlo.iota dim = 1 : tensor<6x4x1xi32>
    %2 = stablehlo.concatenate %arg1, %0, %1, dim = 2 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}, {"x"}, {}]>]>} : (tensor<6x4x2xi32>, tensor<6x4x1xi32>, tensor<6x4x1xi32>) -> tensor<6x4x4xi32>
    %3 = "stablehlo.scatter"(%arg0, %2, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0, 1, 2, 3], scatter_dims_to_operand_dims = [3, 2, 1, 0], index_vector_dim = 2>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}, {}, {}, {}]>]>} : (tensor<4x6x9x7x5xf32>, tensor<6x4x4xi32>, tensor<6x4x5xf32>) -> tensor<4x6x9x7x5xf32>
    return %3 : tensor<4x6x9x7x5xf32>
  }
}
// ==>
module {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<4x6x9x7x5xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}, {}, {}, {}]>}, %arg1: tensor<6x4x2xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}, {}]>}, %arg2: tensor<6x4x5xf32>) -> tensor<4x6x9x7x5xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<6x4x1xi32>
    %1 = stablehlo.iota dim = 1 : tensor<6x4x1xi32>
    %2 = stablehlo.concatenate %arg1, %0, %1, dim = 2 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}, {"x"}, {}]>]>} : (tensor<6x4x2xi32>, tensor<6x4x1xi32>, tensor<6x4x1xi32>) -> tensor<6x4x4xi32>
    %3 = stablehlo.slice %2 [0:6, 0:4, 0:1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}, {"x"}, {}]>]>} : (tensor<6x4x4xi32>) -> tensor<6x4x1xi32>
    %4 = stablehlo.slice %2 [0:6, 0:4, 1:2] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}, {"x"}, {}]>]>} : (tensor<6x4x4xi32>) -> tensor<6x4x1xi32>
    %5 = stablehlo.concatenate %3, %4, dim = 2 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}, {"x"}, {}]>]>} : (tensor<6x4x1xi32>, tensor<6x4x1xi32>) -> tensor<6x4x2xi32>
    %6 = "stablehlo.scatter"(%arg0, %5, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [2, 3], input_batching_dims = [0, 1], scatter_indices_batching_dims = [1, 0], scatter_dims_to_operand_dims = [3, 2], index_vector_dim = 2>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}, {}, {}, {}]>]>} : (tensor<4x6x9x7x5xf32>, tensor<6x4x2xi32>, tensor<6x4x5xf32>) -> tensor<4x6x9x7x5xf32>
    return %6 : tensor<4x6x9x7x5xf32>
  }
}
// -----
// weft opt --weft-index-batches --cse
// Not all of a dimension, from 1 on, and with a window of its own: as they are.
module {
  func.func @main(%arg0: tensor<8x64xf32>, %arg1: tensor<7x1xi32>, %arg2: tensor<8x1xi32>) -> (tensor<7xf32>, tensor<7xf32>, tensor<8x1xf32>) {
    %0 = stablehlo.iota dim = 0 : tensor<7x1xi32>
    %c = stablehlo.constant dense<1> : tensor<7x1xi32>
    %1 = stablehlo.add %0, %c : tensor<7x1xi32>
    %2 = stablehlo.concatenate %0, %arg1, dim = 1 : (tensor<7x1xi32>, tensor<7x1xi32>) -> tensor<7x2xi32>
    %3 = stablehlo.concatenate %1, %arg1, dim = 1 : (tensor<7x1xi32>, tensor<7x1xi32>) -> tensor<7x2xi32>
    %4 = "stablehlo.gather"(%arg0, %2) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<8x64xf32>, tensor<7x2xi32>) -> tensor<7xf32>
    %5 = "stablehlo.gather"(%arg0, %3) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<8x64xf32>, tensor<7x2xi32>) -> tensor<7xf32>
    %6 = stablehlo.iota dim = 0 : tensor<8x1xi32>
    %7 = stablehlo.concatenate %6, %arg2, dim = 1 : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x2xi32>
    %8 = "stablehlo.gather"(%arg0, %7) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<8x64xf32>, tensor<8x2xi32>) -> tensor<8x1xf32>
    return %4, %5, %8 : tensor<7xf32>, tensor<7xf32>, tensor<8x1xf32>
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<8x64xf32>, %arg1: tensor<7x1xi32>, %arg2: tensor<8x1xi32>) -> (tensor<7xf32>, tensor<7xf32>, tensor<8x1xf32>) {
    %0 = stablehlo.iota dim = 0 : tensor<7x1xi32>
    %c = stablehlo.constant dense<1> : tensor<7x1xi32>
    %1 = stablehlo.add %0, %c : tensor<7x1xi32>
    %2 = stablehlo.concatenate %0, %arg1, dim = 1 : (tensor<7x1xi32>, tensor<7x1xi32>) -> tensor<7x2xi32>
    %3 = stablehlo.concatenate %1, %arg1, dim = 1 : (tensor<7x1xi32>, tensor<7x1xi32>) -> tensor<7x2xi32>
    %4 = "stablehlo.gather"(%arg0, %2) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<8x64xf32>, tensor<7x2xi32>) -> tensor<7xf32>
    %5 = "stablehlo.gather"(%arg0, %3) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<8x64xf32>, tensor<7x2xi32>) -> tensor<7xf32>
    %6 = stablehlo.iota dim = 0 : tensor<8x1xi32>
    %7 = stablehlo.concatenate %6, %arg2, dim = 1 : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x2xi32>
    %8 = "stablehlo.gather"(%arg0, %7) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<8x64xf32>, tensor<8x2xi32>) -> tensor<8x1xf32>
    return %4, %5, %8 : tensor<7xf32>, tensor<7xf32>, tensor<8x1xf32>
  }
}
