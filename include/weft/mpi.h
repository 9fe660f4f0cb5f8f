/* mpi.h: worlds on the processes of an MPI communicator, for programs that use MPI themselves.
 *
 * A world takes any intra-communicator: MPI_COMM_WORLD, a part of it by MPI_Comm_split, MPI_COMM_SELF. It works on a
 * duplicate, so its messages never mix with the program's. There may be several worlds at once, also on communicators
 * that overlap, and new ones on a communicator whose world was freed. Each world finds anew which processes share a
 * machine.
 *
 * The program initialises MPI first, with MPI_THREAD_SERIALIZED if a process has several ranks or runs jobs, and
 * finalises it after all worlds were freed. Under MPI_THREAD_SERIALIZED it calls MPI only while none of its threads is
 * in a call of Weft.
 *
 *     MPI_Comm half;
 *     MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
 *     weft_world_options o = { .local_ranks = 1, .size = sizeof o };
 *     weft_world_create_mpi_comm(cx, half, &o, &world);
 *     weft_job_options jo = { .world = world, .size = sizeof jo };
 *     weft_job_open(cx, graph, &jo, &job);
 */
#ifndef WEFT_MPI_H
#define WEFT_MPI_H

#include <mpi.h>
#include <weft/coll.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ranks of all processes of comm: those of its process p follow those of p - 1. Collective over comm. Errors:
 * WEFT_ERR_USAGE for MPI_COMM_NULL, an inter-communicator, or MPI that is not initialised or finalised already;
 * WEFT_ERR_UNSUPPORTED when Weft was built without MPI. */
static inline weft_status weft_world_create_mpi_comm(weft_context *cx, MPI_Comm comm, const weft_world_options *opt,
                                                     weft_world **out) {
    return weft_world_create_mpi_handle(cx, &comm, sizeof comm, opt, out);
}

#ifdef __cplusplus
}
#endif
#endif
