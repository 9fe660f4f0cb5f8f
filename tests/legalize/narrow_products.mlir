// weft opt --weft-narrow-products
// A value is rounded once for all products of its block; sums stay f32, and so do products that ask for more.
module {
  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %2 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, HIGH] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %3 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %4 = stablehlo.dot %0, %arg1 : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    return %1, %2, %3, %4 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
    %0 = stablehlo.convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %1 = stablehlo.convert %arg1 : (tensor<8x8xf32>) -> tensor<8x8xbf16>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xf32>
    %3 = stablehlo.convert %2 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %4 = stablehlo.dot_general %3, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xf32>
    %5 = stablehlo.dot_general %2, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, HIGH] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %6 = stablehlo.dot_general %2, %arg1, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %7 = stablehlo.dot %3, %1 : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xf32>
    return %4, %5, %6, %7 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  }
}
// -----
// weft opt --weft-narrow-products
// Each block rounds for itself. Other types are left alone.
module {
  func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf64>, %arg2: tensor<i32>) -> (tensor<8x8xf32>, tensor<8x8xf64>) {
    %0 = "stablehlo.case"(%arg2) ({
      %3 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      stablehlo.return %3 : tensor<8x8xf32>
    }, {
      stablehlo.return %arg0 : tensor<8x8xf32>
    }) : (tensor<i32>) -> tensor<8x8xf32>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = stablehlo.dot_general %arg1, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    return %1, %2 : tensor<8x8xf32>, tensor<8x8xf64>
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf64>, %arg2: tensor<i32>) -> (tensor<8x8xf32>, tensor<8x8xf64>) {
    %0 = "stablehlo.case"(%arg2) ({
      %5 = stablehlo.convert %arg0 : (tensor<8x8xf32>) -> tensor<8x8xbf16>
      %6 = stablehlo.dot_general %5, %5, contracting_dims = [1] x [0] : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xf32>
      stablehlo.return %6 : tensor<8x8xf32>
    }, {
      stablehlo.return %arg0 : tensor<8x8xf32>
    }) : (tensor<i32>) -> tensor<8x8xf32>
    %1 = stablehlo.convert %arg0 : (tensor<8x8xf32>) -> tensor<8x8xbf16>
    %2 = stablehlo.convert %0 : (tensor<8x8xf32>) -> tensor<8x8xbf16>
    %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [0] : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xf32>
    %4 = stablehlo.dot_general %arg1, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    return %3, %4 : tensor<8x8xf32>, tensor<8x8xf64>
  }
}
// -----
// weft opt --weft-propagate=precision=bf16 --weft-export
// Weights travel in their narrow type.
sdy.mesh @m = <["x"=2]>
func.func @main(%arg0: tensor<128x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<128x8xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<128x8xf32>, tensor<8x8xf32>) -> tensor<128x8xf32>
  return %0 : tensor<128x8xf32>
}
// ==>
module {
  sdy.mesh @m = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
  func.func @main(%arg0: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = stablehlo.convert %arg0 : (tensor<64x8xf32>) -> tensor<64x8xbf16>
    %1 = stablehlo.convert %arg1 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %2 = "stablehlo.all_gather"(%1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<4x8xbf16>) -> tensor<8x8xbf16>
    %3 = stablehlo.dot_general %0, %2, contracting_dims = [1] x [0] : (tensor<64x8xbf16>, tensor<8x8xbf16>) -> tensor<64x8xf32>
    return %3 : tensor<64x8xf32>
  }
}
// -----
// weft opt --weft-narrow-products=to=f16
module {
}
// ==>
// error: products of f32 can be made of bf16, not of 'f16'
