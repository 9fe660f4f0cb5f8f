// What the verifier says of control flow, tuples, tokens. Each case is a module that is read alone; "error" gives line, column and message.

// -----
// error 6:5 'stablehlo.while': region 0 returns value 0 of type 'tensor<2xi1>', expected 'tensor<i1>'
func.func @f(%a: tensor<f32>, %p: tensor<i1>) {
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<f32>):
    %c = "stablehlo.constant"() <{value = dense<true> : tensor<2xi1>}> : () -> tensor<2xi1>
    "stablehlo.return"(%c) : (tensor<2xi1>) -> ()
  }, {
  ^bb0(%x: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) : (tensor<f32>) -> tensor<f32>
  return
}

// -----
// error 3:8 'stablehlo.while': region 0 argument 0 has type 'tensor<2xf32>', expected 'tensor<f32>'
func.func @f(%a: tensor<f32>, %p: tensor<i1>) {
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<2xf32>):
    %c = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<2xf32>):
    "stablehlo.return"(%x) : (tensor<2xf32>) -> ()
  }) : (tensor<f32>) -> tensor<f32>
  return
}

// -----
// error 3:8 'stablehlo.while': region 1 argument 0 has type 'tensor<i32>', expected 'tensor<f32>'
func.func @f(%a: tensor<f32>, %p: tensor<i1>) {
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<f32>):
    %c = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<i32>):
    "stablehlo.return"(%x) : (tensor<i32>) -> ()
  }) : (tensor<f32>) -> tensor<f32>
  return
}

// -----
// error 9:5 'stablehlo.while': region 1 returns value 0 of type 'tensor<i1>', expected 'tensor<f32>'
func.func @f(%a: tensor<f32>, %p: tensor<i1>) {
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<f32>):
    %c = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<f32>):
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }) : (tensor<f32>) -> tensor<f32>
  return
}

// -----
// error 3:8 'stablehlo.while': result 0 has type 'tensor<2xf32>', expected 'tensor<f32>'
func.func @f(%a: tensor<f32>, %p: tensor<i1>) {
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<f32>):
    %c = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) : (tensor<f32>) -> tensor<2xf32>
  return
}

// -----
// error 9:5 'stablehlo.while': region 1 returns 2 values, expected 1
func.func @f(%a: tensor<f32>, %p: tensor<i1>) {
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<f32>):
    %c = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<f32>):
    "stablehlo.return"(%x, %x) : (tensor<f32>, tensor<f32>) -> ()
  }) : (tensor<f32>) -> tensor<f32>
  return
}

