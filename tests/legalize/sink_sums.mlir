// weft opt --weft-sink-loop-sums
// The gradient of a weight: a product after the loop. One factor is in an array already, read from its end; the other is written to one
// in that order. The sum of rows reads this array, too.
func.func @main(%xs: tensor<8x4x256xf32>, %s: tensor<4x512xf32>, %g0: tensor<256x512xf32>, %b0: tensor<512xf32>) -> (tensor<256x512xf32>, tensor<512xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:4 = stablehlo.while(%i = %zero, %h = %s, %g = %g0, %b = %b0) : tensor<i32>, tensor<4x512xf32>, tensor<256x512xf32>, tensor<512xf32>
  cond {
    %end = stablehlo.constant dense<8> : tensor<i32>
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %seven = stablehlo.constant dense<7> : tensor<i32>
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %at = stablehlo.subtract %seven, %i : tensor<i32>
    %slice = stablehlo.dynamic_slice %xs, %at, %z, %z, sizes = [1, 4, 256] : (tensor<8x4x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x256xf32>
    %x = stablehlo.reshape %slice : (tensor<1x4x256xf32>) -> tensor<4x256xf32>
    %next = stablehlo.tanh %h : tensor<4x512xf32>
    %p = stablehlo.dot_general %next, %x, contracting_dims = [0] x [0] : (tensor<4x512xf32>, tensor<4x256xf32>) -> tensor<512x256xf32>
    %t = stablehlo.transpose %p, dims = [1, 0] : (tensor<512x256xf32>) -> tensor<256x512xf32>
    %f = stablehlo.add %g, %t : tensor<256x512xf32>
    %bias = stablehlo.reduce(%next init: %none) applies stablehlo.add across dimensions = [0] : (tensor<4x512xf32>, tensor<f32>) -> tensor<512xf32>
    %c = stablehlo.add %b, %bias : tensor<512xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next, %f, %c : tensor<i32>, tensor<4x512xf32>, tensor<256x512xf32>, tensor<512xf32>
  }
  return %r#2, %r#3 : tensor<256x512xf32>, tensor<512xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<8x4x256xf32>, %arg1: tensor<4x512xf32>, %arg2: tensor<256x512xf32>, %arg3: tensor<512xf32>) -> (tensor<256x512xf32>, tensor<512xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<8x4x512xf32>
    %0:3 = stablehlo.while(%iterArg = %c, %iterArg_1 = %arg1, %iterArg_2 = %cst) : tensor<i32>, tensor<4x512xf32>, tensor<8x4x512xf32>
    cond {
      %c_3 = stablehlo.constant dense<8> : tensor<i32>
      %8 = stablehlo.compare LT, %iterArg, %c_3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.tanh %iterArg_1 : tensor<4x512xf32>
      %9 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<7> : tensor<i32>
      %10 = stablehlo.subtract %c_4, %iterArg : tensor<i32>
      %c_5 = stablehlo.constant dense<0> : tensor<i32>
      %11 = stablehlo.reshape %8 : (tensor<4x512xf32>) -> tensor<1x4x512xf32>
      %12 = stablehlo.dynamic_update_slice %iterArg_2, %11, %10, %c_5, %c_5 : (tensor<8x4x512xf32>, tensor<1x4x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8x4x512xf32>
      stablehlo.return %9, %8, %12 : tensor<i32>, tensor<4x512xf32>, tensor<8x4x512xf32>
    }
    %1 = stablehlo.reshape %arg0 : (tensor<8x4x256xf32>) -> tensor<8x1x4x256xf32>
    %2 = stablehlo.reshape %1 : (tensor<8x1x4x256xf32>) -> tensor<8x4x256xf32>
    %3 = stablehlo.dot_general %0#2, %2, contracting_dims = [0, 1] x [0, 1] : (tensor<8x4x512xf32>, tensor<8x4x256xf32>) -> tensor<512x256xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<512x256xf32>) -> tensor<256x512xf32>
    %5 = stablehlo.add %arg2, %4 : tensor<256x512xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%0#2 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4x512xf32>, tensor<f32>) -> tensor<512xf32>
    %7 = stablehlo.add %arg3, %6 : tensor<512xf32>
    return %5, %7 : tensor<256x512xf32>, tensor<512xf32>
  }
}
// -----
// weft opt --weft-sink-loop-sums
// Something else in the body reads the sum.
func.func @main(%xs: tensor<8x4x256xf32>, %s: tensor<4x512xf32>, %g0: tensor<256x512xf32>, %b0: tensor<512xf32>) -> (tensor<256x512xf32>, tensor<512xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:4 = stablehlo.while(%i = %zero, %h = %s, %g = %g0, %b = %b0) : tensor<i32>, tensor<4x512xf32>, tensor<256x512xf32>, tensor<512xf32>
  cond {
    %end = stablehlo.constant dense<8> : tensor<i32>
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %seven = stablehlo.constant dense<7> : tensor<i32>
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %at = stablehlo.subtract %seven, %i : tensor<i32>
    %slice = stablehlo.dynamic_slice %xs, %at, %z, %z, sizes = [1, 4, 256] : (tensor<8x4x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x256xf32>
    %x = stablehlo.reshape %slice : (tensor<1x4x256xf32>) -> tensor<4x256xf32>
    %next = stablehlo.tanh %h : tensor<4x512xf32>
    %p = stablehlo.dot_general %next, %x, contracting_dims = [0] x [0] : (tensor<4x512xf32>, tensor<4x256xf32>) -> tensor<512x256xf32>
    %t = stablehlo.transpose %p, dims = [1, 0] : (tensor<512x256xf32>) -> tensor<256x512xf32>
    %q = stablehlo.add %g, %t : tensor<256x512xf32>
    %f = stablehlo.maximum %q, %g : tensor<256x512xf32>
    %bias = stablehlo.reduce(%next init: %none) applies stablehlo.add across dimensions = [0] : (tensor<4x512xf32>, tensor<f32>) -> tensor<512xf32>
    %c = stablehlo.add %b, %bias : tensor<512xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next, %f, %c : tensor<i32>, tensor<4x512xf32>, tensor<256x512xf32>, tensor<512xf32>
  }
  return %r#2, %r#3 : tensor<256x512xf32>, tensor<512xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<8x4x256xf32>, %arg1: tensor<4x512xf32>, %arg2: tensor<256x512xf32>, %arg3: tensor<512xf32>) -> (tensor<256x512xf32>, tensor<512xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:4 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1, %iterArg_1 = %arg2, %iterArg_2 = %arg3) : tensor<i32>, tensor<4x512xf32>, tensor<256x512xf32>, tensor<512xf32>
    cond {
      %c_3 = stablehlo.constant dense<8> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %c_5 = stablehlo.constant dense<7> : tensor<i32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.subtract %c_5, %iterArg : tensor<i32>
      %2 = stablehlo.dynamic_slice %arg0, %1, %c_3, %c_3, sizes = [1, 4, 256] : (tensor<8x4x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x256xf32>
      %3 = stablehlo.reshape %2 : (tensor<1x4x256xf32>) -> tensor<4x256xf32>
      %4 = stablehlo.tanh %iterArg_0 : tensor<4x512xf32>
      %5 = stablehlo.dot_general %4, %3, contracting_dims = [0] x [0] : (tensor<4x512xf32>, tensor<4x256xf32>) -> tensor<512x256xf32>
      %6 = stablehlo.transpose %5, dims = [1, 0] : (tensor<512x256xf32>) -> tensor<256x512xf32>
      %7 = stablehlo.add %iterArg_1, %6 : tensor<256x512xf32>
      %8 = stablehlo.maximum %7, %iterArg_1 : tensor<256x512xf32>
      %9 = stablehlo.reduce(%4 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4x512xf32>, tensor<f32>) -> tensor<512xf32>
      %10 = stablehlo.add %iterArg_2, %9 : tensor<512xf32>
      %11 = stablehlo.add %iterArg, %c_4 : tensor<i32>
      stablehlo.return %11, %4, %8, %10 : tensor<i32>, tensor<4x512xf32>, tensor<256x512xf32>, tensor<512xf32>
    }
    return %0#2, %0#3 : tensor<256x512xf32>, tensor<512xf32>
  }
}
// -----
// weft opt --weft-sink-loop-sums
// Two terms are added.
func.func @main(%xs: tensor<8x4x256xf32>, %s: tensor<4x512xf32>, %g0: tensor<256x512xf32>, %b0: tensor<512xf32>) -> (tensor<256x512xf32>, tensor<512xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:4 = stablehlo.while(%i = %zero, %h = %s, %g = %g0, %b = %b0) : tensor<i32>, tensor<4x512xf32>, tensor<256x512xf32>, tensor<512xf32>
  cond {
    %end = stablehlo.constant dense<8> : tensor<i32>
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %seven = stablehlo.constant dense<7> : tensor<i32>
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %at = stablehlo.subtract %seven, %i : tensor<i32>
    %slice = stablehlo.dynamic_slice %xs, %at, %z, %z, sizes = [1, 4, 256] : (tensor<8x4x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x256xf32>
    %x = stablehlo.reshape %slice : (tensor<1x4x256xf32>) -> tensor<4x256xf32>
    %next = stablehlo.tanh %h : tensor<4x512xf32>
    %p = stablehlo.dot_general %next, %x, contracting_dims = [0] x [0] : (tensor<4x512xf32>, tensor<4x256xf32>) -> tensor<512x256xf32>
    %t = stablehlo.transpose %p, dims = [1, 0] : (tensor<512x256xf32>) -> tensor<256x512xf32>
    %q = stablehlo.add %g, %t : tensor<256x512xf32>
    %f = stablehlo.add %q, %t : tensor<256x512xf32>
    %bias = stablehlo.reduce(%next init: %none) applies stablehlo.add across dimensions = [0] : (tensor<4x512xf32>, tensor<f32>) -> tensor<512xf32>
    %c = stablehlo.add %b, %bias : tensor<512xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next, %f, %c : tensor<i32>, tensor<4x512xf32>, tensor<256x512xf32>, tensor<512xf32>
  }
  return %r#2, %r#3 : tensor<256x512xf32>, tensor<512xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<8x4x256xf32>, %arg1: tensor<4x512xf32>, %arg2: tensor<256x512xf32>, %arg3: tensor<512xf32>) -> (tensor<256x512xf32>, tensor<512xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:4 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1, %iterArg_1 = %arg2, %iterArg_2 = %arg3) : tensor<i32>, tensor<4x512xf32>, tensor<256x512xf32>, tensor<512xf32>
    cond {
      %c_3 = stablehlo.constant dense<8> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %c_5 = stablehlo.constant dense<7> : tensor<i32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.subtract %c_5, %iterArg : tensor<i32>
      %2 = stablehlo.dynamic_slice %arg0, %1, %c_3, %c_3, sizes = [1, 4, 256] : (tensor<8x4x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x256xf32>
      %3 = stablehlo.reshape %2 : (tensor<1x4x256xf32>) -> tensor<4x256xf32>
      %4 = stablehlo.tanh %iterArg_0 : tensor<4x512xf32>
      %5 = stablehlo.dot_general %4, %3, contracting_dims = [0] x [0] : (tensor<4x512xf32>, tensor<4x256xf32>) -> tensor<512x256xf32>
      %6 = stablehlo.transpose %5, dims = [1, 0] : (tensor<512x256xf32>) -> tensor<256x512xf32>
      %7 = stablehlo.add %iterArg_1, %6 : tensor<256x512xf32>
      %8 = stablehlo.add %7, %6 : tensor<256x512xf32>
      %9 = stablehlo.reduce(%4 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4x512xf32>, tensor<f32>) -> tensor<512xf32>
      %10 = stablehlo.add %iterArg_2, %9 : tensor<512xf32>
      %11 = stablehlo.add %iterArg, %c_4 : tensor<i32>
      stablehlo.return %11, %4, %8, %10 : tensor<i32>, tensor<4x512xf32>, tensor<256x512xf32>, tensor<512xf32>
    }
    return %0#2, %0#3 : tensor<256x512xf32>, tensor<512xf32>
  }
}
// -----
// weft opt --weft-sink-loop-sums
// Nobody knows how many iterations there are.
func.func @main(%xs: tensor<8x4x256xf32>, %s: tensor<4x512xf32>, %g0: tensor<256x512xf32>, %b0: tensor<512xf32>, %limit: tensor<i32>) -> (tensor<256x512xf32>, tensor<512xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:4 = stablehlo.while(%i = %zero, %h = %s, %g = %g0, %b = %b0) : tensor<i32>, tensor<4x512xf32>, tensor<256x512xf32>, tensor<512xf32>
  cond {
    %end = stablehlo.add %limit, %limit : tensor<i32>
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %seven = stablehlo.constant dense<7> : tensor<i32>
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %at = stablehlo.subtract %seven, %i : tensor<i32>
    %slice = stablehlo.dynamic_slice %xs, %at, %z, %z, sizes = [1, 4, 256] : (tensor<8x4x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x256xf32>
    %x = stablehlo.reshape %slice : (tensor<1x4x256xf32>) -> tensor<4x256xf32>
    %next = stablehlo.tanh %h : tensor<4x512xf32>
    %p = stablehlo.dot_general %next, %x, contracting_dims = [0] x [0] : (tensor<4x512xf32>, tensor<4x256xf32>) -> tensor<512x256xf32>
    %t = stablehlo.transpose %p, dims = [1, 0] : (tensor<512x256xf32>) -> tensor<256x512xf32>
    %f = stablehlo.add %g, %t : tensor<256x512xf32>
    %bias = stablehlo.reduce(%next init: %none) applies stablehlo.add across dimensions = [0] : (tensor<4x512xf32>, tensor<f32>) -> tensor<512xf32>
    %c = stablehlo.add %b, %bias : tensor<512xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next, %f, %c : tensor<i32>, tensor<4x512xf32>, tensor<256x512xf32>, tensor<512xf32>
  }
  return %r#2, %r#3 : tensor<256x512xf32>, tensor<512xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<8x4x256xf32>, %arg1: tensor<4x512xf32>, %arg2: tensor<256x512xf32>, %arg3: tensor<512xf32>, %arg4: tensor<i32>) -> (tensor<256x512xf32>, tensor<512xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:4 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1, %iterArg_1 = %arg2, %iterArg_2 = %arg3) : tensor<i32>, tensor<4x512xf32>, tensor<256x512xf32>, tensor<512xf32>
    cond {
      %1 = stablehlo.add %arg4, %arg4 : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %c_5 = stablehlo.constant dense<7> : tensor<i32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.subtract %c_5, %iterArg : tensor<i32>
      %2 = stablehlo.dynamic_slice %arg0, %1, %c_3, %c_3, sizes = [1, 4, 256] : (tensor<8x4x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x256xf32>
      %3 = stablehlo.reshape %2 : (tensor<1x4x256xf32>) -> tensor<4x256xf32>
      %4 = stablehlo.tanh %iterArg_0 : tensor<4x512xf32>
      %5 = stablehlo.dot_general %4, %3, contracting_dims = [0] x [0] : (tensor<4x512xf32>, tensor<4x256xf32>) -> tensor<512x256xf32>
      %6 = stablehlo.transpose %5, dims = [1, 0] : (tensor<512x256xf32>) -> tensor<256x512xf32>
      %7 = stablehlo.add %iterArg_1, %6 : tensor<256x512xf32>
      %8 = stablehlo.reduce(%4 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4x512xf32>, tensor<f32>) -> tensor<512xf32>
      %9 = stablehlo.add %iterArg_2, %8 : tensor<512xf32>
      %10 = stablehlo.add %iterArg, %c_4 : tensor<i32>
      stablehlo.return %10, %4, %7, %9 : tensor<i32>, tensor<4x512xf32>, tensor<256x512xf32>, tensor<512xf32>
    }
    return %0#2, %0#3 : tensor<256x512xf32>, tensor<512xf32>
  }
}
// -----
// weft opt --weft-sink-loop-sums
// Many rows: what adding the products up takes is little beside them, and the arrays would be large.
func.func @main(%xs: tensor<8x512x256xf32>, %s: tensor<512x512xf32>, %g0: tensor<256x512xf32>, %b0: tensor<512xf32>) -> (tensor<256x512xf32>, tensor<512xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:4 = stablehlo.while(%i = %zero, %h = %s, %g = %g0, %b = %b0) : tensor<i32>, tensor<512x512xf32>, tensor<256x512xf32>, tensor<512xf32>
  cond {
    %end = stablehlo.constant dense<8> : tensor<i32>
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %seven = stablehlo.constant dense<7> : tensor<i32>
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %at = stablehlo.subtract %seven, %i : tensor<i32>
    %slice = stablehlo.dynamic_slice %xs, %at, %z, %z, sizes = [1, 512, 256] : (tensor<8x512x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x512x256xf32>
    %x = stablehlo.reshape %slice : (tensor<1x512x256xf32>) -> tensor<512x256xf32>
    %next = stablehlo.tanh %h : tensor<512x512xf32>
    %p = stablehlo.dot_general %next, %x, contracting_dims = [0] x [0] : (tensor<512x512xf32>, tensor<512x256xf32>) -> tensor<512x256xf32>
    %t = stablehlo.transpose %p, dims = [1, 0] : (tensor<512x256xf32>) -> tensor<256x512xf32>
    %f = stablehlo.add %g, %t : tensor<256x512xf32>
    %bias = stablehlo.reduce(%next init: %none) applies stablehlo.add across dimensions = [0] : (tensor<512x512xf32>, tensor<f32>) -> tensor<512xf32>
    %c = stablehlo.add %b, %bias : tensor<512xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next, %f, %c : tensor<i32>, tensor<512x512xf32>, tensor<256x512xf32>, tensor<512xf32>
  }
  return %r#2, %r#3 : tensor<256x512xf32>, tensor<512xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<8x512x256xf32>, %arg1: tensor<512x512xf32>, %arg2: tensor<256x512xf32>, %arg3: tensor<512xf32>) -> (tensor<256x512xf32>, tensor<512xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:4 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1, %iterArg_1 = %arg2, %iterArg_2 = %arg3) : tensor<i32>, tensor<512x512xf32>, tensor<256x512xf32>, tensor<512xf32>
    cond {
      %c_3 = stablehlo.constant dense<8> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %c_5 = stablehlo.constant dense<7> : tensor<i32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.subtract %c_5, %iterArg : tensor<i32>
      %2 = stablehlo.dynamic_slice %arg0, %1, %c_3, %c_3, sizes = [1, 512, 256] : (tensor<8x512x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x512x256xf32>
      %3 = stablehlo.reshape %2 : (tensor<1x512x256xf32>) -> tensor<512x256xf32>
      %4 = stablehlo.tanh %iterArg_0 : tensor<512x512xf32>
      %5 = stablehlo.dot_general %4, %3, contracting_dims = [0] x [0] : (tensor<512x512xf32>, tensor<512x256xf32>) -> tensor<512x256xf32>
      %6 = stablehlo.transpose %5, dims = [1, 0] : (tensor<512x256xf32>) -> tensor<256x512xf32>
      %7 = stablehlo.add %iterArg_1, %6 : tensor<256x512xf32>
      %8 = stablehlo.reduce(%4 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<512x512xf32>, tensor<f32>) -> tensor<512xf32>
      %9 = stablehlo.add %iterArg_2, %8 : tensor<512xf32>
      %10 = stablehlo.add %iterArg, %c_4 : tensor<i32>
      stablehlo.return %10, %4, %7, %9 : tensor<i32>, tensor<512x512xf32>, tensor<256x512xf32>, tensor<512xf32>
    }
    return %0#2, %0#3 : tensor<256x512xf32>, tensor<512xf32>
  }
}
// -----
// weft opt --weft-sink-loop-sums
// A product that devices add up first is reduced where it is; weft-defer-reductions would have moved that.
func.func @main(%xs: tensor<8x4x256xf32>, %s: tensor<4x512xf32>, %g0: tensor<256x512xf32>, %b0: tensor<512xf32>) -> (tensor<256x512xf32>, tensor<512xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:4 = stablehlo.while(%i = %zero, %h = %s, %g = %g0, %b = %b0) : tensor<i32>, tensor<4x512xf32>, tensor<256x512xf32>, tensor<512xf32>
  cond {
    %end = stablehlo.constant dense<8> : tensor<i32>
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %seven = stablehlo.constant dense<7> : tensor<i32>
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %at = stablehlo.subtract %seven, %i : tensor<i32>
    %slice = stablehlo.dynamic_slice %xs, %at, %z, %z, sizes = [1, 4, 256] : (tensor<8x4x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x256xf32>
    %x = stablehlo.reshape %slice : (tensor<1x4x256xf32>) -> tensor<4x256xf32>
    %next = stablehlo.tanh %h : tensor<4x512xf32>
    %p = stablehlo.dot_general %next, %x, contracting_dims = [0] x [0] : (tensor<4x512xf32>, tensor<4x256xf32>) -> tensor<512x256xf32>
    %t = stablehlo.transpose %p, dims = [1, 0] : (tensor<512x256xf32>) -> tensor<256x512xf32>
    %all = "stablehlo.all_reduce"(%t) ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %w = stablehlo.add %u, %v : tensor<f32>
      stablehlo.return %w : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<256x512xf32>) -> tensor<256x512xf32>
    %f = stablehlo.add %g, %all : tensor<256x512xf32>
    %bias = stablehlo.reduce(%next init: %none) applies stablehlo.add across dimensions = [0] : (tensor<4x512xf32>, tensor<f32>) -> tensor<512xf32>
    %c = stablehlo.add %b, %bias : tensor<512xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next, %f, %c : tensor<i32>, tensor<4x512xf32>, tensor<256x512xf32>, tensor<512xf32>
  }
  return %r#2, %r#3 : tensor<256x512xf32>, tensor<512xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<8x4x256xf32>, %arg1: tensor<4x512xf32>, %arg2: tensor<256x512xf32>, %arg3: tensor<512xf32>) -> (tensor<256x512xf32>, tensor<512xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:4 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1, %iterArg_1 = %arg2, %iterArg_2 = %arg3) : tensor<i32>, tensor<4x512xf32>, tensor<256x512xf32>, tensor<512xf32>
    cond {
      %c_3 = stablehlo.constant dense<8> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %c_5 = stablehlo.constant dense<7> : tensor<i32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.subtract %c_5, %iterArg : tensor<i32>
      %2 = stablehlo.dynamic_slice %arg0, %1, %c_3, %c_3, sizes = [1, 4, 256] : (tensor<8x4x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x256xf32>
      %3 = stablehlo.reshape %2 : (tensor<1x4x256xf32>) -> tensor<4x256xf32>
      %4 = stablehlo.tanh %iterArg_0 : tensor<4x512xf32>
      %5 = stablehlo.dot_general %4, %3, contracting_dims = [0] x [0] : (tensor<4x512xf32>, tensor<4x256xf32>) -> tensor<512x256xf32>
      %6 = stablehlo.transpose %5, dims = [1, 0] : (tensor<512x256xf32>) -> tensor<256x512xf32>
      %7 = "stablehlo.all_reduce"(%6) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %12 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %12 : tensor<f32>
      }) : (tensor<256x512xf32>) -> tensor<256x512xf32>
      %8 = stablehlo.add %iterArg_1, %7 : tensor<256x512xf32>
      %9 = stablehlo.reduce(%4 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4x512xf32>, tensor<f32>) -> tensor<512xf32>
      %10 = stablehlo.add %iterArg_2, %9 : tensor<512xf32>
      %11 = stablehlo.add %iterArg, %c_4 : tensor<i32>
      stablehlo.return %11, %4, %8, %10 : tensor<i32>, tensor<4x512xf32>, tensor<256x512xf32>, tensor<512xf32>
    }
    return %0#2, %0#3 : tensor<256x512xf32>, tensor<512xf32>
  }
}
