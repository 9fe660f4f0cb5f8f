// weft opt --weft-expand-ops
// Two updates for each of two replicas.
func.func @main(%x: tensor<3x2xf32>, %y: tensor<5x2xf32>, %from: tensor<4xi32>, %n: tensor<4xi32>, %to: tensor<4xi32>, %got: tensor<4xi32>) -> tensor<5x2xf32> {
  %0 = stablehlo.custom_call @ragged_all_to_all(%x, %y, %from, %n, %to, %got) {api_version = 4 : i32, backend_config = {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<3x2xf32>, tensor<5x2xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<3x2xf32>, %arg1: tensor<5x2xf32>, %arg2: tensor<4xi32>, %arg3: tensor<4xi32>, %arg4: tensor<4xi32>, %arg5: tensor<4xi32>) -> tensor<5x2xf32> {
    %0 = stablehlo.custom_call @ragged_all_to_all(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) {api_version = 4 : i32, backend_config = {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<3x2xf32>, tensor<5x2xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<5x2xf32>
    return %0 : tensor<5x2xf32>
  }
}
// -----
// weft opt --weft-expand-ops
// Partitions: the channel comes along. What has groups is left.
func.func @main(%x: tensor<3xf32>, %t: tensor<2xi32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @ragged_all_to_all(%x, %x, %t, %t, %t, %t) {api_version = 4 : i32, backend_config = {channel_id = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<3xf32>, tensor<3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<3xf32>
  %1 = stablehlo.custom_call @ragged_all_to_all(%0, %x, %t, %t, %t, %t) {api_version = 4 : i32, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<3xf32>, tensor<3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<2xi32>) -> tensor<3xf32> {
    %0 = stablehlo.custom_call @ragged_all_to_all(%arg0, %arg0, %arg1, %arg1, %arg1, %arg1) {api_version = 4 : i32, backend_config = {channel_id = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<3xf32>, tensor<3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<3xf32>
    %1 = stablehlo.custom_call @ragged_all_to_all(%0, %arg0, %arg1, %arg1, %arg1, %arg1) {api_version = 4 : i32, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<3xf32>, tensor<3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<3xf32>
    return %1 : tensor<3xf32>
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
