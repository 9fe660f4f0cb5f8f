// weft opt --weft-expand-ops
// Two updates for each of two replicas.
func.func @main(%x: tensor<3x2xf32>, %y: tensor<5x2xf32>, %from: tensor<4xi32>, %n: tensor<4xi32>, %to: tensor<4xi32>, %got: tensor<4xi32>) -> tensor<5x2xf32> {
  %0 = stablehlo.custom_call @ragged_all_to_all(%x, %y, %from, %n, %to, %got) {api_version = 4 : i32, backend_config = {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<3x2xf32>, tensor<5x2xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<3x2xf32>, %arg1: tensor<5x2xf32>, %arg2: tensor<4xi32>, %arg3: tensor<4xi32>, %arg4: tensor<4xi32>, %arg5: tensor<4xi32>) -> tensor<5x2xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<4xi32>) -> tensor<4xi64>
    %1 = stablehlo.reshape %0 : (tensor<4xi64>) -> tensor<4x1xi64>
    %2 = stablehlo.convert %arg4 : (tensor<4xi32>) -> tensor<4xi64>
    %3 = stablehlo.reshape %2 : (tensor<4xi64>) -> tensor<4x1xi64>
    %4 = stablehlo.concatenate %1, %3, dim = 1 : (tensor<4x1xi64>, tensor<4x1xi64>) -> tensor<4x2xi64>
    %5 = "stablehlo.all_to_all"(%4) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x2xi64>) -> tensor<4x2xi64>
    %6 = stablehlo.slice %5 [0:4, 1:2] : (tensor<4x2xi64>) -> tensor<4x1xi64>
    %7 = stablehlo.reshape %6 : (tensor<4x1xi64>) -> tensor<4xi64>
    %8 = stablehlo.convert %arg5 : (tensor<4xi32>) -> tensor<4xi64>
    %9 = stablehlo.iota dim = 0 : tensor<4xi64>
    %c = stablehlo.constant dense<2> : tensor<4xi64>
    %10 = stablehlo.divide %9, %c : tensor<4xi64>
    %11 = stablehlo.slice %5 [0:4, 0:1] : (tensor<4x2xi64>) -> tensor<4x1xi64>
    %12 = stablehlo.reshape %11 : (tensor<4x1xi64>) -> tensor<4xi64>
    %c_0 = stablehlo.constant dense<3> : tensor<4xi64>
    %13 = stablehlo.multiply %10, %c_0 : tensor<4xi64>
    %14 = stablehlo.add %13, %12 : tensor<4xi64>
    %15 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<4xi64>) -> tensor<5x4xi64>
    %16 = stablehlo.iota dim = 0 : tensor<5x4xi64>
    %17 = stablehlo.subtract %16, %15 : tensor<5x4xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<5x4xi64>
    %18 = stablehlo.compare GE, %17, %c_1 : (tensor<5x4xi64>, tensor<5x4xi64>) -> tensor<5x4xi1>
    %19 = stablehlo.broadcast_in_dim %8, dims = [1] : (tensor<4xi64>) -> tensor<5x4xi64>
    %20 = stablehlo.compare LT, %17, %19 : (tensor<5x4xi64>, tensor<5x4xi64>) -> tensor<5x4xi1>
    %21 = stablehlo.and %18, %20 : tensor<5x4xi1>
    %22 = stablehlo.broadcast_in_dim %14, dims = [1] : (tensor<4xi64>) -> tensor<5x4xi64>
    %23 = stablehlo.add %22, %17 : tensor<5x4xi64>
    %c_2 = stablehlo.constant dense<0> : tensor<5x4xi64>
    %24 = stablehlo.select %21, %23, %c_2 : tensor<5x4xi1>, tensor<5x4xi64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %25 = stablehlo.reduce(%24 init: %c_3) applies stablehlo.add across dimensions = [1] : (tensor<5x4xi64>, tensor<i64>) -> tensor<5xi64>
    %c_4 = stablehlo.constant dense<false> : tensor<i1>
    %26 = stablehlo.reduce(%21 init: %c_4) applies stablehlo.add across dimensions = [1] : (tensor<5x4xi1>, tensor<i1>) -> tensor<5xi1>
    %27 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x2xf32>) -> tensor<6x2xf32>
    %28 = "stablehlo.gather"(%27, %25) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<6x2xf32>, tensor<5xi64>) -> tensor<5x2xf32>
    %29 = stablehlo.broadcast_in_dim %26, dims = [0] : (tensor<5xi1>) -> tensor<5x2xi1>
    %30 = stablehlo.select %29, %28, %arg1 : tensor<5x2xi1>, tensor<5x2xf32>
    return %30 : tensor<5x2xf32>
  }
}
// -----
// weft opt --weft-expand-ops
// Three tables for two devices.
func.func @main(%x: tensor<3xf32>, %t: tensor<3xi32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @ragged_all_to_all(%x, %x, %t, %t, %t, %t) {api_version = 4 : i32, backend_config = {channel_id = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<3xf32>, tensor<3xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// ==>
// error: :3:8: error: 'ragged_all_to_all' needs an operand and an output of rows alike
