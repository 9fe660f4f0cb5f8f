// What the verifier says of reductions, windows, sort. Each case is a module that is read alone; "error" gives line, column and message.

// -----
// error 3:8 'stablehlo.reduce': dimensions [2] has entry 2, expected 0 to 1
func.func @f(%a: tensor<4x5xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 2>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %s = "stablehlo.add"(%x0, %x0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----
// error 3:8 'stablehlo.reduce': dimensions [0, 0] names dimension 0 twice
func.func @f(%a: tensor<4x5xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0, 0>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %s = "stablehlo.add"(%x0, %x0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----
// error 3:8 'stablehlo.reduce': operand 1 has type 'tensor<1xf32>' of rank 1, expected rank 0
func.func @f(%a: tensor<4x5xf32>, %z: tensor<1xf32>) {
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %s = "stablehlo.add"(%x0, %x0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4x5xf32>, tensor<1xf32>) -> tensor<5xf32>
  return
}

// -----
// error 3:8 'stablehlo.reduce': operand 0 has type 'tensor<4x5xf32>' and operand 1 has type 'tensor<i32>', expected the same element type
func.func @f(%a: tensor<4x5xf32>, %z: tensor<i32>) {
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %s = "stablehlo.add"(%x0, %x0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4x5xf32>, tensor<i32>) -> tensor<5xf32>
  return
}

// -----
// error 3:8 'stablehlo.reduce': result 0 has type 'tensor<4xf32>', expected 'tensor<5xf32>'
func.func @f(%a: tensor<4x5xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %s = "stablehlo.add"(%x0, %x0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----
// error 3:8 'stablehlo.reduce': region 0 argument 0 has type 'tensor<2xf32>', expected 'tensor<f32>'
func.func @f(%a: tensor<4x5xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x0: tensor<2xf32>, %x1: tensor<2xf32>):
    %s = "stablehlo.add"(%x0, %x0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    "stablehlo.return"(%s) : (tensor<2xf32>) -> ()
  }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----
// error 3:8 'stablehlo.reduce': region 0 argument 0 has type 'tensor<f16>', expected 'tensor<f32>'
func.func @f(%a: tensor<4x5xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x0: tensor<f16>, %x1: tensor<f16>):
    %s = "stablehlo.add"(%x0, %x0) : (tensor<f16>, tensor<f16>) -> tensor<f16>
    "stablehlo.return"(%s) : (tensor<f16>) -> ()
  }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----
// error 3:8 'stablehlo.reduce': region 0 has 1 arguments, expected 2
func.func @f(%a: tensor<4x5xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x0: tensor<f32>):
    %s = "stablehlo.add"(%x0, %x0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----
// error 3:8 'stablehlo.reduce': region 0 returns 2 values, expected 1
func.func @f(%a: tensor<4x5xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %s = "stablehlo.add"(%x0, %x0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s, %s) : (tensor<f32>, tensor<f32>) -> ()
  }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----
// error 3:8 'stablehlo.reduce': result 0 has type 'tensor<5xf64>', expected 'tensor<5xf32>'
func.func @f(%a: tensor<4x5xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %s = "stablehlo.add"(%x0, %x0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<5xf64>
  return
}

// -----
// error 3:8 'stablehlo.reduce': region 0 does not end with 'stablehlo.return'
func.func @f(%a: tensor<4x5xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %s = "stablehlo.add"(%x0, %x0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "sdy.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----
// error 3:8 'stablehlo.reduce': region 0 is empty
func.func @f(%a: tensor<4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----
// error 3:8 'stablehlo.reduce': has 1 operands, expected inputs and as many initial values
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.reduce"(%a) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----
// error 3:8 'stablehlo.reduce_window': result 0 has type 'tensor<4xf32>', expected 'tensor<3xf32>'
func.func @f(%a: tensor<4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----
// error 3:8 'stablehlo.reduce_window': window dimensions [0] has entry 0, expected at least 1
func.func @f(%a: tensor<4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----
// error 3:8 'stablehlo.reduce_window': window_dimensions has 2 entries, expected 1
func.func @f(%a: tensor<4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----
// error 3:8 'stablehlo.reduce_window': window_strides [0] has entry 0, expected at least 1
func.func @f(%a: tensor<4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----
// error 3:8 'stablehlo.reduce_window': base_dilations [0] has entry 0, expected at least 1
func.func @f(%a: tensor<4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 2>, base_dilations = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----
// error 3:8 'stablehlo.reduce_window': window_dilations has 2 entries, expected 1
func.func @f(%a: tensor<4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 2>, window_dilations = array<i64: 1, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----
// error 3:8 'stablehlo.reduce_window': padding has type 'tensor<1xi64>', expected 'tensor<1x2xi64>'
func.func @f(%a: tensor<4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 2>, padding = dense<1> : tensor<1xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----
// error 3:8 'stablehlo.sort': dimension is 1, expected -1 to 0
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.compare"(%x, %y) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%s) : (tensor<i1>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
// error 3:8 'stablehlo.sort': dimension is -2, expected -1 to 0
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = -2 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.compare"(%x, %y) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%s) : (tensor<i1>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
// error 3:8 'stablehlo.sort': region 0 argument 0 has type 'tensor<i32>', expected 'tensor<f32>'
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = "stablehlo.compare"(%x, %y) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%s) : (tensor<i1>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
// error 3:8 'stablehlo.sort': result 0 has type 'tensor<5xf32>', expected 'tensor<4xf32>'
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.compare"(%x, %y) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%s) : (tensor<i1>) -> ()
  }) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----
// error 3:8 'stablehlo.sort': region 0 argument 0 has type 'tensor<1xf32>', expected 'tensor<f32>'
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
  ^bb0(%x: tensor<1xf32>, %y: tensor<1xf32>):
    %s = "stablehlo.compare"(%x, %y) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
    "stablehlo.return"(%s) : (tensor<1xi1>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
// error 3:8 'stablehlo.select_and_scatter': operand 1 of type 'tensor<3xf32>' has 3 in dimension 0, but there are 2 windows in operand 0 of type 'tensor<4xf32>'
func.func @f(%a: tensor<4xf32>, %s: tensor<3xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = "stablehlo.compare"(%x, %y) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----
// error 3:8 'stablehlo.select_and_scatter': operand 0 has type 'tensor<4xf32>' and operand 1 has type 'tensor<2xi32>', expected the same element type
func.func @f(%a: tensor<4xf32>, %s: tensor<2xi32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = "stablehlo.compare"(%x, %y) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<2xi32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----
// error 3:8 'stablehlo.select_and_scatter': window_dimensions has 2 entries, expected 1
func.func @f(%a: tensor<4xf32>, %s: tensor<2xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = "stablehlo.compare"(%x, %y) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----
// error 3:8 'stablehlo.select_and_scatter': region 1 argument 0 has type 'tensor<i32>', expected 'tensor<f32>'
func.func @f(%a: tensor<4xf32>, %s: tensor<2xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = "stablehlo.compare"(%x, %y) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %c = "stablehlo.add"(%x, %y) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}
