// weft opt --weft-hoist-loop-products
// What each iteration adds to the state depends on no other one: one product before the loop. What makes the rows, here a conversion,
// is applied to all of them.
func.func @main(%xs: tensor<8x4x512xbf16>, %w: tensor<512x512xf32>, %s: tensor<4x512xf32>) -> tensor<4x512xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %h = %s) : tensor<i32>, tensor<4x512xf32>
  cond {
    %end = stablehlo.constant dense<8> : tensor<i32>
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %at = stablehlo.add %i, %z : tensor<i32>
    %slice = stablehlo.dynamic_slice %xs, %at, %z, %z, sizes = [1, 4, 512] : (tensor<8x4x512xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x512xbf16>
    %x0 = stablehlo.reshape %slice : (tensor<1x4x512xbf16>) -> tensor<4x512xbf16>
    %x = stablehlo.convert %x0 : (tensor<4x512xbf16>) -> tensor<4x512xf32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x512xf32>, tensor<512x512xf32>) -> tensor<4x512xf32>
    %sum = stablehlo.add %h, %y : tensor<4x512xf32>
    %next = stablehlo.tanh %sum : tensor<4x512xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, tensor<4x512xf32>
  }
  return %r#1 : tensor<4x512xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<8x4x512xbf16>, %arg1: tensor<512x512xf32>, %arg2: tensor<4x512xf32>) -> tensor<4x512xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.reshape %arg0 : (tensor<8x4x512xbf16>) -> tensor<8x1x4x512xbf16>
    %1 = stablehlo.reshape %0 : (tensor<8x1x4x512xbf16>) -> tensor<8x4x512xbf16>
    %2 = stablehlo.convert %1 : (tensor<8x4x512xbf16>) -> tensor<8x4x512xf32>
    %3 = stablehlo.dot_general %2, %arg1, contracting_dims = [2] x [0] : (tensor<8x4x512xf32>, tensor<512x512xf32>) -> tensor<8x4x512xf32>
    %4:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg2) : tensor<i32>, tensor<4x512xf32>
    cond {
      %c_1 = stablehlo.constant dense<8> : tensor<i32>
      %5 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %6 = stablehlo.dynamic_slice %3, %5, %c_3, %c_3, sizes = [1, 4, 512] : (tensor<8x4x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x512xf32>
      %7 = stablehlo.reshape %6 : (tensor<1x4x512xf32>) -> tensor<4x512xf32>
      %8 = stablehlo.add %iterArg_0, %7 : tensor<4x512xf32>
      %9 = stablehlo.tanh %8 : tensor<4x512xf32>
      %10 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      stablehlo.return %10, %9 : tensor<i32>, tensor<4x512xf32>
    }
    return %4#1 : tensor<4x512xf32>
  }
}
// -----
// weft opt --weft-hoist-loop-products
// Read from the last element to the first, and not all of them.
func.func @main(%xs: tensor<8x4x512xf32>, %w: tensor<512x512xf32>, %s: tensor<4x512xf32>) -> tensor<4x512xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %h = %s) : tensor<i32>, tensor<4x512xf32>
  cond {
    %end = stablehlo.constant dense<6> : tensor<i32>
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %last = stablehlo.constant dense<6> : tensor<i32>
    %at = stablehlo.subtract %last, %i : tensor<i32>
    %slice = stablehlo.dynamic_slice %xs, %at, %z, %z, sizes = [1, 4, 512] : (tensor<8x4x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x512xf32>
    %x0 = stablehlo.reshape %slice : (tensor<1x4x512xf32>) -> tensor<4x512xf32>
    %x = stablehlo.negate %x0 : tensor<4x512xf32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x512xf32>, tensor<512x512xf32>) -> tensor<4x512xf32>
    %sum = stablehlo.add %h, %y : tensor<4x512xf32>
    %next = stablehlo.tanh %sum : tensor<4x512xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, tensor<4x512xf32>
  }
  return %r#1 : tensor<4x512xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<8x4x512xf32>, %arg1: tensor<512x512xf32>, %arg2: tensor<4x512xf32>) -> tensor<4x512xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.slice %arg0 [1:7, 0:4, 0:512] : (tensor<8x4x512xf32>) -> tensor<6x4x512xf32>
    %1 = stablehlo.reshape %0 : (tensor<6x4x512xf32>) -> tensor<6x1x4x512xf32>
    %2 = stablehlo.reshape %1 : (tensor<6x1x4x512xf32>) -> tensor<6x4x512xf32>
    %3 = stablehlo.negate %2 : tensor<6x4x512xf32>
    %4 = stablehlo.dot_general %3, %arg1, contracting_dims = [2] x [0] : (tensor<6x4x512xf32>, tensor<512x512xf32>) -> tensor<6x4x512xf32>
    %5:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg2) : tensor<i32>, tensor<4x512xf32>
    cond {
      %c_1 = stablehlo.constant dense<6> : tensor<i32>
      %6 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %c_2 = stablehlo.constant dense<6> : tensor<i32>
      %6 = stablehlo.subtract %c_2, %iterArg : tensor<i32>
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %7 = stablehlo.subtract %6, %c_3 : tensor<i32>
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %8 = stablehlo.dynamic_slice %4, %7, %c_4, %c_4, sizes = [1, 4, 512] : (tensor<6x4x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x512xf32>
      %9 = stablehlo.reshape %8 : (tensor<1x4x512xf32>) -> tensor<4x512xf32>
      %10 = stablehlo.add %iterArg_0, %9 : tensor<4x512xf32>
      %11 = stablehlo.tanh %10 : tensor<4x512xf32>
      %12 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      stablehlo.return %12, %11 : tensor<i32>, tensor<4x512xf32>
    }
    return %5#1 : tensor<4x512xf32>
  }
}
// -----
// weft opt --weft-hoist-loop-products
// Products of many rows gain nothing: arithmetic limits them in the loop as before it.
func.func @main(%xs: tensor<8x256x512xf32>, %w: tensor<512x512xf32>, %s: tensor<256x512xf32>) -> tensor<256x512xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %h = %s) : tensor<i32>, tensor<256x512xf32>
  cond {
    %end = stablehlo.constant dense<8> : tensor<i32>
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %at = stablehlo.add %i, %z : tensor<i32>
    %slice = stablehlo.dynamic_slice %xs, %at, %z, %z, sizes = [1, 256, 512] : (tensor<8x256x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x512xf32>
    %x0 = stablehlo.reshape %slice : (tensor<1x256x512xf32>) -> tensor<256x512xf32>
    %x = stablehlo.negate %x0 : tensor<256x512xf32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
    %sum = stablehlo.add %h, %y : tensor<256x512xf32>
    %next = stablehlo.tanh %sum : tensor<256x512xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, tensor<256x512xf32>
  }
  return %r#1 : tensor<256x512xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<8x256x512xf32>, %arg1: tensor<512x512xf32>, %arg2: tensor<256x512xf32>) -> tensor<256x512xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg2) : tensor<i32>, tensor<256x512xf32>
    cond {
      %c_1 = stablehlo.constant dense<8> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %2 = stablehlo.dynamic_slice %arg0, %1, %c_1, %c_1, sizes = [1, 256, 512] : (tensor<8x256x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x512xf32>
      %3 = stablehlo.reshape %2 : (tensor<1x256x512xf32>) -> tensor<256x512xf32>
      %4 = stablehlo.negate %3 : tensor<256x512xf32>
      %5 = stablehlo.dot_general %4, %arg1, contracting_dims = [1] x [0] : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
      %6 = stablehlo.add %iterArg_0, %5 : tensor<256x512xf32>
      %7 = stablehlo.tanh %6 : tensor<256x512xf32>
      %8 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      stablehlo.return %8, %7 : tensor<i32>, tensor<256x512xf32>
    }
    return %0#1 : tensor<256x512xf32>
  }
}
// -----
// weft opt --weft-hoist-loop-products
// The last iteration reads element 7 again: the index is clamped.
func.func @main(%xs: tensor<8x4x512xf32>, %w: tensor<512x512xf32>, %s: tensor<4x512xf32>) -> tensor<4x512xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %h = %s) : tensor<i32>, tensor<4x512xf32>
  cond {
    %end = stablehlo.constant dense<8> : tensor<i32>
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %at = stablehlo.add %i, %one : tensor<i32>
    %slice = stablehlo.dynamic_slice %xs, %at, %z, %z, sizes = [1, 4, 512] : (tensor<8x4x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x512xf32>
    %x0 = stablehlo.reshape %slice : (tensor<1x4x512xf32>) -> tensor<4x512xf32>
    %x = stablehlo.negate %x0 : tensor<4x512xf32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x512xf32>, tensor<512x512xf32>) -> tensor<4x512xf32>
    %sum = stablehlo.add %h, %y : tensor<4x512xf32>
    %next = stablehlo.tanh %sum : tensor<4x512xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, tensor<4x512xf32>
  }
  return %r#1 : tensor<4x512xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<8x4x512xf32>, %arg1: tensor<512x512xf32>, %arg2: tensor<4x512xf32>) -> tensor<4x512xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg2) : tensor<i32>, tensor<4x512xf32>
    cond {
      %c_1 = stablehlo.constant dense<8> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      %2 = stablehlo.dynamic_slice %arg0, %1, %c_1, %c_1, sizes = [1, 4, 512] : (tensor<8x4x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x512xf32>
      %3 = stablehlo.reshape %2 : (tensor<1x4x512xf32>) -> tensor<4x512xf32>
      %4 = stablehlo.negate %3 : tensor<4x512xf32>
      %5 = stablehlo.dot_general %4, %arg1, contracting_dims = [1] x [0] : (tensor<4x512xf32>, tensor<512x512xf32>) -> tensor<4x512xf32>
      %6 = stablehlo.add %iterArg_0, %5 : tensor<4x512xf32>
      %7 = stablehlo.tanh %6 : tensor<4x512xf32>
      %8 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      stablehlo.return %8, %7 : tensor<i32>, tensor<4x512xf32>
    }
    return %0#1 : tensor<4x512xf32>
  }
}
// -----
// weft opt --weft-hoist-loop-products
// What other devices add is not there before the loop.
func.func @main(%xs: tensor<8x4x512xf32>, %w: tensor<512x512xf32>, %s: tensor<4x512xf32>) -> tensor<4x512xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %h = %s) : tensor<i32>, tensor<4x512xf32>
  cond {
    %end = stablehlo.constant dense<8> : tensor<i32>
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %at = stablehlo.add %i, %z : tensor<i32>
    %slice = stablehlo.dynamic_slice %xs, %at, %z, %z, sizes = [1, 4, 512] : (tensor<8x4x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x512xf32>
    %x0 = stablehlo.reshape %slice : (tensor<1x4x512xf32>) -> tensor<4x512xf32>
    %x = "stablehlo.all_reduce"(%x0) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x512xf32>) -> tensor<4x512xf32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x512xf32>, tensor<512x512xf32>) -> tensor<4x512xf32>
    %sum = stablehlo.add %h, %y : tensor<4x512xf32>
    %next = stablehlo.tanh %sum : tensor<4x512xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, tensor<4x512xf32>
  }
  return %r#1 : tensor<4x512xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<8x4x512xf32>, %arg1: tensor<512x512xf32>, %arg2: tensor<4x512xf32>) -> tensor<4x512xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg2) : tensor<i32>, tensor<4x512xf32>
    cond {
      %c_1 = stablehlo.constant dense<8> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %2 = stablehlo.dynamic_slice %arg0, %1, %c_1, %c_1, sizes = [1, 4, 512] : (tensor<8x4x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x512xf32>
      %3 = stablehlo.reshape %2 : (tensor<1x4x512xf32>) -> tensor<4x512xf32>
      %4 = "stablehlo.all_reduce"(%3) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
      ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
        %9 = stablehlo.add %arg3, %arg4 : tensor<f32>
        stablehlo.return %9 : tensor<f32>
      }) : (tensor<4x512xf32>) -> tensor<4x512xf32>
      %5 = stablehlo.dot_general %4, %arg1, contracting_dims = [1] x [0] : (tensor<4x512xf32>, tensor<512x512xf32>) -> tensor<4x512xf32>
      %6 = stablehlo.add %iterArg_0, %5 : tensor<4x512xf32>
      %7 = stablehlo.tanh %6 : tensor<4x512xf32>
      %8 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      stablehlo.return %8, %7 : tensor<i32>, tensor<4x512xf32>
    }
    return %0#1 : tensor<4x512xf32>
  }
}
// -----
// weft opt --weft-hoist-loop-products
// An op without operands in the loop is none of the things that this pass looks for.
func.func @main(%s: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %h = %s) : tensor<i32>, tensor<i32>
  cond {
    %end = stablehlo.constant dense<8> : tensor<i32>
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %new = stablehlo.custom_call @function() : () -> tensor<i32>
    %sum = stablehlo.add %h, %new : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %sum : tensor<i32>, tensor<i32>
  }
  return %r#1 : tensor<i32>
}
// ==>
module {
  func.func @main(%arg0: tensor<i32>) -> tensor<i32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<i32>
    cond {
      %c_1 = stablehlo.constant dense<8> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.custom_call @function() : () -> tensor<i32>
      %2 = stablehlo.add %iterArg_0, %1 : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      stablehlo.return %3, %2 : tensor<i32>, tensor<i32>
    }
    return %0#1 : tensor<i32>
  }
}
