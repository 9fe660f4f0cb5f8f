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
 * Sums are taken over a node's ranks in the order of the group, then over the nodes in the order of their first ranks.
 * They therefore do not depend on size, algorithm or in-place-ness: the same ranks on the same nodes give the same
 * bits. weft_world_options.fast admits algorithms that add in another order, and so does forcing one of them. All
 * algorithms add floats of 16 bits and less in f32 and round once; a mean is divided once, at the end. Threads that
 * flush denormals to zero (-ffast-math) do so with f32, f64, complex numbers and bf16, and with f8E8M0FNU's smallest
 * value, which is a denormal f32; no other type has such values.
 *
 * Failures: when a rank makes another call than its peers, dies, leaves, or does not arrive in time, every rank's call
 * returns WEFT_ERR_PEER, with a diagnostic in its handle's context that names the rank and the call. From then on all
 * calls of the world fail so. The outputs of a failed call are undefined.
 */
#ifndef WEFT_COLL_H
#define WEFT_COLL_H

#include <weft/weft.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_world weft_world; /* all ranks, with their shared memory and transports: one per process */
typedef struct weft_comm weft_comm;   /* one rank's handle on a group of ranks */
typedef struct weft_coll_request weft_coll_request; /* one rank's part of a call in progress */

/* Integers wrap at their width; i1 adds as or and multiplies as and. WEFT_MEAN is the sum divided by the number of
 * ranks. Floats and complex numbers are divided before rounding to their type; integers are exact, rounded toward zero;
 * i1 has no mean. Floats have no and, or, xor; complex numbers have sum, product and mean only. */
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

/* How a world is made. Fields marked "alike" must be the same in all processes: the processes compare them, and a
 * difference is an error. A field left out (0 or NULL) means its default. */
