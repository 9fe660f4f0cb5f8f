// What the verifier says of meshes, shardings, rules, and the ops of sdy. Each case is a module that is read alone; "error" gives line, column and message.

// -----
// error 2:1 'sdy.mesh': mesh axis "x" is listed twice
sdy.mesh @mesh = <["x"=2, "x"=4]>

// -----
// error 2:1 'sdy.mesh': mesh axis "x" has size 0, expected at least 1
sdy.mesh @mesh = <["x"=0]>

// -----
// error 2:1 'sdy.mesh': device id 0 is listed twice
sdy.mesh @mesh = <["x"=2], device_ids=[0, 0]>

// -----
// error 2:1 'sdy.mesh': device id 2 is not within 0 to 1
sdy.mesh @mesh = <["x"=2], device_ids=[0, 2]>

// -----
// error 2:1 'sdy.mesh': the mesh has 1 device ids for 2 devices
sdy.mesh @mesh = <["x"=2], device_ids=[1]>

// -----
// error 2:1 'sdy.mesh': a mesh without axes has 2 device ids, expected at most 1
sdy.mesh @mesh = <[], device_ids=[0, 1]>

// -----
// error 2:1 'sdy.mesh': the mesh has too many devices
sdy.mesh @mesh = <["x"=9223372036854775807, "y"=3]>

// -----
// error 3:1 'sdy.mesh': symbol '@mesh' is already defined
sdy.mesh @mesh = <["x"=2, "y"=4]>
sdy.mesh @mesh = <["x"=2, "y"=4]>

// -----
// error 3:14 'func.func': sharding of argument 0: there is no mesh '@nomesh'
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@nomesh, [{}, {}]>}) {
  return
}

// -----
// error 3:14 'func.func': sharding of argument 0: axis "z" is not in the mesh
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}]>}) {
  return
}

// -----
// error 3:14 'func.func': sharding of argument 0 has 1 dimensions, but the value of type 'tensor<8x8xf32>' has 2
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return
}

// -----
// error 3:14 'func.func': sharding of argument 0: axis "x" is used twice
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"x"}]>}) {
  return
}

// -----
// error 3:14 'func.func': sharding of argument 0: axis "x" is used twice
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "x"}, {}]>}) {
  return
}

// -----
// error 3:14 'func.func': sharding of argument 0: axes "y":(1)2 and "y" overlap
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, "y"}, {}]>}) {
  return
}

// -----
// error 3:14 'func.func': sharding of argument 0: axis "y":(1)2 is used twice
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2}, {"y":(1)2}]>}) {
  return
}

// -----
// error 3:14 'func.func': sharding of argument 0: axes "y":(1)2 and "y":(2)2 must be written as one
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, "y":(2)2}, {}]>}) {
  return
}

// -----
// error 3:14 'func.func': sharding of argument 0: sub-axis "y":(1)3 does not divide "y" of size 4
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)3}, {}]>}) {
  return
}

// -----
// error 3:14 'func.func': sharding of argument 0: sub-axis "y":(1)4 is the whole axis, write "y"
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)4}, {}]>}) {
  return
}

// -----
// error 3:14 'func.func': sharding of argument 0: sub-axis "y":(2)4 does not divide "y" of size 4
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)4}, {}]>}) {
  return
}

// -----
// error 3:14 'func.func': sharding of argument 0: sub-axis "y":(0)2 has a pre-size below 1
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(0)2}, {}]>}) {
  return
}

// -----
// error 3:14 'func.func': sharding of argument 0: sub-axis "y":(2)1 has a size below 2
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)1}, {}]>}) {
  return
}

// -----
// error 3:14 'func.func': sharding of argument 0: axis "x" is used twice
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], replicated={"x"}>}) {
  return
}

// -----
// error 3:14 'func.func': sharding of argument 0: axes "y" and "x" are not in the mesh's order
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"y", "x"}>}) {
  return
}

// -----
// error 3:14 'func.func': sharding of argument 0: axes "y" and "x" are not in the mesh's order
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y", "x"}>}) {
  return
}

// -----
// error 3:14 'func.func': sharding of argument 0: axis "x" is used twice
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"x"}, unreduced={"x"}>}) {
  return
}

// -----
// error 3:14 'func.func': sharding of argument 0: dimension 0 is empty and closed, its priority has no meaning
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}p1, {}]>}) {
  return
}

