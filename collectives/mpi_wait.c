/* mpi_wait: how the processes of a communicator wait for each other while they make a world: with a time-out, after
 * which the waiting ones can name the missing ones.
 *
 * At first Weft has no communicator of its own to ask by, and messages on the caller's might be taken for the caller's.
 * So processes announce themselves by scatters: one for each process, of a byte from it to all. A scatter involves only
 * its root and each receiver, so the byte of a process arrives as soon as that process has begun. Then they duplicate
 * the communicator. From then on a process that has waited for a second in an exchange says so by messages on the
 * duplicate.
 */
#include "config.h"
#ifdef HAVE_MPI
#include "collectives/mpi.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SPIN_NS 1000000      /* the others have usually arrived already */
#define LATE_NS 1000000000   /* of waiting, then a process announces that it waits */
#define GRACE_NS 2000000000  /* after the time-out, for announcements of processes that came shortly before */
/* most processes of a board, which takes the square of their number in messages. More meet at a barrier, and missing
 * ones are not named */
#define BOARD_MOST 64

static int64_t end_of(const weft_mpi *m, int64_t begin) {
    return m->place.timeout_ns < 0 ? INT64_MAX - GRACE_NS : begin + m->place.timeout_ns;
}

/* The time after which a waiting process says so. */
static int64_t late_of(const weft_mpi *m, int64_t begin) { return weft_min_i64(begin + LATE_NS, end_of(m, begin)); }

/* Between two polls. */
static void pause_since(int64_t begin) {
    if (weft_now_ns() - begin < SPIN_NS) sched_yield();
    else usleep(100);
}

