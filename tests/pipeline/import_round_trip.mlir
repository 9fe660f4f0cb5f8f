// weft opt --weft-import-round-trip
// Meshes, arguments, results and constraints. What else stands in frontend attributes stays; mhlo.sharding says the same once more and goes.
module attributes {mhlo.frontend_attributes = {other = "1", xla.sdy.meshes = "{line = #sdy.mesh<[\22x\22=2, \22y\22=2], device_ids=[0, 2, 1, 3]>, one = #sdy.mesh<[], device_ids=[1]>}"}, mhlo.num_partitions = 4 : i32} {
  func.func public @main(%a: tensor<4x4xf32> {jax.buffer_donor = true, mhlo.frontend_attributes = {kept = "", xla.sdy.sharding = "#sdy.sharding<@line, [{\22x\22}, {\22y\22, ?}p1]>"}, mhlo.sharding = "{devices=[2,2]<=[4]}"}, %b: tensor<4x4xf32>) -> (tensor<4x4xf32> {jax.result_info = "result", mhlo.sharding = "{devices=[2,2]<=[4]}"}, tensor<4x4xf32>) {
    %0 = stablehlo.custom_call @Sharding(%a) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@line, [{\22y\22}, {}]>]>"}, mhlo.sharding = "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@line, [{}, {\22x\22}]>]>"}} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%b) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@line, [{\22x\22}, {}]>]>"}} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.negate %2 {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@line, [{}, {\22y\22}]>]>"}} : tensor<4x4xf32>
    return %1, %3 : tensor<4x4xf32>, tensor<4x4xf32>
  }
}
// ==>
module attributes {mhlo.frontend_attributes = {other = "1"}, mhlo.num_partitions = 4 : i32} {
  sdy.mesh @line = <["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>
  sdy.mesh @one = <[], device_ids=[1]>
  func.func public @main(%arg0: tensor<4x4xf32> {jax.buffer_donor = true, mhlo.frontend_attributes = {kept = ""}, sdy.sharding = #sdy.sharding<@line, [{"x"}, {"y", ?}p1]>}, %arg1: tensor<4x4xf32>) -> (tensor<4x4xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@line, [{}, {"x"}]>}, tensor<4x4xf32>) {
    %0 = sdy.sharding_constraint %arg0 <@line, [{"y"}, {}]> : tensor<4x4xf32>
    %1 = sdy.sharding_constraint %arg1 <@line, [{"x", ?}, {?}]> : tensor<4x4xf32>
    %2 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@line, [{}, {"y"}]>]>} : tensor<4x4xf32>
    return %0, %2 : tensor<4x4xf32>, tensor<4x4xf32>
  }
}
// -----
// weft opt --weft-import-round-trip
// Texts that were quoted twice; the shardings of tuples, which stand at the module; a token's; a sharding that does not fit its op; rules.
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\\22x\\22=2]>}", xla.sdy.tuple_args_shardings = "#sdy.sharding_per_value<[<@mesh, [{\\\22x\\\22}]>, <@mesh, [{}]>]>", xla.sdy.tuple_results_shardings = "#sdy.sharding_per_value<[<@mesh, [{?}]>]>", xla.sdy.use_tuple_args = "t"}} {
  func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
    %t = stablehlo.after_all {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, []>]>"}} : !stablehlo.token
    %0 = stablehlo.reshape %a {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>]>"}} : (tensor<4xf32>) -> tensor<2x2xf32>
    %1 = stablehlo.custom_call @mine(%a, %b) {mhlo.frontend_attributes = {xla.sdy.sharding_rule = "#sdy.op_sharding_rule<([i], [i])->([i]) {i=4}, custom>"}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) {
    %0 = stablehlo.after_all  {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} : !stablehlo.token
    %1 = stablehlo.reshape %arg0 : (tensor<4xf32>) -> tensor<2x2xf32>
    %2 = stablehlo.custom_call @mine(%arg0, %arg1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=4}, custom>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}
// -----
// weft opt --weft-import-round-trip
// Groups and barriers.
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2]>}"}} {
  func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
    stablehlo.custom_call @xla.sdy.ShardingGroup(%a) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "21 : i64"}} : (tensor<4xf32>) -> ()
    stablehlo.custom_call @xla.sdy.ShardingGroup(%b) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "21"}} : (tensor<4xf32>) -> ()
    %0 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%a) {mhlo.frontend_attributes = {xla.sdy.allowed_direction = "1 : i32"}} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%0) {mhlo.frontend_attributes = {xla.sdy.allowed_direction = "NONE"}} : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    sdy.sharding_group %arg0 group_id=21 : tensor<4xf32>
    sdy.sharding_group %arg1 group_id=21 : tensor<4xf32>
    %0 = sdy.propagation_barrier %arg0 allowed_direction=FORWARD : tensor<4xf32>
    %1 = sdy.propagation_barrier %0 allowed_direction=NONE : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
