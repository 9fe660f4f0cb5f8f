// weft opt --weft-obey-constraints
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
    %0 = sdy.sharding_constraint %arg0 <@m, [{}, {}]> : tensor<8x8xf32>
    %1 = stablehlo.tanh %0 : tensor<8x8xf32>
    %2 = sdy.reshard %1 <@m, [{}, {"x"}]> : tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
}
// ==>
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
    %0 = sdy.sharding_constraint %arg0 <@m, [{}, {}]> {weft.obey} : tensor<8x8xf32>
    %1 = stablehlo.tanh %0 : tensor<8x8xf32>
    %2 = sdy.reshard %1 <@m, [{}, {"x"}]> {weft.obey} : tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
}
// -----
// weft opt --weft-propagate --weft-export --silence=constraint
// Left aside: rows are read where they are.
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<512x512xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<512x512xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = sdy.sharding_constraint %arg0 <@m, [{}, {}]> : tensor<512x512xf32>
    %1 = stablehlo.tanh %0 : tensor<512x512xf32>
    return %1 : tensor<512x512xf32>
  }
}
// ==>
module {
  sdy.mesh @m = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func @main(%arg0: tensor<128x512xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<128x512xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = stablehlo.tanh %arg0 : tensor<128x512xf32>
    return %0 : tensor<128x512xf32>
  }
}
// -----
// weft opt --weft-propagate --weft-export='obey-constraints=true' --silence=replicate
// Obeyed: they are gathered first.
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<512x512xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<512x512xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = sdy.sharding_constraint %arg0 <@m, [{}, {}]> : tensor<512x512xf32>
    %1 = stablehlo.tanh %0 : tensor<512x512xf32>
    return %1 : tensor<512x512xf32>
  }
}
// ==>
module {
  sdy.mesh @m = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func @main(%arg0: tensor<128x512xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<128x512xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
    %c = stablehlo.constant dense<128> : tensor<i32>
    %2 = stablehlo.multiply %1, %c : tensor<i32>
    %3 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<128x512xf32>) -> tensor<512x512xf32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.dynamic_slice %3, %2, %c_0, sizes = [128, 512] : (tensor<512x512xf32>, tensor<i32>, tensor<i32>) -> tensor<128x512xf32>
    %5 = stablehlo.tanh %4 : tensor<128x512xf32>
    return %5 : tensor<128x512xf32>
  }
}
// -----
// weft opt --weft-propagate --weft-export='obey-constraints=true'
// In a loop's turns, and of a sum that is not finished.
module {
  sdy.mesh @m = <["x"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = sdy.sharding_constraint %0 <@m, [{}, {}]> : tensor<8x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %1) : tensor<i32>, tensor<8x8xf32>
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %4 = stablehlo.tanh %iterArg_0 : tensor<8x8xf32>
      %5 = sdy.sharding_constraint %4 <@m, [{}, {"x"}]> : tensor<8x8xf32>
      %6 = stablehlo.negate %5 : tensor<8x8xf32>
      stablehlo.return %3, %6 : tensor<i32>, tensor<8x8xf32>
    }
    return %2#1 : tensor<8x8xf32>
  }
}
// ==>
module {
  sdy.mesh @m = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
  func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
    %c = stablehlo.constant dense<4> : tensor<i32>
    %2 = stablehlo.multiply %1, %c : tensor<i32>
    %3 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %4 = "stablehlo.all_reduce"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %7 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<3> : tensor<i32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %5 = stablehlo.dynamic_slice %4, %2, %c_0, sizes = [4, 8] : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %6:2 = stablehlo.while(%iterArg = %c_0, %iterArg_3 = %5) : tensor<i32>, tensor<4x8xf32>
    cond {
      %7 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      %8 = stablehlo.tanh %iterArg_3 : tensor<4x8xf32>
      %9 = "stablehlo.all_to_all"(%8) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, concat_dimension = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<4x8xf32>) -> tensor<8x4xf32>
      %10 = stablehlo.negate %9 : tensor<8x4xf32>
      %11 = "stablehlo.all_to_all"(%10) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, concat_dimension = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<8x4xf32>) -> tensor<4x8xf32>
      stablehlo.return %7, %11 : tensor<i32>, tensor<4x8xf32>
    }
    return %6#1 : tensor<4x8xf32>
  }
}
