// weft verify --fill 2=2
// Windows that take a cut dimension whole: their component of the indices is no place in it.
module {
  sdy.mesh @mesh = <["x"=3]>
  func.func @main(%a: tensor<2x3x3xf32>, %i: tensor<2x3xi32>, %u: tensor<2x3x2xf32>) -> (tensor<2x3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, tensor<2x3x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
    %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1, 2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3, 2>}> : (tensor<2x3x3xf32>, tensor<2x3xi32>) -> tensor<2x3x2xf32>
    %1 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1, 2], index_vector_dim = 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %2 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x3x3xf32>, tensor<2x3xi32>, tensor<2x3x2xf32>) -> tensor<2x3x3xf32>
    return %0, %1 : tensor<2x3x2xf32>, tensor<2x3x3xf32>
  }
}
// -----
// weft verify --fill 1=0
// The same with updates that are in range.
module {
  sdy.mesh @mesh = <["x"=3]>
  func.func @main(%a: tensor<2x3x3xf32>, %i: tensor<2x3xi32>, %u: tensor<2x3x2xf32>) -> (tensor<2x3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, tensor<2x3x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
    %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1, 2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3, 2>}> : (tensor<2x3x3xf32>, tensor<2x3xi32>) -> tensor<2x3x2xf32>
    %1 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1, 2], index_vector_dim = 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %2 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x3x3xf32>, tensor<2x3xi32>, tensor<2x3x2xf32>) -> tensor<2x3x3xf32>
    return %0, %1 : tensor<2x3x2xf32>, tensor<2x3x3xf32>
  }
}
// -----
// weft verify
// Shapes without a common divisor.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<2x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
}
