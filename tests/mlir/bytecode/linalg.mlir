module {
  func.func @linalg(%arg0: tensor<4x4xf32>, %arg1: tensor<4x2xf32>, %arg2: tensor<8xcomplex<f32>>, %arg3: tensor<8xf32>, %arg4: tensor<2xui64>, %arg5: tensor<f32>, %arg6: tensor<2xi64>) -> tensor<2xui64> {
    %0 = stablehlo.cholesky %arg0 : tensor<4x4xf32>
    %1 = stablehlo.cholesky %arg0, lower = true : tensor<4x4xf32>
    %2 = stablehlo.cholesky %arg0 {u} : tensor<4x4xf32>
    %3 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    %4 = stablehlo.fft %arg2, type = FFT, length = [8] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
    %5 = stablehlo.fft %arg3, type = RFFT, length = [8] {w = 1.500000e+00 : f64} : (tensor<8xf32>) -> tensor<5xcomplex<f32>>
    %6 = stablehlo.rng %arg5, %arg5, %arg6, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
    %output_state, %output = stablehlo.rng_bit_generator %arg4, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui32>)
    %output_state_0, %output_1 = stablehlo.rng_bit_generator %output_state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui32>)
    return %output_state_0 : tensor<2xui64>
  }
}
