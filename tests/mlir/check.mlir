module @check {
  func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<i64>) {
    check.expect_eq %arg0, %arg1 : tensor<2xf32>
    check.expect_eq %arg2, %arg2 {note} : tensor<i64>
    check.expect_eq_const %arg2, dense<7> : tensor<i64>
    check.expect_almost_eq %arg0, %arg1 : tensor<2xf32>
    check.expect_almost_eq %arg0, %arg1, tolerance = 1.000000e-01 : tensor<2xf32>
    check.expect_almost_eq_const %arg0, dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
    check.expect_almost_eq_const %arg0, dense<1.000000e+00> : tensor<2xf32>, tolerance = 5.000000e-01
    check.expect_close %arg0, %arg1, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>
    check.expect_close %arg0, %arg1, max_ulp_difference = 18446744073709551615, min_ulp_difference = 2 : {note} tensor<2xf32>, tensor<2xf32>
    return
  }
}
