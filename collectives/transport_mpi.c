/* transport_mpi: messages between ranks of any processes by MPI. Only non-blocking calls, one thread at a time, so that
 * MPI_THREAD_SERIALIZED is enough (with one rank per process, on the main thread, FUNNELED) and no wait is out of our hands.
 */
#include "config.h"
#ifdef HAVE_MPI
#include "collectives/mpi.h"

#include <stdio.h>
#include <unistd.h>

_Static_assert(sizeof(MPI_Request) <= sizeof(void *), "a request fits its handle");

static int process_of(const weft_world *w, int rank) {
    int lo = 0, hi = w->processes;
    while (hi - lo > 1) {
        int mid = (lo + hi) / 2;
        if (w->first_of[mid] <= rank) lo = mid;
        else hi = mid;
    }
    return lo;
}

static int tag_of(const weft_world *w, const weft_mpi *m, weft_address at) {
    int channel = (int)((at.channel >> 16) % (uint64_t)m->channels), from = at.from - w->first_of[process_of(w, at.from)];
    return (channel * m->max_local + from) * m->max_local + (at.to - w->first_of[process_of(w, at.to)]) + 1;
}

static void keep(weft_request *r, MPI_Request q, int peer, int kind) {
    r->data = NULL;
    memcpy(&r->data, &q, sizeof q);
    r->peer = peer;
    r->kind = kind;
}

static weft_status send_message(weft_world *w, weft_address at, const void *p, size_t bytes, weft_request *r) {
    weft_mpi *m = w->messages_state;
    MPI_Request q = MPI_REQUEST_NULL;
    pthread_mutex_lock(&m->lock);
    int e = MPI_Isend(p, (int)bytes, MPI_BYTE, process_of(w, at.to), tag_of(w, m, at), m->all, &q);
    pthread_mutex_unlock(&m->lock);
    keep(r, q, at.to, WEFT_REQUEST_SEND);
    return e == MPI_SUCCESS ? WEFT_OK : WEFT_ERR_IO;
}

static weft_status receive_message(weft_world *w, weft_address at, void *p, size_t bytes, weft_request *r) {
    weft_mpi *m = w->messages_state;
    MPI_Request q = MPI_REQUEST_NULL;
    pthread_mutex_lock(&m->lock);
    int e = MPI_Irecv(p, (int)bytes, MPI_BYTE, process_of(w, at.from), tag_of(w, m, at), m->all, &q);
    pthread_mutex_unlock(&m->lock);
    keep(r, q, at.from, WEFT_REQUEST_RECEIVE);
    return e == MPI_SUCCESS ? WEFT_OK : WEFT_ERR_IO;
}

