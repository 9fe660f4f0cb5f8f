// ===== axes of size 1
// --sdy-remove-size-one-axes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  sdy.mesh @ones = <["p"=1, "q"=4]>
  func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@ones, [{"p", "q"}, {?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@ones, [{"p"}p1, {?}], replicated={"q"}>}) -> tensor<8x8xf32> {
    %0 = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@ones, [{}, {"p", ?}]>]>} : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  sdy.mesh @ones = <["p"=1, "q"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@ones, [{"q"}, {?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@ones, [{}, {?}], replicated={"q"}>}) -> tensor<8x8xf32> {
    %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@ones, [{}, {?}]>]>} : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
