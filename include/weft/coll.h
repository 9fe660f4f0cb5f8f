/* coll.h: Weft's collectives, usable without the compiler.
 *
 * A communicator is a group of ranks that call the same operations in the same order. A rank is one device: a thread of
 * this process or of another one. Each rank has its own weft_comm handle, used by one thread at a time. Buffers that
 * come from weft_comm_alloc are visible to the other ranks of the node and are read in place; others are staged.
 * Between threads of one process every buffer is read in place.
 *
 * Sums are taken in rank order, so that they do not depend on size, algorithm or in-place-ness. Floats of 16 bits and less
 * are added in f32 and rounded once.
 *
 * Trouble: when a rank calls something else, dies, leaves, or does not come in time, every rank's call returns
 * WEFT_ERR_PEER with a diagnostic in its handle's context that names the rank and the call; from then on all calls of
 * the world do. What a call had to write is then undefined.
 */
#ifndef WEFT_COLL_H
#define WEFT_COLL_H

#include <weft/weft.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_world weft_world; /* all ranks, and the memory and transports that they share: one per process */
typedef struct weft_comm weft_comm;   /* one rank's handle on a group of ranks */

typedef enum weft_op_reduce { WEFT_SUM, WEFT_PRODUCT, WEFT_MIN, WEFT_MAX, WEFT_AND, WEFT_OR, WEFT_XOR } weft_op_reduce;

/* Element types, by MLIR's names: "f32", "bf16", "i64", "i1", "complex<f32>" ... see weft_coll_type. 0 is none. */
typedef int weft_coll_dtype;
WEFT_API weft_coll_dtype weft_coll_type(const char *name);

typedef enum weft_bind { WEFT_BIND_NONE, WEFT_BIND_CORES } weft_bind;

typedef struct weft_world_options {
    int local_ranks;         /* ranks (devices) that live in this process */
    double timeout_s;        /* how long a rank waits for its peers before it reports them; 0: 30 s; negative: for ever */
    weft_bind bind;          /* bind rank threads by hwloc when they call weft_world_bind */
    const char *transport;   /* between processes. "shm": shared memory within a node, messages between nodes; "mpi": messages
                              * only, as if every process were a node of its own. NULL: what the environment's
                              * WEFT_TRANSPORT says, else "shm" */
    const char *algorithms;  /* forced where they apply: "all_reduce=windows,all_gather=small" (names of cost/algorithms.def);
                              * NULL: the cheapest by the cost model */
} weft_world_options;

/* All ranks are threads of this process. */
WEFT_API weft_status weft_world_create_threads(weft_context *cx, const weft_world_options *opt, weft_world **out);
/* Ranks of all processes of MPI_COMM_WORLD: process p's ranks follow those of p - 1. Collective over processes. MPI is
 * initialised if it is not, and then finalised by weft_world_free: a program that makes several such worlds, or calls MPI
 * itself, initialises it first, with MPI_THREAD_SERIALIZED when a process has several ranks. WEFT_ERR_UNSUPPORTED when built without MPI. */
WEFT_API weft_status weft_world_create_mpi(weft_context *cx, const weft_world_options *opt, weft_world **out);
WEFT_API void weft_world_free(weft_world *w); /* after its comms; collective over processes */

WEFT_API int weft_world_size(const weft_world *w);       /* ranks in all */
WEFT_API int weft_world_first(const weft_world *w);      /* first rank of this process */
WEFT_API int weft_world_local(const weft_world *w);      /* ranks of this process */
WEFT_API int weft_world_process(const weft_world *w);    /* this process's number */
WEFT_API int weft_world_processes(const weft_world *w);
/* Binds the calling thread to where this rank belongs. */
WEFT_API weft_status weft_world_bind(weft_world *w, int rank);

/* The handle of local rank `rank` (a world rank) on all ranks. Called by each local rank's thread, in any order; no rank
 * waits for another. Diagnostics go to cx, which all of them may share if nobody else uses it while calls run. */
