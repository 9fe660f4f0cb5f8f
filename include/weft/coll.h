/* coll.h: Weft's collectives, usable without the compiler.
 *
 * A communicator is a group of ranks that call the same operations in the same order. A rank is one device: a thread of
 * this process or of another one. Each rank has its own weft_comm handle, used by one thread at a time. Buffers that
 * come from weft_comm_alloc are visible to the other ranks of the node and are read in place; others are staged.
 * Between threads of one process every buffer is read in place.
 *
 * Every call has a blocking form, which returns when this rank's part is done, and a start form, which returns a
 * request to test and wait for. Most have an uneven form too, whose blocks have different sizes.
 *
 * Sums are taken over a node's ranks in the order of the group, then over the nodes in the order of their first ranks,
 * so that they do not depend on size, algorithm or in-place-ness: the same ranks on the same nodes give the same bits.
 * weft_world_options.fast admits algorithms that add in another order, and so does forcing one of them. Floats of 16
 * bits and less are added in f32 and rounded once, by all of them; a mean is divided once, at the end. Threads that
 * take denormals for zeros (-ffast-math) do so with f32, f64, complex numbers and bf16, and with f8E8M0FNU's smallest
 * value, which is a denormal f32; no other type has such values.
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
typedef struct weft_coll_request weft_coll_request; /* a call under way: of one rank */

/* Integers wrap at their width; i1 adds as or and multiplies as and. WEFT_MEAN is the sum over the number of ranks: of
 * floats and complex numbers, divided before it is rounded to its type, and of integers, exact and rounded toward zero;
 * not of i1. Floats have no and, or, xor; complex numbers have sum, product and mean. */
typedef enum weft_op_reduce {
    WEFT_SUM,
    WEFT_PRODUCT,
    WEFT_MIN,
    WEFT_MAX,
    WEFT_AND,
    WEFT_OR,
    WEFT_XOR,
    WEFT_MEAN
} weft_op_reduce;

/* Element types, by MLIR's names: "f32", "bf16", "i64", "i1", "complex<f32>" ... see weft_coll_type. 0 is none. */
typedef int weft_coll_dtype;
WEFT_API weft_coll_dtype weft_coll_type(const char *name);

typedef enum weft_bind { WEFT_BIND_NONE, WEFT_BIND_CORES } weft_bind;

typedef struct weft_world_options {
    int local_ranks;         /* ranks (devices) that live in this process */
    /* how long a rank waits for its peers before it reports them; 0: 30 s; negative: for ever */
    double timeout_s;
    double join_timeout_s; /* how long processes wait for each other where a world is made; 0: timeout_s, under MPI at
                            * least 120 s; negative: for ever */
    weft_bind bind;          /* bind rank threads by hwloc when they call weft_world_bind */
    /* between processes: "shm" is shared memory within a node and messages between nodes, by UCX where it has more than
     * sockets, else by sockets; "shm,ucx", "shm,tcp" and "shm,mpi" say which. "ucx", "tcp" and "mpi" alone: messages
     * only, as if every process were a node of its own. NULL: what the environment's WEFT_TRANSPORT says, else "shm".
     * Alike in all processes */
    const char *transport;
    const char *node; /* a name of the node that this process is on: processes of one machine share memory when they
                       * have the same. NULL: what the environment's WEFT_NODE says, else those that have a network
                       * namespace in common */
    const char *package; /* of a node whose ranks are not all equally near to each other: names of the packages
                          * (sockets, NUMA domains) that this process's ranks are in, "left,right": rank i's is number i
                          * modulo their number, at most 16. Ranks of one node are in one package when it has the same
                          * name. NULL: what the environment's WEFT_PACKAGE says, else the socket that the process is
                          * bound to, or if that is several, of the core that each rank gets by weft_world_bind. What it
                          * changes is which algorithms between nodes are cheap */
    /* forced where they apply, the first that fits: "all_reduce:-64K=one_shot,all_gather=windows", each for full
     * tensors of FROM to TO bytes; "*=ring": all that have a ring (docs/collectives.md). NULL: what the environment's
     * WEFT_ALGORITHMS says. Where nothing is forced, the cheapest by the cost model. Alike in all processes */
    const char *algorithms;
    int fast; /* 1: the cost model may also choose algorithms that turn the order of sums round (see above); -1: it may
               * not; 0: as the environment's WEFT_FAST says by 1 or 0, else it may not. Alike in all processes */
    const char *tuned; /* the file of measurements that `weft tune` wrote: link parameters, and algorithms for what is
                        * not forced. "none": estimates only. NULL: what the environment's WEFT_TUNE says, with a
                        * warning when that is not there, else this machine's under the user's cache directory. Process
                        * 0's table counts for all */
    int progress; /* 1: calls that were started move on while their ranks compute, by a thread of the process that looks
                   * at them; -1: when their ranks look. 0: the environment's WEFT_PROGRESS says by 1 or 0, else by a
                   * thread where each process has a core to spare. Not with an MPI that takes calls from one thread
                   * only */
    const char *flight; /* where each process writes its node's last calls, for `weft doctor`: to this path, a dot and
                         * the process's number, when the world fails, and while ranks wait whenever SIGUSR1 came, which
                         * the caller's thread and those that it makes then hold back. NULL: what the environment's
                         * WEFT_FLIGHT says, else nowhere */
    int check; /* 1: all members of a call compare it before any of them goes on, each time. -1: only the first time
                * that they make it, with these sizes and from this site, is sure to be; later who is given nothing goes
                * on at once in calls of few bytes and between nodes, and hears of members that called something else at
                * a later call, or when it has waited for timeout_s. 0: as the environment's WEFT_CHECK says by 1 or 0,
                * else -1. Alike in all processes */
    const char *rendezvous_key; /* what weft_world_create_rendezvous's processes know each other by: the same text in
                                 * all of them, of any length (docs/collectives.md, "Security"). NULL: what the
                                 * environment's WEFT_RENDEZVOUS_KEY says, else none */
    size_t size;             /* sizeof(weft_world_options); 0: the fields above (weft/weft.h) */
} weft_world_options;

