 func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @t(%a) {backend_config = "x\22", api_version = 2 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return %a : tensor<2xf32>
}