typedef struct weft_world_options {
    /* Number of ranks (devices) in this process. */
    int local_ranks;
    /* Seconds that a rank waits for its peers before it reports them. 0: 30. Negative: no limit. */
    double timeout_s;
    /* Seconds that processes wait for each other while the world is made. 0: timeout_s, but at least 120 under MPI.
     * Negative: no limit. */
    double join_timeout_s;
    /* Whether weft_world_bind binds rank threads to cores, by hwloc. */
    weft_bind bind;
    /* The transport between processes; alike.
     *   "shm"                             shared memory within a node; between nodes UCX if it offers more than
     *                                     sockets do, else sockets
     *   "shm,ucx" "shm,tcp" "shm,mpi"     shared memory within a node, the named transport between nodes
     *   "ucx" "tcp" "mpi"                 messages only: every process is a node of its own
     * NULL: the environment's WEFT_TRANSPORT, else "shm". */
    const char *transport;
    /* A name for the node of this process. Processes of one machine share memory if they have the same name. NULL: the
     * environment's WEFT_NODE; without it, processes in one network namespace share memory. */
    const char *node;
    /* The packages (sockets, NUMA domains) of this process's ranks, at most 16 names: with "left,right" the even ranks
     * are in package left, the odd ones in right. Ranks of one node that have the same name are in one package. Only
     * the choice of algorithms between nodes depends on it. NULL: the environment's WEFT_PACKAGE; without it, the
     * socket that the process is bound to, or, if that is several, the socket of each rank's core. */
    const char *package;
    /* Algorithms to be used where they apply: "all_reduce:-64K=one_shot,all_gather=windows". A rule may give a range of
     * bytes of the full tensor; "*=ring" means every collective that has a ring; the first rule that fits counts
     * (docs/collectives.md). Without a rule the cheapest by measurements, else by the cost model, is used.
     * "stream=4M" among them: a rank that writes more bytes in a call bypasses the caches. NULL: the environment's
     * WEFT_ALGORITHMS. Alike. */
    const char *algorithms;
    /* Whether algorithms that change the order of sums may be chosen (see above). 1: yes. -1: no. 0: the environment's
     * WEFT_FAST (1 or 0), else no. Alike. */
    int fast;
    /* The file that `weft tune` wrote: link parameters, and algorithms for calls without a rule. "none": estimates
     * only. NULL: the environment's WEFT_TUNE (with a warning if that file is missing), else this machine's file in the
     * user's cache directory. Process 0's file counts for all processes. */
    const char *tuned;
    /* How started calls advance. 1: by a progress thread, while ranks compute. -1: only when their rank tests, waits or
     * makes a blocking call. 0: the environment's WEFT_PROGRESS (1 or 0), else by a thread if each process has a core
     * to spare. There is no progress thread if MPI accepts calls from one thread only. */
    int progress;
    /* A path to which each process writes the last calls of its node, for `weft doctor`; a dot and the process's number
     * are appended. It is written when the world fails, and on SIGUSR1 while a rank waits. (The thread that makes
     * the world, and threads that it creates later, have SIGUSR1 blocked.) NULL: the environment's WEFT_FLIGHT, else
     * nothing is written. */
    const char *flight;
    /* When the members of a call compare their calls. 1: in every call, before any member goes on. -1: in the first
     * call with these sizes from this site; in later calls a rank that receives no data may return before the others
     * have entered, and a mismatch is reported at a later call or after timeout_s. 0: the environment's WEFT_CHECK (1
     * or 0), else -1. Alike. */
    int check;
    /* The secret by which the processes of weft_world_create_rendezvous authenticate each other, a text of any length
     * (docs/collectives.md, "Security"); alike. NULL: the environment's WEFT_RENDEZVOUS_KEY, else none. */
    const char *rendezvous_key;
    /* What a rank does while it waits in a blocking call or in weft_coll_wait, again and again, after it has looked for
     * its peers in vain for some microseconds: it lets other work of its thread go on, such as MPI's messages, on which
     * a peer may wait. Called by the rank's thread, at least once in a millisecond; it must not wait, nor call Weft.
     * NULL: nothing. */
    void (*idle)(void *user);
    void *idle_user;
    size_t size;             /* sizeof(weft_world_options); 0: the fields above (weft/weft.h) */
} weft_world_options;

/* All ranks are threads of this process. */
WEFT_API weft_status weft_world_create_threads(weft_context *cx, const weft_world_options *opt, weft_world **out);
/* Ranks of all processes of MPI_COMM_WORLD: process p's ranks follow those of p - 1. Collective over processes. If MPI
 * is not initialised, Weft initialises it with MPI_THREAD_SERIALIZED and finalises it at the end of the process, unless
 * the program finalises it before. The diagnostic names processes that are missing after opt->join_timeout_s (up to
 * 64); MPI cannot be used after that. A program that calls MPI itself must initialise it first, with
 * MPI_THREAD_SERIALIZED if a process has several ranks. Other communicators: weft/mpi.h. WEFT_ERR_UNSUPPORTED if Weft
 * was built without MPI. */
WEFT_API weft_status weft_world_create_mpi(weft_context *cx, const weft_world_options *opt, weft_world **out);
/* The function under weft_world_create_mpi_comm of weft/mpi.h. comm points to an MPI_Comm of comm_bytes bytes; another
 * size in the library means that it was built for another MPI than the program, which is reported. */
WEFT_API weft_status weft_world_create_mpi_handle(weft_context *cx, const void *comm, size_t comm_bytes,
                                                  const weft_world_options *opt, weft_world **out);
/* Ranks of processes that were started without MPI, by any means. They find each other at an address that all reach:
 *   "tcp:HOST:PORT"  process 0 listens there, the others connect; HOST is a name or an address of process 0, an IPv6
 *                    address in [...]
 *   "file:PATH"      a directory that all processes see; process 0 creates it if it is missing, and removes the files
 *                    that the processes put there
 * The diagnostic names processes that are missing after opt->join_timeout_s. Messages between nodes use UCX or
 * sockets. */
