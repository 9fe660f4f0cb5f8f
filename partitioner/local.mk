# partitioner/: sources and tests of this room
libweftcore_la_SOURCES += \
	partitioner/combine_collectives.c partitioner/cse.c partitioner/explicit_reshards.c partitioner/factor_choice.c partitioner/factor_choice.h partitioner/global_to_local.c \
	partitioner/local.h partitioner/local_collective.c partitioner/local_gather.c partitioner/local_ops.h \
	partitioner/local_shape.c partitioner/local_table.c partitioner/localize.c partitioner/localize.h \
	partitioner/partition.h partitioner/placement.c partitioner/placement.h partitioner/reshard_plan.c \
	partitioner/reshard_plan.h partitioner/reshard_to_collectives.c partitioner/rewrite.c partitioner/rewrite.h
