// What the verifier says of meshes, shardings, rules, and the ops of sdy. Each case is a module that is read alone; "error" gives line, column and message.

// -----
// error 2:18 custom op 'sdy.mesh' duplicate axis name: "x"
sdy.mesh @mesh = <["x"=2, "x"=4]>

// -----
// error 2:25 custom op 'sdy.mesh' axis size must be at least 1, got: 0
sdy.mesh @mesh = <["x"=0]>

// -----
// error 2:18 custom op 'sdy.mesh' sorted device ids must be iota(product(axes)), got: 0, 0
sdy.mesh @mesh = <["x"=2], device_ids=[0, 0]>

// -----
// error 2:18 custom op 'sdy.mesh' sorted device ids must be iota(product(axes)), got: 0, 2
sdy.mesh @mesh = <["x"=2], device_ids=[0, 2]>

// -----
// error 2:18 custom op 'sdy.mesh' total product of axis sizes must match total number of device ids, got: 2 != 1
sdy.mesh @mesh = <["x"=2], device_ids=[1]>

// -----
// error 2:18 custom op 'sdy.mesh' axes is empty and device_ids has more than one element
sdy.mesh @mesh = <[], device_ids=[0, 1]>

// -----
// error 2:18 custom op 'sdy.mesh' the mesh has too many devices
sdy.mesh @mesh = <["x"=9223372036854775807, "y"=3]>

// -----
// error 3:1 'sdy.mesh': symbol '@mesh' is already defined
sdy.mesh @mesh = <["x"=2, "y"=4]>
sdy.mesh @mesh = <["x"=2, "y"=4]>

// -----
// error 3:1 'func.func' op arg 0 - unknown mesh: @nomesh; did you mean 'mesh'?
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@nomesh, [{}, {}]>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - unknown axis name: "z"
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}]>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - sharding doesn't match tensor rank: 1 != 2
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - duplicate axis ref: "x"
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"x"}]>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - duplicate axis ref: "x"
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "x"}, {}]>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - both sub-axis and full-axis are used for axis name: "y"
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, "y"}, {}]>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - duplicate axis ref: "y":(1)2
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2}, {"y":(1)2}]>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - two consecutive sub-axes can be merged: "y":(1)2, "y":(2)2
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, "y":(2)2}, {}]>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - sub-axis next pre-size 3 doesn't divide the size of the full axis 4: "y":(1)3
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)3}, {}]>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - sub-axis size is equal to the full axis size: "y":(1)4
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)4}, {}]>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - sub-axis next pre-size 8 doesn't divide the size of the full axis 4: "y":(2)4
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)4}, {}]>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - sub-axis pre-size must be at least 1: "y":(0)2
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(0)2}, {}]>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - sub-axis sizes must be greater than 1: "y":(2)1
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)1}, {}]>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - duplicate axis ref: "x"
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], replicated={"x"}>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - replicated axes are not ordered w.r.t. mesh
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"y", "x"}>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - unreduced axes are not ordered w.r.t. mesh
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y", "x"}>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - duplicate axis ref: "x"
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"x"}, unreduced={"x"}>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - dim 0 is empty and closed but has a priority
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}p1, {}]>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - unknown axis name: "w"
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"w"}, {}], replicated={"x"}>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - non-shaped tensors can only have a sharding with rank 0 and no replicated or unreduced axes. type: '!stablehlo.token'
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: !stablehlo.token {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - unknown axis name: "q"
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"q"}>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - a maximal sharding can only have a sharding with rank 0 and no replicated or unreduced axes
sdy.mesh @mesh = <[], device_ids=[3]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  return
}

// -----
// error 3:1 'func.func' op result 0 - unknown axis name: "z"
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}) {
  return %a : tensor<8xf32>
}

// -----
// error 3:1 'func.func' op arg 0 - should have a sharding attribute of type TensorShardingAttr
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = 1 : i32}) {
  return
}

