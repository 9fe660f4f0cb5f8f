// weft opt --weft-recompose-mhlo-calls
// A call @mhlo.NAME is the op NAME of CHLO or of StableHLO; its sharding stays with it. The smallest ones first are no op's.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<6xf32>, %arg1: tensor<2x8xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xf32>, tensor<2x3xi32>) {
    %0 = stablehlo.custom_call @mhlo.erf(%arg0) {mhlo.attributes = {}, mhlo.version = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
    %1 = "stablehlo.custom_call"(%0) {backend_config = "", call_target_name = "mhlo.acosh", mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<6xf32>) -> tensor<6xf32>
    %2 = stablehlo.custom_call @mhlo.sine(%1) : (tensor<6xf32>) -> tensor<6xf32>
    %3:2 = stablehlo.custom_call @mhlo.topk(%arg1) {mhlo.attributes = {k = 3 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
    %4:2 = stablehlo.custom_call @mhlo.topk(%arg1) {mhlo.attributes = {k = 3 : i64, largest = false}, mhlo.version = 1 : i64} : (tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
    return %0, %1, %2, %3#0, %3#1, %4#0, %4#1 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xf32>, tensor<2x3xi32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<6xf32>, %arg1: tensor<2x8xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xf32>, tensor<2x3xi32>) {
    %0 = chlo.erf %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<6xf32> -> tensor<6xf32>
    %1 = chlo.acosh %0 : tensor<6xf32> -> tensor<6xf32>
    %2 = stablehlo.sine %1 : tensor<6xf32>
    %values, %indices = chlo.top_k(%arg1, k = 3) : tensor<2x8xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
    %3:2 = stablehlo.custom_call @mhlo.topk(%arg1) {mhlo.attributes = {k = 3 : i64, largest = false}, mhlo.version = 1 : i64} : (tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
    return %0, %1, %2, %values, %indices, %3#0, %3#1 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xf32>, tensor<2x3xi32>
  }
}
// -----
// weft opt --weft-recompose-mhlo-calls
// What no op stands for stays: another number of operands, no such name, no k.
module {
  func.func @main(%arg0: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<3xf32>, tensor<3xi32>) {
    %0 = stablehlo.custom_call @mhlo.erf(%arg0, %arg0) {mhlo.attributes = {}} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %1 = stablehlo.custom_call @mhlo.nothing(%arg0) {mhlo.attributes = {}} : (tensor<6xf32>) -> tensor<6xf32>
    %2:2 = stablehlo.custom_call @mhlo.topk(%arg0) : (tensor<6xf32>) -> (tensor<3xf32>, tensor<3xi32>)
    return %0, %1, %2#0, %2#1 : tensor<6xf32>, tensor<6xf32>, tensor<3xf32>, tensor<3xi32>
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<3xf32>, tensor<3xi32>) {
    %0 = stablehlo.custom_call @mhlo.erf(%arg0, %arg0) {mhlo.attributes = {}} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %1 = stablehlo.custom_call @mhlo.nothing(%arg0) {mhlo.attributes = {}} : (tensor<6xf32>) -> tensor<6xf32>
    %2:2 = stablehlo.custom_call @mhlo.topk(%arg0) : (tensor<6xf32>) -> (tensor<3xf32>, tensor<3xi32>)
    return %0, %1, %2#0, %2#1 : tensor<6xf32>, tensor<6xf32>, tensor<3xf32>, tensor<3xi32>
  }
}
// -----
// weft opt --weft-recompose-mhlo-calls
// An op that the call cannot be.
module {
  func.func @main(%arg0: tensor<6xf32>) -> tensor<7xf32> {
    %0 = stablehlo.custom_call @mhlo.erf(%arg0) {mhlo.attributes = {}} : (tensor<6xf32>) -> tensor<7xf32>
    return %0 : tensor<7xf32>
  }
}
// ==>
// error: chlo.erf
// -----
// weft opt --weft-recompose-mhlo-calls
// A mesh after the function that names it.
module {
  func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>}) -> tensor<8x4xf32> {
    %1 = "stablehlo.custom_call"(%x) {call_target_name = "mhlo.erf", mhlo.attributes = {}, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"d"}, {}]>]>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
  sdy.mesh @mesh = <["d"=2]>
}
// ==>
module {
  func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>}) -> tensor<8x4xf32> {
    %0 = chlo.erf %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"d"}, {}]>]>} : tensor<8x4xf32> -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
  sdy.mesh @mesh = <["d"=2]>
}
// -----
// weft opt --weft-recompose-mhlo-calls
// A composite of CHLO's name is that op; its decomposition is left. Others stay: of StableHLO's names, and without k.
module {
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<3xf32>, tensor<3xi32>, tensor<8xf32>, tensor<3xf32>, tensor<3xi32>) {
    %0 = stablehlo.composite "chlo.erf" %arg0 {decomposition = @f, version = 1 : i32} : (tensor<8xf32>) -> tensor<8xf32>
    %1:2 = stablehlo.composite "chlo.top_k" %arg0 {composite_attributes = {k = 3 : i64}, decomposition = @g, version = 1 : i32} : (tensor<8xf32>) -> (tensor<3xf32>, tensor<3xi32>)
    %2 = stablehlo.composite "chlo.sine" %arg0 {decomposition = @f, version = 1 : i32} : (tensor<8xf32>) -> tensor<8xf32>
    %3:2 = stablehlo.composite "chlo.top_k" %arg0 {decomposition = @g, version = 1 : i32} : (tensor<8xf32>) -> (tensor<3xf32>, tensor<3xi32>)
    return %0, %1#0, %1#1, %2, %3#0, %3#1 : tensor<8xf32>, tensor<3xf32>, tensor<3xi32>, tensor<8xf32>, tensor<3xf32>, tensor<3xi32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @g(%arg0: tensor<8xf32>) -> (tensor<3xf32>, tensor<3xi32>) {
    %0 = stablehlo.slice %arg0 [0:3] : (tensor<8xf32>) -> tensor<3xf32>
    %1 = stablehlo.iota dim = 0 : tensor<3xi32>
    return %0, %1 : tensor<3xf32>, tensor<3xi32>
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<3xf32>, tensor<3xi32>, tensor<8xf32>, tensor<3xf32>, tensor<3xi32>) {
    %0 = chlo.erf %arg0 : tensor<8xf32> -> tensor<8xf32>
    %values, %indices = chlo.top_k(%arg0, k = 3) : tensor<8xf32> -> (tensor<3xf32>, tensor<3xi32>)
    %1 = stablehlo.composite "chlo.sine" %arg0 {decomposition = @f, version = 1 : i32} : (tensor<8xf32>) -> tensor<8xf32>
    %2:2 = stablehlo.composite "chlo.top_k" %arg0 {decomposition = @g, version = 1 : i32} : (tensor<8xf32>) -> (tensor<3xf32>, tensor<3xi32>)
    return %0, %values, %indices, %1, %2#0, %2#1 : tensor<8xf32>, tensor<3xf32>, tensor<3xi32>, tensor<8xf32>, tensor<3xf32>, tensor<3xi32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @g(%arg0: tensor<8xf32>) -> (tensor<3xf32>, tensor<3xi32>) {
    %0 = stablehlo.slice %arg0 [0:3] : (tensor<8xf32>) -> tensor<3xf32>
    %1 = stablehlo.iota dim = 0 : tensor<3xi32>
    return %0, %1 : tensor<3xf32>, tensor<3xi32>
  }
}
// -----
// weft opt --weft-recompose-mhlo-calls
// A ragged product of jax.export, which writes its attributes as lists and words. What is written otherwise stays.
module {
  func.func @main(%arg0: tensor<4x2xf32>, %arg1: tensor<3x2x5xf32>, %arg2: tensor<3xi32>) -> (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>) {
    %0 = stablehlo.composite "chlo.ragged_dot" %arg0, %arg1, %arg2 {composite_attributes = {precision_config = ["DEFAULT", "HIGHEST"], ragged_dot_dimension_numbers = [dense<> : tensor<0xi64>, dense<> : tensor<0xi64>, dense<1> : tensor<1xi64>, dense<1> : tensor<1xi64>, dense<0> : tensor<1xi64>, dense<0> : tensor<1xi64>]}, decomposition = @f, version = 1 : i32} : (tensor<4x2xf32>, tensor<3x2x5xf32>, tensor<3xi32>) -> tensor<4x5xf32>
    %1 = stablehlo.composite "chlo.ragged_dot" %arg0, %arg1, %arg2 {composite_attributes = {precision_config = ["DEFAULT", "FINE"], ragged_dot_dimension_numbers = [dense<> : tensor<0xi64>, dense<> : tensor<0xi64>, dense<1> : tensor<1xi64>, dense<1> : tensor<1xi64>, dense<0> : tensor<1xi64>, dense<0> : tensor<1xi64>]}, decomposition = @f, version = 1 : i32} : (tensor<4x2xf32>, tensor<3x2x5xf32>, tensor<3xi32>) -> tensor<4x5xf32>
    %2 = stablehlo.composite "chlo.ragged_dot" %arg0, %arg1, %arg2 {composite_attributes = {ragged_dot_dimension_numbers = [dense<> : tensor<0xi64>, dense<> : tensor<0xi64>, dense<1> : tensor<1xi64>, dense<1> : tensor<1xi64>, dense<0> : tensor<1xi64>]}, decomposition = @f, version = 1 : i32} : (tensor<4x2xf32>, tensor<3x2x5xf32>, tensor<3xi32>) -> tensor<4x5xf32>
    %3 = stablehlo.composite "chlo.ragged_dot" %arg0, %arg1, %arg2 {composite_attributes = {ragged_dot_dimension_numbers = 3 : i64}, decomposition = @f, version = 1 : i32} : (tensor<4x2xf32>, tensor<3x2x5xf32>, tensor<3xi32>) -> tensor<4x5xf32>
    return %0, %1, %2, %3 : tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>
  }
  func.func private @f(%arg0: tensor<4x2xf32>, %arg1: tensor<3x2x5xf32>, %arg2: tensor<3xi32>) -> tensor<4x5xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x5xf32>
    return %cst : tensor<4x5xf32>
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<4x2xf32>, %arg1: tensor<3x2x5xf32>, %arg2: tensor<3xi32>) -> (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>) {
    %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGHEST>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<4x2xf32>, tensor<3x2x5xf32>, tensor<3xi32>) -> tensor<4x5xf32>
    %1 = stablehlo.composite "chlo.ragged_dot" %arg0, %arg1, %arg2 {composite_attributes = {precision_config = ["DEFAULT", "FINE"], ragged_dot_dimension_numbers = [dense<> : tensor<0xi64>, dense<> : tensor<0xi64>, dense<1> : tensor<1xi64>, dense<1> : tensor<1xi64>, dense<0> : tensor<1xi64>, dense<0> : tensor<1xi64>]}, decomposition = @f, version = 1 : i32} : (tensor<4x2xf32>, tensor<3x2x5xf32>, tensor<3xi32>) -> tensor<4x5xf32>
    %2 = stablehlo.composite "chlo.ragged_dot" %arg0, %arg1, %arg2 {composite_attributes = {ragged_dot_dimension_numbers = [dense<> : tensor<0xi64>, dense<> : tensor<0xi64>, dense<1> : tensor<1xi64>, dense<1> : tensor<1xi64>, dense<0> : tensor<1xi64>]}, decomposition = @f, version = 1 : i32} : (tensor<4x2xf32>, tensor<3x2x5xf32>, tensor<3xi32>) -> tensor<4x5xf32>
    %3 = stablehlo.composite "chlo.ragged_dot" %arg0, %arg1, %arg2 {composite_attributes = {ragged_dot_dimension_numbers = 3 : i64}, decomposition = @f, version = 1 : i32} : (tensor<4x2xf32>, tensor<3x2x5xf32>, tensor<3xi32>) -> tensor<4x5xf32>
    return %0, %1, %2, %3 : tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>
  }
  func.func private @f(%arg0: tensor<4x2xf32>, %arg1: tensor<3x2x5xf32>, %arg2: tensor<3xi32>) -> tensor<4x5xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x5xf32>
    return %cst : tensor<4x5xf32>
  }
}
