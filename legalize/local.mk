# legalize/: sources and tests of this room
libweftcore_la_SOURCES += \
	legalize/approx_top_k.c legalize/chlo.c legalize/chlo.h legalize/chlo_broadcast.c legalize/chlo_elementary.c \
	legalize/legalize.h legalize/match_donors.c legalize/replace.c
libweftcore_la_SOURCES += legalize/canonicalize_dynamism.c legalize/check_static.c legalize/composite_to_call.c legalize/dynamism.h \
	legalize/flatten.c legalize/refine_shapes.c legalize/shape_fold.c legalize/shape_fold.h

libweftcore_la_SOURCES += legalize/chlo_complex.c legalize/chlo_erf.c legalize/chlo_gamma.c
libweftcore_la_SOURCES += legalize/einsum.c legalize/product.c legalize/product.h legalize/quant_to_math.c legalize/ragged_dot.c
libweftcore_la_SOURCES += legalize/batch_norm.c legalize/expand.c legalize/expand.h legalize/scan.c
libweftcore_la_SOURCES += legalize/called.c legalize/called.h legalize/dynamic_call.c legalize/ragged_all_to_all.c legalize/recompose.c
libweftcore_la_SOURCES += legalize/bodies.c legalize/bodies.h legalize/bodies_scatter.c legalize/bodies_sort.c legalize/turns.c
libweftcore_la_SOURCES += legalize/narrow_products.c
libweftcore_la_SOURCES += legalize/hoist.c legalize/hoist.h legalize/invariants.c legalize/select_updates.c
libweftcore_la_SOURCES += legalize/hoist_products.c legalize/sink_sums.c legalize/sink_sums.h legalize/sink_worth.c legalize/steps.c legalize/steps.h
libweftcore_la_SOURCES += legalize/tile.c legalize/tile.h legalize/tile_axes.c legalize/tile_build.c legalize/tile_choose.c legalize/tile_empty.c legalize/tile_nests.c legalize/tile_ops.c
EXTRA_DIST += tests/legalize/bodies.mlir tests/legalize/dynamic_call.mlir tests/legalize/expand_ops.mlir tests/legalize/hoist.mlir tests/legalize/hoist_products.mlir tests/legalize/match_donors.mlir tests/legalize/narrow_products.mlir tests/legalize/recompose.mlir tests/legalize/select_updates.mlir tests/legalize/sink_sums.mlir tests/legalize/tile.mlir

EXTRA_DIST += tests/legalize/ragged_all_to_all.mlir
EXTRA_DIST += tests/legalize/approx_top_k.mlir tests/legalize/chlo.mlir tests/legalize/chlo_broadcast.mlir
EXTRA_DIST += tests/legalize/canonicalize_dynamism.mlir tests/legalize/composite_to_call.mlir tests/legalize/flatten.mlir tests/legalize/quant_to_math.mlir \
	tests/legalize/refine_shapes.mlir

suites += tests/legalize/test_complex
suites += tests/legalize/test_math
suites += tests/legalize/test_expand
suites += tests/legalize/test_chlo
suites += tests/legalize/test_steps
suites += tests/legalize/test_tile
