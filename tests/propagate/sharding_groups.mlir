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
// ===== groups that meet at the edge of a loop are one: what the loop has, the other members of both get
// --sdy-add-data-flow-edges --sdy-sharding-group-import --sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %y: tensor<8x8xf32>, %z: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %p = stablehlo.sine %y : tensor<8x8xf32>
  %q = stablehlo.cosine %z : tensor<8x8xf32>
  sdy.sharding_group %p group_id = 0 : tensor<8x8xf32>
  sdy.sharding_group %q group_id = 1 : tensor<8x8xf32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<8x8xf32>
  cond {
    %n = stablehlo.constant dense<7> : tensor<i32>
    %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    sdy.sharding_group %v group_id = 0 : tensor<8x8xf32>
    %w = stablehlo.tanh %v : tensor<8x8xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %w : tensor<i32>, tensor<8x8xf32>
  }
  sdy.sharding_group %r#1 group_id = 1 : tensor<8x8xf32>
  %s = stablehlo.add %p, %q : tensor<8x8xf32>
  %t = stablehlo.multiply %s, %r#1 : tensor<8x8xf32>
  return %t : tensor<8x8xf32>
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.sine %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x8xf32>
    %1 = stablehlo.cosine %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x8xf32>
    sdy.sharding_group %0 group_id=0 : tensor<8x8xf32>
    sdy.sharding_group %1 group_id=1 : tensor<8x8xf32>
    %2:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<8x8xf32>
    cond {
      %c_1 = stablehlo.constant dense<7> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      sdy.sharding_group %iterArg_0 group_id=0 : tensor<8x8xf32>
      %7 = stablehlo.tanh %iterArg_0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x8xf32>
      %8 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      stablehlo.return %8, %7 : tensor<i32>, tensor<8x8xf32>
    }
    %3 = sdy.data_flow_edge %2#0 : tensor<i32>
    %4 = sdy.data_flow_edge %2#1 sharding=<@mesh, [{"a", ?}, {?}]> : tensor<8x8xf32>
    sdy.sharding_group %4 group_id=1 : tensor<8x8xf32>
    %5 = stablehlo.add %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x8xf32>
    %6 = stablehlo.multiply %5, %4 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x8xf32>
    return %6 : tensor<8x8xf32>
  }
}
// ===== a group of three of which the second differs: all are loosened
// --sdy-sharding-group-import --sdy-basic-propagate
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}, {?}]>}, %z: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> tensor<8x8xf32> {
    sdy.sharding_group %x group_id = 0 : tensor<8x8xf32>
    sdy.sharding_group %y group_id = 0 : tensor<8x8xf32>
    sdy.sharding_group %z group_id = 0 : tensor<8x8xf32>
    %0 = stablehlo.add %x, %z : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}, {?}]>}, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
    %0 = sdy.sharding_constraint %arg2 <@mesh, [{"a", ?}, {?}]> : tensor<8x8xf32>
    %1 = sdy.sharding_constraint %arg1 <@mesh, [{"a", ?}, {?}]> : tensor<8x8xf32>
    %2 = sdy.sharding_constraint %arg0 <@mesh, [{"a", ?}, {?}]> : tensor<8x8xf32>
    sdy.sharding_group %2 group_id=0 : tensor<8x8xf32>
    sdy.sharding_group %1 group_id=0 : tensor<8x8xf32>
    sdy.sharding_group %0 group_id=0 : tensor<8x8xf32>
    %3 = stablehlo.add %2, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x8xf32>
    return %3 : tensor<8x8xf32>
  }
}
