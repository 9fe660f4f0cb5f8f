/* tap.h: the inside of libweft_mpi, which an MPI program loads beside MPI: collective calls of the program go to Weft
 * where they can, all others to MPI untouched.
 *
 * All ranks of a call decide alike, or the program hangs. So a decision depends on facts alone that MPI makes equal on
 * all ranks: the communicator, the kind of call, the bytes of a type signature, the datatype and operation of a
 * reduction. A buffer's layout is no such fact: a rank whose datatype has gaps packs and unpacks by itself.
 *
 * calls.c says what a call is to Weft, without any effect yet; MPI has those of which it says false. carry.c carries
 * the others out at once, later.c as requests, each.c as requests that are started again and again.
 */
#ifndef WEFT_MPI_TAP_H
#define WEFT_MPI_TAP_H

#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <weft/coll.h>

/* When a call is carried out: before it returns; later, as a request; each time that its request is started. */
typedef enum tap_when { TAP_NOW, TAP_LATER, TAP_EACH, TAP_WHENS } tap_when;

typedef enum tap_kind {
#define KIND(id, name, rest) TAP_##id,
#include "collectives/mpi/kinds.def"
    TAP_KINDS
} tap_kind;

#define TAP_NAME "libweft_mpi"
#define TAP_KEYS 65536 /* communicators of the same members at a time, and more than MPICH has */

/* A communicator that the program has used, kept as its attribute and freed with it. */
typedef struct tap_comm {
    MPI_Comm mpi;
    weft_comm *weft;     /* NULL: its calls go to MPI */
    int rank, size;
    uint32_t key;        /* tells groups of the same members apart; drawn by rank 0 of the communicator, */
    bool drew;           /* which this process is */
    bool is_far;         /* it spans nodes */
    uint64_t calls;      /* that could be taken: the same number on all its ranks */
    int64_t *lists;      /* [4 * size]: counts and offsets of the call under way */
    struct tap_comm *next, **link; /* of all that there are */
    struct tap_call *first, *last; /* begun on it and not done, in the order in which Weft carries them out */
    int held;            /* persistent requests made on it and not freed */
    bool is_gone;        /* the program has freed it */
    struct tap_comm *of; /* of a persistent request: the program's communicator, which it keeps */
} tap_comm;

/* What the process knows. Written while MPI starts and ends, and under the lock. */
typedef struct tap_state {
    bool is_on;          /* calls may go to Weft */
    bool threads;        /* the program may call from several threads at once (MPI_THREAD_MULTIPLE) */
    bool reports;        /* WEFT_MPI_REPORT */
    bool takes_all;      /* WEFT_MPI=all: also where MPI is faster */
    bool keys_made;
    int rank, size;      /* in MPI_COMM_WORLD */
    int keyval, type_keyval;
    weft_context *cx;
    weft_world *world;
    weft_comm *all;
    MPI_Comm idle;       /* looked into so that MPI's messages go on */
    MPI_Comm self;       /* for messages to this process itself (each.c), and to pack */
    bool is_hooked;      /* MPI looks after Weft's requests (hook.c), so that there may be some */
    bool is_inside;      /* the process's one thread is in Weft, or in MPI on behalf of Weft */
    _Atomic int later;   /* requests that are not done. Written under the lock */
    tap_comm *comms;
    pthread_mutex_t lock;
} tap_state;
extern tap_state tap;

/* --- state.c ------------------------------------------------------------------------------------------------------ */

/* Prints a line of the library's to stderr. */
void tap_say(const char *fmt, ...) WEFT_PRINTF(1, 2);
/* Copies the address of a function of the program's MPI into *to; false: that MPI has none of this name. */
bool tap_find(const char *name, void *to);
/* Lets MPI's messages go on while a rank waits in Weft: a peer may wait for them. */
void tap_idle(void *user);

/* --- start.c ------------------------------------------------------------------------------------------------------ */

/* After MPI's own start: decides together with the other processes whether Weft has calls. */
void tap_start(void);
/* Before MPI's own end. */
void tap_end(void);

/* --- muster.c ----------------------------------------------------------------------------------------------------- */

/* Whether all processes of MPI_COMM_WORLD have this library, of this version, switched on: found without a message of
 * MPI's, which a process without the library would not answer. All get the same answer. why: what is missing. */
bool tap_muster(bool is_off, char *why, size_t room);
/* When MPI ends: nothing is left of it. */
void tap_muster_end(void);

/* --- comms.c ------------------------------------------------------------------------------------------------------ */

