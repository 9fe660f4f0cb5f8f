/* fortran.c: Open MPI's Fortran functions call MPI's second names, past any library like this one, so they have doors
 * of their own here: mpif.h and `use mpi` call mpi_bcast_, `use mpi_f08` calls ompi_bcast_f. MPICH's Fortran functions
 * call MPI_Bcast. */
#include "collectives/mpi/tap.h"

#ifdef OPEN_MPI
#define EXPORT __attribute__((visibility("default")))

/* Addresses that stand for MPI_BOTTOM and MPI_IN_PLACE: common blocks of programs in Fortran, else not there. */
extern int mpi_fortran_bottom_ __attribute__((weak));
extern int mpi_fortran_in_place_ __attribute__((weak));

static void *buffer(char *p) {
    if (p && p == (char *)&mpi_fortran_bottom_) return MPI_BOTTOM;
    if (p && p == (char *)&mpi_fortran_in_place_) return MPI_IN_PLACE;
    return p;
}

static void say(MPI_Fint *ierr, int rc) {
    if (ierr) *ierr = (MPI_Fint)rc;
}

#define TYPE(t) PMPI_Type_f2c(*(t))
#define OP(op) PMPI_Op_f2c(*(op))
#define COMM(c) PMPI_Comm_f2c(*(c))

/* A function under the names by which compilers call it. */
#define DOOR(name, arguments, call)                     \
    EXPORT void mpi_##name##_ arguments;                \
    EXPORT void mpi_##name##__ arguments;               \
    EXPORT void ompi_##name##_f arguments;              \
    void mpi_##name##_ arguments { say(ierr, call); }   \
    void mpi_##name##__ arguments { say(ierr, call); }  \
    void ompi_##name##_f arguments { say(ierr, call); }

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of counts are passed on as they are");

DOOR(init, (MPI_Fint *ierr), MPI_Init(NULL, NULL))
DOOR(init_thread, (MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierr),
     MPI_Init_thread(NULL, NULL, *required, provided))
DOOR(finalize, (MPI_Fint *ierr), MPI_Finalize())
DOOR(barrier, (MPI_Fint *comm, MPI_Fint *ierr), MPI_Barrier(COMM(comm)))
DOOR(bcast, (char *buf, MPI_Fint *n, MPI_Fint *t, MPI_Fint *root, MPI_Fint *comm, MPI_Fint *ierr),
     MPI_Bcast(buffer(buf), *n, TYPE(t), *root, COMM(comm)))
DOOR(allreduce, (char *in, char *out, MPI_Fint *n, MPI_Fint *t, MPI_Fint *op, MPI_Fint *comm, MPI_Fint *ierr),
     MPI_Allreduce(buffer(in), buffer(out), *n, TYPE(t), OP(op), COMM(comm)))
DOOR(reduce, (char *in, char *out, MPI_Fint *n, MPI_Fint *t, MPI_Fint *op, MPI_Fint *root, MPI_Fint *comm,
              MPI_Fint *ierr),
     MPI_Reduce(buffer(in), buffer(out), *n, TYPE(t), OP(op), *root, COMM(comm)))
DOOR(reduce_scatter_block, (char *in, char *out, MPI_Fint *n, MPI_Fint *t, MPI_Fint *op, MPI_Fint *comm,
                            MPI_Fint *ierr),
     MPI_Reduce_scatter_block(buffer(in), buffer(out), *n, TYPE(t), OP(op), COMM(comm)))
DOOR(reduce_scatter, (char *in, char *out, MPI_Fint *n, MPI_Fint *t, MPI_Fint *op, MPI_Fint *comm, MPI_Fint *ierr),
     MPI_Reduce_scatter(buffer(in), buffer(out), n, TYPE(t), OP(op), COMM(comm)))
DOOR(allgather, (char *in, MPI_Fint *n, MPI_Fint *t, char *out, MPI_Fint *out_n, MPI_Fint *out_t, MPI_Fint *comm,
                 MPI_Fint *ierr),
     MPI_Allgather(buffer(in), *n, TYPE(t), buffer(out), *out_n, TYPE(out_t), COMM(comm)))
DOOR(allgatherv, (char *in, MPI_Fint *n, MPI_Fint *t, char *out, MPI_Fint *out_n, MPI_Fint *at, MPI_Fint *out_t,
                  MPI_Fint *comm, MPI_Fint *ierr),
     MPI_Allgatherv(buffer(in), *n, TYPE(t), buffer(out), out_n, at, TYPE(out_t), COMM(comm)))
DOOR(gather, (char *in, MPI_Fint *n, MPI_Fint *t, char *out, MPI_Fint *out_n, MPI_Fint *out_t, MPI_Fint *root,
              MPI_Fint *comm, MPI_Fint *ierr),
     MPI_Gather(buffer(in), *n, TYPE(t), buffer(out), *out_n, TYPE(out_t), *root, COMM(comm)))
DOOR(scatter, (char *in, MPI_Fint *n, MPI_Fint *t, char *out, MPI_Fint *out_n, MPI_Fint *out_t, MPI_Fint *root,
               MPI_Fint *comm, MPI_Fint *ierr),
     MPI_Scatter(buffer(in), *n, TYPE(t), buffer(out), *out_n, TYPE(out_t), *root, COMM(comm)))
DOOR(alltoall, (char *in, MPI_Fint *n, MPI_Fint *t, char *out, MPI_Fint *out_n, MPI_Fint *out_t, MPI_Fint *comm,
                MPI_Fint *ierr),
     MPI_Alltoall(buffer(in), *n, TYPE(t), buffer(out), *out_n, TYPE(out_t), COMM(comm)))
DOOR(alltoallv, (char *in, MPI_Fint *n, MPI_Fint *at, MPI_Fint *t, char *out, MPI_Fint *out_n, MPI_Fint *out_at,
                 MPI_Fint *out_t, MPI_Fint *comm, MPI_Fint *ierr),
     MPI_Alltoallv(buffer(in), n, at, TYPE(t), buffer(out), out_n, out_at, TYPE(out_t), COMM(comm)))
#else
typedef int tap_no_fortran; /* a file with something in it */
#endif