/* All ranks are threads of this process. */
WEFT_API weft_status weft_world_create_threads(weft_context *cx, const weft_world_options *opt, weft_world **out);
/* Ranks of all processes of MPI_COMM_WORLD: process p's ranks follow those of p - 1. Collective over processes. MPI is
 * initialised if it is not, with MPI_THREAD_SERIALIZED, and then finalised when the process ends, unless the program
 * finalises it before. Who has not come when opt->join_timeout_s is over is named (of up to 64 processes); after that
 * MPI is of no more use. A program that calls MPI itself initialises it first, with MPI_THREAD_SERIALIZED when a
 * process has several ranks. Other communicators: weft/mpi.h. WEFT_ERR_UNSUPPORTED when built without MPI. */
WEFT_API weft_status weft_world_create_mpi(weft_context *cx, const weft_world_options *opt, weft_world **out);
/* What weft_world_create_mpi_comm of weft/mpi.h calls: comm is the address of an MPI_Comm of comm_bytes bytes, by which
 * a library is found out that was built for another MPI than the program. */
WEFT_API weft_status weft_world_create_mpi_handle(weft_context *cx, const void *comm, size_t comm_bytes,
                                                  const weft_world_options *opt, weft_world **out);
/* Ranks of processes that nobody but their user started, without MPI: they find each other at a place that all can
 * reach.
 *   "tcp:HOST:PORT"  process 0 listens there, the others connect; HOST is a name or an address of process 0's, [...]
 *                    around one of IPv6
 *   "file:PATH"      a directory that all of them see; process 0 makes it if it is not there, and takes out again what
 *                    they put there
 * Who has not come when opt->join_timeout_s is over is named. Messages between nodes go by UCX or sockets. */
typedef struct weft_rendezvous {
    const char *at;          /* NULL: what the environment's WEFT_RENDEZVOUS says */
    /* this process's number, and how many there are; processes 0: WEFT_PROCESS and WEFT_PROCESSES */
    int process, processes;
} weft_rendezvous;
WEFT_API weft_status weft_world_create_rendezvous(weft_context *cx, const weft_world_options *opt,
                                                  const weft_rendezvous *where, weft_world **out);
WEFT_API void weft_world_free(weft_world *w); /* After its comms; collective over processes: where Weft has started MPI
                                               * it waits for the others, at most timeout_s */

WEFT_API int weft_world_size(const weft_world *w);       /* ranks in all */
WEFT_API int weft_world_first(const weft_world *w);      /* first rank of this process */
WEFT_API int weft_world_local(const weft_world *w);      /* ranks of this process */
WEFT_API int weft_world_process(const weft_world *w);    /* this process's number */
WEFT_API int weft_world_processes(const weft_world *w);
WEFT_API int weft_world_nodes(const weft_world *w);      /* machines, or parts of them, that do not share memory */
/* the number of a rank's node, from 0 in the order of their first ranks */
WEFT_API int weft_world_node_of(const weft_world *w, int rank);
/* Binds the calling thread to where this rank belongs. */
WEFT_API weft_status weft_world_bind(weft_world *w, int rank);

