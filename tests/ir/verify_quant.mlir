// What the verifier says of quantised elements. Each case is a module that is read alone; "error" gives line, column and message.

// -----
// error 2:45 storage range -200:127 is not a rising pair within -128:127 of i8
func.func private @f(tensor<4x!quant.uniform<i8<-200:127>:f32, 0.1>>)

// -----
// error 2:45 storage range 0:256 is not a rising pair within 0:255 of ui8
func.func private @f(tensor<4x!quant.uniform<u8<0:256>:f32, 0.1>>)

// -----
// error 2:45 storage range 5:5 is not a rising pair within -128:127 of i8
func.func private @f(tensor<4x!quant.uniform<i8<5:5>:f32, 0.1:5>>)

// -----
// error 2:45 scale 0 is not a finite number over 0
func.func private @f(tensor<4x!quant.uniform<i8:f32, 0.0>>)

// -----
// error 2:45 scale -1.5 is not a finite number over 0
func.func private @f(tensor<4x!quant.uniform<i8:f32, -1.5>>)

// -----
// error 2:45 scale inf is not a finite number over 0
func.func private @f(tensor<4x!quant.uniform<i8:f32, 0x7FF0000000000000>>)

// -----
// error 2:45 scale 1e+06 is out of the range of f16
func.func private @f(tensor<4x!quant.uniform<i8:f16, 1.0e6>>)

// -----
// error 2:45 zero point -1 is not within the storage's 0 to 15
func.func private @f(tensor<4x!quant.uniform<u4:f32, 1.0:-1>>)

// -----
// error 2:49 the expressed type of a quantised type must be a float
func.func private @f(tensor<4x!quant.uniform<i8:i8, 1.0>>)

// -----
// error 2:46 the storage of a quantised type has at most 32 bits
func.func private @f(tensor<4x!quant.uniform<i64:f32, 1.0>>)

// -----
// error 2:53 quantisation dimension -1 is not a dimension
func.func private @f(tensor<4x!quant.uniform<i8:f32:-1, {1.0}>>)

// -----
// error 2:31 quantisation dimension 1 does not exist in a tensor of 1 dimension
func.func private @f(tensor<2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>)

// -----
// error 2:33 2 scales for dimension 0 of size 4
func.func private @f(tensor<4x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>)

// -----
// ok: a dimension that is not known takes any number of scales
func.func private @f(tensor<?x2x!quant.uniform<i8<-127:127>:f32:0, {1.0, 2.0}>>)

// -----
// ok: one scale for the tensor wherever numbers are taken
!q = !quant.uniform<i8:f32, 0.5:-3>
func.func @f(%a: tensor<2x3x!q>, %b: tensor<3x!q>, %p: tensor<i1>) {
  %0 = stablehlo.add %a, %a : tensor<2x3x!q>
  %1 = stablehlo.tanh %0 : (tensor<2x3x!q>) -> tensor<2x3x!quant.uniform<i8:f32, 0.25>>
  %2 = stablehlo.maximum %a, %0 : tensor<2x3x!q>
  %3 = stablehlo.abs %a : tensor<2x3x!q>
  %4 = stablehlo.compare LT, %a, %0 : (tensor<2x3x!q>, tensor<2x3x!q>) -> tensor<2x3xi1>
  %5 = stablehlo.is_finite %a : (tensor<2x3x!q>) -> tensor<2x3xi1>
  %6 = stablehlo.select %p, %a, %0 : tensor<i1>, tensor<2x3x!q>
  %7 = stablehlo.concatenate %a, %0, dim = 1 : (tensor<2x3x!q>, tensor<2x3x!q>) -> tensor<2x6x!q>
  %8 = stablehlo.slice %a [0:1, 1:3] : (tensor<2x3x!q>) -> tensor<1x2x!q>
  %9 = stablehlo.uniform_quantize %a : (tensor<2x3x!q>) -> tensor<2x3x!quant.uniform<u8:f32, 2.0:128>>
  %10 = stablehlo.uniform_dequantize %a : (tensor<2x3x!q>) -> tensor<2x3xf32>
  %11 = stablehlo.constant() <{value = dense<[1, 2, -3]> : tensor<3xi8>}> : () -> tensor<3x!q>
  %12 = stablehlo.bitcast_convert %a : (tensor<2x3x!q>) -> tensor<2x3xi8>
  return
}

