// What the verifier says of functions, calls, symbols, places of ops. Each case is a module that is read alone; "error" gives line, column and message.

// -----
// error 3:3 'func.return' op type of return operand 0 ('tensor<2xf32>') doesn't match function result type ('tensor<3xf32>') in function @f
func.func @f(%a: tensor<2xf32>) -> tensor<3xf32> {
  return %a : tensor<2xf32>
}

// -----
// error 3:3 'func.return' op has 1 operands, but enclosing function (@f) returns 0
func.func @f(%a: tensor<2xf32>) {
  return %a : tensor<2xf32>
}

// -----
// error 5:1 'func.func': symbol '@f' is already defined
func.func @f() {
  return
}
func.func @f() {
  return
}

// -----
// error 3:3 'func.func': region 0 returns 1 value, expected 0
func.func @f(%a: tensor<2xf32>) {
  "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
}

// -----
// error 2:1 'func.func': region 0 does not end with 'func.return'
func.func @f(%a: tensor<2xf32>) {
  %0 = stablehlo.negate %a : tensor<2xf32>
}

// -----
// error 3:8 'func.call': there is no function '@g'
func.func @f(%a: tensor<2xf32>) {
  %0 = call @g(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'func.call': operand 0 has type 'tensor<2xf32>', but '@g' takes 'tensor<3xf32>'
func.func @f(%a: tensor<2xf32>) {
  %0 = call @g(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return
}
func.func private @g(%a: tensor<3xf32>) -> tensor<2xf32>

// -----
// error 3:8 'func.call': result 0 has type 'tensor<2xf32>', expected 'tensor<3xf32>'
func.func @f(%a: tensor<2xf32>) {
  %0 = call @g(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return
}
func.func private @g(%a: tensor<2xf32>) -> tensor<3xf32>

// -----
// error 3:8 'func.call': has 1 operands, but '@g' takes 0
func.func @f(%a: tensor<2xf32>) {
  %0 = call @g(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return
}
func.func private @g() -> tensor<2xf32>

// -----
// error 3:8 'func.call': has 1 results, but '@g' returns 0
func.func @f(%a: tensor<2xf32>) {
  %0 = call @g(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return
}
func.func private @g(%a: tensor<2xf32>)

// -----
// error 3:8 'func.call': '@f' calls itself
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @f(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----
// error 7:3 'func.call': '@f' calls itself
func.func @f() {
  call @g() : () -> ()
  return
}
func.func @g() {
  call @f() : () -> ()
  return
}

// -----
// error 3:3 'func.return': is not the last op of its block
func.func @f(%a: tensor<2xf32>) {
  return
  return
}

// -----
// error 3:3 'func.func': is allowed only directly in a module
func.func @f(%a: tensor<2xf32>) {
  func.func @g() {
    return
  }
  return
}

// -----
// error 2:6 'stablehlo.iota': is not inside a function
%0 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<2xi32>

// -----
// error 3:8 'stablehlo.composite': name "plain" is not of the form "dialect.op"
func.func @f(%a: tensor<2xf32>) {
  %0 = "stablehlo.composite"(%a) <{name = "plain", decomposition = @g}> : (tensor<2xf32>) -> tensor<2xf32>
  return
}
func.func private @g(%a: tensor<2xf32>) -> tensor<2xf32>

// -----
// error 2:1 'func.func': region 0 argument 0 has type 'tensor<3xf32>', expected 'tensor<2xf32>'
"func.func"() <{sym_name = "f", function_type = (tensor<2xf32>) -> ()}> ({
  ^bb0(%a: tensor<3xf32>):
    "func.return"() : () -> ()
  }) : () -> ()

// -----
// error 2:1 'func.func': arg_attrs has 2 entries for 1 arguments
"func.func"() <{sym_name = "f", function_type = (tensor<2xf32>) -> (), arg_attrs = [{}, {}]}> ({
  ^bb0(%a: tensor<2xf32>):
    "func.return"() : () -> ()
  }) : () -> ()

// -----
// error 2:1 'func.func': attribute 'function_type' is not a type
"func.func"() <{sym_name = "f", function_type = 1 : i32}> ({
    "func.return"() : () -> ()
  }) : () -> ()

// -----
// error 2:1 'func.func': needs the attribute 'sym_name'
"func.func"() <{function_type = () -> ()}> ({
    "func.return"() : () -> ()
  }) : () -> ()

// -----
// error 3:3 'func.return' op type of return operand 0 ('tensor<2xf32>') doesn't match function result type ('tensor<?xf32>') in function @f
func.func @f(%a: tensor<2xf32>) -> tensor<?xf32> {
  return %a : tensor<2xf32>
}

// -----
// error 2:1 'func.func': region 0 argument 0 has type 'tensor<2xf32>', expected 'tensor<?xf32>'
"func.func"() <{sym_name = "f", function_type = (tensor<?xf32>) -> ()}> ({
^bb0(%a: tensor<2xf32>):
  "func.return"() : () -> ()
}) : () -> ()

// -----
// error 2:1 'func.func': visibility expected to be one of ["public", "private", "nested"], but got "hidden"
"func.func"() <{function_type = () -> (), sym_name = "f", sym_visibility = "hidden"}> ({
  "func.return"() : () -> ()
}) : () -> ()
