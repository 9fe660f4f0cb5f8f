# libweft_mpi: loaded into MPI programs, it takes their collective calls for Weft.
EXTRA_DIST += mpi/kinds.def mpi/takes.def mpi/types.def tests/mpi/fortran.f90 tests/mpi/mpich_tests tests/mpi/test_mpi.sh
if HAVE_MPI
lib_LTLIBRARIES += libweft_mpi.la
libweft_mpi_la_SOURCES = mpi/calls.c mpi/comms.c mpi/fortran.c mpi/muster.c mpi/names.c mpi/report.c mpi/start.c mpi/state.c mpi/tap.h mpi/types.c
libweft_mpi_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
libweft_mpi_la_CFLAGS = $(libweftcore_la_CFLAGS)
libweft_mpi_la_LIBADD = libweft-coll.la $(MPI_LIBS)
# It stays in place: MPI calls it when communicators go. No version: programs load it by name.
libweft_mpi_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version $(stays_loaded)

# Compared with MPI's own calls, in the same process.
helpers += tests/mpi/differ
tests_mpi_differ_CPPFLAGS = $(MPI_CFLAGS)
tests_mpi_differ_LDADD = $(MPI_LIBS)
TESTS += tests/mpi/test_mpi.sh
endif