typedef struct weft_rendezvous {
    const char *at;          /* NULL: the environment's WEFT_RENDEZVOUS */
    /* this process's number, and the number of processes; processes 0: WEFT_PROCESS and WEFT_PROCESSES */
    int process, processes;
} weft_rendezvous;
WEFT_API weft_status weft_world_create_rendezvous(weft_context *cx, const weft_world_options *opt,
                                                  const weft_rendezvous *where, weft_world **out);
/* The same for processes that can give each other bytes before there is a world: through a store of keys and values, or
 * as ranks of another world. */
typedef struct weft_gatherer {
    int process, processes;      /* this process's number, and the number of processes */
    /* all[processes * bytes] gets every process's mine[bytes]. All processes call it in the same order, with the same
     * number of bytes, while the world is made. A failure is not reported: *why says it, in a text that lives until the
     * next call. It must fail when a process does not come; Weft does not measure the time. */
    weft_status (*gather)(void *user, const void *mine, size_t bytes, void *all, const char **why);
    void *user;
} weft_gatherer;
/* Collective over the processes. Their messages are authenticated by a secret that process 0 draws and all gather. g is
 * used during the call only. */
WEFT_API weft_status weft_world_create_gatherer(weft_context *cx, const weft_world_options *opt, const weft_gatherer *g,
                                                weft_world **out);
/* NULL is fine. Free the world's communicators first. Collective over processes: if Weft has initialised MPI, it waits
 * for the other processes, at most timeout_s. */
WEFT_API void weft_world_free(weft_world *w);

WEFT_API int weft_world_size(const weft_world *w);       /* ranks in all */
WEFT_API int weft_world_first(const weft_world *w);      /* first rank of this process */
WEFT_API int weft_world_local(const weft_world *w);      /* ranks of this process */
WEFT_API int weft_world_process(const weft_world *w);    /* this process's number */
WEFT_API int weft_world_processes(const weft_world *w);
WEFT_API int weft_world_nodes(const weft_world *w);      /* machines, or parts of them, that do not share memory */
/* the number of a rank's node, from 0 in the order of their first ranks */
WEFT_API int weft_world_node_of(const weft_world *w, int rank);
/* Binds the calling thread to the cores of this rank. */
WEFT_API weft_status weft_world_bind(weft_world *w, int rank);

/* The handle of local rank `rank` (a world rank) on all ranks. Each local rank's thread calls it, in any
 * order; no rank waits for another. Diagnostics go to cx. The ranks of a process may share one context if no other
 * thread uses it while calls run. */
WEFT_API weft_status weft_comm_world(weft_context *cx, weft_world *w, int rank, weft_comm **out);
/* A group: members are world ranks in group order, the caller's among them; order gives the group's ranks and the order
 * of its sums. Each member calls it before its first use of the group; no rank waits. The same members in the same
 * order give another handle on the same group. */
WEFT_API weft_status weft_comm_group(weft_context *cx, weft_comm *parent, const int *members, int n, weft_comm **out);
/* The same for one of several groups of the same members, which a key tells apart: calls on one of them take no place
 * among calls on another. All members give the same key; weft_comm_group's is 0. */
WEFT_API weft_status weft_comm_group_apart(weft_context *cx, weft_comm *parent, const int *members, int n, uint32_t key,
                                           weft_comm **out);
/* Groups by colour: the ranks of the parent that give the same colour become one, ordered by key and, where keys are
 * alike, as in the parent. A negative colour: no group, and *out is NULL. Collective over the parent. */
WEFT_API weft_status weft_comm_split(weft_context *cx, weft_comm *parent, int colour, int key, weft_comm **out);
/* NULL is fine. Unfinished requests keep the handle's memory until they are waited for. A rank that has freed all
 * its handles has left: peers that wait for it get WEFT_ERR_PEER. */
