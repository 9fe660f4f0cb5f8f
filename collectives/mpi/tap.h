/* tap.h: the inside of libweft_mpi, which an MPI program loads beside MPI: collective calls of the program go to Weft
 * where they can, all others to MPI untouched.
 *
 * All ranks of a call decide alike, or the program hangs. So a decision depends on facts alone that MPI makes equal on
 * all ranks: the communicator, the kind of call, the bytes of a type signature, the datatype and operation of a
 * reduction. A buffer's layout is no such fact: a rank whose datatype has gaps packs and unpacks by itself.
 *
 * A call that is taken returns true and MPI's code in *rc; one that is not has had no effect.
 */
#ifndef WEFT_MPI_TAP_H
#define WEFT_MPI_TAP_H

#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <weft/coll.h>

typedef enum tap_kind {
#define KIND(id, name) TAP_##id,
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
    tap_comm *comms;
    pthread_mutex_t lock;
} tap_state;
extern tap_state tap;

/* --- state.c ------------------------------------------------------------------------------------------------------ */

/* Prints a line of the library's to stderr. */
void tap_say(const char *fmt, ...) WEFT_PRINTF(1, 2);
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

/* The communicator, if its calls may go to Weft; NULL: they go to MPI. Its first use is collective over it. */
tap_comm *tap_comm_of(MPI_Comm comm);
/* Whether Weft has this call. */
bool tap_takes(tap_comm *c, tap_kind kind, int64_t bytes);
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
void tap_note_begin(tap_kind kind);
void tap_note_bytes(int64_t bytes);
void tap_note_weft(void);
void tap_note_mpi(void);
/* Collective over MPI_COMM_WORLD; rank 0 prints. */
void tap_report(void);

/* --- calls.c: each of them may be called with counts of any width ------------------------------------------------- */

typedef struct tap_list {
    const int *narrow;   /* NULL: */
    const void *wide;    /* of numbers with `bytes` bytes each */
    size_t bytes;
} tap_list;

bool tap_barrier(MPI_Comm comm, int *rc);
bool tap_bcast(void *buf, int64_t n, MPI_Datatype t, int root, MPI_Comm comm, int *rc);
bool tap_allreduce(const void *in, void *out, int64_t n, MPI_Datatype t, MPI_Op op, MPI_Comm comm, int *rc);
bool tap_reduce(const void *in, void *out, int64_t n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm comm, int *rc);
bool tap_reduce_scatter_block(const void *in, void *out, int64_t n, MPI_Datatype t, MPI_Op op, MPI_Comm comm, int *rc);
bool tap_reduce_scatter(const void *in, void *out, tap_list counts, MPI_Datatype t, MPI_Op op, MPI_Comm comm, int *rc);
bool tap_allgather(const void *in, int64_t n, MPI_Datatype t, void *out, int64_t out_n, MPI_Datatype out_t,
                   MPI_Comm comm, int *rc);
bool tap_allgatherv(const void *in, int64_t n, MPI_Datatype t, void *out, tap_list counts, tap_list at,
                    MPI_Datatype out_t, MPI_Comm comm, int *rc);
bool tap_gather(const void *in, int64_t n, MPI_Datatype t, void *out, int64_t out_n, MPI_Datatype out_t, int root,
                MPI_Comm comm, int *rc);
bool tap_scatter(const void *in, int64_t n, MPI_Datatype t, void *out, int64_t out_n, MPI_Datatype out_t, int root,
                 MPI_Comm comm, int *rc);
bool tap_alltoall(const void *in, int64_t n, MPI_Datatype t, void *out, int64_t out_n, MPI_Datatype out_t,
                  MPI_Comm comm, int *rc);
bool tap_alltoallv(const void *in, tap_list counts, tap_list at, MPI_Datatype t, void *out, tap_list out_counts,
                   tap_list out_at, MPI_Datatype out_t, MPI_Comm comm, int *rc);

#endif
