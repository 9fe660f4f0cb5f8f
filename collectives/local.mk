# The ways of a call: worlds and handles, rendezvous, memory, messages; then one file per transport and per algorithm.
libweftbase_la_SOURCES += \
	collectives/algorithm.h collectives/api.c collectives/bind.c collectives/block_mail.c collectives/bootstrap.c collectives/caches.c collectives/call.c collectives/clock.c collectives/comm.c collectives/comm.h \
	collectives/door.c collectives/door.h collectives/flight.c collectives/flight.h collectives/flight_write.c collectives/geometry.c collectives/geometry.h collectives/host.c collectives/launchers.def collectives/meet.c collectives/messages.c collectives/mpi.h collectives/mpi_wait.c \
	collectives/node.c collectives/node.h collectives/packages.c collectives/posts.c collectives/proof.c collectives/proof.h collectives/progress.c collectives/progress.h collectives/reach.c collectives/reach.h collectives/request.c \
	collectives/rendezvous.h collectives/rendezvous_file.c collectives/rendezvous_folder.c collectives/rendezvous_folder.h collectives/rendezvous_tcp.c collectives/request.h collectives/run.c collectives/run.h \
	collectives/schedule.c collectives/schedule.h collectives/schedule_run.c collectives/seats.c collectives/staging.c collectives/switches.c collectives/turn.c collectives/ways.c collectives/schedules.def collectives/segment.c \
	collectives/segment.h collectives/select.c collectives/start.c collectives/start_gatherer.c collectives/start_mpi.c collectives/start_rendezvous.c collectives/start_threads.c collectives/stay.h collectives/store.c collectives/store.h collectives/stream.c collectives/stream.h \
	collectives/sum_members.c collectives/sum_place.c collectives/transport.h collectives/transports.def collectives/trouble.c collectives/tuned.c collectives/watch.c collectives/watch.h collectives/window_sum.c collectives/world.c collectives/world.h
libweftbase_la_SOURCES += \
	collectives/reduce.c collectives/reduce.h collectives/reduce_floats.c collectives/reduce_halves.c collectives/reduce_i8.c \
	collectives/reduce_i16.c collectives/reduce_i32.c collectives/reduce_i64.c collectives/reduce_integers.h collectives/reduce_kernels.h \
	collectives/reduce_narrow.c collectives/reduce_small_floats.c
libweftbase_la_SOURCES += \
	collectives/tcp.h collectives/tcp_address.c collectives/tcp_connect.c collectives/tcp_message.c collectives/tcp_queue.c \
	collectives/transport_mpi.c collectives/transport_shm.c collectives/transport_tcp.c collectives/transport_threads.c collectives/transport_ucx.c \
	collectives/ucx_log.c collectives/ucx_log.h collectives/ucx_signals.c collectives/wire.c collectives/wire.h collectives/words.c collectives/words.h
libweftbase_la_SOURCES += \
	collectives/all_reduce_messages.c collectives/all_reduce_one_shot.c collectives/all_reduce_pull.c collectives/all_reduce_two_shot.c \
	collectives/all_reduce_windows.c collectives/barrier_flags.c collectives/barrier_messages.c \
	collectives/move_messages.c collectives/move_place.c collectives/move_pull.c collectives/move_staged.c collectives/sum_messages.c \
	collectives/reduce_scatter_place.c collectives/reduce_scatter_staged.c
libweftbase_la_SOURCES += \
	collectives/all_gather_hierarchical.c collectives/all_reduce_hierarchical.c collectives/barrier_dissemination.c collectives/binomial.c collectives/bruck.c collectives/double_tree.c collectives/doubling.c \
	collectives/level_chain.c collectives/level_exchange.c collectives/level_tree.c collectives/levels.c collectives/levels.h collectives/neighbour.c collectives/pairwise.c collectives/reduce_scatter_hierarchical.c collectives/ring.c collectives/split.c collectives/split_rail.c