// -----
// error 4:8 'stablehlo.negate' op should have a sharding attribute of type TensorShardingPerValueAttr
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>} : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'stablehlo.negate' op result shardings don't match number of values: 2 shardings vs 1 values
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>, <@mesh, [{}, {}]>]>} : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'stablehlo.negate' op result - unknown axis name: "q"
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"q"}, {}]>]>} : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.sharding_constraint' op sharding doesn't match tensor rank: 1 != 2
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) {
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.reshard' op duplicate axis ref: "x"
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) {
  %0 = sdy.reshard %a <@mesh, [{"x"}, {"x"}]> : tensor<8x8xf32>
  return
}

// -----
// error 3:8 'stablehlo.custom_call' op result - mapping rank must match: 2 != 1
func.func @f(%a: tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @g(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=2, j=3}>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.custom_call' op number of operands and mappings must match: 1 != 2
func.func @f(%a: tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @g(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i])->([i]) {i=2, j=3}>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.custom_call' op operand - cannot reuse factors for the same tensor value
func.func @f(%a: tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @g(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, i])->([i]) {i=2}>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.custom_call' op has factor k=4 that isn't used in operand and result mappings
func.func @f(%a: tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @g(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i]) {i=2, j=3, k=4}>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.custom_call' op reduction factor cannot be in result mappings
func.func @f(%a: tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @g(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i]) {i=2, j=3} reduction={i}>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.custom_call' op a factor can only be in one of the reduction, need replication, or permutation factor sets
func.func @f(%a: tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @g(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i]) {i=2, j=3} reduction={j} need_replication={j}>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----
// error 4:8 'sdy.manual_computation' op operand shape, corresponding sharding, and region operand shape at index 0 must match. Expected local shape 'tensor<4x8xf32>', actual local shape 'tensor<8x8xf32>'
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<8x8xf32>) {
    sdy.return %b : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// error 4:8 'sdy.manual_computation' op result shape, corresponding sharding, and region result shape at index 0 must match. Expected local shape 'tensor<8x4xf32>', actual local shape 'tensor<4x8xf32>'
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {"x"}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
    sdy.return %b : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// error 4:8 'sdy.manual_computation' op unknown manual axis: "z"
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"z"} (%b: tensor<8x8xf32>) {
    sdy.return %b : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// error 4:8 'sdy.manual_computation' op operand sharding at index 0 must have all manual axes come before free axes in its dimension sharding at index 0. Saw manual axis "y" after free axis "x"
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x", "y"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"y"} (%b: tensor<2x8xf32>) {
    sdy.return %b : tensor<2x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// error 4:8 'sdy.manual_computation' op operand shardings don't match number of values: 2 shardings vs 1 values
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
    sdy.return %b : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// error 5:10 'sdy.sharding_constraint' op operates on axis "x" which is already bound by a parent sdy.manual_computation op
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
    %1 = sdy.sharding_constraint %b <@mesh, [{"x"}, {}]> : tensor<4x8xf32>
    sdy.return %b : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// error 4:8 'sdy.propagation_barrier' op cannot specify `BOTH` as the direction. Not blocking propagation direction makes the op redundant.
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32>) {
  %0 = sdy.propagation_barrier %a allowed_direction=BOTH : tensor<8xf32>
  return
}

