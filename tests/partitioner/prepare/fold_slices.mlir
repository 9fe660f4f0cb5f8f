// weft opt --weft-fold-slices --cse
// A rotation, a halo that is cut off again, and a slice of what was padded, along a dimension that is sharded; the same along one that is not stays.
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.slice %arg0 [15:16, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<1x4xf32>
    %1 = stablehlo.slice %arg0 [0:15, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<15x4xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<1x4xf32>, tensor<15x4xf32>) -> tensor<16x4xf32>
    %3 = stablehlo.slice %arg0 [0:1, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<1x4xf32>
    %4 = stablehlo.concatenate %0, %arg0, %3, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<1x4xf32>, tensor<16x4xf32>, tensor<1x4xf32>) -> tensor<18x4xf32>
    %5 = stablehlo.slice %4 [2:18, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<18x4xf32>) -> tensor<16x4xf32>
    %6 = stablehlo.pad %arg0, %cst, low = [1, 1], high = [0, 1], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<f32>) -> tensor<17x6xf32>
    %7 = stablehlo.slice %6 [0:16, 2:6] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<17x6xf32>) -> tensor<16x4xf32>
    %8 = stablehlo.slice %arg0 [0:16, 1:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<16x3xf32>
    %9 = stablehlo.slice %arg0 [0:16, 0:1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<16x1xf32>
    %10 = stablehlo.concatenate %8, %9, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x3xf32>, tensor<16x1xf32>) -> tensor<16x4xf32>
    return %2, %5, %7, %10 : tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>
  }
}
// ==>
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = "weft.assemble"(%arg0, %arg0) <{dimension = 0 : i64, limit_indices = array<i64: 16, 15>, start_indices = array<i64: 15, 0>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %1 = "weft.assemble"(%arg0, %arg0) <{dimension = 0 : i64, limit_indices = array<i64: 16, 1>, start_indices = array<i64: 1, 0>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %2 = stablehlo.pad %arg0, %cst, low = [1, -1], high = [-1, 1], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<f32>) -> tensor<16x4xf32>
    %3 = stablehlo.slice %arg0 [0:16, 1:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<16x3xf32>
    %4 = stablehlo.slice %arg0 [0:16, 0:1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<16x1xf32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x3xf32>, tensor<16x1xf32>) -> tensor<16x4xf32>
    return %0, %1, %2, %5 : tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>
  }
}
// -----
// weft opt --weft-fold-slices --cse
// Different values around the middle of one; what is read whole as well stays what its readers begin at, and so does what lies otherwise.
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<1x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg2: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> (tensor<17x4xf32>, tensor<18x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.slice %arg0 [1:16, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<15x4xf32>
    %1 = stablehlo.concatenate %arg1, %0, %arg1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<1x4xf32>, tensor<15x4xf32>, tensor<1x4xf32>) -> tensor<17x4xf32>
    %2 = stablehlo.pad %arg0, %cst, low = [1, 0], high = [1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<f32>) -> tensor<18x4xf32>
    %3 = stablehlo.slice %2 [2:18, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<18x4xf32>) -> tensor<16x4xf32>
    %4 = stablehlo.slice %arg2 [1:16, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<15x4xf32>
    %5 = stablehlo.slice %arg2 [0:1, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<1x4xf32>
    %6 = stablehlo.concatenate %4, %5, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<15x4xf32>, tensor<1x4xf32>) -> tensor<16x4xf32>
    return %1, %2, %3, %6 : tensor<17x4xf32>, tensor<18x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>
  }
}
// ==>
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<1x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg2: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> (tensor<17x4xf32>, tensor<18x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = "weft.assemble"(%arg1, %arg0, %arg1) <{dimension = 0 : i64, limit_indices = array<i64: 1, 16, 1>, start_indices = array<i64: 0, 1, 0>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<1x4xf32>, tensor<16x4xf32>, tensor<1x4xf32>) -> tensor<17x4xf32>
    %1 = stablehlo.pad %arg0, %cst, low = [1, 0], high = [1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<f32>) -> tensor<18x4xf32>
    %2 = stablehlo.slice %1 [2:18, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<18x4xf32>) -> tensor<16x4xf32>
    %3 = stablehlo.slice %arg2 [1:16, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<15x4xf32>
    %4 = stablehlo.slice %arg2 [0:1, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<1x4xf32>
    %5 = stablehlo.concatenate %3, %4, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<15x4xf32>, tensor<1x4xf32>) -> tensor<16x4xf32>
    return %0, %1, %2, %5 : tensor<17x4xf32>, tensor<18x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>
  }
}
// -----
// weft opt --weft-fold-slices --cse
// A corner of neighbours: along each dimension one after the other. What pads around slices fill takes no element's place.
module {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %arg1: tensor<f32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
    %0 = stablehlo.slice %arg0 [7:8, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<8x4xf32>) -> tensor<1x4xf32>
    %1 = stablehlo.slice %arg0 [0:7, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<8x4xf32>) -> tensor<7x4xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<1x4xf32>, tensor<7x4xf32>) -> tensor<8x4xf32>
    %3 = stablehlo.slice %2 [0:8, 3:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<8x4xf32>) -> tensor<8x1xf32>
    %4 = stablehlo.slice %2 [0:8, 0:3] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<8x4xf32>) -> tensor<8x3xf32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<8x1xf32>, tensor<8x3xf32>) -> tensor<8x4xf32>
    %6 = stablehlo.slice %arg0 [1:7, 1:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<8x4xf32>) -> tensor<6x3xf32>
    %7 = stablehlo.pad %6, %arg1, low = [1, 1], high = [1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<6x3xf32>, tensor<f32>) -> tensor<8x4xf32>
    return %5, %7 : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
