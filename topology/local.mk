weftinclude_HEADERS += include/weft/topo.h
libweftcore_la_SOURCES += topology/links.c topology/links.def topology/links.h topology/topology.c topology/topology.h

suites += tests/topology/test_topology
