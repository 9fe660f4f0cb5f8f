// Products and convolutions whose scratch memory in oneDNN differs from processor to processor: bf16, operands by columns, few columns,
// batches; the three kinds of convolution, features first and last.
func.func @main(%a: tensor<96x300xf32>, %b: tensor<300x40xf32>, %c: tensor<40x300xf32>, %h: tensor<96x300xbf16>, %k: tensor<300x200xbf16>,
                %q: tensor<4x12x64x32xf32>, %first: tensor<2x8x20x20xf32>, %last: tensor<2x20x20x32xf32>, %w1: tensor<24x8x3x3xf32>,
                %w2: tensor<3x3x32x16xf32>, %halves: tensor<2x20x20x32xbf16>, %w3: tensor<3x3x32x16xbf16>)
    -> (tensor<96x40xf32>, tensor<96x40xf32>, tensor<300x40xf32>, tensor<96x200xf32>, tensor<96x200xbf16>, tensor<4x12x64x64xf32>, tensor<2x24x20x20xf32>,
        tensor<2x20x20x16xf32>, tensor<2x20x20x16xbf16>, tensor<2x39x39x16xf32>, tensor<3x3x32x32xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<96x300xf32>, tensor<300x40xf32>) -> tensor<96x40xf32>
  %1 = stablehlo.dot_general %a, %c, contracting_dims = [1] x [1] : (tensor<96x300xf32>, tensor<40x300xf32>) -> tensor<96x40xf32>
  %2 = stablehlo.dot_general %a, %0, contracting_dims = [0] x [0] : (tensor<96x300xf32>, tensor<96x40xf32>) -> tensor<300x40xf32>
  %3 = stablehlo.dot_general %h, %k, contracting_dims = [1] x [0] : (tensor<96x300xbf16>, tensor<300x200xbf16>) -> tensor<96x200xf32>
  %4 = stablehlo.dot_general %h, %k, contracting_dims = [1] x [0] : (tensor<96x300xbf16>, tensor<300x200xbf16>) -> tensor<96x200xbf16>
  %5 = stablehlo.dot_general %q, %q, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3]
    : (tensor<4x12x64x32xf32>, tensor<4x12x64x32xf32>) -> tensor<4x12x64x64xf32>
  %6 = stablehlo.convolution(%first, %w1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x20x20xf32>, tensor<24x8x3x3xf32>) -> tensor<2x24x20x20xf32>
  %7 = stablehlo.convolution(%last, %w2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x20x20x32xf32>, tensor<3x3x32x16xf32>) -> tensor<2x20x20x16xf32>
  %8 = stablehlo.convolution(%halves, %w3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x20x20x32xbf16>, tensor<3x3x32x16xbf16>) -> tensor<2x20x20x16xbf16>
  %9 = stablehlo.convolution(%last, %w2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x20x20x32xf32>, tensor<3x3x32x16xf32>) -> tensor<2x39x39x16xf32>
  %10 = stablehlo.convolution(%last, %last) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x20x20x32xf32>, tensor<2x20x20x32xf32>) -> tensor<3x3x32x32xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10
    : tensor<96x40xf32>, tensor<96x40xf32>, tensor<300x40xf32>, tensor<96x200xf32>, tensor<96x200xbf16>, tensor<4x12x64x64xf32>, tensor<2x24x20x20xf32>,
      tensor<2x20x20x16xf32>, tensor<2x20x20x16xbf16>, tensor<2x39x39x16xf32>, tensor<3x3x32x32xf32>
}
