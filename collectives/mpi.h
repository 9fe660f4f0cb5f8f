/* mpi.h: what start_mpi.c and transport_mpi.c share. Only they know MPI. */
#ifndef WEFT_COLLECTIVES_MPI_H
#define WEFT_COLLECTIVES_MPI_H

#include <mpi.h>
#include "collectives/rendezvous.h"
#include "collectives/world.h"

typedef enum weft_mpi_owner { WEFT_MPI_THEIRS, WEFT_MPI_OURS } weft_mpi_owner;

/* The world's hold on MPI: a communicator of its own. */
typedef struct weft_mpi {
    weft_allocator alloc;
    MPI_Comm all;
    /* who initialised MPI and so finalises it: the process's end where that is Weft (start_mpi.c) */
    weft_mpi_owner owner;
    int level;              /* thread level */
    /* ranks of the fullest process: tags are (channel * max_local + from) * max_local + to + WEFT_MPI_TAG_FIRST */
    int max_local;
    int channels;           /* that fit in a tag; groups are spread over them */
    /* that each channel tells apart: as many as an address has, where tags are long enough; else 1 */
    int calls;
    pthread_mutex_t *lock;  /* the process's: guards every call of MPI, for MPI_THREAD_SERIALIZED; and what follows */
    char *telling;          /* the reason sent to others: a message that is never waited for */
    /* how long the processes wait for each other while the world is made, and what went wrong */
    weft_meeting_place place;
    int round;              /* of their exchanges */
    char *came;             /* [processes]: who is known to have come to it */
    /* one has not come to an exchange, which is still under way: MPI goes on using this struct */
    bool misses_one;
} weft_mpi;

#define WEFT_MPI_ROUNDS 8 /* of exchanges that tags tell apart */
typedef enum weft_mpi_tag {
    WEFT_MPI_TAG_FAILED,
    WEFT_MPI_TAG_GONE,
    WEFT_MPI_TAG_LATE,                                     /* as many as rounds */
    WEFT_MPI_TAG_FIRST = WEFT_MPI_TAG_LATE + WEFT_MPI_ROUNDS /* of those that messages have */
} weft_mpi_tag;

/* MPI counts with int. How so many bytes are said to it: as bytes, or above 2 GiB as one element of a type that is made
 * for them. Closed as soon as the call that it was for has returned, also when open has failed. */
#define WEFT_MPI_CHUNK (1 << 20)
typedef struct weft_mpi_bytes {
    MPI_Datatype type;
    int count;
} weft_mpi_bytes;
int weft_mpi_bytes_open(size_t bytes, weft_mpi_bytes *out); /* MPI_SUCCESS or MPI's error */
void weft_mpi_bytes_close(weft_mpi_bytes *b);

/* Makes m->all of the caller's communicator, together with its other processes (mpi_wait.c). WEFT_ERR_IO with
 * m->place.trouble. Not under the lock. */
weft_status weft_mpi_meet(weft_mpi *m, MPI_Comm theirs);
/* The bootstrap of a world; its state is a weft_mpi. */
weft_status weft_mpi_gather(const weft_bootstrap *b, const void *in, size_t bytes, void *out);

/* The program has finalised it: there is nothing more that may be called. */
bool weft_mpi_is_over(void);
/* Whether this thread may call MPI at all. */
bool weft_mpi_may_call(const weft_mpi *m);
/* Whether the request is through, or becomes so until that time (weft_now_ns); it is asked once in any case. */
bool weft_mpi_done_by(MPI_Request *q, int64_t end_ns);

#endif
