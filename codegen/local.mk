# codegen/: sources and tests of this room
libweftcore_la_SOURCES += \
	codegen/body.c codegen/body.h codegen/buffers.c codegen/call.c codegen/call.h codegen/compile.c codegen/compile.h \
	codegen/emit.h codegen/emit_arith.c codegen/emit_bits.c codegen/emit_body.c codegen/emit_complex.c codegen/emit_complex_math.c codegen/emit_float.c codegen/emit_kernel.c codegen/emit_math.c codegen/emit_types.c \
	codegen/emit_fx.h codegen/emit_power.c codegen/emit_trig.c \
	codegen/executable.c codegen/executable.h codegen/fuse.c codegen/fuse.h codegen/fuse_internal.h codegen/fuse_merge.c \
	codegen/fuse_prepare.c codegen/fuse_recompute.c codegen/gen_bitcast.c codegen/gen_collective.c codegen/gen_control.c codegen/gen_dot.c \
	codegen/gen_pointwise.c codegen/gen_reduce.c codegen/gen_scatter.c codegen/gen_shape.c codegen/graph.c codegen/graph.h \
	codegen/graph_simplify.c codegen/import.c codegen/import.h codegen/jit.c codegen/jit.h codegen/kernel.c codegen/kernel.h codegen/kernel_phases.c codegen/layout.c \
	codegen/lower.c codegen/lower.h codegen/lower_call.c codegen/lower_collective.c codegen/lower_control.c codegen/scalar.def codegen/schedule.c codegen/trace.c \
	codegen/trace.h codegen/trace_class.c codegen/trace_scatter.c
libweftcore_la_SOURCES += codegen/check.c codegen/check.h codegen/custom_call.h codegen/custom_calls.def codegen/custom_hint.c \
	codegen/custom_top_k.c codegen/gen_custom_call.c
libweftcore_la_SOURCES += codegen/fft.c codegen/fft.h codegen/gen_fft.c
libweftcore_la_SOURCES += codegen/custom_eigen.c codegen/custom_factor.c codegen/custom_lapack.c codegen/custom_lapack.h codegen/gen_linalg.c codegen/lapack.c codegen/lapack.h
libweftcore_la_SOURCES += codegen/body_commutes.c codegen/body_import.c codegen/gen_select_and_scatter.c codegen/gen_sort.c codegen/gen_window.c codegen/reduction.c codegen/reduction.h codegen/sort.h codegen/sort_run.c codegen/window.h
libweftcore_la_SOURCES += codegen/conv.c codegen/conv.h codegen/conv_run.c codegen/convolve.c codegen/convolve.h codegen/dnn.c codegen/dnn.h \
	codegen/dot.c codegen/dot.h codegen/dot_run.c codegen/gemm.c codegen/gemm.h codegen/gen_convolution.c codegen/library.h codegen/lower_library.c codegen/product.c \
	codegen/product.h codegen/strided.c codegen/strided.h
libweftcore_la_SOURCES += codegen/carry.c codegen/gen_random.c codegen/random.c codegen/random.h

codegen_program = tests/codegen/program.c tests/codegen/program.h $(codegen_walk)
codegen_order_tests = tests/codegen/test_reduce tests/codegen/test_reduce_window tests/codegen/test_scatter tests/codegen/test_select_and_scatter tests/codegen/test_sort
check_PROGRAMS += $(codegen_order_tests)
TESTS += $(codegen_order_tests)
tests_codegen_test_reduce_SOURCES = tests/codegen/test_reduce.c $(codegen_program)
tests_codegen_test_reduce_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codegen_test_reduce_LDADD = $(SUPPORT_LIBS)
tests_codegen_test_reduce_window_SOURCES = tests/codegen/test_reduce_window.c $(codegen_program)
tests_codegen_test_reduce_window_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codegen_test_reduce_window_LDADD = $(SUPPORT_LIBS)
tests_codegen_test_scatter_SOURCES = tests/codegen/test_scatter.c $(codegen_program)
tests_codegen_test_scatter_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codegen_test_scatter_LDADD = $(SUPPORT_LIBS)
tests_codegen_test_select_and_scatter_SOURCES = tests/codegen/test_select_and_scatter.c $(codegen_program)
tests_codegen_test_select_and_scatter_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codegen_test_select_and_scatter_LDADD = $(SUPPORT_LIBS)
tests_codegen_test_sort_SOURCES = tests/codegen/test_sort.c $(codegen_program)
tests_codegen_test_sort_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codegen_test_sort_LDADD = $(SUPPORT_LIBS)

