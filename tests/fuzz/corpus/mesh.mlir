 sdy.mesh @m = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
func.func @f(%a: tensor<2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(1)2, ?}p1], replicated={"y"}>}) -> tensor<2xf32> {
  %0 = sdy.sharding_constraint %a <@m, [{}], unreduced={"y":(2)2}> : tensor<2xf32>
  return %a : tensor<2xf32>
}
