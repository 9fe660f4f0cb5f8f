// weft verify --fill 2=2
// Windows that take a cut dimension whole: their component of the indices is no place in it.
module {
  sdy.mesh @mesh = <["x"=3]>
  func.func @main(%a: tensor<2x3x3xf32>, %i: tensor<2x3xi32>, %u: tensor<2x3x2xf32>) -> (tensor<2x3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, tensor<2x3x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
    %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1, 2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3, 2>}> : (tensor<2x3x3xf32>, tensor<2x3xi32>) -> tensor<2x3x2xf32>
    %1 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1, 2], index_vector_dim = 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %2 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x3x3xf32>, tensor<2x3xi32>, tensor<2x3x2xf32>) -> tensor<2x3x3xf32>
    return %0, %1 : tensor<2x3x2xf32>, tensor<2x3x3xf32>
  }
}
// -----
// weft verify --fill 1=0
// The same with updates that are in range.
module {
  sdy.mesh @mesh = <["x"=3]>
  func.func @main(%a: tensor<2x3x3xf32>, %i: tensor<2x3xi32>, %u: tensor<2x3x2xf32>) -> (tensor<2x3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, tensor<2x3x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
    %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1, 2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3, 2>}> : (tensor<2x3x3xf32>, tensor<2x3xi32>) -> tensor<2x3x2xf32>
    %1 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1, 2], index_vector_dim = 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %2 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x3x3xf32>, tensor<2x3xi32>, tensor<2x3x2xf32>) -> tensor<2x3x3xf32>
    return %0, %1 : tensor<2x3x2xf32>, tensor<2x3x3xf32>
  }
}
// -----
// weft verify
// Shapes without a common divisor.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<2x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
}
// -----
// weft verify
// A kernel as large as its input, cut over devices that do not divide it: where it is padding, the input is infinite.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<2x10x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %k: tensor<9x3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> tensor<2x4x2xf32> {
  %i = stablehlo.iota dim = 1 : tensor<2x10x3xf32>
  %n = stablehlo.constant dense<9.0> : tensor<2x10x3xf32>
  %d = stablehlo.subtract %i, %n : tensor<2x10x3xf32>
  %e = stablehlo.multiply %d, %d : tensor<2x10x3xf32>
  %x = stablehlo.divide %n, %e : tensor<2x10x3xf32>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x10x3xf32>, tensor<9x3x2xf32>) -> tensor<2x4x2xf32>
  return %r : tensor<2x4x2xf32>
}
// -----
// weft verify
// A cumulative sum and a cumulative maximum one after the other, either way, along the same dimension.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %zero) <{window_dimensions = array<i64: 8, 1>, padding = dense<[[7, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x3xf32>, tensor<f32>) -> tensor<8x3xf32>
  %1 = "stablehlo.reduce_window"(%0, %least) <{window_dimensions = array<i64: 8, 1>, padding = dense<[[7, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x3xf32>, tensor<f32>) -> tensor<8x3xf32>
  %2 = "stablehlo.reduce_window"(%1, %zero) <{window_dimensions = array<i64: 8, 1>, padding = dense<[[0, 7], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x3xf32>, tensor<f32>) -> tensor<8x3xf32>
  return %1, %2 : tensor<8x3xf32>, tensor<8x3xf32>
}
// -----
// weft verify --fill 1=8
// A slice that starts too late, of a dimension with padding.
sdy.mesh @mesh = <["x"=6]>
func.func @main(%a: tensor<9x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<i32>) -> (tensor<6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %a, %i, %z, sizes = [6, 2] : (tensor<9x2xf32>, tensor<i32>, tensor<i32>) -> tensor<6x2xf32>
  return %0 : tensor<6x2xf32>
}
// -----
// weft verify --fill 2=2
// An update of one row of two that starts behind them.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<2x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %u: tensor<1x3xf32>, %i: tensor<i32>) -> (tensor<2x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %z : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// weft verify
// Pads that take from one end and add to the other, inside too.
sdy.mesh @mesh = <["x"=6]>
func.func @main(%a: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<22xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %z = stablehlo.constant dense<5.0> : tensor<f32>
  %0 = stablehlo.pad %a, %z, low = [-1], high = [1], interior = [0] : (tensor<12xf32>, tensor<f32>) -> tensor<12xf32>
  %1 = stablehlo.pad %a, %z, low = [1], high = [-1], interior = [0] : (tensor<12xf32>, tensor<f32>) -> tensor<12xf32>
  %2 = stablehlo.pad %a, %z, low = [-1], high = [0], interior = [1] : (tensor<12xf32>, tensor<f32>) -> tensor<22xf32>
  return %0, %1, %2 : tensor<12xf32>, tensor<12xf32>, tensor<22xf32>
}
// -----
// weft verify --fill 1=uniform
// What the gradient of take_along_axis does: five rows over two devices.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%g: tensor<3x4xf32>, %i: tensor<3x4xi32>) -> (tensor<5x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %z = stablehlo.constant dense<0.0> : tensor<5x4xf32>
  %c = sdy.sharding_constraint %z <@mesh, [{"x"}, {}]> : tensor<5x4xf32>
  %j = stablehlo.iota dim = 1 : tensor<3x4x1xi32>
  %k = stablehlo.reshape %i : (tensor<3x4xi32>) -> tensor<3x4x1xi32>
  %at = stablehlo.concatenate %k, %j, dim = 2 : (tensor<3x4x1xi32>, tensor<3x4x1xi32>) -> tensor<3x4x2xi32>
  %0 = "stablehlo.scatter"(%c, %at, %g) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<5x4xf32>, tensor<3x4x2xi32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}
// -----
// weft verify
// A reshape to two elements over four devices, an xor over what is cut, and branches that place their results differently.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<1x2xf32>, %b: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %p: tensor<i1>, %c: tensor<4x8xf32>) -> (tensor<2xf32>, tensor<i32>, tensor<4x8xf32>) {
  %0 = stablehlo.reshape %a : (tensor<1x2xf32>) -> tensor<2xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<2xf32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %2 = stablehlo.reduce(%b init: %z) applies stablehlo.xor across dimensions = [0] : (tensor<8xi32>, tensor<i32>) -> tensor<i32>
  %3 = "stablehlo.if"(%p) ({
    %4 = stablehlo.negate %c : tensor<4x8xf32>
    %5 = sdy.sharding_constraint %4 <@mesh, [{"x"}, {}]> : tensor<4x8xf32>
    stablehlo.return %5 : tensor<4x8xf32>
  }, {
    %4 = stablehlo.add %c, %c : tensor<4x8xf32>
    %5 = sdy.sharding_constraint %4 <@mesh, [{}, {"x"}]> : tensor<4x8xf32>
    stablehlo.return %5 : tensor<4x8xf32>
  }) : (tensor<i1>) -> tensor<4x8xf32>
  return %1, %2, %3 : tensor<2xf32>, tensor<i32>, tensor<4x8xf32>
}
// -----
// weft verify --fill 1=uniform
// A scatter into rows that the devices do not divide, its result brought along the columns, which they do not divide either.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<7x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %u: tensor<5x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<7x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<7x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<7x6xf32>, tensor<5xi32>, tensor<5x6xf32>) -> tensor<7x6xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"x"}]> : tensor<7x6xf32>
  %2 = stablehlo.negate %1 : tensor<7x6xf32>
  %3 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<7x6xf32>
  return %2, %3 : tensor<7x6xf32>, tensor<7x6xf32>
}
// -----
// weft verify
// Arguments and results that no axis divides: rows and columns, less than there are devices, and one element.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%a: tensor<7x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<3x5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %c: tensor<1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>})
    -> (tensor<7x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, tensor<5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, tensor<f32>, tensor<21xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}) {
  %one = stablehlo.constant dense<1.0> : tensor<1xf32>
  %0 = stablehlo.exponential %a : tensor<7x3xf32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.reduce(%b init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3x5xi32>, tensor<i32>) -> tensor<5xi32>
  %d = stablehlo.add %c, %one : tensor<1xf32>
  %e = stablehlo.reshape %d : (tensor<1xf32>) -> tensor<f32>
  %f = stablehlo.reshape %a : (tensor<7x3xf32>) -> tensor<21xf32>
  return %0, %1, %e, %f : tensor<7x3xf32>, tensor<5xi32>, tensor<f32>, tensor<21xf32>
}
// -----
// weft verify
// Devices that the mesh has in another order: groups are named by its axes and a part of one, and have 4, 4 and 2 devices. A device
// sends 138 bytes.
sdy.mesh @mesh = <["x"=4, "y"=2], device_ids=[0, 4, 1, 5, 2, 6, 3, 7]>
func.func @main(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, tensor<6xf32>, tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}]>}) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.negate %a : tensor<8x6xf32>
  %1 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<6xf32>
  %2 = stablehlo.negate %b : tensor<8x6xf32>
  return %0, %1, %2 : tensor<8x6xf32>, tensor<6xf32>, tensor<8x6xf32>
}
// -----
// weft verify --fill 1=uniform
// Windows of a scatter whose updates the devices do not divide: what is padding of theirs is put nowhere, with no element of its window.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<64xf32>, %i: tensor<7x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %u: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<64xf32> {
  %e = stablehlo.exponential %u : tensor<7x5xf32>
  %0 = "stablehlo.scatter"(%a, %i, %e) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<64xf32>, tensor<7x1xi32>, tensor<7x5xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
