# The C API: graphs built in C, and jobs that run them.
weftinclude_HEADERS += include/weft/graph.h
libweftcore_la_SOURCES += capi/graph_impl.h capi/graph.c capi/job.c capi/ops.c capi/read.c capi/reduce.c capi/shard.c

check_PROGRAMS += tests/capi/test_graph tests/capi/test_job
TESTS += tests/capi/test_graph tests/capi/test_job
tests_capi_test_graph_SOURCES = tests/capi/test_graph.c
tests_capi_test_graph_CPPFLAGS = $(TEST_CPPFLAGS)
tests_capi_test_graph_LDADD = $(SUPPORT_LIBS)
tests_capi_test_job_SOURCES = tests/capi/test_job.c
tests_capi_test_job_CPPFLAGS = $(TEST_CPPFLAGS)
tests_capi_test_job_LDADD = $(TEST_LIBS)
