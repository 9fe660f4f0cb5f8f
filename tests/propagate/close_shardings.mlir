// ===== every dimension closed, replicated axes gone
// --sdy-close-shardings
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%x: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", ?}, {"b", ?}]>}, %y: tensor<6x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}, {"c", ?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c":(1)2, ?}, {"c":(2)2, ?}]>}) {
    %0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c":(1)2, ?}, {?}], replicated={"b"}, unreduced={"a"}>]>} dense<0.0> : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {"b"}]>}, %arg1: tensor<6x9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {"c"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c":(1)2}, {"c":(2)2}]>}) {
    %cst = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c":(1)2}, {}], unreduced={"a"}>]>} dense<0.000000e+00> : tensor<8x8xf32>
    return %cst : tensor<8x8xf32>
  }
}
