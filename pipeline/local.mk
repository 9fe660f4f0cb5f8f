libweftcore_la_SOURCES += \
	pipeline/build.c pipeline/inline.c pipeline/layout.c pipeline/mesh.c pipeline/passes.def pipeline/pipeline.h \
	pipeline/registry.c pipeline/registry.h pipeline/run.c pipeline/spec.c pipeline/support.c

pipeline_tests = tests/pipeline/test_mesh tests/pipeline/test_spec
check_PROGRAMS += $(pipeline_tests)
TESTS += $(pipeline_tests) tests/pipeline/test_passes.sh
EXTRA_DIST += tests/pipeline/test_passes.sh tests/pipeline/inline.mlir
tests_pipeline_test_mesh_SOURCES = tests/pipeline/test_mesh.c
tests_pipeline_test_mesh_CPPFLAGS = $(TEST_CPPFLAGS)
tests_pipeline_test_mesh_LDADD = $(TEST_LIBS)
tests_pipeline_test_spec_SOURCES = tests/pipeline/test_spec.c
tests_pipeline_test_spec_CPPFLAGS = $(TEST_CPPFLAGS)
tests_pipeline_test_spec_LDADD = $(TEST_LIBS)