// -----
// error 3:10 'stablehlo.while': has 2 results for 1 operands
func.func @f(%a: tensor<f32>) {
  %0:2 = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<f32>):
    "stablehlo.return"() : () -> ()
  }, {
  ^bb0(%x: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----
// error 3:8 'stablehlo.case': operand 0 has type 'tensor<i64>', expected 'tensor<i32>'
func.func @f(%i: tensor<i64>, %a: tensor<f32>) {
  %0 = "stablehlo.case"(%i) ({
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }) : (tensor<i64>) -> tensor<f32>
  return
}

// -----
// error 3:3 'stablehlo.case': has no branches
func.func @f(%i: tensor<i32>) {
  "stablehlo.case"(%i) : (tensor<i32>) -> ()
  return
}

// -----
// error 6:5 'stablehlo.case': region 1 returns value 0 of type 'tensor<i32>', expected 'tensor<f32>'
func.func @f(%i: tensor<i32>, %a: tensor<f32>) {
  %0 = "stablehlo.case"(%i) ({
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }, {
    "stablehlo.return"(%i) : (tensor<i32>) -> ()
  }) : (tensor<i32>) -> tensor<f32>
  return
}

// -----
// error 6:5 'stablehlo.if': region 1 returns 0 values, expected 1
func.func @f(%i: tensor<i1>, %a: tensor<f32>) {
  %0 = "stablehlo.if"(%i) ({
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }, {
    "stablehlo.return"() : () -> ()
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----
// error 3:8 'stablehlo.if': operand 0 has type 'tensor<2xi1>' of rank 1, expected rank 0
func.func @f(%i: tensor<2xi1>, %a: tensor<f32>) {
  %0 = "stablehlo.if"(%i) ({
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }, {
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }) : (tensor<2xi1>) -> tensor<f32>
  return
}

// -----
// error 3:8 'stablehlo.if': result 0 has type 'tensor<f64>', expected 'tensor<f32>'
func.func @f(%i: tensor<i1>, %a: tensor<f32>) {
  %0 = "stablehlo.if"(%i) ({
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }, {
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }) : (tensor<i1>) -> tensor<f64>
  return
}

// -----
// error 3:8 'stablehlo.if': has 1 region, expected 2
func.func @f(%i: tensor<i1>, %a: tensor<f32>) {
  %0 = "stablehlo.if"(%i) ({
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----
// error 3:10 'stablehlo.optimization_barrier': result 0 has type 'tensor<i32>', expected 'tensor<f32>'
func.func @f(%a: tensor<f32>, %b: tensor<i32>) {
  %0:2 = "stablehlo.optimization_barrier"(%a, %b) : (tensor<f32>, tensor<i32>) -> (tensor<i32>, tensor<f32>)
  return
}

// -----
// error 3:8 'stablehlo.get_tuple_element': operand 0 has type 'tensor<f32>', expected a tuple
func.func @f(%a: tensor<f32>) {
  %0 = "stablehlo.get_tuple_element"(%a) <{index = 0 : i32}> : (tensor<f32>) -> tensor<f32>
  return
}

// -----
// error 3:8 'stablehlo.get_tuple_element': index is 1, but operand 0 has type 'tuple<tensor<f32>>'
func.func @f(%a: tuple<tensor<f32>>) {
  %0 = "stablehlo.get_tuple_element"(%a) <{index = 1 : i32}> : (tuple<tensor<f32>>) -> tensor<f32>
  return
}

// -----
// error 3:8 'stablehlo.tuple': result 0 has type 'tuple<tensor<i32>>', expected 'tuple<tensor<f32>>'
func.func @f(%a: tensor<f32>) {
  %0 = "stablehlo.tuple"(%a) : (tensor<f32>) -> tuple<tensor<i32>>
  return
}

// -----
// error 3:8 'stablehlo.after_all': operand 0 is not a token
func.func @f(%a: tensor<f32>) {
  %0 = "stablehlo.after_all"(%a) : (tensor<f32>) -> !stablehlo.token
  return
}

// -----
// error 3:8 'chlo.scan': operand 1 has type 'tensor<7x4xf32>', expected 8 in dimension 0
func.func @f(%a: tensor<8x4xf32>, %b: tensor<7x4xf32>) {
  %0 = "chlo.scan"(%a, %b) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 2, 0>, resultSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<8x4xf32>, tensor<7x4xf32>) -> tensor<8x4xf32>
  return
}

// -----
// error 3:8 'chlo.scan': dimension is 2, expected 0 to 1
func.func @f(%a: tensor<8x4xf32>) {
  %0 = "chlo.scan"(%a) <{dimension = 2 : i64, operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%x: tensor<4xf32>):
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----
// error 3:8 'chlo.scan': operandSegmentSizes [1, 1] do not add up to 1 operands
func.func @f(%a: tensor<8x4xf32>) {
  %0 = "chlo.scan"(%a) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%x: tensor<4xf32>):
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----
// error 3:8 'chlo.scan': has 1 carries, but 0 results for them
func.func @f(%a: tensor<8x4xf32>, %c: tensor<4xf32>) {
  %0 = "chlo.scan"(%a, %c) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return
}

// -----
// error 3:8 'chlo.scan': region 0 argument 0 has type 'tensor<8x4xf32>', expected 'tensor<4xf32>'
func.func @f(%a: tensor<8x4xf32>) {
  %0 = "chlo.scan"(%a) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%x: tensor<8x4xf32>):
    stablehlo.return %x : tensor<8x4xf32>
  }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----
// error 3:10 'chlo.scan': region 0 returns value 1 of type 'tensor<4xi32>', but the carry has type 'tensor<4xf32>'
func.func @f(%a: tensor<8x4xf32>, %c: tensor<4xf32>) {
  %0:2 = "chlo.scan"(%a, %c) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
    %1 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xi32>
    stablehlo.return %x, %1 : tensor<4xf32>, tensor<4xi32>
  }) : (tensor<8x4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>)
  return
}

// -----
// error 3:8 'chlo.scan': operand 0 has type 'tensor<8x4xf32>', expected 9 in dimension 0
func.func @f(%a: tensor<8x4xf32>) {
  %0 = "chlo.scan"(%a) <{dimension = 0 : i64, scan_dim_size = 9 : i64, operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%x: tensor<4xf32>):
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}
