// weft opt --weft-expand-bodies
// Regions of scalar arithmetic stay: kernels apply them to many elements at a time.
func.func @main(%x: tensor<4x3xi32>, %p: tensor<i1>) -> tensor<4xi32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = "stablehlo.reduce"(%x, %z) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %d = "stablehlo.if"(%c) ({
      %e = stablehlo.add %a, %z : tensor<i32>
      stablehlo.return %e : tensor<i32>
    }, {
      stablehlo.return %b : tensor<i32>
    }) : (tensor<i1>) -> tensor<i32>
    stablehlo.return %d : tensor<i32>
  }) {dimensions = array<i64: 1>} : (tensor<4x3xi32>, tensor<i32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}
// ==>
module {
  func.func @main(%arg0: tensor<4x3xi32>, %arg1: tensor<i1>) -> tensor<4xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.reduce(%arg0 init: %c) across dimensions = [1] : (tensor<4x3xi32>, tensor<i32>) -> tensor<4xi32>
     reducer(%arg2: tensor<i32>, %arg3: tensor<i32>)  {
      %1 = stablehlo.compare LT, %arg2, %arg3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %2 = "stablehlo.if"(%1) ({
        %3 = stablehlo.add %arg2, %c : tensor<i32>
        stablehlo.return %3 : tensor<i32>
      }, {
        stablehlo.return %arg3 : tensor<i32>
      }) : (tensor<i1>) -> tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }
    return %0 : tensor<4xi32>
  }
}
// -----
// weft opt --weft-expand-bodies
// A tensor inside: one element after another.
func.func @main(%x: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %r = "stablehlo.map"(%x) ({
  ^bb0(%a: tensor<i32>):
    %z = stablehlo.constant dense<0> : tensor<i32>
    %b = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %s = stablehlo.reduce(%b init: %z) applies stablehlo.add across dimensions = [0] : (tensor<5xi32>, tensor<i32>) -> tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}
// ==>
module {
  func.func @main(%arg0: tensor<2x3xi32>) -> tensor<2x3xi32> {
    %0 = stablehlo.reshape %arg0 : (tensor<2x3xi32>) -> tensor<6xi32>
    %c = stablehlo.constant dense<0> : tensor<6xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.while(%iterArg = %c_0, %iterArg_1 = %c) : tensor<i64>, tensor<6xi32>
    cond {
      %c_2 = stablehlo.constant dense<6> : tensor<i64>
      %3 = stablehlo.compare LT, %iterArg, %c_2 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = stablehlo.dynamic_slice %0, %iterArg, sizes = [1] : (tensor<6xi32>, tensor<i64>) -> tensor<1xi32>
      %4 = stablehlo.reshape %3 : (tensor<1xi32>) -> tensor<i32>
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i32>) -> tensor<5xi32>
      %6 = stablehlo.reduce(%5 init: %c_2) applies stablehlo.add across dimensions = [0] : (tensor<5xi32>, tensor<i32>) -> tensor<i32>
      %7 = stablehlo.reshape %6 : (tensor<i32>) -> tensor<1xi32>
      %8 = stablehlo.dynamic_update_slice %iterArg_1, %7, %iterArg : (tensor<6xi32>, tensor<1xi32>, tensor<i64>) -> tensor<6xi32>
      %c_3 = stablehlo.constant dense<1> : tensor<i64>
      %9 = stablehlo.add %iterArg, %c_3 : tensor<i64>
      stablehlo.return %9, %8 : tensor<i64>, tensor<6xi32>
    }
    %2 = stablehlo.reshape %1#1 : (tensor<6xi32>) -> tensor<2x3xi32>
    return %2 : tensor<2x3xi32>
  }
}
// -----
// weft opt --weft-expand-bodies
// A value from outside; along the first dimension, from the initial value.
func.func @main(%x: tensor<3x2xf32>, %y: tensor<f32>) -> tensor<2xf32> {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %r = "stablehlo.reduce"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.multiply %b, %y : tensor<f32>
    %d = stablehlo.add %a, %c : tensor<f32>
    stablehlo.return %d : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<3x2xf32>, tensor<f32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<3x2xf32>, %arg1: tensor<f32>) -> tensor<2xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.reshape %arg0 : (tensor<3x2xf32>) -> tensor<6xf32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %cst, %iterArg_1 = %1) : tensor<i64>, tensor<f32>, tensor<2xf32>
    cond {
      %c_2 = stablehlo.constant dense<6> : tensor<i64>
      %4 = stablehlo.compare LT, %iterArg, %c_2 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<3> : tensor<i64>
      %4 = stablehlo.divide %iterArg, %c_2 : tensor<i64>
      %5 = stablehlo.remainder %iterArg, %c_2 : tensor<i64>
      %c_3 = stablehlo.constant dense<0> : tensor<i64>
      %6 = stablehlo.compare EQ, %5, %c_3 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %c_4 = stablehlo.constant dense<0> : tensor<i64>
      %c_5 = stablehlo.constant dense<2> : tensor<i64>
      %c_6 = stablehlo.constant dense<1> : tensor<i64>
      %7 = stablehlo.multiply %4, %c_6 : tensor<i64>
      %8 = stablehlo.add %c_4, %7 : tensor<i64>
      %c_7 = stablehlo.constant dense<3> : tensor<i64>
      %c_8 = stablehlo.constant dense<2> : tensor<i64>
      %9 = stablehlo.multiply %5, %c_8 : tensor<i64>
      %10 = stablehlo.add %8, %9 : tensor<i64>
      %11 = stablehlo.select %6, %cst, %iterArg_0 : tensor<i1>, tensor<f32>
      %12 = stablehlo.dynamic_slice %0, %10, sizes = [1] : (tensor<6xf32>, tensor<i64>) -> tensor<1xf32>
      %13 = stablehlo.reshape %12 : (tensor<1xf32>) -> tensor<f32>
      %14 = stablehlo.multiply %13, %arg1 : tensor<f32>
      %15 = stablehlo.add %11, %14 : tensor<f32>
      %16 = stablehlo.reshape %15 : (tensor<f32>) -> tensor<1xf32>
      %17 = stablehlo.dynamic_update_slice %iterArg_1, %16, %4 : (tensor<2xf32>, tensor<1xf32>, tensor<i64>) -> tensor<2xf32>
      %c_9 = stablehlo.constant dense<1> : tensor<i64>
      %18 = stablehlo.add %iterArg, %c_9 : tensor<i64>
      stablehlo.return %18, %15, %17 : tensor<i64>, tensor<f32>, tensor<2xf32>
    }
    %3 = stablehlo.reshape %2#2 : (tensor<2xf32>) -> tensor<2xf32>
    return %3 : tensor<2xf32>
  }
}
// -----
// weft opt --weft-expand-bodies
// Nothing to apply it to.
func.func @main(%x: tensor<2x0xf32>, %y: tensor<f32>) -> tensor<2xf32> {
  %r = "stablehlo.reduce"(%x, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %d = stablehlo.dot_general %a, %b, contracting_dims = [] x [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %d : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<2x0xf32>, tensor<f32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<2x0xf32>, %arg1: tensor<f32>) -> tensor<2xf32> {
    %0 = stablehlo.reshape %arg0 : (tensor<2x0xf32>) -> tensor<0xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %2 = stablehlo.reshape %1 : (tensor<2xf32>) -> tensor<2xf32>
    return %2 : tensor<2xf32>
  }
}
