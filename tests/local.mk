# tests/: what tests of all rooms share (rooms add theirs), and the suites of ir/ and base/.
tests_support_libsupport_la_SOURCES += tests/support/alloc.c tests/support/alloc.h tests/support/port.h tests/support/random.c tests/support/random.h \
	tests/support/random_internal.h tests/support/random_mixed.c tests/support/random_module.c tests/support/random_module.h tests/support/random_recipes.c tests/support/random_windows.c \
	tests/support/random_sharding.c tests/support/suite.h tests/support/under_way.c tests/support/under_way.h

suites += tests/ir/test_module
suites += tests/ir/test_random
suites += tests/base/test_glob
suites += tests/base/test_arena
suites += tests/base/test_table
suites += tests/base/test_index_set
suites += tests/base/test_str
suites += tests/base/test_diag
suites += tests/base/test_dtype
suites += tests/base/test_file_read
suites += tests/base/test_options
suites += tests/base/test_quantity
suites += tests/ir/test_verify
EXTRA_DIST += tests/ir/verify_collective.mlir tests/ir/verify_control.mlir tests/ir/verify_dot.mlir tests/ir/verify_dynamic.mlir tests/ir/verify_outside.mlir tests/ir/verify_gather.mlir \
	tests/ir/verify_module.mlir tests/ir/verify_ok.mlir tests/ir/verify_other.mlir tests/ir/verify_pointwise.mlir tests/ir/verify_quant.mlir \
	tests/ir/verify_reduce.mlir tests/ir/verify_shape.mlir tests/ir/verify_sharding.mlir
suites += tests/ir/test_rules
suites += tests/ir/test_line
suites += tests/ir/test_trips
EXTRA_DIST += tests/ir/rules_compute.txt tests/ir/rules_pointwise.txt tests/ir/rules_program.txt tests/ir/rules_shape.txt

suites += tests/ir/test_ops
EXTRA_DIST += tests/conftest.py tests/support/cases.sh tests/support/launcher.sh tests/support/leaks.supp tests/support/timed
EXTRA_DIST += tests/ir/ops.mlir

suites += tests/ir/test_table
suites += tests/cost/test_fuse
suites += tests/cost/test_task_memory
suites += tests/cost/test_op
suites += tests/ir/test_attr
suites += tests/ir/test_process
suites += tests/ir/test_broken
suites += tests/pipeline/test_any_pass
suites += tests/pipeline/test_law
