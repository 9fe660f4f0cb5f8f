# sharding/: meshes, axes, tensor shardings, op sharding rules
libweftcore_la_SOURCES += \
	sharding/axis.c sharding/axis.h sharding/mesh.c sharding/mesh.h sharding/projection.c sharding/projection.h \
	sharding/rule.c sharding/rule.h sharding/rule_build.h \
	sharding/rule_collective.c sharding/rule_custom_call.c sharding/rule_dot.c sharding/rule_gather.c sharding/rule_linalg.c \
	sharding/rule_pointwise.c sharding/rule_reduce.c sharding/rule_shape.c sharding/sharding.c sharding/sharding.h \
	sharding/values.c sharding/values.h

check_PROGRAMS += tests/sharding/test_axis tests/sharding/test_sharding
TESTS += tests/sharding/test_axis tests/sharding/test_sharding
tests_sharding_test_axis_SOURCES = tests/sharding/test_axis.c
tests_sharding_test_axis_CPPFLAGS = $(TEST_CPPFLAGS)
tests_sharding_test_axis_LDADD = $(SUPPORT_LIBS)
tests_sharding_test_sharding_SOURCES = tests/sharding/test_sharding.c
tests_sharding_test_sharding_CPPFLAGS = $(TEST_CPPFLAGS)
tests_sharding_test_sharding_LDADD = $(SUPPORT_LIBS)
