// a chain of element-wise ops is one kernel
func.func @main(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %a = stablehlo.add %x, %y : tensor<64x32xf32>
  %b = stablehlo.tanh %a : tensor<64x32xf32>
  %c = stablehlo.multiply %b, %y : tensor<64x32xf32>
  return %c : tensor<64x32xf32>
}
// dump clusters
//   v0: 64x32xf32 = add tanh multiply; reads arg0, arg1
// -----
// a softmax is one kernel of three passes over a row
func.func @main(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<64x32xf32>, tensor<f32>) -> tensor<64xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<64xf32>) -> tensor<64x32xf32>
  %s = stablehlo.subtract %x, %mb : tensor<64x32xf32>
  %e = stablehlo.exponential %s : tensor<64x32xf32>
  %t = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x32xf32>, tensor<f32>) -> tensor<64xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<64xf32>) -> tensor<64x32xf32>
  %r = stablehlo.divide %e, %tb : tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}
// dump clusters
//   v0: 64x32xf32 = reduce(maximum) | subtract exponential reduce(add) | divide; reads arg0
// -----
// two results of the same operands are one kernel
func.func @main(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
  %a = stablehlo.add %x, %y : tensor<64x32xf32>
  %b = stablehlo.subtract %x, %y : tensor<64x32xf32>
  return %a, %b : tensor<64x32xf32>, tensor<64x32xf32>
}
// dump clusters
//   v0: 64x32xf32, v1: 64x32xf32 = add subtract; reads arg0, arg1
// -----
// a product stands between what is before and after it
func.func @main(%x: tensor<64x32xf32>, %w: tensor<32x32xf32>) -> tensor<64x32xf32> {
  %a = stablehlo.negate %x : tensor<64x32xf32>
  %d = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %c = stablehlo.tanh %d : tensor<64x32xf32>
  return %c : tensor<64x32xf32>
}
// dump clusters
//   v0: 64x32xf32 = negate; reads arg0
//   v2: 64x32xf32 = tanh; reads v1
// dump order
//   0 kernel: v0 <- arg0
//   1 dot: v1 <- v0, arg1
//   2 kernel: v2 <- v1
// -----
// a transpose is read through
func.func @main(%x: tensor<64x32xf32>, %y: tensor<32x64xf32>) -> tensor<64x32xf32> {
  %t = stablehlo.transpose %y, dims = [1, 0] : (tensor<32x64xf32>) -> tensor<64x32xf32>
  %a = stablehlo.add %x, %t : tensor<64x32xf32>
  return %a : tensor<64x32xf32>
}
// dump clusters
//   v0: 64x32xf32 = add; reads arg0, arg1
// -----
// a sum of columns joins what it sums, not what reads it
func.func @main(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %q = stablehlo.multiply %x, %x : tensor<64x32xf32>
  %s = stablehlo.reduce(%q init: %z) applies stablehlo.add across dimensions = [0] : (tensor<64x32xf32>, tensor<f32>) -> tensor<32xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<32xf32>) -> tensor<64x32xf32>
  %r = stablehlo.divide %x, %b : tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}
// dump clusters
//   v0: 32xf32 = multiply reduce(add); reads arg0
//   v1: 64x32xf32 = divide; reads arg0, v0
// -----
// slices and joins are read where they are
func.func @main(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %l = stablehlo.slice %x [0:64, 0:16] : (tensor<64x32xf32>) -> tensor<64x16xf32>
  %h = stablehlo.slice %x [0:64, 16:32] : (tensor<64x32xf32>) -> tensor<64x16xf32>
  %n = stablehlo.negate %h : tensor<64x16xf32>
  %c = stablehlo.concatenate %n, %l, dim = 1 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x32xf32>
  %a = stablehlo.add %c, %x : tensor<64x32xf32>
  return %a : tensor<64x32xf32>
}
// dump clusters
//   v0: 64x32xf32 = negate select add; reads arg0
// -----
// an update of a donated argument writes the part alone
func.func @main(%x: tensor<64x32xf32> {tf.aliasing_output = 0 : i32}, %u: tensor<1x32xf32>, %i: tensor<i32>) -> tensor<64x32xf32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.negate %u : tensor<1x32xf32>
  %r = stablehlo.dynamic_update_slice %x, %n, %i, %z : (tensor<64x32xf32>, tensor<1x32xf32>, tensor<i32>, tensor<i32>) -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}
