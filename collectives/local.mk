libweftcore_la_SOURCES += \
	collectives/algorithm.h collectives/call.c collectives/comm.c collectives/comm.h collectives/geometry.c collectives/geometry.h \
	collectives/meet.c collectives/node.c collectives/node.h collectives/reduce.c collectives/reduce.h collectives/segment.c \
	collectives/segment.h collectives/start_mpi.c collectives/transport.h collectives/transports.def collectives/transport_threads.c \
	collectives/trouble.c collectives/world.c collectives/world.h \
	collectives/all_reduce_one_shot.c collectives/all_reduce_two_shot.c collectives/all_reduce_windows.c \
	collectives/barrier_flags.c collectives/move_place.c collectives/move_staged.c \
	collectives/reduce_scatter_place.c collectives/reduce_scatter_staged.c
