/* names.c: MPI's functions that the program calls: Weft's where it takes the call, else MPI's own under its second name
 * (MPI 3.1, section 14.2). With MPI 4 also those with wide counts. */
#include "collectives/mpi/tap.h"

#define EXPORT __attribute__((visibility("default")))
#define LIST(p) ((tap_list){ .narrow = (p) })
#define WIDE(p) ((tap_list){ .wide = (p), .bytes = sizeof *(p) })

static int through(int rc) {
    if (tap.reports) tap_note_mpi();
    return rc;
}
#define GO(taken, call)           \
    int rc;                       \
    return (taken) ? rc : through(call)

EXPORT int MPI_Init(int *argc, char ***argv) {
    int rc = PMPI_Init(argc, argv);
    if (rc == MPI_SUCCESS) tap_start();
    return rc;
}

EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    int rc = PMPI_Init_thread(argc, argv, required, provided);
    if (rc == MPI_SUCCESS) tap_start();
    return rc;
}

EXPORT int MPI_Finalize(void) {
    tap_end();
    return PMPI_Finalize();
}

EXPORT int MPI_Barrier(MPI_Comm comm) { GO(tap_barrier(comm, &rc), PMPI_Barrier(comm)); }

EXPORT int MPI_Bcast(void *buf, int n, MPI_Datatype t, int root, MPI_Comm comm) {
    GO(tap_bcast(buf, n, t, root, comm, &rc), PMPI_Bcast(buf, n, t, root, comm));
}

EXPORT int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm) {
    GO(tap_allreduce(in, out, n, t, op, comm, &rc), PMPI_Allreduce(in, out, n, t, op, comm));
}

EXPORT int MPI_Reduce(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm comm) {
    GO(tap_reduce(in, out, n, t, op, root, comm, &rc), PMPI_Reduce(in, out, n, t, op, root, comm));
}

EXPORT int MPI_Reduce_scatter_block(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm) {
    GO(tap_reduce_scatter_block(in, out, n, t, op, comm, &rc), PMPI_Reduce_scatter_block(in, out, n, t, op, comm));
}

EXPORT int MPI_Reduce_scatter(const void *in, void *out, const int n[], MPI_Datatype t, MPI_Op op, MPI_Comm comm) {
    GO(tap_reduce_scatter(in, out, LIST(n), t, op, comm, &rc), PMPI_Reduce_scatter(in, out, n, t, op, comm));
}

EXPORT int MPI_Allgather(const void *in, int n, MPI_Datatype t, void *out, int out_n, MPI_Datatype out_t,
                         MPI_Comm comm) {
    GO(tap_allgather(in, n, t, out, out_n, out_t, comm, &rc), PMPI_Allgather(in, n, t, out, out_n, out_t, comm));
}

EXPORT int MPI_Allgatherv(const void *in, int n, MPI_Datatype t, void *out, const int out_n[], const int at[],
                          MPI_Datatype out_t, MPI_Comm comm) {
    GO(tap_allgatherv(in, n, t, out, LIST(out_n), LIST(at), out_t, comm, &rc),
       PMPI_Allgatherv(in, n, t, out, out_n, at, out_t, comm));
}

EXPORT int MPI_Gather(const void *in, int n, MPI_Datatype t, void *out, int out_n, MPI_Datatype out_t, int root,
                      MPI_Comm comm) {
    GO(tap_gather(in, n, t, out, out_n, out_t, root, comm, &rc), PMPI_Gather(in, n, t, out, out_n, out_t, root, comm));
}

EXPORT int MPI_Scatter(const void *in, int n, MPI_Datatype t, void *out, int out_n, MPI_Datatype out_t, int root,
                       MPI_Comm comm) {
    GO(tap_scatter(in, n, t, out, out_n, out_t, root, comm, &rc),
       PMPI_Scatter(in, n, t, out, out_n, out_t, root, comm));
}

EXPORT int MPI_Alltoall(const void *in, int n, MPI_Datatype t, void *out, int out_n, MPI_Datatype out_t,
                        MPI_Comm comm) {
    GO(tap_alltoall(in, n, t, out, out_n, out_t, comm, &rc), PMPI_Alltoall(in, n, t, out, out_n, out_t, comm));
}

