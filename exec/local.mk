# exec/: sources and tests of this room
libweftrun_la_SOURCES += \
	exec/archive.c exec/archive.h exec/archive_loc.c exec/check.c exec/executable.c exec/executable.h exec/file.c exec/file.h exec/image.c exec/image.h exec/kernel.c exec/kernel.h exec/load.c exec/load.h exec/step.h exec/walk.c exec/walk.h

suites += tests/exec/test_load
suites += tests/exec/test_file

if FUZZERS
noinst_PROGRAMS += tests/fuzz/fuzz_exec
tests_fuzz_fuzz_exec_SOURCES = tests/fuzz/fuzz_exec.c
tests_fuzz_fuzz_exec_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_exec_LDADD = $(weft_rooms)
endif