WEFT_API void weft_comm_free(weft_comm *c);
/* How long calls of this handle, those under way too, wait for their peers from now on, instead of
 * weft_world_options.timeout_s. Negative: no limit; 0: the world's again. It concerns this rank alone. */
WEFT_API void weft_comm_timeout(weft_comm *c, double timeout_s);
/* 1 if another member has begun a call on this group that this rank has not; 0 if none has, or this rank's own calls
 * are under way. -1 if it cannot be told without waiting: the group spans nodes. A rank that receives from any of
 * several others asks the pairs' groups, and makes the call where it is 1. */
WEFT_API int weft_comm_awaited(const weft_comm *c);
WEFT_API int weft_comm_rank(const weft_comm *c);
WEFT_API int weft_comm_size(const weft_comm *c);

/* Memory of this rank that its node's ranks read in place; aligned to 4096, zeroed, not inherited by fork. NULL when
 * memory is out. It belongs to the world: it may outlive the handle, and ends with the world. */
WEFT_API void *weft_comm_alloc(weft_comm *c, size_t bytes);
WEFT_API void weft_comm_dealloc(weft_comm *c, void *p);

/* One operand. Buffers may begin at any address. Counts are in elements, and the same on all ranks. Fields that a call
 * does not use are ignored: a buffer that this rank neither reads nor writes (see the calls) may be NULL.
 * In place: if input and output have one shape, in == out. If one of them has a block for each rank and the other has
 * one block (outer 1), the one block is this rank's block of the other buffer: all_gather with in == out + rank * inner
 * elements. Other overlaps of input and output are refused. No operand may read or write memory that another one
 * writes; that is not checked. */
typedef struct weft_coll_buf {
    const void *in;
    void *out;
    weft_coll_dtype dtype;
    int64_t outer, middle;   /* 0 means 1 */
    int64_t inner;           /* 0: the operand has no elements */
} weft_coll_buf;

/* One operand of an uneven form: rank k's block has counts[k] elements and begins offsets[k] elements into its buffer;
 * offsets NULL: the blocks follow each other. Each array has one number for each rank; the call, also a start form, has
 * read the arrays when it returns. The in arrays describe the input of reduce_scatter, scatter and all_to_all; the out
 * arrays describe the output of all_gather, gather and all_to_all. The other side has one block of this rank's count,
 * and its arrays are ignored. Counts are the same on all ranks; offsets may differ. In an all_to_all, the count that
 * rank a sends to b equals the count that b expects from a. Blocks of an output must not overlap. In place: the one
 * block is this rank's block of the other buffer; all_to_all: in == out. */
typedef struct weft_coll_uneven {
    const void *in;
    void *out;
    weft_coll_dtype dtype;
    const int64_t *in_counts, *in_offsets;
    const int64_t *out_counts, *out_offsets;
} weft_coll_uneven;

/* The source location of a call, for errors and traces; may be NULL. Strings are copied when needed. */
typedef struct weft_call_site {
    const char *op, *axes, *place; /* "all_reduce", "model", "gpt.mlir:41:10" */
    uint64_t id;                   /* equal on all ranks for one call site; 0: made from the texts */
} weft_call_site;

/* A call moves n operands. root, source and target are ranks of the group; all ranks name the same root. An error of
 * this rank alone is WEFT_ERR_USAGE or WEFT_ERR_UNSUPPORTED, reported before any peer is involved.
 *   all_reduce      in, out: inner
 *   reduce          in, out: inner; out: of the root only
 *   all_gather      in [outer][inner], out [outer][size][inner]
 *   gather          the same; out: of the root only
 *   reduce_scatter  in [outer][size][inner], out [outer][inner]
 *   scatter         the same; in: of the root only
 *   all_to_all      split_first: in [outer][size][middle][inner], out [outer][middle][size][inner]
 *                   else:        in [outer][middle][size][inner], out [outer][size][middle][inner]
 *   permute         in, out: inner; source: the rank that sends to this one (-1: the output is zeros); target: the
 *                   rank that this one sends to (-1: none); a rank that keeps its own data names itself twice
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

/* The start forms begin the same calls and return at once. Each *out must be waited for exactly once; until then the
 * buffers belong to the call (operands, arrays of counts and the site are copied). On failure *out is NULL and no call
 * was begun. Several calls may be in progress. Calls on one group are carried out in the order in which they were
 * begun, blocking ones included; calls on different groups in any order. A call advances whenever its rank tests or
 * waits for any request, or makes a blocking call, and while the rank computes if there is a progress thread
 * (weft_world_options.progress). */
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

