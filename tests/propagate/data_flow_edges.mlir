// ===== a loop: edges in
// --sdy-add-data-flow-edges
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %n: tensor<i32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %y = stablehlo.tanh %x : tensor<8x4xf32>
    %0:3 = stablehlo.while(%i = %c, %s = %x, %t = %y) : tensor<i32>, tensor<8x4xf32>, tensor<8x4xf32> cond {
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %i, %one : tensor<i32>
      %2 = stablehlo.add %s, %t : tensor<8x4xf32>
      stablehlo.return %1, %2, %t : tensor<i32>, tensor<8x4xf32>, tensor<8x4xf32>
    }
    return %0#1, %0#2 : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %arg1: tensor<i32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.tanh %arg0 : tensor<8x4xf32>
    %1:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %0) : tensor<i32>, tensor<8x4xf32>, tensor<8x4xf32>
    cond {
      %5 = stablehlo.compare LT, %iterArg, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      %6 = stablehlo.add %iterArg_0, %iterArg_1 : tensor<8x4xf32>
      stablehlo.return %5, %6, %iterArg_1 : tensor<i32>, tensor<8x4xf32>, tensor<8x4xf32>
    }
    %2 = sdy.data_flow_edge %1#0 : tensor<i32>
    %3 = sdy.data_flow_edge %1#1 : tensor<8x4xf32>
    %4 = sdy.data_flow_edge %1#2 : tensor<8x4xf32>
    return %3, %4 : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
// ===== a loop: shardings over them
// --sdy-add-data-flow-edges --sdy-user-priority-propagate
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %n: tensor<i32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %y = stablehlo.tanh %x : tensor<8x4xf32>
    %0:3 = stablehlo.while(%i = %c, %s = %x, %t = %y) : tensor<i32>, tensor<8x4xf32>, tensor<8x4xf32> cond {
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %i, %one : tensor<i32>
      %2 = stablehlo.add %s, %t : tensor<8x4xf32>
      stablehlo.return %1, %2, %t : tensor<i32>, tensor<8x4xf32>, tensor<8x4xf32>
    }
    return %0#1, %0#2 : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %arg1: tensor<i32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x4xf32>
    %1:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %0) : tensor<i32>, tensor<8x4xf32>, tensor<8x4xf32>
    cond {
      %5 = stablehlo.compare LT, %iterArg, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      %6 = stablehlo.add %iterArg_0, %iterArg_1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x4xf32>
      stablehlo.return %5, %6, %iterArg_1 : tensor<i32>, tensor<8x4xf32>, tensor<8x4xf32>
    }
    %2 = sdy.data_flow_edge %1#0 : tensor<i32>
    %3 = sdy.data_flow_edge %1#1 sharding=<@mesh, [{"a", ?}, {?}]> : tensor<8x4xf32>
    %4 = sdy.data_flow_edge %1#2 sharding=<@mesh, [{"a", ?}, {?}]> : tensor<8x4xf32>
    return %3, %4 : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
// ===== a loop: back on the op
// --sdy-add-data-flow-edges --sdy-user-priority-propagate --sdy-sink-data-flow-edges
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %n: tensor<i32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %y = stablehlo.tanh %x : tensor<8x4xf32>
    %0:3 = stablehlo.while(%i = %c, %s = %x, %t = %y) : tensor<i32>, tensor<8x4xf32>, tensor<8x4xf32> cond {
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %i, %one : tensor<i32>
      %2 = stablehlo.add %s, %t : tensor<8x4xf32>
      stablehlo.return %1, %2, %t : tensor<i32>, tensor<8x4xf32>, tensor<8x4xf32>
    }
    return %0#1, %0#2 : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %arg1: tensor<i32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x4xf32>
    %1:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %0) : tensor<i32>, tensor<8x4xf32>, tensor<8x4xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"a", ?}, {?}]>, <@mesh, [{"a", ?}, {?}]>]>}
    cond {
      %2 = stablehlo.compare LT, %iterArg, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      %3 = stablehlo.add %iterArg_0, %iterArg_1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x4xf32>
      stablehlo.return %2, %3, %iterArg_1 : tensor<i32>, tensor<8x4xf32>, tensor<8x4xf32>
    }
    return %1#1, %1#2 : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
