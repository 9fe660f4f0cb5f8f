 func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.compare LT, %a, %a, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %a : tensor<2xf32>
}
