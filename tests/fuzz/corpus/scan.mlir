 func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0:2 = chlo.scan(%a) inits(%a) dimension = 0 {
  ^bb0(%x: tensor<f32>, %c: tensor<2xf32>):
    stablehlo.return %x, %c : tensor<f32>, tensor<2xf32>
  } : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %a : tensor<2xf32>
}
