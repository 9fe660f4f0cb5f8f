module {
  func.func @words(%arg0: tensor<2xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2xi32>, tensor<2xcomplex<f64>>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<2xf32>
    %c_1 = stablehlo.constant dense<7> : tensor<2xui8>
    %cst_2 = stablehlo.constant dense<(1.000000e+00,-2.500000e+00)> : tensor<2xcomplex<f64>>
    %values, %indices = chlo.top_k(%arg1, k = 1) : tensor<2x3xf32> -> (tensor<2x1xf32>, tensor<2x1xi32>)
    %values_3, %indices_4 = chlo.top_k(%arg1, k = 1) : tensor<2x3xf32> -> (tensor<2x1xf32>, tensor<2x1xi32>)
    %0 = stablehlo.reshape %indices_4 : (tensor<2x1xi32>) -> tensor<2xi32>
    return %0, %cst_2 : tensor<2xi32>, tensor<2xcomplex<f64>>
  }
  func.func @neighbours(%arg0: tensor<f32>, %arg1: tensor<i32>, %arg2: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %arg2, %arg2 : tensor<2xf32>
    %1 = "stablehlo.case"(%arg1) ({
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
      %3 = stablehlo.add %0, %cst : tensor<2xf32>
      stablehlo.return %3 : tensor<2xf32>
    }, {
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<2xf32>
      %3 = stablehlo.add %0, %cst : tensor<2xf32>
      %4:2 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %3) : tensor<i32>, tensor<2xf32>
      cond {
        %5 = stablehlo.compare EQ, %iterArg, %iterArg : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %5 : tensor<i1>
      } do {
        %5 = stablehlo.reduce(%iterArg_0 init: %arg0) across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
         reducer(%arg3: tensor<f32>, %arg4: tensor<f32>)  {
          %6 = stablehlo.subtract %arg3, %arg4 : tensor<f32>
          stablehlo.return %6 : tensor<f32>
        }
        stablehlo.return %iterArg, %iterArg_0 : tensor<i32>, tensor<2xf32>
      }
      stablehlo.return %4#1 : tensor<2xf32>
    }) : (tensor<i32>) -> tensor<2xf32>
    %2 = stablehlo.add %1, %0 : tensor<2xf32>
    return %2 : tensor<2xf32>
  }
}