// ===== a manual computation: edges in
// --sdy-add-data-flow-edges
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}, %y: tensor<16x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.manual_computation(%x, %y) in_shardings=[<@mesh, [{"a", ?}, {?}]>, <@mesh, [{?}, {?}], replicated={"a"}>] out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%p: tensor<4x16xf32>, %q: tensor<16x8xf32>) {
      %1 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      sdy.return %1 : tensor<4x8xf32>
    } : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.tanh %0 : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}, %arg1: tensor<16x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"a", ?}, {?}]>, <@mesh, [{?}, {?}], replicated={"a"}>] out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%arg2: tensor<4x16xf32>, %arg3: tensor<16x8xf32>) {
      %3 = sdy.data_flow_edge %arg2 sharding=<@mesh, [{?}, {?}]> : tensor<4x16xf32>
      %4 = sdy.data_flow_edge %arg3 sharding=<@mesh, [{?}, {?}]> : tensor<16x8xf32>
      %5 = stablehlo.dot_general %3, %4, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      sdy.return %5 : tensor<4x8xf32>
    } : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"a", ?}, {?}]> : tensor<8x8xf32>
    %2 = stablehlo.tanh %1 : tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
}
// ===== a manual computation: shardings over them
// --sdy-add-data-flow-edges --sdy-user-priority-propagate
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}, %y: tensor<16x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.manual_computation(%x, %y) in_shardings=[<@mesh, [{"a", ?}, {?}]>, <@mesh, [{?}, {?}], replicated={"a"}>] out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%p: tensor<4x16xf32>, %q: tensor<16x8xf32>) {
      %1 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      sdy.return %1 : tensor<4x8xf32>
    } : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.tanh %0 : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"a", ?}, {?}]>, <@mesh, [{?}, {?}], replicated={"a"}>] out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%arg2: tensor<4x16xf32>, %arg3: tensor<16x8xf32>) {
      %3 = sdy.data_flow_edge %arg2 sharding=<@mesh, [{?}, {"b", ?}]> : tensor<4x16xf32>
      %4 = sdy.data_flow_edge %arg3 sharding=<@mesh, [{"b", ?}, {?}]> : tensor<16x8xf32>
      %5 = stablehlo.dot_general %3, %4, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      sdy.return %5 : tensor<4x8xf32>
    } : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"a", ?}, {?}]> : tensor<8x8xf32>
    %2 = stablehlo.tanh %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
}
// ===== a manual computation: back on the op
// --sdy-add-data-flow-edges --sdy-user-priority-propagate --sdy-sink-data-flow-edges
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}, %y: tensor<16x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.manual_computation(%x, %y) in_shardings=[<@mesh, [{"a", ?}, {?}]>, <@mesh, [{?}, {?}], replicated={"a"}>] out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%p: tensor<4x16xf32>, %q: tensor<16x8xf32>) {
      %1 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      sdy.return %1 : tensor<4x8xf32>
    } : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.tanh %0 : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"a", ?}, {"b", ?}]>, <@mesh, [{"b", ?}, {?}], replicated={"a"}>] out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%arg2: tensor<4x16xf32>, %arg3: tensor<16x8xf32>) {
      %2 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      sdy.return %2 : tensor<4x8xf32>
    } : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.tanh %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// ===== a branch and a barrier: edges in
