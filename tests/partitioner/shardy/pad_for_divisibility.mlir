// weft opt --sdy-pad-for-divisibility
// A slice goes on to where its result has to end. What is brought together is cut back.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<12x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<11x2xf32> {
    %0 = stablehlo.slice %arg0 [0:11, 0:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<12x2xf32>) -> tensor<11x2xf32>
    %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<11x2xf32>
    %2 = sdy.all_gather [{"x"}, {}] %1 out_sharding=<@mesh, [{}, {}]> : tensor<11x2xf32>
    return %2 : tensor<11x2xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<12x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<11x2xf32> {
    %0 = stablehlo.slice %arg0 [0:12, 0:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<12x2xf32>) -> tensor<12x2xf32>
    %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<12x2xf32>
    %2 = sdy.all_gather [{"x"}, {}] %1 out_sharding=<@mesh, [{}, {}]> : tensor<12x2xf32>
    %3 = stablehlo.slice %2 [0:11, 0:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<12x2xf32>) -> tensor<11x2xf32>
    return %3 : tensor<11x2xf32>
  }
}
// -----
// weft opt --sdy-pad-for-divisibility
// A slice whose operand ends too early is padded behind.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<7xf32>) -> tensor<3xf32> {
    %0 = stablehlo.slice %arg0 [1:7:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<7xf32>) -> tensor<3xf32>
    %1 = sdy.all_gather [{"x"}] %0 out_sharding=<@mesh, [{}]> : tensor<3xf32>
    return %1 : tensor<3xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<7xf32>) -> tensor<3xf32> {
    %0 = stablehlo.slice %arg0 [1:7:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<7xf32>) -> tensor<3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.pad %0, %cst, low = [0], high = [1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = sdy.all_gather [{"x"}] %1 out_sharding=<@mesh, [{}]> : tensor<4xf32>
    %3 = stablehlo.slice %2 [0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<4xf32>) -> tensor<3xf32>
    return %3 : tensor<3xf32>
  }
}
// -----
// weft opt --sdy-pad-for-divisibility
// Zeros that were put there are known; behind an exponential they are not, and are masked where products are added.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<7x5xf32>, %arg1: tensor<7x3xf32>) -> tensor<5x3xf32> {
    %0 = sdy.all_slice [{"x"}, {"y"}] %arg0 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<7x5xf32>
    %1 = stablehlo.exponential %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : tensor<7x5xf32>
    %2 = sdy.all_slice [{"x"}, {}] %arg1 out_sharding=<@mesh, [{"x"}, {}]> : tensor<7x3xf32>
    %3 = stablehlo.dot_general %1, %2, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}], unreduced={"x"}>]>} : (tensor<7x5xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
    %4 = sdy.all_reduce {"x"} %3 out_sharding=<@mesh, [{"y"}, {}]> : tensor<5x3xf32>
    %5 = sdy.all_gather [{"y"}, {}] %4 out_sharding=<@mesh, [{}, {}]> : tensor<5x3xf32>
    return %5 : tensor<5x3xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<7x5xf32>, %arg1: tensor<7x3xf32>) -> tensor<5x3xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [1, 1], interior = [0, 0] : (tensor<7x5xf32>, tensor<f32>) -> tensor<8x6xf32>
    %1 = sdy.all_slice [{"x"}, {"y"}] %0 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x6xf32>
    %2 = stablehlo.exponential %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : tensor<8x6xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.pad %arg1, %cst_0, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<7x3xf32>, tensor<f32>) -> tensor<8x3xf32>
    %4 = sdy.all_slice [{"x"}, {}] %3 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : tensor<8x6xi32>
    %c = stablehlo.constant dense<7> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<i32>) -> tensor<8x6xi32>
    %7 = stablehlo.compare LT, %5, %6 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x6xi32>, tensor<8x6xi32>) -> tensor<8x6xi1>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<f32>) -> tensor<8x6xf32>
    %9 = stablehlo.select %7, %2, %8 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : tensor<8x6xi1>, tensor<8x6xf32>
    %10 = stablehlo.dot_general %9, %4, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}], unreduced={"x"}>]>} : (tensor<8x6xf32>, tensor<8x3xf32>) -> tensor<6x3xf32>
    %11 = sdy.all_reduce {"x"} %10 out_sharding=<@mesh, [{"y"}, {}]> : tensor<6x3xf32>
    %12 = sdy.all_gather [{"y"}, {}] %11 out_sharding=<@mesh, [{}, {}]> : tensor<6x3xf32>
    %13 = stablehlo.slice %12 [0:5, 0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<6x3xf32>) -> tensor<5x3xf32>
    return %13 : tensor<5x3xf32>
  }
}
// -----
// weft opt --sdy-pad-for-divisibility
// Reductions begin again with what changes nothing: 0, the smallest number, or what they begin with.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<7x2xi32>, %arg1: tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
    %0 = sdy.all_slice [{"x"}, {}] %arg0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<7x2xi32>
    %1 = stablehlo.not %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<7x2xi32>
    %2 = stablehlo.reduce(%1 init: %arg1) applies stablehlo.add across dimensions = [0] : (tensor<7x2xi32>, tensor<i32>) -> tensor<2xi32>
    %3 = stablehlo.reduce(%1 init: %arg1) applies stablehlo.maximum across dimensions = [0] : (tensor<7x2xi32>, tensor<i32>) -> tensor<2xi32>
    %4 = stablehlo.reduce(%0 init: %arg1) applies stablehlo.xor across dimensions = [0] : (tensor<7x2xi32>, tensor<i32>) -> tensor<2xi32>
    %5 = stablehlo.reduce(%1 init: %arg1) across dimensions = [0] : (tensor<7x2xi32>, tensor<i32>) -> tensor<2xi32>
     reducer(%arg2: tensor<i32>, %arg3: tensor<i32>) {
      %6 = stablehlo.add %arg2, %arg3 : tensor<i32>
      %7 = stablehlo.maximum %arg2, %6 : tensor<i32>
      stablehlo.return %7 : tensor<i32>
    }
    return %2, %3, %4, %5 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<7x2xi32>, %arg1: tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.pad %arg0, %c, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<7x2xi32>, tensor<i32>) -> tensor<8x2xi32>
    %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x2xi32>
    %2 = stablehlo.not %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x2xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x2xi32>
    %c_1 = stablehlo.constant dense<7> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<i32>) -> tensor<8x2xi32>
    %5 = stablehlo.compare LT, %3, %4 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x2xi32>, tensor<8x2xi32>) -> tensor<8x2xi1>
    %6 = stablehlo.broadcast_in_dim %c_0, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<i32>) -> tensor<8x2xi32>
    %7 = stablehlo.select %5, %2, %6 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x2xi1>, tensor<8x2xi32>
    %8 = stablehlo.reduce(%7 init: %arg1) applies stablehlo.add across dimensions = [0] : (tensor<8x2xi32>, tensor<i32>) -> tensor<2xi32>
    %c_2 = stablehlo.constant dense<-2147483648> : tensor<i32>
    %9 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x2xi32>
    %c_3 = stablehlo.constant dense<7> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_3, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<i32>) -> tensor<8x2xi32>
    %11 = stablehlo.compare LT, %9, %10 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x2xi32>, tensor<8x2xi32>) -> tensor<8x2xi1>
    %12 = stablehlo.broadcast_in_dim %c_2, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<i32>) -> tensor<8x2xi32>
    %13 = stablehlo.select %11, %2, %12 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x2xi1>, tensor<8x2xi32>
    %14 = stablehlo.reduce(%13 init: %arg1) applies stablehlo.maximum across dimensions = [0] : (tensor<8x2xi32>, tensor<i32>) -> tensor<2xi32>
    %15 = stablehlo.reduce(%1 init: %arg1) applies stablehlo.xor across dimensions = [0] : (tensor<8x2xi32>, tensor<i32>) -> tensor<2xi32>
    %16 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x2xi32>
    %c_4 = stablehlo.constant dense<7> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_4, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<i32>) -> tensor<8x2xi32>
    %18 = stablehlo.compare LT, %16, %17 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x2xi32>, tensor<8x2xi32>) -> tensor<8x2xi1>
    %19 = stablehlo.broadcast_in_dim %arg1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<i32>) -> tensor<8x2xi32>
    %20 = stablehlo.select %18, %2, %19 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x2xi1>, tensor<8x2xi32>
    %21 = stablehlo.reduce(%20 init: %arg1) across dimensions = [0] : (tensor<8x2xi32>, tensor<i32>) -> tensor<2xi32>
     reducer(%arg2: tensor<i32>, %arg3: tensor<i32>)  {
      %22 = stablehlo.add %arg2, %arg3 : tensor<i32>
      %23 = stablehlo.maximum %arg2, %22 : tensor<i32>
      stablehlo.return %23 : tensor<i32>
    }
    return %8, %14, %15, %21 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
  }
}
// -----
// weft opt --sdy-pad-for-divisibility
// The element behind the seventh would stand where the padding value belongs.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<f32>) -> tensor<10xf32> {
    %0 = stablehlo.slice %arg0 [0:7] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<7xf32>
    %1 = stablehlo.pad %0, %arg1, low = [1], high = [2], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<7xf32>, tensor<f32>) -> tensor<10xf32>
    %2 = sdy.all_gather [{"x"}] %1 out_sharding=<@mesh, [{}]> : tensor<10xf32>
    return %2 : tensor<10xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<f32>) -> tensor<10xf32> {
    %0 = stablehlo.slice %arg0 [0:8] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xi32>
    %c = stablehlo.constant dense<7> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<i32>) -> tensor<8xi32>
    %3 = stablehlo.compare LT, %1, %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<f32>) -> tensor<8xf32>
    %5 = stablehlo.select %3, %0, %4 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xi1>, tensor<8xf32>
    %6 = stablehlo.pad %5, %arg1, low = [1], high = [3], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<12xf32>
    %7 = sdy.all_gather [{"x"}] %6 out_sharding=<@mesh, [{}]> : tensor<12xf32>
    %8 = stablehlo.slice %7 [0:10] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<12xf32>) -> tensor<10xf32>
    return %8 : tensor<10xf32>
  }
}
// -----
// weft opt --sdy-pad-for-divisibility
// Zeros that are padded with zeros need no mask. High padding that becomes less takes some of the operand's own for it.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<7xf32>, %arg1: tensor<f32>) -> (tensor<9xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = sdy.all_slice [{"x"}] %arg0 out_sharding=<@mesh, [{"x"}]> : tensor<7xf32>
    %1 = stablehlo.pad %0, %cst, low = [0], high = [2], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<7xf32>, tensor<f32>) -> tensor<9xf32>
    %2 = sdy.all_gather [{"x"}] %1 out_sharding=<@mesh, [{}]> : tensor<9xf32>
    %3 = stablehlo.pad %0, %arg1, low = [1], high = [0], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<7xf32>, tensor<f32>) -> tensor<8xf32>
    return %2, %3 : tensor<9xf32>, tensor<8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<7xf32>, %arg1: tensor<f32>) -> (tensor<9xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst_0, low = [0], high = [1], interior = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<8xf32>
    %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
    %2 = stablehlo.pad %1, %cst, low = [0], high = [4], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<12xf32>
    %3 = sdy.all_gather [{"x"}] %2 out_sharding=<@mesh, [{}]> : tensor<12xf32>
    %4 = stablehlo.slice %3 [0:9] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<12xf32>) -> tensor<9xf32>
    %5 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xi32>
    %c = stablehlo.constant dense<7> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<i32>) -> tensor<8xi32>
    %7 = stablehlo.compare LT, %5, %6 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %8 = stablehlo.broadcast_in_dim %arg1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<f32>) -> tensor<8xf32>
    %9 = stablehlo.select %7, %1, %8 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xi1>, tensor<8xf32>
    %10 = stablehlo.pad %9, %arg1, low = [1], high = [-1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    return %4, %10 : tensor<9xf32>, tensor<8xf32>
  }
}
// -----
// weft opt --sdy-pad-for-divisibility
// More windows than before are cut off; fewer than devices need are made up for. The features' padding is zero on both sides.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<3x7x5xf32>, %arg1: tensor<3x5x3xf32>) -> (tensor<3x5x3xf32>, tensor<3x3x3xf32>) {
    %0 = sdy.all_slice [{}, {"x"}, {"y"}] %arg0 out_sharding=<@mesh, [{}, {"x"}, {"y"}]> : tensor<3x7x5xf32>
    %1 = stablehlo.cosine %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"y"}]>]>} : tensor<3x7x5xf32>
    %2 = stablehlo.convolution(%1, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x7x5xf32>, tensor<3x5x3xf32>) -> tensor<3x5x3xf32>
    %3 = stablehlo.convolution(%1, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<3x7x5xf32>, tensor<3x5x3xf32>) -> tensor<3x3x3xf32>
    %4 = sdy.all_gather [{}, {"x"}, {}] %3 out_sharding=<@mesh, [{}, {}, {}]> : tensor<3x3x3xf32>
    return %2, %4 : tensor<3x5x3xf32>, tensor<3x3x3xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<3x7x5xf32>, %arg1: tensor<3x5x3xf32>) -> (tensor<3x5x3xf32>, tensor<3x3x3xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0, 0, 0], high = [0, 1, 1], interior = [0, 0, 0] : (tensor<3x7x5xf32>, tensor<f32>) -> tensor<3x8x6xf32>
    %1 = sdy.all_slice [{}, {"x"}, {"y"}] %0 out_sharding=<@mesh, [{}, {"x"}, {"y"}]> : tensor<3x8x6xf32>
    %2 = stablehlo.cosine %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"y"}]>]>} : tensor<3x8x6xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.pad %arg1, %cst_0, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 0, 0] : (tensor<3x5x3xf32>, tensor<f32>) -> tensor<3x6x3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.iota dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"y"}]>]>} : tensor<3x8x6xi32>
    %c = stablehlo.constant dense<7> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"y"}]>]>} : (tensor<i32>) -> tensor<3x8x6xi32>
    %6 = stablehlo.compare LT, %4, %5 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"y"}]>]>} : (tensor<3x8x6xi32>, tensor<3x8x6xi32>) -> tensor<3x8x6xi1>
    %7 = stablehlo.iota dim = 2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"y"}]>]>} : tensor<3x8x6xi32>
    %c_2 = stablehlo.constant dense<5> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_2, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"y"}]>]>} : (tensor<i32>) -> tensor<3x8x6xi32>
    %9 = stablehlo.compare LT, %7, %8 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"y"}]>]>} : (tensor<3x8x6xi32>, tensor<3x8x6xi32>) -> tensor<3x8x6xi1>
    %10 = stablehlo.and %6, %9 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"y"}]>]>} : tensor<3x8x6xi1>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"y"}]>]>} : (tensor<f32>) -> tensor<3x8x6xf32>
    %12 = stablehlo.select %10, %2, %11 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"y"}]>]>} : tensor<3x8x6xi1>, tensor<3x8x6xf32>
    %13 = stablehlo.convolution(%12, %3) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x8x6xf32>, tensor<3x6x3xf32>) -> tensor<3x6x3xf32>
    %14 = stablehlo.slice %13 [0:3, 0:5, 0:3] : (tensor<3x6x3xf32>) -> tensor<3x5x3xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.pad %arg1, %cst_3, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 0, 0] : (tensor<3x5x3xf32>, tensor<f32>) -> tensor<3x6x3xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.iota dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"y"}]>]>} : tensor<3x8x6xi32>
    %c_5 = stablehlo.constant dense<7> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_5, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"y"}]>]>} : (tensor<i32>) -> tensor<3x8x6xi32>
    %18 = stablehlo.compare LT, %16, %17 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"y"}]>]>} : (tensor<3x8x6xi32>, tensor<3x8x6xi32>) -> tensor<3x8x6xi1>
    %19 = stablehlo.iota dim = 2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"y"}]>]>} : tensor<3x8x6xi32>
    %c_6 = stablehlo.constant dense<5> : tensor<i32>
    %20 = stablehlo.broadcast_in_dim %c_6, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"y"}]>]>} : (tensor<i32>) -> tensor<3x8x6xi32>
    %21 = stablehlo.compare LT, %19, %20 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"y"}]>]>} : (tensor<3x8x6xi32>, tensor<3x8x6xi32>) -> tensor<3x8x6xi1>
    %22 = stablehlo.and %18, %21 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"y"}]>]>} : tensor<3x8x6xi1>
    %23 = stablehlo.broadcast_in_dim %cst_4, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"y"}]>]>} : (tensor<f32>) -> tensor<3x8x6xf32>
    %24 = stablehlo.select %22, %2, %23 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"y"}]>]>} : tensor<3x8x6xi1>, tensor<3x8x6xf32>
    %25 = stablehlo.convolution(%24, %15) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<3x8x6xf32>, tensor<3x6x3xf32>) -> tensor<3x4x3xf32>
    %26 = sdy.all_gather [{}, {"x"}, {}] %25 out_sharding=<@mesh, [{}, {}, {}]> : tensor<3x4x3xf32>
    %27 = stablehlo.slice %26 [0:3, 0:3, 0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}]>]>} : (tensor<3x4x3xf32>) -> tensor<3x3x3xf32>
    return %14, %27 : tensor<3x5x3xf32>, tensor<3x3x3xf32>
  }
}
// -----
// weft opt --sdy-pad-for-divisibility
// An index is clamped as the table of seven rows would; padded indices of a scatter are nowhere.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<7x3xf32>, %arg1: tensor<5x1xi32>, %arg2: tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<7x3xf32>) {
    %0 = sdy.all_slice [{"x"}, {}] %arg0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<7x3xf32>
    %1 = sdy.all_slice [{"y"}, {}] %arg1 out_sharding=<@mesh, [{"y"}, {}]> : tensor<5x1xi32>
    %2 = sdy.all_slice [{"y"}, {}] %arg2 out_sharding=<@mesh, [{"y"}, {}]> : tensor<5x3xf32>
    %3 = "stablehlo.gather"(%0, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}], unreduced={"x"}>]>} : (tensor<7x3xf32>, tensor<5x1xi32>) -> tensor<5x3xf32>
    %4 = sdy.all_reduce {"x"} %3 out_sharding=<@mesh, [{"y"}, {}]> : tensor<5x3xf32>
    %5 = sdy.all_gather [{"y"}, {}] %4 out_sharding=<@mesh, [{}, {}]> : tensor<5x3xf32>
    %6 = "stablehlo.scatter"(%0, %1, %2) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %8 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %8 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}], unreduced={"y"}>]>} : (tensor<7x3xf32>, tensor<5x1xi32>, tensor<5x3xf32>) -> tensor<7x3xf32>
    %7 = sdy.all_gather [{"x"}, {}] %6 out_sharding=<@mesh, [{}, {}], unreduced={"y"}> : tensor<7x3xf32>
    %9 = sdy.all_reduce {"y"} %7 out_sharding=<@mesh, [{}, {}]> : tensor<7x3xf32>
    return %5, %9 : tensor<5x3xf32>, tensor<7x3xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<7x3xf32>, %arg1: tensor<5x1xi32>, %arg2: tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<7x3xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<7x3xf32>, tensor<f32>) -> tensor<8x3xf32>
    %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.pad %arg1, %c, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<5x1xi32>, tensor<i32>) -> tensor<6x1xi32>
    %3 = sdy.all_slice [{"y"}, {}] %2 out_sharding=<@mesh, [{"y"}, {}]> : tensor<6x1xi32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.pad %arg2, %cst_0, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<5x3xf32>, tensor<f32>) -> tensor<6x3xf32>
    %5 = sdy.all_slice [{"y"}, {}] %4 out_sharding=<@mesh, [{"y"}, {}]> : tensor<6x3xf32>
    %c_1 = stablehlo.constant dense<6> : tensor<1xi32>
    %6 = stablehlo.broadcast_in_dim %c_1, dims = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<1xi32>) -> tensor<6x1xi32>
    %7 = stablehlo.minimum %3, %6 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<6x1xi32>
    %8 = "stablehlo.gather"(%1, %7) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}], unreduced={"x"}>]>} : (tensor<8x3xf32>, tensor<6x1xi32>) -> tensor<6x3xf32>
    %9 = sdy.all_reduce {"x"} %8 out_sharding=<@mesh, [{"y"}, {}]> : tensor<6x3xf32>
    %10 = sdy.all_gather [{"y"}, {}] %9 out_sharding=<@mesh, [{}, {}]> : tensor<6x3xf32>
    %11 = stablehlo.slice %10 [0:5, 0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<6x3xf32>) -> tensor<5x3xf32>
    %c_2 = stablehlo.constant dense<-1> : tensor<i32>
    %12 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<6x1xi32>
    %c_3 = stablehlo.constant dense<5> : tensor<i32>
    %13 = stablehlo.broadcast_in_dim %c_3, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<i32>) -> tensor<6x1xi32>
    %14 = stablehlo.compare LT, %12, %13 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %15 = stablehlo.broadcast_in_dim %c_2, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<i32>) -> tensor<6x1xi32>
    %16 = stablehlo.select %14, %3, %15 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<6x1xi1>, tensor<6x1xi32>
    %17 = "stablehlo.scatter"(%1, %16, %5) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %21 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %21 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}], unreduced={"y"}>]>} : (tensor<8x3xf32>, tensor<6x1xi32>, tensor<6x3xf32>) -> tensor<8x3xf32>
    %18 = sdy.all_gather [{"x"}, {}] %17 out_sharding=<@mesh, [{}, {}], unreduced={"y"}> : tensor<8x3xf32>
    %19 = stablehlo.slice %18 [0:7, 0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>} : (tensor<8x3xf32>) -> tensor<7x3xf32>
    %20 = sdy.all_reduce {"y"} %19 out_sharding=<@mesh, [{}, {}]> : tensor<7x3xf32>
    return %11, %20 : tensor<5x3xf32>, tensor<7x3xf32>
  }
}
// -----
// weft opt --sdy-pad-for-divisibility
// What comes from nothing is made as long: constants with zeros behind, which a product may add.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>) {
    %0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %1 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<4.0> : tensor<3xf32>
    %2 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<3xf32>
    %3 = stablehlo.add %1, %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<3xf32>
    %4 = sdy.all_gather [{"x"}] %3 out_sharding=<@mesh, [{}]> : tensor<3xf32>
    %5 = sdy.all_slice [{"x"}] %arg0 out_sharding=<@mesh, [{"x"}]> : tensor<3xf32>
    %6 = stablehlo.dot_general %0, %5, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [], unreduced={"x"}>]>} : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
    %7 = sdy.all_reduce {"x"} %6 out_sharding=<@mesh, []> : tensor<f32>
    return %4, %7 : tensor<3xf32>, tensor<f32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>) {
    %cst = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 0.000000e+00]> : tensor<4xf32>
    %cst_0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<4.000000e+00> : tensor<4xf32>
    %0 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
    %1 = stablehlo.add %cst_0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
    %2 = sdy.all_gather [{"x"}] %1 out_sharding=<@mesh, [{}]> : tensor<4xf32>
    %3 = stablehlo.slice %2 [0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<4xf32>) -> tensor<3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.pad %arg0, %cst_1, low = [0], high = [1], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
    %5 = sdy.all_slice [{"x"}] %4 out_sharding=<@mesh, [{"x"}]> : tensor<4xf32>
    %6 = stablehlo.dot_general %cst, %5, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [], unreduced={"x"}>]>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
    %7 = sdy.all_reduce {"x"} %6 out_sharding=<@mesh, []> : tensor<f32>
    return %3, %7 : tensor<3xf32>, tensor<f32>
  }
}
// -----
// weft opt --sdy-pad-for-divisibility
// A loop carries it padded, an operand that is whole is made as long as the other.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>, %arg2: tensor<i32>) -> tensor<6xf32> {
    %0 = sdy.all_slice [{"x"}] %arg0 out_sharding=<@mesh, [{"x"}]> : tensor<6xf32>
    %1:2 = stablehlo.while(%iterArg = %0, %iterArg_0 = %arg2) : tensor<6xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, []>]>}
    cond {
      %4 = stablehlo.compare LT, %iterArg_0, %arg2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = stablehlo.add %iterArg, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<6xf32>
      stablehlo.return %4, %iterArg_0 : tensor<6xf32>, tensor<i32>
    }
    %2 = "stablehlo.optimization_barrier"(%1#0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
    %3 = sdy.all_gather [{"x"}] %2 out_sharding=<@mesh, [{}]> : tensor<6xf32>
    return %3 : tensor<6xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>, %arg2: tensor<i32>) -> tensor<6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0], high = [2], interior = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<8xf32>
    %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
    %2:2 = stablehlo.while(%iterArg = %1, %iterArg_0 = %arg2) : tensor<8xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, []>]>}
    cond {
      %6 = stablehlo.compare LT, %iterArg_0, %arg2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    } do {
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.pad %arg1, %cst_1, low = [0], high = [2], interior = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<8xf32>
      %7 = stablehlo.add %iterArg, %6 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
      stablehlo.return %7, %iterArg_0 : tensor<8xf32>, tensor<i32>
    }
    %3 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} %2#0 : tensor<8xf32>
    %4 = sdy.all_gather [{"x"}] %3 out_sharding=<@mesh, [{}]> : tensor<8xf32>
    %5 = stablehlo.slice %4 [0:6] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<6xf32>
    return %5 : tensor<6xf32>
  }
}
// -----
// weft opt --sdy-pad-for-divisibility
// Axes stay on the dimension: its padding does too. They leave it for another: that is padded before, this cut behind.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<7x6xf32>) -> tensor<7x6xf32> {
    %0 = sdy.all_slice [{"x", "y"}, {}] %arg0 out_sharding=<@mesh, [{"x", "y"}, {}]> : tensor<7x6xf32>
    %1 = sdy.all_gather [{"y"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<7x6xf32>
    %2 = sdy.all_to_all [{"x"}: 0->1] %1 out_sharding=<@mesh, [{}, {"x"}]> : tensor<7x6xf32>
    %3 = sdy.all_gather [{}, {"x"}] %2 out_sharding=<@mesh, [{}, {}]> : tensor<7x6xf32>
    return %3 : tensor<7x6xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<7x6xf32>) -> tensor<7x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<7x6xf32>, tensor<f32>) -> tensor<8x6xf32>
    %1 = sdy.all_slice [{"x", "y"}, {}] %0 out_sharding=<@mesh, [{"x", "y"}, {}]> : tensor<8x6xf32>
    %2 = sdy.all_gather [{"y"}, {}] %1 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x6xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.pad %2, %cst_0, low = [0, 0], high = [0, 2], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x6xf32>, tensor<f32>) -> tensor<8x8xf32>
    %4 = sdy.all_to_all [{"x"}: 0->1] %3 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
    %5 = stablehlo.slice %4 [0:7, 0:8] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<8x8xf32>) -> tensor<7x8xf32>
    %6 = sdy.all_gather [{}, {"x"}] %5 out_sharding=<@mesh, [{}, {}]> : tensor<7x8xf32>
    %7 = stablehlo.slice %6 [0:7, 0:6] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<7x8xf32>) -> tensor<7x6xf32>
    return %7 : tensor<7x6xf32>
  }
}
// -----
// weft opt --sdy-pad-for-divisibility
// Inside of a manual computation the free axes cut uneven parts.
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<4x7xf32>) -> tensor<4x7xf32> {
    %0 = sdy.all_slice [{"x"}, {"y"}] %arg0 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<4x7xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x"} (%arg1: tensor<2x7xf32>) {
      %3 = stablehlo.tanh %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : tensor<2x7xf32>
      sdy.return %3 : tensor<2x7xf32>
    } : (tensor<4x7xf32>) -> tensor<4x7xf32>
    %2 = sdy.all_gather [{"x"}, {"y"}] %1 out_sharding=<@mesh, [{}, {}]> : tensor<4x7xf32>
    return %2 : tensor<4x7xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<4x7xf32>) -> tensor<4x7xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [0, 1], interior = [0, 0] : (tensor<4x7xf32>, tensor<f32>) -> tensor<4x8xf32>
    %1 = sdy.all_slice [{"x"}, {"y"}] %0 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<4x8xf32>
    %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x"} (%arg1: tensor<2x8xf32>) {
      %5 = stablehlo.tanh %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : tensor<2x8xf32>
      sdy.return %5 : tensor<2x8xf32>
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %3 = sdy.all_gather [{"x"}, {"y"}] %2 out_sharding=<@mesh, [{}, {}]> : tensor<4x8xf32>
    %4 = stablehlo.slice %3 [0:4, 0:7] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<4x8xf32>) -> tensor<4x7xf32>
    return %4 : tensor<4x7xf32>
  }
}
// -----
// weft opt --sdy-pad-for-divisibility
// The part of each manual device would have to be padded at its own end.
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<6xf32>) -> tensor<6xf32> {
    %0 = sdy.all_slice [{"x", "y"}] %arg0 out_sharding=<@mesh, [{"x", "y"}]> : tensor<6xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x", "y"}]>] out_shardings=[<@mesh, [{"x", "y"}]>] manual_axes={"x"} (%arg1: tensor<3xf32>) {
      sdy.return %arg1 : tensor<3xf32>
    } : (tensor<6xf32>) -> tensor<6xf32>
    %2 = sdy.all_gather [{"x", "y"}] %1 out_sharding=<@mesh, [{}]> : tensor<6xf32>
    return %2 : tensor<6xf32>
  }
}
// ==>
// error: dimension 0 of operand 0 of sdy.manual_computation is split by manual axes
// -----
// weft opt --sdy-pad-for-divisibility
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<6xf32> {
    %0 = sdy.all_gather [{"x"}] %arg0 out_sharding=<@mesh, [{}]> : tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
// ==>
// error: argument #0 has a non-divisible sharding
// error: failed to legalize operation 'func.func'
// -----
// weft opt --sdy-pad-for-divisibility
// Padding would be sorted in among the elements.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<6xf32>) -> tensor<6xf32> {
    %0 = sdy.all_slice [{"x"}] %arg0 out_sharding=<@mesh, [{"x"}]> : tensor<6xf32>
    %1 = "stablehlo.sort"(%0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %3 = stablehlo.compare LT, %arg1, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
    %2 = sdy.all_gather [{"x"}] %1 out_sharding=<@mesh, [{}]> : tensor<6xf32>
    return %2 : tensor<6xf32>
  }
}
// ==>
// error: stablehlo.sort cannot pad dimension 0: 6 elements on 4 devices
// -----
// weft opt --sdy-pad-for-divisibility
// One element on four devices, as a slice leaves it: all get it before it is expanded.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<1x3xf32>) -> (tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = sdy.all_slice [{"x"}, {}] %arg0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<1x3xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<1x3xf32>) -> tensor<8x3xf32>
    return %1 : tensor<8x3xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<1x3xf32>) -> (tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [3, 0], interior = [0, 0] : (tensor<1x3xf32>, tensor<f32>) -> tensor<4x3xf32>
    %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<4x3xf32>
    %2 = sdy.all_gather [{"x"}, {}] %1 out_sharding=<@mesh, [{}, {}]> : tensor<4x3xf32>
    %3 = stablehlo.slice %2 [0:1, 0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<4x3xf32>) -> tensor<1x3xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<1x3xf32>) -> tensor<8x3xf32>
    return %4 : tensor<8x3xf32>
  }
}
