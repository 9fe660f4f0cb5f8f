/* fortran.c: Open MPI's Fortran functions call MPI's second names, past any library like this one, so they have doors
 * of their own here: mpif.h and `use mpi` call mpi_bcast_, `use mpi_f08` calls ompi_bcast_f. MPICH's call MPI_Bcast,
 * but those of mpi_f08 that have no buffer, MPI_Init among them, second names: mpi_init_f08_ and others are here, too.
 */
#include "collectives/mpi/tap.h"

#include <stdlib.h>

#if defined OPEN_MPI || !defined MPI_ABI_VERSION
#define EXPORT __attribute__((visibility("default")))

static void say(MPI_Fint *ierr, int rc) {
    if (ierr) *ierr = (MPI_Fint)rc;
}

#define TYPE(t) PMPI_Type_f2c(*(t))
#define OP(op) PMPI_Op_f2c(*(op))
#define COMM(c) PMPI_Comm_f2c(*(c))

/* A function under the names by which compilers call it. */
#ifdef OPEN_MPI
#define DOOR_AS(name, arguments, ...)           \
    EXPORT void mpi_##name##_ arguments;        \
    EXPORT void mpi_##name##__ arguments;       \
    EXPORT void ompi_##name##_f arguments;      \
    void mpi_##name##_ arguments __VA_ARGS__    \
    void mpi_##name##__ arguments __VA_ARGS__   \
    void ompi_##name##_f arguments __VA_ARGS__
#else
#define DOOR_AS(name, arguments, ...)           \
    EXPORT void mpi_##name##_f08_ arguments;    \
    void mpi_##name##_f08_ arguments __VA_ARGS__
#endif
#define DOOR(name, arguments, call) DOOR_AS(name, arguments, { say(ierr, call); })
/* The same for a function that gives a request. */
#define LATER(name, arguments, call)             \
    DOOR_AS(name, arguments, {                   \
        MPI_Request q = MPI_REQUEST_NULL;        \
        int rc = call;                           \
        *request = PMPI_Request_c2f(q);          \
        say(ierr, rc);                           \
    })

DOOR(init, (MPI_Fint *ierr), MPI_Init(NULL, NULL))
DOOR(init_thread, (MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierr),
     MPI_Init_thread(NULL, NULL, *required, provided))
DOOR(finalize, (MPI_Fint *ierr), MPI_Finalize())
DOOR(barrier, (MPI_Fint *comm, MPI_Fint *ierr), MPI_Barrier(COMM(comm)))
LATER(ibarrier, (MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierr),
      MPI_Ibarrier(COMM(comm), &q))

#ifdef OPEN_MPI

/* Addresses that stand for MPI_BOTTOM and MPI_IN_PLACE: common blocks of programs in Fortran, else not there. */
extern int mpi_fortran_bottom_ __attribute__((weak));
extern int mpi_fortran_in_place_ __attribute__((weak));

static void *buffer(char *p) {
    if (p && p == (char *)&mpi_fortran_bottom_) return MPI_BOTTOM;
    if (p && p == (char *)&mpi_fortran_in_place_) return MPI_IN_PLACE;
    return p;
}

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of counts are passed on as they are");

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

LATER(ibcast, (char *buf, MPI_Fint *n, MPI_Fint *t, MPI_Fint *root, MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierr),
      MPI_Ibcast(buffer(buf), *n, TYPE(t), *root, COMM(comm), &q))
LATER(iallreduce, (char *in, char *out, MPI_Fint *n, MPI_Fint *t, MPI_Fint *op, MPI_Fint *comm, MPI_Fint *request,
                   MPI_Fint *ierr),
      MPI_Iallreduce(buffer(in), buffer(out), *n, TYPE(t), OP(op), COMM(comm), &q))
LATER(ireduce, (char *in, char *out, MPI_Fint *n, MPI_Fint *t, MPI_Fint *op, MPI_Fint *root, MPI_Fint *comm,
                MPI_Fint *request, MPI_Fint *ierr),
      MPI_Ireduce(buffer(in), buffer(out), *n, TYPE(t), OP(op), *root, COMM(comm), &q))
LATER(ireduce_scatter_block, (char *in, char *out, MPI_Fint *n, MPI_Fint *t, MPI_Fint *op, MPI_Fint *comm,
                              MPI_Fint *request, MPI_Fint *ierr),
      MPI_Ireduce_scatter_block(buffer(in), buffer(out), *n, TYPE(t), OP(op), COMM(comm), &q))
LATER(ireduce_scatter, (char *in, char *out, MPI_Fint *n, MPI_Fint *t, MPI_Fint *op, MPI_Fint *comm,
                        MPI_Fint *request, MPI_Fint *ierr),
      MPI_Ireduce_scatter(buffer(in), buffer(out), n, TYPE(t), OP(op), COMM(comm), &q))
LATER(iallgather, (char *in, MPI_Fint *n, MPI_Fint *t, char *out, MPI_Fint *out_n, MPI_Fint *out_t, MPI_Fint *comm,
                   MPI_Fint *request, MPI_Fint *ierr),
      MPI_Iallgather(buffer(in), *n, TYPE(t), buffer(out), *out_n, TYPE(out_t), COMM(comm), &q))