static weft_status test_messages(weft_world *w, weft_request *r, int n, int *left) {
    weft_mpi *m = w->messages_state;
    weft_status st = WEFT_OK;
    *left = 0;
    pthread_mutex_lock(&m->lock);
    for (int i = 0; i < n; i++) {
        if (r[i].kind == WEFT_REQUEST_FREE) continue;
        MPI_Request q;
        int done = 0;
        memcpy(&q, &r[i].data, sizeof q);
        if (MPI_Test(&q, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) st = WEFT_ERR_IO;
        memcpy(&r[i].data, &q, sizeof q);
        if (done) r[i].kind = WEFT_REQUEST_FREE;
        else ++*left;
    }
    pthread_mutex_unlock(&m->lock);
    return st;
}

static void cancel_messages(weft_world *w, weft_request *r, int n) {
    weft_mpi *m = w->messages_state;
    pthread_mutex_lock(&m->lock);
    for (int i = 0; i < n; i++) {
        if (r[i].kind != WEFT_REQUEST_RECEIVE) continue; /* a send cannot be taken back; its buffer stays (messages.c) */
        MPI_Request q;
        memcpy(&q, &r[i].data, sizeof q);
        if (MPI_Cancel(&q) == MPI_SUCCESS) MPI_Wait(&q, MPI_STATUS_IGNORE); /* local: a receive ends by cancelling */
        r[i].kind = WEFT_REQUEST_FREE;
    }
    pthread_mutex_unlock(&m->lock);
}

/* Whether this thread may call MPI at all. */
static bool may_call(const weft_mpi *m) {
    int main_thread = 0;
    if (m->level >= MPI_THREAD_SERIALIZED) return true;
    return MPI_Is_thread_main(&main_thread) == MPI_SUCCESS && main_thread;
}

static void tell_failed(weft_world *w) {
    weft_mpi *m = w->messages_state;
    if (w->nodes == 1 || !may_call(m)) return;
    pthread_mutex_lock(&m->lock);
    if (!m->telling && (m->telling = m->alloc.resize(m->alloc.user, NULL, 0, WEFT_REASON_BYTES))) {
        weft_node_reason(&w->node, m->telling);
        for (int p = 0; p < w->processes; p++) {
            MPI_Request q;
            if (w->node_of[p] == w->node_of[w->process]) continue;
            if (MPI_Isend(m->telling, WEFT_REASON_BYTES, MPI_BYTE, p, WEFT_MPI_TAG_FAILED, m->all, &q) == MPI_SUCCESS) MPI_Request_free(&q);
        }
    }
    pthread_mutex_unlock(&m->lock);
}

static bool heard_failed(weft_world *w, char *reason, size_t bytes) {
    weft_mpi *m = w->messages_state;
    MPI_Status from;
    int there = 0;
    if (w->nodes == 1 || !may_call(m)) return false;
    pthread_mutex_lock(&m->lock);
    if (MPI_Iprobe(MPI_ANY_SOURCE, WEFT_MPI_TAG_FAILED, m->all, &there, &from) == MPI_SUCCESS && there) {
        char text[WEFT_REASON_BYTES] = "";
        MPI_Recv(text, WEFT_REASON_BYTES, MPI_BYTE, from.MPI_SOURCE, WEFT_MPI_TAG_FAILED, m->all, MPI_STATUS_IGNORE);
        text[WEFT_REASON_BYTES - 1] = 0;
        snprintf(reason, bytes, "%s", text);
    }
    pthread_mutex_unlock(&m->lock);
    return there;
}

#define FAREWELL_NS 2000000000 /* how long the processes of a failed world wait for each other: 2 s */

/* Whether all processes come here in time: then MPI can end as it should, and none is killed before it has said why. */
static int all_come(weft_mpi *m) {
    MPI_Request q;
    int done = 0;
    if (MPI_Ibarrier(m->all, &q) != MPI_SUCCESS) return 0;
    for (int64_t end = weft_now_ns() + FAREWELL_NS; !done && weft_now_ns() < end;) {
        if (MPI_Test(&q, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return 0;
        if (!done) usleep(1000);
    }
    return done;
}

/* Where a process is missing MPI is left as it is: to finalise it would wait for ever. The launcher ends the rest. */
static void close_mpi(weft_world *w) {
    weft_mpi *m = w->messages_state;
    int failed = w->node.note && weft_node_failed(&w->node);
    if (!failed || (may_call(m) && all_come(m))) {
        MPI_Comm_free(&m->all);
        if (m->owner == WEFT_MPI_OURS) MPI_Finalize();
    }
    pthread_mutex_destroy(&m->lock);
    /* m->telling is kept for the message under way. */
    weft_allocator a = m->alloc;
    a.resize(a.user, m, sizeof *m, 0);
    w->messages_state = NULL;
}

const weft_transport weft_transport_mpi = {
    .name = "mpi", .offer = WEFT_TRANSPORT_MESSAGES, .close = close_mpi, .send = send_message, .receive = receive_message,
    .test = test_messages, .cancel = cancel_messages, .tell_failed = tell_failed, .heard_failed = heard_failed,
};
#endif
