// weft opt --sdy-convert-global-to-local
// Offsets from a table of all devices, where they are needed; ops keep their shardings.
module {
  sdy.mesh @mesh = <["a"=2, "b"=3], device_ids=[5, 4, 3, 2, 1, 0]>
  func.func @main(%arg0: tensor<6x4xf32>) -> (tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, tensor<9xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
    %0 = sdy.all_slice [{"b", "a"}, {}] %arg0 out_sharding=<@mesh, [{"b", "a"}, {}]> : tensor<6x4xf32>
    %1 = stablehlo.exponential %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}, {}]>]>} : tensor<6x4xf32>
    %2 = sdy.all_gather [{"b", "a"}, {}] %1 out_sharding=<@mesh, [{}, {}]> : tensor<6x4xf32>
    %3 = stablehlo.slice %2 [2:4, 0:4] : (tensor<6x4xf32>) -> tensor<2x4xf32>
    %4 = sdy.all_slice [{"a"}, {}] %3 out_sharding=<@mesh, [{"a"}, {}]> : tensor<2x4xf32>
    %5 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<9xi64>
    return %4, %5 : tensor<2x4xf32>, tensor<9xi64>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["a"=2, "b"=3], device_ids=[5, 4, 3, 2, 1, 0]>
  func.func @main(%arg0: tensor<6x4xf32>) -> (tensor<1x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, tensor<3xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<[5, 3, 1, 4, 2, 0]> : tensor<6xi64>
    %2 = stablehlo.dynamic_slice %c, %1, sizes = [1] : (tensor<6xi64>, tensor<i64>) -> tensor<1xi64>
    %3 = stablehlo.reshape %2 : (tensor<1xi64>) -> tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %4 = stablehlo.dynamic_slice %arg0, %3, %c_0, sizes = [1, 4] : (tensor<6x4xf32>, tensor<i64>, tensor<i64>) -> tensor<1x4xf32>
    %5 = stablehlo.exponential %4 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}, {}]>]>} : tensor<1x4xf32>
    %6 = "stablehlo.all_gather"(%5) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[5, 2, 4, 1, 3, 0]]> : tensor<1x6xi64>, use_global_device_ids}> : (tensor<1x4xf32>) -> tensor<6x4xf32>
    %7 = stablehlo.slice %6 [2:4, 0:4] : (tensor<6x4xf32>) -> tensor<2x4xf32>
    %8 = stablehlo.partition_id : tensor<ui32>
    %9 = stablehlo.convert %8 : (tensor<ui32>) -> tensor<i64>
    %c_1 = stablehlo.constant dense<[1, 1, 1, 0, 0, 0]> : tensor<6xi64>
    %10 = stablehlo.dynamic_slice %c_1, %9, sizes = [1] : (tensor<6xi64>, tensor<i64>) -> tensor<1xi64>
    %11 = stablehlo.reshape %10 : (tensor<1xi64>) -> tensor<i64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %12 = stablehlo.dynamic_slice %7, %11, %c_2, sizes = [1, 4] : (tensor<2x4xf32>, tensor<i64>, tensor<i64>) -> tensor<1x4xf32>
    %13 = stablehlo.iota dim = 0 : tensor<3xi64>
    %14 = stablehlo.partition_id : tensor<ui32>
    %15 = stablehlo.convert %14 : (tensor<ui32>) -> tensor<i64>
    %c_3 = stablehlo.constant dense<[6, 3, 0, 6, 3, 0]> : tensor<6xi64>
    %16 = stablehlo.dynamic_slice %c_3, %15, sizes = [1] : (tensor<6xi64>, tensor<i64>) -> tensor<1xi64>
    %17 = stablehlo.reshape %16 : (tensor<1xi64>) -> tensor<i64>
    %18 = stablehlo.convert %17 : tensor<i64>
    %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %20 = stablehlo.add %13, %19 : tensor<3xi64>
    return %12, %20 : tensor<1x4xf32>, tensor<3xi64>
  }
}
// -----
// weft opt --sdy-convert-global-to-local='combine-multi-dimension-reduce-scatter=true enable-rgv3=true'
// Collectives over two dimensions are one call each; parts of axes are listed even when groups are axes. A function each has its mesh.
module {
  sdy.mesh @one = <["x"=2, "y"=4]>
  sdy.mesh @two = <["z"=3]>
  func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@one, [{"y":(1)2}, {"x"}]>}) {
    %0 = sdy.reduce_scatter [{"y"}, {"x"}] %arg0 out_sharding=<@one, [{"y"}, {"x"}]> : tensor<8x8xf32>
    %1 = sdy.all_gather [{"y":(2)2}, {}] %0 out_sharding=<@one, [{"y":(1)2}, {"x"}]> : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
  func.func @other(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@two, [{"z"}]>}) -> tensor<6xf32> {
    %0 = sdy.all_gather [{"z"}] %arg0 out_sharding=<@two, [{}]> : tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
// ==>
module {
  sdy.mesh @one = <["x"=2, "y"=4]>
  sdy.mesh @two = <["z"=3]>
  func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@one, [{"y":(1)2}, {"x"}]>}) {
    %0 = stablehlo.reshape %arg0 : (tensor<8x8xf32>) -> tensor<4x2x2x4xf32>
    %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<4x2x2x4xf32>) -> tensor<4x2x2x4xf32>
    %2 = stablehlo.reshape %1 : (tensor<4x2x2x4xf32>) -> tensor<8x2x4xf32>
    %3 = "stablehlo.reduce_scatter"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @one, axes = [#stablehlo.axis_ref<name = "y">, #stablehlo.axis_ref<name = "x">]>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %6 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }) : (tensor<8x2x4xf32>) -> tensor<1x2x4xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x2x4xf32>) -> tensor<2x4xf32>
    %5 = "stablehlo.all_gather"(%4) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<2x4xf32>) -> tensor<4x4xf32>
    return %5 : tensor<4x4xf32>
  }
  func.func @other(%arg0: tensor<2xf32> {sdy.sharding = #sdy.sharding<@two, [{"z"}]>}) -> tensor<6xf32> {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @two, axes = [#stablehlo.axis_ref<name = "z">]>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
// -----
// weft opt --sdy-convert-global-to-local
// Two exchanges are one; a reduce_scatter of two dimensions reduces and slices; a sum over part of an axis that no sharding names.
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<4x4x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}, {}]>}, %arg1: tensor<4x2xi32>) -> (tensor<4x4x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y"}, {"x"}]>}, tensor<4x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = sdy.all_to_all [{"x"}: 0->3, {"y"}: 1->2] %arg0 out_sharding=<@mesh, [{}, {}, {"y"}, {"x"}]> : tensor<4x4x4x4xf32>
    %1 = sdy.all_reduce max {"y"} %arg1 out_sharding=<@mesh, [{}, {}]> : tensor<4x2xi32>
    %2 = sdy.reduce_scatter [{"x"}, {"y"}] %1 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<4x2xi32>
    return %0, %2 : tensor<4x4x4x4xf32>, tensor<4x2xi32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<2x2x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}, {}]>}, %arg1: tensor<4x2xi32>) -> (tensor<4x4x2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y"}, {"x"}]>}, tensor<2x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = stablehlo.reshape %arg0 : (tensor<2x2x4x4xf32>) -> tensor<2x2x2x2x2x2xf32>
    %1 = stablehlo.transpose %0, dims = [2, 4, 0, 1, 3, 5] : (tensor<2x2x2x2x2x2xf32>) -> tensor<2x2x2x2x2x2xf32>
    %2 = stablehlo.reshape %1 : (tensor<2x2x2x2x2x2xf32>) -> tensor<4x2x2x2x2xf32>
    %3 = "stablehlo.all_to_all"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 2, 1, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<4x2x2x2x2xf32>) -> tensor<4x2x2x2x2xf32>
    %4 = stablehlo.reshape %3 : (tensor<4x2x2x2x2xf32>) -> tensor<2x2x2x2x2x2xf32>
    %5 = stablehlo.transpose %4, dims = [1, 2, 0, 3, 4, 5] : (tensor<2x2x2x2x2x2xf32>) -> tensor<2x2x2x2x2x2xf32>
    %6 = stablehlo.reshape %5 : (tensor<2x2x2x2x2x2xf32>) -> tensor<4x4x2x2xf32>
    %7 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %18 = stablehlo.maximum %arg2, %arg3 : tensor<i32>
      stablehlo.return %18 : tensor<i32>
    }) : (tensor<4x2xi32>) -> tensor<4x2xi32>
    %8 = "stablehlo.all_reduce"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %18 = stablehlo.add %arg2, %arg3 : tensor<i32>
      stablehlo.return %18 : tensor<i32>
    }) : (tensor<4x2xi32>) -> tensor<4x2xi32>
    %9 = stablehlo.partition_id : tensor<ui32>
    %10 = stablehlo.convert %9 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<[0, 0, 2, 2]> : tensor<4xi64>
    %11 = stablehlo.dynamic_slice %c, %10, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
    %12 = stablehlo.reshape %11 : (tensor<1xi64>) -> tensor<i64>
    %13 = stablehlo.partition_id : tensor<ui32>
    %14 = stablehlo.convert %13 : (tensor<ui32>) -> tensor<i64>
    %c_0 = stablehlo.constant dense<[0, 1, 0, 1]> : tensor<4xi64>
    %15 = stablehlo.dynamic_slice %c_0, %14, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
    %16 = stablehlo.reshape %15 : (tensor<1xi64>) -> tensor<i64>
    %17 = stablehlo.dynamic_slice %8, %12, %16, sizes = [2, 1] : (tensor<4x2xi32>, tensor<i64>, tensor<i64>) -> tensor<2x1xi32>
    return %6, %17 : tensor<4x4x2x2xf32>, tensor<2x1xi32>
  }
}
// -----
// weft opt --sdy-convert-global-to-local
// Indices that cannot count through the dimension are made wide; smallest and largest values by their complement.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<200x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<5x1xi8>, %arg2: tensor<7xi16>, %arg3: tensor<4x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg4: tensor<4xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<5x3xf32>, tensor<7xi16>) {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<200x3xf32>, tensor<5x1xi8>) -> tensor<5x3xf32>
    %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<5x3xf32>
    %2 = "stablehlo.scatter"(%arg2, %arg3, %arg4) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg5: tensor<i16>, %arg6: tensor<i16>):
      %4 = stablehlo.minimum %arg5, %arg6 : tensor<i16>
      stablehlo.return %4 : tensor<i16>
    }) : (tensor<7xi16>, tensor<4x1xi32>, tensor<4xi16>) -> tensor<7xi16>
    %3 = sdy.all_reduce min {"x"} %2 out_sharding=<@mesh, [{}]> : tensor<7xi16>
    return %1, %3 : tensor<5x3xf32>, tensor<7xi16>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<100x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<5x1xi8>, %arg2: tensor<7xi16>, %arg3: tensor<2x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg4: tensor<2xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<5x3xf32>, tensor<7xi16>) {
    %0 = stablehlo.convert %arg1 : (tensor<5x1xi8>) -> tensor<5x1xi64>
    %c = stablehlo.constant dense<0> : tensor<5x1xi64>
    %c_0 = stablehlo.constant dense<199> : tensor<5x1xi64>
    %1 = stablehlo.clamp %c, %0, %c_0 : tensor<5x1xi64>
    %2 = stablehlo.partition_id : tensor<ui32>
    %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<i64>
    %c_1 = stablehlo.constant dense<[0, 100]> : tensor<2xi64>
    %4 = stablehlo.dynamic_slice %c_1, %3, sizes = [1] : (tensor<2xi64>, tensor<i64>) -> tensor<1xi64>
    %5 = stablehlo.reshape %4 : (tensor<1xi64>) -> tensor<i64>
    %6 = stablehlo.convert %5 : tensor<i64>
    %c_2 = stablehlo.constant dense<99> : tensor<i64>
    %7 = stablehlo.add %6, %c_2 : tensor<i64>
    %8 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i64>) -> tensor<5x1xi64>
    %9 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i64>) -> tensor<5x1xi64>
    %10 = stablehlo.subtract %1, %8 : tensor<5x1xi64>
    %11 = stablehlo.compare GE, %1, %8 : (tensor<5x1xi64>, tensor<5x1xi64>) -> tensor<5x1xi1>
    %12 = stablehlo.compare LE, %1, %9 : (tensor<5x1xi64>, tensor<5x1xi64>) -> tensor<5x1xi1>
    %13 = stablehlo.and %11, %12 : tensor<5x1xi1>
    %14 = "stablehlo.gather"(%arg0, %10) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<100x3xf32>, tensor<5x1xi64>) -> tensor<5x3xf32>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %15 = stablehlo.reduce(%13 init: %c_3) applies stablehlo.and across dimensions = [1] : (tensor<5x1xi1>, tensor<i1>) -> tensor<5xi1>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<5xi1>) -> tensor<5x3xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<5x3xf32>
    %17 = stablehlo.select %16, %14, %cst : tensor<5x3xi1>, tensor<5x3xf32>
    %18 = "stablehlo.all_reduce"(%17) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %28 = stablehlo.add %arg5, %arg6 : tensor<f32>
      stablehlo.return %28 : tensor<f32>
    }) : (tensor<5x3xf32>) -> tensor<5x3xf32>
    %c_4 = stablehlo.constant dense<-32768> : tensor<i16>
    %19 = stablehlo.not %c_4 : tensor<i16>
    %20 = stablehlo.partition_id : tensor<ui32>
    %21 = stablehlo.convert %20 : (tensor<ui32>) -> tensor<i64>
    %c_5 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
    %22 = stablehlo.dynamic_slice %c_5, %21, sizes = [1] : (tensor<2xi1>, tensor<i64>) -> tensor<1xi1>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<1xi1>) -> tensor<7xi1>
    %24 = stablehlo.broadcast_in_dim %19, dims = [] : (tensor<i16>) -> tensor<7xi16>
    %25 = stablehlo.select %23, %arg2, %24 : tensor<7xi1>, tensor<7xi16>
    %26 = "stablehlo.scatter"(%25, %arg3, %arg4) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg5: tensor<i16>, %arg6: tensor<i16>):
      %28 = stablehlo.minimum %arg5, %arg6 : tensor<i16>
      stablehlo.return %28 : tensor<i16>
    }) : (tensor<7xi16>, tensor<2x1xi32>, tensor<2xi16>) -> tensor<7xi16>
    %27 = "stablehlo.all_reduce"(%26) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg5: tensor<i16>, %arg6: tensor<i16>):
      %28 = stablehlo.minimum %arg5, %arg6 : tensor<i16>
      stablehlo.return %28 : tensor<i16>
    }) : (tensor<7xi16>) -> tensor<7xi16>
    return %18, %27 : tensor<5x3xf32>, tensor<7xi16>
  }
}
// -----
// weft opt --sdy-convert-global-to-local
// Groups of features that are cut are fewer.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<1x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, %arg1: tensor<3x2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}) -> (tensor<1x6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 4 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"x"}]>]>} : (tensor<1x8x8xf32>, tensor<3x2x4xf32>) -> tensor<1x6x4xf32>
    return %0 : tensor<1x6x4xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<1x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, %arg1: tensor<3x2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}) -> (tensor<1x6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x8x4xf32>, tensor<3x2x2xf32>) -> tensor<1x6x2xf32>
    return %0 : tensor<1x6x2xf32>
  }
}
// -----
// weft opt --sdy-convert-global-to-local
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.slice %arg0 [2:6] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// ==>
// error: dimension 0 is sharded but the slice is not a full slice and requires device communication
// error: failed to legalize operation 'stablehlo.slice' that was explicitly marked illegal
// -----
// weft opt --sdy-convert-global-to-local
// The second device would need an element of the first.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<f32>) -> (tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.pad %arg0, %arg1, low = [2], high = [0], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<10xf32>
    return %0 : tensor<10xf32>
  }
}
// ==>
// error: dimension 0 is sharded and the pad moves elements from one device to another
// error: failed to legalize operation 'stablehlo.pad' that was explicitly marked illegal
// -----
// weft opt --sdy-convert-global-to-local='replica-count=2 partition-count=2'
module {
}
// ==>
// error: does not support both replica_count > 1 and partition_count > 1