WEFT_API weft_status weft_comm_world(weft_context *cx, weft_world *w, int rank, weft_comm **out);
/* A group: members are world ranks in group order, the caller's among them; order gives the group's ranks and the order of
 * its sums. Each member calls it before its first use of the group; nobody waits. The same members in the same order
 * give another handle on the same group. */
WEFT_API weft_status weft_comm_group(weft_context *cx, weft_comm *parent, const int *members, int n, weft_comm **out);
WEFT_API void weft_comm_free(weft_comm *c); /* NULL is fine. A rank without handles has left: who waits for it gets an error */
WEFT_API int weft_comm_rank(const weft_comm *c);
WEFT_API int weft_comm_size(const weft_comm *c);

/* Memory of this rank that its node's ranks read in place; aligned to 4096, zeroed, not inherited by fork. NULL when there
 * is no more. It belongs to the world: it may outlive the handle, and ends with the world. */
WEFT_API void *weft_comm_alloc(weft_comm *c, size_t bytes);
WEFT_API void weft_comm_dealloc(weft_comm *c, void *p);

/* One operand. Counts are in elements. in == out (the same address) means in place where the shapes are equal; buffers that
 * overlap otherwise are not allowed. The strided forms move `outer` rows; see each call; what it does not name is ignored. */
typedef struct weft_coll_buf {
    const void *in;
    void *out;
    weft_coll_dtype dtype;
    int64_t outer, middle, inner;
} weft_coll_buf;

/* Where a call comes from, for errors and traces; may be NULL. Strings are copied when needed. */
typedef struct weft_call_site {
    const char *op, *axes, *place; /* "all_reduce", "model", "gpt.mlir:41:10" */
    uint64_t id;                   /* equal on all ranks for one call site; 0: made from the texts */
} weft_call_site;

/* n operands are moved in one call. outer = middle = 1 unless said.
 *   all_reduce      in, out: inner
 *   all_gather      in [outer][inner], out [outer][size][inner]
 *   reduce_scatter  in [outer][size][inner], out [outer][inner]
 *   all_to_all      split_first: in [outer][size][middle][inner], out [outer][middle][size][inner]
 *                   else:        in [outer][middle][size][inner], out [outer][size][middle][inner]
 *   permute         in, out: inner; source: the group rank whose data I get (-1: zeros); target: who gets mine (-1: nobody) */
WEFT_API weft_status weft_coll_all_reduce(weft_comm *c, weft_op_reduce op, const weft_coll_buf *b, int n, const weft_call_site *site);
WEFT_API weft_status weft_coll_all_gather(weft_comm *c, const weft_coll_buf *b, int n, const weft_call_site *site);
WEFT_API weft_status weft_coll_reduce_scatter(weft_comm *c, weft_op_reduce op, const weft_coll_buf *b, int n, const weft_call_site *site);
WEFT_API weft_status weft_coll_all_to_all(weft_comm *c, int split_first, const weft_coll_buf *b, int n, const weft_call_site *site);
WEFT_API weft_status weft_coll_permute(weft_comm *c, int source, int target, const weft_coll_buf *b, int n, const weft_call_site *site);
WEFT_API weft_status weft_coll_barrier(weft_comm *c, const weft_call_site *site);
/* Root's bytes to all, who name the same root. */
WEFT_API weft_status weft_coll_broadcast(weft_comm *c, int root, void *p, size_t bytes, const weft_call_site *site);

/* Marks the world as failed: every rank waiting or calling returns WEFT_ERR_PEER soon. Safe from any thread. */
WEFT_API void weft_world_abort(weft_world *w, const char *why);

/* What this rank has moved through all its handles since the world was made: calls, and the bytes that the
 * bandwidth-optimal algorithm sends (weft_wire_bytes of cost/link.h, operands of a call added up). Barriers, which no program
 * contains, are not counted. */
typedef struct weft_coll_counts { uint64_t calls, wire_bytes; } weft_coll_counts;
WEFT_API weft_coll_counts weft_comm_counts(const weft_comm *c);

#ifdef __cplusplus
}
#endif
#endif