/* The handle of local rank `rank` (a world rank) on all ranks. Called by each local rank's thread, in any order; no
 * rank waits for another. Diagnostics go to cx, which all of them may share if nobody else uses it while calls run. */
WEFT_API weft_status weft_comm_world(weft_context *cx, weft_world *w, int rank, weft_comm **out);
/* A group: members are world ranks in group order, the caller's among them; order gives the group's ranks and the order
 * of its sums. Each member calls it before its first use of the group; nobody waits. The same members in the same order
 * give another handle on the same group. */
WEFT_API weft_status weft_comm_group(weft_context *cx, weft_comm *parent, const int *members, int n, weft_comm **out);
/* Groups by colour: the ranks of the parent that give the same colour become one, ordered by key and, where keys are
 * alike, as in the parent. A negative colour: no group, and *out is NULL. Collective over the parent. */
WEFT_API weft_status weft_comm_split(weft_context *cx, weft_comm *parent, int colour, int key, weft_comm **out);
/* NULL is fine. With requests that are not waited for yet it stays for them. A rank without handles has left: who
 * waits for it gets an error */
WEFT_API void weft_comm_free(weft_comm *c);
WEFT_API int weft_comm_rank(const weft_comm *c);
WEFT_API int weft_comm_size(const weft_comm *c);

/* Memory of this rank that its node's ranks read in place; aligned to 4096, zeroed, not inherited by fork. NULL when
 * there is no more. It belongs to the world: it may outlive the handle, and ends with the world. */
WEFT_API void *weft_comm_alloc(weft_comm *c, size_t bytes);
WEFT_API void weft_comm_dealloc(weft_comm *c, void *p);

/* One operand. Buffers may begin at any address. Counts are in elements, and alike on all ranks. What a call does not
 * name is ignored: a pointer where this rank has nothing to give or to take (see the calls) may be NULL. In place:
 * where input and output have one shape, in == out; where one of them has a block for each rank and the other one block
 * (outer 1), the one block is this rank's place in the other buffer: all_gather with in == out + rank * inner elements.
 * Buffers of an operand that overlap otherwise are refused; what one operand writes no other may read or write, which
 * is not looked at. */
typedef struct weft_coll_buf {
    const void *in;
    void *out;
    weft_coll_dtype dtype;
    int64_t outer, middle;   /* 0, as where they are left out: 1 */
    int64_t inner;           /* 0: an operand without elements */
} weft_coll_buf;

/* One operand of an uneven form: rank k's block has counts[k] elements and begins offsets[k] elements into its buffer;
 * offsets NULL: the blocks lie one after the other. Arrays of as many numbers as ranks, read before the call returns,
 * in the start forms too. The in arrays belong to the input of reduce_scatter, scatter and all_to_all, the out arrays
 * to the output of all_gather, gather and all_to_all; those of the other side are ignored, which has one block of this
 * rank's count. Counts are alike on all ranks, offsets need not be; of an all_to_all, what rank a counts for b going
 * out is what b counts for a coming in. Blocks of an output must not overlap. In place: this rank's block of the one
 * buffer is the other buffer; all_to_all: in == out. */
typedef struct weft_coll_uneven {
    const void *in;
    void *out;
    weft_coll_dtype dtype;
    const int64_t *in_counts, *in_offsets;
    const int64_t *out_counts, *out_offsets;
} weft_coll_uneven;

/* Where a call comes from, for errors and traces; may be NULL. Strings are copied when needed. */
typedef struct weft_call_site {
    const char *op, *axes, *place; /* "all_reduce", "model", "gpt.mlir:41:10" */
    uint64_t id;                   /* equal on all ranks for one call site; 0: made from the texts */
} weft_call_site;

/* n operands are moved in one call. root, source and target are group ranks; all ranks name the same root. Returns
 * WEFT_ERR_USAGE or WEFT_ERR_UNSUPPORTED, reported, for what only this rank did wrong, before any peer is involved.
 *   all_reduce      in, out: inner
 *   reduce          in, out: inner; out: of the root only
 *   all_gather      in [outer][inner], out [outer][size][inner]
 *   gather          the same; out: of the root only
 *   reduce_scatter  in [outer][size][inner], out [outer][inner]
 *   scatter         the same; in: of the root only
 *   all_to_all      split_first: in [outer][size][middle][inner], out [outer][middle][size][inner]
 *                   else:        in [outer][middle][size][inner], out [outer][size][middle][inner]
 *   permute         in, out: inner; source: the rank whose data I get (-1: zeros); target: who gets mine (-1: nobody);
 *                   who keeps its own is both
 *   broadcast       in, out: inner; in: of the root only */
