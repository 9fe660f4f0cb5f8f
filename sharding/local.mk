# sharding/: meshes, axes, tensor shardings, op sharding rules
libweftcore_la_SOURCES += \
	sharding/axis.c sharding/axis.h sharding/data_flow.c sharding/data_flow.h sharding/mesh.c sharding/mesh.h sharding/projection.c sharding/projection.h \
	sharding/rule.c sharding/rule.h sharding/rule_build.c sharding/rule_build.h \
	sharding/rule_collective.c sharding/rule_custom_call.c sharding/rule_dot.c sharding/rule_gather.c sharding/rule_linalg.c \
	sharding/rule_pointwise.c sharding/rule_reduce.c sharding/rule_shape.c sharding/rule_text.c sharding/rule_text.h sharding/sharding.c sharding/sharding.h sharding/spelling.c sharding/spelling.h \
	sharding/values.c sharding/values.h

suites += tests/sharding/test_axis
suites += tests/sharding/test_rule_text
suites += tests/sharding/test_sharding
suites += tests/sharding/test_spelling
