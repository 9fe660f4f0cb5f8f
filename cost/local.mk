# cost/: sources and tests of this room
libweftcore_la_SOURCES += cost/op.c cost/op.h cost/op_dot.c cost/op_internal.h
libweftcore_la_SOURCES += cost/algorithms.def cost/collectives.def cost/link.c cost/link.h cost/machines.def cost/plan.h cost/simulate.c cost/simulate.h

suites += tests/cost/test_link
suites += tests/cost/test_simulate