// dump clusters
//   v1: 64x32xf32 = convert maximum minimum negate multiply; reads arg2, arg1, v0
// dump storage
//   v0: may lie in arg0
//   v1: lies in v0
//   v2: may lie in v1
//   result 0: v2 in arg0
// dump buffers
//   v1: 64x32xf32, 8192 B, result 0, units 1 to 2
// dump steps
//   0 fusion.0: argument 2 (4 B), argument 1 (128 B), result 0 in argument 0 (8192 B), result 0 in argument 0 (8192 B)
// -----
// a cumulative sum is one kernel
func.func @main(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.abs %x : tensor<64x32xf32>
  %r = "stablehlo.reduce_window"(%a, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1, 32>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [31, 0]]> : tensor<2x2xi64>} : (tensor<64x32xf32>, tensor<f32>) -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}
// dump clusters
//   v0: 64x32x1xf32 = abs scan(add); reads arg0
// -----
// a scatter adds what is computed for it
func.func @main(%x: tensor<64x32xf32>, %i: tensor<8x1xi32>, %u: tensor<8x32xf32>) -> tensor<64x32xf32> {
  %n = stablehlo.tanh %u : tensor<8x32xf32>
  %r = "stablehlo.scatter"(%x, %i, %n) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<64x32xf32>, tensor<8x1xi32>, tensor<8x32xf32>) -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}
// dump clusters
//   v1: 64x32xf32 = convert multiply tanh scatter(add); reads arg1, arg2, v0
// dump storage
//   v0: may lie in arg0
//   v1: lies in v0
//   v2: may lie in v1
//   result 0: v2
// dump steps
//   0 copy: argument 0 (8192 B), result 0 (8192 B)
//   1 fusion.0: argument 1 (32 B), argument 2 (1024 B), result 0 (8192 B), result 0 (8192 B)
// -----
// what a loop carries is updated in its kernels
func.func @main(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %w:2 = stablehlo.while(%i = %z, %v = %x) : tensor<i32>, tensor<64x32xf32>
  cond {
    %n = stablehlo.constant dense<4> : tensor<i32>
    %m = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %m : tensor<i1>
  } do {
    %o = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %o : tensor<i32>
    %t = stablehlo.tanh %v : tensor<64x32xf32>
    %u = stablehlo.add %t, %v : tensor<64x32xf32>
    stablehlo.return %j, %u : tensor<i32>, tensor<64x32xf32>
  }
  return %w#1 : tensor<64x32xf32>
}
// dump clusters
//   v0: i32 = move
//   v1: 64x32xf32 = move; reads arg0
//     while
//       v4: i1 = compare; reads carried0
//       gives v4
//     do
//       v5: i32 = add; reads carried0
//       v6: 64x32xf32 = tanh add; reads carried1
//       gives v5, v6
// dump storage
//   v1: may lie in arg0
//   v2: lies in v0
//   v3: lies in v1
//     while
//       gives v4
//     do
//       v5: may lie in carried0
//       v6: may lie in carried1
//       result 0: v5 in carried0
//       result 1: v6 in carried1
//       gives v5, v6
//   v7: may lie in v3
//   result 0: v7
// dump order
//   0 kernel: v0
//   1 kernel: v1 <- arg0
//   2 while: v2, v3 <- v0, v1
//     while
//       0 kernel: v4 <- carried0
//       gives v4
//     do
//       0 kernel: v5 <- carried0
//       1 kernel: v6 <- carried1
//       gives v5, v6
// dump buffers
//   v0: i32, 4 B, temporaries + 64, units 0 to 2
//   v1: 64x32xf32, 8192 B, result 0, units 1 to 2
//   v2: i32, 4 B, temporaries + 64, units 2 to 2
//   v3: 64x32xf32, 8192 B, result 0, units 2 to 3
//   scratch: 64 B, temporaries + 0, unit 2
//     while
//       v4: i1, 1 B, temporaries + 0, units 0 to 0
//       gives v4
//     do
//       v5: i32, 4 B, temporaries + 64, units 0 to 0
//       v6: 64x32xf32, 8192 B, result 0, units 1 to 1
//       gives v5, v6
// dump steps
//   0 fusion.0: temporaries + 64 (4 B)
//   1 fusion.1: argument 0 (8192 B), result 0 (8192 B)
//   2 while of 1 and 2 steps: temporaries + 0 (1 B)
//   3 fusion.2: temporaries + 64 (4 B), temporaries + 0 (1 B)
//   4 fusion.3: temporaries + 64 (4 B), temporaries + 64 (4 B)
//   5 fusion.4: result 0 (8192 B), result 0 (8192 B)
// -----
// each branch has kernels of its own
func.func @main(%i: tensor<i32>, %x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %r = "stablehlo.case"(%i) ({
    %a = stablehlo.tanh %x : tensor<64x32xf32>
    stablehlo.return %a : tensor<64x32xf32>
  }, {
    %a = stablehlo.sine %x : tensor<64x32xf32>
    %b = stablehlo.cosine %a : tensor<64x32xf32>
    stablehlo.return %b : tensor<64x32xf32>
  }) : (tensor<i32>) -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}
