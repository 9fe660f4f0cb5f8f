// One of each: machine code that calls the C library, products and a convolution by oneDNN, our own product, LAPACK, a
// Fourier transform, a sort with a comparator, a loop that is one function and calls a sort, and a branch.
func.func @main(%a: tensor<40x24xf32>, %b: tensor<24x40xf32>, %image: tensor<2x9x9x4xf32>, %kernel: tensor<3x3x4x8xf32>, %n: tensor<i32>)
    -> (tensor<40x40xf32>, tensor<2x9x9x8xf32>, tensor<24x24xf32>, tensor<40x13xf32>, tensor<40x24xf32>, tensor<40x24xf32>, tensor<24x24xi32>) {
  %s = stablehlo.sine %a : tensor<40x24xf32>
  %p = stablehlo.dot_general %s, %b, contracting_dims = [1] x [0] : (tensor<40x24xf32>, tensor<24x40xf32>) -> tensor<40x40xf32>
  %c = stablehlo.convolution(%image, %kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x9x9x8xf32>
  %g = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0] : (tensor<40x24xf32>, tensor<40x24xf32>) -> tensor<24x24xf32>
  %i = stablehlo.iota dim = 0 : tensor<24x24xi32>
  %j = stablehlo.iota dim = 1 : tensor<24x24xi32>
  %d = stablehlo.compare EQ, %i, %j : (tensor<24x24xi32>, tensor<24x24xi32>) -> tensor<24x24xi1>
  %big = stablehlo.constant dense<500.0> : tensor<24x24xf32>
  %none = stablehlo.constant dense<0.0> : tensor<24x24xf32>
  %diagonal = stablehlo.select %d, %big, %none : tensor<24x24xi1>, tensor<24x24xf32>
  %spd = stablehlo.add %g, %diagonal : tensor<24x24xf32>
  %l = stablehlo.cholesky %spd, lower = true : tensor<24x24xf32>
  %f = stablehlo.fft %a, type = RFFT, length = [24] : (tensor<40x24xf32>) -> tensor<40x13xcomplex<f32>>
  %re = stablehlo.real %f : (tensor<40x13xcomplex<f32>>) -> tensor<40x13xf32>
  %t = "stablehlo.sort"(%s) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %xx = stablehlo.multiply %x, %x : tensor<f32>
    %yy = stablehlo.multiply %y, %y : tensor<f32>
    %less = stablehlo.compare LT, %xx, %yy : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<40x24xf32>) -> tensor<40x24xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %w:2 = stablehlo.while(%k = %zero, %v = %s) : tensor<i32>, tensor<40x24xf32>
  cond {
    %more = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %u = "stablehlo.sort"(%v) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %less = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) : (tensor<40x24xf32>) -> tensor<40x24xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %k, %one : tensor<i32>
    %double = stablehlo.add %u, %u : tensor<40x24xf32>
    stablehlo.return %next, %double : tensor<i32>, tensor<40x24xf32>
  }
  %ints = stablehlo.convert %g : (tensor<24x24xf32>) -> tensor<24x24xi32>
  %chosen = "stablehlo.case"(%n) ({
    stablehlo.return %ints : tensor<24x24xi32>
  }, {
    %m = stablehlo.dot_general %ints, %ints, contracting_dims = [1] x [0] : (tensor<24x24xi32>, tensor<24x24xi32>) -> tensor<24x24xi32>
    stablehlo.return %m : tensor<24x24xi32>
  }) : (tensor<i32>) -> tensor<24x24xi32>
  return %p, %c, %l, %re, %t, %w#1, %chosen
    : tensor<40x40xf32>, tensor<2x9x9x8xf32>, tensor<24x24xf32>, tensor<40x13xf32>, tensor<40x24xf32>, tensor<40x24xf32>, tensor<24x24xi32>
}
