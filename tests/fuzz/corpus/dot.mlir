 func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  return %a : tensor<2xf32>
}
