# The ways of a call: worlds and handles, rendezvous, memory, messages; then one file per transport and per algorithm.
libweftcore_la_SOURCES += \
	collectives/algorithm.h collectives/block_mail.c collectives/call.c collectives/comm.c collectives/comm.h \
	collectives/geometry.c collectives/geometry.h collectives/meet.c collectives/messages.c collectives/mpi.h \
	collectives/node.c collectives/node.h collectives/reduce.c collectives/reduce.h collectives/segment.c \
	collectives/segment.h collectives/start.c collectives/start_mpi.c collectives/transport.h collectives/transports.def \
	collectives/trouble.c collectives/window_sum.c collectives/world.c collectives/world.h
libweftcore_la_SOURCES += \
	collectives/transport_mpi.c collectives/transport_shm.c collectives/transport_threads.c
libweftcore_la_SOURCES += \
	collectives/all_reduce_messages.c collectives/all_reduce_one_shot.c collectives/all_reduce_two_shot.c \
	collectives/all_reduce_windows.c collectives/barrier_flags.c collectives/barrier_messages.c \
	collectives/move_messages.c collectives/move_place.c collectives/move_staged.c collectives/reduce_scatter_messages.c \
	collectives/reduce_scatter_place.c collectives/reduce_scatter_staged.c

# test_mpi starts ranks under mpirun.
coll_suites = tests/collectives/test_coll tests/collectives/test_mpi tests/collectives/test_reduce tests/collectives/test_segment \
	tests/collectives/test_trouble
check_PROGRAMS += $(coll_suites) tests/collectives/ranks
TESTS += $(coll_suites)
check_LTLIBRARIES += tests/collectives/liblaw.la
tests_collectives_liblaw_la_SOURCES = tests/collectives/law.c tests/collectives/law.h
tests_collectives_liblaw_la_CPPFLAGS = $(TEST_CPPFLAGS)
tests_collectives_test_coll_SOURCES = tests/collectives/test_coll.c
tests_collectives_test_coll_CPPFLAGS = $(TEST_CPPFLAGS)
tests_collectives_test_coll_LDADD = tests/collectives/liblaw.la $(SUPPORT_LIBS)
tests_collectives_test_mpi_SOURCES = tests/collectives/test_mpi.c
tests_collectives_test_mpi_CPPFLAGS = $(TEST_CPPFLAGS)
tests_collectives_test_mpi_LDADD = $(TEST_LIBS)
tests_collectives_test_reduce_SOURCES = tests/collectives/test_reduce.c
tests_collectives_test_reduce_CPPFLAGS = $(TEST_CPPFLAGS)
tests_collectives_test_reduce_LDADD = tests/collectives/liblaw.la $(TEST_LIBS)
tests_collectives_test_segment_SOURCES = tests/collectives/test_segment.c
tests_collectives_test_segment_CPPFLAGS = $(TEST_CPPFLAGS)
tests_collectives_test_segment_LDADD = tests/collectives/liblaw.la $(TEST_LIBS)
tests_collectives_test_trouble_SOURCES = tests/collectives/test_trouble.c
tests_collectives_test_trouble_CPPFLAGS = $(TEST_CPPFLAGS)
tests_collectives_test_trouble_LDADD = tests/collectives/liblaw.la $(TEST_LIBS)
tests_collectives_ranks_SOURCES = tests/collectives/ranks.c
tests_collectives_ranks_CPPFLAGS = $(TEST_CPPFLAGS)
tests_collectives_ranks_LDADD = tests/collectives/liblaw.la libweftcore.la