// -----
// ok: a scale per slice moves with its dimension
!q = !quant.uniform<i8:f32:1, {0.5:-3, 1.0, 0.25:2}>
func.func @f(%a: tensor<2x3x!q>, %one: tensor<1x!quant.uniform<i8:f32:0, {0.5:1}>>) {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3x!q>) -> tensor<3x2x!quant.uniform<i8:f32:0, {0.5:-3, 1.0, 0.25:2}>>
  %1 = stablehlo.reshape %a : (tensor<2x3x!q>) -> tensor<1x2x3x!quant.uniform<i8:f32:2, {0.5:-3, 1.0, 0.25:2}>>
  %2 = stablehlo.broadcast_in_dim %a, dims = [2, 1] : (tensor<2x3x!q>) -> tensor<7x3x2x!quant.uniform<i8:f32:1, {0.5:-3, 1.0, 0.25:2}>>
  %3 = stablehlo.broadcast_in_dim %one, dims = [1] : (tensor<1x!quant.uniform<i8:f32:0, {0.5:1}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5:1, 0.5:1}>>
  %4 = stablehlo.add %a, %a : tensor<2x3x!q>
  %5 = stablehlo.uniform_dequantize %a : (tensor<2x3x!q>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.uniform_dequantize': result 0 has type 'tensor<2xbf16>', expected 'tensor<2xf32>'
func.func @f(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xbf16>
  return
}

// -----
// error 3:8 'stablehlo.uniform_dequantize': operand 0 has type 'tensor<2xf32>', expected a tensor of quantised elements
func.func @f(%a: tensor<2xf32>) {
  %0 = stablehlo.uniform_dequantize %a : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.uniform_quantize': result 0 has type 'tensor<2x!quant.uniform<i8:bf16, 5.000000e-01>>', expected one that expresses f32
func.func @f(%a: tensor<2xf32>) {
  %0 = stablehlo.uniform_quantize %a : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:bf16, 0.5>>
  return
}

// -----
// error 3:8 'stablehlo.uniform_quantize': operand 0 has type 'tensor<2xi32>', expected a tensor of float elements
func.func @f(%a: tensor<2xi32>) {
  %0 = stablehlo.uniform_quantize %a : (tensor<2xi32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----
// error 3:8 'stablehlo.uniform_quantize': result 0 has type 'tensor<2xi8>', expected a tensor of quantised elements
func.func @f(%a: tensor<2xf32>) {
  %0 = stablehlo.uniform_quantize %a : (tensor<2xf32>) -> tensor<2xi8>
  return
}

// -----
// error 3:8 'stablehlo.convert': operand 0 has type 'tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>', expected a tensor of integer or i1 or float or complex elements
func.func @f(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.convert %a : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.popcnt': operand 0 has type 'tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>', expected a tensor of integer elements
func.func @f(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.popcnt %a : tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----
// error 3:8 'chlo.erf': operand 0 has type 'tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>', expected a tensor of float elements
func.func @f(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %0 = chlo.erf %a : tensor<2x!quant.uniform<i8:f32, 0.5>> -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----
// error 3:8 'stablehlo.maximum': operand 0 has type 'tensor<2x!quant.uniform<i8:f32:0, {5.000000e-01,1.000000e+00}>>', expected a tensor of integer or i1 or float or complex or per-tensor quantised elements
func.func @f(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>) {
  %0 = stablehlo.maximum %a, %a : tensor<2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>
  return
}

// -----
// error 3:8 'stablehlo.add': operand 1 has type 'tensor<2x!quant.uniform<i16:f32, 5.000000e-01>>' and result 0 has type 'tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>', expected the same storage and expressed types
func.func @f(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>, %b: tensor<2x!quant.uniform<i16:f32, 0.5>>) {
  %0 = stablehlo.add %a, %b : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i16:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----
// error 3:8 'stablehlo.add': operand 1 has type 'tensor<2xf32>', expected a tensor of quantised elements
func.func @f(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>, %b: tensor<2xf32>) {
  %0 = stablehlo.add %a, %b : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----
// error 3:8 'stablehlo.add': result 0 has type 'tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>', expected per-axis quantisation as of the operands
func.func @f(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>) {
  %0 = stablehlo.add %a, %a : (tensor<2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>, tensor<2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----
// error 3:8 'stablehlo.add': operand 0 is quantised along dimension 0 and result 0 along 1
func.func @f(%a: tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>) {
  %0 = stablehlo.add %a, %a : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>, tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 1.0}>>
  return
}

// -----
// error 3:8 'stablehlo.reshape': result 0 has type 'tensor<2x1x!quant.uniform<i8:f32, 2.500000e-01>>', expected the scales and zero points of operand 0 of type 'tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>'
func.func @f(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.reshape %a : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x1x!quant.uniform<i8:f32, 0.25>>
  return
}

// -----
// error 3:8 'stablehlo.reshape': result 0 of type 'tensor<2x2x!quant.uniform<i8:f32:1, {5.000000e-01,1.000000e+00}>>' has 2 elements in front of the dimension that it is quantised along, but operand 0 of type 'tensor<2x2x!quant.uniform<i8:f32:0, {5.000000e-01,1.000000e+00}>>' has 1
func.func @f(%a: tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>) {
  %0 = stablehlo.reshape %a : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 1.0}>>
  return
}

// -----
// error 3:8 'stablehlo.transpose': result 0 of type 'tensor<2x2x!quant.uniform<i8:f32:0, {5.000000e-01,1.000000e+00}>>' is quantised along dimension 0, expected 1
func.func @f(%a: tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>) {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>
  return
}

// -----
// error 3:8 'stablehlo.broadcast_in_dim': result 0 of type 'tensor<2x2x!quant.uniform<i8:f32:1, {5.000000e-01,1.000000e+00}>>' is quantised along dimension 1, expected 0
func.func @f(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 1.0}>>
  return
}

// -----
// error 3:8 'stablehlo.broadcast_in_dim': result 0 has type 'tensor<2x!quant.uniform<i8:f32:0, {5.000000e-01,1.000000e+00}>>', expected the scale and zero point of operand 0 of type 'tensor<1x!quant.uniform<i8:f32:0, {5.000000e-01}>>' in each slice
func.func @f(%a: tensor<1x!quant.uniform<i8:f32:0, {0.5}>>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<1x!quant.uniform<i8:f32:0, {0.5}>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>
  return
}

// -----
// error 3:8 'stablehlo.constant': value has type 'tensor<2xi16>', expected elements of i8
func.func @f() {
  %0 = stablehlo.constant() <{value = dense<[1, 2]> : tensor<2xi16>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----
// ok: products of quantised matrices, and of numbers by quantised ones
!q = !quant.uniform<i8:f32, 0.5:3>
!w = !quant.uniform<i8:f32:1, {0.5, 0.25, 0.125, 1.0}>
!s = !quant.uniform<i32:f32:1, {0.5, 0.25, 0.125, 1.0}>
func.func @f(%a: tensor<2x3x!q>, %b: tensor<3x4x!w>, %c: tensor<2x3xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x!q>, tensor<3x4x!w>) -> tensor<2x4x!s>
  %1 = stablehlo.dot_general %c, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4x!w>) -> tensor<2x4xf32>
  return
}

// -----
// error 4:8 'stablehlo.dot_general': operand 1 has type 'tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01:3>>', expected zero points of 0
!q = !quant.uniform<i8:f32, 0.5:3>
func.func @f(%a: tensor<2x2x!q>) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<2x2x!q>, tensor<2x2x!q>) -> tensor<2x2x!quant.uniform<i32:f32, 0.5>>
  return
}

// -----
// error 5:8 'stablehlo.dot_general': operand 1 of type 'tensor<2x2x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>>' is quantised along dimension 0, which is contracted
!q = !quant.uniform<i8:f32, 0.5>
!w = !quant.uniform<i8:f32:0, {0.5, 0.25}>
func.func @f(%a: tensor<2x2x!q>, %b: tensor<2x2x!w>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2x!q>, tensor<2x2x!w>) -> tensor<2x2x!quant.uniform<i32:f32, 0.5>>
  return
}

// -----
// error 4:8 'stablehlo.dot_general': has types 'tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>', 'tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>' and 'tensor<2x2xf32>': operand 1 must be quantised, and result 0 where operand 0 is
!q = !quant.uniform<i8:f32, 0.5>
func.func @f(%a: tensor<2x2x!q>) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<2x2x!q>, tensor<2x2x!q>) -> tensor<2x2xf32>
  return
}

// -----
// error 5:8 'stablehlo.dot_general': operands of type 'tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>' and 'tensor<2x2x!quant.uniform<i16:f32, 5.000000e-01>>' have different storage types
!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<i16:f32, 0.5>
func.func @f(%a: tensor<2x2x!q>, %b: tensor<2x2x!r>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2x!q>, tensor<2x2x!r>) -> tensor<2x2x!q>
  return
}

// -----
// error 5:8 'stablehlo.dot_general': operands of type 'tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>' and 'tensor<2x2x!quant.uniform<i8:bf16, 5.000000e-01>>' and result 0 of type 'tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>' have different expressed types
!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<i8:bf16, 0.5>
func.func @f(%a: tensor<2x2x!q>, %b: tensor<2x2x!r>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2x!q>, tensor<2x2x!r>) -> tensor<2x2x!q>
  return
}

// -----
// error 4:8 'stablehlo.dot_general': result 0 of type 'tensor<2x2x!quant.uniform<i32:f32:0, {5.000000e-01,1.000000e+00}>>' is quantised per axis, but operand 1 of type 'tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>' is not
!q = !quant.uniform<i8:f32, 0.5>
func.func @f(%a: tensor<2x2x!q>) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<2x2x!q>, tensor<2x2x!q>) -> tensor<2x2x!quant.uniform<i32:f32:0, {0.5, 1.0}>>
  return
}