codegen_walk = tests/codegen/walk.c tests/codegen/walk.h
codegen_tests = tests/codegen/test_call tests/codegen/test_convolution tests/codegen/test_dot tests/codegen/test_pointwise tests/codegen/test_programs tests/codegen/test_random tests/codegen/test_testdata
check_PROGRAMS += $(codegen_tests)
TESTS += $(codegen_tests)
tests_codegen_test_call_SOURCES = tests/codegen/test_call.c $(codegen_walk)
tests_codegen_test_call_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codegen_test_call_LDADD = $(SUPPORT_LIBS)
tests_codegen_test_dot_SOURCES = tests/codegen/test_dot.c $(codegen_walk)
tests_codegen_test_dot_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codegen_test_dot_LDADD = $(SUPPORT_LIBS)
tests_codegen_test_convolution_SOURCES = tests/codegen/test_convolution.c $(codegen_walk)
tests_codegen_test_convolution_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codegen_test_convolution_LDADD = $(SUPPORT_LIBS)
tests_codegen_test_pointwise_SOURCES = tests/codegen/test_pointwise.c $(codegen_walk)
tests_codegen_test_pointwise_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codegen_test_pointwise_LDADD = $(SUPPORT_LIBS)
tests_codegen_test_programs_SOURCES = tests/codegen/test_programs.c $(codegen_walk)
tests_codegen_test_programs_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codegen_test_programs_LDADD = $(SUPPORT_LIBS)
tests_codegen_test_random_SOURCES = tests/codegen/test_random.c $(codegen_walk)
tests_codegen_test_random_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codegen_test_random_LDADD = $(SUPPORT_LIBS)
tests_codegen_test_testdata_SOURCES = tests/codegen/test_testdata.c
tests_codegen_test_testdata_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codegen_test_testdata_LDADD = $(SUPPORT_LIBS)

check_PROGRAMS += tests/codegen/test_control
TESTS += tests/codegen/test_control
tests_codegen_test_control_SOURCES = tests/codegen/test_control.c $(codegen_walk)
tests_codegen_test_control_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codegen_test_control_LDADD = $(SUPPORT_LIBS)

check_PROGRAMS += tests/codegen/test_rng
TESTS += tests/codegen/test_rng
tests_codegen_test_rng_SOURCES = tests/codegen/test_rng.c $(codegen_walk)
tests_codegen_test_rng_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codegen_test_rng_LDADD = $(SUPPORT_LIBS)
EXTRA_DIST += codegen/coefficients.py

check_PROGRAMS += tests/codegen/test_math_ulp
TESTS += tests/codegen/test_math_ulp
tests_codegen_test_math_ulp_SOURCES = tests/codegen/test_math_ulp.c tests/codegen/reference.c tests/codegen/reference.h $(codegen_walk)
tests_codegen_test_math_ulp_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codegen_test_math_ulp_LDADD = $(SUPPORT_LIBS)

check_PROGRAMS += tests/codegen/test_check
TESTS += tests/codegen/test_check
tests_codegen_test_check_SOURCES = tests/codegen/test_check.c $(codegen_walk)
tests_codegen_test_check_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codegen_test_check_LDADD = $(SUPPORT_LIBS)

codegen_elements = tests/codegen/elements.c tests/codegen/elements.h $(codegen_walk)
check_PROGRAMS += tests/codegen/test_every_type
TESTS += tests/codegen/test_every_type
tests_codegen_test_every_type_SOURCES = tests/codegen/test_every_type.c $(codegen_elements)
tests_codegen_test_every_type_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codegen_test_every_type_LDADD = $(SUPPORT_LIBS)
check_PROGRAMS += tests/codegen/test_convert
TESTS += tests/codegen/test_convert
tests_codegen_test_convert_SOURCES = tests/codegen/test_convert.c $(codegen_elements)
tests_codegen_test_convert_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codegen_test_convert_LDADD = $(SUPPORT_LIBS)
check_PROGRAMS += tests/codegen/test_complex
TESTS += tests/codegen/test_complex
tests_codegen_test_complex_SOURCES = tests/codegen/test_complex.c $(codegen_elements)
tests_codegen_test_complex_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codegen_test_complex_LDADD = $(SUPPORT_LIBS)

codegen_tensor = tests/codegen/tensor.c tests/codegen/tensor.h
check_PROGRAMS += tests/codegen/test_custom_call tests/codegen/test_fft tests/codegen/test_linalg
TESTS += tests/codegen/test_custom_call tests/codegen/test_fft tests/codegen/test_linalg
tests_codegen_test_custom_call_SOURCES = tests/codegen/test_custom_call.c $(codegen_tensor) $(codegen_walk)
tests_codegen_test_custom_call_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codegen_test_custom_call_LDADD = $(SUPPORT_LIBS)
tests_codegen_test_fft_SOURCES = tests/codegen/test_fft.c $(codegen_tensor) $(codegen_walk)
tests_codegen_test_fft_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codegen_test_fft_LDADD = $(SUPPORT_LIBS)
tests_codegen_test_linalg_SOURCES = tests/codegen/test_linalg.c $(codegen_tensor) $(codegen_walk)
tests_codegen_test_linalg_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codegen_test_linalg_LDADD = $(SUPPORT_LIBS)
