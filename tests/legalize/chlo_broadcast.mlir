// weft opt --weft-expand-chlo-broadcasts
// Shapes are aligned at their ends, or placed by broadcast_dimensions; a sharding goes to the op that is left.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2xf32>, %arg3: tensor<f32>, %arg4: tensor<2x1xf32>, %arg5: tensor<i1>) -> (tensor<2x3xf32>, tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xcomplex<f32>>) {
    %0 = chlo.broadcast_add %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %1 = chlo.broadcast_multiply %arg2, %0 {broadcast_dimensions = array<i64: 0>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %2 = chlo.broadcast_zeta %1, %arg3 : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %3 = chlo.broadcast_compare %arg4, %2 {compare_type = #chlo<comparison_type TOTALORDER>, comparison_direction = #chlo<comparison_direction LE>} : (tensor<2x1xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %4 = chlo.broadcast_select %arg5, %arg1, %arg4 : (tensor<i1>, tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
    %5 = chlo.broadcast_complex %arg3, %4 : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
    return %1, %3, %4, %5 : tensor<2x3xf32>, tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xcomplex<f32>>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2xf32>, %arg3: tensor<f32>, %arg4: tensor<2x1xf32>, %arg5: tensor<i1>) -> (tensor<2x3xf32>, tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xcomplex<f32>>) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<2x3xf32>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
    %3 = stablehlo.multiply %2, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<2x3xf32>
    %4 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %5 = chlo.zeta %3, %4 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    %6 = stablehlo.broadcast_in_dim %arg4, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x3xf32>
    %7 = stablehlo.compare LE, %6, %5, TOTALORDER : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %8 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<i1>) -> tensor<2x3xi1>
    %9 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %10 = stablehlo.broadcast_in_dim %arg4, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x3xf32>
    %11 = stablehlo.select %8, %9, %10 : tensor<2x3xi1>, tensor<2x3xf32>
    %12 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %13 = stablehlo.complex %12, %11 : tensor<2x3xcomplex<f32>>
    return %3, %7, %11, %13 : tensor<2x3xf32>, tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xcomplex<f32>>
  }
}
