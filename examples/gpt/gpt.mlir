// Made by make_gpt.py.
module @gpt attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=1]> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 1 : i64}]}}
  func.func public @main(%embed: tensor<96x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>, tf.aliasing_output = 1 : i32}, %embed_m: tensor<96x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>, tf.aliasing_output = 2 : i32}, %embed_v: tensor<96x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>, tf.aliasing_output = 3 : i32}, %l0_down: tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>, tf.aliasing_output = 4 : i32}, %l0_down_m: tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>, tf.aliasing_output = 5 : i32}, %l0_down_v: tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>, tf.aliasing_output = 6 : i32}, %l0_norm1: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>, tf.aliasing_output = 7 : i32}, %l0_norm1_m: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>, tf.aliasing_output = 8 : i32}, %l0_norm1_v: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>, tf.aliasing_output = 9 : i32}, %l0_norm2: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>, tf.aliasing_output = 10 : i32}, %l0_norm2_m: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>, tf.aliasing_output = 11 : i32}, %l0_norm2_v: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>, tf.aliasing_output = 12 : i32}, %l0_out: tensor<4x16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>, tf.aliasing_output = 13 : i32}, %l0_out_m: tensor<4x16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>, tf.aliasing_output = 14 : i32}, %l0_out_v: tensor<4x16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>, tf.aliasing_output = 15 : i32}, %l0_qkv: tensor<64x3x4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>, tf.aliasing_output = 16 : i32}, %l0_qkv_m: tensor<64x3x4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>, tf.aliasing_output = 17 : i32}, %l0_qkv_v: tensor<64x3x4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>, tf.aliasing_output = 18 : i32}, %l0_up: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>, tf.aliasing_output = 19 : i32}, %l0_up_m: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>, tf.aliasing_output = 20 : i32}, %l0_up_v: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>, tf.aliasing_output = 21 : i32}, %l1_down: tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>, tf.aliasing_output = 22 : i32}, %l1_down_m: tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>, tf.aliasing_output = 23 : i32}, %l1_down_v: tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>, tf.aliasing_output = 24 : i32}, %l1_norm1: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>, tf.aliasing_output = 25 : i32}, %l1_norm1_m: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>, tf.aliasing_output = 26 : i32}, %l1_norm1_v: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>, tf.aliasing_output = 27 : i32}, %l1_norm2: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>, tf.aliasing_output = 28 : i32}, %l1_norm2_m: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>, tf.aliasing_output = 29 : i32}, %l1_norm2_v: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>, tf.aliasing_output = 30 : i32}, %l1_out: tensor<4x16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>, tf.aliasing_output = 31 : i32}, %l1_out_m: tensor<4x16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>, tf.aliasing_output = 32 : i32}, %l1_out_v: tensor<4x16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>, tf.aliasing_output = 33 : i32}, %l1_qkv: tensor<64x3x4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>, tf.aliasing_output = 34 : i32}, %l1_qkv_m: tensor<64x3x4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>, tf.aliasing_output = 35 : i32}, %l1_qkv_v: tensor<64x3x4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>, tf.aliasing_output = 36 : i32}, %l1_up: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>, tf.aliasing_output = 37 : i32}, %l1_up_m: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>, tf.aliasing_output = 38 : i32}, %l1_up_v: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>, tf.aliasing_output = 39 : i32}, %norm: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>, tf.aliasing_output = 40 : i32}, %norm_m: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>, tf.aliasing_output = 41 : i32}, %norm_v: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>, tf.aliasing_output = 42 : i32}, %position: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>, tf.aliasing_output = 43 : i32}, %position_m: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>, tf.aliasing_output = 44 : i32}, %position_v: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>, tf.aliasing_output = 45 : i32}, %step: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>, tf.aliasing_output = 46 : i32}, %x: tensor<16x32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %y: tensor<16x32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> (tensor<f32> {jax.result_info = "loss"}, tensor<96x64xf32> {jax.result_info = "embed", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<96x64xf32> {jax.result_info = "embed_m", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<96x64xf32> {jax.result_info = "embed_v", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<256x64xf32> {jax.result_info = "l0_down", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<256x64xf32> {jax.result_info = "l0_down_m", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<256x64xf32> {jax.result_info = "l0_down_v", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<64xf32> {jax.result_info = "l0_norm1", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<64xf32> {jax.result_info = "l0_norm1_m", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<64xf32> {jax.result_info = "l0_norm1_v", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<64xf32> {jax.result_info = "l0_norm2", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<64xf32> {jax.result_info = "l0_norm2_m", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<64xf32> {jax.result_info = "l0_norm2_v", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<4x16x64xf32> {jax.result_info = "l0_out", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, tensor<4x16x64xf32> {jax.result_info = "l0_out_m", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, tensor<4x16x64xf32> {jax.result_info = "l0_out_v", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, tensor<64x3x4x16xf32> {jax.result_info = "l0_qkv", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, tensor<64x3x4x16xf32> {jax.result_info = "l0_qkv_m", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, tensor<64x3x4x16xf32> {jax.result_info = "l0_qkv_v", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, tensor<64x256xf32> {jax.result_info = "l0_up", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<64x256xf32> {jax.result_info = "l0_up_m", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<64x256xf32> {jax.result_info = "l0_up_v", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<256x64xf32> {jax.result_info = "l1_down", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<256x64xf32> {jax.result_info = "l1_down_m", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<256x64xf32> {jax.result_info = "l1_down_v", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, tensor<64xf32> {jax.result_info = "l1_norm1", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<64xf32> {jax.result_info = "l1_norm1_m", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<64xf32> {jax.result_info = "l1_norm1_v", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<64xf32> {jax.result_info = "l1_norm2", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<64xf32> {jax.result_info = "l1_norm2_m", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<64xf32> {jax.result_info = "l1_norm2_v", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<4x16x64xf32> {jax.result_info = "l1_out", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, tensor<4x16x64xf32> {jax.result_info = "l1_out_m", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, tensor<4x16x64xf32> {jax.result_info = "l1_out_v", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, tensor<64x3x4x16xf32> {jax.result_info = "l1_qkv", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, tensor<64x3x4x16xf32> {jax.result_info = "l1_qkv_m", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, tensor<64x3x4x16xf32> {jax.result_info = "l1_qkv_v", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, tensor<64x256xf32> {jax.result_info = "l1_up", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<64x256xf32> {jax.result_info = "l1_up_m", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<64x256xf32> {jax.result_info = "l1_up_v", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<64xf32> {jax.result_info = "norm", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<64xf32> {jax.result_info = "norm_m", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<64xf32> {jax.result_info = "norm_v", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<32x64xf32> {jax.result_info = "position", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<32x64xf32> {jax.result_info = "position_m", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<32x64xf32> {jax.result_info = "position_v", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<f32> {jax.result_info = "step", sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<16x32xi32>
    %1 = stablehlo.compare LT, %x, %0, SIGNED : (tensor<16x32xi32>, tensor<16x32xi32>) -> tensor<16x32xi1>
    %c_0 = stablehlo.constant dense<96> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<16x32xi32>
    %3 = stablehlo.add %x, %2 : tensor<16x32xi32>
    %4 = stablehlo.select %1, %3, %x : tensor<16x32xi1>, tensor<16x32xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<16x32xi32>) -> tensor<16x32x1xi32>
    %6 = "stablehlo.gather"(%embed, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 64>}> : (tensor<96x64xf32>, tensor<16x32x1xi32>) -> tensor<16x32x64xf32>
    %7 = stablehlo.broadcast_in_dim %position, dims = [1, 2] : (tensor<32x64xf32>) -> tensor<1x32x64xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<1x32x64xf32>) -> tensor<16x32x64xf32>
    %9 = stablehlo.add %6, %8 : tensor<16x32x64xf32>
    %c_1 = stablehlo.constant dense<true> : tensor<i1>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<32x32xi1>
    %11 = call @tril(%10) : (tensor<32x32xi1>) -> tensor<32x32xi1>
    %12 = stablehlo.multiply %9, %9 : tensor<16x32x64xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<16x32x64xf32>, tensor<f32>) -> tensor<16x32xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<16x32xf32>) -> tensor<16x32x1xf32>
    %cst_2 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x32x1xf32>
    %16 = stablehlo.divide %14, %15 : tensor<16x32x1xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16x32x1xf32>
    %18 = stablehlo.add %16, %17 : tensor<16x32x1xf32>
    %19 = stablehlo.rsqrt %18 : tensor<16x32x1xf32>
    %20 = stablehlo.divide %19, %18 : tensor<16x32x1xf32>
    %cst_4 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16x32x1xf32>
    %22 = stablehlo.multiply %21, %20 : tensor<16x32x1xf32>
    %23 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<16x32x1xf32>) -> tensor<16x32x64xf32>
    %24 = stablehlo.multiply %9, %23 : tensor<16x32x64xf32>
    %25 = stablehlo.broadcast_in_dim %l0_norm1, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<16x32x64xf32>
    %27 = stablehlo.multiply %24, %26 : tensor<16x32x64xf32>
    %28 = stablehlo.dot_general %27, %l0_qkv, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32x64xf32>, tensor<64x3x4x16xf32>) -> tensor<16x32x3x4x16xf32>
    %29 = stablehlo.transpose %28, dims = [2, 0, 1, 3, 4] : (tensor<16x32x3x4x16xf32>) -> tensor<3x16x32x4x16xf32>
    %30 = stablehlo.slice %29 [0:1, 0:16, 0:32, 0:4, 0:16] : (tensor<3x16x32x4x16xf32>) -> tensor<1x16x32x4x16xf32>
    %31 = stablehlo.reshape %30 : (tensor<1x16x32x4x16xf32>) -> tensor<16x32x4x16xf32>
    %32 = stablehlo.slice %29 [1:2, 0:16, 0:32, 0:4, 0:16] : (tensor<3x16x32x4x16xf32>) -> tensor<1x16x32x4x16xf32>
    %33 = stablehlo.reshape %32 : (tensor<1x16x32x4x16xf32>) -> tensor<16x32x4x16xf32>
    %34 = stablehlo.slice %29 [2:3, 0:16, 0:32, 0:4, 0:16] : (tensor<3x16x32x4x16xf32>) -> tensor<1x16x32x4x16xf32>
    %35 = stablehlo.reshape %34 : (tensor<1x16x32x4x16xf32>) -> tensor<16x32x4x16xf32>
    %36 = stablehlo.dot_general %31, %33, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<16x32x4x16xf32>, tensor<16x32x4x16xf32>) -> tensor<16x4x32x32xf32>
    %cst_5 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16x4x32x32xf32>
    %38 = stablehlo.multiply %36, %37 : tensor<16x4x32x32xf32>
    %cst_6 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %39:2 = call @_where(%11, %38, %cst_6) : (tensor<32x32xi1>, tensor<16x4x32x32xf32>, tensor<f32>) -> (tensor<16x4x32x32xf32>, tensor<16x4x32x32xi1>)
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %40 = stablehlo.reduce(%39#0 init: %cst_7) applies stablehlo.maximum across dimensions = [3] : (tensor<16x4x32x32xf32>, tensor<f32>) -> tensor<16x4x32xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<16x4x32xf32>
    %42 = stablehlo.maximum %41, %40 : tensor<16x4x32xf32>
    %43 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2] : (tensor<16x4x32xf32>) -> tensor<16x4x32x1xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2, 3] : (tensor<16x4x32x1xf32>) -> tensor<16x4x32x32xf32>
    %45 = stablehlo.subtract %39#0, %44 : tensor<16x4x32x32xf32>
    %46 = stablehlo.exponential %45 : tensor<16x4x32x32xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.reduce(%46 init: %cst_9) applies stablehlo.add across dimensions = [3] : (tensor<16x4x32x32xf32>, tensor<f32>) -> tensor<16x4x32xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2] : (tensor<16x4x32xf32>) -> tensor<16x4x32x1xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2, 3] : (tensor<16x4x32x1xf32>) -> tensor<16x4x32x32xf32>
    %50 = stablehlo.divide %46, %49 : tensor<16x4x32x32xf32>
    %51 = stablehlo.multiply %48, %48 : tensor<16x4x32x1xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<16x4x32x1xf32>
    %53 = stablehlo.divide %52, %51 : tensor<16x4x32x1xf32>
    %54 = stablehlo.dot_general %35, %50, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<16x32x4x16xf32>, tensor<16x4x32x32xf32>) -> tensor<16x4x16x32xf32>
    %55 = stablehlo.dot_general %54, %l0_out, contracting_dims = [1, 2] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x4x16x32xf32>, tensor<4x16x64xf32>) -> tensor<16x32x64xf32>
    %56 = stablehlo.add %9, %55 : tensor<16x32x64xf32>
    %57 = stablehlo.multiply %56, %56 : tensor<16x32x64xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.reduce(%57 init: %cst_11) applies stablehlo.add across dimensions = [2] : (tensor<16x32x64xf32>, tensor<f32>) -> tensor<16x32xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1] : (tensor<16x32xf32>) -> tensor<16x32x1xf32>
    %cst_12 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<16x32x1xf32>
    %61 = stablehlo.divide %59, %60 : tensor<16x32x1xf32>
    %cst_13 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<16x32x1xf32>
    %63 = stablehlo.add %61, %62 : tensor<16x32x1xf32>
    %64 = stablehlo.rsqrt %63 : tensor<16x32x1xf32>
    %65 = stablehlo.divide %64, %63 : tensor<16x32x1xf32>
    %cst_14 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<16x32x1xf32>
    %67 = stablehlo.multiply %66, %65 : tensor<16x32x1xf32>
    %68 = stablehlo.broadcast_in_dim %64, dims = [0, 1, 2] : (tensor<16x32x1xf32>) -> tensor<16x32x64xf32>
    %69 = stablehlo.multiply %56, %68 : tensor<16x32x64xf32>
    %70 = stablehlo.broadcast_in_dim %l0_norm2, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %71 = stablehlo.broadcast_in_dim %70, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<16x32x64xf32>
    %72 = stablehlo.multiply %69, %71 : tensor<16x32x64xf32>
    %73 = stablehlo.dot_general %72, %l0_up, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32x64xf32>, tensor<64x256xf32>) -> tensor<16x32x256xf32>
    %74 = stablehlo.tanh %73 : tensor<16x32x256xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<16x32x256xf32>
    %76 = stablehlo.subtract %75, %74 : tensor<16x32x256xf32>
    %77 = stablehlo.dot_general %74, %l0_down, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32x256xf32>, tensor<256x64xf32>) -> tensor<16x32x64xf32>
    %78 = stablehlo.add %56, %77 : tensor<16x32x64xf32>
    %79 = stablehlo.multiply %78, %78 : tensor<16x32x64xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %80 = stablehlo.reduce(%79 init: %cst_16) applies stablehlo.add across dimensions = [2] : (tensor<16x32x64xf32>, tensor<f32>) -> tensor<16x32xf32>
    %81 = stablehlo.broadcast_in_dim %80, dims = [0, 1] : (tensor<16x32xf32>) -> tensor<16x32x1xf32>
    %cst_17 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<16x32x1xf32>
    %83 = stablehlo.divide %81, %82 : tensor<16x32x1xf32>
    %cst_18 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<16x32x1xf32>
    %85 = stablehlo.add %83, %84 : tensor<16x32x1xf32>
    %86 = stablehlo.rsqrt %85 : tensor<16x32x1xf32>
    %87 = stablehlo.divide %86, %85 : tensor<16x32x1xf32>
    %cst_19 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<16x32x1xf32>
    %89 = stablehlo.multiply %88, %87 : tensor<16x32x1xf32>
    %90 = stablehlo.broadcast_in_dim %86, dims = [0, 1, 2] : (tensor<16x32x1xf32>) -> tensor<16x32x64xf32>
    %91 = stablehlo.multiply %78, %90 : tensor<16x32x64xf32>
    %92 = stablehlo.broadcast_in_dim %l1_norm1, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %93 = stablehlo.broadcast_in_dim %92, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<16x32x64xf32>
    %94 = stablehlo.multiply %91, %93 : tensor<16x32x64xf32>
    %95 = stablehlo.dot_general %94, %l1_qkv, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32x64xf32>, tensor<64x3x4x16xf32>) -> tensor<16x32x3x4x16xf32>
    %96 = stablehlo.transpose %95, dims = [2, 0, 1, 3, 4] : (tensor<16x32x3x4x16xf32>) -> tensor<3x16x32x4x16xf32>
    %97 = stablehlo.slice %96 [0:1, 0:16, 0:32, 0:4, 0:16] : (tensor<3x16x32x4x16xf32>) -> tensor<1x16x32x4x16xf32>
    %98 = stablehlo.reshape %97 : (tensor<1x16x32x4x16xf32>) -> tensor<16x32x4x16xf32>
    %99 = stablehlo.slice %96 [1:2, 0:16, 0:32, 0:4, 0:16] : (tensor<3x16x32x4x16xf32>) -> tensor<1x16x32x4x16xf32>
    %100 = stablehlo.reshape %99 : (tensor<1x16x32x4x16xf32>) -> tensor<16x32x4x16xf32>
    %101 = stablehlo.slice %96 [2:3, 0:16, 0:32, 0:4, 0:16] : (tensor<3x16x32x4x16xf32>) -> tensor<1x16x32x4x16xf32>
    %102 = stablehlo.reshape %101 : (tensor<1x16x32x4x16xf32>) -> tensor<16x32x4x16xf32>
    %103 = stablehlo.dot_general %98, %100, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<16x32x4x16xf32>, tensor<16x32x4x16xf32>) -> tensor<16x4x32x32xf32>
    %cst_20 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<16x4x32x32xf32>
    %105 = stablehlo.multiply %103, %104 : tensor<16x4x32x32xf32>
    %cst_21 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %106:2 = call @_where(%11, %105, %cst_21) : (tensor<32x32xi1>, tensor<16x4x32x32xf32>, tensor<f32>) -> (tensor<16x4x32x32xf32>, tensor<16x4x32x32xi1>)
    %cst_22 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %107 = stablehlo.reduce(%106#0 init: %cst_22) applies stablehlo.maximum across dimensions = [3] : (tensor<16x4x32x32xf32>, tensor<f32>) -> tensor<16x4x32xf32>
    %cst_23 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %108 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<16x4x32xf32>
    %109 = stablehlo.maximum %108, %107 : tensor<16x4x32xf32>
    %110 = stablehlo.broadcast_in_dim %109, dims = [0, 1, 2] : (tensor<16x4x32xf32>) -> tensor<16x4x32x1xf32>
    %111 = stablehlo.broadcast_in_dim %110, dims = [0, 1, 2, 3] : (tensor<16x4x32x1xf32>) -> tensor<16x4x32x32xf32>
    %112 = stablehlo.subtract %106#0, %111 : tensor<16x4x32x32xf32>
    %113 = stablehlo.exponential %112 : tensor<16x4x32x32xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %114 = stablehlo.reduce(%113 init: %cst_24) applies stablehlo.add across dimensions = [3] : (tensor<16x4x32x32xf32>, tensor<f32>) -> tensor<16x4x32xf32>
    %115 = stablehlo.broadcast_in_dim %114, dims = [0, 1, 2] : (tensor<16x4x32xf32>) -> tensor<16x4x32x1xf32>
    %116 = stablehlo.broadcast_in_dim %115, dims = [0, 1, 2, 3] : (tensor<16x4x32x1xf32>) -> tensor<16x4x32x32xf32>
    %117 = stablehlo.divide %113, %116 : tensor<16x4x32x32xf32>
    %118 = stablehlo.multiply %115, %115 : tensor<16x4x32x1xf32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<16x4x32x1xf32>
    %120 = stablehlo.divide %119, %118 : tensor<16x4x32x1xf32>
    %121 = stablehlo.dot_general %102, %117, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<16x32x4x16xf32>, tensor<16x4x32x32xf32>) -> tensor<16x4x16x32xf32>
    %122 = stablehlo.dot_general %121, %l1_out, contracting_dims = [1, 2] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x4x16x32xf32>, tensor<4x16x64xf32>) -> tensor<16x32x64xf32>
    %123 = stablehlo.add %78, %122 : tensor<16x32x64xf32>
    %124 = stablehlo.multiply %123, %123 : tensor<16x32x64xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %125 = stablehlo.reduce(%124 init: %cst_26) applies stablehlo.add across dimensions = [2] : (tensor<16x32x64xf32>, tensor<f32>) -> tensor<16x32xf32>
    %126 = stablehlo.broadcast_in_dim %125, dims = [0, 1] : (tensor<16x32xf32>) -> tensor<16x32x1xf32>
    %cst_27 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %127 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<16x32x1xf32>
    %128 = stablehlo.divide %126, %127 : tensor<16x32x1xf32>
    %cst_28 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<16x32x1xf32>
    %130 = stablehlo.add %128, %129 : tensor<16x32x1xf32>
    %131 = stablehlo.rsqrt %130 : tensor<16x32x1xf32>
    %132 = stablehlo.divide %131, %130 : tensor<16x32x1xf32>
    %cst_29 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<16x32x1xf32>
    %134 = stablehlo.multiply %133, %132 : tensor<16x32x1xf32>
    %135 = stablehlo.broadcast_in_dim %131, dims = [0, 1, 2] : (tensor<16x32x1xf32>) -> tensor<16x32x64xf32>
    %136 = stablehlo.multiply %123, %135 : tensor<16x32x64xf32>
    %137 = stablehlo.broadcast_in_dim %l1_norm2, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %138 = stablehlo.broadcast_in_dim %137, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<16x32x64xf32>
    %139 = stablehlo.multiply %136, %138 : tensor<16x32x64xf32>
    %140 = stablehlo.dot_general %139, %l1_up, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32x64xf32>, tensor<64x256xf32>) -> tensor<16x32x256xf32>
    %141 = stablehlo.tanh %140 : tensor<16x32x256xf32>
    %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %142 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<16x32x256xf32>
    %143 = stablehlo.subtract %142, %141 : tensor<16x32x256xf32>
    %144 = stablehlo.dot_general %141, %l1_down, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32x256xf32>, tensor<256x64xf32>) -> tensor<16x32x64xf32>
    %145 = stablehlo.add %123, %144 : tensor<16x32x64xf32>
    %146 = stablehlo.multiply %145, %145 : tensor<16x32x64xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %147 = stablehlo.reduce(%146 init: %cst_31) applies stablehlo.add across dimensions = [2] : (tensor<16x32x64xf32>, tensor<f32>) -> tensor<16x32xf32>
    %148 = stablehlo.broadcast_in_dim %147, dims = [0, 1] : (tensor<16x32xf32>) -> tensor<16x32x1xf32>
    %cst_32 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %149 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<16x32x1xf32>
    %150 = stablehlo.divide %148, %149 : tensor<16x32x1xf32>
    %cst_33 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<16x32x1xf32>
    %152 = stablehlo.add %150, %151 : tensor<16x32x1xf32>
    %153 = stablehlo.rsqrt %152 : tensor<16x32x1xf32>
    %154 = stablehlo.divide %153, %152 : tensor<16x32x1xf32>
    %cst_34 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %155 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<16x32x1xf32>
    %156 = stablehlo.multiply %155, %154 : tensor<16x32x1xf32>
    %157 = stablehlo.broadcast_in_dim %153, dims = [0, 1, 2] : (tensor<16x32x1xf32>) -> tensor<16x32x64xf32>
    %158 = stablehlo.multiply %145, %157 : tensor<16x32x64xf32>
    %159 = stablehlo.broadcast_in_dim %norm, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %160 = stablehlo.broadcast_in_dim %159, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<16x32x64xf32>
    %161 = stablehlo.multiply %158, %160 : tensor<16x32x64xf32>
    %162 = stablehlo.transpose %embed, dims = [1, 0] : (tensor<96x64xf32>) -> tensor<64x96xf32>
    %163 = stablehlo.dot_general %161, %162, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32x64xf32>, tensor<64x96xf32>) -> tensor<16x32x96xf32>
    %164:3 = call @log_softmax(%163) : (tensor<16x32x96xf32>) -> (tensor<16x32x96xf32>, tensor<16x32x96xf32>, tensor<16x32x1xf32>)
    %165 = stablehlo.broadcast_in_dim %y, dims = [0, 1] : (tensor<16x32xi32>) -> tensor<16x32x1xi32>
    %166:2 = call @take_along_axis(%164#0, %165) : (tensor<16x32x96xf32>, tensor<16x32x1xi32>) -> (tensor<16x32x1xf32>, tensor<16x32x1x1xi32>)
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %167 = stablehlo.reduce(%166#0 init: %cst_35) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<16x32x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_36 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %168 = stablehlo.divide %167, %cst_36 : tensor<f32>
    %169 = stablehlo.negate %168 : tensor<f32>
    %cst_37 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %170 = stablehlo.negate %cst_37 : tensor<f32>
    %cst_38 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %171 = stablehlo.divide %170, %cst_38 : tensor<f32>
    %172 = stablehlo.broadcast_in_dim %171, dims = [] : (tensor<f32>) -> tensor<16x32x1xf32>
    %173 = call @take_along_axis_0(%166#1, %172) : (tensor<16x32x1x1xi32>, tensor<16x32x1xf32>) -> tensor<16x32x96xf32>
    %174 = call @log_softmax_1(%164#1, %164#2, %173) : (tensor<16x32x96xf32>, tensor<16x32x1xf32>, tensor<16x32x96xf32>) -> tensor<16x32x96xf32>
    %175 = stablehlo.dot_general %174, %161, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x32x96xf32>, tensor<16x32x64xf32>) -> tensor<96x64xf32>
    %176 = stablehlo.transpose %175, dims = [1, 0] : (tensor<96x64xf32>) -> tensor<64x96xf32>
    %177 = stablehlo.dot_general %174, %162, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x32x96xf32>, tensor<64x96xf32>) -> tensor<16x32x64xf32>
    %178 = stablehlo.transpose %176, dims = [1, 0] : (tensor<64x96xf32>) -> tensor<96x64xf32>
    %179 = stablehlo.multiply %158, %177 : tensor<16x32x64xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %180 = stablehlo.reduce(%179 init: %cst_39) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %181 = stablehlo.reshape %180 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %182 = stablehlo.broadcast_in_dim %159, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<16x32x64xf32>
    %183 = stablehlo.multiply %177, %182 : tensor<16x32x64xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %184 = stablehlo.reduce(%181 init: %cst_40) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %185 = stablehlo.multiply %145, %183 : tensor<16x32x64xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %186 = stablehlo.reduce(%185 init: %cst_41) applies stablehlo.add across dimensions = [2] : (tensor<16x32x64xf32>, tensor<f32>) -> tensor<16x32xf32>
    %187 = stablehlo.reshape %186 : (tensor<16x32xf32>) -> tensor<16x32x1xf32>
    %188 = stablehlo.broadcast_in_dim %153, dims = [0, 1, 2] : (tensor<16x32x1xf32>) -> tensor<16x32x64xf32>
    %189 = stablehlo.multiply %183, %188 : tensor<16x32x64xf32>
    %190 = stablehlo.multiply %187, %156 : tensor<16x32x1xf32>
    %cst_42 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %191 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<16x32x1xf32>
    %192 = stablehlo.divide %190, %191 : tensor<16x32x1xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %193 = stablehlo.reduce(%192 init: %cst_43) applies stablehlo.add across dimensions = [2] : (tensor<16x32x1xf32>, tensor<f32>) -> tensor<16x32xf32>
    %194 = stablehlo.broadcast_in_dim %193, dims = [0, 1] : (tensor<16x32xf32>) -> tensor<16x32x64xf32>
    %195 = stablehlo.multiply %145, %194 : tensor<16x32x64xf32>
    %196 = stablehlo.add %189, %195 : tensor<16x32x64xf32>
    %197 = stablehlo.multiply %194, %145 : tensor<16x32x64xf32>
    %198 = stablehlo.add %196, %197 : tensor<16x32x64xf32>
    %199 = stablehlo.dot_general %198, %141, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x32x64xf32>, tensor<16x32x256xf32>) -> tensor<64x256xf32>
    %200 = stablehlo.transpose %199, dims = [1, 0] : (tensor<64x256xf32>) -> tensor<256x64xf32>
    %201 = stablehlo.dot_general %198, %l1_down, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x32x64xf32>, tensor<256x64xf32>) -> tensor<16x32x256xf32>
    %202 = stablehlo.multiply %201, %143 : tensor<16x32x256xf32>
    %203 = stablehlo.multiply %202, %141 : tensor<16x32x256xf32>
    %204 = stablehlo.add %202, %203 : tensor<16x32x256xf32>
    %205 = stablehlo.dot_general %204, %139, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x32x256xf32>, tensor<16x32x64xf32>) -> tensor<256x64xf32>
    %206 = stablehlo.transpose %205, dims = [1, 0] : (tensor<256x64xf32>) -> tensor<64x256xf32>
    %207 = stablehlo.dot_general %204, %l1_up, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x32x256xf32>, tensor<64x256xf32>) -> tensor<16x32x64xf32>
    %208 = stablehlo.multiply %136, %207 : tensor<16x32x64xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %209 = stablehlo.reduce(%208 init: %cst_44) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %210 = stablehlo.reshape %209 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %211 = stablehlo.broadcast_in_dim %137, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<16x32x64xf32>
    %212 = stablehlo.multiply %207, %211 : tensor<16x32x64xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %213 = stablehlo.reduce(%210 init: %cst_45) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %214 = stablehlo.multiply %123, %212 : tensor<16x32x64xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %215 = stablehlo.reduce(%214 init: %cst_46) applies stablehlo.add across dimensions = [2] : (tensor<16x32x64xf32>, tensor<f32>) -> tensor<16x32xf32>
    %216 = stablehlo.reshape %215 : (tensor<16x32xf32>) -> tensor<16x32x1xf32>
    %217 = stablehlo.broadcast_in_dim %131, dims = [0, 1, 2] : (tensor<16x32x1xf32>) -> tensor<16x32x64xf32>
    %218 = stablehlo.multiply %212, %217 : tensor<16x32x64xf32>
    %219 = stablehlo.add %198, %218 : tensor<16x32x64xf32>
    %220 = stablehlo.multiply %216, %134 : tensor<16x32x1xf32>
    %cst_47 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %221 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<16x32x1xf32>
    %222 = stablehlo.divide %220, %221 : tensor<16x32x1xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %223 = stablehlo.reduce(%222 init: %cst_48) applies stablehlo.add across dimensions = [2] : (tensor<16x32x1xf32>, tensor<f32>) -> tensor<16x32xf32>
    %224 = stablehlo.broadcast_in_dim %223, dims = [0, 1] : (tensor<16x32xf32>) -> tensor<16x32x64xf32>
    %225 = stablehlo.multiply %123, %224 : tensor<16x32x64xf32>
    %226 = stablehlo.add %219, %225 : tensor<16x32x64xf32>
    %227 = stablehlo.multiply %224, %123 : tensor<16x32x64xf32>
    %228 = stablehlo.add %226, %227 : tensor<16x32x64xf32>
    %229 = stablehlo.dot_general %228, %121, contracting_dims = [0, 1] x [0, 3], precision = [DEFAULT, DEFAULT] : (tensor<16x32x64xf32>, tensor<16x4x16x32xf32>) -> tensor<64x4x16xf32>
    %230 = stablehlo.transpose %229, dims = [1, 2, 0] : (tensor<64x4x16xf32>) -> tensor<4x16x64xf32>
    %231 = stablehlo.dot_general %228, %l1_out, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x32x64xf32>, tensor<4x16x64xf32>) -> tensor<16x32x4x16xf32>
    %232 = stablehlo.transpose %231, dims = [0, 2, 3, 1] : (tensor<16x32x4x16xf32>) -> tensor<16x4x16x32xf32>
    %233 = stablehlo.dot_general %232, %102, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<16x4x16x32xf32>, tensor<16x32x4x16xf32>) -> tensor<16x4x32x32xf32>
    %234 = stablehlo.dot_general %232, %117, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x4x16x32xf32>, tensor<16x4x32x32xf32>) -> tensor<16x4x16x32xf32>
    %235 = stablehlo.transpose %234, dims = [0, 3, 1, 2] : (tensor<16x4x16x32xf32>) -> tensor<16x32x4x16xf32>
    %236 = stablehlo.broadcast_in_dim %120, dims = [0, 1, 2, 3] : (tensor<16x4x32x1xf32>) -> tensor<16x4x32x32xf32>
    %237 = stablehlo.multiply %233, %236 : tensor<16x4x32x32xf32>
    %238 = stablehlo.multiply %237, %113 : tensor<16x4x32x32xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %239 = stablehlo.reduce(%238 init: %cst_49) applies stablehlo.add across dimensions = [3] : (tensor<16x4x32x32xf32>, tensor<f32>) -> tensor<16x4x32xf32>
    %240 = stablehlo.reshape %239 : (tensor<16x4x32xf32>) -> tensor<16x4x32x1xf32>
    %241 = stablehlo.negate %240 : tensor<16x4x32x1xf32>
    %242 = stablehlo.broadcast_in_dim %115, dims = [0, 1, 2, 3] : (tensor<16x4x32x1xf32>) -> tensor<16x4x32x32xf32>
    %243 = stablehlo.divide %233, %242 : tensor<16x4x32x32xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %244 = stablehlo.reduce(%241 init: %cst_50) applies stablehlo.add across dimensions = [3] : (tensor<16x4x32x1xf32>, tensor<f32>) -> tensor<16x4x32xf32>
    %245 = stablehlo.broadcast_in_dim %244, dims = [0, 1, 2] : (tensor<16x4x32xf32>) -> tensor<16x4x32x32xf32>
    %246 = stablehlo.add %243, %245 : tensor<16x4x32x32xf32>
    %247 = stablehlo.multiply %246, %113 : tensor<16x4x32x32xf32>
    %248 = call @_where_2(%106#1, %247) : (tensor<16x4x32x32xi1>, tensor<16x4x32x32xf32>) -> tensor<16x4x32x32xf32>
    %cst_51 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %249 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<16x4x32x32xf32>
    %250 = stablehlo.multiply %248, %249 : tensor<16x4x32x32xf32>
    %251 = stablehlo.dot_general %250, %98, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x4x32x32xf32>, tensor<16x32x4x16xf32>) -> tensor<16x4x32x16xf32>
    %252 = stablehlo.transpose %251, dims = [0, 2, 1, 3] : (tensor<16x4x32x16xf32>) -> tensor<16x32x4x16xf32>
    %253 = stablehlo.dot_general %250, %100, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x4x32x32xf32>, tensor<16x32x4x16xf32>) -> tensor<16x4x32x16xf32>
    %254 = stablehlo.transpose %253, dims = [0, 2, 1, 3] : (tensor<16x4x32x16xf32>) -> tensor<16x32x4x16xf32>
    %255 = stablehlo.broadcast_in_dim %235, dims = [1, 2, 3, 4] : (tensor<16x32x4x16xf32>) -> tensor<1x16x32x4x16xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %256 = stablehlo.pad %255, %cst_52, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x16x32x4x16xf32>, tensor<f32>) -> tensor<3x16x32x4x16xf32>
    %257 = stablehlo.broadcast_in_dim %252, dims = [1, 2, 3, 4] : (tensor<16x32x4x16xf32>) -> tensor<1x16x32x4x16xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %258 = stablehlo.pad %257, %cst_53, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x16x32x4x16xf32>, tensor<f32>) -> tensor<3x16x32x4x16xf32>
    %259 = stablehlo.add %256, %258 : tensor<3x16x32x4x16xf32>
    %260 = stablehlo.broadcast_in_dim %254, dims = [1, 2, 3, 4] : (tensor<16x32x4x16xf32>) -> tensor<1x16x32x4x16xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %261 = stablehlo.pad %260, %cst_54, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x16x32x4x16xf32>, tensor<f32>) -> tensor<3x16x32x4x16xf32>
    %262 = stablehlo.add %259, %261 : tensor<3x16x32x4x16xf32>
    %263 = stablehlo.transpose %262, dims = [1, 2, 0, 3, 4] : (tensor<3x16x32x4x16xf32>) -> tensor<16x32x3x4x16xf32>
    %264 = stablehlo.dot_general %263, %94, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x32x3x4x16xf32>, tensor<16x32x64xf32>) -> tensor<3x4x16x64xf32>
    %265 = stablehlo.transpose %264, dims = [3, 0, 1, 2] : (tensor<3x4x16x64xf32>) -> tensor<64x3x4x16xf32>
    %266 = stablehlo.dot_general %263, %l1_qkv, contracting_dims = [2, 3, 4] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<16x32x3x4x16xf32>, tensor<64x3x4x16xf32>) -> tensor<16x32x64xf32>
    %267 = stablehlo.multiply %91, %266 : tensor<16x32x64xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %268 = stablehlo.reduce(%267 init: %cst_55) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %269 = stablehlo.reshape %268 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %270 = stablehlo.broadcast_in_dim %92, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<16x32x64xf32>
    %271 = stablehlo.multiply %266, %270 : tensor<16x32x64xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %272 = stablehlo.reduce(%269 init: %cst_56) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %273 = stablehlo.multiply %78, %271 : tensor<16x32x64xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %274 = stablehlo.reduce(%273 init: %cst_57) applies stablehlo.add across dimensions = [2] : (tensor<16x32x64xf32>, tensor<f32>) -> tensor<16x32xf32>
    %275 = stablehlo.reshape %274 : (tensor<16x32xf32>) -> tensor<16x32x1xf32>
    %276 = stablehlo.broadcast_in_dim %86, dims = [0, 1, 2] : (tensor<16x32x1xf32>) -> tensor<16x32x64xf32>
    %277 = stablehlo.multiply %271, %276 : tensor<16x32x64xf32>
    %278 = stablehlo.add %228, %277 : tensor<16x32x64xf32>
    %279 = stablehlo.multiply %275, %89 : tensor<16x32x1xf32>
    %cst_58 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %280 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<16x32x1xf32>
    %281 = stablehlo.divide %279, %280 : tensor<16x32x1xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %282 = stablehlo.reduce(%281 init: %cst_59) applies stablehlo.add across dimensions = [2] : (tensor<16x32x1xf32>, tensor<f32>) -> tensor<16x32xf32>
    %283 = stablehlo.broadcast_in_dim %282, dims = [0, 1] : (tensor<16x32xf32>) -> tensor<16x32x64xf32>
    %284 = stablehlo.multiply %78, %283 : tensor<16x32x64xf32>
    %285 = stablehlo.add %278, %284 : tensor<16x32x64xf32>
    %286 = stablehlo.multiply %283, %78 : tensor<16x32x64xf32>
    %287 = stablehlo.add %285, %286 : tensor<16x32x64xf32>
    %288 = stablehlo.dot_general %287, %74, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x32x64xf32>, tensor<16x32x256xf32>) -> tensor<64x256xf32>
    %289 = stablehlo.transpose %288, dims = [1, 0] : (tensor<64x256xf32>) -> tensor<256x64xf32>
    %290 = stablehlo.dot_general %287, %l0_down, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x32x64xf32>, tensor<256x64xf32>) -> tensor<16x32x256xf32>
    %291 = stablehlo.multiply %290, %76 : tensor<16x32x256xf32>
    %292 = stablehlo.multiply %291, %74 : tensor<16x32x256xf32>
    %293 = stablehlo.add %291, %292 : tensor<16x32x256xf32>
    %294 = stablehlo.dot_general %293, %72, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x32x256xf32>, tensor<16x32x64xf32>) -> tensor<256x64xf32>
    %295 = stablehlo.transpose %294, dims = [1, 0] : (tensor<256x64xf32>) -> tensor<64x256xf32>
    %296 = stablehlo.dot_general %293, %l0_up, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x32x256xf32>, tensor<64x256xf32>) -> tensor<16x32x64xf32>
    %297 = stablehlo.multiply %69, %296 : tensor<16x32x64xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %298 = stablehlo.reduce(%297 init: %cst_60) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %299 = stablehlo.reshape %298 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %300 = stablehlo.broadcast_in_dim %70, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<16x32x64xf32>
    %301 = stablehlo.multiply %296, %300 : tensor<16x32x64xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %302 = stablehlo.reduce(%299 init: %cst_61) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %303 = stablehlo.multiply %56, %301 : tensor<16x32x64xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %304 = stablehlo.reduce(%303 init: %cst_62) applies stablehlo.add across dimensions = [2] : (tensor<16x32x64xf32>, tensor<f32>) -> tensor<16x32xf32>
    %305 = stablehlo.reshape %304 : (tensor<16x32xf32>) -> tensor<16x32x1xf32>
    %306 = stablehlo.broadcast_in_dim %64, dims = [0, 1, 2] : (tensor<16x32x1xf32>) -> tensor<16x32x64xf32>
    %307 = stablehlo.multiply %301, %306 : tensor<16x32x64xf32>
    %308 = stablehlo.add %287, %307 : tensor<16x32x64xf32>
    %309 = stablehlo.multiply %305, %67 : tensor<16x32x1xf32>
    %cst_63 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %310 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<16x32x1xf32>
    %311 = stablehlo.divide %309, %310 : tensor<16x32x1xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %312 = stablehlo.reduce(%311 init: %cst_64) applies stablehlo.add across dimensions = [2] : (tensor<16x32x1xf32>, tensor<f32>) -> tensor<16x32xf32>
    %313 = stablehlo.broadcast_in_dim %312, dims = [0, 1] : (tensor<16x32xf32>) -> tensor<16x32x64xf32>
    %314 = stablehlo.multiply %56, %313 : tensor<16x32x64xf32>
    %315 = stablehlo.add %308, %314 : tensor<16x32x64xf32>
    %316 = stablehlo.multiply %313, %56 : tensor<16x32x64xf32>
    %317 = stablehlo.add %315, %316 : tensor<16x32x64xf32>
    %318 = stablehlo.dot_general %317, %54, contracting_dims = [0, 1] x [0, 3], precision = [DEFAULT, DEFAULT] : (tensor<16x32x64xf32>, tensor<16x4x16x32xf32>) -> tensor<64x4x16xf32>
    %319 = stablehlo.transpose %318, dims = [1, 2, 0] : (tensor<64x4x16xf32>) -> tensor<4x16x64xf32>
    %320 = stablehlo.dot_general %317, %l0_out, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x32x64xf32>, tensor<4x16x64xf32>) -> tensor<16x32x4x16xf32>
    %321 = stablehlo.transpose %320, dims = [0, 2, 3, 1] : (tensor<16x32x4x16xf32>) -> tensor<16x4x16x32xf32>
    %322 = stablehlo.dot_general %321, %35, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<16x4x16x32xf32>, tensor<16x32x4x16xf32>) -> tensor<16x4x32x32xf32>
    %323 = stablehlo.dot_general %321, %50, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x4x16x32xf32>, tensor<16x4x32x32xf32>) -> tensor<16x4x16x32xf32>
    %324 = stablehlo.transpose %323, dims = [0, 3, 1, 2] : (tensor<16x4x16x32xf32>) -> tensor<16x32x4x16xf32>
    %325 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2, 3] : (tensor<16x4x32x1xf32>) -> tensor<16x4x32x32xf32>
    %326 = stablehlo.multiply %322, %325 : tensor<16x4x32x32xf32>
    %327 = stablehlo.multiply %326, %46 : tensor<16x4x32x32xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %328 = stablehlo.reduce(%327 init: %cst_65) applies stablehlo.add across dimensions = [3] : (tensor<16x4x32x32xf32>, tensor<f32>) -> tensor<16x4x32xf32>
    %329 = stablehlo.reshape %328 : (tensor<16x4x32xf32>) -> tensor<16x4x32x1xf32>
    %330 = stablehlo.negate %329 : tensor<16x4x32x1xf32>
    %331 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2, 3] : (tensor<16x4x32x1xf32>) -> tensor<16x4x32x32xf32>
    %332 = stablehlo.divide %322, %331 : tensor<16x4x32x32xf32>
    %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %333 = stablehlo.reduce(%330 init: %cst_66) applies stablehlo.add across dimensions = [3] : (tensor<16x4x32x1xf32>, tensor<f32>) -> tensor<16x4x32xf32>
    %334 = stablehlo.broadcast_in_dim %333, dims = [0, 1, 2] : (tensor<16x4x32xf32>) -> tensor<16x4x32x32xf32>
    %335 = stablehlo.add %332, %334 : tensor<16x4x32x32xf32>
    %336 = stablehlo.multiply %335, %46 : tensor<16x4x32x32xf32>
    %337 = call @_where_2(%39#1, %336) : (tensor<16x4x32x32xi1>, tensor<16x4x32x32xf32>) -> tensor<16x4x32x32xf32>
    %cst_67 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %338 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<16x4x32x32xf32>
    %339 = stablehlo.multiply %337, %338 : tensor<16x4x32x32xf32>
    %340 = stablehlo.dot_general %339, %31, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x4x32x32xf32>, tensor<16x32x4x16xf32>) -> tensor<16x4x32x16xf32>
    %341 = stablehlo.transpose %340, dims = [0, 2, 1, 3] : (tensor<16x4x32x16xf32>) -> tensor<16x32x4x16xf32>
    %342 = stablehlo.dot_general %339, %33, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x4x32x32xf32>, tensor<16x32x4x16xf32>) -> tensor<16x4x32x16xf32>
    %343 = stablehlo.transpose %342, dims = [0, 2, 1, 3] : (tensor<16x4x32x16xf32>) -> tensor<16x32x4x16xf32>
    %344 = stablehlo.broadcast_in_dim %324, dims = [1, 2, 3, 4] : (tensor<16x32x4x16xf32>) -> tensor<1x16x32x4x16xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %345 = stablehlo.pad %344, %cst_68, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x16x32x4x16xf32>, tensor<f32>) -> tensor<3x16x32x4x16xf32>
    %346 = stablehlo.broadcast_in_dim %341, dims = [1, 2, 3, 4] : (tensor<16x32x4x16xf32>) -> tensor<1x16x32x4x16xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %347 = stablehlo.pad %346, %cst_69, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x16x32x4x16xf32>, tensor<f32>) -> tensor<3x16x32x4x16xf32>
    %348 = stablehlo.add %345, %347 : tensor<3x16x32x4x16xf32>
    %349 = stablehlo.broadcast_in_dim %343, dims = [1, 2, 3, 4] : (tensor<16x32x4x16xf32>) -> tensor<1x16x32x4x16xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %350 = stablehlo.pad %349, %cst_70, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x16x32x4x16xf32>, tensor<f32>) -> tensor<3x16x32x4x16xf32>
    %351 = stablehlo.add %348, %350 : tensor<3x16x32x4x16xf32>
    %352 = stablehlo.transpose %351, dims = [1, 2, 0, 3, 4] : (tensor<3x16x32x4x16xf32>) -> tensor<16x32x3x4x16xf32>
    %353 = stablehlo.dot_general %352, %27, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<16x32x3x4x16xf32>, tensor<16x32x64xf32>) -> tensor<3x4x16x64xf32>
    %354 = stablehlo.transpose %353, dims = [3, 0, 1, 2] : (tensor<3x4x16x64xf32>) -> tensor<64x3x4x16xf32>
    %355 = stablehlo.dot_general %352, %l0_qkv, contracting_dims = [2, 3, 4] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<16x32x3x4x16xf32>, tensor<64x3x4x16xf32>) -> tensor<16x32x64xf32>
    %356 = stablehlo.multiply %24, %355 : tensor<16x32x64xf32>
    %cst_71 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %357 = stablehlo.reduce(%356 init: %cst_71) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %358 = stablehlo.reshape %357 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %359 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<16x32x64xf32>
    %360 = stablehlo.multiply %355, %359 : tensor<16x32x64xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %361 = stablehlo.reduce(%358 init: %cst_72) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %362 = stablehlo.multiply %9, %360 : tensor<16x32x64xf32>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %363 = stablehlo.reduce(%362 init: %cst_73) applies stablehlo.add across dimensions = [2] : (tensor<16x32x64xf32>, tensor<f32>) -> tensor<16x32xf32>
    %364 = stablehlo.reshape %363 : (tensor<16x32xf32>) -> tensor<16x32x1xf32>
    %365 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<16x32x1xf32>) -> tensor<16x32x64xf32>
    %366 = stablehlo.multiply %360, %365 : tensor<16x32x64xf32>
    %367 = stablehlo.add %317, %366 : tensor<16x32x64xf32>
    %368 = stablehlo.multiply %364, %22 : tensor<16x32x1xf32>
    %cst_74 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %369 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<16x32x1xf32>
    %370 = stablehlo.divide %368, %369 : tensor<16x32x1xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %371 = stablehlo.reduce(%370 init: %cst_75) applies stablehlo.add across dimensions = [2] : (tensor<16x32x1xf32>, tensor<f32>) -> tensor<16x32xf32>
    %372 = stablehlo.broadcast_in_dim %371, dims = [0, 1] : (tensor<16x32xf32>) -> tensor<16x32x64xf32>
    %373 = stablehlo.multiply %9, %372 : tensor<16x32x64xf32>
    %374 = stablehlo.add %367, %373 : tensor<16x32x64xf32>
    %375 = stablehlo.multiply %372, %9 : tensor<16x32x64xf32>
    %376 = stablehlo.add %374, %375 : tensor<16x32x64xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %377 = stablehlo.reduce(%376 init: %cst_76) applies stablehlo.add across dimensions = [0] : (tensor<16x32x64xf32>, tensor<f32>) -> tensor<32x64xf32>
    %378 = stablehlo.reshape %377 : (tensor<32x64xf32>) -> tensor<1x32x64xf32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %379 = stablehlo.reduce(%378 init: %cst_77) applies stablehlo.add across dimensions = [0] : (tensor<1x32x64xf32>, tensor<f32>) -> tensor<32x64xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %380 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<96x64xf32>
    %381 = "stablehlo.scatter"(%380, %5, %376) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg48: tensor<f32>, %arg49: tensor<f32>):
      %774 = stablehlo.add %arg48, %arg49 : tensor<f32>
      stablehlo.return %774 : tensor<f32>
    }) : (tensor<96x64xf32>, tensor<16x32x1xi32>, tensor<16x32x64xf32>) -> tensor<96x64xf32>
    %382 = stablehlo.add %178, %381 : tensor<96x64xf32>
    %cst_79 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %383 = stablehlo.add %step, %cst_79 : tensor<f32>
    %cst_80 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %384 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<96x64xf32>
    %385 = stablehlo.multiply %384, %embed_m : tensor<96x64xf32>
    %cst_81 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %386 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<96x64xf32>
    %387 = stablehlo.multiply %386, %382 : tensor<96x64xf32>
    %388 = stablehlo.add %385, %387 : tensor<96x64xf32>
    %cst_82 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %389 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<96x64xf32>
    %390 = stablehlo.multiply %389, %embed_v : tensor<96x64xf32>
    %cst_83 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %391 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<96x64xf32>
    %392 = stablehlo.multiply %391, %382 : tensor<96x64xf32>
    %393 = stablehlo.multiply %392, %382 : tensor<96x64xf32>
    %394 = stablehlo.add %390, %393 : tensor<96x64xf32>
    %cst_84 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %395 = stablehlo.power %cst_84, %383 : tensor<f32>
    %cst_85 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %396 = stablehlo.subtract %cst_85, %395 : tensor<f32>
    %397 = stablehlo.broadcast_in_dim %396, dims = [] : (tensor<f32>) -> tensor<96x64xf32>
    %398 = stablehlo.divide %388, %397 : tensor<96x64xf32>
    %cst_86 = stablehlo.constant dense<3.000000e-03> : tensor<f32>
    %399 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<96x64xf32>
    %400 = stablehlo.multiply %399, %398 : tensor<96x64xf32>
    %cst_87 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %401 = stablehlo.power %cst_87, %383 : tensor<f32>
    %cst_88 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %402 = stablehlo.subtract %cst_88, %401 : tensor<f32>
    %403 = stablehlo.broadcast_in_dim %402, dims = [] : (tensor<f32>) -> tensor<96x64xf32>
    %404 = stablehlo.divide %394, %403 : tensor<96x64xf32>
    %405 = stablehlo.sqrt %404 : tensor<96x64xf32>
    %cst_89 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %406 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<96x64xf32>
    %407 = stablehlo.add %405, %406 : tensor<96x64xf32>
    %408 = stablehlo.divide %400, %407 : tensor<96x64xf32>
    %409 = stablehlo.subtract %embed, %408 : tensor<96x64xf32>
    %cst_90 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %410 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %411 = stablehlo.multiply %410, %l0_down_m : tensor<256x64xf32>
    %cst_91 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %412 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %413 = stablehlo.multiply %412, %289 : tensor<256x64xf32>
    %414 = stablehlo.add %411, %413 : tensor<256x64xf32>
    %cst_92 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %415 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %416 = stablehlo.multiply %415, %l0_down_v : tensor<256x64xf32>
    %cst_93 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %417 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %418 = stablehlo.multiply %417, %289 : tensor<256x64xf32>
    %419 = stablehlo.multiply %418, %289 : tensor<256x64xf32>
    %420 = stablehlo.add %416, %419 : tensor<256x64xf32>
    %cst_94 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %421 = stablehlo.power %cst_94, %383 : tensor<f32>
    %cst_95 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %422 = stablehlo.subtract %cst_95, %421 : tensor<f32>
    %423 = stablehlo.broadcast_in_dim %422, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %424 = stablehlo.divide %414, %423 : tensor<256x64xf32>
    %cst_96 = stablehlo.constant dense<3.000000e-03> : tensor<f32>
    %425 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %426 = stablehlo.multiply %425, %424 : tensor<256x64xf32>
    %cst_97 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %427 = stablehlo.power %cst_97, %383 : tensor<f32>
    %cst_98 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %428 = stablehlo.subtract %cst_98, %427 : tensor<f32>
    %429 = stablehlo.broadcast_in_dim %428, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %430 = stablehlo.divide %420, %429 : tensor<256x64xf32>
    %431 = stablehlo.sqrt %430 : tensor<256x64xf32>
    %cst_99 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %432 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %433 = stablehlo.add %431, %432 : tensor<256x64xf32>
    %434 = stablehlo.divide %426, %433 : tensor<256x64xf32>
    %435 = stablehlo.subtract %l0_down, %434 : tensor<256x64xf32>
    %cst_100 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %436 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %437 = stablehlo.multiply %436, %l0_norm1_m : tensor<64xf32>
    %cst_101 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %438 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %439 = stablehlo.multiply %438, %361 : tensor<64xf32>
    %440 = stablehlo.add %437, %439 : tensor<64xf32>
    %cst_102 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %441 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %442 = stablehlo.multiply %441, %l0_norm1_v : tensor<64xf32>
    %cst_103 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %443 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %444 = stablehlo.multiply %443, %361 : tensor<64xf32>
    %445 = stablehlo.multiply %444, %361 : tensor<64xf32>
    %446 = stablehlo.add %442, %445 : tensor<64xf32>
    %cst_104 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %447 = stablehlo.power %cst_104, %383 : tensor<f32>
    %cst_105 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %448 = stablehlo.subtract %cst_105, %447 : tensor<f32>
    %449 = stablehlo.broadcast_in_dim %448, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %450 = stablehlo.divide %440, %449 : tensor<64xf32>
    %cst_106 = stablehlo.constant dense<3.000000e-03> : tensor<f32>
    %451 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %452 = stablehlo.multiply %451, %450 : tensor<64xf32>
    %cst_107 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %453 = stablehlo.power %cst_107, %383 : tensor<f32>
    %cst_108 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %454 = stablehlo.subtract %cst_108, %453 : tensor<f32>
    %455 = stablehlo.broadcast_in_dim %454, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %456 = stablehlo.divide %446, %455 : tensor<64xf32>
    %457 = stablehlo.sqrt %456 : tensor<64xf32>
    %cst_109 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %458 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %459 = stablehlo.add %457, %458 : tensor<64xf32>
    %460 = stablehlo.divide %452, %459 : tensor<64xf32>
    %461 = stablehlo.subtract %l0_norm1, %460 : tensor<64xf32>
    %cst_110 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %462 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %463 = stablehlo.multiply %462, %l0_norm2_m : tensor<64xf32>
    %cst_111 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %464 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %465 = stablehlo.multiply %464, %302 : tensor<64xf32>
    %466 = stablehlo.add %463, %465 : tensor<64xf32>
    %cst_112 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %467 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %468 = stablehlo.multiply %467, %l0_norm2_v : tensor<64xf32>
    %cst_113 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %469 = stablehlo.broadcast_in_dim %cst_113, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %470 = stablehlo.multiply %469, %302 : tensor<64xf32>
    %471 = stablehlo.multiply %470, %302 : tensor<64xf32>
    %472 = stablehlo.add %468, %471 : tensor<64xf32>
    %cst_114 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %473 = stablehlo.power %cst_114, %383 : tensor<f32>
    %cst_115 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %474 = stablehlo.subtract %cst_115, %473 : tensor<f32>
    %475 = stablehlo.broadcast_in_dim %474, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %476 = stablehlo.divide %466, %475 : tensor<64xf32>
    %cst_116 = stablehlo.constant dense<3.000000e-03> : tensor<f32>
    %477 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %478 = stablehlo.multiply %477, %476 : tensor<64xf32>
    %cst_117 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %479 = stablehlo.power %cst_117, %383 : tensor<f32>
    %cst_118 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %480 = stablehlo.subtract %cst_118, %479 : tensor<f32>
    %481 = stablehlo.broadcast_in_dim %480, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %482 = stablehlo.divide %472, %481 : tensor<64xf32>
    %483 = stablehlo.sqrt %482 : tensor<64xf32>
    %cst_119 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %484 = stablehlo.broadcast_in_dim %cst_119, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %485 = stablehlo.add %483, %484 : tensor<64xf32>
    %486 = stablehlo.divide %478, %485 : tensor<64xf32>
    %487 = stablehlo.subtract %l0_norm2, %486 : tensor<64xf32>
    %cst_120 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %488 = stablehlo.broadcast_in_dim %cst_120, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %489 = stablehlo.multiply %488, %l0_out_m : tensor<4x16x64xf32>
    %cst_121 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %490 = stablehlo.broadcast_in_dim %cst_121, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %491 = stablehlo.multiply %490, %319 : tensor<4x16x64xf32>
    %492 = stablehlo.add %489, %491 : tensor<4x16x64xf32>
    %cst_122 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %493 = stablehlo.broadcast_in_dim %cst_122, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %494 = stablehlo.multiply %493, %l0_out_v : tensor<4x16x64xf32>
    %cst_123 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %495 = stablehlo.broadcast_in_dim %cst_123, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %496 = stablehlo.multiply %495, %319 : tensor<4x16x64xf32>
    %497 = stablehlo.multiply %496, %319 : tensor<4x16x64xf32>
    %498 = stablehlo.add %494, %497 : tensor<4x16x64xf32>
    %cst_124 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %499 = stablehlo.power %cst_124, %383 : tensor<f32>
    %cst_125 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %500 = stablehlo.subtract %cst_125, %499 : tensor<f32>
    %501 = stablehlo.broadcast_in_dim %500, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %502 = stablehlo.divide %492, %501 : tensor<4x16x64xf32>
    %cst_126 = stablehlo.constant dense<3.000000e-03> : tensor<f32>
    %503 = stablehlo.broadcast_in_dim %cst_126, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %504 = stablehlo.multiply %503, %502 : tensor<4x16x64xf32>
    %cst_127 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %505 = stablehlo.power %cst_127, %383 : tensor<f32>
    %cst_128 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %506 = stablehlo.subtract %cst_128, %505 : tensor<f32>
    %507 = stablehlo.broadcast_in_dim %506, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %508 = stablehlo.divide %498, %507 : tensor<4x16x64xf32>
    %509 = stablehlo.sqrt %508 : tensor<4x16x64xf32>
    %cst_129 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %510 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %511 = stablehlo.add %509, %510 : tensor<4x16x64xf32>
    %512 = stablehlo.divide %504, %511 : tensor<4x16x64xf32>
    %513 = stablehlo.subtract %l0_out, %512 : tensor<4x16x64xf32>
    %cst_130 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %514 = stablehlo.broadcast_in_dim %cst_130, dims = [] : (tensor<f32>) -> tensor<64x3x4x16xf32>
    %515 = stablehlo.multiply %514, %l0_qkv_m : tensor<64x3x4x16xf32>
    %cst_131 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %516 = stablehlo.broadcast_in_dim %cst_131, dims = [] : (tensor<f32>) -> tensor<64x3x4x16xf32>
    %517 = stablehlo.multiply %516, %354 : tensor<64x3x4x16xf32>
    %518 = stablehlo.add %515, %517 : tensor<64x3x4x16xf32>
    %cst_132 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %519 = stablehlo.broadcast_in_dim %cst_132, dims = [] : (tensor<f32>) -> tensor<64x3x4x16xf32>
    %520 = stablehlo.multiply %519, %l0_qkv_v : tensor<64x3x4x16xf32>
    %cst_133 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %521 = stablehlo.broadcast_in_dim %cst_133, dims = [] : (tensor<f32>) -> tensor<64x3x4x16xf32>
    %522 = stablehlo.multiply %521, %354 : tensor<64x3x4x16xf32>
    %523 = stablehlo.multiply %522, %354 : tensor<64x3x4x16xf32>
    %524 = stablehlo.add %520, %523 : tensor<64x3x4x16xf32>
    %cst_134 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %525 = stablehlo.power %cst_134, %383 : tensor<f32>
    %cst_135 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %526 = stablehlo.subtract %cst_135, %525 : tensor<f32>
    %527 = stablehlo.broadcast_in_dim %526, dims = [] : (tensor<f32>) -> tensor<64x3x4x16xf32>
    %528 = stablehlo.divide %518, %527 : tensor<64x3x4x16xf32>
    %cst_136 = stablehlo.constant dense<3.000000e-03> : tensor<f32>
    %529 = stablehlo.broadcast_in_dim %cst_136, dims = [] : (tensor<f32>) -> tensor<64x3x4x16xf32>
    %530 = stablehlo.multiply %529, %528 : tensor<64x3x4x16xf32>
    %cst_137 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %531 = stablehlo.power %cst_137, %383 : tensor<f32>
    %cst_138 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %532 = stablehlo.subtract %cst_138, %531 : tensor<f32>
    %533 = stablehlo.broadcast_in_dim %532, dims = [] : (tensor<f32>) -> tensor<64x3x4x16xf32>
    %534 = stablehlo.divide %524, %533 : tensor<64x3x4x16xf32>
    %535 = stablehlo.sqrt %534 : tensor<64x3x4x16xf32>
    %cst_139 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %536 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<64x3x4x16xf32>
    %537 = stablehlo.add %535, %536 : tensor<64x3x4x16xf32>
    %538 = stablehlo.divide %530, %537 : tensor<64x3x4x16xf32>
    %539 = stablehlo.subtract %l0_qkv, %538 : tensor<64x3x4x16xf32>
    %cst_140 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %540 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %541 = stablehlo.multiply %540, %l0_up_m : tensor<64x256xf32>
    %cst_141 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %542 = stablehlo.broadcast_in_dim %cst_141, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %543 = stablehlo.multiply %542, %295 : tensor<64x256xf32>
    %544 = stablehlo.add %541, %543 : tensor<64x256xf32>
    %cst_142 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %545 = stablehlo.broadcast_in_dim %cst_142, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %546 = stablehlo.multiply %545, %l0_up_v : tensor<64x256xf32>
    %cst_143 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %547 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %548 = stablehlo.multiply %547, %295 : tensor<64x256xf32>
    %549 = stablehlo.multiply %548, %295 : tensor<64x256xf32>
    %550 = stablehlo.add %546, %549 : tensor<64x256xf32>
    %cst_144 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %551 = stablehlo.power %cst_144, %383 : tensor<f32>
    %cst_145 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %552 = stablehlo.subtract %cst_145, %551 : tensor<f32>
    %553 = stablehlo.broadcast_in_dim %552, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %554 = stablehlo.divide %544, %553 : tensor<64x256xf32>
    %cst_146 = stablehlo.constant dense<3.000000e-03> : tensor<f32>
    %555 = stablehlo.broadcast_in_dim %cst_146, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %556 = stablehlo.multiply %555, %554 : tensor<64x256xf32>
    %cst_147 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %557 = stablehlo.power %cst_147, %383 : tensor<f32>
    %cst_148 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %558 = stablehlo.subtract %cst_148, %557 : tensor<f32>
    %559 = stablehlo.broadcast_in_dim %558, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %560 = stablehlo.divide %550, %559 : tensor<64x256xf32>
    %561 = stablehlo.sqrt %560 : tensor<64x256xf32>
    %cst_149 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %562 = stablehlo.broadcast_in_dim %cst_149, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %563 = stablehlo.add %561, %562 : tensor<64x256xf32>
    %564 = stablehlo.divide %556, %563 : tensor<64x256xf32>
    %565 = stablehlo.subtract %l0_up, %564 : tensor<64x256xf32>
    %cst_150 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %566 = stablehlo.broadcast_in_dim %cst_150, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %567 = stablehlo.multiply %566, %l1_down_m : tensor<256x64xf32>
    %cst_151 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %568 = stablehlo.broadcast_in_dim %cst_151, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %569 = stablehlo.multiply %568, %200 : tensor<256x64xf32>
    %570 = stablehlo.add %567, %569 : tensor<256x64xf32>
    %cst_152 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %571 = stablehlo.broadcast_in_dim %cst_152, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %572 = stablehlo.multiply %571, %l1_down_v : tensor<256x64xf32>
    %cst_153 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %573 = stablehlo.broadcast_in_dim %cst_153, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %574 = stablehlo.multiply %573, %200 : tensor<256x64xf32>
    %575 = stablehlo.multiply %574, %200 : tensor<256x64xf32>
    %576 = stablehlo.add %572, %575 : tensor<256x64xf32>
    %cst_154 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %577 = stablehlo.power %cst_154, %383 : tensor<f32>
    %cst_155 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %578 = stablehlo.subtract %cst_155, %577 : tensor<f32>
    %579 = stablehlo.broadcast_in_dim %578, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %580 = stablehlo.divide %570, %579 : tensor<256x64xf32>
    %cst_156 = stablehlo.constant dense<3.000000e-03> : tensor<f32>
    %581 = stablehlo.broadcast_in_dim %cst_156, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %582 = stablehlo.multiply %581, %580 : tensor<256x64xf32>
    %cst_157 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %583 = stablehlo.power %cst_157, %383 : tensor<f32>
    %cst_158 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %584 = stablehlo.subtract %cst_158, %583 : tensor<f32>
    %585 = stablehlo.broadcast_in_dim %584, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %586 = stablehlo.divide %576, %585 : tensor<256x64xf32>
    %587 = stablehlo.sqrt %586 : tensor<256x64xf32>
    %cst_159 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %588 = stablehlo.broadcast_in_dim %cst_159, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %589 = stablehlo.add %587, %588 : tensor<256x64xf32>
    %590 = stablehlo.divide %582, %589 : tensor<256x64xf32>
    %591 = stablehlo.subtract %l1_down, %590 : tensor<256x64xf32>
    %cst_160 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %592 = stablehlo.broadcast_in_dim %cst_160, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %593 = stablehlo.multiply %592, %l1_norm1_m : tensor<64xf32>
    %cst_161 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %594 = stablehlo.broadcast_in_dim %cst_161, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %595 = stablehlo.multiply %594, %272 : tensor<64xf32>
    %596 = stablehlo.add %593, %595 : tensor<64xf32>
    %cst_162 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %597 = stablehlo.broadcast_in_dim %cst_162, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %598 = stablehlo.multiply %597, %l1_norm1_v : tensor<64xf32>
    %cst_163 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %599 = stablehlo.broadcast_in_dim %cst_163, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %600 = stablehlo.multiply %599, %272 : tensor<64xf32>
    %601 = stablehlo.multiply %600, %272 : tensor<64xf32>
    %602 = stablehlo.add %598, %601 : tensor<64xf32>
    %cst_164 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %603 = stablehlo.power %cst_164, %383 : tensor<f32>
    %cst_165 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %604 = stablehlo.subtract %cst_165, %603 : tensor<f32>
    %605 = stablehlo.broadcast_in_dim %604, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %606 = stablehlo.divide %596, %605 : tensor<64xf32>
    %cst_166 = stablehlo.constant dense<3.000000e-03> : tensor<f32>
    %607 = stablehlo.broadcast_in_dim %cst_166, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %608 = stablehlo.multiply %607, %606 : tensor<64xf32>
    %cst_167 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %609 = stablehlo.power %cst_167, %383 : tensor<f32>
    %cst_168 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %610 = stablehlo.subtract %cst_168, %609 : tensor<f32>
    %611 = stablehlo.broadcast_in_dim %610, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %612 = stablehlo.divide %602, %611 : tensor<64xf32>
    %613 = stablehlo.sqrt %612 : tensor<64xf32>
    %cst_169 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %614 = stablehlo.broadcast_in_dim %cst_169, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %615 = stablehlo.add %613, %614 : tensor<64xf32>
    %616 = stablehlo.divide %608, %615 : tensor<64xf32>
    %617 = stablehlo.subtract %l1_norm1, %616 : tensor<64xf32>
    %cst_170 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %618 = stablehlo.broadcast_in_dim %cst_170, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %619 = stablehlo.multiply %618, %l1_norm2_m : tensor<64xf32>
    %cst_171 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %620 = stablehlo.broadcast_in_dim %cst_171, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %621 = stablehlo.multiply %620, %213 : tensor<64xf32>
    %622 = stablehlo.add %619, %621 : tensor<64xf32>
    %cst_172 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %623 = stablehlo.broadcast_in_dim %cst_172, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %624 = stablehlo.multiply %623, %l1_norm2_v : tensor<64xf32>
    %cst_173 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %625 = stablehlo.broadcast_in_dim %cst_173, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %626 = stablehlo.multiply %625, %213 : tensor<64xf32>
    %627 = stablehlo.multiply %626, %213 : tensor<64xf32>
    %628 = stablehlo.add %624, %627 : tensor<64xf32>
    %cst_174 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %629 = stablehlo.power %cst_174, %383 : tensor<f32>
    %cst_175 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %630 = stablehlo.subtract %cst_175, %629 : tensor<f32>
    %631 = stablehlo.broadcast_in_dim %630, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %632 = stablehlo.divide %622, %631 : tensor<64xf32>
    %cst_176 = stablehlo.constant dense<3.000000e-03> : tensor<f32>
    %633 = stablehlo.broadcast_in_dim %cst_176, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %634 = stablehlo.multiply %633, %632 : tensor<64xf32>
    %cst_177 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %635 = stablehlo.power %cst_177, %383 : tensor<f32>
    %cst_178 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %636 = stablehlo.subtract %cst_178, %635 : tensor<f32>
    %637 = stablehlo.broadcast_in_dim %636, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %638 = stablehlo.divide %628, %637 : tensor<64xf32>
    %639 = stablehlo.sqrt %638 : tensor<64xf32>
    %cst_179 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %640 = stablehlo.broadcast_in_dim %cst_179, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %641 = stablehlo.add %639, %640 : tensor<64xf32>
    %642 = stablehlo.divide %634, %641 : tensor<64xf32>
    %643 = stablehlo.subtract %l1_norm2, %642 : tensor<64xf32>
    %cst_180 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %644 = stablehlo.broadcast_in_dim %cst_180, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %645 = stablehlo.multiply %644, %l1_out_m : tensor<4x16x64xf32>
    %cst_181 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %646 = stablehlo.broadcast_in_dim %cst_181, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %647 = stablehlo.multiply %646, %230 : tensor<4x16x64xf32>
    %648 = stablehlo.add %645, %647 : tensor<4x16x64xf32>
    %cst_182 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %649 = stablehlo.broadcast_in_dim %cst_182, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %650 = stablehlo.multiply %649, %l1_out_v : tensor<4x16x64xf32>
    %cst_183 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %651 = stablehlo.broadcast_in_dim %cst_183, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %652 = stablehlo.multiply %651, %230 : tensor<4x16x64xf32>
    %653 = stablehlo.multiply %652, %230 : tensor<4x16x64xf32>
    %654 = stablehlo.add %650, %653 : tensor<4x16x64xf32>
    %cst_184 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %655 = stablehlo.power %cst_184, %383 : tensor<f32>
    %cst_185 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %656 = stablehlo.subtract %cst_185, %655 : tensor<f32>
    %657 = stablehlo.broadcast_in_dim %656, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %658 = stablehlo.divide %648, %657 : tensor<4x16x64xf32>
    %cst_186 = stablehlo.constant dense<3.000000e-03> : tensor<f32>
    %659 = stablehlo.broadcast_in_dim %cst_186, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %660 = stablehlo.multiply %659, %658 : tensor<4x16x64xf32>
    %cst_187 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %661 = stablehlo.power %cst_187, %383 : tensor<f32>
    %cst_188 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %662 = stablehlo.subtract %cst_188, %661 : tensor<f32>
    %663 = stablehlo.broadcast_in_dim %662, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %664 = stablehlo.divide %654, %663 : tensor<4x16x64xf32>
    %665 = stablehlo.sqrt %664 : tensor<4x16x64xf32>
    %cst_189 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %666 = stablehlo.broadcast_in_dim %cst_189, dims = [] : (tensor<f32>) -> tensor<4x16x64xf32>
    %667 = stablehlo.add %665, %666 : tensor<4x16x64xf32>
    %668 = stablehlo.divide %660, %667 : tensor<4x16x64xf32>
    %669 = stablehlo.subtract %l1_out, %668 : tensor<4x16x64xf32>
    %cst_190 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %670 = stablehlo.broadcast_in_dim %cst_190, dims = [] : (tensor<f32>) -> tensor<64x3x4x16xf32>
    %671 = stablehlo.multiply %670, %l1_qkv_m : tensor<64x3x4x16xf32>
    %cst_191 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %672 = stablehlo.broadcast_in_dim %cst_191, dims = [] : (tensor<f32>) -> tensor<64x3x4x16xf32>
    %673 = stablehlo.multiply %672, %265 : tensor<64x3x4x16xf32>
    %674 = stablehlo.add %671, %673 : tensor<64x3x4x16xf32>
    %cst_192 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %675 = stablehlo.broadcast_in_dim %cst_192, dims = [] : (tensor<f32>) -> tensor<64x3x4x16xf32>
    %676 = stablehlo.multiply %675, %l1_qkv_v : tensor<64x3x4x16xf32>
    %cst_193 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %677 = stablehlo.broadcast_in_dim %cst_193, dims = [] : (tensor<f32>) -> tensor<64x3x4x16xf32>
    %678 = stablehlo.multiply %677, %265 : tensor<64x3x4x16xf32>
    %679 = stablehlo.multiply %678, %265 : tensor<64x3x4x16xf32>
    %680 = stablehlo.add %676, %679 : tensor<64x3x4x16xf32>
    %cst_194 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %681 = stablehlo.power %cst_194, %383 : tensor<f32>
    %cst_195 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %682 = stablehlo.subtract %cst_195, %681 : tensor<f32>
    %683 = stablehlo.broadcast_in_dim %682, dims = [] : (tensor<f32>) -> tensor<64x3x4x16xf32>
    %684 = stablehlo.divide %674, %683 : tensor<64x3x4x16xf32>
    %cst_196 = stablehlo.constant dense<3.000000e-03> : tensor<f32>
    %685 = stablehlo.broadcast_in_dim %cst_196, dims = [] : (tensor<f32>) -> tensor<64x3x4x16xf32>
    %686 = stablehlo.multiply %685, %684 : tensor<64x3x4x16xf32>
    %cst_197 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %687 = stablehlo.power %cst_197, %383 : tensor<f32>
    %cst_198 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %688 = stablehlo.subtract %cst_198, %687 : tensor<f32>
    %689 = stablehlo.broadcast_in_dim %688, dims = [] : (tensor<f32>) -> tensor<64x3x4x16xf32>
    %690 = stablehlo.divide %680, %689 : tensor<64x3x4x16xf32>
    %691 = stablehlo.sqrt %690 : tensor<64x3x4x16xf32>
    %cst_199 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %692 = stablehlo.broadcast_in_dim %cst_199, dims = [] : (tensor<f32>) -> tensor<64x3x4x16xf32>
    %693 = stablehlo.add %691, %692 : tensor<64x3x4x16xf32>
    %694 = stablehlo.divide %686, %693 : tensor<64x3x4x16xf32>
    %695 = stablehlo.subtract %l1_qkv, %694 : tensor<64x3x4x16xf32>
    %cst_200 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %696 = stablehlo.broadcast_in_dim %cst_200, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %697 = stablehlo.multiply %696, %l1_up_m : tensor<64x256xf32>
    %cst_201 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %698 = stablehlo.broadcast_in_dim %cst_201, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %699 = stablehlo.multiply %698, %206 : tensor<64x256xf32>
    %700 = stablehlo.add %697, %699 : tensor<64x256xf32>
    %cst_202 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %701 = stablehlo.broadcast_in_dim %cst_202, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %702 = stablehlo.multiply %701, %l1_up_v : tensor<64x256xf32>
    %cst_203 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %703 = stablehlo.broadcast_in_dim %cst_203, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %704 = stablehlo.multiply %703, %206 : tensor<64x256xf32>
    %705 = stablehlo.multiply %704, %206 : tensor<64x256xf32>
    %706 = stablehlo.add %702, %705 : tensor<64x256xf32>
    %cst_204 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %707 = stablehlo.power %cst_204, %383 : tensor<f32>
    %cst_205 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %708 = stablehlo.subtract %cst_205, %707 : tensor<f32>
    %709 = stablehlo.broadcast_in_dim %708, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %710 = stablehlo.divide %700, %709 : tensor<64x256xf32>
    %cst_206 = stablehlo.constant dense<3.000000e-03> : tensor<f32>
    %711 = stablehlo.broadcast_in_dim %cst_206, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %712 = stablehlo.multiply %711, %710 : tensor<64x256xf32>
    %cst_207 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %713 = stablehlo.power %cst_207, %383 : tensor<f32>
    %cst_208 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %714 = stablehlo.subtract %cst_208, %713 : tensor<f32>
    %715 = stablehlo.broadcast_in_dim %714, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %716 = stablehlo.divide %706, %715 : tensor<64x256xf32>
    %717 = stablehlo.sqrt %716 : tensor<64x256xf32>
    %cst_209 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %718 = stablehlo.broadcast_in_dim %cst_209, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %719 = stablehlo.add %717, %718 : tensor<64x256xf32>
    %720 = stablehlo.divide %712, %719 : tensor<64x256xf32>
    %721 = stablehlo.subtract %l1_up, %720 : tensor<64x256xf32>
    %cst_210 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %722 = stablehlo.broadcast_in_dim %cst_210, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %723 = stablehlo.multiply %722, %norm_m : tensor<64xf32>
    %cst_211 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %724 = stablehlo.broadcast_in_dim %cst_211, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %725 = stablehlo.multiply %724, %184 : tensor<64xf32>
    %726 = stablehlo.add %723, %725 : tensor<64xf32>
    %cst_212 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %727 = stablehlo.broadcast_in_dim %cst_212, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %728 = stablehlo.multiply %727, %norm_v : tensor<64xf32>
    %cst_213 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %729 = stablehlo.broadcast_in_dim %cst_213, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %730 = stablehlo.multiply %729, %184 : tensor<64xf32>
    %731 = stablehlo.multiply %730, %184 : tensor<64xf32>
    %732 = stablehlo.add %728, %731 : tensor<64xf32>
    %cst_214 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %733 = stablehlo.power %cst_214, %383 : tensor<f32>
    %cst_215 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %734 = stablehlo.subtract %cst_215, %733 : tensor<f32>
    %735 = stablehlo.broadcast_in_dim %734, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %736 = stablehlo.divide %726, %735 : tensor<64xf32>
    %cst_216 = stablehlo.constant dense<3.000000e-03> : tensor<f32>
    %737 = stablehlo.broadcast_in_dim %cst_216, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %738 = stablehlo.multiply %737, %736 : tensor<64xf32>
    %cst_217 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %739 = stablehlo.power %cst_217, %383 : tensor<f32>
    %cst_218 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %740 = stablehlo.subtract %cst_218, %739 : tensor<f32>
    %741 = stablehlo.broadcast_in_dim %740, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %742 = stablehlo.divide %732, %741 : tensor<64xf32>
    %743 = stablehlo.sqrt %742 : tensor<64xf32>
    %cst_219 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %744 = stablehlo.broadcast_in_dim %cst_219, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %745 = stablehlo.add %743, %744 : tensor<64xf32>
    %746 = stablehlo.divide %738, %745 : tensor<64xf32>
    %747 = stablehlo.subtract %norm, %746 : tensor<64xf32>
    %cst_220 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %748 = stablehlo.broadcast_in_dim %cst_220, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %749 = stablehlo.multiply %748, %position_m : tensor<32x64xf32>
    %cst_221 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %750 = stablehlo.broadcast_in_dim %cst_221, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %751 = stablehlo.multiply %750, %379 : tensor<32x64xf32>
    %752 = stablehlo.add %749, %751 : tensor<32x64xf32>
    %cst_222 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %753 = stablehlo.broadcast_in_dim %cst_222, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %754 = stablehlo.multiply %753, %position_v : tensor<32x64xf32>
    %cst_223 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %755 = stablehlo.broadcast_in_dim %cst_223, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %756 = stablehlo.multiply %755, %379 : tensor<32x64xf32>
    %757 = stablehlo.multiply %756, %379 : tensor<32x64xf32>
    %758 = stablehlo.add %754, %757 : tensor<32x64xf32>
    %cst_224 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %759 = stablehlo.power %cst_224, %383 : tensor<f32>
    %cst_225 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %760 = stablehlo.subtract %cst_225, %759 : tensor<f32>
    %761 = stablehlo.broadcast_in_dim %760, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %762 = stablehlo.divide %752, %761 : tensor<32x64xf32>
    %cst_226 = stablehlo.constant dense<3.000000e-03> : tensor<f32>
    %763 = stablehlo.broadcast_in_dim %cst_226, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %764 = stablehlo.multiply %763, %762 : tensor<32x64xf32>
    %cst_227 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %765 = stablehlo.power %cst_227, %383 : tensor<f32>
    %cst_228 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %766 = stablehlo.subtract %cst_228, %765 : tensor<f32>
    %767 = stablehlo.broadcast_in_dim %766, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %768 = stablehlo.divide %758, %767 : tensor<32x64xf32>
    %769 = stablehlo.sqrt %768 : tensor<32x64xf32>
    %cst_229 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %770 = stablehlo.broadcast_in_dim %cst_229, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %771 = stablehlo.add %769, %770 : tensor<32x64xf32>
    %772 = stablehlo.divide %764, %771 : tensor<32x64xf32>
    %773 = stablehlo.subtract %position, %772 : tensor<32x64xf32>
    return %169, %409, %388, %394, %435, %414, %420, %461, %440, %446, %487, %466, %472, %513, %492, %498, %539, %518, %524, %565, %544, %550, %591, %570, %576, %617, %596, %602, %643, %622, %628, %669, %648, %654, %695, %674, %680, %721, %700, %706, %747, %726, %732, %773, %752, %758, %383 : tensor<f32>, tensor<96x64xf32>, tensor<96x64xf32>, tensor<96x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<64x3x4x16xf32>, tensor<64x3x4x16xf32>, tensor<64x3x4x16xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<4x16x64xf32>, tensor<64x3x4x16xf32>, tensor<64x3x4x16xf32>, tensor<64x3x4x16xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<f32>
  }
  func.func private @tril(%arg0: tensor<32x32xi1>) -> tensor<32x32xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<32x32xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<32x32xi32>
    %2 = stablehlo.add %0, %1 : tensor<32x32xi32>
    %3 = stablehlo.iota dim = 1 : tensor<32x32xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<32x32xi32>, tensor<32x32xi32>) -> tensor<32x32xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<32x32xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<32x32xi1>, tensor<32x32xi1>
    return %6 : tensor<32x32xi1>
  }
  func.func private @_where(%arg0: tensor<32x32xi1>, %arg1: tensor<16x4x32x32xf32>, %arg2: tensor<f32>) -> (tensor<16x4x32x32xf32>, tensor<16x4x32x32xi1>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<32x32xi1>) -> tensor<16x4x32x32xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<16x4x32x32xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<16x4x32x32xi1>, tensor<16x4x32x32xf32>
    return %3, %1 : tensor<16x4x32x32xf32>, tensor<16x4x32x32xi1>
  }
  func.func private @log_softmax(%arg0: tensor<16x32x96xf32>) -> (tensor<16x32x96xf32>, tensor<16x32x96xf32>, tensor<16x32x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<16x32x96xf32>, tensor<f32>) -> tensor<16x32xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<16x32xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<16x32xf32>) -> tensor<16x32x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<16x32x1xf32>) -> tensor<16x32x96xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<16x32x96xf32>
    %6 = stablehlo.exponential %5 : tensor<16x32x96xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<16x32x96xf32>, tensor<f32>) -> tensor<16x32xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<16x32xf32>) -> tensor<16x32x1xf32>
    %9 = stablehlo.log %8 : tensor<16x32x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<16x32x1xf32>) -> tensor<16x32x96xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<16x32x96xf32>
    return %11, %6, %8 : tensor<16x32x96xf32>, tensor<16x32x96xf32>, tensor<16x32x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<16x32x96xf32>, %arg1: tensor<16x32x1xi32>) -> (tensor<16x32x1xf32>, tensor<16x32x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<16x32x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<16x32x1xi32>, tensor<16x32x1xi32>) -> tensor<16x32x1xi1>
    %c_0 = stablehlo.constant dense<96> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<16x32x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<16x32x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<16x32x1xi1>, tensor<16x32x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<16x32x1xi32>) -> tensor<16x32x1x1xi32>
    %c_1 = stablehlo.constant dense<95> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<16x32x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<16x32x1x1xi32>, tensor<16x32x1x1xi32>) -> tensor<16x32x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<16x32x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<16x32x1x1xi32>, tensor<16x32x1x1xi32>) -> tensor<16x32x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<16x32x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<16x32x1x1xi1>, tensor<i1>) -> tensor<16x32x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<16x32x96xf32>, tensor<16x32x1x1xi32>) -> tensor<16x32x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x32x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<16x32x1xi1>, tensor<16x32x1xf32>
    return %15, %5 : tensor<16x32x1xf32>, tensor<16x32x1x1xi32>
  }
  func.func private @take_along_axis_0(%arg0: tensor<16x32x1x1xi32>, %arg1: tensor<16x32x1xf32>) -> tensor<16x32x96xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x32x96xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<16x32x96xf32>, tensor<16x32x1x1xi32>, tensor<16x32x1xf32>) -> tensor<16x32x96xf32>
    return %1 : tensor<16x32x96xf32>
  }
  func.func private @log_softmax_1(%arg0: tensor<16x32x96xf32>, %arg1: tensor<16x32x1xf32>, %arg2: tensor<16x32x96xf32>) -> tensor<16x32x96xf32> {
    %0 = stablehlo.negate %arg2 : tensor<16x32x96xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<16x32x96xf32>, tensor<f32>) -> tensor<16x32xf32>
    %2 = stablehlo.reshape %1 : (tensor<16x32xf32>) -> tensor<16x32x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<16x32x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<16x32x1xf32>, tensor<f32>) -> tensor<16x32xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<16x32xf32>) -> tensor<16x32x96xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<16x32x96xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<16x32x96xf32>
    return %7 : tensor<16x32x96xf32>
  }
  func.func private @_where_2(%arg0: tensor<16x4x32x32xi1>, %arg1: tensor<16x4x32x32xf32>) -> tensor<16x4x32x32xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x4x32x32xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<16x4x32x32xi1>, tensor<16x4x32x32xf32>
    return %1 : tensor<16x4x32x32xf32>
  }
}
