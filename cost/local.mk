# cost/: sources and tests of this room
libweftcore_la_SOURCES += cost/op.c cost/op.h cost/op_dot.c cost/op_internal.h
libweftcore_la_SOURCES += cost/algorithms.def cost/link.c cost/link.h cost/machines.def cost/plan.h cost/simulate.c cost/simulate.h

check_PROGRAMS += tests/cost/test_link
TESTS += tests/cost/test_link
tests_cost_test_link_SOURCES = tests/cost/test_link.c
tests_cost_test_link_CPPFLAGS = $(TEST_CPPFLAGS)
tests_cost_test_link_LDADD = $(TEST_LIBS)

check_PROGRAMS += tests/cost/test_simulate
TESTS += tests/cost/test_simulate
tests_cost_test_simulate_SOURCES = tests/cost/test_simulate.c
tests_cost_test_simulate_CPPFLAGS = $(TEST_CPPFLAGS)
tests_cost_test_simulate_LDADD = $(TEST_LIBS)
