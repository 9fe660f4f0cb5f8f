// ===== inlined and equal meshes
// --sdy-lift-inlined-meshes
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  sdy.mesh @again = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@again, [{"a"}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["k"=4]>, [{"k"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=2, "b"=2, "c"=4]>, [{"c"}]>}) {
    %0 = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<mesh<["k"=4], device_ids=[3, 2, 1, 0]>, [{?}]>]>} : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 2 : i64}, {name = "c", size = 4 : i64}]}}
  sdy.mesh @mesh_0 = <["k"=4]> {stablehlo.mesh = {axes = [{name = "k", size = 4 : i64}]}}
  sdy.mesh @mesh_1 = <["k"=4], device_ids=[3, 2, 1, 0]> {stablehlo.mesh = {axes = [{name = "k", size = 4 : i64}], device_ids = dense<[3, 2, 1, 0]> : tensor<4xi64>}}
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"k"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) {
    %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh_1, [{?}]>]>} : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