// -----
// weft verify
// Windows that begin before the operand, between its parts and behind it, read and written where they lie: rows in windows of three,
// columns one by one, and a window of eight rows that replaces as JAX's at[3:11].set does. A device sends 126 bytes.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%a: tensor<10x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %u: tensor<6x3xf32>, %b: tensor<13x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %v: tensor<8x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> (tensor<6x3xf32>, tensor<10x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<13x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %i = stablehlo.constant dense<[[-3, 0], [2, 5], [1, -7], [7, 3], [8, 2], [12, 4]]> : tensor<6x2xi32>
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 3, 1>}> : (tensor<10x6xf32>, tensor<6x2xi32>) -> tensor<6x3xf32>
  %1 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<10x6xf32>, tensor<6x2xi32>, tensor<6x3xf32>) -> tensor<10x6xf32>
  %j = stablehlo.constant dense<3> : tensor<1xui8>
  %2 = "stablehlo.scatter"(%b, %j, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>, indices_are_sorted = true, unique_indices = true}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    stablehlo.return %y : tensor<i32>
  }) : (tensor<13x6xi32>, tensor<1xui8>, tensor<8x6xi32>) -> tensor<13x6xi32>
  return %0, %1, %2 : tensor<6x3xf32>, tensor<10x6xf32>, tensor<13x6xi32>
}
// -----
// weft verify --fill 2=uniform
// A row of a cache, of each batch at its own place, in a window of one row: a device sends 0 bytes.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<2x10x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %u: tensor<2x1x3xf32>, %i: tensor<2x2xi32>) -> (tensor<2x10x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<2x10x3xf32>, tensor<2x2xi32>, tensor<2x1x3xf32>) -> tensor<2x10x3xf32>
  return %0 : tensor<2x10x3xf32>
}
// -----
// weft verify
// Quotients to the last bit, whether a row has one divisor or each of its elements: rounding that differs is a floor that does, and a
// percentile from elsewhere.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<64x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<64xf32>) -> (tensor<64x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<3xi32>) {
  %c = stablehlo.broadcast_in_dim %b, dims = [0] : (tensor<64xf32>) -> tensor<64x4xf32>
  %0 = stablehlo.divide %a, %c : tensor<64x4xf32>
  %1 = stablehlo.bitcast_convert %0 : (tensor<64x4xf32>) -> tensor<64x4xi32>
  %p = stablehlo.constant dense<[10.0, 50.0, 99.0]> : tensor<3xf32>
  %q = sdy.sharding_constraint %p <@mesh, [{"x"}]> : tensor<3xf32>
  %h = stablehlo.constant dense<100.0> : tensor<3xf32>
  %t = stablehlo.constant dense<10.0> : tensor<3xf32>
  %2 = stablehlo.divide %q, %h : tensor<3xf32>
  %3 = stablehlo.multiply %2, %t : tensor<3xf32>
  %4 = stablehlo.floor %3 : tensor<3xf32>
  %5 = stablehlo.convert %4 : (tensor<3xf32>) -> tensor<3xi32>
  return %1, %5 : tensor<64x4xi32>, tensor<3xi32>
}
// -----
// weft verify
// An initial value that is zero behind a constraint: what the plan leaves for an all-reduce is what the op does not tell by itself.
module {
  sdy.mesh @mesh = <["x"=6]>
  func.func @main(%a: tensor<3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<f32> {
    %c = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %i = sdy.sharding_constraint %c <@mesh, []> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
// -----
// weft verify
// The same behind a loop, out of which the constant is taken when the plan is made.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<f32> {
    %n = stablehlo.constant dense<0> : tensor<i32>
    %z = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %s = stablehlo.subtract %z, %z : tensor<f32>
    %l:3 = stablehlo.while(%k = %n, %v = %s, %w = %z) : tensor<i32>, tensor<f32>, tensor<f32> cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %more = stablehlo.compare LT, %k, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %k, %one : tensor<i32>
      %r = stablehlo.reduce(%a init: %w) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
      %sum = stablehlo.add %v, %r : tensor<f32>
      stablehlo.return %next, %sum, %w : tensor<i32>, tensor<f32>, tensor<f32>
    }
    return %l#1 : tensor<f32>
  }
}
// -----
// weft verify
// What belongs to one device, all have whole.
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @device = <[], device_ids=[0]>
  func.func @main(%a: tensor<3xf32> {sdy.sharding = #sdy.sharding<@device, []>}, %b: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<3xf32>, tensor<4xf32>) {
    %0 = stablehlo.abs %a : tensor<3xf32>
    %1 = stablehlo.abs %b : tensor<4xf32>
    return %0, %1 : tensor<3xf32>, tensor<4xf32>
  }
}
// -----
// weft verify --fill 1=1
// A scatter's window that takes the cut dimension whole and begins behind its beginning: what does not hang over lies in other parts.
module {
  sdy.mesh @mesh = <["x"=3]>
  func.func @main(%a: tensor<6xf32>, %i: tensor<1xi32>, %u: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<6xf32>, tensor<1xi32>, tensor<6xf32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
// -----
// weft verify --fill 2=7
// Where the ops that put indices together say that it begins at 0, nothing travels: rows of a cache whose heads are cut. A device sends 0 bytes.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%c: tensor<2x6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, %u: tensor<2x1x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, %p: tensor<2xi32>) -> (tensor<2x6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<2x1xi32>
    %column = stablehlo.broadcast_in_dim %p, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %less = stablehlo.compare LT, %zero, %zero : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x1xi1>
    %eight = stablehlo.constant dense<8> : tensor<2x1xi32>
    %behind = stablehlo.add %zero, %eight : tensor<2x1xi32>
    %first = stablehlo.select %less, %behind, %zero : tensor<2x1xi1>, tensor<2x1xi32>
    %both = stablehlo.concatenate %column, %first, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
    %last = stablehlo.constant dense<[5, 0]> : tensor<2xi32>
    %high = stablehlo.broadcast_in_dim %last, dims = [1] : (tensor<2xi32>) -> tensor<2x2xi32>
    %low = stablehlo.constant dense<0> : tensor<2x2xi32>
    %i = stablehlo.clamp %low, %both, %high : tensor<2x2xi32>
    %0 = "stablehlo.scatter"(%c, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      stablehlo.return %y : tensor<f32>
    }) : (tensor<2x6x8xf32>, tensor<2x2xi32>, tensor<2x1x8xf32>) -> tensor<2x6x8xf32>
    return %0 : tensor<2x6x8xf32>
  }
}
// -----
// weft verify --fill 2=3
// The same without a clamp, the zeros reshaped and wrapped round where they are negative, which they never are. A device sends 0 bytes.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%c: tensor<2x6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, %u: tensor<2x1x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, %p: tensor<2xi32>) -> (tensor<2x6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}) {
    %column = stablehlo.broadcast_in_dim %p, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %zeros = stablehlo.constant dense<[[0], [0]]> : tensor<2x1xi32>
    %flat = stablehlo.reshape %zeros : (tensor<2x1xi32>) -> tensor<2xi32>
    %none = stablehlo.constant dense<0> : tensor<2xi32>
    %less = stablehlo.compare LT, %flat, %none : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %eight = stablehlo.constant dense<8> : tensor<2xi32>
    %behind = stablehlo.add %flat, %eight : tensor<2xi32>
    %wrapped = stablehlo.select %less, %behind, %flat : tensor<2xi1>, tensor<2xi32>
    %first = stablehlo.reshape %wrapped : (tensor<2xi32>) -> tensor<2x1xi32>
    %i = stablehlo.concatenate %column, %first, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
    %0 = "stablehlo.scatter"(%c, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      stablehlo.return %y : tensor<f32>
    }) : (tensor<2x6x8xf32>, tensor<2x2xi32>, tensor<2x1x8xf32>) -> tensor<2x6x8xf32>
    return %0 : tensor<2x6x8xf32>
  }
}
// -----
// weft verify
// An axis cut behind 4 of its 12 and behind 6: no piece of the one is a piece of the other.
sdy.mesh @mesh = <["x"=12]>
func.func @main(%a: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)4}, {}]>}, %b: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(1)6}]>}) -> (tensor<24x24xf32>, tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(4)3}, {"x":(1)4}]>}) {
  %0 = stablehlo.add %a, %b : tensor<24x24xf32>
  return %0, %0 : tensor<24x24xf32>, tensor<24x24xf32>
}
// -----
// weft verify
// Behind 2 of 6 and behind 3; sends 16 bytes
sdy.mesh @mesh = <["x"=6]>
func.func @main(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)3}]>}) {
  return %a : tensor<6xf32>
}
// -----
// weft verify
// Meshes of the same axes in another order, the same ones backwards, and others.
sdy.mesh @a = <["x"=2, "y"=4]>
sdy.mesh @b = <["y"=4, "x"=2]>
sdy.mesh @c = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
sdy.mesh @d = <["z"=8]>
func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}, {"y"}]>}, %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@b, [{"y"}, {"x"}]>},
    %d: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@d, [{"z"}, {}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@c, [{"x"}, {}]>}, tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@b, [{}, {"y", "x"}]>}) {
  %0 = stablehlo.add %a, %b : tensor<16x8xf32>
  %1 = stablehlo.dot_general %0, %d, contracting_dims = [1] x [0] : (tensor<16x8xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x16xf32>
}
// -----
// weft verify --fill 0=normal
// A constraint in a reduction's body, which is a maximum all the same; the largest element is in the last part.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<3x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<3xf32> {
  %i = stablehlo.iota dim = 1 : tensor<3x8xf32>
  %b = stablehlo.add %a, %i : tensor<3x8xf32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r = stablehlo.reduce(%b init: %least) across dimensions = [1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<3xf32>
    reducer(%x: tensor<f32>, %y: tensor<f32>) {
      %0 = sdy.sharding_constraint %x <@mesh, []> : tensor<f32>
      %1 = stablehlo.maximum %y, %0 : tensor<f32>
      %2 = sdy.sharding_constraint %1 <@mesh, [], replicated={"x"}> : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }
  return %r : tensor<3xf32>
}
// -----
// weft verify --fill 0-1=normal
// A kernel with infinite elements over padding, which is zero on whatever device it lies: no numbers at the edges, as on one device.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<2x9x8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}, %b: tensor<3x3x3x5xf32>) -> tensor<2x9x8x5xf32> {
  %l = stablehlo.constant dense<0.03> : tensor<3x3x3x5xf32>
  %i = stablehlo.constant dense<0xFF800000> : tensor<3x3x3x5xf32>
  %c = stablehlo.compare GT, %b, %l : (tensor<3x3x3x5xf32>, tensor<3x3x3x5xf32>) -> tensor<3x3x3x5xi1>
  %k = stablehlo.select %c, %i, %b : tensor<3x3x3x5xi1>, tensor<3x3x3x5xf32>
  %r = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x8x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x9x8x5xf32>
  return %r : tensor<2x9x8x5xf32>
}
// -----
// weft verify --fill 1=25 --fill 2=3
// Rows picked out of a data set that every device has, and a step of a cache, into parts: each device takes its own, which begin behind where
// the whole slice would be clamped to. A device sends 0 bytes.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%a: tensor<31x9xf32>, %i: tensor<i32>, %j: tensor<i32>, %c: tensor<5x12xf32>) -> (tensor<10x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<1x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}) {
  %z = stablehlo.constant dense<-2> : tensor<i32>
  %0 = stablehlo.dynamic_slice %a, %i, %z, sizes = [10, 4] : (tensor<31x9xf32>, tensor<i32>, tensor<i32>) -> tensor<10x4xf32>
  %1 = stablehlo.dynamic_slice %c, %j, %i, sizes = [1, 8] : (tensor<5x12xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
  return %0, %1 : tensor<10x4xf32>, tensor<1x8xf32>
}
// -----
// weft verify --fill 1=30
// The same of 11 rows over 4 devices, which begin 9 before the end: the last part's padding would be behind it.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<31x3xi32>, %i: tensor<ui8>) -> (tensor<11x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %z = stablehlo.constant dense<0> : tensor<ui8>
  %0 = stablehlo.dynamic_slice %a, %i, %z, sizes = [11, 3] : (tensor<31x3xi32>, tensor<ui8>, tensor<ui8>) -> tensor<11x3xi32>
  return %0 : tensor<11x3xi32>
}
// -----
// weft verify --fill 1=6
// Rows that lie in parts of one axis, wanted in parts of another: each device sends its share of the sum, 3 of 4 times half a part.
// It sends 36 bytes.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%a: tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<i32>) -> (tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %a, %i, %z, sizes = [4, 3] : (tensor<16x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
// -----
// weft verify --fill 1=1
// All rows but two, which parts hold but for two: a device gets these from the next, whatever the start. A device sends 48 bytes.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<32x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<i32>) -> (tensor<30x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %a, %i, %z, sizes = [30, 6] : (tensor<32x6xf32>, tensor<i32>, tensor<i32>) -> tensor<30x6xf32>
  return %0 : tensor<30x6xf32>
}
// -----
// weft verify --fill 1=4 --fill 2=-1
// Parts of 11, where the whole has parts of 12, begin before them and end behind: two rounds, of as much as the farthest needs. The columns are
// cut out before. A device sends 80 bytes.
sdy.mesh @mesh = <["x"=3]>
func.func @main(%a: tensor<36x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<i64>, %j: tensor<i64>) -> (tensor<33x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dynamic_slice %a, %i, %j, sizes = [33, 5] : (tensor<36x7xf32>, tensor<i64>, tensor<i64>) -> tensor<33x5xf32>
  return %0 : tensor<33x5xf32>
}
// -----
// weft verify --fill 1=9
// Half of the rows, and a little more: to send what might be missing is dearer than to scatter the sum, three parts of 5. A device sends 180 bytes.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<32x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<i32>) -> (tensor<20x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %a, %i, %z, sizes = [20, 3] : (tensor<32x3xf32>, tensor<i32>, tensor<i32>) -> tensor<20x3xf32>
  return %0 : tensor<20x3xf32>
}
// -----
// weft verify --fill 2=1
// An update of all rows but two, in parts: what it may be shifted by comes from the device before. A device sends 48 bytes.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<32x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %u: tensor<30x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<i32>) -> (tensor<32x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %z : (tensor<32x6xf32>, tensor<30x6xf32>, tensor<i32>, tensor<i32>) -> tensor<32x6xf32>
  return %0 : tensor<32x6xf32>
}
// -----
// weft verify --fill 2=9
// Of an update of 20 of 32 rows a device may need 5 + 1 before its part and as many behind it, where a gather sends three parts of 5.
// A device sends 144 bytes.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<32x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %u: tensor<20x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<i32>) -> (tensor<32x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %z : (tensor<32x3xf32>, tensor<20x3xf32>, tensor<i32>, tensor<i32>) -> tensor<32x3xf32>
  return %0 : tensor<32x3xf32>
}
// -----
// weft verify --fill 2=7
// Two devices send each other at once what the one may need before its part and the other behind: 4 rows of 24. A device sends 48 bytes.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<32x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %u: tensor<24x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<i32>) -> (tensor<32x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %z : (tensor<32x3xf32>, tensor<24x3xf32>, tensor<i32>, tensor<i32>) -> tensor<32x3xf32>
  return %0 : tensor<32x3xf32>
}
// -----
// weft verify --fill 2=9
// Of an update of 16 a device in the middle may need all: it is gathered, three parts of 4. A device sends 144 bytes.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<32x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %u: tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<i32>) -> (tensor<32x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %z : (tensor<32x3xf32>, tensor<16x3xf32>, tensor<i32>, tensor<i32>) -> tensor<32x3xf32>
  return %0 : tensor<32x3xf32>
}
// -----
// weft verify --fill 2=2 --fill 3=20
// An update cut along both dimensions, of which one is shifted and the other, a row, gathered; the devices divide neither.
sdy.mesh @mesh = <["x"=3, "y"=2]>
func.func @main(%a: tensor<7x29xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %u: tensor<2x25xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %i: tensor<i32>, %j: tensor<i32>) -> (tensor<7x29xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %j : (tensor<7x29xf32>, tensor<2x25xf32>, tensor<i32>, tensor<i32>) -> tensor<7x29xf32>
  return %0 : tensor<7x29xf32>
}
// -----
// weft verify --rtol 0 --atol 0
// Numbers in every type, to the bit: what a type rounds, wraps round or saturates is made of the number in the whole, not of two parts.
sdy.mesh @m = <["x"=2]>
func.func @main() -> (tensor<2048xi2> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xi4> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xi8> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xi16> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xi64> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xui2> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xui4> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xui8> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xui16> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xui32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xui64> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xf64> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xf8E5M2> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xf8E4M3FN> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xf8E4M3> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xf8E3M4> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xf8E5M2FNUZ> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xf8E4M3FNUZ> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xf8E4M3B11FNUZ> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xf8E8M0FNU> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xf6E2M3FN> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xf6E3M2FN> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xf4E2M1FN> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xcomplex<f32>> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<2048xcomplex<f64>> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = stablehlo.iota dim = 0 : tensor<2048xi2>
  %1 = stablehlo.iota dim = 0 : tensor<2048xi4>
  %2 = stablehlo.iota dim = 0 : tensor<2048xi8>
  %3 = stablehlo.iota dim = 0 : tensor<2048xi16>
  %4 = stablehlo.iota dim = 0 : tensor<2048xi32>
  %5 = stablehlo.iota dim = 0 : tensor<2048xi64>
  %6 = stablehlo.iota dim = 0 : tensor<2048xui2>
  %7 = stablehlo.iota dim = 0 : tensor<2048xui4>
  %8 = stablehlo.iota dim = 0 : tensor<2048xui8>
  %9 = stablehlo.iota dim = 0 : tensor<2048xui16>
  %10 = stablehlo.iota dim = 0 : tensor<2048xui32>
  %11 = stablehlo.iota dim = 0 : tensor<2048xui64>
  %12 = stablehlo.iota dim = 0 : tensor<2048xf16>
  %13 = stablehlo.iota dim = 0 : tensor<2048xbf16>
  %14 = stablehlo.iota dim = 0 : tensor<2048xf32>
  %15 = stablehlo.iota dim = 0 : tensor<2048xf64>
  %16 = stablehlo.iota dim = 0 : tensor<2048xf8E5M2>
  %17 = stablehlo.iota dim = 0 : tensor<2048xf8E4M3FN>
  %18 = stablehlo.iota dim = 0 : tensor<2048xf8E4M3>
  %19 = stablehlo.iota dim = 0 : tensor<2048xf8E3M4>
  %20 = stablehlo.iota dim = 0 : tensor<2048xf8E5M2FNUZ>
  %21 = stablehlo.iota dim = 0 : tensor<2048xf8E4M3FNUZ>
  %22 = stablehlo.iota dim = 0 : tensor<2048xf8E4M3B11FNUZ>
  %23 = stablehlo.iota dim = 0 : tensor<2048xf8E8M0FNU>
  %24 = stablehlo.iota dim = 0 : tensor<2048xf6E2M3FN>
  %25 = stablehlo.iota dim = 0 : tensor<2048xf6E3M2FN>
  %26 = stablehlo.iota dim = 0 : tensor<2048xf4E2M1FN>
  %27 = stablehlo.iota dim = 0 : tensor<2048xcomplex<f32>>
  %28 = stablehlo.iota dim = 0 : tensor<2048xcomplex<f64>>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28 : tensor<2048xi2>, tensor<2048xi4>, tensor<2048xi8>, tensor<2048xi16>, tensor<2048xi32>, tensor<2048xi64>, tensor<2048xui2>, tensor<2048xui4>, tensor<2048xui8>, tensor<2048xui16>, tensor<2048xui32>, tensor<2048xui64>, tensor<2048xf16>, tensor<2048xbf16>, tensor<2048xf32>, tensor<2048xf64>, tensor<2048xf8E5M2>, tensor<2048xf8E4M3FN>, tensor<2048xf8E4M3>, tensor<2048xf8E3M4>, tensor<2048xf8E5M2FNUZ>, tensor<2048xf8E4M3FNUZ>, tensor<2048xf8E4M3B11FNUZ>, tensor<2048xf8E8M0FNU>, tensor<2048xf6E2M3FN>, tensor<2048xf6E3M2FN>, tensor<2048xf4E2M1FN>, tensor<2048xcomplex<f32>>, tensor<2048xcomplex<f64>>
}
// -----
// weft verify --rtol 0 --atol 0
// The same, unevenly.
sdy.mesh @m = <["x"=3]>
func.func @main() -> (tensor<599xi2> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xi4> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xi8> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xi16> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xi64> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xui2> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xui4> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xui8> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xui16> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xui32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xui64> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xf64> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xf8E5M2> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xf8E4M3FN> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xf8E4M3> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xf8E3M4> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xf8E5M2FNUZ> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xf8E4M3FNUZ> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xf8E4M3B11FNUZ> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xf8E8M0FNU> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xf6E2M3FN> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xf6E3M2FN> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xf4E2M1FN> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xcomplex<f32>> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, tensor<599xcomplex<f64>> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = stablehlo.iota dim = 0 : tensor<599xi2>
  %1 = stablehlo.iota dim = 0 : tensor<599xi4>
  %2 = stablehlo.iota dim = 0 : tensor<599xi8>
  %3 = stablehlo.iota dim = 0 : tensor<599xi16>
  %4 = stablehlo.iota dim = 0 : tensor<599xi32>
  %5 = stablehlo.iota dim = 0 : tensor<599xi64>
  %6 = stablehlo.iota dim = 0 : tensor<599xui2>
  %7 = stablehlo.iota dim = 0 : tensor<599xui4>
  %8 = stablehlo.iota dim = 0 : tensor<599xui8>
  %9 = stablehlo.iota dim = 0 : tensor<599xui16>
  %10 = stablehlo.iota dim = 0 : tensor<599xui32>
  %11 = stablehlo.iota dim = 0 : tensor<599xui64>
  %12 = stablehlo.iota dim = 0 : tensor<599xf16>
  %13 = stablehlo.iota dim = 0 : tensor<599xbf16>
  %14 = stablehlo.iota dim = 0 : tensor<599xf32>
  %15 = stablehlo.iota dim = 0 : tensor<599xf64>
  %16 = stablehlo.iota dim = 0 : tensor<599xf8E5M2>
  %17 = stablehlo.iota dim = 0 : tensor<599xf8E4M3FN>
  %18 = stablehlo.iota dim = 0 : tensor<599xf8E4M3>
  %19 = stablehlo.iota dim = 0 : tensor<599xf8E3M4>
  %20 = stablehlo.iota dim = 0 : tensor<599xf8E5M2FNUZ>
  %21 = stablehlo.iota dim = 0 : tensor<599xf8E4M3FNUZ>
  %22 = stablehlo.iota dim = 0 : tensor<599xf8E4M3B11FNUZ>
  %23 = stablehlo.iota dim = 0 : tensor<599xf8E8M0FNU>
  %24 = stablehlo.iota dim = 0 : tensor<599xf6E2M3FN>
  %25 = stablehlo.iota dim = 0 : tensor<599xf6E3M2FN>
  %26 = stablehlo.iota dim = 0 : tensor<599xf4E2M1FN>
  %27 = stablehlo.iota dim = 0 : tensor<599xcomplex<f32>>
  %28 = stablehlo.iota dim = 0 : tensor<599xcomplex<f64>>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28 : tensor<599xi2>, tensor<599xi4>, tensor<599xi8>, tensor<599xi16>, tensor<599xi32>, tensor<599xi64>, tensor<599xui2>, tensor<599xui4>, tensor<599xui8>, tensor<599xui16>, tensor<599xui32>, tensor<599xui64>, tensor<599xf16>, tensor<599xbf16>, tensor<599xf32>, tensor<599xf64>, tensor<599xf8E5M2>, tensor<599xf8E4M3FN>, tensor<599xf8E4M3>, tensor<599xf8E3M4>, tensor<599xf8E5M2FNUZ>, tensor<599xf8E4M3FNUZ>, tensor<599xf8E4M3B11FNUZ>, tensor<599xf8E8M0FNU>, tensor<599xf6E2M3FN>, tensor<599xf6E3M2FN>, tensor<599xf4E2M1FN>, tensor<599xcomplex<f32>>, tensor<599xcomplex<f64>>
}
// -----
// weft verify
// Indices at the ends of their types, in the component of the dimension that is split and in another: a gather clamps them, a scatter drops
// them, a dynamic slice clamps them.
sdy.mesh @mesh = <["x"=3]>
func.func @main(%a: tensor<7x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<6x2x1xf32>, tensor<7x8xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<8x2x1xf32>, tensor<7x8xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<8x2x1xf32>, tensor<7x8xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<6x2x1xf32>, tensor<7x8xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<6x2x1xf32>, tensor<7x8xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<6x2x1xf32>, tensor<7x8xf32>, tensor<3x2xf32>, tensor<3x2xf32>) {
  %i0 = stablehlo.constant dense<[[2147483647, 1], [-2147483648, 1], [1, 2147483647], [1, -2147483648], [6, 7], [2147483647, -2147483648]]> : tensor<6x2xi32>
  %g0 = "stablehlo.gather"(%a, %i0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 1>}> : (tensor<7x8xf32>, tensor<6x2xi32>) -> tensor<6x2x1xf32>
  %o0 = stablehlo.constant dense<1.0> : tensor<6x2x1xf32>
  %s0 = "stablehlo.scatter"(%a, %i0, %o0) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<7x8xf32>, tensor<6x2xi32>, tensor<6x2x1xf32>) -> tensor<7x8xf32>
  %d0_0 = stablehlo.constant dense<2147483647> : tensor<i32>
  %c0_0 = stablehlo.dynamic_slice %a, %d0_0, %d0_0, sizes = [3, 2] : (tensor<7x8xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
  %d0_1 = stablehlo.constant dense<-2147483648> : tensor<i32>
  %c0_1 = stablehlo.dynamic_slice %a, %d0_1, %d0_1, sizes = [3, 2] : (tensor<7x8xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
  %i1 = stablehlo.constant dense<[[9223372036854775807, 1], [-9223372036854775808, 1], [4294967297, 1], [1, 9223372036854775807], [1, -9223372036854775808], [1, 4294967297], [6, 7], [9223372036854775807, 4294967297]]> : tensor<8x2xi64>
  %g1 = "stablehlo.gather"(%a, %i1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 1>}> : (tensor<7x8xf32>, tensor<8x2xi64>) -> tensor<8x2x1xf32>
  %o1 = stablehlo.constant dense<1.0> : tensor<8x2x1xf32>
  %s1 = "stablehlo.scatter"(%a, %i1, %o1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<7x8xf32>, tensor<8x2xi64>, tensor<8x2x1xf32>) -> tensor<7x8xf32>
  %d1_0 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %c1_0 = stablehlo.dynamic_slice %a, %d1_0, %d1_0, sizes = [3, 2] : (tensor<7x8xf32>, tensor<i64>, tensor<i64>) -> tensor<3x2xf32>
  %d1_1 = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
  %c1_1 = stablehlo.dynamic_slice %a, %d1_1, %d1_1, sizes = [3, 2] : (tensor<7x8xf32>, tensor<i64>, tensor<i64>) -> tensor<3x2xf32>
  %d1_2 = stablehlo.constant dense<4294967297> : tensor<i64>
  %c1_2 = stablehlo.dynamic_slice %a, %d1_2, %d1_2, sizes = [3, 2] : (tensor<7x8xf32>, tensor<i64>, tensor<i64>) -> tensor<3x2xf32>
  %i2 = stablehlo.constant dense<[[18446744073709551615, 1], [9223372036854775808, 1], [4294967297, 1], [1, 18446744073709551615], [1, 9223372036854775808], [1, 4294967297], [6, 7], [18446744073709551615, 4294967297]]> : tensor<8x2xui64>
  %g2 = "stablehlo.gather"(%a, %i2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 1>}> : (tensor<7x8xf32>, tensor<8x2xui64>) -> tensor<8x2x1xf32>
  %o2 = stablehlo.constant dense<1.0> : tensor<8x2x1xf32>
  %s2 = "stablehlo.scatter"(%a, %i2, %o2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<7x8xf32>, tensor<8x2xui64>, tensor<8x2x1xf32>) -> tensor<7x8xf32>
  %d2_0 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
  %c2_0 = stablehlo.dynamic_slice %a, %d2_0, %d2_0, sizes = [3, 2] : (tensor<7x8xf32>, tensor<ui64>, tensor<ui64>) -> tensor<3x2xf32>
  %d2_1 = stablehlo.constant dense<9223372036854775808> : tensor<ui64>
  %c2_1 = stablehlo.dynamic_slice %a, %d2_1, %d2_1, sizes = [3, 2] : (tensor<7x8xf32>, tensor<ui64>, tensor<ui64>) -> tensor<3x2xf32>
  %d2_2 = stablehlo.constant dense<4294967297> : tensor<ui64>
  %c2_2 = stablehlo.dynamic_slice %a, %d2_2, %d2_2, sizes = [3, 2] : (tensor<7x8xf32>, tensor<ui64>, tensor<ui64>) -> tensor<3x2xf32>
  %i3 = stablehlo.constant dense<[[127, 1], [-128, 1], [1, 127], [1, -128], [6, 7], [127, -128]]> : tensor<6x2xi8>
  %g3 = "stablehlo.gather"(%a, %i3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 1>}> : (tensor<7x8xf32>, tensor<6x2xi8>) -> tensor<6x2x1xf32>
  %o3 = stablehlo.constant dense<1.0> : tensor<6x2x1xf32>
  %s3 = "stablehlo.scatter"(%a, %i3, %o3) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<7x8xf32>, tensor<6x2xi8>, tensor<6x2x1xf32>) -> tensor<7x8xf32>
  %d3_0 = stablehlo.constant dense<127> : tensor<i8>
  %c3_0 = stablehlo.dynamic_slice %a, %d3_0, %d3_0, sizes = [3, 2] : (tensor<7x8xf32>, tensor<i8>, tensor<i8>) -> tensor<3x2xf32>
  %d3_1 = stablehlo.constant dense<-128> : tensor<i8>
  %c3_1 = stablehlo.dynamic_slice %a, %d3_1, %d3_1, sizes = [3, 2] : (tensor<7x8xf32>, tensor<i8>, tensor<i8>) -> tensor<3x2xf32>
  %i4 = stablehlo.constant dense<[[255, 1], [128, 1], [1, 255], [1, 128], [6, 7], [255, 128]]> : tensor<6x2xui8>
  %g4 = "stablehlo.gather"(%a, %i4) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 1>}> : (tensor<7x8xf32>, tensor<6x2xui8>) -> tensor<6x2x1xf32>
  %o4 = stablehlo.constant dense<1.0> : tensor<6x2x1xf32>
  %s4 = "stablehlo.scatter"(%a, %i4, %o4) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<7x8xf32>, tensor<6x2xui8>, tensor<6x2x1xf32>) -> tensor<7x8xf32>
  %d4_0 = stablehlo.constant dense<255> : tensor<ui8>
  %c4_0 = stablehlo.dynamic_slice %a, %d4_0, %d4_0, sizes = [3, 2] : (tensor<7x8xf32>, tensor<ui8>, tensor<ui8>) -> tensor<3x2xf32>
  %d4_1 = stablehlo.constant dense<128> : tensor<ui8>
  %c4_1 = stablehlo.dynamic_slice %a, %d4_1, %d4_1, sizes = [3, 2] : (tensor<7x8xf32>, tensor<ui8>, tensor<ui8>) -> tensor<3x2xf32>
  %i5 = stablehlo.constant dense<[[4294967295, 1], [2147483648, 1], [1, 4294967295], [1, 2147483648], [6, 7], [4294967295, 2147483648]]> : tensor<6x2xui32>
  %g5 = "stablehlo.gather"(%a, %i5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 1>}> : (tensor<7x8xf32>, tensor<6x2xui32>) -> tensor<6x2x1xf32>
  %o5 = stablehlo.constant dense<1.0> : tensor<6x2x1xf32>
  %s5 = "stablehlo.scatter"(%a, %i5, %o5) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<7x8xf32>, tensor<6x2xui32>, tensor<6x2x1xf32>) -> tensor<7x8xf32>
  %d5_0 = stablehlo.constant dense<4294967295> : tensor<ui32>
  %c5_0 = stablehlo.dynamic_slice %a, %d5_0, %d5_0, sizes = [3, 2] : (tensor<7x8xf32>, tensor<ui32>, tensor<ui32>) -> tensor<3x2xf32>
  %d5_1 = stablehlo.constant dense<2147483648> : tensor<ui32>
  %c5_1 = stablehlo.dynamic_slice %a, %d5_1, %d5_1, sizes = [3, 2] : (tensor<7x8xf32>, tensor<ui32>, tensor<ui32>) -> tensor<3x2xf32>
  return %g0, %s0, %c0_0, %c0_1, %g1, %s1, %c1_0, %c1_1, %c1_2, %g2, %s2, %c2_0, %c2_1, %c2_2, %g3, %s3, %c3_0, %c3_1, %g4, %s4, %c4_0, %c4_1, %g5, %s5, %c5_0, %c5_1 : tensor<6x2x1xf32>, tensor<7x8xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<8x2x1xf32>, tensor<7x8xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<8x2x1xf32>, tensor<7x8xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<6x2x1xf32>, tensor<7x8xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<6x2x1xf32>, tensor<7x8xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<6x2x1xf32>, tensor<7x8xf32>, tensor<3x2xf32>, tensor<3x2xf32>
}
// -----
// weft verify
// Attributes of kind sharding that are nobody's but the user's.
sdy.mesh @m = <["x"=4]>
sdy.mesh @other = <["q"=8]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>, my.note = #sdy.sharding<@other, [{"q"}]>}, %b: tensor<8xf32>) -> (tensor<8xf32> {my.note = #sdy.sharding<@nowhere, [{"zz"}]>}) attributes {my.note = #sdy.sharding<@other, [{"q"}]>} {
  %0 = stablehlo.add %a, %b {my.note = #sdy.sharding_per_value<[<@other, [{"q"}]>]>, sharding = #sdy.sharding<@other, [{"q"}]>, other = [#sdy.sharding<@other, [{"q"}]>]} : tensor<8xf32>
  %1 = stablehlo.negate %0 {my.note = #sdy.sharding<@nowhere, [{"q"}]>} : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// -----
// weft verify
// Two partial sums meet in a multiply, which is no sum of the parts'.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %c: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %d: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
// -----
// weft verify
// Two partial sums meet in a divide, which is no sum of the parts'.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %c: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %d: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.divide %0, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
// -----
// weft verify
// Two partial sums meet in a maximum, which is no sum of the parts'.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %c: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %d: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.maximum %0, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
// -----
// weft verify
// Two partial sums meet in a power, which is no sum of the parts'.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %c: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %d: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.power %0, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
// -----
// weft verify
// Two partial sums meet in a atan2, which is no sum of the parts'.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %c: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %d: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.atan2 %0, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
// -----
// weft verify
// Two partial sums meet in a product, which is no sum of the parts'.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %c: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %d: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
// -----
// weft verify
// Two partial sums meet in a select, which is no sum of the parts'.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %c: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %d: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %p = stablehlo.compare GT, %0, %1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
  %2 = stablehlo.select %p, %0, %1 : tensor<8x8xi1>, tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
// -----
// weft verify
// Two partial sums meet in a clamp, which is no sum of the parts'.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %c: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %d: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %n = stablehlo.negate %1 : tensor<8x8xf32>
  %2 = stablehlo.clamp %n, %0, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
// -----
// weft verify
// Two partial sums meet in a square, which is no sum of the parts'.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %c: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %d: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %s = stablehlo.add %0, %1 : tensor<8x8xf32>
  %2 = stablehlo.multiply %s, %s : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
// -----
// weft verify --fill 0=normal
// A cumulative product along a split dimension, with an initial value that is not the neutral one.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %one = stablehlo.constant dense<1.0> : tensor<8xf32>
  %v = stablehlo.add %a, %one : tensor<8xf32>
  %i = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%v, %i) <{window_dimensions = array<i64: 8>, window_strides = array<i64: 1>, padding = dense<[[7, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.multiply %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// weft verify --fill 0=normal
// A cumulative product along a split dimension, with an initial value that is not the neutral one.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %one = stablehlo.constant dense<1.0> : tensor<8xf32>
  %v = stablehlo.add %a, %one : tensor<8xf32>
  %i = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%v, %i) <{window_dimensions = array<i64: 8>, window_strides = array<i64: 1>, padding = dense<[[0, 7]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.multiply %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// weft verify --fill 0=normal
// A cumulative product along a split dimension, with an initial value that is not the neutral one.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %one = stablehlo.constant dense<1.0> : tensor<8xf32>
  %v = stablehlo.add %a, %one : tensor<8xf32>
  %i = stablehlo.constant dense<-1.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%v, %i) <{window_dimensions = array<i64: 8>, window_strides = array<i64: 1>, padding = dense<[[7, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.multiply %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// weft verify --fill 0=normal
// A cumulative product along a split dimension, with an initial value that is not the neutral one.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %one = stablehlo.constant dense<1.0> : tensor<8xf32>
  %v = stablehlo.add %a, %one : tensor<8xf32>
  %i = stablehlo.constant dense<-1.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%v, %i) <{window_dimensions = array<i64: 8>, window_strides = array<i64: 1>, padding = dense<[[0, 7]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.multiply %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// weft verify --fill 0=normal
// A cumulative sum along a split dimension, with an initial value that is not the neutral one.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %one = stablehlo.constant dense<1.0> : tensor<8xf32>
  %v = stablehlo.add %a, %one : tensor<8xf32>
  %i = stablehlo.constant dense<5.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%v, %i) <{window_dimensions = array<i64: 8>, window_strides = array<i64: 1>, padding = dense<[[7, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// weft verify --fill 0=normal
// A cumulative sum along a split dimension, with an initial value that is not the neutral one.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %one = stablehlo.constant dense<1.0> : tensor<8xf32>
  %v = stablehlo.add %a, %one : tensor<8xf32>
  %i = stablehlo.constant dense<5.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%v, %i) <{window_dimensions = array<i64: 8>, window_strides = array<i64: 1>, padding = dense<[[0, 7]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// weft verify --fill 0=normal
// A cumulative maximum along a split dimension, with an initial value that is not the neutral one.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %one = stablehlo.constant dense<1.0> : tensor<8xf32>
  %v = stablehlo.add %a, %one : tensor<8xf32>
  %i = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%v, %i) <{window_dimensions = array<i64: 8>, window_strides = array<i64: 1>, padding = dense<[[7, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// weft verify --fill 0=normal
// A cumulative maximum along a split dimension, with an initial value that is not the neutral one.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %one = stablehlo.constant dense<1.0> : tensor<8xf32>
  %v = stablehlo.add %a, %one : tensor<8xf32>
  %i = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%v, %i) <{window_dimensions = array<i64: 8>, window_strides = array<i64: 1>, padding = dense<[[0, 7]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// weft verify --fill 0=normal
// A cumulative minimum along a split dimension, with an initial value that is not the neutral one.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %one = stablehlo.constant dense<1.0> : tensor<8xf32>
  %v = stablehlo.add %a, %one : tensor<8xf32>
  %i = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%v, %i) <{window_dimensions = array<i64: 8>, window_strides = array<i64: 1>, padding = dense<[[7, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.minimum %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// weft verify --fill 0=normal
// A cumulative minimum along a split dimension, with an initial value that is not the neutral one.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %one = stablehlo.constant dense<1.0> : tensor<8xf32>
  %v = stablehlo.add %a, %one : tensor<8xf32>
  %i = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%v, %i) <{window_dimensions = array<i64: 8>, window_strides = array<i64: 1>, padding = dense<[[0, 7]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.minimum %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// weft verify
// A reduction over a split dimension by multiply, from 2.0.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<4xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<8x4xf32>
  %v = stablehlo.add %a, %one : tensor<8x4xf32>
  %i = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.reduce(%v init: %i) applies stablehlo.multiply across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// -----
// weft verify
// A reduction over a split dimension by add, from 5.0.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<4xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<8x4xf32>
  %v = stablehlo.add %a, %one : tensor<8x4xf32>
  %i = stablehlo.constant dense<5.0> : tensor<f32>
  %0 = stablehlo.reduce(%v init: %i) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// -----
// weft verify
// A reduction over a split dimension by maximum, from 1.02.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<4xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<8x4xf32>
  %v = stablehlo.add %a, %one : tensor<8x4xf32>
  %i = stablehlo.constant dense<1.02> : tensor<f32>
  %0 = stablehlo.reduce(%v init: %i) applies stablehlo.maximum across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// -----
// weft verify
// A reduction over a split dimension by minimum, from 1.02.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<4xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<8x4xf32>
  %v = stablehlo.add %a, %one : tensor<8x4xf32>
  %i = stablehlo.constant dense<1.02> : tensor<f32>
  %0 = stablehlo.reduce(%v init: %i) applies stablehlo.minimum across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// -----
// weft verify
// Reducers of several ops over a split dimension: the sum's body is not the whole of them.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<4xf32>, tensor<4xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %o = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    %s = stablehlo.add %x, %y : tensor<f32>
    %t = stablehlo.multiply %x, %y : tensor<f32>
    %u = stablehlo.add %s, %t : tensor<f32>
    stablehlo.return %u : tensor<f32>
  }
  %1 = stablehlo.reduce(%a init: %o) across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    %s = stablehlo.add %x, %x : tensor<f32>
    %t = stablehlo.multiply %s, %y : tensor<f32>
    %h = stablehlo.constant dense<0.5> : tensor<f32>
    %u = stablehlo.multiply %h, %t : tensor<f32>
    stablehlo.return %u : tensor<f32>
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
// -----
// weft verify
// A window of one element, padded on one side by [[0, 0], [1, 0]]: what is padding is not the operand's.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<4x7xf32>) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %b = sdy.sharding_constraint %a <@m, [{}, {"x"}]> : tensor<4x7xf32>
  %0 = "stablehlo.reduce_window"(%b, %z) <{window_dimensions = array<i64: 1, 1>, padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x7xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
// -----
// weft verify
// A window of one element, padded on one side by [[0, 0], [0, 1]]: what is padding is not the operand's.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<4x7xf32>) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %b = sdy.sharding_constraint %a <@m, [{}, {"x"}]> : tensor<4x7xf32>
  %0 = "stablehlo.reduce_window"(%b, %z) <{window_dimensions = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x7xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
// -----
// weft verify
// A window of one element, padded on one side by [[1, 0], [0, 0]]: what is padding is not the operand's.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<7x4xf32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %b = sdy.sharding_constraint %a <@m, [{"x"}, {}]> : tensor<7x4xf32>
  %0 = "stablehlo.reduce_window"(%b, %z) <{window_dimensions = array<i64: 1, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<7x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
// -----
// weft verify
// A window of one element, padded on one side by [[0, 1], [0, 0]]: what is padding is not the operand's.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<7x4xf32>) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %b = sdy.sharding_constraint %a <@m, [{"x"}, {}]> : tensor<7x4xf32>
  %0 = "stablehlo.reduce_window"(%b, %z) <{window_dimensions = array<i64: 1, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<7x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
// -----
// weft verify
// A rotation by one: one row from the neighbour: sends 12 bytes in 1 call.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = stablehlo.slice %a [15:16, 0:3] : (tensor<16x3xf32>) -> tensor<1x3xf32>
  %1 = stablehlo.slice %a [0:15, 0:3] : (tensor<16x3xf32>) -> tensor<15x3xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x3xf32>, tensor<15x3xf32>) -> tensor<16x3xf32>
  return %2 : tensor<16x3xf32>
}
// -----
// weft verify
// Rotations back, by more than a part, and by whole parts: sends 108 bytes in 4 calls.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = stablehlo.slice %a [1:16, 0:3] : (tensor<16x3xf32>) -> tensor<15x3xf32>
  %1 = stablehlo.slice %a [0:1, 0:3] : (tensor<16x3xf32>) -> tensor<1x3xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<15x3xf32>, tensor<1x3xf32>) -> tensor<16x3xf32>
  %3 = stablehlo.slice %a [10:16, 0:3] : (tensor<16x3xf32>) -> tensor<6x3xf32>
  %4 = stablehlo.slice %a [0:10, 0:3] : (tensor<16x3xf32>) -> tensor<10x3xf32>
  %5 = stablehlo.concatenate %3, %4, dim = 0 : (tensor<6x3xf32>, tensor<10x3xf32>) -> tensor<16x3xf32>
  %6 = stablehlo.slice %a [8:16, 0:3] : (tensor<16x3xf32>) -> tensor<8x3xf32>
  %7 = stablehlo.slice %a [0:8, 0:3] : (tensor<16x3xf32>) -> tensor<8x3xf32>
  %8 = stablehlo.concatenate %6, %7, dim = 0 : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<16x3xf32>
  return %2, %5, %8 : tensor<16x3xf32>, tensor<16x3xf32>, tensor<16x3xf32>
}
// -----
// weft verify
// A rotation of what the devices do not divide: sends 12 bytes in 1 call.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<10x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<10x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = stablehlo.slice %a [9:10, 0:3] : (tensor<10x3xf32>) -> tensor<1x3xf32>
  %1 = stablehlo.slice %a [0:9, 0:3] : (tensor<10x3xf32>) -> tensor<9x3xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x3xf32>, tensor<9x3xf32>) -> tensor<10x3xf32>
  return %2 : tensor<10x3xf32>
}
// -----
// weft verify
// A Laplacian in three dimensions, of which two are sharded: two neighbours along each: sends 80 bytes in 4 calls.
sdy.mesh @m = <["x"=3, "y"=2]>
func.func @main(%a: tensor<9x4x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}, {}]>}) -> (tensor<9x4x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}, {}]>}) {
  %0 = stablehlo.slice %a [8:9, 0:4, 0:2] : (tensor<9x4x2xf32>) -> tensor<1x4x2xf32>
  %1 = stablehlo.slice %a [0:8, 0:4, 0:2] : (tensor<9x4x2xf32>) -> tensor<8x4x2xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x4x2xf32>, tensor<8x4x2xf32>) -> tensor<9x4x2xf32>
  %3 = stablehlo.slice %a [1:9, 0:4, 0:2] : (tensor<9x4x2xf32>) -> tensor<8x4x2xf32>
  %4 = stablehlo.slice %a [0:1, 0:4, 0:2] : (tensor<9x4x2xf32>) -> tensor<1x4x2xf32>
  %5 = stablehlo.concatenate %3, %4, dim = 0 : (tensor<8x4x2xf32>, tensor<1x4x2xf32>) -> tensor<9x4x2xf32>
  %6 = stablehlo.add %2, %5 : tensor<9x4x2xf32>
  %7 = stablehlo.slice %a [0:9, 3:4, 0:2] : (tensor<9x4x2xf32>) -> tensor<9x1x2xf32>
  %8 = stablehlo.slice %a [0:9, 0:3, 0:2] : (tensor<9x4x2xf32>) -> tensor<9x3x2xf32>
  %9 = stablehlo.concatenate %7, %8, dim = 1 : (tensor<9x1x2xf32>, tensor<9x3x2xf32>) -> tensor<9x4x2xf32>
  %10 = stablehlo.add %6, %9 : tensor<9x4x2xf32>
  %11 = stablehlo.slice %a [0:9, 1:4, 0:2] : (tensor<9x4x2xf32>) -> tensor<9x3x2xf32>
  %12 = stablehlo.slice %a [0:9, 0:1, 0:2] : (tensor<9x4x2xf32>) -> tensor<9x1x2xf32>
  %13 = stablehlo.concatenate %11, %12, dim = 1 : (tensor<9x3x2xf32>, tensor<9x1x2xf32>) -> tensor<9x4x2xf32>
  %14 = stablehlo.add %10, %13 : tensor<9x4x2xf32>
  %15 = stablehlo.slice %a [0:9, 0:4, 1:2] : (tensor<9x4x2xf32>) -> tensor<9x4x1xf32>
  %16 = stablehlo.slice %a [0:9, 0:4, 0:1] : (tensor<9x4x2xf32>) -> tensor<9x4x1xf32>
  %17 = stablehlo.concatenate %15, %16, dim = 2 : (tensor<9x4x1xf32>, tensor<9x4x1xf32>) -> tensor<9x4x2xf32>
  %18 = stablehlo.add %14, %17 : tensor<9x4x2xf32>
  %19 = stablehlo.slice %a [0:9, 0:4, 1:2] : (tensor<9x4x2xf32>) -> tensor<9x4x1xf32>
  %20 = stablehlo.slice %a [0:9, 0:4, 0:1] : (tensor<9x4x2xf32>) -> tensor<9x4x1xf32>
  %21 = stablehlo.concatenate %19, %20, dim = 2 : (tensor<9x4x1xf32>, tensor<9x4x1xf32>) -> tensor<9x4x2xf32>
  %22 = stablehlo.add %18, %21 : tensor<9x4x2xf32>
  return %22 : tensor<9x4x2xf32>
}
// -----
// weft verify
// A rotation of a rotation is one; the mesh has axes that it does not use: sends 16 bytes in 1 call.
sdy.mesh @m = <["y"=2, "z"=1, "x"=3]>
func.func @main(%a: tensor<12x2xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<12x2xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = stablehlo.slice %a [11:12, 0:2] : (tensor<12x2xi32>) -> tensor<1x2xi32>
  %1 = stablehlo.slice %a [0:11, 0:2] : (tensor<12x2xi32>) -> tensor<11x2xi32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x2xi32>, tensor<11x2xi32>) -> tensor<12x2xi32>
  %3 = stablehlo.slice %2 [3:12, 0:2] : (tensor<12x2xi32>) -> tensor<9x2xi32>
  %4 = stablehlo.slice %2 [0:3, 0:2] : (tensor<12x2xi32>) -> tensor<3x2xi32>
  %5 = stablehlo.concatenate %3, %4, dim = 0 : (tensor<9x2xi32>, tensor<3x2xi32>) -> tensor<12x2xi32>
  return %5 : tensor<12x2xi32>
}
// -----
// weft verify
// The corner neighbour: sends 32 bytes in 2 calls.
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
  %0 = stablehlo.slice %a [7:8, 0:8] : (tensor<8x8xf32>) -> tensor<1x8xf32>
  %1 = stablehlo.slice %a [0:7, 0:8] : (tensor<8x8xf32>) -> tensor<7x8xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x8xf32>, tensor<7x8xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.slice %2 [0:8, 7:8] : (tensor<8x8xf32>) -> tensor<8x1xf32>
  %4 = stablehlo.slice %2 [0:8, 0:7] : (tensor<8x8xf32>) -> tensor<8x7xf32>
  %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<8x1xf32>, tensor<8x7xf32>) -> tensor<8x8xf32>
  return %5 : tensor<8x8xf32>
}
// -----
// weft verify
// The last row of what was padded is cut off: a shift by one: sends 12 bytes in 1 call.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.pad %a, %0, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<16x3xf32>, tensor<f32>) -> tensor<17x3xf32>
  %2 = stablehlo.slice %1 [0:16, 0:3] : (tensor<17x3xf32>) -> tensor<16x3xf32>
  return %2 : tensor<16x3xf32>
}
// -----
// weft verify
// A periodic halo of two, cut off again: sends 48 bytes in 2 calls.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = stablehlo.slice %a [14:16, 0:3] : (tensor<16x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.slice %a [0:2, 0:3] : (tensor<16x3xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.concatenate %0, %a, %1, dim = 0 : (tensor<2x3xf32>, tensor<16x3xf32>, tensor<2x3xf32>) -> tensor<20x3xf32>
  %3 = stablehlo.slice %2 [0:16, 0:3] : (tensor<20x3xf32>) -> tensor<16x3xf32>
  %4 = stablehlo.slice %2 [4:20, 0:3] : (tensor<20x3xf32>) -> tensor<16x3xf32>
  %5 = stablehlo.add %3, %4 : tensor<16x3xf32>
  return %5 : tensor<16x3xf32>
}
// -----
// weft verify
// Labels: the next token, and a mark behind the last: sends 8 bytes in 1 call.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<2x16xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> (tensor<2x16xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) {
  %0 = stablehlo.constant dense<7> : tensor<i32>
  %1 = stablehlo.pad %a, %0, low = [0, -1], high = [0, 1], interior = [0, 0] : (tensor<2x16xi32>, tensor<i32>) -> tensor<2x16xi32>
  return %1 : tensor<2x16xi32>
}
// -----
// weft verify
// x.at[1:13].set(u): what of the update falls into the other part: sends 16 bytes in 1 call.
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %b1: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
  %0 = stablehlo.constant dense<[1]> : tensor<1xi32>
  %1 = "stablehlo.scatter"(%a, %0, %b1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%o: tensor<f32>, %n: tensor<f32>):
    stablehlo.return %n : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<1xi32>, tensor<12x8xf32>) -> tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}
