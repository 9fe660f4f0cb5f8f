// weft opt --weft-tile-products
// 32 heads at a time, and of these the queries in two ranges: the first needs only half of the keys, since the mask hides the others. What the
// mask is made of is made anew in each tile; scores and weights are in memory for a tile only.
func.func @main(%q: tensor<128x128x16xf32>, %k: tensor<128x128x16xf32>, %v: tensor<128x128x16xf32>) -> tensor<128x128x16xf32> {
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<128x128x16xf32>, tensor<128x128x16xf32>) -> tensor<128x128x128xf32>
  %row = stablehlo.iota dim = 0 : tensor<128x128xi32>
  %column = stablehlo.iota dim = 1 : tensor<128x128xi32>
  %causal = stablehlo.compare GE, %row, %column : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
  %mask = stablehlo.broadcast_in_dim %causal, dims = [1, 2] : (tensor<128x128xi1>) -> tensor<128x128x128xi1>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %lows = stablehlo.broadcast_in_dim %low, dims = [] : (tensor<f32>) -> tensor<128x128x128xf32>
  %x = stablehlo.select %mask, %s, %lows : tensor<128x128x128xi1>, tensor<128x128x128xf32>
  %most = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<128x128x128xf32>, tensor<f32>) -> tensor<128x128xf32>
  %mosts = stablehlo.broadcast_in_dim %most, dims = [0, 1] : (tensor<128x128xf32>) -> tensor<128x128x128xf32>
  %less = stablehlo.subtract %x, %mosts : tensor<128x128x128xf32>
  %e = stablehlo.exponential %less : tensor<128x128x128xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<128x128x128xf32>, tensor<f32>) -> tensor<128x128xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<128x128xf32>) -> tensor<128x128x128xf32>
  %p = stablehlo.divide %e, %sums : tensor<128x128x128xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<128x128x128xf32>, tensor<128x128x16xf32>) -> tensor<128x128x16xf32>
  return %o : tensor<128x128x16xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<128x128x16xf32>, %arg1: tensor<128x128x16xf32>, %arg2: tensor<128x128x16xf32>) -> tensor<128x128x16xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<128x128xi32>
    %1 = stablehlo.iota dim = 1 : tensor<128x128xi32>
    %2 = stablehlo.compare GE, %0, %1 : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1, 2] : (tensor<128x128xi1>) -> tensor<128x128x128xi1>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<128x128x128xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<128x128x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %5:2 = stablehlo.while(%iterArg = %c, %iterArg_2 = %cst_1) : tensor<i64>, tensor<128x128x16xf32>
    cond {
      %c_3 = stablehlo.constant dense<4> : tensor<i64>
      %6 = stablehlo.compare LT, %iterArg, %c_3 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<0> : tensor<i64>
      %c_4 = stablehlo.constant dense<4> : tensor<i64>
      %c_5 = stablehlo.constant dense<32> : tensor<i64>
      %6 = stablehlo.multiply %iterArg, %c_5 : tensor<i64>
      %7 = stablehlo.dynamic_slice %arg0, %6, %c_3, %c_3, sizes = [32, 128, 16] : (tensor<128x128x16xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<32x128x16xf32>
      %8 = stablehlo.dynamic_slice %arg1, %6, %c_3, %c_3, sizes = [32, 128, 16] : (tensor<128x128x16xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<32x128x16xf32>
      %9 = stablehlo.dynamic_slice %arg2, %6, %c_3, %c_3, sizes = [32, 128, 16] : (tensor<128x128x16xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<32x128x16xf32>
      %10 = stablehlo.slice %7 [0:32, 0:64, 0:16] : (tensor<32x128x16xf32>) -> tensor<32x64x16xf32>
      %11 = stablehlo.slice %8 [0:32, 0:64, 0:16] : (tensor<32x128x16xf32>) -> tensor<32x64x16xf32>
      %12 = stablehlo.dot_general %10, %11, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<32x64x16xf32>, tensor<32x64x16xf32>) -> tensor<32x64x64xf32>
      %13 = stablehlo.slice %2 [0:64, 0:64] : (tensor<128x128xi1>) -> tensor<64x64xi1>
      %14 = stablehlo.broadcast_in_dim %13, dims = [1, 2] : (tensor<64x64xi1>) -> tensor<32x64x64xi1>
      %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x64x64xf32>
      %16 = stablehlo.select %14, %12, %15 : tensor<32x64x64xi1>, tensor<32x64x64xf32>
      %17 = stablehlo.reduce(%16 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<32x64x64xf32>, tensor<f32>) -> tensor<32x64xf32>
      %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<32x64xf32>) -> tensor<32x64x64xf32>
      %19 = stablehlo.subtract %16, %18 : tensor<32x64x64xf32>
      %20 = stablehlo.exponential %19 : tensor<32x64x64xf32>
      %21 = stablehlo.reduce(%20 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<32x64x64xf32>, tensor<f32>) -> tensor<32x64xf32>
      %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<32x64xf32>) -> tensor<32x64x64xf32>
      %23 = stablehlo.divide %20, %22 : tensor<32x64x64xf32>
      %24 = stablehlo.slice %9 [0:32, 0:64, 0:16] : (tensor<32x128x16xf32>) -> tensor<32x64x16xf32>
      %25 = stablehlo.dot_general %23, %24, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<32x64x64xf32>, tensor<32x64x16xf32>) -> tensor<32x64x16xf32>
      %26 = stablehlo.dynamic_update_slice %iterArg_2, %25, %6, %c_3, %c_3 : (tensor<128x128x16xf32>, tensor<32x64x16xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<128x128x16xf32>
      %27 = stablehlo.slice %7 [0:32, 64:128, 0:16] : (tensor<32x128x16xf32>) -> tensor<32x64x16xf32>
      %28 = stablehlo.dot_general %27, %8, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<32x64x16xf32>, tensor<32x128x16xf32>) -> tensor<32x64x128xf32>
      %29 = stablehlo.slice %2 [64:128, 0:128] : (tensor<128x128xi1>) -> tensor<64x128xi1>
      %30 = stablehlo.broadcast_in_dim %29, dims = [1, 2] : (tensor<64x128xi1>) -> tensor<32x64x128xi1>
      %31 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x64x128xf32>
      %32 = stablehlo.select %30, %28, %31 : tensor<32x64x128xi1>, tensor<32x64x128xf32>
      %33 = stablehlo.reduce(%32 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<32x64x128xf32>, tensor<f32>) -> tensor<32x64xf32>
      %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<32x64xf32>) -> tensor<32x64x128xf32>
      %35 = stablehlo.subtract %32, %34 : tensor<32x64x128xf32>
      %36 = stablehlo.exponential %35 : tensor<32x64x128xf32>
      %37 = stablehlo.reduce(%36 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<32x64x128xf32>, tensor<f32>) -> tensor<32x64xf32>
      %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1] : (tensor<32x64xf32>) -> tensor<32x64x128xf32>
      %39 = stablehlo.divide %36, %38 : tensor<32x64x128xf32>
      %40 = stablehlo.dot_general %39, %9, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<32x64x128xf32>, tensor<32x128x16xf32>) -> tensor<32x64x16xf32>
      %c_6 = stablehlo.constant dense<64> : tensor<i64>
      %41 = stablehlo.dynamic_update_slice %26, %40, %6, %c_6, %c_3 : (tensor<128x128x16xf32>, tensor<32x64x16xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<128x128x16xf32>
      %c_7 = stablehlo.constant dense<1> : tensor<i64>
      %42 = stablehlo.add %iterArg, %c_7 : tensor<i64>
      stablehlo.return %42, %41 : tensor<i64>, tensor<128x128x16xf32>
    }
    return %5#1 : tensor<128x128x16xf32>
  }
}
// -----
// weft opt --weft-tile-products
// What is read elsewhere is in memory anyway.
func.func @main(%q: tensor<128x128x16xf32>, %k: tensor<128x128x16xf32>, %v: tensor<128x128x16xf32>) -> (tensor<128x128x16xf32>, tensor<128x128x128xf32>) {
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<128x128x16xf32>, tensor<128x128x16xf32>) -> tensor<128x128x128xf32>
  %e = stablehlo.exponential %s : tensor<128x128x128xf32>
  %o = stablehlo.dot_general %e, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<128x128x128xf32>, tensor<128x128x16xf32>) -> tensor<128x128x16xf32>
  return %o, %e : tensor<128x128x16xf32>, tensor<128x128x128xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<128x128x16xf32>, %arg1: tensor<128x128x16xf32>, %arg2: tensor<128x128x16xf32>) -> (tensor<128x128x16xf32>, tensor<128x128x128xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<128x128x16xf32>, tensor<128x128x16xf32>) -> tensor<128x128x128xf32>
    %1 = stablehlo.exponential %0 : tensor<128x128x128xf32>
    %2 = stablehlo.dot_general %1, %arg2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<128x128x128xf32>, tensor<128x128x16xf32>) -> tensor<128x128x16xf32>
    return %2, %1 : tensor<128x128x16xf32>, tensor<128x128x128xf32>
  }
}
// -----
// weft opt --weft-tile-products=always=true
// The second product comes after a call with an effect, and that after one that reads what the first product gives: these are two nests, and
// the second one makes %e again.
func.func @main(%q: tensor<128x128x16xf32>, %k: tensor<128x128x16xf32>, %v: tensor<128x128x16xf32>) -> tensor<128x128x16xf32> {
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<128x128x16xf32>, tensor<128x128x16xf32>) -> tensor<128x128x128xf32>
  %e = stablehlo.exponential %s : tensor<128x128x128xf32>
  %o = stablehlo.dot_general %e, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<128x128x128xf32>, tensor<128x128x16xf32>) -> tensor<128x128x16xf32>
  stablehlo.custom_call @say(%o) {has_side_effect = true} : (tensor<128x128x16xf32>) -> ()
  %k1 = stablehlo.custom_call @ask(%k) {has_side_effect = true} : (tensor<128x128x16xf32>) -> tensor<128x128x16xf32>
  %s1 = stablehlo.dot_general %q, %k1, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<128x128x16xf32>, tensor<128x128x16xf32>) -> tensor<128x128x128xf32>
  %e1 = stablehlo.multiply %s1, %e : tensor<128x128x128xf32>
  %o1 = stablehlo.dot_general %e1, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<128x128x128xf32>, tensor<128x128x16xf32>) -> tensor<128x128x16xf32>
  return %o1 : tensor<128x128x16xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<128x128x16xf32>, %arg1: tensor<128x128x16xf32>, %arg2: tensor<128x128x16xf32>) -> tensor<128x128x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<128x128x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_2 = %cst) : tensor<i64>, tensor<128x128x16xf32>
    cond {
      %c_3 = stablehlo.constant dense<8> : tensor<i64>
      %3 = stablehlo.compare LT, %iterArg, %c_3 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<0> : tensor<i64>
      %c_4 = stablehlo.constant dense<8> : tensor<i64>
      %c_5 = stablehlo.constant dense<16> : tensor<i64>
      %3 = stablehlo.multiply %iterArg, %c_5 : tensor<i64>
      %4 = stablehlo.dynamic_slice %arg0, %3, %c_3, %c_3, sizes = [16, 128, 16] : (tensor<128x128x16xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<16x128x16xf32>
      %5 = stablehlo.dynamic_slice %arg1, %3, %c_3, %c_3, sizes = [16, 128, 16] : (tensor<128x128x16xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<16x128x16xf32>
      %6 = stablehlo.dynamic_slice %arg2, %3, %c_3, %c_3, sizes = [16, 128, 16] : (tensor<128x128x16xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<16x128x16xf32>
      %7 = stablehlo.dot_general %4, %5, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<16x128x16xf32>, tensor<16x128x16xf32>) -> tensor<16x128x128xf32>
      %8 = stablehlo.exponential %7 : tensor<16x128x128xf32>
      %9 = stablehlo.dot_general %8, %6, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<16x128x128xf32>, tensor<16x128x16xf32>) -> tensor<16x128x16xf32>
      %10 = stablehlo.dynamic_update_slice %iterArg_2, %9, %3, %c_3, %c_3 : (tensor<128x128x16xf32>, tensor<16x128x16xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<128x128x16xf32>
      %c_6 = stablehlo.constant dense<1> : tensor<i64>
      %11 = stablehlo.add %iterArg, %c_6 : tensor<i64>
      stablehlo.return %11, %10 : tensor<i64>, tensor<128x128x16xf32>
    }
    stablehlo.custom_call @say(%0#1) {has_side_effect = true} : (tensor<128x128x16xf32>) -> ()
    %1 = stablehlo.custom_call @ask(%arg1) {has_side_effect = true} : (tensor<128x128x16xf32>) -> tensor<128x128x16xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<128x128x16xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %2:2 = stablehlo.while(%iterArg = %c_1, %iterArg_2 = %cst_0) : tensor<i64>, tensor<128x128x16xf32>
    cond {
      %c_3 = stablehlo.constant dense<8> : tensor<i64>
      %3 = stablehlo.compare LT, %iterArg, %c_3 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<0> : tensor<i64>
      %c_4 = stablehlo.constant dense<8> : tensor<i64>
      %c_5 = stablehlo.constant dense<16> : tensor<i64>
      %3 = stablehlo.multiply %iterArg, %c_5 : tensor<i64>
      %4 = stablehlo.dynamic_slice %arg0, %3, %c_3, %c_3, sizes = [16, 128, 16] : (tensor<128x128x16xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<16x128x16xf32>
      %5 = stablehlo.dynamic_slice %arg1, %3, %c_3, %c_3, sizes = [16, 128, 16] : (tensor<128x128x16xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<16x128x16xf32>
      %6 = stablehlo.dynamic_slice %arg0, %3, %c_3, %c_3, sizes = [16, 128, 16] : (tensor<128x128x16xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<16x128x16xf32>
      %7 = stablehlo.dynamic_slice %1, %3, %c_3, %c_3, sizes = [16, 128, 16] : (tensor<128x128x16xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<16x128x16xf32>
      %8 = stablehlo.dynamic_slice %arg2, %3, %c_3, %c_3, sizes = [16, 128, 16] : (tensor<128x128x16xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<16x128x16xf32>
      %9 = stablehlo.dot_general %4, %5, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<16x128x16xf32>, tensor<16x128x16xf32>) -> tensor<16x128x128xf32>
      %10 = stablehlo.exponential %9 : tensor<16x128x128xf32>
      %11 = stablehlo.dot_general %6, %7, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<16x128x16xf32>, tensor<16x128x16xf32>) -> tensor<16x128x128xf32>
      %12 = stablehlo.multiply %11, %10 : tensor<16x128x128xf32>
      %13 = stablehlo.dot_general %12, %8, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<16x128x128xf32>, tensor<16x128x16xf32>) -> tensor<16x128x16xf32>
      %14 = stablehlo.dynamic_update_slice %iterArg_2, %13, %3, %c_3, %c_3 : (tensor<128x128x16xf32>, tensor<16x128x16xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<128x128x16xf32>
      %c_6 = stablehlo.constant dense<1> : tensor<i64>
      %15 = stablehlo.add %iterArg, %c_6 : tensor<i64>
      stablehlo.return %15, %14 : tensor<i64>, tensor<128x128x16xf32>
    }
    return %2#1 : tensor<128x128x16xf32>
  }
}