EXPORT int MPI_Alltoallv(const void *in, const int n[], const int at[], MPI_Datatype t, void *out, const int out_n[],
                         const int out_at[], MPI_Datatype out_t, MPI_Comm comm) {
    GO(tap_alltoallv(in, LIST(n), LIST(at), t, out, LIST(out_n), LIST(out_at), out_t, comm, &rc),
       PMPI_Alltoallv(in, n, at, t, out, out_n, out_at, out_t, comm));
}

#if MPI_VERSION >= 4
EXPORT int MPI_Bcast_c(void *buf, MPI_Count n, MPI_Datatype t, int root, MPI_Comm comm) {
    GO(tap_bcast(buf, n, t, root, comm, &rc), PMPI_Bcast_c(buf, n, t, root, comm));
}

EXPORT int MPI_Allreduce_c(const void *in, void *out, MPI_Count n, MPI_Datatype t, MPI_Op op, MPI_Comm comm) {
    GO(tap_allreduce(in, out, n, t, op, comm, &rc), PMPI_Allreduce_c(in, out, n, t, op, comm));
}

EXPORT int MPI_Reduce_c(const void *in, void *out, MPI_Count n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm comm) {
    GO(tap_reduce(in, out, n, t, op, root, comm, &rc), PMPI_Reduce_c(in, out, n, t, op, root, comm));
}

EXPORT int MPI_Reduce_scatter_block_c(const void *in, void *out, MPI_Count n, MPI_Datatype t, MPI_Op op,
                                      MPI_Comm comm) {
    GO(tap_reduce_scatter_block(in, out, n, t, op, comm, &rc), PMPI_Reduce_scatter_block_c(in, out, n, t, op, comm));
}

EXPORT int MPI_Reduce_scatter_c(const void *in, void *out, const MPI_Count n[], MPI_Datatype t, MPI_Op op,
                                MPI_Comm comm) {
    GO(tap_reduce_scatter(in, out, WIDE(n), t, op, comm, &rc), PMPI_Reduce_scatter_c(in, out, n, t, op, comm));
}

EXPORT int MPI_Allgather_c(const void *in, MPI_Count n, MPI_Datatype t, void *out, MPI_Count out_n, MPI_Datatype out_t,
                           MPI_Comm comm) {
    GO(tap_allgather(in, n, t, out, out_n, out_t, comm, &rc), PMPI_Allgather_c(in, n, t, out, out_n, out_t, comm));
}

EXPORT int MPI_Allgatherv_c(const void *in, MPI_Count n, MPI_Datatype t, void *out, const MPI_Count out_n[],
                            const MPI_Aint at[], MPI_Datatype out_t, MPI_Comm comm) {
    GO(tap_allgatherv(in, n, t, out, WIDE(out_n), WIDE(at), out_t, comm, &rc),
       PMPI_Allgatherv_c(in, n, t, out, out_n, at, out_t, comm));
}

EXPORT int MPI_Gather_c(const void *in, MPI_Count n, MPI_Datatype t, void *out, MPI_Count out_n, MPI_Datatype out_t,
                        int root, MPI_Comm comm) {
    GO(tap_gather(in, n, t, out, out_n, out_t, root, comm, &rc),
       PMPI_Gather_c(in, n, t, out, out_n, out_t, root, comm));
}

EXPORT int MPI_Scatter_c(const void *in, MPI_Count n, MPI_Datatype t, void *out, MPI_Count out_n, MPI_Datatype out_t,
                         int root, MPI_Comm comm) {
    GO(tap_scatter(in, n, t, out, out_n, out_t, root, comm, &rc),
       PMPI_Scatter_c(in, n, t, out, out_n, out_t, root, comm));
}

EXPORT int MPI_Alltoall_c(const void *in, MPI_Count n, MPI_Datatype t, void *out, MPI_Count out_n, MPI_Datatype out_t,
                          MPI_Comm comm) {
    GO(tap_alltoall(in, n, t, out, out_n, out_t, comm, &rc), PMPI_Alltoall_c(in, n, t, out, out_n, out_t, comm));
}

EXPORT int MPI_Alltoallv_c(const void *in, const MPI_Count n[], const MPI_Aint at[], MPI_Datatype t, void *out,
                           const MPI_Count out_n[], const MPI_Aint out_at[], MPI_Datatype out_t, MPI_Comm comm) {
    GO(tap_alltoallv(in, WIDE(n), WIDE(at), t, out, WIDE(out_n), WIDE(out_at), out_t, comm, &rc),
       PMPI_Alltoallv_c(in, n, at, t, out, out_n, out_at, out_t, comm));
}
#endif