// -----
// weft verify
// x.at[1:13, 1:7].add(u): the one row of the update that goes to the other part: sends 12 bytes in 1 call.
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %b1: tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
  %0 = stablehlo.constant dense<[1, 1]> : tensor<2xi32>
  %1 = "stablehlo.scatter"(%a, %0, %b1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>}> ({
  ^bb0(%o: tensor<f32>, %n: tensor<f32>):
    %s = stablehlo.add %o, %n : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<16x8xf32>, tensor<2xi32>, tensor<12x6xf32>) -> tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}
// -----
// weft verify
// Ghost rows filled from the other end, x.at[0].set(x[-2]).at[-1].set(x[1]): sends 12 bytes in 1 call.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = stablehlo.slice %a [14:15, 0:3] : (tensor<16x3xf32>) -> tensor<1x3xf32>
  %1 = stablehlo.reshape %0 : (tensor<1x3xf32>) -> tensor<3xf32>
  %2 = stablehlo.constant dense<[0]> : tensor<1xi32>
  %3 = "stablehlo.scatter"(%a, %2, %1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%o: tensor<f32>, %n: tensor<f32>):
    stablehlo.return %n : tensor<f32>
  }) : (tensor<16x3xf32>, tensor<1xi32>, tensor<3xf32>) -> tensor<16x3xf32>
  %4 = stablehlo.slice %a [1:2, 0:3] : (tensor<16x3xf32>) -> tensor<1x3xf32>
  %5 = stablehlo.reshape %4 : (tensor<1x3xf32>) -> tensor<3xf32>
  %6 = stablehlo.constant dense<[15]> : tensor<1xi32>
  %7 = "stablehlo.scatter"(%3, %6, %5) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%o: tensor<f32>, %n: tensor<f32>):
    stablehlo.return %n : tensor<f32>
  }) : (tensor<16x3xf32>, tensor<1xi32>, tensor<3xf32>) -> tensor<16x3xf32>
  return %7 : tensor<16x3xf32>
}
// -----
// weft verify
// Boundary rows that every device has: nobody sends any: sends 0 bytes in 0 calls.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b1: tensor<1x3xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) -> (tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = stablehlo.slice %a [1:15, 0:3] : (tensor<16x3xf32>) -> tensor<14x3xf32>
  %1 = stablehlo.concatenate %b1, %0, %b1, dim = 0 : (tensor<1x3xf32>, tensor<14x3xf32>, tensor<1x3xf32>) -> tensor<16x3xf32>
  return %1 : tensor<16x3xf32>
}
// -----
// weft verify
// The first and last row again at the ends: sends 24 bytes in 2 calls.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = stablehlo.slice %a [0:1, 0:3] : (tensor<16x3xf32>) -> tensor<1x3xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 2] : (tensor<1x3xf32>) -> tensor<1x1x3xf32>
  %2 = stablehlo.reshape %1 : (tensor<1x1x3xf32>) -> tensor<1x3xf32>
  %3 = stablehlo.slice %a [15:16, 0:3] : (tensor<16x3xf32>) -> tensor<1x3xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 2] : (tensor<1x3xf32>) -> tensor<1x1x3xf32>
  %5 = stablehlo.reshape %4 : (tensor<1x1x3xf32>) -> tensor<1x3xf32>
  %6 = stablehlo.concatenate %2, %a, %5, dim = 0 : (tensor<1x3xf32>, tensor<16x3xf32>, tensor<1x3xf32>) -> tensor<18x3xf32>
  %7 = stablehlo.slice %6 [0:16, 0:3] : (tensor<18x3xf32>) -> tensor<16x3xf32>
  %8 = stablehlo.slice %6 [2:18, 0:3] : (tensor<18x3xf32>) -> tensor<16x3xf32>
  %9 = stablehlo.add %7, %8 : tensor<16x3xf32>
  return %9 : tensor<16x3xf32>
}
// -----
// weft verify
// A gradient, whose ends read the same neighbours as its middle: sends 24 bytes in 2 calls.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = stablehlo.slice %a [1:2, 0:3] : (tensor<16x3xf32>) -> tensor<1x3xf32>
  %1 = stablehlo.slice %a [0:1, 0:3] : (tensor<16x3xf32>) -> tensor<1x3xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<1x3xf32>
  %3 = stablehlo.slice %a [2:16, 0:3] : (tensor<16x3xf32>) -> tensor<14x3xf32>
  %4 = stablehlo.slice %a [0:14, 0:3] : (tensor<16x3xf32>) -> tensor<14x3xf32>
  %5 = stablehlo.subtract %3, %4 : tensor<14x3xf32>
  %6 = stablehlo.slice %a [15:16, 0:3] : (tensor<16x3xf32>) -> tensor<1x3xf32>
  %7 = stablehlo.slice %a [14:15, 0:3] : (tensor<16x3xf32>) -> tensor<1x3xf32>
  %8 = stablehlo.subtract %6, %7 : tensor<1x3xf32>
  %9 = stablehlo.concatenate %2, %5, %8, dim = 0 : (tensor<1x3xf32>, tensor<14x3xf32>, tensor<1x3xf32>) -> tensor<16x3xf32>
  return %9 : tensor<16x3xf32>
}
// -----
// weft verify
// A step of a grid whose border stays, u.at[1:-1, 1:-1].set(f(neighbours)): two rows, and of two columns what is inside: sends 48 bytes in 4 calls.
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
  %0 = stablehlo.slice %a [2:8, 1:5] : (tensor<8x6xf32>) -> tensor<6x4xf32>
  %1 = stablehlo.slice %a [0:6, 1:5] : (tensor<8x6xf32>) -> tensor<6x4xf32>
  %2 = stablehlo.slice %a [1:7, 2:6] : (tensor<8x6xf32>) -> tensor<6x4xf32>
  %3 = stablehlo.slice %a [1:7, 0:4] : (tensor<8x6xf32>) -> tensor<6x4xf32>
  %4 = stablehlo.add %0, %1 : tensor<6x4xf32>
  %5 = stablehlo.add %2, %3 : tensor<6x4xf32>
  %6 = stablehlo.add %4, %5 : tensor<6x4xf32>
  %c = stablehlo.constant dense<1> : tensor<i32>
  %7 = stablehlo.dynamic_update_slice %a, %6, %c, %c : (tensor<8x6xf32>, tensor<6x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>
  return %7 : tensor<8x6xf32>
}
// -----
// weft verify
// What is computed of the rows but the first, padded back, and a border row computed of its neighbour as a vector: sends 16 bytes in 1 call.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = stablehlo.slice %a [1:12, 0:4] : (tensor<12x4xf32>) -> tensor<11x4xf32>
  %1 = stablehlo.slice %a [0:11, 0:4] : (tensor<12x4xf32>) -> tensor<11x4xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<11x4xf32>
  %f = stablehlo.constant dense<3.0> : tensor<f32>
  %3 = stablehlo.pad %2, %f, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<11x4xf32>, tensor<f32>) -> tensor<12x4xf32>
  %4 = stablehlo.slice %a [1:2, 0:4] : (tensor<12x4xf32>) -> tensor<1x4xf32>
  %5 = stablehlo.reshape %4 : (tensor<1x4xf32>) -> tensor<4xf32>
  %6 = stablehlo.negate %5 : tensor<4xf32>
  %7 = stablehlo.reshape %6 : (tensor<4xf32>) -> tensor<1x4xf32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %8 = stablehlo.dynamic_update_slice %3, %7, %c0, %c0 : (tensor<12x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<12x4xf32>
  return %8 : tensor<12x4xf32>
}
// -----
// weft verify
// The second half negated and put before the first is a rotation: sends 16 bytes in 1 call.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = stablehlo.slice %a [8:16] : (tensor<16xf32>) -> tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  %2 = stablehlo.slice %a [0:8] : (tensor<16xf32>) -> tensor<8xf32>
  %3 = stablehlo.concatenate %1, %2, dim = 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  return %3 : tensor<16xf32>
}
// -----
// weft verify
// x.at[1::2].set(x[:-2:2] + x[2::2]): each second row of its neighbours, of which the last has none: sends 12 bytes in 1 call.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = stablehlo.slice %a [0:13:2, 0:3] : (tensor<16x3xf32>) -> tensor<7x3xf32>
  %1 = stablehlo.slice %a [2:15:2, 0:3] : (tensor<16x3xf32>) -> tensor<7x3xf32>
  %2 = stablehlo.add %0, %1 : tensor<7x3xf32>
  %3 = stablehlo.iota dim = 0 : tensor<7x1xi32>
  %c2 = stablehlo.constant dense<2> : tensor<7x1xi32>
  %c1 = stablehlo.constant dense<1> : tensor<7x1xi32>
  %4 = stablehlo.multiply %3, %c2 : tensor<7x1xi32>
  %5 = stablehlo.add %4, %c1 : tensor<7x1xi32>
  %6 = "stablehlo.scatter"(%a, %5, %2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%o: tensor<f32>, %n: tensor<f32>):
    stablehlo.return %n : tensor<f32>
  }) : (tensor<16x3xf32>, tensor<7x1xi32>, tensor<7x3xf32>) -> tensor<16x3xf32>
  return %6 : tensor<16x3xf32>
}
// -----
// weft verify
// x.at[::2].add(u), both in parts that lie alike: sends 0 bytes in 0 calls.
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %u: tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = stablehlo.constant dense<[[0], [2], [4], [6], [8], [10], [12], [14]]> : tensor<8x1xi32>
  %1 = "stablehlo.scatter"(%a, %0, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%o: tensor<f32>, %n: tensor<f32>):
    %s = stablehlo.add %o, %n : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<16x3xf32>, tensor<8x1xi32>, tensor<8x3xf32>) -> tensor<16x3xf32>
  return %1 : tensor<16x3xf32>
}
// -----
// weft verify
// x.at[0].set(x[14]), then x.at[15].set(x[1]): of a value that each device has whole: sends 0 bytes in 0 calls.
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<16x6xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) -> (tensor<16x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c15 = stablehlo.constant dense<15> : tensor<i32>
  %0 = stablehlo.slice %a [14:15, 0:6] : (tensor<16x6xf32>) -> tensor<1x6xf32>
  %1 = stablehlo.dynamic_update_slice %a, %0, %c0, %c0 : (tensor<16x6xf32>, tensor<1x6xf32>, tensor<i32>, tensor<i32>) -> tensor<16x6xf32>
  %2 = stablehlo.slice %a [1:2, 0:6] : (tensor<16x6xf32>) -> tensor<1x6xf32>
  %3 = stablehlo.dynamic_update_slice %1, %2, %c15, %c0 : (tensor<16x6xf32>, tensor<1x6xf32>, tensor<i32>, tensor<i32>) -> tensor<16x6xf32>
  return %3 : tensor<16x6xf32>
}
