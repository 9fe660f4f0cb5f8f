// weft opt --sdy-export-pipeline='enable-insert-explicit-collectives'
// Groups go, constraints become collectives, what does not divide is cut where it does, rules go, meshes stand in their shardings.
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {"x", ?}]>}) -> tensor<6x8xf32> {
    sdy.sharding_group %arg0 group_id=0 : tensor<6x8xf32>
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{?}, {"x"}]> : tensor<6x8xf32>
    %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"x"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=6, j=8}>} : tensor<6x8xf32>
    return %1 : tensor<6x8xf32>
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=4]>, [{}, {"x"}]>}) -> tensor<6x8xf32> {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2, "y"=4]>, [{}, {"x"}]>]>} : tensor<6x8xf32>
    %1 = sdy.all_gather [{}, {"x"}] %0 out_sharding=<mesh<["x"=2, "y"=4]>, [{}, {}]> : tensor<6x8xf32>
    return %1 : tensor<6x8xf32>
  }
}
// -----
// weft opt --sdy-export-pipeline='avoid-export-for-partitioning keep-sharding-rules replica-count=1 avoid-reshards-on-calls=true'
// Constraints, groups, rules and named meshes stay.
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {"x", ?}]>}) -> tensor<6x8xf32> {
    sdy.sharding_group %arg0 group_id=0 : tensor<6x8xf32>
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{?}, {"x"}]> : tensor<6x8xf32>
    %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"x"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=6, j=8}>} : tensor<6x8xf32>
    return %1 : tensor<6x8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<6x8xf32> {
    sdy.sharding_group %arg0 group_id=0 : tensor<6x8xf32>
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {"x"}]> : tensor<6x8xf32>
    %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=6, j=8}>} : tensor<6x8xf32>
    return %1 : tensor<6x8xf32>
  }
}
// -----
// weft opt --sdy-export-pipeline='enable-insert-explicit-collectives=perhaps'
module {
}
// ==>
// error: takes true or false, not 'perhaps'