WEFT_API weft_status weft_coll_all_reduce(weft_comm *c, weft_op_reduce op, const weft_coll_buf *b, int n,
                                          const weft_call_site *site);
WEFT_API weft_status weft_coll_reduce(weft_comm *c, weft_op_reduce op, int root, const weft_coll_buf *b, int n,
                                      const weft_call_site *site);
WEFT_API weft_status weft_coll_all_gather(weft_comm *c, const weft_coll_buf *b, int n, const weft_call_site *site);
WEFT_API weft_status weft_coll_gather(weft_comm *c, int root, const weft_coll_buf *b, int n,
                                      const weft_call_site *site);
WEFT_API weft_status weft_coll_reduce_scatter(weft_comm *c, weft_op_reduce op, const weft_coll_buf *b, int n,
                                              const weft_call_site *site);
WEFT_API weft_status weft_coll_scatter(weft_comm *c, int root, const weft_coll_buf *b, int n,
                                       const weft_call_site *site);
WEFT_API weft_status weft_coll_all_to_all(weft_comm *c, int split_first, const weft_coll_buf *b, int n,
                                          const weft_call_site *site);
WEFT_API weft_status weft_coll_permute(weft_comm *c, int source, int target, const weft_coll_buf *b, int n,
                                       const weft_call_site *site);
WEFT_API weft_status weft_coll_broadcast(weft_comm *c, int root, const weft_coll_buf *b, int n,
                                         const weft_call_site *site);
WEFT_API weft_status weft_coll_barrier(weft_comm *c, const weft_call_site *site);

WEFT_API weft_status weft_coll_all_gather_uneven(weft_comm *c, const weft_coll_uneven *b, int n,
                                                 const weft_call_site *site);
WEFT_API weft_status weft_coll_gather_uneven(weft_comm *c, int root, const weft_coll_uneven *b, int n,
                                             const weft_call_site *site);
WEFT_API weft_status weft_coll_reduce_scatter_uneven(weft_comm *c, weft_op_reduce op, const weft_coll_uneven *b, int n,
                                                     const weft_call_site *site);
WEFT_API weft_status weft_coll_scatter_uneven(weft_comm *c, int root, const weft_coll_uneven *b, int n,
                                              const weft_call_site *site);
WEFT_API weft_status weft_coll_all_to_all_uneven(weft_comm *c, const weft_coll_uneven *b, int n,
                                                 const weft_call_site *site);

/* The start forms do the same as the calls above, in the order in which they are started among all calls on one group,
 * and return at once: *out is then to be waited for exactly once, and until then the buffers belong to the call
 * (operands, arrays of counts and the site are copied). On failure *out is NULL and nothing is under way. Several may
 * be under way at once; those of one group follow each other, those of different groups need not. A call moves on
 * whenever its rank tests or waits for any request, or makes a blocking call: nothing moves it while the rank computes.
 */
WEFT_API weft_status weft_coll_start_all_reduce(weft_comm *c, weft_op_reduce op, const weft_coll_buf *b, int n,
                                                const weft_call_site *site, weft_coll_request **out);
WEFT_API weft_status weft_coll_start_reduce(weft_comm *c, weft_op_reduce op, int root, const weft_coll_buf *b, int n,
                                            const weft_call_site *site, weft_coll_request **out);
WEFT_API weft_status weft_coll_start_all_gather(weft_comm *c, const weft_coll_buf *b, int n, const weft_call_site *site,
                                                weft_coll_request **out);
WEFT_API weft_status weft_coll_start_gather(weft_comm *c, int root, const weft_coll_buf *b, int n,
                                            const weft_call_site *site, weft_coll_request **out);
WEFT_API weft_status weft_coll_start_reduce_scatter(weft_comm *c, weft_op_reduce op, const weft_coll_buf *b, int n,
                                                    const weft_call_site *site, weft_coll_request **out);
WEFT_API weft_status weft_coll_start_scatter(weft_comm *c, int root, const weft_coll_buf *b, int n,
                                             const weft_call_site *site, weft_coll_request **out);
WEFT_API weft_status weft_coll_start_all_to_all(weft_comm *c, int split_first, const weft_coll_buf *b, int n,
                                                const weft_call_site *site, weft_coll_request **out);
WEFT_API weft_status weft_coll_start_permute(weft_comm *c, int source, int target, const weft_coll_buf *b, int n,
                                             const weft_call_site *site, weft_coll_request **out);
