# Benchmarks: programs that print figures; nothing of them is built or run by make check.
EXTRA_DIST += bench/bound.py bench/coll_ccl.cpp bench/coll_mpi.c bench/collectives bench/against bench/auto.py bench/differentiate.py bench/distributed.py bench/examples bench/first_step bench/fit_machines bench/hosts bench/idiom_cases.py bench/idioms bench/jax bench/least_bytes.py bench/llm_c bench/lookups.py bench/kernels bench/loops bench/machine.py bench/math bench/memory bench/model_sizes.py bench/model_steps.py bench/model_steps_torch.py bench/models bench/overlap bench/partition bench/propagate bench/published bench/published_program.py bench/step bench/sorts.py bench/stencils.py bench/threads

# The solver of cost networks on the instances of google/iopddl, of which there is a checkout elsewhere.
noinst_PROGRAMS += bench/network
bench_network_SOURCES = bench/network.c
bench_network_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
bench_network_LDADD = $(weft_rooms) $(JANSSON_LIBS)

# Reading, propagating and printing, beside Shardy's: the script bench/propagate runs both.
noinst_PROGRAMS += bench/propagation
bench_propagation_SOURCES = bench/propagation.c
bench_propagation_LDADD = $(weft_rooms)

# What a checkpoint takes, beside the disk: bench/checkpoint DIR.
noinst_PROGRAMS += bench/checkpoint
bench_checkpoint_SOURCES = bench/checkpoint.c
bench_checkpoint_LDADD = libweft.la
# The memory of each process of a sharded start: mpirun -n 4 bench/start.
noinst_PROGRAMS += bench/start
bench_start_SOURCES = bench/start.c
bench_start_LDADD = libweft.la

# Weft's collectives beside MPI's own: mpirun -n 2 bench/coll; bench/collectives runs it, and coll_mpi.c with MPICH.
if HAVE_MPI
noinst_PROGRAMS += bench/coll
bench_coll_SOURCES = bench/coll.c bench/coll_mpi.h
bench_coll_CPPFLAGS = -I$(top_srcdir)/include $(MPI_CFLAGS)
bench_coll_LDADD = libweft-coll.la $(MPI_LIBS)
# libweft_mpi's calls beside MPI's: mpirun -n 2 -x LD_PRELOAD=.libs/libweft_mpi.so bench/mpi
noinst_PROGRAMS += bench/mpi
bench_mpi_SOURCES = bench/mpi.c bench/coll_mpi.h
bench_mpi_CPPFLAGS = $(MPI_CFLAGS)
bench_mpi_LDADD = $(MPI_LIBS)
noinst_PROGRAMS += bench/mpi_kernels
bench_mpi_kernels_CPPFLAGS = $(MPI_CFLAGS)
bench_mpi_kernels_LDADD = $(MPI_LIBS) -lm
endif
