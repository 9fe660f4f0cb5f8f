// ===== constraints become reshards
// --sdy-sharding-constraint-to-reshard
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.sharding_constraint %x <@mesh, [{"a", ?}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"a", ?}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