/* The communicator, if its calls may go to Weft; NULL: they go to MPI. TAP_NOW: its first use is collective over it.
 * Else NULL where it has not been used so, for a call that returns at once cannot wait for others. */
tap_comm *tap_comm_of(MPI_Comm comm, tap_when when);
/* The program has made a communicator, by a call that was collective over it. */
void tap_comm_made(MPI_Comm comm);
/* Frees a communicator by MPI's function: MPI has all calls on it meanwhile, which callbacks of its attributes make. */
int tap_comm_free(int frees(MPI_Comm *), MPI_Comm *comm);
/* Another group of the same ranks, for one persistent request; NULL: none of them has it. Collective over c. */
tap_comm *tap_comm_again(tap_comm *c);
/* Frees it once the program has and nothing needs it. Under the lock. */
void tap_comm_left(tap_comm *c);
/* Whether Weft has this call. */
bool tap_takes(tap_comm *c, tap_kind kind, tap_when when, int64_t bytes);
/* Lets go of Weft's handles: MPI ends, or the world has failed. */
void tap_comms_end(void);
int tap_comms_init(void);

/* --- types.c ------------------------------------------------------------------------------------------------------ */

typedef struct tap_shape {
    int64_t bytes;       /* of one element's data */
    bool is_dense;       /* elements follow each other without gaps, in the order of their signature */
    int64_t extent;
} tap_shape;
/* false: no datatype. */
bool tap_shape_of(MPI_Datatype t, tap_shape *out);
/* Whether Weft has this reduction: a predefined type and a predefined operation. */
bool tap_reduction(MPI_Datatype t, MPI_Op op, weft_coll_dtype *dtype, int64_t *bytes, weft_op_reduce *reduce);
int tap_types_init(void);
extern weft_coll_dtype tap_bytes; /* Weft's type of a byte */
/* Elements to and from bytes in a row. MPI_SUCCESS or MPI's error. */
int tap_pack(const void *from, int64_t n, MPI_Datatype t, int64_t bytes, int64_t extent, char *to);
int tap_unpack(const char *from, int64_t n, MPI_Datatype t, int64_t bytes, int64_t extent, void *to);

/* --- report.c ----------------------------------------------------------------------------------------------------- */

/* A call has come; then it was Weft's; or it was MPI's. For WEFT_MPI_REPORT. */
void tap_note_begin(tap_kind kind, tap_when when);
void tap_note_bytes(int64_t bytes);
void tap_note_weft(void);
void tap_note_mpi(void);
/* Collective over MPI_COMM_WORLD; rank 0 prints. */
void tap_report(void);

/* --- calls.c: what a call is to Weft, with counts of any width ---------------------------------------------------- */

typedef struct tap_list {
    const int *narrow;   /* NULL: */
    const void *wide;    /* of numbers with `bytes` bytes each */
    size_t bytes;
} tap_list;

/* The caller's elements as bytes in a row, where they are or packed in memory of our own. */
typedef struct tap_side {
    const void *buf;         /* the caller's. Written where the call's result goes there */
    MPI_Datatype t;
    tap_shape shape;
    int64_t n, bytes;        /* in all */
    tap_list counts, at;     /* of blocks at places of their own, one for each rank; else none */
    int64_t *sizes, *places; /* in bytes, of these blocks in the row */
    bool is_there;           /* this rank has this side */
    char *row, *own;         /* own: NULL where the caller's buffer is such a row */
} tap_side;

typedef enum tap_fill { TAP_NOTHING, TAP_OWN_BLOCK, TAP_ALL } tap_fill;

typedef struct tap_call {
    tap_when when;
    tap_kind kind;
    tap_comm *c;
    int root;
    weft_op_reduce reduce;
    weft_coll_dtype dtype;
    int64_t inner;                  /* elements, of an even call */
    int64_t *lists;                 /* [4 * size] counts and offsets of bytes, of an uneven call: the communicator's */
    bool owns_lists;                /* or the call's own */
    int64_t *counts;                /* of a reduce-scatter, in elements */
    tap_side in, out;
    tap_fill fills;                 /* the part of the output that is input, too */
    bool empties;                   /* the output has a result for this rank */
    bool is_from_out, is_to_in;     /* in place: Weft's input lies in the output, its output in the input, */
    int64_t from_at, to_at;         /* so many bytes from its beginning */
    int64_t front;                  /* bytes of a result that is made elsewhere, for the output's beginning */
    char *elsewhere;
    int rc;
    weft_coll_request *q;
    MPI_Request request;
    struct tap_call *up, *down;     /* of all requests that are not done */
    struct tap_call *after;         /* on this communicator */
    struct tap_again *again;        /* each.c: the request that has started it */
} tap_call;

