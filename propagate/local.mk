# propagate/: shardings spread over a program; the passes before and after
libweftcore_la_SOURCES += \
	propagate/aggressive_propagate.c propagate/basic_propagate.c propagate/copy.c propagate/copy.h propagate/data_flow.c \
	propagate/data_flow.h propagate/emit.c propagate/factors_aggressive.c propagate/factors_basic.c propagate/factors.h \
	propagate/groups.c propagate/memo.c propagate/op_priority_propagate.c propagate/options.h propagate/populate_op_sharding_rules.c \
	propagate/propagate.h propagate/run.c propagate/schedule.c propagate/state.c propagate/state.h propagate/user_priority_propagate.c
