# cost/: sources and tests of this room
libweftcore_la_SOURCES += cost/network.c cost/network.h cost/network_bound.c cost/network_branch.c cost/network_forest.c cost/network_impl.h cost/network_solve.c cost/op.c cost/op.h cost/op_dot.c cost/op_internal.h
libweftbase_la_SOURCES += cost/algorithm_id.h cost/algorithms.def cost/collectives.def cost/link.c cost/link.h cost/rules.c cost/tune.c cost/tune.h
libweftcore_la_SOURCES += cost/custom_cost.c cost/custom_cost.h cost/environment.h cost/floor.c cost/floor.h cost/fuse.c cost/fuse.h cost/fuse_attention.c cost/fuse_block.c cost/fuse_internal.h cost/fuse_memory.c cost/fuse_role.c cost/kernel.c cost/kernel.h cost/library.c cost/library.h cost/machine.c cost/machine.h cost/order.c cost/order.h cost/order_search.c cost/plan.h cost/price.h cost/simulate.c cost/simulate.h cost/task_call.c cost/task_memory.c cost/tasks.h cost/timeline.c cost/timeline.h

suites += tests/cost/test_link
suites += tests/cost/test_machine
suites += tests/cost/test_network
TESTS += tests/cost/test_network_file.sh
EXTRA_DIST += tests/cost/test_network_file.sh
suites += tests/cost/test_order
suites += tests/cost/test_simulate
suites += tests/cost/test_tune

if FUZZERS
noinst_PROGRAMS += tests/fuzz/fuzz_tune
tests_fuzz_fuzz_tune_SOURCES = tests/fuzz/fuzz_tune.c
tests_fuzz_fuzz_tune_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_tune_LDADD = $(weft_rooms)
endif
