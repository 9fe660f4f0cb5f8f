// ===== unused manual axes are replicated, names in the order of the mesh
// --sdy-manual-axes-cleanup
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}, %y: tensor<16x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.manual_computation(%x, %y) in_shardings=[<@mesh, [{"a", ?}, {?}]>, <@mesh, [{?}, {?}]>] out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"c", "a"} (%p: tensor<4x16xf32>, %q: tensor<16x8xf32>) {
      %1 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      sdy.return %1 : tensor<4x8xf32>
    } : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.tanh %0 : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}, %arg1: tensor<16x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"a", ?}, {?}], replicated={"c"}>, <@mesh, [{?}, {?}], replicated={"a", "c"}>] out_shardings=[<@mesh, [{"a", ?}, {?}], replicated={"c"}>] manual_axes={"a", "c"} (%arg2: tensor<4x16xf32>, %arg3: tensor<16x8xf32>) {
      %2 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      sdy.return %2 : tensor<4x8xf32>
    } : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.tanh %0 : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
