// ===== who asked through products, both ways
// --sdy-add-data-flow-edges --sdy-apply-sharding-constraints=debug-sharding-origins=true --sdy-user-priority-propagate=debug-sharding-origins=true --sdy-sink-data-flow-edges=sink-debug-sharding-origins=true
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}, %arg1: tensor<16x4xf32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}]>}) {
    %0 = stablehlo.tanh %arg0 : tensor<8x16xf32>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>, sdy.sharding_origins = {x = "self"}}, %arg1: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}]>, sdy.sharding_origins = {y = "output: 0"}}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}]>, sdy.sharding_origins = {x = "input: 0", y = "self"}}) {
    %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>, sdy.sharding_origins = [{x = "input: 0"}]} : tensor<8x16xf32>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {"y", ?}]>]>, sdy.sharding_origins = [{x = "input: 0", y = "output: 0"}]} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}
// ===== what passed through products, both ways
// --sdy-add-data-flow-edges --sdy-apply-sharding-constraints=debug-propagation-edge-sharding=true --sdy-user-priority-propagate=debug-propagation-edge-sharding=true --sdy-sink-data-flow-edges=sink-debug-propagation-edge-sharding=true
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}, %arg1: tensor<16x4xf32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}]>}) {
    %0 = stablehlo.tanh %arg0 : tensor<8x16xf32>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}, %arg1: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}]>}) -> (tensor<8x4xf32> {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"y" = result-0 -> [operand-0]}]}, {step-3 = [{"x" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}]>}) {
    %0 = stablehlo.tanh %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"x" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>} : tensor<8x16xf32>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] {sdy.propagation_edges = #sdy.propagation_edges<[{step-2 = [{"x" = operand-0 -> [result-0]}, {"y" = result-0 -> [operand-1]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {"y", ?}]>]>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}
// ===== who asked from constraints, and where axes are put together
// --sdy-add-data-flow-edges --sdy-apply-sharding-constraints=debug-sharding-origins=true --sdy-user-priority-propagate=debug-sharding-origins=true --sdy-sink-data-flow-edges=sink-debug-sharding-origins=true
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<64xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<8x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"y":(1)2}, {}]> : tensor<8x8xf32>
    %2 = stablehlo.multiply %1, %1 : tensor<8x8xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{?}, {"x", ?}]> : tensor<8x8xf32>
    %4 = stablehlo.reshape %3 : (tensor<8x8xf32>) -> tensor<64xf32>
    return %2, %4 : tensor<8x8xf32>, tensor<64xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, ?}, {?}]>, sdy.sharding_origins = {"y:(1)2" = "constraint_0"}}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, ?}, {"x", ?}]>, sdy.sharding_origins = {x = "constraint_1", "y:(1)2" = "constraint_0"}}, tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, ?}]>, sdy.sharding_origins = {x = "constraint_1", "y:(1)2" = "constraint_0"}}) {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y":(1)2}, {}]>]>, sdy.sharding_origins = [{"y:(1)2" = "constraint_0"}]} : tensor<8x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"y":(1)2}, {}]> {sdy.sharding_origin_name = "constraint_0", sdy.sharding_origins = {"y:(1)2" = "self"}} : tensor<8x8xf32>
    %2 = stablehlo.multiply %1, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y":(1)2, ?}, {"x", ?}]>]>, sdy.sharding_origins = [{x = "constraint_1", "y:(1)2" = "constraint_0"}]} : tensor<8x8xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{"y":(1)2, ?}, {"x", ?}]> {sdy.sharding_origin_name = "constraint_1", sdy.sharding_origins = {x = "self", "y:(1)2" = "constraint_0"}} : tensor<8x8xf32>
    %4 = stablehlo.reshape %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y":(1)2, ?}]>]>, sdy.sharding_origins = [{x = "constraint_1", "y:(1)2" = "constraint_0"}]} : (tensor<8x8xf32>) -> tensor<64xf32>
    return %2, %4 : tensor<8x8xf32>, tensor<64xf32>
  }
}
// ===== what passed from constraints, and where axes are put together
// --sdy-add-data-flow-edges --sdy-apply-sharding-constraints=debug-propagation-edge-sharding=true --sdy-user-priority-propagate=debug-propagation-edge-sharding=true --sdy-sink-data-flow-edges=sink-debug-propagation-edge-sharding=true
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<64xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<8x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"y":(1)2}, {}]> : tensor<8x8xf32>
    %2 = stablehlo.multiply %1, %1 : tensor<8x8xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{?}, {"x", ?}]> : tensor<8x8xf32>
    %4 = stablehlo.reshape %3 : (tensor<8x8xf32>) -> tensor<64xf32>
    return %2, %4 : tensor<8x8xf32>, tensor<64xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, ?}, {?}]>}) -> (tensor<8x8xf32> {sdy.propagation_edges = #sdy.propagation_edges<[{step-5 = [{"x" = operand-0 -> [result-0]}, {"y":(1)2 = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, ?}, {"x", ?}]>}, tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, ?}]>}) {
    %0 = stablehlo.negate %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"y":(1)2 = result-0 -> [operand-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y":(1)2}, {}]>]>} : tensor<8x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"y":(1)2}, {}]> {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"y":(1)2 = result-0 -> [operand-0]}]}]>} : tensor<8x8xf32>
    %2 = stablehlo.multiply %1, %1 {sdy.propagation_edges = #sdy.propagation_edges<[{step-2 = [{"y":(1)2 = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y":(1)2, ?}, {"x", ?}]>]>} : tensor<8x8xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{"y":(1)2, ?}, {"x", ?}]> {sdy.propagation_edges = #sdy.propagation_edges<[{step-3 = [{"x" = result-0 -> [operand-0]}, {"y":(1)2 = operand-0 -> [result-0]}]}]>} : tensor<8x8xf32>
    %4 = stablehlo.reshape %3 {sdy.propagation_edges = #sdy.propagation_edges<[{step-4 = [{"x" = operand-0 -> [result-0]}, {"y":(1)2 = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y":(1)2, ?}]>]>} : (tensor<8x8xf32>) -> tensor<64xf32>
    return %2, %4 : tensor<8x8xf32>, tensor<64xf32>
  }
}
// ===== who asked into and out of a manual computation
// --sdy-add-data-flow-edges --sdy-apply-sharding-constraints=debug-sharding-origins=true --sdy-user-priority-propagate=debug-sharding-origins=true --sdy-sink-data-flow-edges=sink-debug-sharding-origins=true
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", ?}, {?}]>] out_shardings=[<@mesh, [{"x", ?}, {"y", ?}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
      %2 = stablehlo.abs %arg1 : tensor<4x8xf32>
      sdy.return %2 : tensor<4x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.negate %0 : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}]>, sdy.sharding_origins = {x = "mc_0_input: 0", y = "mc_0_output: 0"}}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}]>, sdy.sharding_origins = {x = "mc_0_output: 0", y = "mc_0_output: 0"}}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", ?}, {"y", ?}]>] out_shardings=[<@mesh, [{"x", ?}, {"y", ?}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
      %2 = stablehlo.abs %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"y", ?}]>]>, sdy.sharding_origins = [{y = "mc_0_output: 0"}]} : tensor<4x8xf32>
      sdy.return %2 : tensor<4x8xf32>
    } {sdy.block_arg_sharding_origins = [{x = "self", y = "mc_0_output: 0"}], sdy.result_sharding_origins = [{x = "self", y = "self"}], sdy.sharding_origin_name = "mc_0"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {"y", ?}]>]>, sdy.sharding_origins = [{x = "mc_0_output: 0", y = "mc_0_output: 0"}]} : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// ===== what passed into and out of a manual computation