WEFT_API weft_status weft_coll_start_broadcast(weft_comm *c, int root, const weft_coll_buf *b, int n,
                                               const weft_call_site *site, weft_coll_request **out);
WEFT_API weft_status weft_coll_start_barrier(weft_comm *c, const weft_call_site *site, weft_coll_request **out);
WEFT_API weft_status weft_coll_start_all_gather_uneven(weft_comm *c, const weft_coll_uneven *b, int n,
                                                       const weft_call_site *site, weft_coll_request **out);
WEFT_API weft_status weft_coll_start_gather_uneven(weft_comm *c, int root, const weft_coll_uneven *b, int n,
                                                   const weft_call_site *site, weft_coll_request **out);
WEFT_API weft_status weft_coll_start_reduce_scatter_uneven(weft_comm *c, weft_op_reduce op, const weft_coll_uneven *b,
                                                           int n, const weft_call_site *site, weft_coll_request **out);
WEFT_API weft_status weft_coll_start_scatter_uneven(weft_comm *c, int root, const weft_coll_uneven *b, int n,
                                                    const weft_call_site *site, weft_coll_request **out);
WEFT_API weft_status weft_coll_start_all_to_all_uneven(weft_comm *c, const weft_coll_uneven *b, int n,
                                                       const weft_call_site *site, weft_coll_request **out);

/* Moves on this rank's calls; *done: 1 when this one is. Then returns what wait will return. */
WEFT_API weft_status weft_coll_test(weft_coll_request *r, int *done);
/* Returns when the call is done, and frees the request, whether it went well or not. NULL is fine. Requests are waited
 * for before their handle is freed, by the rank's thread, in any order. */
WEFT_API weft_status weft_coll_wait(weft_coll_request *r);
/* All n of them; returns the first failure's status. */
WEFT_API weft_status weft_coll_wait_all(weft_coll_request *const *r, int n);

/* From here on this handle's calls take these algorithms where they can (as weft_world_options.algorithms, before it);
 * NULL: no longer. Calls that were started before keep what stood then. All ranks of the group do the same between the
 * same calls, in the same words: otherwise the next call fails. */
WEFT_API weft_status weft_comm_force(weft_comm *c, const char *algorithms);

/* Marks the world as failed: every rank waiting or calling returns WEFT_ERR_PEER soon. Tells a process of each other
 * node, for which it may take half a second; over UCX it reaches only those that wait or call meanwhile, where there
 * have been no messages before. Safe from any thread. */
WEFT_API void weft_world_abort(weft_world *w, const char *why);
/* 1 when this process knows that the world has failed. For a rank that computes for long between its calls. One load;
 * safe from any thread. */
WEFT_API int weft_world_failed(const weft_world *w);

/* The last call that this rank has begun on any of its handles: 1, or 0 when there was none. Texts are constant. */
typedef struct weft_coll_record {
    uint64_t number;                 /* of the rank's calls, from 1 */
    const char *op, *algorithm;      /* "all_reduce", "two_shot"; "" where nothing had to be chosen: a group of one */
    int64_t bytes;                   /* of the full tensor, all operands: the operand; of gathers the result */
    int ranks;                       /* of its group */
    int ended;                       /* 0: under way */
} weft_coll_record;
WEFT_API int weft_comm_last(const weft_comm *c, weft_coll_record *out);

/* Writes the last calls of each rank of this node to a file, one JSON object a line. WEFT_ERR_IO, with errno and no
 * diagnostic. Safe from any thread, while calls run too. */
WEFT_API weft_status weft_world_record(weft_world *w, const char *path);

/* What this rank has moved through all its handles since the world was made: calls, and the bytes that the
 * bandwidth-optimal algorithm sends (weft_wire_bytes of cost/link.h, operands of a call added up). Barriers, which no
 * program contains, are not counted. */
typedef struct weft_coll_counts { uint64_t calls, wire_bytes; } weft_coll_counts;
WEFT_API weft_coll_counts weft_comm_counts(const weft_comm *c);

/* Which algorithms did this rank's calls that have ended well, through all its handles since the world was made: the
 * first `room` into out, in a fixed order, those of no call left out. Returns how many there are. Texts are constant.
 * Calls of groups of one, where nothing had to be chosen, are not among them. */
typedef struct weft_coll_use { const char *op, *algorithm; uint64_t calls; } weft_coll_use;
WEFT_API int weft_comm_uses(const weft_comm *c, weft_coll_use *out, int room);

#ifdef __cplusplus
}
#endif
#endif
