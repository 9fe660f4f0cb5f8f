 func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense<(1.0,-2.5)> : tensor<2xcomplex<f32>>
  return %a : tensor<2xf32>
}