// dump clusters
//   v0: i32 = move; reads arg0
//     branch 0
//       v2: 64x32xf32 = tanh; reads arg1
//       gives v2
//     branch 1
//       v3: 64x32xf32 = sine cosine; reads arg1
//       gives v3
// dump storage
//   v0: may lie in arg0
//   v1: may lie in arg1
//     branch 0
//       v2: may lie in arg1
//       result 0: v2
//       gives v2
//     branch 1
//       v3: may lie in arg1
//       result 0: v3
//       gives v3
//   result 0: v1
// dump order
//   0 kernel: v0 <- arg0
//   1 case: v1 <- v0, arg1
//     branch 0
//       0 kernel: v2 <- arg1
//       gives v2
//     branch 1
//       0 kernel: v3 <- arg1
//       gives v3
// dump steps
//   0 fusion.0: argument 0 (4 B), temporaries + 0 (4 B)
//   1 case of 2 branches: temporaries + 0 (4 B)
//   2 fusion.1: argument 1 (8192 B), result 0 (8192 B)
//   3 fusion.2: argument 1 (8192 B), result 0 (8192 B)
// -----
// what two products read is written down; what reads both products is one kernel
func.func @main(%x: tensor<64x32xf32>, %w: tensor<32x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>) {
  %a = stablehlo.add %x, %x : tensor<64x32xf32>
  %e = stablehlo.exponential %x : tensor<64x32xf32>
  %d = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %f = stablehlo.dot_general %e, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %g = stablehlo.add %d, %e : tensor<64x32xf32>
  %h = stablehlo.add %f, %a : tensor<64x32xf32>
  %k = stablehlo.multiply %g, %h : tensor<64x32xf32>
  return %g, %h, %k : tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>
}
// dump clusters
//   v0: 64x32xf32 = add; reads arg0
//   v2: 64x32xf32, v3: 64x32xf32 = exponential add; reads arg0, v1
//   v5: 64x32xf32, v6: 64x32xf32 = add multiply; reads v4, v0, v3
// -----
// a collective is begun before what needs no result of it, and waited for where one does
sdy.mesh @m = <["x"=2]>
func.func @main(%x: tensor<1024x1024xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %w: tensor<1024x1024xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %y: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %a = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %b = stablehlo.dot_general %y, %y, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %c = stablehlo.add %a, %b : tensor<1024x1024xf32>
  return %c : tensor<1024x1024xf32>
}
// dump order --topology dgx-h100
//   0 dot: v0 <- arg0, arg1
//   1 start all_reduce: v1 <- v0
//   2 dot: v2 <- arg2
//   3 done all_reduce of 1
//   4 kernel: v3 <- v1, v2
// dump order --no-overlap
//   0 dot: v0 <- arg0, arg1
//   1 all_reduce: v1 <- v0
//   2 dot: v2 <- arg2
//   3 kernel: v3 <- v1, v2
// -----
// small products are written out, and each is passed on whole: no kernel ends within one
func.func @main(%x: tensor<16x16xf32>, %y: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %a = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %b = stablehlo.dot_general %a, %y, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = stablehlo.dot_general %b, %y, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %d = stablehlo.dot_general %c, %y, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %e = stablehlo.dot_general %d, %y, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %f = stablehlo.dot_general %e, %y, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %g = stablehlo.dot_general %f, %y, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %h = stablehlo.dot_general %g, %y, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %h : tensor<16x16xf32>
}
// dump steps
//   0 fusion.0: argument 0 (1024 B), argument 1 (1024 B), result 0 (1024 B)
//   1 fusion.0: result 0 (1024 B), argument 1 (1024 B), temporaries + 0 (1024 B)
//   2 fusion.1: temporaries + 0 (1024 B), argument 1 (1024 B), result 0 (1024 B)
// -----
// branches update a donated argument where it lies, or leave it there: nothing is copied
func.func @main(%k: tensor<i32>, %x: tensor<1024xf32> {tf.aliasing_output = 0 : i32}) -> tensor<1024xf32> {
  %r = "stablehlo.case"(%k) ({
    %a = stablehlo.add %x, %x : tensor<1024xf32>
    stablehlo.return %a : tensor<1024xf32>
  }, {
    stablehlo.return %x : tensor<1024xf32>
  }) : (tensor<i32>) -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}