LATER(iallgatherv, (char *in, MPI_Fint *n, MPI_Fint *t, char *out, MPI_Fint *out_n, MPI_Fint *at, MPI_Fint *out_t,
                    MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierr),
      MPI_Iallgatherv(buffer(in), *n, TYPE(t), buffer(out), out_n, at, TYPE(out_t), COMM(comm), &q))
LATER(igather, (char *in, MPI_Fint *n, MPI_Fint *t, char *out, MPI_Fint *out_n, MPI_Fint *out_t, MPI_Fint *root,
                MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierr),
      MPI_Igather(buffer(in), *n, TYPE(t), buffer(out), *out_n, TYPE(out_t), *root, COMM(comm), &q))
LATER(iscatter, (char *in, MPI_Fint *n, MPI_Fint *t, char *out, MPI_Fint *out_n, MPI_Fint *out_t, MPI_Fint *root,
                 MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierr),
      MPI_Iscatter(buffer(in), *n, TYPE(t), buffer(out), *out_n, TYPE(out_t), *root, COMM(comm), &q))
LATER(ialltoall, (char *in, MPI_Fint *n, MPI_Fint *t, char *out, MPI_Fint *out_n, MPI_Fint *out_t, MPI_Fint *comm,
                  MPI_Fint *request, MPI_Fint *ierr),
      MPI_Ialltoall(buffer(in), *n, TYPE(t), buffer(out), *out_n, TYPE(out_t), COMM(comm), &q))
LATER(ialltoallv, (char *in, MPI_Fint *n, MPI_Fint *at, MPI_Fint *t, char *out, MPI_Fint *out_n, MPI_Fint *out_at,
                   MPI_Fint *out_t, MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierr),
      MPI_Ialltoallv(buffer(in), n, at, TYPE(t), buffer(out), out_n, out_at, TYPE(out_t), COMM(comm), &q))

#endif

/* --- requests and communicators ----------------------------------------------------------------------------------- */

DOOR_AS(start, (MPI_Fint *request, MPI_Fint *ierr), {
    MPI_Request q = PMPI_Request_f2c(*request);
    int rc = MPI_Start(&q);
    *request = PMPI_Request_c2f(q);
    say(ierr, rc);
})
DOOR_AS(request_free, (MPI_Fint *request, MPI_Fint *ierr), {
    MPI_Request q = PMPI_Request_f2c(*request);
    int rc = MPI_Request_free(&q);
    *request = PMPI_Request_c2f(q);
    say(ierr, rc);
})
static int start_all(int n, MPI_Fint *requests) {
    MPI_Request *q = malloc((size_t)(n > 0 ? n : 1) * sizeof *q);
    if (!q) return MPI_ERR_NO_MEM;
    for (int i = 0; i < n; i++) q[i] = PMPI_Request_f2c(requests[i]);
    int rc = MPI_Startall(n, q);
    for (int i = 0; i < n; i++) requests[i] = PMPI_Request_c2f(q[i]);
    free(q);
    return rc;
}
DOOR(startall, (MPI_Fint *n, MPI_Fint *requests, MPI_Fint *ierr), start_all(*n, requests))

/* The same for a function that makes a communicator. */
#define MADE(name, arguments, call)              \
    DOOR_AS(name, arguments, {                   \
        MPI_Comm c = MPI_COMM_NULL;              \
        int rc = call;                           \
        *made = PMPI_Comm_c2f(c);                \
        say(ierr, rc);                           \
    })

MADE(comm_dup, (MPI_Fint *comm, MPI_Fint *made, MPI_Fint *ierr), MPI_Comm_dup(COMM(comm), &c))
MADE(comm_dup_with_info, (MPI_Fint *comm, MPI_Fint *info, MPI_Fint *made, MPI_Fint *ierr),
     MPI_Comm_dup_with_info(COMM(comm), PMPI_Info_f2c(*info), &c))
MADE(comm_split, (MPI_Fint *comm, MPI_Fint *colour, MPI_Fint *key, MPI_Fint *made, MPI_Fint *ierr),
     MPI_Comm_split(COMM(comm), *colour, *key, &c))
MADE(comm_split_type, (MPI_Fint *comm, MPI_Fint *type, MPI_Fint *key, MPI_Fint *info, MPI_Fint *made, MPI_Fint *ierr),
     MPI_Comm_split_type(COMM(comm), *type, *key, PMPI_Info_f2c(*info), &c))
MADE(comm_create, (MPI_Fint *comm, MPI_Fint *group, MPI_Fint *made, MPI_Fint *ierr),
     MPI_Comm_create(COMM(comm), PMPI_Group_f2c(*group), &c))
DOOR_AS(comm_free, (MPI_Fint *comm, MPI_Fint *ierr), {
    MPI_Comm c = COMM(comm);
    int rc = MPI_Comm_free(&c);
    if (rc == MPI_SUCCESS) *comm = PMPI_Comm_c2f(c);
    say(ierr, rc);
})
DOOR_AS(comm_disconnect, (MPI_Fint *comm, MPI_Fint *ierr), {
    MPI_Comm c = COMM(comm);
    int rc = MPI_Comm_disconnect(&c);
    if (rc == MPI_SUCCESS) *comm = PMPI_Comm_c2f(c);
    say(ierr, rc);
})
#else
typedef int tap_no_fortran; /* a file with something in it */
#endif