// --sdy-add-data-flow-edges
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%i: tensor<i32>, %x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>) -> tensor<8xf32> {
    %0 = "stablehlo.case"(%i) ({
      stablehlo.return %x : tensor<8xf32>
    }, {
      %1 = stablehlo.tanh %y : tensor<8xf32>
      stablehlo.return %1 : tensor<8xf32>
    }) : (tensor<i32>) -> tensor<8xf32>
    %1:2 = stablehlo.optimization_barrier %0, %y : tensor<8xf32>, tensor<8xf32>
    return %1#0 : tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<i32>, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg2: tensor<8xf32>) -> tensor<8xf32> {
    %0 = "stablehlo.case"(%arg0) ({
      stablehlo.return %arg1 : tensor<8xf32>
    }, {
      %5 = stablehlo.tanh %arg2 : tensor<8xf32>
      stablehlo.return %5 : tensor<8xf32>
    }) : (tensor<i32>) -> tensor<8xf32>
    %1 = sdy.data_flow_edge %0 : tensor<8xf32>
    %2:2 = stablehlo.optimization_barrier %1, %arg2 : tensor<8xf32>, tensor<8xf32>
    %3 = sdy.data_flow_edge %2#0 : tensor<8xf32>
    %4 = sdy.data_flow_edge %2#1 : tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}
// ===== a branch and a barrier: shardings over them
// --sdy-add-data-flow-edges --sdy-user-priority-propagate
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%i: tensor<i32>, %x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>) -> tensor<8xf32> {
    %0 = "stablehlo.case"(%i) ({
      stablehlo.return %x : tensor<8xf32>
    }, {
      %1 = stablehlo.tanh %y : tensor<8xf32>
      stablehlo.return %1 : tensor<8xf32>
    }) : (tensor<i32>) -> tensor<8xf32>
    %1:2 = stablehlo.optimization_barrier %0, %y : tensor<8xf32>, tensor<8xf32>
    return %1#0 : tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<i32>, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) {
    %0 = "stablehlo.case"(%arg0) ({
      stablehlo.return %arg1 : tensor<8xf32>
    }, {
      %5 = stablehlo.tanh %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : tensor<8xf32>
      stablehlo.return %5 : tensor<8xf32>
    }) : (tensor<i32>) -> tensor<8xf32>
    %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"a", ?}]> : tensor<8xf32>
    %2:2 = stablehlo.optimization_barrier %1, %arg2 : tensor<8xf32>, tensor<8xf32>
    %3 = sdy.data_flow_edge %2#0 sharding=<@mesh, [{"a", ?}]> : tensor<8xf32>
    %4 = sdy.data_flow_edge %2#1 sharding=<@mesh, [{"a", ?}]> : tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}
// ===== a branch and a barrier: back on the op
// --sdy-add-data-flow-edges --sdy-user-priority-propagate --sdy-sink-data-flow-edges
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%i: tensor<i32>, %x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>) -> tensor<8xf32> {
    %0 = "stablehlo.case"(%i) ({
      stablehlo.return %x : tensor<8xf32>
    }, {
      %1 = stablehlo.tanh %y : tensor<8xf32>
      stablehlo.return %1 : tensor<8xf32>
    }) : (tensor<i32>) -> tensor<8xf32>
    %1:2 = stablehlo.optimization_barrier %0, %y : tensor<8xf32>, tensor<8xf32>
    return %1#0 : tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<i32>, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) {
    %0 = "stablehlo.case"(%arg0) ({
      stablehlo.return %arg1 : tensor<8xf32>
    }, {
      %2 = stablehlo.tanh %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : tensor<8xf32>
      stablehlo.return %2 : tensor<8xf32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : (tensor<i32>) -> tensor<8xf32>
    %1:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>, <@mesh, [{"a", ?}]>]>} %0, %arg2 : tensor<8xf32>, tensor<8xf32>
    return %1#0 : tensor<8xf32>
  }
}
// ===== shardings cross calls by the edges of functions, both ways and from every caller
// --sdy-user-priority-propagate
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %y: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b"}]>}) {
    %0 = stablehlo.tanh %x : tensor<8x8xf32>
    %1 = call @f(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = sdy.func_data_flow_edge %1 : tensor<8x8xf32>
    %3 = call @f(%y) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %4 = sdy.func_data_flow_edge %3 : tensor<8x8xf32>
    return %2, %4 : tensor<8x8xf32>, tensor<8x8xf32>
  }
  func.func private @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.func_data_flow_edge %a : tensor<8x8xf32>
    %1 = stablehlo.sine %0 : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
  func.func private @nobody(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.func_data_flow_edge %a : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b"}]>}) {
    %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x8xf32>
    %1 = call @f(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = sdy.func_data_flow_edge %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x8xf32>
    %3 = call @f(%arg1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %4 = sdy.func_data_flow_edge %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x8xf32>
    return %2, %4 : tensor<8x8xf32>, tensor<8x8xf32>
  }
  func.func private @f(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.func_data_flow_edge %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x8xf32>
    %1 = stablehlo.sine %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
  func.func private @nobody(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.func_data_flow_edge %arg0 : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
