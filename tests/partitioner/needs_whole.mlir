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
// Nor are transforms, but where that would send more, as on two devices, or there is no way: of a prime, or in parts that the devices do not divide.
sdy.mesh @m = <["x"=2]>
func.func @main(%a: tensor<1048576xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<524289xcomplex<f32>> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  // expected-warning @below {{'stablehlo.fft' gathers 'tensor<1048576xf32>' over "x"=2: each device sends 2.0 MiB and holds 4.0 MiB instead of 2.0 MiB, for it needs dimension 0 whole}}
  // expected-note @below {{no way that sends less}}
  %0 = stablehlo.fft %a, type = RFFT, length = [1048576] : (tensor<1048576xf32>) -> tensor<524289xcomplex<f32>>
  return %0 : tensor<524289xcomplex<f32>>
}
// -----
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<524289xcomplex<f32>> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %b: tensor<65537xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %c: tensor<65540xcomplex<f32>> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<1048576xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<32769xcomplex<f32>> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<65540xcomplex<f32>> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = stablehlo.fft %a, type = IRFFT, length = [1048576] : (tensor<524289xcomplex<f32>>) -> tensor<1048576xf32>
  // expected-warning @below {{'stablehlo.fft' gathers 'tensor<65537xf32>' over "x"=4}}
  // expected-note @below {{no way that sends less}}
  %1 = stablehlo.fft %b, type = RFFT, length = [65537] : (tensor<65537xf32>) -> tensor<32769xcomplex<f32>>
  // expected-warning @below {{'stablehlo.fft' gathers 'tensor<65540xcomplex<f32>>' over "x"=4}}
  // expected-note @below {{no way that sends less}}
  %2 = stablehlo.fft %c, type = FFT, length = [65540] : (tensor<65540xcomplex<f32>>) -> tensor<65540xcomplex<f32>>
  return %0, %1, %2 : tensor<1048576xf32>, tensor<32769xcomplex<f32>>, tensor<65540xcomplex<f32>>
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
