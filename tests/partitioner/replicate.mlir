// A mesh axis that nothing is cut along: every device along it does the whole work.
sdy.mesh @mesh = <["data"=4, "model"=4]>
func.func @main(
    // expected-note @below {{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]> on argument %a avoids it}}
    %a: tensor<1024x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
    %w: tensor<1024x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %v: tensor<4096x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) -> tensor<1024x1024xf32> {
  // expected-warning @below {{'stablehlo.dot_general' is done whole by each device along "data"=4: the others' part of the work takes as long as sending}}
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x4096xf32>) -> tensor<1024x4096xf32>
  %1 = stablehlo.tanh %0 : tensor<1024x4096xf32>
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<1024x4096xf32>, tensor<4096x1024xf32>) -> tensor<1024x1024xf32>
  return %2 : tensor<1024x1024xf32>
}
// -----
// The same program cut along both axes.
sdy.mesh @mesh = <["data"=4, "model"=4]>
func.func @main(%a: tensor<1024x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
    %w: tensor<1024x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %v: tensor<4096x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) -> tensor<1024x1024xf32> {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x4096xf32>) -> tensor<1024x4096xf32>
  %1 = stablehlo.tanh %0 : tensor<1024x4096xf32>
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<1024x4096xf32>, tensor<4096x1024xf32>) -> tensor<1024x1024xf32>
  return %2 : tensor<1024x1024xf32>
}
// -----
// A loop that carries a value whole, though each turn makes parts of it, for a whole product takes longer than sending: what the loop sends in its twelve turns is counted.
sdy.mesh @mesh = <["x"=8]>
func.func @main(%a: tensor<32768x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<128x128xf32>) -> tensor<32768x128xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %z = stablehlo.constant dense<0.0> : tensor<32768x128xf32>
  // expected-note @below {{sdy.sharding_constraint <@mesh, [{"x"}, {}]> on operand 1 of the loop avoids it, for 1.2 MiB}}
  %0:2 = stablehlo.while(%i = %c, %v = %z) : tensor<i32>, tensor<32768x128xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{}, {}]>]>}
  cond {
    %n = stablehlo.constant dense<12> : tensor<i32>
    %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %o = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %o : tensor<i32>
    %w = stablehlo.dot_general %v, %b, contracting_dims = [1] x [0] : (tensor<32768x128xf32>, tensor<128x128xf32>) -> tensor<32768x128xf32>
    %u = stablehlo.add %w, %a : tensor<32768x128xf32>
    // expected-warning @below {{'stablehlo.return' gathers 'tensor<32768x128xf32>' over "x"=8: each device sends 14.0 MiB and holds 16.0 MiB instead of 2.0 MiB, 12 times}}
    stablehlo.return %j, %u : tensor<i32>, tensor<32768x128xf32>
  }
  return %0#1 : tensor<32768x128xf32>
}
// -----
// Weights that are stored in parts and gathered where they are used, because that is asked for.
sdy.mesh @mesh = <["x"=8]>
func.func @main(%a: tensor<8192x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<1024x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8192x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = sdy.sharding_constraint %w <@mesh, [{}, {}]> : tensor<1024x1024xf32>
  %1 = stablehlo.dot_general %a, %0, contracting_dims = [1] x [0] : (tensor<8192x1024xf32>, tensor<1024x1024xf32>) -> tensor<8192x1024xf32>
  return %1 : tensor<8192x1024xf32>
}
// -----
// And because the product is cheapest so.
sdy.mesh @mesh = <["x"=8]>
func.func @main(%a: tensor<8192x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<1024x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8192x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %1 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8192x1024xf32>, tensor<1024x1024xf32>) -> tensor<8192x1024xf32>
  return %1 : tensor<8192x1024xf32>
}
// -----
// One dimension, sorted along: nothing else can be cut, and no annotation helps (of large ones: needs_whole.mlir).
sdy.mesh @mesh = <["x"=8]>
func.func @main(%a: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<64xf32> {
  %0 = "stablehlo.sort"(%a) ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %c = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
// -----
// A constraint that nobody needs is not carried out: nothing is gathered, and the plan does not follow it.
sdy.mesh @mesh = <["x"=8]>
func.func @main(%a: tensor<4096x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4096x4096xf32> {
  %0 = stablehlo.tanh %a : tensor<4096x4096xf32>
  // expected-warning @below {{the plan does not follow this sharding constraint}}
  %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}]> : tensor<4096x4096xf32>
  %2 = stablehlo.exponential %1 : tensor<4096x4096xf32>
  %3 = stablehlo.add %2, %a : tensor<4096x4096xf32>
  return %3 : tensor<4096x4096xf32>
}
// -----
// Small things are not worth an annotation.
sdy.mesh @mesh = <["x"=8]>
func.func @main(%a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// -----
// A program for a mesh that says nothing.
sdy.mesh @mesh = <["x"=8]>
// expected-note @below {{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]> on argument %a avoids it, for}}
func.func @main(%a: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  // expected-warning @below {{'stablehlo.dot_general' is done whole by each device along "x"=8}}
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}
