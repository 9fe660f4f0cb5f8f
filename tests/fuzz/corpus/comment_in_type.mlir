
// error 5:8 pected the kernel's output feature dimension 3
!q = !quant.uniform<i9:f32, 0.5>
!w = !quant.uniform<//:f32:0, {0.5, 0.25, 1.0}>
func.func @f(%a: tensor<1x8x8x2x!q>, %b: tensor<3x3x2x4x!w>) {
  %0 = "stablehlo.colvolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x8x8x2x!q>, tensor<3x3x2x4x!w>) -> tensor<1x6x6x4x!q>
  return
}