// dump storage
//   v0: may lie in arg0
//   v1: may lie in arg1
//     branch 0
//       v2: may lie in arg1
//       result 0: v2
//       gives v2
//     branch 1
//       v3: may lie in arg1
//       result 0: v3
//       gives v3
//   result 0: v1 in arg1
// dump steps
//   0 fusion.0: argument 0 (4 B), temporaries + 0 (4 B)
//   1 case of 2 branches: temporaries + 0 (4 B)
//   2 fusion.1: argument 1 (4096 B), result 0 in argument 1 (4096 B)
// -----
// what an all_reduce reads twice it does not sum where it lies
func.func @main(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %t = stablehlo.tanh %x : tensor<64x32xf32>
  %r:2 = "stablehlo.all_reduce"(%t, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<64x32xf32>, tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>)
  %d = stablehlo.dot_general %r#1, %r#1, contracting_dims = [1] x [1] : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x64xf32>
  %e = stablehlo.slice %d [0:64, 0:32] : (tensor<64x64xf32>) -> tensor<64x32xf32>
  return %e : tensor<64x32xf32>
}
// dump storage --devices 2
//   v0: may lie in arg0
//   result 0: v4
// dump buffers --devices 2
//   v0: 64x32xf32, 8192 B, result 0, units 0 to 1
//   v1: 64x32xf32, 8192 B, temporaries + 0, units 1 to 1
//   v2: 64x32xf32, 8192 B, temporaries + 25856, units 1 to 2
//   v3: 64x64xf32, 16384 B, temporaries + 0, units 2 to 3
//   scratch: 9472 B, temporaries + 16384, unit 2
//   v4: 64x32xf32, 8192 B, result 0, units 3 to 3
// -----
// a value may take over what dies with it, also the memory of the result
func.func @main(%x: tensor<64x32xf32>, %w: tensor<32x32xf32>) -> tensor<64x32xf32> {
  %a = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %b = stablehlo.tanh %a : tensor<64x32xf32>
  %d = stablehlo.dot_general %b, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %e = stablehlo.add %d, %b : tensor<64x32xf32>
  return %e : tensor<64x32xf32>
}
// dump storage
//   v1: may lie in v0
//   v3: may lie in v2, v1
//   result 0: v3
// dump order
//   0 dot: v0 <- arg0, arg1
//   1 kernel: v1 <- v0
//   2 dot: v2 <- v1, arg1
//   3 kernel: v3 <- v2, v1
// dump buffers
//   v0: 64x32xf32, 8192 B, temporaries + 0, units 0 to 1
//   scratch: 1280 B, result 0, unit 0
//   v1: 64x32xf32, 8192 B, temporaries + 0, units 1 to 3
//   v2: 64x32xf32, 8192 B, result 0, units 2 to 3
//   scratch: 1280 B, temporaries + 8192, unit 2
//   v3: 64x32xf32, 8192 B, result 0, units 3 to 3
// -----
// one position of each sequence in a cache is written where the cache stands; rows of zeros are compared
func.func @main(%c: tensor<16x32xf32> {tf.aliasing_output = 0 : i32}, %i: tensor<16x1xi32>, %u: tensor<16xf32>) -> (tensor<16x32xf32>, tensor<16x32xf32>) {
  %0 = "stablehlo.scatter"(%c, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %q : tensor<f32>
  }) : (tensor<16x32xf32>, tensor<16x1xi32>, tensor<16xf32>) -> tensor<16x32xf32>
  %z = stablehlo.constant dense<0.0> : tensor<16x32xf32>
  %1 = "stablehlo.scatter"(%z, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<16x32xf32>, tensor<16x1xi32>, tensor<16xf32>) -> tensor<16x32xf32>
  return %0, %1 : tensor<16x32xf32>, tensor<16x32xf32>
}
// dump clusters
//   v0: 16x32xf32 = compare add select; reads arg1, arg2
//   v2: 16x32xf32 = convert scatter(body); reads arg1, arg2, v1
// dump storage
//   v1: may lie in arg0
//   v2: lies in v1
//   v3: may lie in v2
//   result 0: v3 in arg0
//   result 1: v0
// dump steps
//   0 fusion.0: argument 1 (64 B), argument 2 (64 B), result 1 (2048 B)
//   1 fusion.1: argument 1 (64 B), argument 2 (64 B), result 0 in argument 0 (2048 B), result 0 in argument 0 (2048 B)
// -----
// of an associative scan: what a reader would compute for several of its elements each is kept
module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x8x64xf32>, %arg1: tensor<64x16xf32>, %arg2: tensor<2x8x64xf32>, %arg3: tensor<2x8x16xf32>) -> (tensor<2x8x64xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2] : (tensor<2x8x64xf32>) -> tensor<2x8x64x1xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [2, 3] : (tensor<64x16xf32>) -> tensor<1x1x64x16xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2, 3] : (tensor<2x8x64x1xf32>) -> tensor<2x8x64x16xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x1x64x16xf32>) -> tensor<2x8x64x16xf32>
    %4 = stablehlo.multiply %2, %3 : tensor<2x8x64x16xf32>
    %5 = stablehlo.exponential %4 : tensor<2x8x64x16xf32>
    %6 = stablehlo.multiply %arg0, %arg2 : tensor<2x8x64xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<2x8x64xf32>) -> tensor<2x8x64x1xf32>
    %8 = stablehlo.broadcast_in_dim %arg3, dims = [0, 1, 3] : (tensor<2x8x16xf32>) -> tensor<2x8x1x16xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2, 3] : (tensor<2x8x64x1xf32>) -> tensor<2x8x64x16xf32>
    %10 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<2x8x1x16xf32>) -> tensor<2x8x64x16xf32>
    %11 = stablehlo.multiply %9, %10 : tensor<2x8x64x16xf32>
    %12 = stablehlo.slice %5 [0:2, 0:7:2, 0:64, 0:16] : (tensor<2x8x64x16xf32>) -> tensor<2x4x64x16xf32>
    %13 = stablehlo.slice %11 [0:2, 0:7:2, 0:64, 0:16] : (tensor<2x8x64x16xf32>) -> tensor<2x4x64x16xf32>
    %14 = stablehlo.slice %5 [0:2, 1:8:2, 0:64, 0:16] : (tensor<2x8x64x16xf32>) -> tensor<2x4x64x16xf32>
    %15 = stablehlo.slice %11 [0:2, 1:8:2, 0:64, 0:16] : (tensor<2x8x64x16xf32>) -> tensor<2x4x64x16xf32>
    %16 = stablehlo.multiply %12, %14 : tensor<2x4x64x16xf32>
    %17 = stablehlo.multiply %14, %13 : tensor<2x4x64x16xf32>
    %18 = stablehlo.add %17, %15 : tensor<2x4x64x16xf32>
    %19 = stablehlo.slice %16 [0:2, 0:3:2, 0:64, 0:16] : (tensor<2x4x64x16xf32>) -> tensor<2x2x64x16xf32>
    %20 = stablehlo.slice %18 [0:2, 0:3:2, 0:64, 0:16] : (tensor<2x4x64x16xf32>) -> tensor<2x2x64x16xf32>
    %21 = stablehlo.slice %16 [0:2, 1:4:2, 0:64, 0:16] : (tensor<2x4x64x16xf32>) -> tensor<2x2x64x16xf32>
    %22 = stablehlo.slice %18 [0:2, 1:4:2, 0:64, 0:16] : (tensor<2x4x64x16xf32>) -> tensor<2x2x64x16xf32>
    %23 = stablehlo.multiply %19, %21 : tensor<2x2x64x16xf32>
    %24 = stablehlo.multiply %21, %20 : tensor<2x2x64x16xf32>
    %25 = stablehlo.add %24, %22 : tensor<2x2x64x16xf32>
    %26 = stablehlo.slice %25 [0:2, 0:1:2, 0:64, 0:16] : (tensor<2x2x64x16xf32>) -> tensor<2x1x64x16xf32>
    %27 = stablehlo.slice %23 [0:2, 1:2:2, 0:64, 0:16] : (tensor<2x2x64x16xf32>) -> tensor<2x1x64x16xf32>
    %28 = stablehlo.slice %25 [0:2, 1:2:2, 0:64, 0:16] : (tensor<2x2x64x16xf32>) -> tensor<2x1x64x16xf32>
    %29 = stablehlo.multiply %27, %26 : tensor<2x1x64x16xf32>
    %30 = stablehlo.add %29, %28 : tensor<2x1x64x16xf32>
    %31 = stablehlo.slice %30 [0:2, 0:0, 0:64, 0:16] : (tensor<2x1x64x16xf32>) -> tensor<2x0x64x16xf32>
    %32 = stablehlo.slice %23 [0:2, 2:2:2, 0:64, 0:16] : (tensor<2x2x64x16xf32>) -> tensor<2x0x64x16xf32>
    %33 = stablehlo.slice %25 [0:2, 2:2:2, 0:64, 0:16] : (tensor<2x2x64x16xf32>) -> tensor<2x0x64x16xf32>
    %34 = stablehlo.multiply %32, %31 : tensor<2x0x64x16xf32>
    %35 = stablehlo.add %34, %33 : tensor<2x0x64x16xf32>
    %36 = stablehlo.slice %25 [0:2, 0:1, 0:64, 0:16] : (tensor<2x2x64x16xf32>) -> tensor<2x1x64x16xf32>
    %37 = stablehlo.concatenate %36, %35, dim = 1 : (tensor<2x1x64x16xf32>, tensor<2x0x64x16xf32>) -> tensor<2x1x64x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.pad %37, %cst, low = [0, 0, 0, 0], high = [0, 1, 0, 0], interior = [0, 1, 0, 0] : (tensor<2x1x64x16xf32>, tensor<f32>) -> tensor<2x2x64x16xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.pad %30, %cst_0, low = [0, 1, 0, 0], high = [0, 0, 0, 0], interior = [0, 1, 0, 0] : (tensor<2x1x64x16xf32>, tensor<f32>) -> tensor<2x2x64x16xf32>
    %40 = stablehlo.add %38, %39 : tensor<2x2x64x16xf32>
    %41 = stablehlo.slice %40 [0:2, 0:1, 0:64, 0:16] : (tensor<2x2x64x16xf32>) -> tensor<2x1x64x16xf32>
    %42 = stablehlo.slice %16 [0:2, 2:4:2, 0:64, 0:16] : (tensor<2x4x64x16xf32>) -> tensor<2x1x64x16xf32>
    %43 = stablehlo.slice %18 [0:2, 2:4:2, 0:64, 0:16] : (tensor<2x4x64x16xf32>) -> tensor<2x1x64x16xf32>
    %44 = stablehlo.multiply %42, %41 : tensor<2x1x64x16xf32>
    %45 = stablehlo.add %44, %43 : tensor<2x1x64x16xf32>
    %46 = stablehlo.slice %18 [0:2, 0:1, 0:64, 0:16] : (tensor<2x4x64x16xf32>) -> tensor<2x1x64x16xf32>
    %47 = stablehlo.concatenate %46, %45, dim = 1 : (tensor<2x1x64x16xf32>, tensor<2x1x64x16xf32>) -> tensor<2x2x64x16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.pad %47, %cst_1, low = [0, 0, 0, 0], high = [0, 1, 0, 0], interior = [0, 1, 0, 0] : (tensor<2x2x64x16xf32>, tensor<f32>) -> tensor<2x4x64x16xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.pad %40, %cst_2, low = [0, 1, 0, 0], high = [0, 0, 0, 0], interior = [0, 1, 0, 0] : (tensor<2x2x64x16xf32>, tensor<f32>) -> tensor<2x4x64x16xf32>
    %50 = stablehlo.add %48, %49 : tensor<2x4x64x16xf32>
    %51 = stablehlo.slice %50 [0:2, 0:3, 0:64, 0:16] : (tensor<2x4x64x16xf32>) -> tensor<2x3x64x16xf32>
    %52 = stablehlo.slice %5 [0:2, 2:8:2, 0:64, 0:16] : (tensor<2x8x64x16xf32>) -> tensor<2x3x64x16xf32>
    %53 = stablehlo.slice %11 [0:2, 2:8:2, 0:64, 0:16] : (tensor<2x8x64x16xf32>) -> tensor<2x3x64x16xf32>
    %54 = stablehlo.multiply %52, %51 : tensor<2x3x64x16xf32>
    %55 = stablehlo.add %54, %53 : tensor<2x3x64x16xf32>
    %56 = stablehlo.slice %11 [0:2, 0:1, 0:64, 0:16] : (tensor<2x8x64x16xf32>) -> tensor<2x1x64x16xf32>
    %57 = stablehlo.concatenate %56, %55, dim = 1 : (tensor<2x1x64x16xf32>, tensor<2x3x64x16xf32>) -> tensor<2x4x64x16xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.pad %57, %cst_3, low = [0, 0, 0, 0], high = [0, 1, 0, 0], interior = [0, 1, 0, 0] : (tensor<2x4x64x16xf32>, tensor<f32>) -> tensor<2x8x64x16xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.pad %50, %cst_4, low = [0, 1, 0, 0], high = [0, 0, 0, 0], interior = [0, 1, 0, 0] : (tensor<2x4x64x16xf32>, tensor<f32>) -> tensor<2x8x64x16xf32>
    %60 = stablehlo.add %58, %59 : tensor<2x8x64x16xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %61 = stablehlo.reduce(%60 init: %cst_5) applies stablehlo.add across dimensions = [3] : (tensor<2x8x64x16xf32>, tensor<f32>) -> tensor<2x8x64xf32>
    return %61 : tensor<2x8x64xf32>
  }
}
// dump clusters
//    = move
//    = move
//   v0: 2x4x64x16xf32, v1: 2x4x64x16xf32 = multiply exponential multiply exponential multiply x6 add; reads arg0, arg1, arg2, arg3
//   v2: 2x2x64x16xf32 = and divide multiply add select and divide multiply x3 add multiply x2 add x2 select add; reads v0, v1
//   v3: 2x4x64x16xf32 = and divide multiply and multiply add and select x2 and divide multiply select add; reads v0, v2, v1
//   v4: 1024xf32 = and divide multiply and multiply x4 exponential multiply x4 add and multiply x2 select x2 and divide multiply select add reduce(add); reads arg0, arg1, v3, arg2, arg3
// -----
// The mean of many: threads share sums of parts, in a kernel of their own; a few are one kernel.
// dump clusters
//   v0: f32 = reduce(add); reads arg1
//   v1: 512xf32, v2: 512xi32 = exponential convert reduce(add) reduce(maximum); reads arg0
//   v3: f32 = reduce(add); reads v1
//   v4: i32 = reduce(maximum); reads v2
func.func @main(%x: tensor<512x512xf32>, %y: tensor<64x64xf32>) -> (tensor<f32>, tensor<f32>, tensor<i32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.exponential %x : tensor<512x512xf32>
  %0 = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<512x512xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<f32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %c = stablehlo.convert %x : (tensor<512x512xf32>) -> tensor<512x512xi32>
  %2 = stablehlo.reduce(%c init: %i) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<512x512xi32>, tensor<i32>) -> tensor<i32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<i32>
}
