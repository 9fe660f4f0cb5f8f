// weft opt --sdy-drop-sharding-and-mesh
// an op that names the mesh would be left without it
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ==>
// error: 'sdy.reshard' names a mesh, which cannot be dropped
// -----
// weft opt --sdy-drop-sharding-and-mesh
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<16xf32> {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<8xf32>) -> tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}
// ==>
// error: 'stablehlo.all_gather' names a mesh, which cannot be dropped
// -----
// weft opt --sdy-convert-global-to-local
// nobody has brought the operand to where the result is
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    return %arg0 : tensor<8xf32>
  }
}
// ==>
// error: doesn't match function result type