// -----
// error 3:14 'func.func': sharding of argument 0: axis "w" is not in the mesh
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"w"}, {}], replicated={"x"}>}) {
  return
}

// -----
// error 3:14 'func.func': sharding of argument 0: a value without a shape has no dimensions and no axes
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: !stablehlo.token {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return
}

// -----
// error 3:14 'func.func': sharding of argument 0: axis "q" is not in the mesh
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"q"}>}) {
  return
}

// -----
// error 3:14 'func.func': sharding of argument 0: on a mesh of one device it has no dimensions and no axes
sdy.mesh @mesh = <[], device_ids=[3]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  return
}

// -----
// error 3:1 'func.func': sharding of result 0: axis "z" is not in the mesh
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}) {
  return %a : tensor<8xf32>
}

// -----
// error 3:14 'func.func': sharding of argument 0 is not an #sdy.sharding
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = 1 : i32}) {
  return
}

// -----
// error 4:8 'stablehlo.negate': sdy.sharding is not an #sdy.sharding_per_value
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>} : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'stablehlo.negate': sharding of results: 2 shardings for 1 values
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>, <@mesh, [{}, {}]>]>} : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'stablehlo.negate': sharding of result 0: axis "q" is not in the mesh
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"q"}, {}]>]>} : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.sharding_constraint': sharding has 1 dimensions, but the value of type 'tensor<8x8xf32>' has 2
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) {
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.reshard': sharding: axis "x" is used twice
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) {
  %0 = sdy.reshard %a <@mesh, [{"x"}, {"x"}]> : tensor<8x8xf32>
  return
}

// -----
// error 3:8 'stablehlo.custom_call': sharding rule: result 0 has 2 dimensions, but the value has type 'tensor<2xf32>'
func.func @f(%a: tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @g(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=2, j=3}>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.custom_call': sharding rule has 2 operands and 1 results, but the op has 1 and 1
func.func @f(%a: tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @g(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i])->([i]) {i=2, j=3}>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.custom_call': sharding rule: operand 0 uses a factor twice
func.func @f(%a: tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @g(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, i])->([i]) {i=2}>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.custom_call': sharding rule: factor 2 is in no operand or result
func.func @f(%a: tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @g(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i]) {i=2, j=3, k=4}>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.custom_call': sharding rule: reduction factor 0 is in a result
func.func @f(%a: tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @g(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i]) {i=2, j=3} reduction={i}>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.custom_call': sharding rule: factor 1 is of two special kinds
func.func @f(%a: tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @g(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i]) {i=2, j=3} reduction={j} need_replication={j}>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----
// error 4:8 'sdy.manual_computation': region 0 argument 0 has type 'tensor<8x8xf32>', expected 'tensor<4x8xf32>'
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<8x8xf32>) {
    sdy.return %b : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// error 5:5 'sdy.manual_computation': region 0 returns value 0 of type 'tensor<4x8xf32>', expected 'tensor<8x4xf32>'
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {"x"}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
    sdy.return %b : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// error 4:8 'sdy.manual_computation': manual axis "z" is not in the mesh
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"z"} (%b: tensor<8x8xf32>) {
    sdy.return %b : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// error 4:8 'sdy.manual_computation': sharding of operand 0: manual axis "y" comes after a free axis in dimension 0
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x", "y"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"y"} (%b: tensor<2x8xf32>) {
    sdy.return %b : tensor<2x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// error 4:8 'sdy.manual_computation': sharding of operands: 2 shardings for 1 values
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
    sdy.return %b : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// error 5:10 'sdy.sharding_constraint': sharding: axis "x" is manual in the surrounding sdy.manual_computation
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
    %1 = sdy.sharding_constraint %b <@mesh, [{"x"}, {}]> : tensor<4x8xf32>
    sdy.return %b : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// error 4:8 'sdy.propagation_barrier': a barrier that allows both directions blocks nothing
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8xf32>) {
  %0 = sdy.propagation_barrier %a allowed_direction=BOTH : tensor<8xf32>
  return
}

// -----
// error 3:3 'sdy.sharding_group': group_id is -1, expected at least 0
func.func @f(%a: tensor<8xf32>) {
  sdy.sharding_group %a group_id=-1 : tensor<8xf32>
  return
}

