libweftcore_la_SOURCES += runtime/checkpoint.h runtime/checkpoint_read.c runtime/strided.c runtime/strided.h \
	runtime/checkpoint_write.c runtime/digest.c \
	runtime/digest.h runtime/box.c runtime/box.h \
	runtime/host_array.c runtime/host_array.h runtime/buffer.c runtime/buffer.h runtime/client.c runtime/client.h \
	runtime/client_impl.h runtime/device.c runtime/device.h runtime/device_threads.c runtime/device_threads.h \
	runtime/differ.c runtime/differ.h runtime/exchange.c runtime/execute.h \
	runtime/execution.c runtime/fill.c runtime/fill.h \
	runtime/group.c runtime/group.h runtime/launch.c runtime/launch_world.c runtime/layout.c runtime/layout.h \
	runtime/loaded_program.c runtime/loaded_program.h runtime/locked.c runtime/locked.h runtime/memory.c \
	runtime/memory.h runtime/memory_heap.c runtime/memory_host.c runtime/npy.c runtime/piece_writer.c \
	runtime/piece_writer.h runtime/processes.h runtime/program_impl.h \
	runtime/program_file.c runtime/program_file.h runtime/profile.c runtime/profile.h runtime/profile_lines.c \
	runtime/profile_lines.h runtime/ragged.c runtime/ragged.h runtime/safetensors.c runtime/safetensors.h \
	runtime/quick.c runtime/quick.h runtime/session.c runtime/trace.c runtime/trace.h runtime/votes.c runtime/votes.h runtime/work.c \
	runtime/work.h

suites += tests/runtime/test_client
suites += tests/runtime/test_differ
suites += tests/runtime/test_layout
suites += tests/runtime/test_memory
suites += tests/runtime/test_npy
suites += tests/runtime/test_piece_writer
suites += tests/runtime/test_program_file
suites += tests/runtime/test_safetensors
suites += tests/runtime/test_session
suites += tests/runtime/test_work
helpers += tests/runtime/clients tests/runtime/ranks
tests_runtime_clients_CPPFLAGS = $(AM_CPPFLAGS)
tests_runtime_clients_LDADD = $(weft_rooms)
tests_runtime_ranks_CPPFLAGS = $(AM_CPPFLAGS)
tests_runtime_ranks_LDADD = $(weft_rooms)
TESTS += tests/runtime/test_clients.sh tests/runtime/test_endless.sh tests/runtime/test_heard.sh \
	tests/runtime/test_ranks.sh
EXTRA_DIST += tests/runtime/three.h tests/runtime/test_clients.sh tests/runtime/test_collectives.py \
	tests/runtime/test_repeat.py tests/runtime/test_endless.sh tests/runtime/test_heard.sh \
	tests/runtime/test_ranks.sh

if FUZZERS
noinst_PROGRAMS += tests/fuzz/fuzz_program
tests_fuzz_fuzz_program_SOURCES = tests/fuzz/fuzz_program.c
tests_fuzz_fuzz_program_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_program_LDADD = $(weft_rooms)
endif
