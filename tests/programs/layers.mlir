// Layers whose weights are cut over the devices and gathered in each turn of a loop: LAYERS turns, then the same backwards with a scale
// that depends on the turn.
sdy.mesh @mesh = <["data"=4]>
func.func @main(%w: tensor<24x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}]>}, %b: tensor<24x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>}, %x: tensor<4096x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> (tensor<4096x16xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<LAYERS> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i32>, tensor<4096x16xf32>
  cond {
    %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %s = stablehlo.dynamic_slice %w, %i, %zero, %zero, sizes = [1, 16, 16] : (tensor<24x16x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x16xf32>
    %l = stablehlo.reshape %s : (tensor<1x16x16xf32>) -> tensor<16x16xf32>
    %t = stablehlo.dynamic_slice %b, %i, %zero, sizes = [1, 16] : (tensor<24x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
    %v = stablehlo.reshape %t : (tensor<1x16xf32>) -> tensor<16xf32>
    %u = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<16xf32>) -> tensor<4096x16xf32>
    %d = stablehlo.dot_general %h, %l, contracting_dims = [1] x [0] : (tensor<4096x16xf32>, tensor<16x16xf32>) -> tensor<4096x16xf32>
    %e = stablehlo.add %d, %u : tensor<4096x16xf32>
    %f = stablehlo.tanh %e : tensor<4096x16xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %f : tensor<i32>, tensor<4096x16xf32>
  }
  %q:2 = stablehlo.while(%i = %n, %h = %r#1) : tensor<i32>, tensor<4096x16xf32>
  cond {
    %more = stablehlo.compare GE, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %minus = stablehlo.constant dense<-1> : tensor<i32>
    %j = stablehlo.add %i, %minus : tensor<i32>
    %s = stablehlo.dynamic_slice %w, %j, %zero, %zero, sizes = [1, 16, 16] : (tensor<24x16x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x16xf32>
    %l = stablehlo.reshape %s : (tensor<1x16x16xf32>) -> tensor<16x16xf32>
    %d = stablehlo.dot_general %h, %l, contracting_dims = [1] x [1] : (tensor<4096x16xf32>, tensor<16x16xf32>) -> tensor<4096x16xf32>
    %k = stablehlo.convert %j : (tensor<i32>) -> tensor<f32>
    %u = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<f32>) -> tensor<4096x16xf32>
    %e = stablehlo.add %d, %u : tensor<4096x16xf32>
    %f = stablehlo.sine %e : tensor<4096x16xf32>
    stablehlo.return %j, %f : tensor<i32>, tensor<4096x16xf32>
  }
  return %q#1, %q#0 : tensor<4096x16xf32>, tensor<i32>
}