suites += tests/collectives/test_coll
suites += tests/collectives/test_door
suites += tests/collectives/test_gatherer
suites += tests/collectives/test_kill
suites += tests/collectives/test_long
suites += tests/collectives/test_meeting
suites += tests/collectives/test_misuse
suites += tests/collectives/test_mpi
suites += tests/collectives/test_nodes
suites += tests/collectives/test_packages
suites += tests/collectives/test_progress
suites += tests/collectives/test_reduce
suites += tests/collectives/test_rendezvous
suites += tests/collectives/test_requests
suites += tests/collectives/test_schedule
suites += tests/collectives/test_segment
suites += tests/collectives/test_split
suites += tests/collectives/test_stream
suites += tests/collectives/test_tcp
suites += tests/collectives/test_tcp_trouble
suites += tests/collectives/test_trouble
suites += tests/collectives/test_tuned
helpers += tests/collectives/ranks # what the tests of several processes start
tests_collectives_ranks_LDADD = tests/support/libsupport.la libweftbase.la $(CHECK_LIBS)
EXTRA_tests_collectives_test_kill_DEPENDENCIES = tests/collectives/ranks$(EXEEXT)
EXTRA_tests_collectives_test_mpi_DEPENDENCIES = tests/collectives/ranks$(EXEEXT)
EXTRA_tests_collectives_test_rendezvous_DEPENDENCIES = tests/collectives/ranks$(EXEEXT)
TESTS += tests/collectives/test_alone.sh tests/collectives/test_hosts.sh
long_tests += tests/collectives/test_mpi_long.sh tests/collectives/test_slurm.sh
EXTRA_DIST += tests/collectives/test_mpi_long.sh tests/collectives/test_slurm.sh
EXTRA_DIST += tests/collectives/alone.c tests/collectives/test_alone.sh tests/collectives/test_hosts.sh
tests_support_libsupport_la_SOURCES += tests/collectives/latecomer.c tests/collectives/latecomer.h tests/collectives/long_moves.h tests/collectives/law.c tests/collectives/law.h tests/collectives/law_sums.c tests/collectives/loopback.c tests/collectives/loopback.h tests/collectives/tcp_pair.c tests/collectives/tcp_pair.h
TESTS += tests/model/test_models.sh tests/model/test_weak.sh
EXTRA_DIST += tests/fuzz/peer tests/fuzz/start tests/model/flight.pml tests/model/meet.pml tests/model/test_models.sh tests/model/test_weak.sh tests/model/weak.c tests/model/weak.h tests/model/weak_litmus.c tests/model/weak_main.c tests/model/weak_node.c tests/model/weak_node.h tests/model/weak_sites.h
if FUZZERS
noinst_PROGRAMS += tests/fuzz/fuzz_peer tests/fuzz/fuzz_start
tests_fuzz_fuzz_peer_SOURCES = tests/fuzz/counted.h tests/fuzz/fuzz_peer.c
tests_fuzz_fuzz_peer_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_peer_LDADD = libweftbase.la
tests_fuzz_fuzz_start_SOURCES = tests/fuzz/counted.h tests/fuzz/fuzz_start.c
tests_fuzz_fuzz_start_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_start_LDADD = libweftbase.la
endif
# weft_torch: a backend of torch.distributed, built by setuptools
EXTRA_DIST += python/weft_torch/csrc/backend.cpp python/weft_torch/csrc/backend.h python/weft_torch/csrc/call.cpp python/weft_torch/csrc/call.h python/weft_torch/csrc/clock.h \
	python/weft_torch/csrc/launch.cpp python/weft_torch/csrc/launch.h python/weft_torch/csrc/mail.cpp python/weft_torch/csrc/mail.h python/weft_torch/csrc/meeting.cpp \
	python/weft_torch/csrc/module.cpp python/weft_torch/csrc/operands.cpp python/weft_torch/csrc/operands.h python/weft_torch/csrc/unit.cpp python/weft_torch/csrc/world.cpp \
	python/weft_torch/csrc/world.h python/weft_torch/pyproject.toml python/weft_torch/setup.py python/weft_torch/weft_torch/__init__.py tests/torch/alone.py \
	tests/torch/conftest.py tests/torch/failures.py tests/torch/laws.py tests/torch/own.py tests/torch/program.py tests/torch/ranks.py \
	tests/torch/stores.py tests/torch/test_failures.py tests/torch/test_launchers.py tests/torch/test_laws.py tests/torch/test_torchs_own.py tests/torch/test_training.py \
	tests/torch/training.py