// ==>
module {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %arg1: tensor<f32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
    %0 = "weft.assemble"(%arg0, %arg0) <{dimension = 0 : i64, limit_indices = array<i64: 8, 7>, start_indices = array<i64: 7, 0>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = "weft.assemble"(%0, %0) <{dimension = 1 : i64, limit_indices = array<i64: 4, 3>, start_indices = array<i64: 3, 0>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %2 = stablehlo.broadcast_in_dim %arg1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<f32>) -> tensor<1x4xf32>
    %3 = "weft.assemble"(%2, %arg0, %2) <{dimension = 0 : i64, limit_indices = array<i64: 1, 7, 1>, start_indices = array<i64: 0, 1, 0>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<1x4xf32>, tensor<8x4xf32>, tensor<1x4xf32>) -> tensor<8x4xf32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<f32>) -> tensor<8x1xf32>
    %5 = "weft.assemble"(%4, %3) <{dimension = 1 : i64, limit_indices = array<i64: 1, 4>, start_indices = array<i64: 0, 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<8x1xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    return %1, %5 : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
// -----
// weft opt --weft-fold-slices --cse
// Updates at known places, of one dimension: ghost rows from the other end, with reshapes between; what every device has whole is written in place; a body sees its own block only.
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<1x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}, %arg2: tensor<i1>) -> (tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32>) {
    %c = stablehlo.constant dense<15> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.slice %arg0 [1:2, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<1x4xf32>
    %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : (tensor<1x4xf32>) -> tensor<4xf32>
    %2 = stablehlo.reshape %1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<4xf32>) -> tensor<1x4xf32>
    %3 = stablehlo.dynamic_update_slice %arg0, %2, %c, %c_0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<16x4xf32>
    %4 = stablehlo.slice %arg0 [2:16, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<14x4xf32>
    %5 = stablehlo.concatenate %arg1, %4, %arg1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<1x4xf32>, tensor<14x4xf32>, tensor<1x4xf32>) -> tensor<16x4xf32>
    %6 = stablehlo.slice %arg0 [0:2, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<2x4xf32>
    %7 = "stablehlo.if"(%arg2) ({
      %8 = stablehlo.concatenate %4, %6, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<14x4xf32>, tensor<2x4xf32>) -> tensor<16x4xf32>
      stablehlo.return %8 : tensor<16x4xf32>
    }, {
      stablehlo.return %arg0 : tensor<16x4xf32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<i1>) -> tensor<16x4xf32>
    return %3, %5, %7 : tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>
  }
}
// ==>
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<1x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}, %arg2: tensor<i1>) -> (tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x4xf32>) {
    %0 = "weft.assemble"(%arg0, %arg0) <{dimension = 0 : i64, limit_indices = array<i64: 15, 2>, start_indices = array<i64: 0, 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %1 = stablehlo.slice %arg0 [2:16, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<14x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<f32>) -> tensor<1x4xf32>
    %3 = "weft.assemble"(%2, %arg0, %2) <{dimension = 0 : i64, limit_indices = array<i64: 1, 16, 1>, start_indices = array<i64: 0, 2, 0>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<1x4xf32>, tensor<16x4xf32>, tensor<1x4xf32>) -> tensor<16x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %4 = stablehlo.dynamic_update_slice %3, %arg1, %c, %c {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<1x4xf32>, tensor<i64>, tensor<i64>) -> tensor<16x4xf32>
    %c_0 = stablehlo.constant dense<15> : tensor<i64>
    %5 = stablehlo.dynamic_update_slice %4, %arg1, %c_0, %c {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>, tensor<1x4xf32>, tensor<i64>, tensor<i64>) -> tensor<16x4xf32>
    %6 = stablehlo.slice %arg0 [0:2, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<16x4xf32>) -> tensor<2x4xf32>
    %7 = "stablehlo.if"(%arg2) ({
      %8 = stablehlo.concatenate %1, %6, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<14x4xf32>, tensor<2x4xf32>) -> tensor<16x4xf32>
      stablehlo.return %8 : tensor<16x4xf32>
    }, {
      stablehlo.return %arg0 : tensor<16x4xf32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<i1>) -> tensor<16x4xf32>
    return %0, %5, %7 : tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>
  }
}
