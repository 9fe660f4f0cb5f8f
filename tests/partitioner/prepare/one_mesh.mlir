// weft opt --weft-one-mesh
// An axis cut behind 2 of 6 and behind 3: the pieces of 3 are the same piece, the devices of the second argument stand in another order.
module {
  sdy.mesh @mesh = <["x"=6]>
  func.func @main(%arg0: tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {"x":(2)3}]>}, %arg1: tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)3}, {}]>}) -> (tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}]>}) {
    %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(1)3}, {"x":(3)2}]>]>} : tensor<12x6xf32>
    return %0 : tensor<12x6xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=6]>
  sdy.mesh @mesh_0 = <["x"=6], device_ids=[0, 2, 4, 1, 3, 5]>
  func.func @main(%arg0: tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {"x":(2)3}]>}, %arg1: tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"x":(2)3}, {}]>}) -> (tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}]>}) {
    %0 = sdy.collective_permute %arg1 out_sharding=<@mesh, [{"x":(2)3}, {}]> : tensor<12x6xf32>
    %1 = stablehlo.add %arg0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(2)3}, {"x":(1)2}]>]>} : tensor<12x6xf32>
    return %1 : tensor<12x6xf32>
  }
}
// -----
// weft opt --weft-one-mesh
// The mesh of the largest argument is the main one. What comes back over another is brought into its order.
module {
  sdy.mesh @a = <["x"=2, "y"=4]>
  sdy.mesh @b = <["y"=4, "x"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}, {"y"}]>}, %arg1: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@b, [{"y"}, {"x"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}, {}]>}, tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}, {}]>}) {
    %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@a, [{"x"}, {"y"}]>]>} : tensor<8x8xf32>
    return %0, %arg1 : tensor<8x8xf32>, tensor<64x8xf32>
  }
}
// ==>
module {
  sdy.mesh @b = <["y"=4, "x"=2]>
  sdy.mesh @a = <["x"=2, "y"=4]>
  sdy.mesh @b_0 = <["y"=4, "x"=2], device_ids=[0, 4, 1, 5, 2, 6, 3, 7]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@b_0, [{"x"}, {"y"}]>}, %arg1: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@b, [{"y"}, {"x"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@b_0, [{"x"}, {}]>}, tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}, {}]>}) {
    %0 = sdy.collective_permute %arg0 out_sharding=<@b, [{"x"}, {"y"}]> : tensor<8x8xf32>
    %1 = stablehlo.tanh %0 {sdy.sharding = #sdy.sharding_per_value<[<@b, [{"x"}, {"y"}]>]>} : tensor<8x8xf32>
    %2 = sdy.reshard %1 <@b, [{"x"}, {}]> : tensor<8x8xf32>
    %3 = sdy.collective_permute %2 out_sharding=<@b_0, [{"x"}, {}]> : tensor<8x8xf32>
    return %3, %arg1 : tensor<8x8xf32>, tensor<64x8xf32>
  }
}
// -----
// weft opt --weft-one-mesh
// A manual computation over another mesh: each device is told that it is the one whose part it has.
module {
  sdy.mesh @a = <["x"=2, "y"=2]>
  sdy.mesh @b = <["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}, {"y"}]>}, %arg1: tensor<4xui32>) -> tensor<4xui32> {
    %0 = sdy.manual_computation(%arg1) in_shardings=[<@b, [{"x", "y"}]>] out_shardings=[<@b, [{"x", "y"}]>] manual_axes={"x", "y"} (%arg2: tensor<1xui32>) {
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.reshape %1 : (tensor<ui32>) -> tensor<1xui32>
      %3 = "stablehlo.collective_permute"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<1xui32>) -> tensor<1xui32>
      sdy.return %3 : tensor<1xui32>
    } : (tensor<4xui32>) -> tensor<4xui32>
    return %0 : tensor<4xui32>
  }
}
// ==>
module {
  sdy.mesh @a = <["x"=2, "y"=2]>
  sdy.mesh @b = <["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}, {"y"}]>}, %arg1: tensor<4xui32>) -> tensor<4xui32> {
    %0 = sdy.manual_computation(%arg1) in_shardings=[<@a, [{"x", "y"}]>] out_shardings=[<@a, [{"x", "y"}]>] manual_axes={"x", "y"} (%arg2: tensor<1xui32>) {
      %1 = stablehlo.partition_id : tensor<ui32>
      %c = stablehlo.constant dense<[0, 2, 1, 3]> : tensor<4xui32>
      %2 = stablehlo.dynamic_slice %c, %1, sizes = [1] : (tensor<4xui32>, tensor<ui32>) -> tensor<1xui32>
      %3 = stablehlo.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
      %4 = stablehlo.reshape %3 : (tensor<ui32>) -> tensor<1xui32>
      %5 = "stablehlo.collective_permute"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [2, 0]]> : tensor<2x2xi64>}> : (tensor<1xui32>) -> tensor<1xui32>
      sdy.return %5 : tensor<1xui32>
    } : (tensor<4xui32>) -> tensor<4xui32>
    return %0 : tensor<4xui32>
  }
}
// -----
// weft opt --weft-one-mesh
// One mesh, cut in one way, stays as it is.
module {
  sdy.mesh @mesh = <["x"=6]>
  func.func @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}]>}) -> (tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    return %arg0 : tensor<12xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=6]>
  func.func @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}]>}) -> (tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    return %arg0 : tensor<12xf32>
  }
}
// -----
// weft opt --weft-partition
// A result that is unreduced only, over a mesh of another device order: its parts go to the devices of that order.
sdy.mesh @m = <["x"=2,"y"=2]>
sdy.mesh @p = <["x"=2,"y"=2], device_ids=[0,2,1,3]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@p, [{}, {}], unreduced={"y"}>}) {
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// ==>
module {
  sdy.mesh @m = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  sdy.mesh @p = <["x"=2, "y"=2], device_ids=[0, 2, 1, 3]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}], device_ids = dense<[0, 2, 1, 3]> : tensor<4xi64>}}
  func.func @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@p, [{}, {}], unreduced={"y"}>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
    %2 = "stablehlo.collective_permute"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 0], [1, 2], [2, 1], [3, 3]]> : tensor<4x2xi64>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
}
