module @control attributes {a.b = 1 : i32} {
  func.func private @declared(tensor<2xf32>, tensor<i32> {x.y = true}) -> (tensor<2xf32> {jax.result_info = "r"})
  func.func private @no_result(tensor<2xf32>)
  func.func private @one(tensor<2xf32>) -> tensor<2xf32>
  func.func @loops(%arg0: tensor<2xf32>, %arg1: tensor<i32>) -> (tensor<i32>, tensor<2xf32>) attributes {tag = "t"} {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_1 = %arg0) : tensor<i32>, tensor<2xf32> attributes {note = "outer"}
    cond {
      %1 = stablehlo.compare LT, %iterArg, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %1:2 = stablehlo.while(%iterArg_3 = %iterArg, %iterArg_4 = %iterArg_1) : tensor<i32>, tensor<2xf32>
      cond {
        %c_5 = stablehlo.constant dense<9> : tensor<i32>
        %2 = stablehlo.compare LT, %iterArg_3, %c_5 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %2 : tensor<i1>
      } do {
        %2 = stablehlo.add %iterArg_3, %c_2 : tensor<i32>
        %3 = func.call @one(%iterArg_4) : (tensor<2xf32>) -> tensor<2xf32>
        stablehlo.return %2, %3 : tensor<i32>, tensor<2xf32>
      }
      stablehlo.return %1#0, %1#1 : tensor<i32>, tensor<2xf32>
    }
    %cst = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
    return %0#0, %0#1 : tensor<i32>, tensor<2xf32>
  }
  func.func private @callee(%arg0: tensor<2xf32>, %arg1: tensor<i32>, %arg2: tensor<i1>) -> tensor<2xf32> {
    %0 = "stablehlo.case"(%arg1) ({
      %4 = stablehlo.negate %arg0 : tensor<2xf32>
      stablehlo.return %4 : tensor<2xf32>
    }, {
      %4 = stablehlo.abs %arg0 : tensor<2xf32>
      stablehlo.return %4 : tensor<2xf32>
    }) : (tensor<i32>) -> tensor<2xf32>
    %1 = "stablehlo.if"(%arg2) ({
      stablehlo.return %0 : tensor<2xf32>
    }, {
      %cst = stablehlo.constant dense<5.000000e+00> : tensor<2xf32>
      stablehlo.return %cst : tensor<2xf32>
    }) : (tensor<i1>) -> tensor<2xf32>
    %2 = stablehlo.optimization_barrier {z} %1 : tensor<2xf32>
    %3:2 = stablehlo.optimization_barrier %2, %0 : tensor<2xf32>, tensor<2xf32>
    stablehlo.optimization_barrier()
    return %3#1 : tensor<2xf32>
  }
  func.func @tuples(%arg0: tensor<2xf32>, %arg1: tensor<i32>, %arg2: !stablehlo.token) -> tuple<tensor<2xf32>, tuple<tensor<i32>>> {
    %0 = stablehlo.tuple %arg1 : tuple<tensor<i32>>
    %1 = stablehlo.tuple %arg0, %0 : tuple<tensor<2xf32>, tuple<tensor<i32>>>
    %2 = stablehlo.get_tuple_element %1[1] : (tuple<tensor<2xf32>, tuple<tensor<i32>>>) -> tuple<tensor<i32>>
    %3 = stablehlo.create_token : !stablehlo.token
    %4 = stablehlo.after_all %3, %arg2 : !stablehlo.token
    %5 = stablehlo.after_all  : !stablehlo.token
    return %1 : tuple<tensor<2xf32>, tuple<tensor<i32>>>
  }
  func.func @calls(%arg0: tensor<2xf32>, %arg1: !stablehlo.token) -> tensor<2xf32> {
    %0 = call @one(%arg0) {mhlo.frontend_attributes = {x = "1"}} : (tensor<2xf32>) -> tensor<2xf32>
    call @no_result(%arg0) : (tensor<2xf32>) -> ()
    %1 = stablehlo.custom_call @foo(%0) : (tensor<2xf32>) -> tensor<2xf32>
    %2:2 = stablehlo.custom_call @"odd.name!"(%0, %1) {api_version = 2 : i32, backend_config = "cfg\0A\22", called_computations = [@callee], has_side_effect = true, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>]} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    %3 = stablehlo.custom_call @bar() {api_version = 4 : i32, backend_config = {k = 1 : i64}} : () -> tensor<2xf32>
    %4 = stablehlo.composite "dialect.op" %0, %1 {composite_attributes = {n = 1 : i64}, decomposition = @decomposed, version = 1 : i32} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %5:2 = "stablehlo.infeed"(%arg1) <{infeed_config = "foobar", layout = [[0]]}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
    %6 = "stablehlo.outfeed"(%arg0, %5#1) <{outfeed_config = ""}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    %7 = "stablehlo.send"(%arg0, %6) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    %8:2 = "stablehlo.recv"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
    return %4 : tensor<2xf32>
  }
  func.func private @decomposed(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    return %arg0 : tensor<2xf32>
  }
}