/* Whether Weft has this call. *k is written only then, but for .when, which says when it is to be carried out. */
bool tap_barrier(tap_call *k, MPI_Comm comm);
bool tap_bcast(tap_call *k, void *buf, int64_t n, MPI_Datatype t, int root, MPI_Comm comm);
bool tap_allreduce(tap_call *k, const void *in, void *out, int64_t n, MPI_Datatype t, MPI_Op op, MPI_Comm comm);
bool tap_reduce(tap_call *k, const void *in, void *out, int64_t n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm comm);
bool tap_reduce_scatter_block(tap_call *k, const void *in, void *out, int64_t n, MPI_Datatype t, MPI_Op op,
                              MPI_Comm comm);
bool tap_reduce_scatter(tap_call *k, const void *in, void *out, tap_list counts, MPI_Datatype t, MPI_Op op,
                        MPI_Comm comm);
bool tap_allgather(tap_call *k, const void *in, int64_t n, MPI_Datatype t, void *out, int64_t out_n,
                   MPI_Datatype out_t, MPI_Comm comm);
bool tap_allgatherv(tap_call *k, const void *in, int64_t n, MPI_Datatype t, void *out, tap_list counts, tap_list at,
                    MPI_Datatype out_t, MPI_Comm comm);
bool tap_gather(tap_call *k, const void *in, int64_t n, MPI_Datatype t, void *out, int64_t out_n, MPI_Datatype out_t,
                int root, MPI_Comm comm);
bool tap_scatter(tap_call *k, const void *in, int64_t n, MPI_Datatype t, void *out, int64_t out_n, MPI_Datatype out_t,
                 int root, MPI_Comm comm);
bool tap_alltoall(tap_call *k, const void *in, int64_t n, MPI_Datatype t, void *out, int64_t out_n,
                  MPI_Datatype out_t, MPI_Comm comm);
bool tap_alltoallv(tap_call *k, const void *in, tap_list counts, tap_list at, MPI_Datatype t, void *out,
                   tap_list out_counts, tap_list out_at, MPI_Datatype out_t, MPI_Comm comm);
int64_t tap_number(const tap_list *l, int k);

/* --- carry.c ------------------------------------------------------------------------------------------------------ */

/* Carries a call out; MPI's code. */
int tap_run(tap_call *k);
/* Packs what has to be packed, and begins it. Under the lock. On failure nothing is left of it. */
int tap_begin(tap_call *k);
/* Whether a call that was begun is done; then its results are where they belong, its memory is freed, and its code is
 * in k->rc. Under the lock. */
bool tap_is_done(tap_call *k);
/* The communicator whose error handler hears of its failures. */
MPI_Comm tap_told(const tap_comm *c);
/* Calls that error handler; not under the lock, for it may call MPI. */
int tap_broken(const tap_comm *c, int code);

/* --- later.c ------------------------------------------------------------------------------------------------------ */

/* A copy that outlives the call of MPI, and its end. */
bool tap_keep(tap_call *to, const tap_call *from);
void tap_drop(tap_call *k);
/* Begins a call, of which `request` tells when it is done. */
int tap_start_later(const tap_call *k, MPI_Request *request);
/* A call has begun: it is looked after until it is done. Under the lock. */
void tap_later_add(tap_call *k);
/* Looks once at all requests that are not done. Returns how many became so. */
int tap_later_look(void);
/* MPI ends: waits for those that can still be done. */
void tap_later_end(void);

/* --- each.c: persistent requests ---------------------------------------------------------------------------------- */

/* Gives a call a group of its own: ranks may start such requests in different orders. false: MPI has the call.
 * Collective over its communicator, as MPI allows it. */
bool tap_each_apart(tap_call *k);
/* Makes a request from a call that has one. */
int tap_each(const tap_call *k, MPI_Request *request);
/* Whether there are any. */
bool tap_each_any(void);
/* Whether it is one of these; then *rc is MPI's code for starting, or freeing it. */
bool tap_each_start(MPI_Request *request, int *rc);
bool tap_each_free(MPI_Request *request, int *rc);
/* A call that it had started is done. Under the lock. */
void tap_each_done(tap_call *k);

/* --- hook.c ------------------------------------------------------------------------------------------------------- */

/* Whether MPI will look after Weft's requests from now on whenever it looks after its own messages. */
bool tap_hook(void);
void tap_unhook(void);

#endif
