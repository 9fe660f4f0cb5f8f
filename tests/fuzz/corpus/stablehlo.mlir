 module attributes {a = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, 0, f]>, b = #stablehlo.gather<offset_dims = [1], index_vector_dim = 1>, c = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>, d = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} {
}
