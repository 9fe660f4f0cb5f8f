// weft opt --weft-window-scatters --cse
// One window at a constant: of rows, of one row, added, and after a reshape of the index.
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<9x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg2: tensor<4xf32>) -> (tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<5> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %1 = "stablehlo.scatter"(%arg0, %0, %arg1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<1xi32>, tensor<9x4xf32>) -> tensor<16x4xf32>
    %2 = "stablehlo.scatter"(%arg0, %c, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<i32>, tensor<4xf32>) -> tensor<16x4xf32>
    %3 = "stablehlo.scatter"(%arg0, %0, %arg1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %4 = stablehlo.multiply %arg4, %arg3 : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<1xi32>, tensor<9x4xf32>) -> tensor<16x4xf32>
    return %1, %2, %3 : tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>
  }
}
// ==>
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<9x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg2: tensor<4xf32>) -> (tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<5> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %c, %c_0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<9x4xf32>, tensor<i64>, tensor<i64>) -> tensor<16x4xf32>
    %1 = stablehlo.reshape %arg2 : (tensor<4xf32>) -> tensor<1x4xf32>
    %2 = stablehlo.dynamic_update_slice %arg0, %1, %c, %c_0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<1x4xf32>, tensor<i64>, tensor<i64>) -> tensor<16x4xf32>
    %3 = stablehlo.slice %arg0 [5:14, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<9x4xf32>
    %4 = stablehlo.multiply %3, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<9x4xf32>
    %5 = stablehlo.dynamic_update_slice %arg0, %4, %c, %c_0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<9x4xf32>, tensor<i64>, tensor<i64>) -> tensor<16x4xf32>
    return %0, %2, %5 : tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>
  }
}
// -----
// weft opt --weft-window-scatters --cse
// Left alone: a window that hangs over the end, an index that is not known, two windows, and a body that does more than one thing.
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<9x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg2: tensor<1xi32>, %arg5: tensor<2x4xf32>) -> (tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<8> : tensor<1xi32>
    %c_0 = stablehlo.constant dense<3> : tensor<1xi32>
    %c_1 = stablehlo.constant dense<3> : tensor<2x1xi32>
    %0 = "stablehlo.scatter"(%arg0, %c, %arg1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<1xi32>, tensor<9x4xf32>) -> tensor<16x4xf32>
    %1 = "stablehlo.scatter"(%arg0, %arg2, %arg1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<1xi32>, tensor<9x4xf32>) -> tensor<16x4xf32>
    %2 = "stablehlo.scatter"(%arg0, %c_1, %arg5) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<16x4xf32>
    %3 = "stablehlo.scatter"(%arg0, %c_0, %arg1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %4 = stablehlo.multiply %arg4, %arg3 : tensor<f32>
      %5 = stablehlo.add %4, %arg3 : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<1xi32>, tensor<9x4xf32>) -> tensor<16x4xf32>
    return %0, %1, %2, %3 : tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>
  }
}
// ==>
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<9x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg2: tensor<1xi32>, %arg3: tensor<2x4xf32>) -> (tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<8> : tensor<1xi32>
    %c_0 = stablehlo.constant dense<3> : tensor<1xi32>
    %c_1 = stablehlo.constant dense<3> : tensor<2x1xi32>
    %0 = "stablehlo.scatter"(%arg0, %c, %arg1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      stablehlo.return %arg5 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<1xi32>, tensor<9x4xf32>) -> tensor<16x4xf32>
    %1 = "stablehlo.scatter"(%arg0, %arg2, %arg1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      stablehlo.return %arg5 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<1xi32>, tensor<9x4xf32>) -> tensor<16x4xf32>
    %2 = "stablehlo.scatter"(%arg0, %c_1, %arg3) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      stablehlo.return %arg5 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<16x4xf32>
    %3 = "stablehlo.scatter"(%arg0, %c_0, %arg1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %4 = stablehlo.multiply %arg5, %arg4 : tensor<f32>
      %5 = stablehlo.add %4, %arg4 : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<1xi32>, tensor<9x4xf32>) -> tensor<16x4xf32>
    return %0, %1, %2, %3 : tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>
  }
}
// -----
// weft opt --weft-window-scatters --cse
// x.at[1::2].set(u): the indices rise by two. A scatter whose indices fall, and one that meets a row twice, are left alone.
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg2: tensor<2x4xf32>) -> (tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<2> : tensor<8x1xi32>
    %c_0 = stablehlo.constant dense<1> : tensor<8x1xi32>
    %c_1 = stablehlo.constant dense<[[5], [3]]> : tensor<2x1xi32>
    %c_2 = stablehlo.constant dense<3> : tensor<2x1xi32>
    %0 = stablehlo.iota dim = 0 : tensor<8x1xi32>
    %1 = stablehlo.multiply %0, %c : tensor<8x1xi32>
    %2 = stablehlo.add %1, %c_0 : tensor<8x1xi32>
    %3 = "stablehlo.scatter"(%arg0, %2, %arg1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<8x1xi32>, tensor<8x4xf32>) -> tensor<16x4xf32>
    %4 = "stablehlo.scatter"(%arg0, %c_1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<16x4xf32>
    %5 = "stablehlo.scatter"(%arg0, %c_2, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<16x4xf32>
    return %3, %4, %5 : tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>
  }
}
// ==>
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg2: tensor<2x4xf32>) -> (tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<[[5], [3]]> : tensor<2x1xi32>
    %c_0 = stablehlo.constant dense<3> : tensor<2x1xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg1, %cst, low = [1, 0], high = [0, 0], interior = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<8x4xf32>, tensor<f32>) -> tensor<16x4xf32>
    %1 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<16xi32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<i32>) -> tensor<16xi32>
    %3 = stablehlo.remainder %1, %2 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<16xi32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_2, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<i32>) -> tensor<16xi32>
    %5 = stablehlo.compare EQ, %3, %4 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16xi1>) -> tensor<16x4xi1>
    %7 = stablehlo.select %6, %0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<16x4xi1>, tensor<16x4xf32>
    %8 = "stablehlo.scatter"(%arg0, %c, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<16x4xf32>
    %9 = "stablehlo.scatter"(%arg0, %c_0, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<16x4xf32>
    return %7, %8, %9 : tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>
  }
}
// -----
// weft opt --weft-window-scatters --cse
// Read: rows, one row, every second row; left alone: a window that is moved back from the end, an index that is not known.
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<1xi32>) -> (tensor<9x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<4xf32>, tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<9x4xf32>, tensor<9x4xf32>) {
    %c = stablehlo.constant dense<5> : tensor<1xi32>
    %c_0 = stablehlo.constant dense<8> : tensor<1xi32>
    %0 = "stablehlo.gather"(%arg0, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [0]>, slice_sizes = array<i64: 9, 4>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<1xi32>) -> tensor<9x4xf32>
    %1 = "stablehlo.gather"(%arg0, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 1, 4>}> : (tensor<16x4xf32>, tensor<1xi32>) -> tensor<4xf32>
    %2 = stablehlo.iota dim = 0 : tensor<8x1xi32>
    %c_1 = stablehlo.constant dense<2> : tensor<8x1xi32>
    %3 = stablehlo.multiply %2, %c_1 : tensor<8x1xi32>
    %4 = "stablehlo.gather"(%arg0, %3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<8x1xi32>) -> tensor<8x4xf32>
    %5 = "stablehlo.gather"(%arg0, %c_0) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [0]>, slice_sizes = array<i64: 9, 4>}> : (tensor<16x4xf32>, tensor<1xi32>) -> tensor<9x4xf32>
    %6 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [0]>, slice_sizes = array<i64: 9, 4>}> : (tensor<16x4xf32>, tensor<1xi32>) -> tensor<9x4xf32>
    return %0, %1, %4, %5, %6 : tensor<9x4xf32>, tensor<4xf32>, tensor<8x4xf32>, tensor<9x4xf32>, tensor<9x4xf32>
  }
}
// ==>
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<1xi32>) -> (tensor<9x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<4xf32>, tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<9x4xf32>, tensor<9x4xf32>) {
    %c = stablehlo.constant dense<8> : tensor<1xi32>
    %0 = stablehlo.slice %arg0 [5:14, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<9x4xf32>
    %1 = stablehlo.slice %arg0 [5:6, 0:4] : (tensor<16x4xf32>) -> tensor<1x4xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x4xf32>) -> tensor<4xf32>
    %3 = stablehlo.slice %arg0 [0:15:2, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<8x4xf32>
    %4 = "stablehlo.gather"(%arg0, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [0]>, slice_sizes = array<i64: 9, 4>}> : (tensor<16x4xf32>, tensor<1xi32>) -> tensor<9x4xf32>
    %5 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [0]>, slice_sizes = array<i64: 9, 4>}> : (tensor<16x4xf32>, tensor<1xi32>) -> tensor<9x4xf32>
    return %0, %2, %3, %4, %5 : tensor<9x4xf32>, tensor<4xf32>, tensor<8x4xf32>, tensor<9x4xf32>, tensor<9x4xf32>
  }
}
// -----
// weft opt --weft-window-scatters
// Single rows that are added along a dimension that is cut stay a scatter, which moves nothing; along one that is whole they are an update.
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<1x4xf32>, %arg2: tensor<16x1xf32>) -> (tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<3> : tensor<1xi32>
    %0 = "stablehlo.scatter"(%arg0, %c, %arg1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %2 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<16x4xf32>, tensor<1xi32>, tensor<1x4xf32>) -> tensor<16x4xf32>
    %1 = "stablehlo.scatter"(%arg0, %c, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [1]>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %2 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<16x4xf32>, tensor<1xi32>, tensor<16x1xf32>) -> tensor<16x4xf32>
    return %0, %1 : tensor<16x4xf32>, tensor<16x4xf32>
  }
}
// ==>
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<1x4xf32>, %arg2: tensor<16x1xf32>) -> (tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<3> : tensor<1xi32>
    %0 = "stablehlo.scatter"(%arg0, %c, %arg1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %4 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }) : (tensor<16x4xf32>, tensor<1xi32>, tensor<1x4xf32>) -> tensor<16x4xf32>
    %1 = stablehlo.slice %arg0 [0:16, 3:4] : (tensor<16x4xf32>) -> tensor<16x1xf32>
    %2 = stablehlo.add %1, %arg2 : tensor<16x1xf32>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %c_1 = stablehlo.constant dense<3> : tensor<i64>
    %3 = stablehlo.dynamic_update_slice %arg0, %2, %c_0, %c_1 : (tensor<16x4xf32>, tensor<16x1xf32>, tensor<i64>, tensor<i64>) -> tensor<16x4xf32>
    return %0, %3 : tensor<16x4xf32>, tensor<16x4xf32>
  }
}
