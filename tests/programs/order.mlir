// Sorts, top_k, windows, scans and norms, sharded along what they look along and along what they do not.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%x: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %v: tensor<8x12x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}, %i: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %s: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<8x12xf32>, tensor<8x12xi32>, tensor<8x3xf32>, tensor<8x3xi32>, tensor<8x12xf32>, tensor<4x6xf32>, tensor<8x12xf32>, tensor<8x12x4xf32>, tensor<4xf32>, tensor<8x8x4xf32>, tensor<8x12xf32>, tensor<8x12xf32>, tensor<8x12xf32>) {
  %io = stablehlo.iota dim = 1 : tensor<8x12xi32>
  %a:2 = "stablehlo.sort"(%x, %io) ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<i32>, %t: tensor<i32>):
      %c = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<8x12xf32>, tensor<8x12xi32>) -> (tensor<8x12xf32>, tensor<8x12xi32>)
  %tv, %ti = chlo.top_k(%x, k = 3) : tensor<8x12xf32> -> (tensor<8x3xf32>, tensor<8x3xi32>)
  %m = "stablehlo.map"(%x, %x) ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %c = stablehlo.multiply %p, %q : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<8x12xf32>, tensor<8x12xf32>) -> tensor<8x12xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %ni = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %rw = "stablehlo.reduce_window"(%x, %ni) ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %c = stablehlo.maximum %p, %q : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>} : (tensor<8x12xf32>, tensor<f32>) -> tensor<4x6xf32>
  %ss = "stablehlo.select_and_scatter"(%x, %rw, %z) ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %c = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
  }, {
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %c = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>} : (tensor<8x12xf32>, tensor<4x6xf32>, tensor<f32>) -> tensor<8x12xf32>
  %y, %mm, %vv = "stablehlo.batch_norm_training"(%v, %s, %s) {epsilon = 0.001 : f32, feature_index = 2 : i64} : (tensor<8x12x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x12x4xf32>, tensor<4xf32>, tensor<4xf32>)
  %t = "stablehlo.torch_index_select"(%v, %i) {dim = 1 : i64, batch_dims = 0 : i64} : (tensor<8x12x4xf32>, tensor<8xi32>) -> tensor<8x8x4xf32>
  %cs = "stablehlo.reduce_window"(%x, %z) <{padding = dense<[[7, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 8, 1>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %c = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) : (tensor<8x12xf32>, tensor<f32>) -> tensor<8x12xf32>
  %sr = stablehlo.slice %v [0:8, 0:12, 0:1] : (tensor<8x12x4xf32>) -> tensor<8x12x1xf32>
  %srr = stablehlo.reshape %sr : (tensor<8x12x1xf32>) -> tensor<8x12xf32>
  %c0 = stablehlo.slice %srr [0:1, 0:12] : (tensor<8x12xf32>) -> tensor<1x12xf32>
  %c1 = stablehlo.reshape %c0 : (tensor<1x12xf32>) -> tensor<12xf32>
  %r:2 = "chlo.scan"(%x, %c1) ({
    ^bb0(%in: tensor<12xf32>, %c: tensor<12xf32>):
      %aa = stablehlo.add %in, %c : tensor<12xf32>
      stablehlo.return %aa, %aa : tensor<12xf32>, tensor<12xf32>
  }) {dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<8x12xf32>, tensor<12xf32>) -> (tensor<8x12xf32>, tensor<12xf32>)
  return %a#0, %a#1, %tv, %ti, %m, %rw, %ss, %y, %mm, %t, %cs, %r#0, %x : tensor<8x12xf32>, tensor<8x12xi32>, tensor<8x3xf32>, tensor<8x3xi32>, tensor<8x12xf32>, tensor<4x6xf32>, tensor<8x12xf32>, tensor<8x12x4xf32>, tensor<4xf32>, tensor<8x8x4xf32>, tensor<8x12xf32>, tensor<8x12xf32>, tensor<8x12xf32>
}