// -----
// error 3:10 'sdy.named_computation' op inferred type(s) 'tensor<8xf32>', 'tensor<8xf32>' are incompatible with return type(s) of operation 'tensor<8xf32>', 'tensor<4xf32>'
func.func @f(%a: tensor<8xf32>) -> tensor<4xf32> {
  %0:2 = sdy.named_computation<"foo">(%a) (%b: tensor<8xf32>) {
    sdy.return %b, %b : tensor<8xf32>, tensor<8xf32>
  } : (tensor<8xf32>) -> (tensor<8xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// -----
// error 4:8 'sdy.func_data_flow_edge' op expected operand of sdy.func_data_flow_edge to be a result of call op.
func.func @f(%a: tensor<8xf32>) {
  %0 = stablehlo.negate %a : tensor<8xf32>
  %1 = sdy.func_data_flow_edge %0 : tensor<8xf32>
  return
}

// -----
// error 4:5 'sdy.return' op using value defined outside the region
func.func @f(%a: tensor<8xf32>) {
  %0 = sdy.named_computation<"g">(%a) (%b: tensor<8xf32>) {
    sdy.return %a : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----
// error 3:8 'sdy.named_computation' op expected the type of the 0'th block argument to match the type of the corresponding operand: 'tensor<4xf32>' vs 'tensor<8xf32>'
func.func @f(%a: tensor<8xf32>) {
  %0 = sdy.named_computation<"g">(%a) (%b: tensor<4xf32>) {
    sdy.return %b : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----
// error 4:8 'sdy.all_gather' op collective on operand without sharding
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) {
  %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_gather' op can't apply gathering axis "x" to operand sharding on dimension 0
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_gather' op result sharding doesn't match expected sharding ["x"] on dimension 0
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) {
  %0 = sdy.all_gather [{"y"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_gather' op result sharding has rank 2 but collective axes has rank 1
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_slice' op result sharding doesn't match expected sharding ["x"] on dimension 0
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = sdy.all_slice [{"x"}, {}] %a out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_to_all' op can't apply all-to-all axis "y" to operand sharding on dimension 0
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = sdy.all_to_all [{"y"}: 0->1] %a out_sharding=<@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_to_all' op overlapping source/target dimensions in all-to-all params: 0
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = sdy.all_to_all [{"x"}: 0->0] %a out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_to_all' op target dimension 2 is out of range [0, 2)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = sdy.all_to_all [{"x"}: 0->2] %a out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_to_all' op result sharding doesn't match expected sharding [] on dimension 0
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = sdy.all_to_all [{"x"}: 0->1] %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.collective_permute' op sharded size of result doesn't match operand on dimension 0: 4 != 2
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = sdy.collective_permute %a out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_reduce' op reduction axis "x" overlaps with operand dimension sharding or replicated axes
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = sdy.all_reduce {"x"} %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_reduce' op reduction axes are not ordered w.r.t. mesh
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = sdy.all_reduce {"y", "x"} %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_reduce' op reduction axis "x" overlaps with result unreduced axes
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
  %0 = sdy.all_reduce {"x"} %a out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_reduce' op cannot add new unreduced axis 'y'.
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = sdy.all_reduce {"x"} %a out_sharding=<@mesh, [{}, {}], unreduced={"y"}> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.reduce_scatter' op result sharding doesn't match expected sharding ["x"] on dimension 0
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
  %0 = sdy.reduce_scatter [{"x"}, {}] %a out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.sharded_to_unreduced' op out_unreduced_axes should be in_unreduced_axes + sharded_to_unreduced_axes
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = sdy.sharded_to_unreduced [{"x"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----
// error 2:15 custom op 'sdy.mesh' total product of axis sizes must match total number of device ids, got: 2 != 1
sdy.mesh @m = <["x"=2], device_ids=[0]>

// -----
// error 5:8 'sdy.collective_permute' op result mesh name is different but same device ids as operand
sdy.mesh @a = <["x"=2, "y"=4]>
sdy.mesh @b = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}, {}]>}) {
  %0 = sdy.collective_permute %a out_sharding=<@b, [{"x"}, {}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.replicated_to_unreduced' op r2u axes are not ordered w.r.t. mesh
sdy.mesh @m = <["x"=4, "y"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  %0 = sdy.replicated_to_unreduced {"y", "x"} %a out_sharding=<@m, [{}, {}], unreduced={"x", "y"}> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.replicated_to_unreduced' op r2u axis "x" overlaps with operand unreduced axes
sdy.mesh @m = <["x"=4, "y"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x"}>}) {
  %0 = sdy.replicated_to_unreduced {"x"} %a out_sharding=<@m, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
  return
}

// -----
// ok
sdy.mesh @m = <["x"=4, "y"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"x"}>}) {
  return
}

// -----
// error 3:3 'sdy.sharding_group': operand 0 has type '!stablehlo.token', expected a tensor
func.func @f(%t: !stablehlo.token) {
  sdy.sharding_group %t group_id=3 : !stablehlo.token
  return
}

// -----
// error 3:1 'func.func' op arg 0 - only ranked tensors can have a sharding. type: 'tensor<*xf32>'
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<*xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - ops can only have a sharding for a tuple of size 1: 'tuple<tensor<2xf32>, tensor<2xf32>>'
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tuple<tensor<2xf32>, tensor<2xf32>> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  return
}

// -----
// error 3:1 'func.func' op arg 0 - overlapping sub-axes: "x":(1)4, "x":(2)4
sdy.mesh @m = <["x"=8]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(2)4}, {"x":(1)4}]>}) {
  return
}

// -----
// error 4:3 'stablehlo.custom_call' op result shardings don't match number of values: 1 shardings vs 0 values
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32>) {
  stablehlo.custom_call @g(%a) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<8xf32>) -> ()
  return
}

