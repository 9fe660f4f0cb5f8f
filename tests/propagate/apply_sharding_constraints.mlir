// ===== a value takes what its only constraint asks
// --sdy-apply-sharding-constraints --sdy-drop-sharding-rules
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.tanh %x : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
    %2 = stablehlo.add %0, %1 : tensor<8xf32>
    %3 = sdy.sharding_constraint %x <@mesh, [{"b", ?}]> : tensor<8xf32>
    return %2, %3 : tensor<8xf32>, tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
    %2 = stablehlo.add %0, %1 : tensor<8xf32>
    %3 = sdy.sharding_constraint %arg0 <@mesh, [{"b", ?}]> : tensor<8xf32>
    return %2, %3 : tensor<8xf32>, tensor<8xf32>
  }
}
// ===== constraints that disagree bind nobody
// --sdy-apply-sharding-constraints --sdy-drop-sharding-rules
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.tanh %x : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
    %2 = sdy.sharding_constraint %0 <@mesh, [{"b"}]> : tensor<8xf32>
    return %1, %2 : tensor<8xf32>, tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.tanh %arg0 : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
    %2 = sdy.sharding_constraint %0 <@mesh, [{"b"}]> : tensor<8xf32>
    return %1, %2 : tensor<8xf32>, tensor<8xf32>
  }
}
// ===== later readers of a chain of constraints read its end
// --sdy-apply-sharding-constraints --sdy-drop-sharding-rules
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.tanh %x : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"b"}]> : tensor<8xf32>
    %3 = stablehlo.add %0, %2 : tensor<8xf32>
    %4 = stablehlo.multiply %0, %3 : tensor<8xf32>
    return %4, %0 : tensor<8xf32>, tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"b"}]> : tensor<8xf32>
    %3 = stablehlo.add %2, %2 : tensor<8xf32>
    %4 = stablehlo.multiply %2, %3 : tensor<8xf32>
    return %4, %0 : tensor<8xf32>, tensor<8xf32>
  }
}
// ===== on a value of an edge the constraint moves up
// --sdy-add-data-flow-edges --sdy-apply-sharding-constraints --sdy-drop-sharding-rules
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
    %7 = stablehlo.tanh %0#1 : tensor<8x4xf32>
    %8 = sdy.sharding_constraint %0#1 <@mesh, [{"a"}, {}]> : tensor<8x4xf32>
    return %7, %8 : tensor<8x4xf32>, tensor<8x4xf32>
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
      %7 = stablehlo.compare LT, %iterArg, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %7 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      %8 = stablehlo.add %iterArg_0, %iterArg_1 : tensor<8x4xf32>
      stablehlo.return %7, %8, %iterArg_1 : tensor<i32>, tensor<8x4xf32>, tensor<8x4xf32>
    }
    %2 = sdy.data_flow_edge %1#0 : tensor<i32>
    %3 = sdy.data_flow_edge %1#1 : tensor<8x4xf32>
    %4 = sdy.sharding_constraint %3 <@mesh, [{"a"}, {}]> : tensor<8x4xf32>
    %5 = sdy.data_flow_edge %1#2 : tensor<8x4xf32>
    %6 = stablehlo.tanh %4 : tensor<8x4xf32>
    return %6, %4 : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
// ===== a manual computation constrains its operands
// --sdy-add-data-flow-edges --sdy-apply-sharding-constraints --sdy-drop-sharding-rules
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}, %y: tensor<16x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.manual_computation(%x, %y) in_shardings=[<@mesh, [{"a"}, {}]>, <@mesh, [{}, {}], replicated={"a"}>] out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%p: tensor<4x16xf32>, %q: tensor<16x8xf32>) {
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
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"a"}>}) -> tensor<8x8xf32> {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"a"}, {}]>, <@mesh, [{}, {}], replicated={"a"}>] out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%arg2: tensor<4x16xf32>, %arg3: tensor<16x8xf32>) {
      %3 = sdy.data_flow_edge %arg2 sharding=<@mesh, [{}, {}]> : tensor<4x16xf32>
      %4 = sdy.data_flow_edge %arg3 sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
      %5 = stablehlo.dot_general %3, %4, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      sdy.return %5 : tensor<4x8xf32>
    } : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"a", ?}, {?}]> : tensor<8x8xf32>
    %2 = stablehlo.tanh %1 : tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
}
// ===== constraints that move to one place stand there last first
// --sdy-add-data-flow-edges --sdy-apply-sharding-constraints --sdy-drop-sharding-rules
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%x: tensor<8xf32>, %n: tensor<i32>) -> tensor<8xf32> {
    %0:3 = stablehlo.while(%p = %x, %q = %x, %i = %n) : tensor<8xf32>, tensor<8xf32>, tensor<i32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %1 = sdy.sharding_constraint %p <@mesh, [{"a"}]> : tensor<8xf32>
      %2 = stablehlo.tanh %1 : tensor<8xf32>
      %3 = sdy.sharding_constraint %q <@mesh, [{"b"}]> : tensor<8xf32>
      stablehlo.return %2, %3, %i : tensor<8xf32>, tensor<8xf32>, tensor<i32>
    }
    return %0#0 : tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> tensor<8xf32> {
    %0:3 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg0, %iterArg_1 = %arg1) : tensor<8xf32>, tensor<8xf32>, tensor<i32>
    cond {
      %4 = stablehlo.compare LT, %iterArg_1, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = sdy.sharding_constraint %iterArg_0 <@mesh, [{"b"}]> : tensor<8xf32>
      %5 = sdy.sharding_constraint %iterArg <@mesh, [{"a"}]> : tensor<8xf32>
      %6 = stablehlo.tanh %5 : tensor<8xf32>
      stablehlo.return %6, %4, %iterArg_1 : tensor<8xf32>, tensor<8xf32>, tensor<i32>
    }
    %1 = sdy.data_flow_edge %0#0 : tensor<8xf32>
    %2 = sdy.data_flow_edge %0#1 : tensor<8xf32>
    %3 = sdy.data_flow_edge %0#2 : tensor<i32>
    return %1 : tensor<8xf32>
  }
}
// ===== the first sharding of one of several results opens the others, which later constraints leave alone
// --sdy-apply-sharding-constraints
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %0:2 = stablehlo.custom_call @two(%arg0) : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
    %1 = sdy.sharding_constraint %0#0 <@mesh, [{"x"}, {}]> : tensor<4x4xf32>
    %2 = sdy.sharding_constraint %0#1 <@mesh, [{}, {"y"}]> : tensor<4x4xf32>
    return %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %0:2 = stablehlo.custom_call @two(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{?}, {?}]>]>} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
    %1 = sdy.sharding_constraint %0#0 <@mesh, [{"x"}, {}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=4}>} : tensor<4x4xf32>
    %2 = sdy.sharding_constraint %0#1 <@mesh, [{}, {"y"}]> : tensor<4x4xf32>
    return %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
  }
}
