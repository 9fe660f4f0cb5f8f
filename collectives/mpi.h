/* mpi.h: shared by start_mpi.c and transport_mpi.c. Only these files use MPI. */
#ifndef WEFT_COLLECTIVES_MPI_H
#define WEFT_COLLECTIVES_MPI_H

#include <mpi.h>
#include "collectives/rendezvous.h"
#include "collectives/world.h"

typedef enum weft_mpi_owner { WEFT_MPI_THEIRS, WEFT_MPI_OURS } weft_mpi_owner;

/* The world's MPI state: a communicator of its own. */
typedef struct weft_mpi {
    weft_allocator alloc;
    MPI_Comm all;
    /* which side initialised MPI and finalises it: for Weft, at the process's end (start_mpi.c) */
    weft_mpi_owner owner;
    int level;              /* thread level */
    /* ranks of the fullest process: tags are (channel * max_local + from) * max_local + to + WEFT_MPI_TAG_FIRST */
    int max_local;
    int channels;           /* number that fits in a tag; groups are spread over them */
    /* calls that each channel tells apart: all of an address's, if tags are long enough; else 1 */
    int calls;
    pthread_mutex_t *lock;  /* the process's: guards every MPI call (MPI_THREAD_SERIALIZED) and the fields below */
    char *telling;          /* the reason sent to others: a message that is never waited for */
    /* how long the processes wait for each other while the world is made, and the error text */
    weft_meeting_place place;
    int round;              /* of their exchanges */
    char *came;             /* [processes]: which processes are known to have reached it */
    /* a process has not reached an exchange, which MPI still works on: MPI goes on using this struct */
    bool misses_one;
} weft_mpi;

#define WEFT_MPI_ROUNDS 8 /* exchanges with tags of their own */
typedef enum weft_mpi_tag {
    WEFT_MPI_TAG_FAILED,
    WEFT_MPI_TAG_GONE,
    WEFT_MPI_TAG_LATE,                                     /* one per round */
    WEFT_MPI_TAG_FIRST = WEFT_MPI_TAG_LATE + WEFT_MPI_ROUNDS /* first tag of messages */
} weft_mpi_tag;

/* MPI counts with int. A count of bytes as MPI takes it: as bytes, or above 2 GiB as one element of a type made for it.
 * To be closed after the call that used it, also when open has failed. */
#define WEFT_MPI_CHUNK (1 << 20)
typedef struct weft_mpi_bytes {
    MPI_Datatype type;
    int count;
} weft_mpi_bytes;
int weft_mpi_bytes_open(size_t bytes, weft_mpi_bytes *out); /* MPI_SUCCESS or MPI's error */
void weft_mpi_bytes_close(weft_mpi_bytes *b);

/* Makes m->all from the caller's communicator, together with its other processes (mpi_wait.c). WEFT_ERR_IO with
 * m->place.trouble. Not under the lock. */
weft_status weft_mpi_meet(weft_mpi *m, MPI_Comm theirs);
/* The bootstrap of a world; its state is a weft_mpi. */
weft_status weft_mpi_gather(const weft_bootstrap *b, const void *in, size_t bytes, void *out);

/* The program has finalised MPI: no MPI function may be called any more. */
bool weft_mpi_is_over(void);
/* Whether this thread may call MPI at all. */
bool weft_mpi_may_call(const weft_mpi *m);
/* Whether the request completes by that time (weft_now_ns); it is tested at least once. */
bool weft_mpi_done_by(MPI_Request *q, int64_t end_ns);

#endif
