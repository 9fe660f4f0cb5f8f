 func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense<> : tensor<0xi1>
  return %a : tensor<2xf32>
}