// -----
// error 4:8 'stablehlo.dot_general': operand 1 expresses f32, expected the elements of operand 0 of type 'tensor<2x2xbf16>' and of result 0 of type 'tensor<2x2xbf16>'
!q = !quant.uniform<i8:f32, 0.5>
func.func @f(%a: tensor<2x2xbf16>, %b: tensor<2x2x!q>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2xbf16>, tensor<2x2x!q>) -> tensor<2x2xbf16>
  return
}

// -----
// error 5:8 'stablehlo.convolution': operand 1 is quantised along dimension 0, expected the kernel's output feature dimension 3
!q = !quant.uniform<i8:f32, 0.5>
!w = !quant.uniform<i8:f32:0, {0.5, 0.25, 1.0}>
func.func @f(%a: tensor<1x8x8x2x!q>, %b: tensor<3x3x2x4x!w>) {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x8x8x2x!q>, tensor<3x3x2x4x!w>) -> tensor<1x6x6x4x!q>
  return
}

// -----
// error 6:8 'stablehlo.convolution': result 0 is quantised along dimension 1, expected the output's feature dimension 3
!q = !quant.uniform<i8:f32, 0.5>
!w = !quant.uniform<i8:f32:3, {0.5, 0.25, 1.0, 2.0}>
!r = !quant.uniform<i32:f32:1, {0.5, 0.25, 1.0, 2.0, 1.0, 1.0}>
func.func @f(%a: tensor<1x8x8x2x!q>, %b: tensor<3x3x2x4x!w>) {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x8x8x2x!q>, tensor<3x3x2x4x!w>) -> tensor<1x6x6x4x!r>
  return
}

// -----
// error 2:45 the expressed type of a quantised type must be a float
func.func @f(%a: tensor<2x!quant.uniform<i8:index, 0.5>>) {
  return
}
