// ===== groups with a common value become one
// --sdy-sharding-group-import
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
    sdy.sharding_group %x group_id=7 : tensor<8xf32>
    sdy.sharding_group %y group_id=7 : tensor<8xf32>
    sdy.sharding_group %y group_id=3 : tensor<8xf32>
    sdy.sharding_group %z group_id=5 : tensor<8xf32>
    sdy.sharding_group %z group_id=5 : tensor<8xf32>
    %0 = stablehlo.tanh %y : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) -> tensor<8xf32> {
    sdy.sharding_group %arg0 group_id=0 : tensor<8xf32>
    sdy.sharding_group %arg1 group_id=0 : tensor<8xf32>
    sdy.sharding_group %arg2 group_id=1 : tensor<8xf32>
    %0 = stablehlo.tanh %arg1 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ===== all members are sharded alike
// --sdy-sharding-group-import --sdy-user-priority-propagate
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
    sdy.sharding_group %x group_id=7 : tensor<8xf32>
    sdy.sharding_group %y group_id=7 : tensor<8xf32>
    sdy.sharding_group %y group_id=3 : tensor<8xf32>
    sdy.sharding_group %z group_id=5 : tensor<8xf32>
    sdy.sharding_group %z group_id=5 : tensor<8xf32>
    %0 = stablehlo.tanh %y : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg2: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) {
    sdy.sharding_group %arg0 group_id=0 : tensor<8xf32>
    sdy.sharding_group %arg1 group_id=0 : tensor<8xf32>
    sdy.sharding_group %arg2 group_id=1 : tensor<8xf32>
    %0 = stablehlo.tanh %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ===== and are forgotten
// --sdy-sharding-group-import --sdy-user-priority-propagate --sdy-remove-sharding-groups
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
    sdy.sharding_group %x group_id=7 : tensor<8xf32>
    sdy.sharding_group %y group_id=7 : tensor<8xf32>
    sdy.sharding_group %y group_id=3 : tensor<8xf32>
    sdy.sharding_group %z group_id=5 : tensor<8xf32>
    sdy.sharding_group %z group_id=5 : tensor<8xf32>
    %0 = stablehlo.tanh %y : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg2: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) {
    %0 = stablehlo.tanh %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ===== members of a group with an edge get what the edge's sources see: no manual axes
// --sdy-add-data-flow-edges --sdy-sharding-group-import --sdy-basic-propagate
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
    sdy.sharding_group %x group_id=0 : tensor<8x8xf32>
    %0 = sdy.manual_computation(%y) in_shardings=[<@mesh, [{"a"}, {"c"}], replicated={"b"}>] out_shardings=[<@mesh, [{"a"}, {?}], replicated={"b"}>] manual_axes={"b"} (%z: tensor<8x8xf32>) {
      sdy.return %z : tensor<8x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    sdy.sharding_group %0 group_id=0 : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c", ?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"c", ?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"c", ?}]>}) {
    sdy.sharding_group %arg0 group_id=0 : tensor<8x8xf32>
    %0 = sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{"a"}, {"c"}], replicated={"b"}>] out_shardings=[<@mesh, [{"a"}, {?}], replicated={"b"}>] manual_axes={"b"} (%arg2: tensor<8x8xf32>) {
      %2 = sdy.data_flow_edge %arg2 sharding=<@mesh, [{"a"}, {"c"}]> : tensor<8x8xf32>
      sdy.return %2 : tensor<8x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"a"}, {"c", ?}], replicated={"b"}> : tensor<8x8xf32>
    sdy.sharding_group %1 group_id=0 : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
