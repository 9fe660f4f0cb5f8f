weftinclude_HEADERS += include/weft/topo.h
libweftcore_la_SOURCES += topology/links.c topology/links.def topology/links.h topology/topology.c topology/topology.h

check_PROGRAMS += tests/topology/test_topology
TESTS += tests/topology/test_topology
tests_topology_test_topology_SOURCES = tests/topology/test_topology.c
tests_topology_test_topology_CPPFLAGS = $(TEST_CPPFLAGS)
tests_topology_test_topology_LDADD = $(TEST_LIBS)
