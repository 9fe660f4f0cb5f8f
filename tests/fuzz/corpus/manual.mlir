 sdy.mesh @m = <["x"=2]>
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%b: tensor<1xf32>) {
    sdy.return %b : tensor<1xf32>
  } : (tensor<2xf32>) -> tensor<2xf32>
  return %a : tensor<2xf32>
}