// -----
// error 4:8 'sdy.func_data_flow_edge': operand 0 is neither an argument of a function nor a result of a call
func.func @f(%a: tensor<8xf32>) {
  %0 = stablehlo.negate %a : tensor<8xf32>
  %1 = sdy.func_data_flow_edge %0 : tensor<8xf32>
  return
}

// -----
// error 4:5 'sdy.return': operand 0 is defined outside of a region that is closed to the outside
func.func @f(%a: tensor<8xf32>) {
  %0 = sdy.named_computation<"g">(%a) (%b: tensor<8xf32>) {
    sdy.return %a : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----
// error 3:8 'sdy.named_computation': region 0 argument 0 has type 'tensor<4xf32>', expected 'tensor<8xf32>'
func.func @f(%a: tensor<8xf32>) {
  %0 = sdy.named_computation<"g">(%a) (%b: tensor<4xf32>) {
    sdy.return %b : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----
// error 4:8 'sdy.all_gather': operand 0 has no sharding
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) {
  %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_gather': gathering_axes: the operand's dimension 0 does not end with axis "x"
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_gather': out_sharding of dimension 0 is not what the operand's sharding becomes
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) {
  %0 = sdy.all_gather [{"y"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_gather': gathering_axes has 1 dimensions, but out_sharding has 2
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_slice': out_sharding of dimension 0 is not what the operand's sharding becomes
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = sdy.all_slice [{"x"}, {}] %a out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_to_all': params: the operand's dimension 0 does not end with axis "y"
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = sdy.all_to_all [{"y"}: 0->1] %a out_sharding=<@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_to_all': params: dimension 0 is named twice
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = sdy.all_to_all [{"x"}: 0->0] %a out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_to_all': params: dimension 2 is not within 0 to 1
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = sdy.all_to_all [{"x"}: 0->2] %a out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_to_all': out_sharding of dimension 0 is not what the operand's sharding becomes
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = sdy.all_to_all [{"x"}: 0->1] %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.collective_permute': dimension 0 is in 2 parts, but out_sharding says 4
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = sdy.collective_permute %a out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_reduce': reduction_axes: axis "x" overlaps the operand's dimension 0
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = sdy.all_reduce {"x"} %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_reduce': reduction_axes: axes "y" and "x" are not in the mesh's order
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = sdy.all_reduce {"y", "x"} %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_reduce': reduction_axes: axis "x" is still unreduced in out_sharding
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
  %0 = sdy.all_reduce {"x"} %a out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.all_reduce': out_sharding: axis "y" is unreduced, but not in the operand's sharding
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = sdy.all_reduce {"x"} %a out_sharding=<@mesh, [{}, {}], unreduced={"y"}> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.reduce_scatter': out_sharding of dimension 0 is not what the operand's sharding becomes
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
  %0 = sdy.reduce_scatter [{"x"}, {}] %a out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.sharded_to_unreduced': out_sharding's unreduced axes are not the operand's and those of the op
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = sdy.sharded_to_unreduced [{"x"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----
// error 2:1 'sdy.mesh': the mesh has 1 device ids for 2 devices
sdy.mesh @m = <["x"=2], device_ids=[0]>

// -----
// error 5:8 'sdy.collective_permute': out_sharding is on another mesh than the operand's sharding, but of the same devices; name one of them
sdy.mesh @a = <["x"=2, "y"=4]>
sdy.mesh @b = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}, {}]>}) {
  %0 = sdy.collective_permute %a out_sharding=<@b, [{"x"}, {}]> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.replicated_to_unreduced': axes: axes "y" and "x" are not in the mesh's order
sdy.mesh @m = <["x"=4, "y"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  %0 = sdy.replicated_to_unreduced {"y", "x"} %a out_sharding=<@m, [{}, {}], unreduced={"x", "y"}> : tensor<8x8xf32>
  return
}

// -----
// error 4:8 'sdy.replicated_to_unreduced': axes: axis "x" is unreduced in the operand's sharding
sdy.mesh @m = <["x"=4, "y"=2]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={"x"}>}) {
  %0 = sdy.replicated_to_unreduced {"x"} %a out_sharding=<@m, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
  return
}

// -----
// error 3:88 values left unreduced by max or min are not supported; only sums are, unreduced={...}
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
