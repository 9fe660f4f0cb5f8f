 func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense<"0x0000803F00000040"> : tensor<2xf32>
  return %a : tensor<2xf32>
}
