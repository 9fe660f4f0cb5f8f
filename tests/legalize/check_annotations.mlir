// weft opt --weft-check-annotations --werror annotation
// Shardy's export for XLA: an argument, with GSPMD's form beside it, which XLA does not read there.
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22a\22=2]>}"}} {
  func.func @main(%a: tensor<4xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22a\22}]>"}, mhlo.sharding = "{devices=[2]<=[2]}"}) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
}
// ==>
// error: :3:19: error: 'xla.sdy.sharding' speaks of shardings in the form of Shardy's export for XLA
// -----
// weft opt --weft-check-annotations --werror annotation
// A call, and nothing before it.
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ==>
// error: :3:8: error: 'xla.sdy.FuncResultSharding' speaks of shardings in the form of Shardy's export for XLA
// -----
// weft opt --weft-check-annotations --werror annotation
// An op.
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %a {mhlo.frontend_attributes = {xla.sdy.sharding_rule = "..."}} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ==>
// error: :3:8: error: 'xla.sdy.sharding_rule' speaks of shardings in the form of Shardy's export for XLA
// -----
// weft opt --weft-prepare --werror annotation
// What is read, or shards nothing, is no reason: the number of partitions alone, meshes alone, other frontend attributes, and
// mhlo.sharding beside sdy.sharding.
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{}"}, mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}", sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {mhlo.sharding = "{replicated}"}) {
    %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[2]<=[2]}", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.negate %0 {mhlo.frontend_attributes = {_xla_compute_type = "host"}} : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
// ==>
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{}"}, mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}", sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {mhlo.sharding = "{replicated}"}) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[2]<=[2]}", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.negate %0 {mhlo.frontend_attributes = {_xla_compute_type = "host"}} : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
