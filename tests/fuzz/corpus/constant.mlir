 func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense<[1.0, 0xFF800000]> : tensor<2xf32>
  return %a : tensor<2xf32>
}
