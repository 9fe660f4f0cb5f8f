// weft opt --weft-pipeline-gathers='machine={device 989Tflop/s bandwidth 3.35TB/s engine nodes * { gpu 8 nvlink 450GB/s 2us } infiniband 50GB/s 5us} memory-percent=100'
// Five layers: two turns in one, the fifth behind the loop. Each gather is there once.
module {
  sdy.mesh @mesh = <["data"=4]>
  func.func @main(%w: tensor<5x1024x4096xf32>, %x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %r:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i32>, tensor<4096x4096xf32>
    cond {
      %end = stablehlo.constant dense<5> : tensor<i32>
      %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %s = stablehlo.dynamic_slice %w, %i, %zero, %zero, sizes = [1, 1024, 4096] : (tensor<5x1024x4096xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1024x4096xf32>
      %l = stablehlo.reshape %s : (tensor<1x1024x4096xf32>) -> tensor<1024x4096xf32>
      %g = "stablehlo.all_gather"(%l) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
      %d = stablehlo.dot_general %h, %g, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %d : tensor<i32>, tensor<4096x4096xf32>
    }
    return %r#1 : tensor<4096x4096xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["data"=4]>
  func.func @main(%arg0: tensor<5x1024x4096xf32>, %arg1: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %c, %c, %c, sizes = [1, 1024, 4096] : (tensor<5x1024x4096xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1024x4096xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x1024x4096xf32>) -> tensor<1024x4096xf32>
    %2 = "stablehlo.all_gather"(%1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
    %3:3 = stablehlo.while(%iterArg = %c, %iterArg_1 = %arg1, %iterArg_2 = %2) : tensor<i32>, tensor<4096x4096xf32>, tensor<4096x4096xf32>
    cond {
      %c_3 = stablehlo.constant dense<3> : tensor<i32>
      %6 = stablehlo.compare LT, %iterArg, %c_3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %6 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      %7 = stablehlo.dynamic_slice %arg0, %6, %c, %c, sizes = [1, 1024, 4096] : (tensor<5x1024x4096xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1024x4096xf32>
      %8 = stablehlo.reshape %7 : (tensor<1x1024x4096xf32>) -> tensor<1024x4096xf32>
      %9 = "stablehlo.all_gather"(%8) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %10 = stablehlo.dot_general %iterArg_1, %iterArg_2, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
      %11 = stablehlo.add %iterArg, %c_4 : tensor<i32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %12 = stablehlo.add %11, %c_5 : tensor<i32>
      %13 = stablehlo.dynamic_slice %arg0, %12, %c, %c, sizes = [1, 1024, 4096] : (tensor<5x1024x4096xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1024x4096xf32>
      %14 = stablehlo.reshape %13 : (tensor<1x1024x4096xf32>) -> tensor<1024x4096xf32>
      %15 = "stablehlo.all_gather"(%14) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %16 = stablehlo.dot_general %10, %9, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
      %17 = stablehlo.add %11, %c_6 : tensor<i32>
      %c_7 = stablehlo.constant dense<2> : tensor<i32>
      %18 = stablehlo.add %iterArg, %c_7 : tensor<i32>
      stablehlo.return %18, %16, %15 : tensor<i32>, tensor<4096x4096xf32>, tensor<4096x4096xf32>
    }
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %4 = stablehlo.dot_general %3#1, %3#2, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    %5 = stablehlo.add %3#0, %c_0 : tensor<i32>
    return %4 : tensor<4096x4096xf32>
  }
}
// -----
// weft opt --weft-pipeline-gathers='machine={device 989Tflop/s bandwidth 3.35TB/s engine nodes * { gpu 8 nvlink 450GB/s 2us } infiniband 50GB/s 5us} memory-percent=100'
// Four, counted down, from a carried limit; a slice that the layer uses besides; an all_reduce in the turn.
module {
  sdy.mesh @mesh = <["data"=4]>
  func.func @main(%w: tensor<5x1024x4096xbf16>, %x: tensor<4096x4096xf32>) -> (tensor<4096x4096xf32>, tensor<i64>) {
    %zero = stablehlo.constant dense<0> : tensor<i64>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %last = stablehlo.constant dense<4> : tensor<i64>
    %r:3 = stablehlo.while(%i = %last, %h = %x, %n = %zero) : tensor<i64>, tensor<4096x4096xf32>, tensor<i64>
    cond {
      %more = stablehlo.compare GT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %minus = stablehlo.constant dense<-1> : tensor<i64>
      %j = stablehlo.add %i, %minus : tensor<i64>
      %s = stablehlo.dynamic_slice %w, %i, %zero, %zero, sizes = [1, 1024, 4096] : (tensor<5x1024x4096xbf16>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x1024x4096xbf16>
      %l = stablehlo.reshape %s : (tensor<1x1024x4096xbf16>) -> tensor<1024x4096xbf16>
      %c = stablehlo.convert %l : (tensor<1024x4096xbf16>) -> tensor<1024x4096xf32>
      %g = "stablehlo.all_gather"(%c) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
      %d = stablehlo.dot_general %h, %g, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
      %e = stablehlo.dot_general %d, %c, contracting_dims = [1] x [1] : (tensor<4096x4096xf32>, tensor<1024x4096xf32>) -> tensor<4096x1024xf32>
      %f = stablehlo.pad %e, %z, low = [0, 0], high = [0, 3072], interior = [0, 0] : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<4096x4096xf32>
      %a = "stablehlo.all_reduce"(%f) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %t = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }) : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
      stablehlo.return %j, %a, %n : tensor<i64>, tensor<4096x4096xf32>, tensor<i64>
    }
    return %r#1, %r#0 : tensor<4096x4096xf32>, tensor<i64>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["data"=4]>
  func.func @main(%arg0: tensor<5x1024x4096xbf16>, %arg1: tensor<4096x4096xf32>) -> (tensor<4096x4096xf32>, tensor<i64>) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c_0 = stablehlo.constant dense<4> : tensor<i64>
    %0 = stablehlo.dynamic_slice %arg0, %c_0, %c, %c, sizes = [1, 1024, 4096] : (tensor<5x1024x4096xbf16>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x1024x4096xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x1024x4096xbf16>) -> tensor<1024x4096xbf16>
    %2 = stablehlo.convert %1 : (tensor<1024x4096xbf16>) -> tensor<1024x4096xf32>
    %3 = "stablehlo.all_gather"(%2) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
    %4:4 = stablehlo.while(%iterArg = %c_0, %iterArg_4 = %arg1, %iterArg_5 = %c, %iterArg_6 = %3) : tensor<i64>, tensor<4096x4096xf32>, tensor<i64>, tensor<4096x4096xf32>
    cond {
      %c_7 = stablehlo.constant dense<2> : tensor<i64>
      %26 = stablehlo.compare GT, %iterArg, %c_7 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %26 : tensor<i1>
    } do {
      %c_7 = stablehlo.constant dense<-1> : tensor<i64>
      %26 = stablehlo.add %iterArg, %c_7 : tensor<i64>
      %27 = stablehlo.dynamic_slice %arg0, %26, %c, %c, sizes = [1, 1024, 4096] : (tensor<5x1024x4096xbf16>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x1024x4096xbf16>
      %28 = stablehlo.reshape %27 : (tensor<1x1024x4096xbf16>) -> tensor<1024x4096xbf16>
      %29 = stablehlo.convert %28 : (tensor<1024x4096xbf16>) -> tensor<1024x4096xf32>
      %30 = "stablehlo.all_gather"(%29) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
      %c_8 = stablehlo.constant dense<-1> : tensor<i64>
      %31 = stablehlo.add %iterArg, %c_8 : tensor<i64>
      %32 = stablehlo.dynamic_slice %arg0, %iterArg, %c, %c, sizes = [1, 1024, 4096] : (tensor<5x1024x4096xbf16>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x1024x4096xbf16>
      %33 = stablehlo.reshape %32 : (tensor<1x1024x4096xbf16>) -> tensor<1024x4096xbf16>
      %34 = stablehlo.convert %33 : (tensor<1024x4096xbf16>) -> tensor<1024x4096xf32>
      %35 = stablehlo.dot_general %iterArg_4, %iterArg_6, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
      %36 = stablehlo.dot_general %35, %34, contracting_dims = [1] x [1] : (tensor<4096x4096xf32>, tensor<1024x4096xf32>) -> tensor<4096x1024xf32>
      %37 = stablehlo.pad %36, %cst, low = [0, 0], high = [0, 3072], interior = [0, 0] : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<4096x4096xf32>
      %38 = "stablehlo.all_reduce"(%37) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %53 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %53 : tensor<f32>
      }) : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
      %c_9 = stablehlo.constant dense<-1> : tensor<i64>
      %39 = stablehlo.add %31, %c_9 : tensor<i64>
      %40 = stablehlo.dynamic_slice %arg0, %39, %c, %c, sizes = [1, 1024, 4096] : (tensor<5x1024x4096xbf16>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x1024x4096xbf16>
      %41 = stablehlo.reshape %40 : (tensor<1x1024x4096xbf16>) -> tensor<1024x4096xbf16>
      %42 = stablehlo.convert %41 : (tensor<1024x4096xbf16>) -> tensor<1024x4096xf32>
      %43 = "stablehlo.all_gather"(%42) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
      %c_10 = stablehlo.constant dense<-1> : tensor<i64>
      %44 = stablehlo.add %31, %c_10 : tensor<i64>
      %45 = stablehlo.dynamic_slice %arg0, %31, %c, %c, sizes = [1, 1024, 4096] : (tensor<5x1024x4096xbf16>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x1024x4096xbf16>
      %46 = stablehlo.reshape %45 : (tensor<1x1024x4096xbf16>) -> tensor<1024x4096xbf16>
      %47 = stablehlo.convert %46 : (tensor<1024x4096xbf16>) -> tensor<1024x4096xf32>
      %48 = stablehlo.dot_general %38, %30, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
      %49 = stablehlo.dot_general %48, %47, contracting_dims = [1] x [1] : (tensor<4096x4096xf32>, tensor<1024x4096xf32>) -> tensor<4096x1024xf32>
      %50 = stablehlo.pad %49, %cst, low = [0, 0], high = [0, 3072], interior = [0, 0] : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<4096x4096xf32>
      %51 = "stablehlo.all_reduce"(%50) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %53 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %53 : tensor<f32>
      }) : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
      %c_11 = stablehlo.constant dense<-2> : tensor<i64>
      %52 = stablehlo.add %iterArg, %c_11 : tensor<i64>
      stablehlo.return %52, %51, %iterArg_5, %43 : tensor<i64>, tensor<4096x4096xf32>, tensor<i64>, tensor<4096x4096xf32>
    }
    %c_1 = stablehlo.constant dense<-1> : tensor<i64>
    %5 = stablehlo.add %4#0, %c_1 : tensor<i64>
    %6 = stablehlo.dynamic_slice %arg0, %5, %c, %c, sizes = [1, 1024, 4096] : (tensor<5x1024x4096xbf16>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x1024x4096xbf16>
    %7 = stablehlo.reshape %6 : (tensor<1x1024x4096xbf16>) -> tensor<1024x4096xbf16>
    %8 = stablehlo.convert %7 : (tensor<1024x4096xbf16>) -> tensor<1024x4096xf32>
    %9 = "stablehlo.all_gather"(%8) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 8, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
    %c_2 = stablehlo.constant dense<-1> : tensor<i64>
    %10 = stablehlo.add %4#0, %c_2 : tensor<i64>
    %11 = stablehlo.dynamic_slice %arg0, %4#0, %c, %c, sizes = [1, 1024, 4096] : (tensor<5x1024x4096xbf16>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x1024x4096xbf16>
    %12 = stablehlo.reshape %11 : (tensor<1x1024x4096xbf16>) -> tensor<1024x4096xbf16>
    %13 = stablehlo.convert %12 : (tensor<1024x4096xbf16>) -> tensor<1024x4096xf32>
    %14 = stablehlo.dot_general %4#1, %4#3, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    %15 = stablehlo.dot_general %14, %13, contracting_dims = [1] x [1] : (tensor<4096x4096xf32>, tensor<1024x4096xf32>) -> tensor<4096x1024xf32>
    %16 = stablehlo.pad %15, %cst, low = [0, 0], high = [0, 3072], interior = [0, 0] : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<4096x4096xf32>
    %17 = "stablehlo.all_reduce"(%16) <{channel_handle = #stablehlo.channel_handle<handle = 9, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %26 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %26 : tensor<f32>
    }) : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    %c_3 = stablehlo.constant dense<-1> : tensor<i64>
    %18 = stablehlo.add %10, %c_3 : tensor<i64>
    %19 = stablehlo.dynamic_slice %arg0, %10, %c, %c, sizes = [1, 1024, 4096] : (tensor<5x1024x4096xbf16>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x1024x4096xbf16>
    %20 = stablehlo.reshape %19 : (tensor<1x1024x4096xbf16>) -> tensor<1024x4096xbf16>
    %21 = stablehlo.convert %20 : (tensor<1024x4096xbf16>) -> tensor<1024x4096xf32>
    %22 = stablehlo.dot_general %17, %9, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    %23 = stablehlo.dot_general %22, %21, contracting_dims = [1] x [1] : (tensor<4096x4096xf32>, tensor<1024x4096xf32>) -> tensor<4096x1024xf32>
    %24 = stablehlo.pad %23, %cst, low = [0, 0], high = [0, 3072], interior = [0, 0] : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<4096x4096xf32>
    %25 = "stablehlo.all_reduce"(%24) <{channel_handle = #stablehlo.channel_handle<handle = 10, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %26 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %26 : tensor<f32>
    }) : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    return %25, %18 : tensor<4096x4096xf32>, tensor<i64>
  }
}
// -----
// weft opt --weft-pipeline-gathers
// The cores move the bytes themselves: nothing to hide.
module {
  sdy.mesh @mesh = <["data"=4]>
  func.func @main(%w: tensor<5x1024x4096xf32>, %x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %r:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i32>, tensor<4096x4096xf32>
    cond {
      %end = stablehlo.constant dense<5> : tensor<i32>
      %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %s = stablehlo.dynamic_slice %w, %i, %zero, %zero, sizes = [1, 1024, 4096] : (tensor<5x1024x4096xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1024x4096xf32>
      %l = stablehlo.reshape %s : (tensor<1x1024x4096xf32>) -> tensor<1024x4096xf32>
      %g = "stablehlo.all_gather"(%l) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
      %d = stablehlo.dot_general %h, %g, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %d : tensor<i32>, tensor<4096x4096xf32>
    }
    return %r#1 : tensor<4096x4096xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["data"=4]>
  func.func @main(%arg0: tensor<5x1024x4096xf32>, %arg1: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1) : tensor<i32>, tensor<4096x4096xf32>
    cond {
      %c_1 = stablehlo.constant dense<5> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.dynamic_slice %arg0, %iterArg, %c, %c, sizes = [1, 1024, 4096] : (tensor<5x1024x4096xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1024x4096xf32>
      %2 = stablehlo.reshape %1 : (tensor<1x1024x4096xf32>) -> tensor<1024x4096xf32>
      %3 = "stablehlo.all_gather"(%2) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
      %4 = stablehlo.dot_general %iterArg_0, %3, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
      %5 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      stablehlo.return %5, %4 : tensor<i32>, tensor<4096x4096xf32>
    }
    return %0#1 : tensor<4096x4096xf32>
  }
}
// -----
// weft opt --weft-pipeline-gathers='machine={device 989Tflop/s bandwidth 3.35TB/s engine nodes * { gpu 8 nvlink 450GB/s 2us } infiniband 50GB/s 5us} memory-percent=100'
// What is gathered depends on what the turns compute: stays.
module {
  sdy.mesh @mesh = <["data"=4]>
  func.func @main(%x: tensor<1024x4096xf32>) -> tensor<1024x4096xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %r:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i32>, tensor<1024x4096xf32>
    cond {
      %end = stablehlo.constant dense<5> : tensor<i32>
      %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %g = "stablehlo.all_gather"(%h) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
      %d = stablehlo.dot_general %h, %g, contracting_dims = [1] x [0] : (tensor<1024x4096xf32>, tensor<4096x4096xf32>) -> tensor<1024x4096xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %d : tensor<i32>, tensor<1024x4096xf32>
    }
    return %r#1 : tensor<1024x4096xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["data"=4]>
  func.func @main(%arg0: tensor<1024x4096xf32>) -> tensor<1024x4096xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<1024x4096xf32>
    cond {
      %c_1 = stablehlo.constant dense<5> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %1 = "stablehlo.all_gather"(%iterArg_0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
      %2 = stablehlo.dot_general %iterArg_0, %1, contracting_dims = [1] x [0] : (tensor<1024x4096xf32>, tensor<4096x4096xf32>) -> tensor<1024x4096xf32>
      %3 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      stablehlo.return %3, %2 : tensor<i32>, tensor<1024x4096xf32>
    }
    return %0#1 : tensor<1024x4096xf32>
  }
}
// -----
// weft opt --weft-pipeline-gathers=machine=abacus
module {
  func.func @main(%x: tensor<f32>) -> tensor<f32> {
    return %x : tensor<f32>
  }
}
// ==>
// error: there is no machine 'abacus'
// -----
// weft opt --weft-pipeline-gathers='machine={device 989Tflop/s bandwidth 3.35TB/s engine nodes * { gpu 8 nvlink 450GB/s 2us } infiniband 50GB/s 5us} memory-percent=100'
// A counter of eight bits that goes over its whole range: twice its step does not fit in its type, and wraps round to what is right.
module {
  sdy.mesh @mesh = <["data"=4]>
  func.func @main(%w: tensor<3x1024x4096xf32>, %x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
    %zero = stablehlo.constant dense<-128> : tensor<i8>
    %r:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i8>, tensor<4096x4096xf32>
    cond {
      %end = stablehlo.constant dense<127> : tensor<i8>
      %more = stablehlo.compare LT, %i, %end : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<85> : tensor<i8>
      %wide = stablehlo.convert %i : (tensor<i8>) -> tensor<i32>
      %low = stablehlo.constant dense<128> : tensor<i32>
      %by = stablehlo.constant dense<85> : tensor<i32>
      %up = stablehlo.add %wide, %low : tensor<i32>
      %n = stablehlo.divide %up, %by : tensor<i32>
      %none = stablehlo.constant dense<0> : tensor<i32>
      %s = stablehlo.dynamic_slice %w, %n, %none, %none, sizes = [1, 1024, 4096] : (tensor<3x1024x4096xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1024x4096xf32>
      %l = stablehlo.reshape %s : (tensor<1x1024x4096xf32>) -> tensor<1024x4096xf32>
      %g = "stablehlo.all_gather"(%l) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
      %d = stablehlo.dot_general %h, %g, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
      %j = stablehlo.add %i, %one : tensor<i8>
      stablehlo.return %j, %d : tensor<i8>, tensor<4096x4096xf32>
    }
    return %r#1 : tensor<4096x4096xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["data"=4]>
  func.func @main(%arg0: tensor<3x1024x4096xf32>, %arg1: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
    %c = stablehlo.constant dense<-128> : tensor<i8>
    %0 = stablehlo.convert %c : (tensor<i8>) -> tensor<i32>
    %c_0 = stablehlo.constant dense<128> : tensor<i32>
    %c_1 = stablehlo.constant dense<85> : tensor<i32>
    %1 = stablehlo.add %0, %c_0 : tensor<i32>
    %2 = stablehlo.divide %1, %c_1 : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.dynamic_slice %arg0, %2, %c_2, %c_2, sizes = [1, 1024, 4096] : (tensor<3x1024x4096xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1024x4096xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x1024x4096xf32>) -> tensor<1024x4096xf32>
    %5 = "stablehlo.all_gather"(%4) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
    %6:3 = stablehlo.while(%iterArg = %c, %iterArg_4 = %arg1, %iterArg_5 = %5) : tensor<i8>, tensor<4096x4096xf32>, tensor<4096x4096xf32>
    cond {
      %c_6 = stablehlo.constant dense<-43> : tensor<i8>
      %9 = stablehlo.compare LT, %iterArg, %c_6 : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %c_6 = stablehlo.constant dense<85> : tensor<i8>
      %9 = stablehlo.add %iterArg, %c_6 : tensor<i8>
      %10 = stablehlo.convert %9 : (tensor<i8>) -> tensor<i32>
      %c_7 = stablehlo.constant dense<128> : tensor<i32>
      %c_8 = stablehlo.constant dense<85> : tensor<i32>
      %11 = stablehlo.add %10, %c_7 : tensor<i32>
      %12 = stablehlo.divide %11, %c_8 : tensor<i32>
      %c_9 = stablehlo.constant dense<0> : tensor<i32>
      %13 = stablehlo.dynamic_slice %arg0, %12, %c_9, %c_9, sizes = [1, 1024, 4096] : (tensor<3x1024x4096xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1024x4096xf32>
      %14 = stablehlo.reshape %13 : (tensor<1x1024x4096xf32>) -> tensor<1024x4096xf32>
      %15 = "stablehlo.all_gather"(%14) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
      %c_10 = stablehlo.constant dense<85> : tensor<i8>
      %16 = stablehlo.dot_general %iterArg_4, %iterArg_5, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
      %17 = stablehlo.add %iterArg, %c_10 : tensor<i8>
      %c_11 = stablehlo.constant dense<85> : tensor<i8>
      %18 = stablehlo.add %17, %c_11 : tensor<i8>
      %19 = stablehlo.convert %18 : (tensor<i8>) -> tensor<i32>
      %c_12 = stablehlo.constant dense<128> : tensor<i32>
      %c_13 = stablehlo.constant dense<85> : tensor<i32>
      %20 = stablehlo.add %19, %c_12 : tensor<i32>
      %21 = stablehlo.divide %20, %c_13 : tensor<i32>
      %c_14 = stablehlo.constant dense<0> : tensor<i32>
      %22 = stablehlo.dynamic_slice %arg0, %21, %c_14, %c_14, sizes = [1, 1024, 4096] : (tensor<3x1024x4096xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1024x4096xf32>
      %23 = stablehlo.reshape %22 : (tensor<1x1024x4096xf32>) -> tensor<1024x4096xf32>
      %24 = "stablehlo.all_gather"(%23) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "data">]>, use_global_device_ids}> : (tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
      %c_15 = stablehlo.constant dense<85> : tensor<i8>
      %25 = stablehlo.dot_general %16, %15, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
      %26 = stablehlo.add %17, %c_15 : tensor<i8>
      %c_16 = stablehlo.constant dense<-86> : tensor<i8>
      %27 = stablehlo.add %iterArg, %c_16 : tensor<i8>
      stablehlo.return %27, %25, %24 : tensor<i8>, tensor<4096x4096xf32>, tensor<4096x4096xf32>
    }
    %c_3 = stablehlo.constant dense<85> : tensor<i8>
    %7 = stablehlo.dot_general %6#1, %6#2, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    %8 = stablehlo.add %6#0, %c_3 : tensor<i8>
    return %7 : tensor<4096x4096xf32>
  }
}