// --sdy-add-data-flow-edges --sdy-apply-sharding-constraints=debug-propagation-edge-sharding=true --sdy-user-priority-propagate=debug-propagation-edge-sharding=true --sdy-sink-data-flow-edges=sink-debug-propagation-edge-sharding=true
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", ?}, {?}]>] out_shardings=[<@mesh, [{"x", ?}, {"y", ?}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
      %2 = stablehlo.abs %arg1 : tensor<4x8xf32>
      sdy.return %2 : tensor<4x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.negate %0 : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}]>}) -> (tensor<8x8xf32> {sdy.propagation_edges = #sdy.propagation_edges<[{step-5 = [{"x" = operand-0 -> [result-0]}, {"y" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}]>}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", ?}, {"y", ?}]>] out_shardings=[<@mesh, [{"x", ?}, {"y", ?}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
      %2 = stablehlo.abs %arg1 {sdy.propagation_edges = #sdy.propagation_edges<[{step-2 = [{"y" = result-0 -> [operand-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"y", ?}]>]>} : tensor<4x8xf32>
      sdy.return %2 : tensor<4x8xf32>
    } {sdy.block_arg_propagation_edges = [#sdy.propagation_edges<[{step-0 = [{"x" = result-0 -> [operand-0]}]}, {step-3 = [{"y" = result-0 -> [operand-0]}]}]>], sdy.result_propagation_edges = [#sdy.propagation_edges<[{step-1 = [{"y" = result-0 -> [operand-0]}]}]>]} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.negate %0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-4 = [{"x" = operand-0 -> [result-0]}, {"y" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {"y", ?}]>]>} : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