static bool is_done(weft_mpi *m, MPI_Request *q, int n, bool *failed) {
    bool all = true;
    pthread_mutex_lock(m->lock);
    for (int i = 0, done = 0; i < n; i++, all &= done != 0)
        *failed |= MPI_Test(&q[i], &done, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    pthread_mutex_unlock(m->lock);
    return all;
}

static weft_status failed_in_mpi(weft_mpi *m) {
    m->misses_one = true;
    snprintf(m->place.trouble, sizeof m->place.trouble, "MPI fails while process %d makes a world", m->place.process);
    return WEFT_ERR_IO;
}

/* "not all ..." if none can be named. */
static weft_status missed(weft_mpi *m) {
    bool all = true;
    for (int p = 0; p < m->place.processes; p++) all &= m->came[p] != 0;
    m->misses_one = true;
    if (!all) return weft_meeting_missed(&m->place, m->came);
    snprintf(m->place.trouble, sizeof m->place.trouble, "not all %d processes came to %s within %.3g s",
             m->place.processes, m->place.at, (double)m->place.timeout_ns * 1e-9);
    return WEFT_ERR_IO;
}

/* --- the first meeting -------------------------------------------------------------------------------------------- */

/* From malloc, since MPI keeps it if a process is missing. */
typedef struct board {
    MPI_Request *of;   /* [count]: the byte of each process, or all at once */
    int count;
    int *counts, *at;
    char *sent, *got;
} board;

static void free_board(board *b) {
    free(b->of);
    free(b->counts);
    free(b->at);
    free(b->sent);
    free(b->got);
}

/* MPI_SUCCESS, or MPI's error; MPI_ERR_NO_MEM. Under the lock. */
static int post(const weft_mpi *m, MPI_Comm theirs, board *b) {
    int n = m->place.processes, e = MPI_SUCCESS;
    size_t some = (size_t)n;
    *b = (board){ calloc(some, sizeof *b->of), n <= BOARD_MOST ? n : 1, calloc(some, sizeof *b->counts),
                  calloc(some, sizeof *b->at), calloc(some, 1),         calloc(some, 1) };
    if (!b->of || !b->counts || !b->at || !b->sent || !b->got) return MPI_ERR_NO_MEM;
    for (int p = 0; p < n; p++) b->counts[p] = 1, b->at[p] = p, b->of[p] = MPI_REQUEST_NULL;
    if (n > BOARD_MOST) return MPI_Ibarrier(theirs, &b->of[0]);
    for (int p = 0; p < n && e == MPI_SUCCESS; p++)
        e = MPI_Iscatterv(b->sent, b->counts, b->at, MPI_BYTE, &b->got[p], 1, MPI_BYTE, p, theirs, &b->of[p]);
    return e;
}

static weft_status come_together(weft_mpi *m, MPI_Comm theirs) {
    board b;
    int64_t begin = weft_now_ns(), end = end_of(m, begin);
    bool failed = false;
    pthread_mutex_lock(m->lock);
    int e = post(m, theirs, &b);
    pthread_mutex_unlock(m->lock);
    if (e != MPI_SUCCESS) return failed_in_mpi(m);
    while (!is_done(m, b.of, b.count, &failed) && !failed) {
        if (weft_now_ns() >= end) {
            for (int p = 0; p < m->place.processes; p++)
                m->came[p] = p == m->place.process || (p < b.count && is_done(m, &b.of[p], 1, &failed)) || b.count == 1;
            return missed(m);
        }
        pause_since(begin);
    }
    if (failed) return failed_in_mpi(m);
    free_board(&b);
    return WEFT_OK;
}

/* All have left the first board; one may have given up since. */
static weft_status duplicate(weft_mpi *m, MPI_Comm theirs) {
    MPI_Request q = MPI_REQUEST_NULL;
    int64_t begin = weft_now_ns(), end = end_of(m, begin);
    bool failed = false;
    pthread_mutex_lock(m->lock);
    int e = MPI_Comm_idup(theirs, &m->all, &q);
    pthread_mutex_unlock(m->lock);
    if (e != MPI_SUCCESS) return failed_in_mpi(m);
    while (!is_done(m, &q, 1, &failed) && !failed) {
        memset(m->came, 1, (size_t)m->place.processes);
        if (weft_now_ns() >= end) return missed(m);
        pause_since(begin);
    }
    if (failed) return failed_in_mpi(m);
    MPI_Comm_set_errhandler(m->all, MPI_ERRORS_RETURN);
    return WEFT_OK;
}

weft_status weft_mpi_meet(weft_mpi *m, MPI_Comm theirs) {
    weft_status st = come_together(m, theirs);
    /* a process that was stopped while it waited has arrived, and stays there: a second board names it */
    if (st == WEFT_OK) st = come_together(m, theirs);
    return st == WEFT_OK ? duplicate(m, theirs) : st;
}

/* --- exchanges ---------------------------------------------------------------------------------------------------- */

static int tag_of_round(const weft_mpi *m) { return WEFT_MPI_TAG_LATE + m->round % WEFT_MPI_ROUNDS; }

/* Announces that this process waits in this round. */
static void say_late(const weft_mpi *m) {
    for (int p = 0; p < m->place.processes; p++) {
        MPI_Request q;
        if (p != m->place.process && MPI_Isend(NULL, 0, MPI_BYTE, p, tag_of_round(m), m->all, &q) == MPI_SUCCESS)
            MPI_Request_free(&q);
    }
}

static void hear_late(weft_mpi *m) {
    MPI_Status s;
    for (int there = 1;
         there && MPI_Iprobe(MPI_ANY_SOURCE, tag_of_round(m), m->all, &there, &s) == MPI_SUCCESS && there;) {
        if (MPI_Recv(NULL, 0, MPI_BYTE, s.MPI_SOURCE, tag_of_round(m), m->all, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return;
        m->came[s.MPI_SOURCE] = 1;
    }
}

/* For a collective on m->all. */
static weft_status wait_for(weft_mpi *m, MPI_Request *q) {
    int64_t begin = weft_now_ns(), end = end_of(m, begin), late = late_of(m, begin);
    bool failed = false, said = false;
    m->round++;
    memset(m->came, 0, (size_t)m->place.processes);
    m->came[m->place.process] = 1;
    while (!is_done(m, q, 1, &failed) && !failed) {
        int64_t now = weft_now_ns();
        if (now >= late) {
            pthread_mutex_lock(m->lock);
            if (!said) say_late(m);
            hear_late(m);
            pthread_mutex_unlock(m->lock);
            said = true;
        }
        if (now >= end + GRACE_NS) return missed(m);
        pause_since(begin);
    }
    return failed ? failed_in_mpi(m) : WEFT_OK;
}

/* In memory of its own, which MPI keeps if a process is missing. */
weft_status weft_mpi_gather(const weft_bootstrap *b, const void *in, size_t bytes, void *out) {
    weft_mpi *m = b->state;
    MPI_Request q = MPI_REQUEST_NULL;
    weft_mpi_bytes n;
    size_t all = (size_t)m->place.processes * bytes;
    char *own = malloc(bytes + all + 1), *others = own + bytes;
    if (!own) {
        snprintf(m->place.trouble, sizeof m->place.trouble, "process %d is out of memory", m->place.process);
        return WEFT_ERR_IO;
    }
    if (bytes) memcpy(own, in, bytes);
    pthread_mutex_lock(m->lock);
    int e = weft_mpi_bytes_open(bytes, &n);
    if (e == MPI_SUCCESS) e = MPI_Iallgather(own, n.count, n.type, others, n.count, n.type, m->all, &q);
    weft_mpi_bytes_close(&n);
    pthread_mutex_unlock(m->lock);
    weft_status st = e == MPI_SUCCESS ? wait_for(m, &q) : failed_in_mpi(m);
    if (st != WEFT_OK) return st;
    if (all) memcpy(out, others, all);
    free(own);
    return st;
}
#endif
