// weft opt --weft-differentiate='of=0 wrt=1,0'
func.func public @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<3x4xf32>) -> tensor<f32> {
  %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x8xf32>) -> tensor<3x8xf32>
  %1 = stablehlo.tanh %0 : tensor<3x8xf32>
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
sdy.mesh @mesh = <["x"=2]>
// ==>
module {
  func.func public @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<3x4xf32>) -> (tensor<f32>, tensor<3x4xf32>, tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x8xf32>) -> tensor<3x8xf32>
    %1 = stablehlo.tanh %0 : tensor<3x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x8xf32>
    %4 = stablehlo.multiply %1, %1 : tensor<3x8xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<3x8xf32>
    %5 = stablehlo.subtract %cst_1, %4 : tensor<3x8xf32>
    %6 = stablehlo.multiply %3, %5 : tensor<3x8xf32>
    %7 = stablehlo.dot_general %6, %arg0, contracting_dims = [1] x [1] : (tensor<3x8xf32>, tensor<4x8xf32>) -> tensor<3x4xf32>
    %8 = stablehlo.dot_general %arg1, %6, contracting_dims = [0] x [0] : (tensor<3x4xf32>, tensor<3x8xf32>) -> tensor<4x8xf32>
    return %2, %7, %8 : tensor<f32>, tensor<3x4xf32>, tensor<4x8xf32>
  }
  sdy.mesh @mesh = <["x"=2]>
}
// -----
// weft opt --weft-differentiate
func.func public @main(%arg0: tensor<4xf32>) -> tensor<f32> {
  %c = stablehlo.constant dense<1.5> : tensor<f32>
  return %c : tensor<f32>
}
// ==>
module {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
    %cst = stablehlo.constant dense<1.500000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
    return %cst, %cst_1 : tensor<f32>, tensor<4xf32>
  }
}
// -----
// weft opt --weft-differentiate='wrt=0'
func.func public @main(%arg0: tensor<3x4xf64>, %arg1: tensor<4xf64>) -> tensor<f64> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %x = %arg1) : tensor<i32>, tensor<4xf64>
  cond {
    %1 = stablehlo.compare LT, %i, %c3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.dynamic_slice %arg0, %i, %c0, sizes = [1, 4] : (tensor<3x4xf64>, tensor<i32>, tensor<i32>) -> tensor<1x4xf64>
    %2 = stablehlo.reshape %1 : (tensor<1x4xf64>) -> tensor<4xf64>
    %3 = stablehlo.multiply %x, %2 : tensor<4xf64>
    %4 = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %4, %3 : tensor<i32>, tensor<4xf64>
  }
  %cst = stablehlo.constant dense<0.0> : tensor<f64>
  %1 = stablehlo.reduce(%0#1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
// ==>
module {
  func.func public @main(%arg0: tensor<3x4xf64>, %arg1: tensor<4xf64>) -> (tensor<f64>, tensor<3x4xf64>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<3x4xf64>
    %0:3 = stablehlo.while(%iterArg = %c, %iterArg_6 = %arg1, %iterArg_7 = %cst) : tensor<i32>, tensor<4xf64>, tensor<3x4xf64>
    cond {
      %4 = stablehlo.compare LT, %iterArg, %c_0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = stablehlo.dynamic_slice %arg0, %iterArg, %c, sizes = [1, 4] : (tensor<3x4xf64>, tensor<i32>, tensor<i32>) -> tensor<1x4xf64>
      %5 = stablehlo.reshape %4 : (tensor<1x4xf64>) -> tensor<4xf64>
      %6 = stablehlo.multiply %iterArg_6, %5 : tensor<4xf64>
      %7 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %c_8 = stablehlo.constant dense<0> : tensor<i32>
      %8 = stablehlo.reshape %iterArg_6 : (tensor<4xf64>) -> tensor<1x4xf64>
      %9 = stablehlo.dynamic_update_slice %iterArg_7, %8, %iterArg, %c_8 : (tensor<3x4xf64>, tensor<1x4xf64>, tensor<i32>, tensor<i32>) -> tensor<3x4xf64>
      stablehlo.return %7, %6, %9 : tensor<i32>, tensor<4xf64>, tensor<3x4xf64>
    }
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.reduce(%0#1 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<3x4xf64>
    %3:3 = stablehlo.while(%iterArg = %c_4, %iterArg_6 = %2, %iterArg_7 = %cst_5) : tensor<i32>, tensor<4xf64>, tensor<3x4xf64>
    cond {
      %c_8 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg, %c_8 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_8 = stablehlo.constant dense<2> : tensor<i32>
      %4 = stablehlo.subtract %c_8, %iterArg : tensor<i32>
      %c_9 = stablehlo.constant dense<0> : tensor<i32>
      %5 = stablehlo.dynamic_slice %arg0, %4, %c, sizes = [1, 4] : (tensor<3x4xf64>, tensor<i32>, tensor<i32>) -> tensor<1x4xf64>
      %6 = stablehlo.reshape %5 : (tensor<1x4xf64>) -> tensor<4xf64>
      %7 = stablehlo.multiply %iterArg_6, %6 : tensor<4xf64>
      %8 = stablehlo.dynamic_slice %0#2, %4, %c_9, sizes = [1, 4] : (tensor<3x4xf64>, tensor<i32>, tensor<i32>) -> tensor<1x4xf64>
      %9 = stablehlo.reshape %8 : (tensor<1x4xf64>) -> tensor<4xf64>
      %10 = stablehlo.multiply %iterArg_6, %9 : tensor<4xf64>
      %11 = stablehlo.reshape %10 : (tensor<4xf64>) -> tensor<1x4xf64>
      %12 = stablehlo.dynamic_update_slice %iterArg_7, %11, %4, %c : (tensor<3x4xf64>, tensor<1x4xf64>, tensor<i32>, tensor<i32>) -> tensor<3x4xf64>
      %c_10 = stablehlo.constant dense<1> : tensor<i32>
      %13 = stablehlo.add %iterArg, %c_10 : tensor<i32>
      stablehlo.return %13, %7, %12 : tensor<i32>, tensor<4xf64>, tensor<3x4xf64>
    }
    return %1, %3#2 : tensor<f64>, tensor<3x4xf64>
  }
}
// -----
// weft opt --weft-differentiate
func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
  %c = stablehlo.constant dense<9.0> : tensor<f32>
  %0 = stablehlo.while(%x = %arg0) : tensor<f32>
  cond {
    %1 = stablehlo.compare LT, %x, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.multiply %x, %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// ==>
// error: 3:8: error: no gradient through 'stablehlo.while': the number of its iterations is not known, nor a bound, which the option 'bound' gives
// -----
// weft opt --weft-differentiate
func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  return %arg0 : tensor<4xf32>
}
// ==>
// error: of: result 0 of @main is not a scalar of floats
// -----
// weft opt --weft-differentiate='wrt=1'
func.func public @main(%arg0: tensor<f32>, %arg1: tensor<i32>) -> tensor<f32> {
  return %arg0 : tensor<f32>
}
// ==>
// error: wrt: argument 1 of @main has no gradient: its elements are not floats
// -----
// weft opt --weft-differentiate='wrt=2'
func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
  return %arg0 : tensor<f32>
}
// ==>
// error: wrt: @main has no argument 2
// -----
// weft opt --weft-differentiate='wrt=0,0'
func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
  return %arg0 : tensor<f32>
}
// ==>
// error: wrt: argument 0 is named twice
// -----
// weft opt --weft-differentiate='of=1'
func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
  return %arg0 : tensor<f32>
}
// ==>
// error: of: @main has no result 1
// -----
// weft opt --weft-differentiate='keep=some'
func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
  return %arg0 : tensor<f32>
}
// ==>
// error: keep: 'some' is not one of all, products, nothing
// -----
// weft opt --weft-differentiate='rules=twice=@g'
func.func public @main(%arg0: tensor<4xf32>) -> tensor<f32> {
  %0 = stablehlo.custom_call @twice(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @g(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %arg2, %arg2 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ==>
module {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
    %0 = stablehlo.custom_call @twice(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %3 = call @g(%arg0, %0, %2) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %1, %3 : tensor<f32>, tensor<4xf32>
  }
  func.func private @g(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %arg2, %arg2 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// -----
// weft opt --weft-differentiate
func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.custom_call @twice(%arg0) {weft.backward = @g} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @g(%arg0: tensor<f32>) -> tensor<f32> {
  return %arg0 : tensor<f32>
}
// ==>
// error: 2:8: error: no gradient through 'stablehlo.custom_call': its backward function does not take
// -----
// weft opt --weft-differentiate
func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.custom_call @twice(%arg0) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// ==>
// error: 2:8: error: no gradient through 'stablehlo.custom_call': its target has no rule
// -----
// weft opt --weft-differentiate=wrt=0
func.func @main(%u: tensor<3xf64>, %i: tensor<3x1xi32>) -> tensor<f64> {
  %x = stablehlo.constant dense<1.0> : tensor<5xf64>
  %s = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f64>, %q: tensor<f64>):
    %m = stablehlo.multiply %p, %q : tensor<f64>
    stablehlo.return %m : tensor<f64>
  }) : (tensor<5xf64>, tensor<3x1xi32>, tensor<3xf64>) -> tensor<5xf64>
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %r = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}
// ==>
// error: 3:8: error: no gradient through 'stablehlo.scatter': its updates are multiplied, and unique_indices
// -----
// weft opt --weft-differentiate=wrt=0
func.func @main(%u: tensor<3xf64>, %i: tensor<3x1xi32>) -> tensor<f64> {
  %x = stablehlo.constant dense<1.0> : tensor<5xf64>
  %s = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f64>, %q: tensor<f64>):
    %m = stablehlo.divide %p, %q : tensor<f64>
    stablehlo.return %m : tensor<f64>
  }) : (tensor<5xf64>, tensor<3x1xi32>, tensor<3xf64>) -> tensor<5xf64>
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %r = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}
// ==>
// error: 3:8: error: no gradient through 'stablehlo.scatter': its body is none of a sum, difference, product, maximum, minimum
// -----
// weft opt --weft-differentiate=wrt=0
func.func @main(%a: tensor<3x2xf64>, %t: tensor<2xf64>) -> tensor<f64> {
  %q = stablehlo.custom_call @lapack_dorgqr_ffi(%a, %t) {mhlo.backend_config = {}} : (tensor<3x2xf64>, tensor<2xf64>) -> tensor<3x2xf64>
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %r = stablehlo.reduce(%q init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x2xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}
// ==>
// error: 2:8: error: no gradient through 'stablehlo.custom_call': its reflectors are not geqrf's
// -----
// weft opt --weft-differentiate=wrt=0
func.func @main(%a: tensor<3x2xf64>) -> tensor<f64> {
  %f:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%a) {mhlo.backend_config = {mode = 65 : ui8}} : (tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>, tensor<3x3xf64>, tensor<2x2xf64>, tensor<i32>)
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %r = stablehlo.reduce(%f#2 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x3xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}
// ==>
// error: 2:10: error: no gradient through 'stablehlo.custom_call': columns that the matrix does not determine
// -----
// weft opt --weft-differentiate=wrt=0
func.func @main(%a: tensor<3x3xf64>) -> tensor<f64> {
  %f:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<i32>)
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %r = stablehlo.reduce(%f#0 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x3xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}
// ==>
// error: 2:10: error: no gradient through 'stablehlo.custom_call': its configuration lacks a letter that LAPACK needs
// -----
// weft opt --weft-differentiate=wrt=0
func.func @main(%a: tensor<3x3xf64>) -> tensor<f64> {
  %f:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {mhlo.backend_config = {uplo = 88 : ui8}} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<i32>)
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %r = stablehlo.reduce(%f#0 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x3xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}
// ==>
// error: 2:10: error: no gradient through 'stablehlo.custom_call': its configuration lacks a letter that LAPACK needs
// -----
// weft opt --weft-differentiate=wrt=0
func.func @main(%a: tensor<3xf64>) -> tensor<f64> {
  %f:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<3xf64>) -> (tensor<3xf64>, tensor<i32>)
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %r = stablehlo.reduce(%f#0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}
// ==>
// error: 2:10: error: no gradient through 'stablehlo.custom_call': it has not the operands and results of the routine
// -----
// weft opt --weft-differentiate=wrt=0
func.func @main(%a: tensor<2x3xf64>) -> tensor<f64> {
  %f:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<i32>)
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %r = stablehlo.reduce(%f#0 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}
// ==>
// error: 2:10: error: no gradient through 'stablehlo.custom_call': it has not the operands and results of the routine
// -----
// weft opt --weft-differentiate=wrt=0
func.func @main(%a: tensor<3x2xf64>) -> tensor<f64> {
  %c = stablehlo.constant dense<1.0> : tensor<3x3xf64>
  %x = stablehlo.custom_call @lapack_dtrsm_ffi(%c, %a) {mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}} : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x2xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}
// ==>
// error: 3:8: error: no gradient through 'stablehlo.custom_call': the matrices' sizes differ
// -----
// weft opt --weft-differentiate=wrt=0
func.func @main(%a: tensor<3x3xf64>) -> tensor<f64> {
  %f:3 = stablehlo.custom_call @lapack_dsyevd_ffi(%a) {mhlo.backend_config = {mode = 78 : ui8, uplo = 76 : ui8}} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<i32>)
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %r = stablehlo.reduce(%f#0 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x3xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}
// ==>
// error: 2:10: error: no gradient through 'stablehlo.custom_call': without the eigenvectors, which letter V asks for
// -----
// weft opt --weft-differentiate=wrt=0
func.func @main(%a: tensor<3x2xf64>) -> tensor<f64> {
  %f:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%a) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<2xf64>, tensor<3x3xf64>, tensor<2x2xf64>, tensor<i32>)
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %r = stablehlo.reduce(%f#1 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}
// ==>
// error: 2:10: error: no gradient through 'stablehlo.custom_call': its vectors are not as its letter says
// -----
// weft opt --weft-differentiate=wrt=0
func.func @main(%a: tensor<3x2xf64>, %p: tensor<2xi32>) -> tensor<f64> {
  %f:3 = stablehlo.custom_call @lapack_dgeqp3_ffi(%a, %p) {mhlo.backend_config = {}} : (tensor<3x2xf64>, tensor<2xi32>) -> (tensor<3x2xf64>, tensor<2xi32>, tensor<2xf64>)
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %r = stablehlo.reduce(%f#0 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x2xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}
// ==>
// error: 2:10: error: no gradient through 'stablehlo.custom_call': no orgqr computes its q
// -----
// weft opt --weft-differentiate=wrt=0
func.func @main(%a: tensor<4x2xf64>) -> tensor<f64> {
  %f:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<4x2xf64>) -> (tensor<4x2xf64>, tensor<2xf64>)
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %w = stablehlo.pad %f#0, %z, low = [0, 0], high = [0, 1], interior = [0, 0] : (tensor<4x2xf64>, tensor<f64>) -> tensor<4x3xf64>
  %q = stablehlo.custom_call @lapack_dorgqr_ffi(%w, %f#1) {mhlo.backend_config = {}} : (tensor<4x3xf64>, tensor<2xf64>) -> tensor<4x3xf64>
  %r = stablehlo.reduce(%q init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x3xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}
// ==>
// error: 5:8: error: no gradient through 'stablehlo.custom_call': it has some of the columns that complete q, and not all
// -----
// weft opt --weft-differentiate=wrt=0
func.func @main(%a: tensor<2x2xf64>) -> tensor<f64> {
  %f:5 = stablehlo.custom_call @lapack_dgeev_ffi(%a) {mhlo.backend_config = {compute_left = 78 : ui8, compute_right = 78 : ui8}} : (tensor<2x2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, tensor<i32>)
  %v = stablehlo.real %f#3 : (tensor<2x2xcomplex<f64>>) -> tensor<2x2xf64>
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %r = stablehlo.reduce(%v init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x2xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}
// ==>
// error: 2:10: error: no gradient through 'stablehlo.custom_call': without the eigenvectors, which letter V asks for
// -----
// weft opt --weft-differentiate=wrt=0
func.func @main(%a: tensor<3xf64>, %b: tensor<3x1xf64>) -> tensor<f64> {
  %f:5 = stablehlo.custom_call @lapack_dgtsv_ffi(%a, %a, %a, %b) {mhlo.backend_config = {}} : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x1xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x1xf64>, tensor<i32>)
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %r = stablehlo.reduce(%f#1 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}
// ==>
// error: 2:10: error: no gradient through 'stablehlo.custom_call': what it overwrites of its operands has no derivative
// -----
// weft opt --weft-differentiate=wrt=0 --cse --canonicalize
// eigenvalues alone: the call is made again for the vectors
func.func @main(%a: tensor<3x3xf64>) -> tensor<f64> {
  %f:3 = stablehlo.custom_call @lapack_dsyevd_ffi(%a) {mhlo.backend_config = {mode = 78 : ui8, uplo = 76 : ui8}} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<i32>)
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %r = stablehlo.reduce(%f#1 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}
// ==>
module {
  func.func @main(%arg0: tensor<3x3xf64>) -> (tensor<f64>, tensor<3x3xf64>) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<3x3xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<3x3xf64>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0:3 = stablehlo.custom_call @lapack_dsyevd_ffi(%arg0) {mhlo.backend_config = {mode = 78 : ui8, uplo = 76 : ui8}} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<i32>)
    %1 = stablehlo.reduce(%0#1 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %3:3 = stablehlo.custom_call @lapack_dsyevd_ffi(%arg0) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<i32>)
    %4 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<3xf64>) -> tensor<3x3xf64>
    %5 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %6 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %7 = stablehlo.compare EQ, %5, %6 : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %8 = stablehlo.select %7, %4, %cst_0 : tensor<3x3xi1>, tensor<3x3xf64>
    %9 = stablehlo.transpose %3#0, dims = [1, 0] : (tensor<3x3xf64>) -> tensor<3x3xf64>
    %10 = stablehlo.dot_general %3#0, %8, contracting_dims = [1] x [0] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
    %11 = stablehlo.dot_general %10, %9, contracting_dims = [1] x [0] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
    %12 = stablehlo.transpose %11, dims = [1, 0] : (tensor<3x3xf64>) -> tensor<3x3xf64>
    %13 = stablehlo.add %11, %12 : tensor<3x3xf64>
    %14 = stablehlo.compare GT, %5, %6 : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %15 = stablehlo.select %14, %13, %cst_0 : tensor<3x3xi1>, tensor<3x3xf64>
    %16 = stablehlo.select %7, %13, %cst_0 : tensor<3x3xi1>, tensor<3x3xf64>
    %17 = stablehlo.multiply %16, %cst : tensor<3x3xf64>
    %18 = stablehlo.add %15, %17 : tensor<3x3xf64>
    return %1, %18 : tensor<f64>, tensor<3x3xf64>
  }
}
// -----
// weft opt --weft-differentiate='wrt=0'
// A sort and a loop that return more: their lists of shardings have an entry for each result.
sdy.mesh @m = <["x"=2]>
func.func @main(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>) -> tensor<f32> {
  %0:2 = "stablehlo.sort"(%a, %b) ({ ^bb0(%l: tensor<f32>, %h: tensor<f32>, %m: tensor<f32>, %n: tensor<f32>): %o = stablehlo.compare LT, %l, %h : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %o : tensor<i1> }) {dimension = 0 : i64, sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}]>, <@m, [{}, {"x"}]>]>} : (tensor<8x4xf32>, tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %q = stablehlo.multiply %0#0, %0#1 : tensor<8x4xf32>
  %s = stablehlo.reduce(%q init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  return %s : tensor<f32>
}
// ==>
module {
  sdy.mesh @m = <["x"=2]>
  func.func @main(%arg0: tensor<8x4xf32>, %arg1: tensor<8x4xf32>) -> (tensor<f32>, tensor<8x4xf32>) {
    %0 = stablehlo.iota dim = 0 : tensor<8x4xi32>
    %1:3 = "stablehlo.sort"(%arg0, %arg1, %0) <{dimension = 0 : i64}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<f32>, %arg6: tensor<i32>, %arg7: tensor<i32>):
      %8 = stablehlo.compare LT, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}]>, <@m, [{}, {"x"}]>, <@m, [{?}, {?}]>]>} : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xi32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xi32>)
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.multiply %1#0, %1#1 : tensor<8x4xf32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %5 = stablehlo.multiply %4, %1#1 : tensor<8x4xf32>
    %6 = stablehlo.multiply %4, %1#0 : tensor<8x4xf32>
    %7:2 = "stablehlo.sort"(%1#2, %5) <{dimension = 0 : i64, is_stable = false}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<f32>, %arg5: tensor<f32>):
      %8 = stablehlo.compare LT, %arg2, %arg3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    }) : (tensor<8x4xi32>, tensor<8x4xf32>) -> (tensor<8x4xi32>, tensor<8x4xf32>)
    return %3, %7#1 : tensor<f32>, tensor<8x4xf32>
  }
}
// -----
// weft opt --weft-differentiate='wrt=0'
sdy.mesh @m = <["x"=2]>
func.func @main(%a: tensor<8x4xf32>) -> tensor<f32> {
  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %w:2 = stablehlo.while(%i = %i0, %x = %a) : tensor<i32>, tensor<8x4xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, []>, <@m, [{"x"}, {}]>]>} cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %y = stablehlo.sine %x : tensor<8x4xf32>
    stablehlo.return %j, %y : tensor<i32>, tensor<8x4xf32>
  }
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%w#1 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  return %s : tensor<f32>
}
// ==>
module {
  sdy.mesh @m = <["x"=2]>
  func.func @main(%arg0: tensor<8x4xf32>) -> (tensor<f32>, tensor<8x4xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<3x8x4xf32>
    %0:3 = stablehlo.while(%iterArg = %c, %iterArg_4 = %arg0, %iterArg_5 = %cst) : tensor<i32>, tensor<8x4xf32>, tensor<3x8x4xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@m, []>, <@m, [{"x"}, {}]>, <@m, [{?}, {?}, {?}]>]>}
    cond {
      %4 = stablehlo.compare LT, %iterArg, %c_0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg, %c_6 : tensor<i32>
      %5 = stablehlo.sine %iterArg_4 : tensor<8x4xf32>
      %c_7 = stablehlo.constant dense<0> : tensor<i32>
      %6 = stablehlo.reshape %iterArg_4 : (tensor<8x4xf32>) -> tensor<1x8x4xf32>
      %7 = stablehlo.dynamic_update_slice %iterArg_5, %6, %iterArg, %c_7, %c_7 : (tensor<3x8x4xf32>, tensor<1x8x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x4xf32>
      stablehlo.return %4, %5, %7 : tensor<i32>, tensor<8x4xf32>, tensor<3x8x4xf32>
    }
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0#1 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %3:2 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %2) : tensor<i32>, tensor<8x4xf32>
    cond {
      %c_5 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg, %c_5 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_5 = stablehlo.constant dense<2> : tensor<i32>
      %4 = stablehlo.subtract %c_5, %iterArg : tensor<i32>
      %c_6 = stablehlo.constant dense<0> : tensor<i32>
      %5 = stablehlo.dynamic_slice %0#2, %4, %c_6, %c_6, sizes = [1, 8, 4] : (tensor<3x8x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x4xf32>
      %6 = stablehlo.reshape %5 : (tensor<1x8x4xf32>) -> tensor<8x4xf32>
      %7 = stablehlo.cosine %6 : tensor<8x4xf32>
      %8 = stablehlo.multiply %iterArg_4, %7 : tensor<8x4xf32>
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %9 = stablehlo.add %iterArg, %c_7 : tensor<i32>
      stablehlo.return %9, %8 : tensor<i32>, tensor<8x4xf32>
    }
    return %1, %3#1 : tensor<f32>, tensor<8x4xf32>
  }
}
