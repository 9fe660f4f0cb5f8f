// weft opt --weft-rematerialize='memory=200'
// %0 is read by %1 and last, and held while %2 and %3 are made from one another: it is made again after %3.
func.func @main(%a: tensor<8x4xf32>, %w: tensor<4x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %3 = stablehlo.dot_general %2, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %4 = stablehlo.add %0, %3 : tensor<8x4xf32>
  return %4 : tensor<8x4xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<8x4xf32>, %arg1: tensor<4x4xf32>) -> tensor<8x4xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %2 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %3 = stablehlo.dot_general %2, %arg1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %4:3 = stablehlo.optimization_barrier %arg0, %arg1, %3 : tensor<8x4xf32>, tensor<4x4xf32>, tensor<8x4xf32>
    %5 = stablehlo.dot_general %4#0, %4#1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %6 = stablehlo.add %5, %3 : tensor<8x4xf32>
    return %6 : tensor<8x4xf32>
  }
}
// -----
// weft opt --weft-rematerialize='memory=200 keep-products'
// The same, but nothing may be made again.
func.func @main(%a: tensor<8x4xf32>, %w: tensor<4x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %3 = stablehlo.add %0, %2 : tensor<8x4xf32>
  return %3 : tensor<8x4xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<8x4xf32>, %arg1: tensor<4x4xf32>) -> tensor<8x4xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %2 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %3 = stablehlo.add %0, %2 : tensor<8x4xf32>
    return %3 : tensor<8x4xf32>
  }
}
// -----
// weft opt --weft-rematerialize='memory=1'
// The peak is at %5. %1 is made again with the product under it, and so is its transpose %2; %7 and %9 read them. The
// all_reduce's result is read late, too, and is never made again.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8x4xf32>, %w: tensor<4x8xf32>, %n: tensor<i32>, %u: tensor<8x64xf32>, %d: tensor<64x8xf32>) -> (tensor<8x8xf32>, tensor<64xf32>, tensor<i32>, tensor<8x8xf32>) {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.tanh %0 : tensor<8x8xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = stablehlo.dot_general %3, %3, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = stablehlo.dot_general %4, %u, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %6 = stablehlo.dot_general %5, %d, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
  %7 = stablehlo.dot_general %2, %6, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %8 = stablehlo.add %7, %3 : tensor<8x8xf32>
  %9 = stablehlo.reshape %1 : (tensor<8x8xf32>) -> tensor<64xf32>
  %10 = stablehlo.negate %9 : tensor<64xf32>
  %11 = stablehlo.while(%i = %n) : tensor<i32>
  cond {
    %k = stablehlo.constant dense<3> : tensor<i32>
    %c = stablehlo.compare LT, %i, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %k = stablehlo.add %i, %i : tensor<i32>
    stablehlo.return %k : tensor<i32>
  }
  return %8, %10, %11, %4 : tensor<8x8xf32>, tensor<64xf32>, tensor<i32>, tensor<8x8xf32>
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8x4xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<i32>, %arg3: tensor<8x64xf32>, %arg4: tensor<64x8xf32>) -> (tensor<8x8xf32>, tensor<64xf32>, tensor<i32>, tensor<8x8xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.tanh %0 : tensor<8x8xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %16 = stablehlo.add %arg5, %arg6 : tensor<f32>
      stablehlo.return %16 : tensor<f32>
    }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %4 = stablehlo.dot_general %3, %3, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %5 = stablehlo.dot_general %4, %arg3, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
    %6 = stablehlo.dot_general %5, %arg4, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<8x8xf32>
    %7:3 = stablehlo.optimization_barrier %arg0, %arg1, %6 : tensor<8x4xf32>, tensor<4x8xf32>, tensor<8x8xf32>
    %8 = stablehlo.dot_general %7#0, %7#1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %9 = stablehlo.tanh %8 : tensor<8x8xf32>
    %10 = stablehlo.transpose %9, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %11 = stablehlo.dot_general %10, %6, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %12 = stablehlo.add %11, %3 : tensor<8x8xf32>
    %13 = stablehlo.reshape %9 : (tensor<8x8xf32>) -> tensor<64xf32>
    %14 = stablehlo.negate %13 : tensor<64xf32>
    %15 = stablehlo.while(%iterArg = %arg2) : tensor<i32>
    cond {
      %c = stablehlo.constant dense<3> : tensor<i32>
      %16 = stablehlo.compare LT, %iterArg, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %16 : tensor<i1>
    } do {
      %16 = stablehlo.add %iterArg, %iterArg : tensor<i32>
      stablehlo.return %16 : tensor<i32>
    }
    return %12, %14, %15, %4 : tensor<8x8xf32>, tensor<64xf32>, tensor<i32>, tensor<8x8xf32>
  }
}
