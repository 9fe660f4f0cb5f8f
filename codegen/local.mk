# codegen/: sources and tests of this room
libweftcore_la_SOURCES += \
	codegen/body.c codegen/body.h codegen/buffers.c codegen/call.c codegen/call.h codegen/compile.c codegen/compile.h codegen/dump.c codegen/dump.h \
	codegen/emit.h codegen/emit_arith.c codegen/emit_bits.c codegen/emit_body.c codegen/emit_complex.c codegen/emit_complex_math.c codegen/emit_float.c codegen/emit_fold.c codegen/emit_kernel.c codegen/emit_kernel.h codegen/emit_lanes.c codegen/emit_load.c codegen/emit_math.c codegen/emit_types.c \
	codegen/emit_fx.h codegen/emit_power.c codegen/emit_trig.c \
	codegen/fuse.c codegen/fuse_cluster.c codegen/fuse.h codegen/fuse_internal.h codegen/fuse_key.c codegen/fuse_key.h codegen/fuse_merge.c codegen/fuse_order.c \
	codegen/fuse_hold.c codegen/fuse_prepare.c codegen/fuse_recompute.c codegen/fuse_trees.c codegen/gen_bitcast.c codegen/gen_collective.c codegen/gen_control.c codegen/gen_dot.c \
	codegen/gen_pointwise.c codegen/gen_reduce.c codegen/gen_scatter.c codegen/gen_shape.c codegen/graph.c codegen/graph.h \
	codegen/graph_simplify.c codegen/import.c codegen/import.h codegen/import_main.c codegen/gen_plain.c codegen/gen_table.c codegen/jit.c codegen/jit.h codegen/llvm.c codegen/llvm.h codegen/kernel.c codegen/kernel.h codegen/kernel_bits.c codegen/kernel_bytes.c codegen/kernel_phases.c codegen/kernel_pieces.c codegen/kernel_spaced.c codegen/kernel_split.c codegen/kernel_tile.c codegen/kernel_wide.c codegen/layout.c \
	codegen/lower.c codegen/lower.h codegen/lower_call.c codegen/lower_collective.c codegen/lower_control.c codegen/object.c codegen/object.h codegen/scalar.def codegen/targets.def codegen/schedule.c codegen/trace.c \
	codegen/trace.h codegen/trace_class.c codegen/trace_scatter.c
libweftcore_la_SOURCES += codegen/check.c codegen/check.h codegen/custom_assert.c codegen/custom_call.h codegen/custom_calls.def codegen/custom_hint.c \
	codegen/custom_ragged.c codegen/custom_top_k.c codegen/gen_custom_call.c
libweftcore_la_SOURCES += codegen/gen_fft.c
libweftcore_la_SOURCES += codegen/custom_lapack.c codegen/custom_lapack.h codegen/custom_routines.c codegen/custom_priced.c codegen/custom_priced.h codegen/custom_sparse.c codegen/gen_linalg.c
libweftcore_la_SOURCES += codegen/body_commutes.c codegen/body_import.c codegen/body_inline.c codegen/custom_call.c codegen/custom_callback.c codegen/custom_foreign.c codegen/gen_select_and_scatter.c codegen/gen_sort.c codegen/gen_window.c codegen/reduction.c codegen/reduction.h codegen/reduction_order.c codegen/sort.h codegen/window.h
libweftcore_la_SOURCES += codegen/conv.c codegen/conv.h codegen/convolve.c codegen/convolve.h \
	codegen/dot.c codegen/dot.h codegen/gen_convolution.c codegen/lower_library.c codegen/operand.c codegen/operand.h codegen/product.c \
	codegen/product.h codegen/strided.c codegen/strided.h codegen/target.c codegen/target.h
libweftcore_la_SOURCES += codegen/emit_strand.c codegen/emit_tile.c codegen/strand.c codegen/strand.h
libweftcore_la_SOURCES += codegen/buffers.h codegen/lifetimes.c codegen/lifetimes.h codegen/order.h codegen/overlap.c codegen/slots.c codegen/slots.h codegen/storage.c codegen/storage.h codegen/gen_random.c codegen/random.c codegen/random.h

suites += tests/codegen/test_reduce
suites += tests/codegen/test_reduce_window
suites += tests/codegen/test_scatter
suites += tests/codegen/test_select_and_scatter
suites += tests/codegen/test_sort

suites += tests/codegen/test_buffers
suites += tests/codegen/test_call
suites += tests/codegen/test_convolution
suites += tests/codegen/test_dot
suites += tests/codegen/test_grouped
suites += tests/codegen/test_pointwise
suites += tests/codegen/test_programs
suites += tests/codegen/test_random
suites += tests/codegen/test_testdata
suites += tests/codegen/test_operand tests/codegen/test_constants
suites += tests/codegen/test_control
suites += tests/codegen/test_overlap
suites += tests/codegen/test_strand
suites += tests/codegen/test_trades
suites += tests/codegen/test_target
suites += tests/codegen/test_targets
suites += tests/codegen/test_rng
EXTRA_DIST += codegen/coefficients.py
TESTS += tests/codegen/test_dump.sh
EXTRA_DIST += tests/codegen/dump.mlir tests/codegen/test_dump.sh

suites += tests/codegen/test_math_ulp
tests_codegen_test_math_ulp_SOURCES = tests/codegen/test_math_ulp.c tests/codegen/reference.c tests/codegen/reference.h

suites += tests/codegen/test_check
suites += tests/codegen/test_every_type
suites += tests/codegen/test_convert
suites += tests/codegen/test_complex
suites += tests/codegen/test_custom_call
suites += tests/codegen/test_batches
suites += tests/codegen/test_fft
suites += tests/codegen/test_fuse_key
suites += tests/codegen/test_foreign
suites += tests/codegen/test_fuse_hold
suites += tests/codegen/test_fuse_order
suites += tests/codegen/test_order
suites += tests/codegen/test_linalg

tests_support_libsupport_la_SOURCES += tests/codegen/elements.c tests/codegen/elements.h tests/codegen/program.c tests/codegen/program.h \
	tests/codegen/tensor.c tests/codegen/tensor.h tests/codegen/walk.c tests/codegen/walk.h
libweftcore_la_SOURCES += codegen/gen_collective.h codegen/gen_rooted.c
