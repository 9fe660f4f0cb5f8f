libweftcore_la_SOURCES += \
	pipeline/build.c pipeline/inline.c pipeline/layout.c pipeline/mesh.c pipeline/passes.def pipeline/pipeline.h \
	pipeline/registry.c pipeline/registry.h pipeline/run.c pipeline/spec.c pipeline/support.c

check_PROGRAMS += tests/pipeline/test_spec
TESTS += tests/pipeline/test_spec
tests_pipeline_test_spec_SOURCES = tests/pipeline/test_spec.c
tests_pipeline_test_spec_CPPFLAGS = $(TEST_CPPFLAGS)
tests_pipeline_test_spec_LDADD = $(TEST_LIBS)
