# legalize/: sources and tests of this room
libweftcore_la_SOURCES += \
	legalize/approx_top_k.c legalize/chlo.c legalize/chlo.h legalize/chlo_broadcast.c legalize/chlo_elementary.c legalize/expr.c legalize/expr.h \
	legalize/legalize.h legalize/replace.c
libweftcore_la_SOURCES += legalize/canonicalize_dynamism.c legalize/check_static.c legalize/composite_to_call.c legalize/dynamism.h \
	legalize/flatten.c legalize/refine_shapes.c legalize/shape_fold.c legalize/shape_fold.h

libweftcore_la_SOURCES += legalize/chlo_complex.c legalize/chlo_erf.c legalize/chlo_gamma.c
libweftcore_la_SOURCES += legalize/einsum.c legalize/product.c legalize/product.h legalize/quant_to_math.c legalize/ragged_dot.c
libweftcore_la_SOURCES += legalize/batch_norm.c legalize/expand.c legalize/expand.h legalize/scan.c

EXTRA_DIST += tests/legalize/approx_top_k.mlir tests/legalize/chlo.mlir tests/legalize/chlo_broadcast.mlir
EXTRA_DIST += tests/legalize/canonicalize_dynamism.mlir tests/legalize/composite_to_call.mlir tests/legalize/flatten.mlir tests/legalize/quant_to_math.mlir \
	tests/legalize/refine_shapes.mlir

check_PROGRAMS += tests/legalize/test_complex
TESTS += tests/legalize/test_complex
tests_legalize_test_complex_SOURCES = tests/legalize/test_complex.c $(codegen_walk)
tests_legalize_test_complex_CPPFLAGS = $(TEST_CPPFLAGS)
tests_legalize_test_complex_LDADD = $(SUPPORT_LIBS)
check_PROGRAMS += tests/legalize/test_math
TESTS += tests/legalize/test_math
tests_legalize_test_math_SOURCES = tests/legalize/test_math.c tests/codegen/walk.c tests/codegen/walk.h
tests_legalize_test_math_CPPFLAGS = $(TEST_CPPFLAGS)
tests_legalize_test_math_LDADD = $(SUPPORT_LIBS)


check_PROGRAMS += tests/legalize/test_expand
TESTS += tests/legalize/test_expand
tests_legalize_test_expand_SOURCES = tests/legalize/test_expand.c tests/codegen/program.c tests/codegen/program.h tests/codegen/walk.c tests/codegen/walk.h
tests_legalize_test_expand_CPPFLAGS = $(TEST_CPPFLAGS)
tests_legalize_test_expand_LDADD = $(SUPPORT_LIBS)

check_PROGRAMS += tests/legalize/test_chlo
TESTS += tests/legalize/test_chlo
tests_legalize_test_chlo_SOURCES = tests/legalize/test_chlo.c $(codegen_walk)
tests_legalize_test_chlo_CPPFLAGS = $(TEST_CPPFLAGS)
tests_legalize_test_chlo_LDADD = $(SUPPORT_LIBS)
