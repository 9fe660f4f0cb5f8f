// weft opt --weft-carry-sorted --cse
// What the sort has, and one array more; nobody reads the numbers then.
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %arg1: tensor<16xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<16xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
    %0 = stablehlo.iota dim = 0 : tensor<16xi32>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<i32>):
      %9 = stablehlo.compare LT, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<16xf32>, tensor<16xi32>) -> (tensor<16xf32>, tensor<16xi32>)
    %c = stablehlo.constant dense<0> : tensor<16xi32>
    %c_0 = stablehlo.constant dense<16> : tensor<16xi32>
    %2 = stablehlo.compare LT, %1#1, %c : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
    %3 = stablehlo.add %1#1, %c_0 : tensor<16xi32>
    %4 = stablehlo.select %2, %3, %1#1 : tensor<16xi1>, tensor<16xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<16xf32>, tensor<16x1xi32>) -> tensor<16xf32>
    %7 = "stablehlo.gather"(%arg1, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<16xbf16>, tensor<16x1xi32>) -> tensor<16xbf16>
    return %6, %7 : tensor<16xf32>, tensor<16xbf16>
  }
}
// ==>
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %arg1: tensor<16xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<16xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
    %0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<bf16>, %arg5: tensor<bf16>):
      %1 = stablehlo.compare LT, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}]>, <@m, [{"x"}]>]>} : (tensor<16xf32>, tensor<16xbf16>) -> (tensor<16xf32>, tensor<16xbf16>)
    return %0#0, %0#1 : tensor<16xf32>, tensor<16xbf16>
  }
}
// -----
// weft opt --weft-carry-sorted --cse
// In descending order, along one dimension of two.
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<2x16xi8>, %arg1: tensor<2x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> (tensor<2x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) {
    %0 = stablehlo.iota dim = 0 : tensor<16xi32>
    %1 = stablehlo.reverse %0, dims = [0] : tensor<16xi32>
    %2 = stablehlo.iota dim = 1 : tensor<2x16xi32>
    %3 = stablehlo.reverse %2, dims = [1] : tensor<2x16xi32>
    %4 = stablehlo.reverse %arg0, dims = [1] : tensor<2x16xi8>
    %5:2 = "stablehlo.sort"(%4, %3) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<i8>, %arg3: tensor<i8>, %arg4: tensor<i32>, %arg5: tensor<i32>):
      %9 = stablehlo.compare LT, %arg2, %arg3 : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<2x16xi8>, tensor<2x16xi32>) -> (tensor<2x16xi8>, tensor<2x16xi32>)
    %6 = stablehlo.reverse %5#1, dims = [1] : tensor<2x16xi32>
    %7 = "stablehlo.gather"(%arg1, %6) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}]>]>} : (tensor<2x16xf32>, tensor<2x16xi32>) -> tensor<2x16xf32>
    return %7 : tensor<2x16xf32>
  }
}
// ==>
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<2x16xi8>, %arg1: tensor<2x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> (tensor<2x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) {
    %0 = stablehlo.reverse %arg0, dims = [1] : tensor<2x16xi8>
    %1 = stablehlo.reverse %arg1, dims = [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}]>]>} : tensor<2x16xf32>
    %2:2 = "stablehlo.sort"(%0, %1) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<i8>, %arg3: tensor<i8>, %arg4: tensor<f32>, %arg5: tensor<f32>):
      %4 = stablehlo.compare LT, %arg2, %arg3 : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {?}]>, <@m, [{}, {"x"}]>]>} : (tensor<2x16xi8>, tensor<2x16xf32>) -> (tensor<2x16xi8>, tensor<2x16xf32>)
    %3 = stablehlo.reverse %2#1, dims = [1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}]>]>} : tensor<2x16xf32>
    return %3 : tensor<2x16xf32>
  }
}
// -----
// weft opt --weft-carry-sorted --cse
// Not where a wrap changes numbers.
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %arg1: tensor<16xbf16>) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<16xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
    %0 = stablehlo.iota dim = 0 : tensor<16xi32>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<i32>):
      %9 = stablehlo.compare LT, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<16xf32>, tensor<16xi32>) -> (tensor<16xf32>, tensor<16xi32>)
    %c = stablehlo.constant dense<1> : tensor<16xi32>
    %c_0 = stablehlo.constant dense<16> : tensor<16xi32>
    %2 = stablehlo.compare LT, %1#1, %c : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
    %3 = stablehlo.add %1#1, %c_0 : tensor<16xi32>
    %4 = stablehlo.select %2, %3, %1#1 : tensor<16xi1>, tensor<16xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<16xf32>, tensor<16x1xi32>) -> tensor<16xf32>
    %7 = "stablehlo.gather"(%arg1, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<16xbf16>, tensor<16x1xi32>) -> tensor<16xbf16>
    return %6, %7 : tensor<16xf32>, tensor<16xbf16>
  }
}
// ==>
module {
  sdy.mesh @m = <["x"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %arg1: tensor<16xbf16>) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<16xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
    %0 = stablehlo.iota dim = 0 : tensor<16xi32>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<i32>):
      %8 = stablehlo.compare LT, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    }) : (tensor<16xf32>, tensor<16xi32>) -> (tensor<16xf32>, tensor<16xi32>)
    %c = stablehlo.constant dense<1> : tensor<16xi32>
    %c_0 = stablehlo.constant dense<16> : tensor<16xi32>
    %2 = stablehlo.compare LT, %1#1, %c : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
    %3 = stablehlo.add %1#1, %c_0 : tensor<16xi32>
    %4 = stablehlo.select %2, %3, %1#1 : tensor<16xi1>, tensor<16xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<16xf32>, tensor<16x1xi32>) -> tensor<16xf32>
    %7 = "stablehlo.gather"(%arg1, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : (tensor<16xbf16>, tensor<16x1xi32>) -> tensor<16xbf16>
    return %6, %7 : tensor<16xf32>, tensor<16xbf16>
  }
}
