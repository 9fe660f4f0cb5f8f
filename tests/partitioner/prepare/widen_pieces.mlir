// weft opt --weft-widen-pieces --cse
// A gradient: its ends read the neighbours that its middle reads, so two shifted values serve all three pieces.
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = stablehlo.slice %arg0 [1:2, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<1x4xf32>
    %1 = stablehlo.slice %arg0 [0:1, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<1x4xf32>
    %2 = stablehlo.subtract %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<1x4xf32>
    %3 = stablehlo.slice %arg0 [2:16, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<14x4xf32>
    %4 = stablehlo.slice %arg0 [0:14, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<14x4xf32>
    %5 = stablehlo.subtract %3, %4 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<14x4xf32>
    %6 = stablehlo.slice %arg0 [15:16, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<1x4xf32>
    %7 = stablehlo.slice %arg0 [14:15, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<1x4xf32>
    %8 = stablehlo.subtract %6, %7 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<1x4xf32>
    %9 = stablehlo.concatenate %2, %5, %8, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<1x4xf32>, tensor<14x4xf32>, tensor<1x4xf32>) -> tensor<16x4xf32>
    return %9 : tensor<16x4xf32>
  }
}
// ==>
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [-1, 0], high = [1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<f32>) -> tensor<16x4xf32>
    %1 = stablehlo.subtract %0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<16x4xf32>
    %2 = stablehlo.slice %1 [0:1, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<1x4xf32>
    %3 = stablehlo.pad %arg0, %cst, low = [1, 0], high = [-1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<f32>) -> tensor<16x4xf32>
    %4 = stablehlo.subtract %0, %3 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<16x4xf32>
    %5 = stablehlo.slice %4 [1:15, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<14x4xf32>
    %6 = stablehlo.subtract %arg0, %3 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<16x4xf32>
    %7 = stablehlo.slice %6 [15:16, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<1x4xf32>
    %8 = stablehlo.concatenate %2, %5, %7, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<1x4xf32>, tensor<14x4xf32>, tensor<1x4xf32>) -> tensor<16x4xf32>
    return %8 : tensor<16x4xf32>
  }
}
// -----
// weft opt --weft-widen-pieces --cse
// An update in two dimensions, of which one is sharded: a slice times a number.
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<f32>) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %0 = stablehlo.slice %arg0 [3:16, 0:6] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x8xf32>) -> tensor<13x6xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<f32>) -> tensor<13x6xf32>
    %2 = stablehlo.multiply %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<13x6xf32>
    %3 = stablehlo.dynamic_update_slice %arg0, %2, %c, %c_0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x8xf32>, tensor<13x6xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
    return %3 : tensor<16x8xf32>
  }
}
// ==>
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<f32>) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [-2, 2], high = [2, -2], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<f32>) -> tensor<16x8xf32>
    %2 = stablehlo.multiply %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<16x8xf32>
    %3 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<16xi32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<i32>) -> tensor<16xi32>
    %5 = stablehlo.compare GE, %3, %4 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
    %c_0 = stablehlo.constant dense<14> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_0, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<i32>) -> tensor<16xi32>
    %7 = stablehlo.compare LT, %3, %6 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
    %8 = stablehlo.and %5, %7 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<16xi1>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16xi1>) -> tensor<16x8xi1>
    %10 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : tensor<8xi32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : (tensor<i32>) -> tensor<8xi32>
    %12 = stablehlo.compare GE, %10, %11 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %13 = stablehlo.broadcast_in_dim %12, dims = [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<8xi1>) -> tensor<16x8xi1>
    %14 = stablehlo.and %9, %13 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<16x8xi1>
    %15 = stablehlo.select %14, %2, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<16x8xi1>, tensor<16x8xf32>
    return %15 : tensor<16x8xf32>
  }
}
// -----
// weft opt --weft-widen-pieces --cse
// Half of a value negated and put before the other half: both are one rotation.
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
    %0 = stablehlo.slice %arg0 [8:16] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<16xf32>) -> tensor<8xf32>
    %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<8xf32>
    %2 = stablehlo.slice %arg0 [0:8] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<16xf32>) -> tensor<8xf32>
    %3 = stablehlo.concatenate %1, %2, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
    return %3 : tensor<16xf32>
  }
}
// ==>
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
    %0 = stablehlo.slice %arg0 [8:16] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<16xf32>) -> tensor<8xf32>
    %1 = stablehlo.slice %arg0 [0:8] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<16xf32>) -> tensor<8xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
    %3 = stablehlo.negate %2 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : tensor<16xf32>
    %4 = stablehlo.slice %3 [0:8] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<16xf32>) -> tensor<8xf32>
    %5 = stablehlo.slice %2 [8:16] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<16xf32>) -> tensor<8xf32>
    %6 = stablehlo.concatenate %4, %5, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
    return %6 : tensor<16xf32>
  }
}
// -----
// weft opt --weft-widen-pieces --cse
// Left alone: a small piece that is dear to compute, a piece that others read too, one along a dimension that nothing is sharded along, and one
// whose slices are of a value that lies elsewhere.
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<13x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.slice %arg0 [14:15, 0:8] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x8xf32>) -> tensor<1x8xf32>
    %1 = stablehlo.exponential %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<1x8xf32>
    %2 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<1x8xf32>
    %3 = stablehlo.dynamic_update_slice %arg0, %2, %c, %c_0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
    %4 = stablehlo.slice %arg0 [3:16, 0:8] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x8xf32>) -> tensor<13x8xf32>
    %5 = stablehlo.negate %4 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<13x8xf32>
    %6 = stablehlo.dynamic_update_slice %arg0, %5, %c, %c_0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x8xf32>, tensor<13x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
    %7 = stablehlo.slice %arg0 [0:16, 2:8] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x8xf32>) -> tensor<16x6xf32>
    %8 = stablehlo.negate %7 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<16x6xf32>
    %9 = stablehlo.dynamic_update_slice %arg0, %8, %c_0, %c {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x8xf32>, tensor<16x6xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
    %10 = stablehlo.slice %arg1 [3:16, 0:8] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}]>]>} : (tensor<16x8xf32>) -> tensor<13x8xf32>
    %11 = stablehlo.negate %10 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}]>]>} : tensor<13x8xf32>
    %12 = stablehlo.dynamic_update_slice %arg0, %11, %c, %c_0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x8xf32>, tensor<13x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
    return %3, %6, %5, %9, %12 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<13x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
  }
}
// ==>
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<13x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.slice %arg0 [14:15, 0:8] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x8xf32>) -> tensor<1x8xf32>
    %1 = stablehlo.exponential %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<1x8xf32>
    %2 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<1x8xf32>
    %3 = stablehlo.dynamic_update_slice %arg0, %2, %c, %c_0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
    %4 = stablehlo.slice %arg0 [3:16, 0:8] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x8xf32>) -> tensor<13x8xf32>
    %5 = stablehlo.negate %4 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<13x8xf32>
    %6 = stablehlo.dynamic_update_slice %arg0, %5, %c, %c_0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x8xf32>, tensor<13x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
    %7 = stablehlo.slice %arg0 [0:16, 2:8] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x8xf32>) -> tensor<16x6xf32>
    %8 = stablehlo.negate %7 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<16x6xf32>
    %9 = stablehlo.dynamic_update_slice %arg0, %8, %c_0, %c {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x8xf32>, tensor<16x6xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
    %10 = stablehlo.slice %arg1 [3:16, 0:8] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}]>]>} : (tensor<16x8xf32>) -> tensor<13x8xf32>
    %11 = stablehlo.negate %10 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}]>]>} : tensor<13x8xf32>
    %12 = stablehlo.dynamic_update_slice %arg0, %11, %c, %c_0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x8xf32>, tensor<13x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
    return %3, %6, %5, %9, %12 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<13x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
  }
}
