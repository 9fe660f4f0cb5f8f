# libweft_mpi: loaded into MPI programs, it takes their collective calls for Weft.
EXTRA_DIST += collectives/mpi/kinds.def collectives/mpi/names.def collectives/mpi/takes.def collectives/mpi/types.def tests/collectives/mpi/fortran.f90 tests/collectives/mpi/fortran08.f90 tests/collectives/mpi/mpich_tests tests/collectives/mpi/test_mpi.sh
if HAVE_MPI
lib_LTLIBRARIES += libweft_mpi.la
libweft_mpi_la_SOURCES = collectives/mpi/calls.c collectives/mpi/carry.c collectives/mpi/comms.c collectives/mpi/each.c collectives/mpi/fortran.c collectives/mpi/hook.c collectives/mpi/later.c collectives/mpi/muster.c collectives/mpi/names.c collectives/mpi/report.c collectives/mpi/start.c collectives/mpi/state.c collectives/mpi/tap.h collectives/mpi/types.c
libweft_mpi_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
libweft_mpi_la_CFLAGS = $(libweftcore_la_CFLAGS)
libweft_mpi_la_LIBADD = libweft-coll.la $(MPI_LIBS)
# It stays in place: MPI calls it when communicators go. No version: programs load it by name.
libweft_mpi_la_LDFLAGS = $(product_ldflags) -module -avoid-version $(stays_loaded)

# Compared with MPI's own calls, in the same process.
helpers += tests/collectives/mpi/differ
tests_collectives_mpi_differ_CPPFLAGS = $(MPI_CFLAGS)
tests_collectives_mpi_differ_LDADD = $(MPI_LIBS)
helpers += tests/collectives/mpi/requests
tests_collectives_mpi_requests_CPPFLAGS = $(MPI_CFLAGS)
tests_collectives_mpi_requests_LDADD = $(MPI_LIBS)
TESTS += tests/collectives/mpi/test_mpi.sh
endif