// -----
// weft opt --weft-import-round-trip
// Manual computations: one inside another, one body called twice, texts on the call alone, one that takes nothing, one that nobody reads.
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2, \22y\22=2]>}"}, mhlo.num_partitions = 4 : i32} {
  func.func public @main(%a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<2xi32>) {
    %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%a) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}, {?}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"}} : (tensor<4x4xf32>) -> tensor<2x4xf32>
    %1 = call @xla.sdy.manual_computation_body(%0) {mhlo.frontend_attributes = {inlineable = "false"}} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%1) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>", xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}, {?}]>]>"}} : (tensor<2x4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%2) : (tensor<4x4xf32>) -> tensor<2x4xf32>
    %4 = call @xla.sdy.manual_computation_body(%3) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}, {}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>", xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}, {}]>]>"}} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %5 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%4) : (tensor<2x4xf32>) -> tensor<4x4xf32>
    %6 = call @xla.sdy.manual_computation_body_2() : () -> tensor<1xi32>
    %7 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%6) {mhlo.frontend_attributes = {xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>", xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>]>"}} : (tensor<1xi32>) -> tensor<2xi32>
    %8 = call @xla.sdy.manual_computation_body_2() : () -> tensor<1xi32>
    return %2, %5, %7 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<2xi32>
  }
  func.func @xla.sdy.manual_computation_body(%a: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%a) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{}, {\22y\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22y\22}>"}} : (tensor<2x4xf32>) -> tensor<2x2xf32>
    %1 = call @xla.sdy.manual_computation_body_1(%0) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%1) {mhlo.frontend_attributes = {xla.sdy.manual_axes = "#sdy<manual_axes{\22y\22}>", xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{}, {\22y\22}]>]>"}} : (tensor<2x2xf32>) -> tensor<2x4xf32>
    return %2 : tensor<2x4xf32>
  }
  func.func @xla.sdy.manual_computation_body_1(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.negate %a : tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
  func.func @xla.sdy.manual_computation_body_2() -> tensor<1xi32> {
    %c = stablehlo.constant dense<1> : tensor<1xi32>
    return %c : tensor<1xi32>
  }
}
// ==>
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%arg0: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<2xi32>) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {?}]>] out_shardings=[<@mesh, [{"x"}, {?}]>] manual_axes={"x"} (%arg1: tensor<2x4xf32>) {
      %3 = sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"y"} (%arg2: tensor<2x2xf32>) {
        %4 = stablehlo.negate %arg2 : tensor<2x2xf32>
        sdy.return %4 : tensor<2x2xf32>
      } : (tensor<2x4xf32>) -> tensor<2x4xf32>
      sdy.return %3 : tensor<2x4xf32>
    } : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<2x4xf32>) {
      %3 = sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"y"} (%arg2: tensor<2x2xf32>) {
        %4 = stablehlo.negate %arg2 : tensor<2x2xf32>
        sdy.return %4 : tensor<2x2xf32>
      } : (tensor<2x4xf32>) -> tensor<2x4xf32>
      sdy.return %3 : tensor<2x4xf32>
    } : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} () {
      %c = stablehlo.constant dense<1> : tensor<1xi32>
      sdy.return %c : tensor<1xi32>
    } : () -> tensor<2xi32>
    return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<2xi32>
  }
}
// -----
// weft opt --weft-import --weft-import
// A call that stands for nothing known is left, and warned of once.
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @xla.sdy.Unheard(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ==>
module attributes {weft.imported} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @xla.sdy.Unheard(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// -----
// weft opt --weft-import-round-trip --werror annotation
// The same as an error.
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @xla.sdy.Unheard(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ==>
// error: :3:8: error: 'xla.sdy.Unheard' cannot be read
// -----
// weft opt --weft-import-round-trip --werror annotation
// A body whose operands come from elsewhere.
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @xla.sdy.manual_computation_body(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @xla.sdy.manual_computation_body(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
// ==>
// error: :3:8: error: the manual computation of this call cannot be read: its operands do not come from one xla.sdy.GlobalToLocalShape
// -----
// weft opt --weft-import-round-trip
// A text that is none of sdy's, one of another kind, and a mesh that is not there.
func.func @main(%a: tensor<4xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{x}]>"}}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
// ==>
// error: :2:1: error: 'xla.sdy.sharding' cannot be read, at character 24: expected string, found 'x'
// -----
// weft opt --weft-import-round-trip
func.func @main(%a: tensor<4xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = 5 : i32}}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
// ==>
// error: error: 'xla.sdy.sharding' is not a text
// -----
// weft opt --weft-import-round-trip
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=-4]>}"}} {
}
// ==>
// error: :1:1: error: 'xla.sdy.meshes' cannot be read, at character 26: axis size must be at least 1, got: -4
// -----
// weft opt --weft-import-round-trip
func.func @main(%a: tensor<4xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.mesh<[\22x\22=2]>"}}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
// ==>
// error: error: 'xla.sdy.sharding' has an unexpected value
// -----
// weft opt --weft-import-round-trip
func.func @main(%a: tensor<4xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22x\22}]>"}}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
// ==>
// error: error: .* unknown mesh: @mesh
