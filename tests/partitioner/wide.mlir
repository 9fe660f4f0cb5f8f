// weft opt --weft-partition
// Places in dimensions of 2^31 elements and more are computed as i64, of whatever type the numbers are.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main() -> (tensor<4294967296xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<4294967296xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.iota dim = 0 : tensor<4294967296xi64>
    %1 = stablehlo.iota dim = 0 : tensor<4294967296xf32>
    return %0, %1 : tensor<4294967296xi64>, tensor<4294967296xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func @main() -> (tensor<1073741824xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<1073741824xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<1073741824> : tensor<i64>
    %2 = stablehlo.multiply %1, %c : tensor<i64>
    %3 = stablehlo.iota dim = 0 : tensor<1073741824xi64>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i64>) -> tensor<1073741824xi64>
    %5 = stablehlo.add %3, %4 : tensor<1073741824xi64>
    %6 = stablehlo.convert %5 : (tensor<1073741824xi64>) -> tensor<1073741824xf32>
    return %5, %6 : tensor<1073741824xi64>, tensor<1073741824xf32>
  }
}
// -----
// weft opt --weft-partition
// Padding of an uneven dimension is masked where i64 says so.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<4294967299xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4294967299xf32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func @main(%arg0: tensor<1073741825xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<f32> {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<1073741825> : tensor<i64>
    %2 = stablehlo.multiply %1, %c : tensor<i64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c_0 = stablehlo.constant dense<4294967299> : tensor<i64>
    %3 = stablehlo.subtract %c_0, %2 : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i64>) -> tensor<1073741825xi64>
    %5 = stablehlo.iota dim = 0 : tensor<1073741825xi64>
    %6 = stablehlo.compare LT, %5, %4 : (tensor<1073741825xi64>, tensor<1073741825xi64>) -> tensor<1073741825xi1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<1073741825xi1>) -> tensor<1073741825xi1>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1073741825xf32>
    %9 = stablehlo.select %7, %arg0, %8 : tensor<1073741825xi1>, tensor<1073741825xf32>
    %10 = stablehlo.reduce(%9 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<1073741825xf32>, tensor<f32>) -> tensor<f32>
    %11 = "stablehlo.all_reduce"(%10) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %12 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %12 : tensor<f32>
    }) : (tensor<f32>) -> tensor<f32>
    return %11 : tensor<f32>
  }
}
// -----
// weft opt --weft-partition
// Indices of 32 bits count through a part of more places than they have themselves.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8589934592x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<16x1xi32>, %arg2: tensor<i32>) -> (tensor<16x2xf32>, tensor<3x2xf32>) {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<8589934592x2xf32>, tensor<16x1xi32>) -> tensor<16x2xf32>
    %1 = stablehlo.dynamic_slice %arg0, %arg2, %arg2, sizes = [3, 2] : (tensor<8589934592x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
    return %0, %1 : tensor<16x2xf32>, tensor<3x2xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func @main(%arg0: tensor<2147483648x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<16x1xi32>, %arg2: tensor<i32>) -> (tensor<16x2xf32>, tensor<3x2xf32>) {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<2147483648> : tensor<i64>
    %2 = stablehlo.multiply %1, %c : tensor<i64>
    %3 = stablehlo.convert %arg1 : (tensor<16x1xi32>) -> tensor<16x1xi64>
    %c_0 = stablehlo.constant dense<8589934591> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<16x1xi64>
    %5 = stablehlo.minimum %3, %4 : tensor<16x1xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<16x1xi64>
    %6 = stablehlo.maximum %5, %c_1 : tensor<16x1xi64>
    %7 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i64>) -> tensor<16x1xi64>
    %8 = stablehlo.subtract %6, %7 : tensor<16x1xi64>
    %9 = stablehlo.compare GE, %8, %c_1 : (tensor<16x1xi64>, tensor<16x1xi64>) -> tensor<16x1xi1>
    %10 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<16x1xi64>
    %11 = stablehlo.compare LT, %8, %10 : (tensor<16x1xi64>, tensor<16x1xi64>) -> tensor<16x1xi1>
    %12 = stablehlo.and %9, %11 : tensor<16x1xi1>
    %13 = stablehlo.reshape %12 : (tensor<16x1xi1>) -> tensor<16xi1>
    %14 = "stablehlo.gather"(%arg0, %8) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<2147483648x2xf32>, tensor<16x1xi64>) -> tensor<16x2xf32>
    %15 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<16xi1>) -> tensor<16x2xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<16x2xf32>
    %16 = stablehlo.select %15, %14, %cst : tensor<16x2xi1>, tensor<16x2xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.maximum %arg2, %c_2 : tensor<i32>
    %18 = stablehlo.convert %17 : (tensor<i32>) -> tensor<i64>
    %19 = stablehlo.subtract %18, %2 : tensor<i64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %c_4 = stablehlo.constant dense<2147483645> : tensor<i64>
    %20 = stablehlo.minimum %19, %c_4 : tensor<i64>
    %21 = stablehlo.maximum %20, %c_3 : tensor<i64>
    %22 = stablehlo.subtract %21, %19 : tensor<i64>
    %23 = stablehlo.dynamic_slice %arg0, %21, %c_3, sizes = [3, 2] : (tensor<2147483648x2xf32>, tensor<i64>, tensor<i64>) -> tensor<3x2xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.pad %23, %cst_5, low = [3, 0], high = [3, 0], interior = [0, 0] : (tensor<3x2xf32>, tensor<f32>) -> tensor<9x2xf32>
    %c_6 = stablehlo.constant dense<3> : tensor<i64>
    %25 = stablehlo.subtract %c_6, %22 : tensor<i64>
    %26 = stablehlo.dynamic_slice %24, %25, %c_3, sizes = [3, 2] : (tensor<9x2xf32>, tensor<i64>, tensor<i64>) -> tensor<3x2xf32>
    %27:2 = "stablehlo.all_reduce"(%16, %26) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %28 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %28 : tensor<f32>
    }) : (tensor<16x2xf32>, tensor<3x2xf32>) -> (tensor<16x2xf32>, tensor<3x2xf32>)
    return %27#0, %27#1 : tensor<16x2xf32>, tensor<3x2xf32>
  }
}
// -----
// weft opt --weft-partition
// Windows and shifts: each device begins elsewhere, by a table and by arithmetic, on a mesh that lists its devices.
module {
  sdy.mesh @mesh = <["x"=4], device_ids=[3, 1, 2, 0]>
  func.func @main(%arg0: tensor<8589934592xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8589934000xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.slice %arg0 [500:8589934500] : (tensor<8589934592xf32>) -> tensor<8589934000xf32>
    return %0 : tensor<8589934000xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4], device_ids=[3, 1, 2, 0]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}], device_ids = dense<[3, 1, 2, 0]> : tensor<4xi64>}}
  func.func @main(%arg0: tensor<2147483648xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<2147483500xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<[3, 1, 2, 0]> : tensor<4xi64>
    %2 = stablehlo.dynamic_slice %c, %1, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
    %3 = stablehlo.reshape %2 : (tensor<1xi64>) -> tensor<i64>
    %c_0 = stablehlo.constant dense<-148> : tensor<i64>
    %4 = stablehlo.multiply %3, %c_0 : tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %5 = stablehlo.dynamic_slice %arg0, %c_1, sizes = [352] : (tensor<2147483648xf32>, tensor<i64>) -> tensor<352xf32>
    %6 = "stablehlo.collective_permute"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[1, 3], [2, 1], [0, 2]]> : tensor<3x2xi64>}> : (tensor<352xf32>) -> tensor<352xf32>
    %7 = stablehlo.concatenate %6, %arg0, %6, dim = 0 : (tensor<352xf32>, tensor<2147483648xf32>, tensor<352xf32>) -> tensor<2147484352xf32>
    %c_2 = stablehlo.constant dense<852> : tensor<i64>
    %8 = stablehlo.add %4, %c_2 : tensor<i64>
    %9 = stablehlo.dynamic_slice %7, %8, sizes = [2147483500] : (tensor<2147484352xf32>, tensor<i64>) -> tensor<2147483500xf32>
    %10 = stablehlo.slice %9 [0:2147483500] : (tensor<2147483500xf32>) -> tensor<2147483500xf32>
    return %10 : tensor<2147483500xf32>
  }
}
// -----
// weft opt --weft-partition
// Two dimensions below 2^30 stay with i32.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main() -> (tensor<1073741824x1073741824xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.iota dim = 0 : tensor<1073741824x1073741824xi64>
    return %0 : tensor<1073741824x1073741824xi64>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func @main() -> (tensor<268435456x1073741824xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
    %c = stablehlo.constant dense<268435456> : tensor<i32>
    %2 = stablehlo.multiply %1, %c : tensor<i32>
    %3 = stablehlo.iota dim = 0 : tensor<268435456x1073741824xi64>
    %4 = stablehlo.convert %2 : (tensor<i32>) -> tensor<i64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i64>) -> tensor<268435456x1073741824xi64>
    %6 = stablehlo.add %3, %5 : tensor<268435456x1073741824xi64>
    return %6 : tensor<268435456x1073741824xi64>
  }
}
