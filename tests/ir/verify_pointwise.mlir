// What the verifier says of ops that work element by element. Each case is a module that is read alone; "error" gives line, column and message.

// -----
// error 3:8 'stablehlo.exponential': operand 0 has type 'tensor<2x3xi32>', expected a tensor of float or complex elements
func.func @f(%a: tensor<2x3xi32>) {
  %0 = "stablehlo.exponential"(%a) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----
// error 3:8 'stablehlo.exponential': result 0 has type 'tensor<3x2xf32>', expected 'tensor<2x3xf32>'
func.func @f(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.exponential"(%a) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----
// error 3:8 'stablehlo.add': operand 0 has type 'tensor<2x3xf32>' and operand 1 has type 'tensor<3x2xf32>', expected the same type
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) {
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.multiply': operand 0 has type 'tensor<2x3xf32>' and operand 1 has type 'tensor<2x3xbf16>', expected the same type
func.func @f(%a: tensor<2x3xf32>, %b: tensor<2x3xbf16>) {
  %0 = "stablehlo.multiply"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xbf16>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.and': operand 0 has type 'tensor<2xf32>', expected a tensor of integer or i1 elements
func.func @f(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  %0 = "stablehlo.and"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.popcnt': operand 0 has type 'tensor<2xi1>', expected a tensor of integer elements
func.func @f(%a: tensor<2xi1>) {
  %0 = "stablehlo.popcnt"(%a) : (tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----
// error 3:8 'stablehlo.sign': operand 0 has type 'tensor<2xui8>', expected a tensor of signed integer or float or complex elements
func.func @f(%a: tensor<2xui8>) {
  %0 = "stablehlo.sign"(%a) : (tensor<2xui8>) -> tensor<2xui8>
  return
}

// -----
// error 3:8 'stablehlo.negate': operand 0 has type 'tensor<2xi1>', expected a tensor of integer or float or complex elements
func.func @f(%a: tensor<2xi1>) {
  %0 = "stablehlo.negate"(%a) : (tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----
// error 3:8 'stablehlo.floor': operand 0 has type 'tensor<2xi32>', expected a tensor of float elements
func.func @f(%a: tensor<2xi32>) {
  %0 = "stablehlo.floor"(%a) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----
// error 3:8 'stablehlo.abs': result 0 has type 'tensor<2xcomplex<f32>>', expected 'tensor<2xf32>'
func.func @f(%a: tensor<2xcomplex<f32>>) {
  %0 = "stablehlo.abs"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----
// error 3:8 'stablehlo.real': operand 0 has type 'tensor<2xi32>', expected a tensor of float or complex elements
func.func @f(%a: tensor<2xi32>) {
  %0 = "stablehlo.real"(%a) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----
// error 3:8 'stablehlo.complex': operand 0 has type 'tensor<2xf16>', expected elements of f32 or f64
func.func @f(%a: tensor<2xf16>) {
  %0 = "stablehlo.complex"(%a, %a) : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xcomplex<f32>>
  return
}

// -----
// error 3:8 'stablehlo.is_finite': operand 0 has type 'tensor<2xi32>', expected a tensor of float elements
func.func @f(%a: tensor<2xi32>) {
  %0 = "stablehlo.is_finite"(%a) : (tensor<2xi32>) -> tensor<2xi1>
  return
}

// -----
// error 3:8 'stablehlo.reduce_precision': exponent_bits is 0, expected at least 1
func.func @f(%a: tensor<2xf32>) {
  %0 = "stablehlo.reduce_precision"(%a) <{exponent_bits = 0 : i32, mantissa_bits = 3 : i32}> : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.reduce_precision': mantissa_bits is -1, expected at least 0
func.func @f(%a: tensor<2xf32>) {
  %0 = "stablehlo.reduce_precision"(%a) <{exponent_bits = 5 : i32, mantissa_bits = -1 : i32}> : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.compare': compare_type SIGNED does not fit elements of 'tensor<2xf32>'
func.func @f(%a: tensor<2xf32>) {
  %0 = "stablehlo.compare"(%a, %a) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return
}

// -----
// error 3:8 'stablehlo.compare': comparison_direction LT has no meaning for complex elements
func.func @f(%a: tensor<2xcomplex<f32>>) {
  %0 = "stablehlo.compare"(%a, %a) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  return
}

// -----
// error 3:8 'stablehlo.compare': needs the attribute 'comparison_direction'
func.func @f(%a: tensor<2xf32>) {
  %0 = "stablehlo.compare"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return
}

// -----
// error 3:8 'stablehlo.compare': comparison_direction is not a comparison_direction of stablehlo
func.func @f(%a: tensor<2xf32>) {
  %0 = "stablehlo.compare"(%a, %a) <{comparison_direction = 3 : i32}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return
}

// -----
// error 3:8 'stablehlo.compare': result 0 has type 'tensor<2xf32>', expected 'tensor<2xi1>'
func.func @f(%a: tensor<2xf32>) {
  %0 = "stablehlo.compare"(%a, %a) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.convert': result 0 has type 'tensor<6xi32>', expected 'tensor<2x3xi32>'
func.func @f(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.convert"(%a) : (tensor<2x3xf32>) -> tensor<6xi32>
  return
}

// -----
// error 3:8 'stablehlo.select': operand 0 has type 'tensor<3xi1>' and operand 1 has type 'tensor<2xf32>', expected the same shape
func.func @f(%p: tensor<3xi1>, %a: tensor<2xf32>) {
  %0 = "stablehlo.select"(%p, %a, %a) : (tensor<3xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.select': operand 0 has type 'tensor<2xf32>', expected a tensor of i1 elements
func.func @f(%p: tensor<2xf32>, %a: tensor<2xf32>) {
  %0 = "stablehlo.select"(%p, %a, %a) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.select': operand 1 has type 'tensor<2xf32>' and operand 2 has type 'tensor<2xf64>', expected the same type
func.func @f(%p: tensor<2xi1>, %a: tensor<2xf32>, %b: tensor<2xf64>) {
  %0 = "stablehlo.select"(%p, %a, %b) : (tensor<2xi1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.clamp': operand 1 has type 'tensor<2xf32>' and operand 0 has type 'tensor<3xf32>', expected the same shape
func.func @f(%a: tensor<3xf32>, %b: tensor<2xf32>) {
  %0 = "stablehlo.clamp"(%a, %b, %b) : (tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.clamp': operand 1 has type 'tensor<2xf32>' and operand 0 has type 'tensor<i32>', expected the same element type
func.func @f(%a: tensor<i32>, %b: tensor<2xf32>) {
  %0 = "stablehlo.clamp"(%a, %b, %b) : (tensor<i32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.bitcast_convert': the bits of 'tensor<2xf32>' do not make up 'tensor<2x2xi8>'
func.func @f(%a: tensor<2xf32>) {
  %0 = "stablehlo.bitcast_convert"(%a) : (tensor<2xf32>) -> tensor<2x2xi8>
  return
}

// -----
// error 3:8 'stablehlo.bitcast_convert': the bits of 'tensor<2xcomplex<f32>>' do not make up 'tensor<2xi64>'
func.func @f(%a: tensor<2xcomplex<f32>>) {
  %0 = "stablehlo.bitcast_convert"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xi64>
  return
}

// -----
// error 3:8 'stablehlo.map': dimensions [1] must list all 1 dimensions in order
func.func @f(%a: tensor<2xf32>) {
  %0 = "stablehlo.map"(%a, %a) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.map': region 0 has 2 arguments, expected 1
func.func @f(%a: tensor<2xf32>) {
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.add': has 1 operand, expected 2
func.func @f(%a: tensor<2xf32>) {
  %0 = "stablehlo.add"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:10 'stablehlo.negate': has 2 results, expected 1
func.func @f(%a: tensor<2xf32>) {
  %0:2 = "stablehlo.negate"(%a) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----
// error 3:8 'stablehlo.negate': operand 0 has type '!stablehlo.token', expected a tensor
func.func @f(%a: !stablehlo.token) {
  %0 = "stablehlo.negate"(%a) : (!stablehlo.token) -> !stablehlo.token
  return
}
