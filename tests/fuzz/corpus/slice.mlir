 func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.slice %a [0:2:2] : (tensor<2xf32>) -> tensor<1xf32>
  return %a : tensor<2xf32>
}
