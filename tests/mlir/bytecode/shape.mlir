module {
  func.func @shapes(%arg0: tensor<2x3xf32>, %arg1: tensor<4xf32>, %arg2: tensor<i32>, %arg3: tensor<f32>, %arg4: tensor<2x1xi32>, %arg5: tensor<2xi64>) {
    %0 = stablehlo.iota dim = 1 : tensor<2x3xi32>
    %1 = stablehlo.broadcast %arg1, sizes = [2, 3] : (tensor<4xf32>) -> tensor<2x3x4xf32>
    %2 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %3 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] {k} : (tensor<2x3xf32>) -> tensor<5x2x3xf32>
    %4 = stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<6xf32>
    %5 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %6 = stablehlo.reverse %arg0, dims = [0, 1] : tensor<2x3xf32>
    %7 = stablehlo.slice %arg0 [0:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<2x2xf32>
    %8 = stablehlo.slice %arg3 [] : (tensor<f32>) -> tensor<f32>
    %9 = stablehlo.pad %arg0, %arg3, low = [0, -1], high = [1, 0], interior = [0, 2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x6xf32>
    %10 = stablehlo.concatenate %arg1, %arg1, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    %11 = stablehlo.concatenate %arg1, dim = 0 : (tensor<4xf32>) -> tensor<4xf32>
    %12 = stablehlo.dynamic_slice %arg0, %arg2, %arg2, sizes = [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %13 = stablehlo.dynamic_update_slice %arg0, %12, %arg2, %arg2 : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    %14 = "stablehlo.gather"(%arg0, %arg4) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<2x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
    %15 = "stablehlo.scatter"(%arg0, %arg4, %14) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %17 = stablehlo.add %arg6, %arg7 : tensor<f32>
      stablehlo.return %17 : tensor<f32>
    }) {mark} : (tensor<2x3xf32>, tensor<2x1xi32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %16 = "stablehlo.torch_index_select"(%arg0, %arg4) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<2x3xf32>, tensor<2x1xi32>) -> tensor<2x1x3xf32>
    return
  }
  func.func @dynamic(%arg0: tensor<?x3xf32>, %arg1: tensor<2xi64>, %arg2: tensor<i32>, %arg3: tensor<f32>) {
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
    %1 = stablehlo.set_dimension_size %arg0, %arg2, dim = 0 : (tensor<?x3xf32>, tensor<i32>) -> tensor<?x3xf32>
    %2 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [0, 1] : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
    %3 = stablehlo.dynamic_iota %arg1, dim = 0 : (tensor<2xi64>) -> tensor<?x?xi32>
    %4 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %5 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg1, %arg1 : (tensor<?x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    %6 = stablehlo.dynamic_pad %arg0, %arg3, %arg1, %arg1, %arg1 : (tensor<?x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    return
  }
}
