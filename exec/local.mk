# exec/: sources and tests of this room
libweftrun_la_SOURCES += \
	exec/archive.c exec/archive.h exec/archive_loc.c exec/build.c exec/build.h exec/cache.c exec/cache.h exec/check.c exec/cpu.c exec/cpu.h exec/executable.c exec/executable.h exec/file.c exec/file.h exec/image.c exec/image.h exec/kernel.c exec/kernel.h exec/load.c exec/load.h exec/step.h exec/symbols.c exec/symbols.h exec/symbols_object.c exec/symbols_perf.c exec/team.c exec/team.h exec/walk.c exec/walk.h

suites += tests/exec/test_cache
suites += tests/exec/test_load
suites += tests/exec/test_symbols
suites += tests/exec/test_file
suites += tests/exec/test_blas_product
suites += tests/exec/test_parts
suites += tests/exec/test_team
tests_support_libsupport_la_SOURCES += tests/exec/inputs.c tests/exec/inputs.h tests/exec/steps.c tests/exec/steps.h

# What reads a compiled program and runs its steps, without LLVM, and what compiles one for it.
helpers += tests/exec/plans tests/exec/reader tests/exec/writer
tests_exec_reader_LDADD = tests/support/libsupport.la libweftrun.la libweftbase.la
TESTS += tests/exec/test_blas.sh tests/exec/test_hosts.sh tests/exec/test_reader.sh
EXTRA_DIST += tests/exec/blas.mlir tests/exec/hosts.mlir tests/exec/reader.mlir tests/exec/test_blas.sh tests/exec/test_hosts.sh tests/exec/test_reader.sh

if FUZZERS
noinst_PROGRAMS += tests/fuzz/fuzz_exec
tests_fuzz_fuzz_exec_SOURCES = tests/fuzz/fuzz_exec.c
tests_fuzz_fuzz_exec_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_exec_LDADD = $(weft_rooms)
endif
