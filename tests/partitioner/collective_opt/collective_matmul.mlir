// weft opt --weft-collective-matmul='machine={device 989Tflop/s bandwidth 3.35TB/s engine nodes * { gpu 8 nvlink 450GB/s 2us } infiniband 50GB/s 5us}'
// Rows of the left operand: each of four parts is multiplied when it is there.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<1024x8192xf32>, %w: tensor<8192x4096xf32>) -> tensor<4096x4096xf32> {
    %g = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<1024x8192xf32>) -> tensor<4096x8192xf32>
    %y = stablehlo.dot_general %g, %w, contracting_dims = [1] x [0] : (tensor<4096x8192xf32>, tensor<8192x4096xf32>) -> tensor<4096x4096xf32>
    return %y : tensor<4096x4096xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<1024x8192xf32>, %arg1: tensor<8192x4096xf32>) -> tensor<4096x4096xf32> {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<1024> : tensor<i64>
    %2 = stablehlo.multiply %1, %c : tensor<i64>
    %c_0 = stablehlo.constant dense<4096> : tensor<i64>
    %3 = stablehlo.subtract %c_0, %2 : tensor<i64>
    %c_1 = stablehlo.constant dense<4096> : tensor<i64>
    %4 = stablehlo.remainder %3, %c_1 : tensor<i64>
    %5 = "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2]]> : tensor<4x2xi64>}> : (tensor<1024x8192xf32>) -> tensor<1024x8192xf32>
    %6 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<1024x8192xf32>, tensor<8192x4096xf32>) -> tensor<1024x4096xf32>
    %7 = "stablehlo.collective_permute"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2]]> : tensor<4x2xi64>}> : (tensor<1024x8192xf32>) -> tensor<1024x8192xf32>
    %8 = stablehlo.dot_general %5, %arg1, contracting_dims = [1] x [0] : (tensor<1024x8192xf32>, tensor<8192x4096xf32>) -> tensor<1024x4096xf32>
    %9 = "stablehlo.collective_permute"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2]]> : tensor<4x2xi64>}> : (tensor<1024x8192xf32>) -> tensor<1024x8192xf32>
    %10 = stablehlo.dot_general %7, %arg1, contracting_dims = [1] x [0] : (tensor<1024x8192xf32>, tensor<8192x4096xf32>) -> tensor<1024x4096xf32>
    %11 = stablehlo.dot_general %9, %arg1, contracting_dims = [1] x [0] : (tensor<1024x8192xf32>, tensor<8192x4096xf32>) -> tensor<1024x4096xf32>
    %12 = stablehlo.concatenate %6, %8, %10, %11, %6, %8, %10, dim = 0 : (tensor<1024x4096xf32>, tensor<1024x4096xf32>, tensor<1024x4096xf32>, tensor<1024x4096xf32>, tensor<1024x4096xf32>, tensor<1024x4096xf32>, tensor<1024x4096xf32>) -> tensor<7168x4096xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %13 = stablehlo.dynamic_slice %12, %4, %c_2, sizes = [4096, 4096] : (tensor<7168x4096xf32>, tensor<i64>, tensor<i64>) -> tensor<4096x4096xf32>
    return %13 : tensor<4096x4096xf32>
  }
}
// -----
// weft opt --weft-collective-matmul='machine={device 989Tflop/s bandwidth 3.35TB/s engine nodes * { gpu 8 nvlink 450GB/s 2us } infiniband 50GB/s 5us}'
// Three products of one gather. The second shares the ring, though something stands between; the third waits for the first, so it reads the
// parts put together, and so does who adds them. The gathered dimension is the second of an operand on the right, behind a batch.
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%x: tensor<2x8192x1024xbf16>, %q: tensor<2x512x8192xbf16>, %k: tensor<2x8192x1024xbf16>) -> (tensor<2x512x4096xf32>, tensor<2x4096x1024xf32>, tensor<2x8192x4096xbf16>) {
    %g = "stablehlo.all_gather"(%x) <{all_gather_dim = 2 : i64, channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> : (tensor<2x8192x1024xbf16>) -> tensor<2x8192x4096xbf16>
    %a = stablehlo.dot_general %q, %g, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<2x512x8192xbf16>, tensor<2x8192x4096xbf16>) -> tensor<2x512x4096xf32>
    %n = stablehlo.negate %a : tensor<2x512x4096xf32>
    %b = stablehlo.dot_general %g, %k, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x8192x4096xbf16>, tensor<2x8192x1024xbf16>) -> tensor<2x4096x1024xf32>
    %t = stablehlo.convert %b : (tensor<2x4096x1024xf32>) -> tensor<2x4096x1024xbf16>
    %s = stablehlo.concatenate %t, %t, dim = 1 : (tensor<2x4096x1024xbf16>, tensor<2x4096x1024xbf16>) -> tensor<2x8192x1024xbf16>
    %c = stablehlo.dot_general %g, %s, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x8192x4096xbf16>, tensor<2x8192x1024xbf16>) -> tensor<2x4096x1024xf32>
    %d = stablehlo.add %g, %g : tensor<2x8192x4096xbf16>
    return %n, %c, %d : tensor<2x512x4096xf32>, tensor<2x4096x1024xf32>, tensor<2x8192x4096xbf16>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<2x8192x1024xbf16>, %arg1: tensor<2x512x8192xbf16>, %arg2: tensor<2x8192x1024xbf16>) -> (tensor<2x512x4096xf32>, tensor<2x4096x1024xf32>, tensor<2x8192x4096xbf16>) {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<4> : tensor<i64>
    %2 = stablehlo.remainder %1, %c : tensor<i64>
    %c_0 = stablehlo.constant dense<1024> : tensor<i64>
    %3 = stablehlo.multiply %2, %c_0 : tensor<i64>
    %c_1 = stablehlo.constant dense<4096> : tensor<i64>
    %4 = stablehlo.subtract %c_1, %3 : tensor<i64>
    %c_2 = stablehlo.constant dense<4096> : tensor<i64>
    %5 = stablehlo.remainder %4, %c_2 : tensor<i64>
    %6 = "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 8, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2], [4, 7], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> : (tensor<2x8192x1024xbf16>) -> tensor<2x8192x1024xbf16>
    %7 = stablehlo.dot_general %arg1, %arg0, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<2x512x8192xbf16>, tensor<2x8192x1024xbf16>) -> tensor<2x512x1024xf32>
    %8 = stablehlo.dot_general %arg0, %arg2, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x8192x1024xbf16>, tensor<2x8192x1024xbf16>) -> tensor<2x1024x1024xf32>
    %9 = "stablehlo.collective_permute"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 9, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2], [4, 7], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> : (tensor<2x8192x1024xbf16>) -> tensor<2x8192x1024xbf16>
    %10 = stablehlo.dot_general %arg1, %6, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<2x512x8192xbf16>, tensor<2x8192x1024xbf16>) -> tensor<2x512x1024xf32>
    %11 = stablehlo.dot_general %6, %arg2, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x8192x1024xbf16>, tensor<2x8192x1024xbf16>) -> tensor<2x1024x1024xf32>
    %12 = "stablehlo.collective_permute"(%9) <{channel_handle = #stablehlo.channel_handle<handle = 10, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2], [4, 7], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> : (tensor<2x8192x1024xbf16>) -> tensor<2x8192x1024xbf16>
    %13 = stablehlo.dot_general %arg1, %9, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<2x512x8192xbf16>, tensor<2x8192x1024xbf16>) -> tensor<2x512x1024xf32>
    %14 = stablehlo.dot_general %9, %arg2, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x8192x1024xbf16>, tensor<2x8192x1024xbf16>) -> tensor<2x1024x1024xf32>
    %15 = stablehlo.dot_general %arg1, %12, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<2x512x8192xbf16>, tensor<2x8192x1024xbf16>) -> tensor<2x512x1024xf32>
    %16 = stablehlo.dot_general %12, %arg2, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x8192x1024xbf16>, tensor<2x8192x1024xbf16>) -> tensor<2x1024x1024xf32>
    %17 = stablehlo.concatenate %7, %10, %13, %15, %7, %10, %13, dim = 2 : (tensor<2x512x1024xf32>, tensor<2x512x1024xf32>, tensor<2x512x1024xf32>, tensor<2x512x1024xf32>, tensor<2x512x1024xf32>, tensor<2x512x1024xf32>, tensor<2x512x1024xf32>) -> tensor<2x512x7168xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %18 = stablehlo.dynamic_slice %17, %c_3, %c_3, %5, sizes = [2, 512, 4096] : (tensor<2x512x7168xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<2x512x4096xf32>
    %19 = stablehlo.concatenate %8, %11, %14, %16, %8, %11, %14, dim = 1 : (tensor<2x1024x1024xf32>, tensor<2x1024x1024xf32>, tensor<2x1024x1024xf32>, tensor<2x1024x1024xf32>, tensor<2x1024x1024xf32>, tensor<2x1024x1024xf32>, tensor<2x1024x1024xf32>) -> tensor<2x7168x1024xf32>
    %c_4 = stablehlo.constant dense<0> : tensor<i64>
    %20 = stablehlo.dynamic_slice %19, %c_4, %5, %c_4, sizes = [2, 4096, 1024] : (tensor<2x7168x1024xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<2x4096x1024xf32>
    %21 = stablehlo.concatenate %arg0, %6, %9, %12, %arg0, %6, %9, dim = 2 : (tensor<2x8192x1024xbf16>, tensor<2x8192x1024xbf16>, tensor<2x8192x1024xbf16>, tensor<2x8192x1024xbf16>, tensor<2x8192x1024xbf16>, tensor<2x8192x1024xbf16>, tensor<2x8192x1024xbf16>) -> tensor<2x8192x7168xbf16>
    %c_5 = stablehlo.constant dense<0> : tensor<i64>
    %22 = stablehlo.dynamic_slice %21, %c_5, %c_5, %5, sizes = [2, 8192, 4096] : (tensor<2x8192x7168xbf16>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<2x8192x4096xbf16>
    %23 = stablehlo.negate %18 : tensor<2x512x4096xf32>
    %24 = stablehlo.convert %20 : (tensor<2x4096x1024xf32>) -> tensor<2x4096x1024xbf16>
    %25 = stablehlo.concatenate %24, %24, dim = 1 : (tensor<2x4096x1024xbf16>, tensor<2x4096x1024xbf16>) -> tensor<2x8192x1024xbf16>
    %26 = stablehlo.dot_general %22, %25, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x8192x4096xbf16>, tensor<2x8192x1024xbf16>) -> tensor<2x4096x1024xf32>
    %27 = stablehlo.add %22, %22 : tensor<2x8192x4096xbf16>
    return %23, %26, %27 : tensor<2x512x4096xf32>, tensor<2x4096x1024xf32>, tensor<2x8192x4096xbf16>
  }
}
// -----
// weft opt --weft-collective-matmul='machine={device 989Tflop/s bandwidth 3.35TB/s engine nodes * { gpu 8 nvlink 450GB/s 2us } infiniband 50GB/s 5us}'
// Nothing to be had: the gathered dimension is added up; something reads the whole before; both operands are it; it is too small.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<1024x4096xf32>, %w: tensor<4096x4096xf32>, %v: tensor<4x16xf32>) -> (tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<16x16xf32>) {
    %g = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
    %a = stablehlo.dot_general %g, %w, contracting_dims = [0] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    %h = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
    %t = stablehlo.tanh %h : tensor<4096x4096xf32>
    %b = stablehlo.dot_general %h, %t, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    %i = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
    %c = stablehlo.dot_general %i, %i, contracting_dims = [1] x [1] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    %j = "stablehlo.all_gather"(%v) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<4x16xf32>) -> tensor<16x16xf32>
    %d = stablehlo.dot_general %j, %v, contracting_dims = [1] x [1] : (tensor<16x16xf32>, tensor<4x16xf32>) -> tensor<16x4xf32>
    %e = stablehlo.dot_general %d, %v, contracting_dims = [1] x [0] : (tensor<16x4xf32>, tensor<4x16xf32>) -> tensor<16x16xf32>
    return %a, %b, %c, %e : tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<16x16xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<1024x4096xf32>, %arg1: tensor<4096x4096xf32>, %arg2: tensor<4x16xf32>) -> (tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<16x16xf32>) {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [0] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    %2 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
    %3 = stablehlo.tanh %2 : tensor<4096x4096xf32>
    %4 = stablehlo.dot_general %2, %3, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    %5 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
    %6 = stablehlo.dot_general %5, %5, contracting_dims = [1] x [1] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    %7 = "stablehlo.all_gather"(%arg2) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<4x16xf32>) -> tensor<16x16xf32>
    %8 = stablehlo.dot_general %7, %arg2, contracting_dims = [1] x [1] : (tensor<16x16xf32>, tensor<4x16xf32>) -> tensor<16x4xf32>
    %9 = stablehlo.dot_general %8, %arg2, contracting_dims = [1] x [0] : (tensor<16x4xf32>, tensor<4x16xf32>) -> tensor<16x16xf32>
    return %1, %4, %6, %9 : tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<16x16xf32>
  }
}
// -----
// weft opt --weft-collective-matmul='machine={device 989Tflop/s bandwidth 3.35TB/s engine nodes * { gpu 8 nvlink 450GB/s 2us } infiniband 50GB/s 5us} any-order=true'
// Sums go round, too, when their order is free: over two axes of a mesh whose devices are listed.
module {
  sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[3, 1, 2, 0]>
  func.func @main(%x: tensor<4096x8192xf32>, %w: tensor<8192x4096xf32>) -> tensor<4096x1024xf32> {
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4096x8192xf32>, tensor<8192x4096xf32>) -> tensor<4096x4096xf32>
    %r = "stablehlo.reduce_scatter"(%y) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "y">]>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4096x4096xf32>) -> tensor<4096x1024xf32>
    return %r : tensor<4096x1024xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[3, 1, 2, 0]>
  func.func @main(%arg0: tensor<4096x8192xf32>, %arg1: tensor<8192x4096xf32>) -> tensor<4096x1024xf32> {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<[3, 1, 2, 0]> : tensor<4xi64>
    %2 = stablehlo.dynamic_slice %c, %1, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
    %3 = stablehlo.reshape %2 : (tensor<1xi64>) -> tensor<i64>
    %c_0 = stablehlo.constant dense<1024> : tensor<i64>
    %4 = stablehlo.multiply %3, %c_0 : tensor<i64>
    %c_1 = stablehlo.constant dense<3072> : tensor<i64>
    %5 = stablehlo.add %4, %c_1 : tensor<i64>
    %c_2 = stablehlo.constant dense<4096> : tensor<i64>
    %6 = stablehlo.remainder %5, %c_2 : tensor<i64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %7 = stablehlo.dynamic_slice %arg1, %c_3, %6, sizes = [8192, 1024] : (tensor<8192x4096xf32>, tensor<i64>, tensor<i64>) -> tensor<8192x1024xf32>
    %8 = stablehlo.dot_general %arg0, %7, contracting_dims = [1] x [0] : (tensor<4096x8192xf32>, tensor<8192x1024xf32>) -> tensor<4096x1024xf32>
    %9 = "stablehlo.collective_permute"(%8) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[3, 1], [1, 2], [2, 0], [0, 3]]> : tensor<4x2xi64>}> : (tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
    %c_4 = stablehlo.constant dense<2048> : tensor<i64>
    %10 = stablehlo.add %4, %c_4 : tensor<i64>
    %c_5 = stablehlo.constant dense<4096> : tensor<i64>
    %11 = stablehlo.remainder %10, %c_5 : tensor<i64>
    %c_6 = stablehlo.constant dense<0> : tensor<i64>
    %12 = stablehlo.dynamic_slice %arg1, %c_6, %11, sizes = [8192, 1024] : (tensor<8192x4096xf32>, tensor<i64>, tensor<i64>) -> tensor<8192x1024xf32>
    %13 = stablehlo.dot_general %arg0, %12, contracting_dims = [1] x [0] : (tensor<4096x8192xf32>, tensor<8192x1024xf32>) -> tensor<4096x1024xf32>
    %14 = stablehlo.add %9, %13 : tensor<4096x1024xf32>
    %15 = "stablehlo.collective_permute"(%14) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, source_target_pairs = dense<[[3, 1], [1, 2], [2, 0], [0, 3]]> : tensor<4x2xi64>}> : (tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
    %c_7 = stablehlo.constant dense<1024> : tensor<i64>
    %16 = stablehlo.add %4, %c_7 : tensor<i64>
    %c_8 = stablehlo.constant dense<4096> : tensor<i64>
    %17 = stablehlo.remainder %16, %c_8 : tensor<i64>
    %c_9 = stablehlo.constant dense<0> : tensor<i64>
    %18 = stablehlo.dynamic_slice %arg1, %c_9, %17, sizes = [8192, 1024] : (tensor<8192x4096xf32>, tensor<i64>, tensor<i64>) -> tensor<8192x1024xf32>
    %19 = stablehlo.dot_general %arg0, %18, contracting_dims = [1] x [0] : (tensor<4096x8192xf32>, tensor<8192x1024xf32>) -> tensor<4096x1024xf32>
    %20 = stablehlo.add %15, %19 : tensor<4096x1024xf32>
    %21 = "stablehlo.collective_permute"(%20) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, source_target_pairs = dense<[[3, 1], [1, 2], [2, 0], [0, 3]]> : tensor<4x2xi64>}> : (tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
    %c_10 = stablehlo.constant dense<0> : tensor<i64>
    %22 = stablehlo.dynamic_slice %arg1, %c_10, %4, sizes = [8192, 1024] : (tensor<8192x4096xf32>, tensor<i64>, tensor<i64>) -> tensor<8192x1024xf32>
    %23 = stablehlo.dot_general %arg0, %22, contracting_dims = [1] x [0] : (tensor<4096x8192xf32>, tensor<8192x1024xf32>) -> tensor<4096x1024xf32>
    %24 = stablehlo.add %21, %23 : tensor<4096x1024xf32>
    return %24 : tensor<4096x1024xf32>
  }
}
// -----
// weft opt --weft-collective-matmul='machine={device 989Tflop/s bandwidth 3.35TB/s engine nodes * { gpu 8 nvlink 450GB/s 2us } infiniband 50GB/s 5us}'
// In the order of the ranks they stay as they are.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<4096x8192xf32>, %w: tensor<8192x4096xf32>) -> tensor<4096x1024xf32> {
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4096x8192xf32>, tensor<8192x4096xf32>) -> tensor<4096x4096xf32>
    %r = "stablehlo.reduce_scatter"(%y) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4096x4096xf32>) -> tensor<4096x1024xf32>
    return %r : tensor<4096x1024xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<4096x8192xf32>, %arg1: tensor<8192x4096xf32>) -> tensor<4096x1024xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4096x8192xf32>, tensor<8192x4096xf32>) -> tensor<4096x4096xf32>
    %1 = "stablehlo.reduce_scatter"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4096x4096xf32>) -> tensor<4096x1024xf32>
    return %1 : tensor<4096x1024xf32>
  }
}
// -----
// weft opt --weft-collective-matmul
// Devices that move the bytes themselves hide nothing.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<1024x8192xf32>, %w: tensor<8192x4096xf32>) -> tensor<4096x4096xf32> {
    %g = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<1024x8192xf32>) -> tensor<4096x8192xf32>
    %y = stablehlo.dot_general %g, %w, contracting_dims = [1] x [0] : (tensor<4096x8192xf32>, tensor<8192x4096xf32>) -> tensor<4096x4096xf32>
    return %y : tensor<4096x4096xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<1024x8192xf32>, %arg1: tensor<8192x4096xf32>) -> tensor<4096x4096xf32> {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<1024x8192xf32>) -> tensor<4096x8192xf32>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] : (tensor<4096x8192xf32>, tensor<8192x4096xf32>) -> tensor<4096x4096xf32>
    return %1 : tensor<4096x4096xf32>
  }
}
