# tests/: what tests of all rooms share, and the suites of ir/ and base/. A test that uses tests/support links
# $(SUPPORT_LIBS) in place of $(TEST_LIBS).
check_LTLIBRARIES += tests/support/libsupport.la
tests_support_libsupport_la_SOURCES = tests/support/alloc.c tests/support/alloc.h tests/support/random.c tests/support/random.h \
	tests/support/random_internal.h tests/support/random_module.c tests/support/random_module.h tests/support/random_recipes.c \
	tests/support/random_sharding.c tests/support/suite.h
tests_support_libsupport_la_CPPFLAGS = $(TEST_CPPFLAGS)
SUPPORT_LIBS = tests/support/libsupport.la $(TEST_LIBS)

check_PROGRAMS += tests/ir/test_module
TESTS += tests/ir/test_module
tests_ir_test_module_SOURCES = tests/ir/test_module.c
tests_ir_test_module_CPPFLAGS = $(TEST_CPPFLAGS)
tests_ir_test_module_LDADD = $(SUPPORT_LIBS)

check_PROGRAMS += tests/ir/test_random
TESTS += tests/ir/test_random
tests_ir_test_random_SOURCES = tests/ir/test_random.c
tests_ir_test_random_CPPFLAGS = $(TEST_CPPFLAGS)
tests_ir_test_random_LDADD = $(SUPPORT_LIBS)

check_PROGRAMS += tests/base/test_arena
TESTS += tests/base/test_arena
tests_base_test_arena_SOURCES = tests/base/test_arena.c
tests_base_test_arena_CPPFLAGS = $(TEST_CPPFLAGS)
tests_base_test_arena_LDADD = $(SUPPORT_LIBS)

check_PROGRAMS += tests/base/test_str
TESTS += tests/base/test_str
tests_base_test_str_SOURCES = tests/base/test_str.c
tests_base_test_str_CPPFLAGS = $(TEST_CPPFLAGS)
tests_base_test_str_LDADD = $(SUPPORT_LIBS)

check_PROGRAMS += tests/base/test_diag
TESTS += tests/base/test_diag
tests_base_test_diag_SOURCES = tests/base/test_diag.c
tests_base_test_diag_CPPFLAGS = $(TEST_CPPFLAGS)
tests_base_test_diag_LDADD = $(SUPPORT_LIBS)

check_PROGRAMS += tests/base/test_dtype
TESTS += tests/base/test_dtype
tests_base_test_dtype_SOURCES = tests/base/test_dtype.c
tests_base_test_dtype_CPPFLAGS = $(TEST_CPPFLAGS)
tests_base_test_dtype_LDADD = $(SUPPORT_LIBS)

check_PROGRAMS += tests/ir/test_verify
TESTS += tests/ir/test_verify
tests_ir_test_verify_SOURCES = tests/ir/test_verify.c
tests_ir_test_verify_CPPFLAGS = $(TEST_CPPFLAGS)
tests_ir_test_verify_LDADD = $(SUPPORT_LIBS)
EXTRA_DIST += tests/ir/verify_collective.mlir tests/ir/verify_control.mlir tests/ir/verify_dot.mlir tests/ir/verify_dynamic.mlir tests/ir/verify_outside.mlir tests/ir/verify_gather.mlir \
	tests/ir/verify_module.mlir tests/ir/verify_ok.mlir tests/ir/verify_other.mlir tests/ir/verify_pointwise.mlir tests/ir/verify_quant.mlir \
	tests/ir/verify_reduce.mlir tests/ir/verify_shape.mlir tests/ir/verify_sharding.mlir

check_PROGRAMS += tests/ir/test_ops
TESTS += tests/ir/test_ops
tests_ir_test_ops_SOURCES = tests/ir/test_ops.c
tests_ir_test_ops_CPPFLAGS = $(TEST_CPPFLAGS)
tests_ir_test_ops_LDADD = $(SUPPORT_LIBS)
EXTRA_DIST += tests/ir/ops.mlir

check_PROGRAMS += tests/ir/test_table
TESTS += tests/ir/test_table
tests_ir_test_table_SOURCES = tests/ir/test_table.c
tests_ir_test_table_CPPFLAGS = $(TEST_CPPFLAGS)
tests_ir_test_table_LDADD = $(SUPPORT_LIBS)

check_PROGRAMS += tests/cost/test_op
TESTS += tests/cost/test_op
tests_cost_test_op_SOURCES = tests/cost/test_op.c
tests_cost_test_op_CPPFLAGS = $(TEST_CPPFLAGS)
tests_cost_test_op_LDADD = $(SUPPORT_LIBS)

check_PROGRAMS += tests/ir/test_attr
TESTS += tests/ir/test_attr
tests_ir_test_attr_SOURCES = tests/ir/test_attr.c
tests_ir_test_attr_CPPFLAGS = $(TEST_CPPFLAGS)
tests_ir_test_attr_LDADD = $(SUPPORT_LIBS)

check_PROGRAMS += tests/ir/test_broken
TESTS += tests/ir/test_broken
tests_ir_test_broken_SOURCES = tests/ir/test_broken.c
tests_ir_test_broken_CPPFLAGS = $(TEST_CPPFLAGS)
tests_ir_test_broken_LDADD = $(SUPPORT_LIBS)

check_PROGRAMS += tests/pipeline/test_law
TESTS += tests/pipeline/test_law
tests_pipeline_test_law_SOURCES = tests/pipeline/test_law.c
tests_pipeline_test_law_CPPFLAGS = $(TEST_CPPFLAGS)
tests_pipeline_test_law_LDADD = $(SUPPORT_LIBS)