/* Advances this rank's calls. *done is 1 if this call is done; the status is then the one that wait will return. */
WEFT_API weft_status weft_coll_test(weft_coll_request *r, int *done);
/* Returns when the call is done, and frees the request whether the call failed or not. NULL is fine. The rank's thread
 * may wait for its requests in any order, but before the world is freed. */
WEFT_API weft_status weft_coll_wait(weft_coll_request *r);
/* Waits for all n requests; returns the status of the first failure. */
WEFT_API weft_status weft_coll_wait_all(weft_coll_request *const *r, int n);

/* From now on calls of this handle use these algorithms where they apply; NULL: no rules. The rules are written as in
 * weft_world_options.algorithms and override those. Calls begun before keep theirs. All ranks of the group give the
 * same text between the same two calls; otherwise the next call fails. */
WEFT_API weft_status weft_comm_force(weft_comm *c, const char *algorithms);

/* Marks the world as failed: every rank that waits or makes a call gets WEFT_ERR_PEER soon. It informs one process of
 * each other node, which may take half a second. Over UCX, a node with which this one has exchanged no message learns
 * of it only if its ranks wait or make calls meanwhile. Safe from any thread. */
WEFT_API void weft_world_abort(weft_world *w, const char *why);
/* 1 if this process knows that the world has failed. For ranks that compute for a long time between calls. Costs one
 * load; safe from any thread. */
WEFT_API int weft_world_failed(const weft_world *w);

/* The last call that this rank has begun on any of its handles. Returns 1, or 0 before the first call. Texts are
 * constant. */
typedef struct weft_coll_record {
    uint64_t number;                 /* of the rank's calls, from 1 */
    const char *op, *algorithm;      /* "all_reduce", "two_shot"; algorithm "" in a group of one */
    int64_t bytes;                   /* of the full tensors of all operands; of a gather, of its results */
    int ranks;                       /* of its group */
    int ended;                       /* 0: in progress */
} weft_coll_record;
WEFT_API int weft_comm_last(const weft_comm *c, weft_coll_record *out);

/* Writes the last calls of each rank of this node to a file, one JSON object a line. Fails with WEFT_ERR_IO, errno and
 * no diagnostic. Safe from any thread, also while calls run. */
WEFT_API weft_status weft_world_record(weft_world *w, const char *path);

/* This rank's calls through all its handles since the world was made, and the bytes that the bandwidth-optimal
 * algorithm sends for them (weft_wire_bytes of cost/link.h, added up over the operands of a call). Barriers are not
 * counted: no program contains them. */
typedef struct weft_coll_counts { uint64_t calls, wire_bytes; } weft_coll_counts;
WEFT_API weft_coll_counts weft_comm_counts(const weft_comm *c);

/* How often each algorithm was used by this rank's calls, over all its handles since the world was made. Writes the
 * first `room` entries to out, in a fixed order, and returns the number of all entries. Only successful calls count;
 * calls of groups of one need no algorithm and are left out. Texts are constant. */
typedef struct weft_coll_use { const char *op, *algorithm; uint64_t calls; } weft_coll_use;
WEFT_API int weft_comm_uses(const weft_comm *c, weft_coll_use *out, int room);

#ifdef __cplusplus
}
#endif
#endif