// -----
// ok
sdy.mesh @one = <[], device_ids=[3]>
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32>) {
  stablehlo.custom_call @g(%a) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<8xf32>) -> ()
  stablehlo.custom_call @g(%a) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@m, []>]>} : (tensor<8xf32>) -> ()
  return
}

// -----
// ok
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %a <@m, [{}], unreduced=max{"x"}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 5:8 'sdy.reshard' op cannot change the reduction operator of kept unreduced axes from min to sum.
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=min{"x"}>}) -> tensor<8xf32> {
  %0 = sdy.propagation_barrier %a allowed_direction=NONE : tensor<8xf32>
  %1 = sdy.reshard %0 <@m, [{}], unreduced={"x"}> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----
// ok
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=min{"y"}>}) -> tensor<8xf32> {
  %0 = sdy.reshard %a <@m, [{}], unreduced=min{"y":(1)2}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 4:8 'sdy.all_reduce' op cannot reduce 'max' unreduced axes. Expected 'sum'.
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{"x"}>}) -> tensor<8xf32> {
  %0 = sdy.all_reduce {"x"} %a out_sharding=<@m, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// ok
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{"x"}>}) -> tensor<8xf32> {
  %0 = sdy.all_reduce max {"x"} %a out_sharding=<@m, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 4:8 'sdy.reduce_scatter' op cannot reduce 'max' unreduced axes. Expected 'min'.
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{"x"}>}) -> tensor<8xf32> {
  %0 = sdy.reduce_scatter min [{"x"}] %a out_sharding=<@m, [{"x"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 4:8 'sdy.sharded_to_unreduced' op out_sharding reduction_op must be SUM
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<8xf32> {
  %0 = sdy.sharded_to_unreduced [{"x"}] %a out_sharding=<@m, [{}], unreduced=max{"x"}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 4:8 'sdy.replicated_to_unreduced' op input and output must share the same dimension shardings
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) -> tensor<8xf32> {
  %0 = sdy.replicated_to_unreduced {"x"} %a out_sharding=<@m, [{"y"}], unreduced={"x"}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 4:8 'sdy.replicated_to_unreduced' op r2u axis "x" overlaps with operand dimension sharding
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<8xf32> {
  %0 = sdy.replicated_to_unreduced {"x"} %a out_sharding=<@m, [{"x"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 4:8 'sdy.replicated_to_unreduced' op out_unreduced_axes should be in_unreduced_axes + r2u_axes
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) -> tensor<8xf32> {
  %0 = sdy.replicated_to_unreduced {"x"} %a out_sharding=<@m, [{}], unreduced={"x", "y"}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 5:8 'sdy.all_gather' op result mesh does not match operand mesh
sdy.mesh @m = <["x"=2, "y"=4]>
sdy.mesh @n = <["x"=4, "y"=2]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<8xf32> {
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<@n, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 5:8 'sdy.collective_permute' op result mesh has different axes than operand mesh
sdy.mesh @m = <["x"=2, "y"=4]>
sdy.mesh @n = <["x"=4, "y"=2]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<8xf32> {
  %0 = sdy.collective_permute %a out_sharding=<@n, [{"y"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 4:8 'sdy.all_to_all' op parameter list is empty
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}]>}) -> tensor<8x8x8xf32> {
  %0 = sdy.all_to_all [] %a out_sharding=<@m, [{}, {"x"}, {"y"}]> : tensor<8x8x8xf32>
  return %0 : tensor<8x8x8xf32>
}

// -----
// error 4:8 'sdy.all_to_all' op source dimensions are not sorted in ascending order: 0 appears after 2
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}, {}]>}) -> tensor<8x8x8x8xf32> {
  %0 = sdy.all_to_all [{"y"}: 2->3, {"x"}: 0->1] %a out_sharding=<@m, [{}, {"x"}, {}, {"y"}]> : tensor<8x8x8x8xf32>
  return %0 : tensor<8x8x8x8xf32>
}

// -----
// error 4:8 'sdy.all_reduce' op reduction axis "y":(2)2 overlaps with operand dimension sharding or replicated axes
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], replicated={"y"}>}) -> tensor<8xf32> {
  %0 = sdy.all_reduce {"y":(2)2} %a out_sharding=<@m, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 4:8 'sdy.all_reduce' op reduction axis "x":(4)4 overlaps with operand dimension sharding or replicated axes
sdy.mesh @m = <["x"=16]>
func.func @f(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{}], replicated={"x":(8)2}>}) -> tensor<16xf32> {
  %0 = sdy.all_reduce {"x":(4)4} %a out_sharding=<@m, [{}]> : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----
// error 4:8 'sdy.all_reduce' op reduction axis "x":(8)2 overlaps with operand dimension sharding or replicated axes
sdy.mesh @m = <["x"=16]>
func.func @f(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{}], replicated={"x":(4)4}>}) -> tensor<16xf32> {
  %0 = sdy.all_reduce {"x":(8)2} %a out_sharding=<@m, [{}]> : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----
// error 4:8 'sdy.all_reduce' op operand and result shardings are not equivalent
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<8xf32> {
  %0 = sdy.all_reduce {"y"} %a out_sharding=<@m, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 5:10 'sdy.all_gather' op can't apply gathering axis "x" to operand sharding on dimension 0
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
    %1 = sdy.all_gather [{"x"}] %b out_sharding=<@m, [{}]> : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 3:8 'sdy.data_flow_edge' op expected sdy.data_flow_edge to have a static-shaped result. type: 'tensor<?xf32>'
func.func @f(%a: tensor<?xf32>) {
  %0 = sdy.data_flow_edge %a : tensor<?xf32>
  return
}

// -----
// error 3:8 'sdy.data_flow_edge' op expected input of sdy.data_flow_edge to have a single user
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.data_flow_edge %a : tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----
// error 5:8 'sdy.data_flow_edge' op expected input of sdy.data_flow_edge to not be defined by an SdyDialect op (other than an sdy.named_computation).
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.reshard %a <@m, [{}]> : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----
// error 3:8 'sdy.func_data_flow_edge' op expected operand of sdy.func_data_flow_edge to have a single user
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.func_data_flow_edge %a : tensor<8xf32>
  %1 = stablehlo.add %a, %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----
// error 4:8 'sdy.named_computation' op in_shardings - unknown axis name: "z"
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"g">(%a) in_shardings=[<@m, [{"z"}]>] (%b: tensor<8xf32>) {
    sdy.return %b : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 3:8 'sdy.named_computation' op number of block arguments must match the number of operands: 2 != 1
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"g">(%a) (%b: tensor<8xf32>, %c: tensor<8xf32>) {
    sdy.return %b : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 3:8 'sdy.named_computation' op inferred type(s) 'tensor<8xf32>' are incompatible with return type(s) of operation 'tensor<4xf32>'
func.func @f(%a: tensor<8xf32>) -> tensor<4xf32> {
  %0 = sdy.named_computation<"g">(%a) (%b: tensor<8xf32>) {
    sdy.return %b : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
// error 5:8 'sdy.manual_computation' op all in and out shardings must be bound to the same mesh or an empty mesh.
sdy.mesh @m = <["x"=2, "y"=4]>
sdy.mesh @n = <["x"=2, "y"=8]>
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@n, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
    sdy.return %b : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 4:8 'sdy.manual_computation' op operand dimension size 9 is not divisible by the manual axes size 2
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<9xf32>) -> tensor<9xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
    sdy.return %b : tensor<4xf32>
  } : (tensor<9xf32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// -----
// error 5:10 'sdy.manual_computation' op operates on axis "x" which is already bound by a parent sdy.manual_computation op
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
    %1 = sdy.manual_computation(%b) in_shardings=[<@m, [{}]>] out_shardings=[<@m, [{}]>] manual_axes={"x"} (%c: tensor<4xf32>) {
      sdy.return %c : tensor<4xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 4:8 'sdy.manual_computation' op number of op operands and region operands must match. Op has 1 op operands and 2 region operands
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>, %c: tensor<4xf32>) {
    sdy.return %b : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 3:8 'stablehlo.negate' op expected propagation edges attr to reference a sharding.
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %a {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 4:8 'stablehlo.negate' op expected axis ref to be in one of the meshes
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %a {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"z" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 4:8 'stablehlo.negate' op expected a value ref to have an operand index in range [0, 1), got: 1
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %a {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = result-0 -> [operand-1]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 5:8 'stablehlo.negate' op expected a common mesh for propagation edges attr.
sdy.mesh @m = <["x"=2, "y"=4]>
sdy.mesh @n = <["x"=2]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@n, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.negate %a {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 3:8 'stablehlo.negate' op should have a propagation edges attribute of type PropagationEdgesAttr for attr named 'sdy.propagation_edges'
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %a {sdy.propagation_edges = 1 : i64} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 2:1 'func.func' op should have a propagation edges attribute of type ArrayAttr<PropagationEdgesAttr> for attr named 'sdy.result_propagation_edges' or 'sdy.block_arg_propagation_edges'
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.block_arg_propagation_edges = [1 : i64]} {
  return %a : tensor<8xf32>
}

// -----
// error 3:8 'stablehlo.negate' op should have a sharding rule attribute of type OpShardingRuleAttr for attr named 'sdy.sharding_rule'
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %a {sdy.sharding_rule = "i->i"} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 3:8 'stablehlo.negate' op operand - expected a ranked tensor with a static shape. type: 'tensor<?xf32>'
func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----
// error 3:8 'stablehlo.negate' op operand - expecting factor indices to be within 0<=...<num_factors; received: 2, num_factors: 1
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([k])->([i]) {i=8}>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 3:8 'stablehlo.negate' op index must be less than 1, got: 2
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8} reduction={k}>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 3:8 'stablehlo.negate' op operand - dim mapping can't have a factor of size 1 if there are multiple factors
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([ij])->([ij]) {i=8, j=1}>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 3:8 'stablehlo.negate' op indices of special factors must be sorted
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([ij])->([ij]) {i=4, j=2} blocked_propagation={j, i}>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 3:8 'stablehlo.negate' op operand - mapping rank must match: 0 != 1
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([])->([i]) {i=8}>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 3:3 'stablehlo.custom_call' op number of operands and mappings must match: 0 != 1
func.func @f() {
  stablehlo.custom_call @g() {sdy.sharding_rule = #sdy.op_sharding_rule<([])->([]), custom>} : () -> ()
  return
}

// -----
// error 4:8 'sdy.all_reduce' op operand and result shardings are not equivalent
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<8xf32> {
  %0 = sdy.all_reduce {"y"} %a out_sharding=<mesh<["x"=2, "y"=4]>, [{"x"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----
// error 4:8 'sdy.all_reduce' op sub-axis next pre-size 8 doesn't divide the size of the full axis 4: "y":(2)4
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<8xf32> {
  %0 = sdy.all_reduce {"y":(2)4} %a out_sharding=<@m, [{"x"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}


// -----
// error 4:8 'sdy.all_reduce' op sub-axis sizes must be greater than 1: "a":(1)1
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.all_reduce {"a":(1)1} %x out_sharding=<@mesh, [{"b"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// error 3:8 'stablehlo.custom_call' op the factors of one tensor have a product over 2^63-1
func.func @f(%a: tensor<8xf32>) {
  %0 = stablehlo.custom_call @foo(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([ij])->([ij]) {i=9223372036854775807, j=4}, custom>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}
