
func.func @f(%a: tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @g(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([ÿ<2xf32>
  return
}
