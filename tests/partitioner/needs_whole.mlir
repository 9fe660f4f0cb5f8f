// What an op needs whole along the dimension that is sharded, and has no other dimension to share its work along.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<1024x1024xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<1024x1024xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  // expected-warning @below {{'stablehlo.cholesky' gathers 'tensor<1024x1024xf32>' over "x"=4: each device sends 3.0 MiB and holds 4.0 MiB instead of 1.0 MiB, for it needs dimension 0 whole}}
  // expected-note @below {{in parts along a dimension that it needs whole; shard the operand along another one}}
  %0 = stablehlo.cholesky %a, lower = true : tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}
// -----
// Sorts of a line, and the k largest of one, are not gathered (local_sort.c).
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<1048576xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %b: tensor<1048576xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<1048576xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<8xf32>, tensor<8xi32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %c = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<1048576xf32>) -> tensor<1048576xf32>
  %v, %k = chlo.top_k(%b, k = 8) : tensor<1048576xf32> -> (tensor<8xf32>, tensor<8xi32>)
  return %0, %v, %k : tensor<1048576xf32>, tensor<8xf32>, tensor<8xi32>
}
// -----
// Rows that change places are not gathered, and what is small is not worth a word.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<4096x1024xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<64xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<4096x1024xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<4096x1024xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<64xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %c = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %1 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %c = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %2 = "stablehlo.sort"(%b) <{dimension = 0 : i64}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %c = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<64xf32>) -> tensor<64xf32>
  return %0, %1, %2 : tensor<4096x1024xf32>, tensor<4096x1024xf32>, tensor<64xf32>
}
