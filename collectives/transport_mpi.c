/* transport_mpi: messages between ranks of any processes by MPI. Only non-blocking calls, one thread at a time, so that
 * MPI_THREAD_SERIALIZED is enough (with one rank per process, on the main thread, FUNNELED), and Weft controls every
 * wait.
 */
#include "config.h"
#ifdef HAVE_MPI
#include "collectives/mpi.h"

#include <limits.h>
#include <stdio.h>

_Static_assert(sizeof(MPI_Request) <= sizeof(void *), "a request fits its handle");

#define MPI_CALL_BITS 6     /* if there are enough tags */
#define MANY_CHANNELS 65536 /* so many that two groups hardly share one */
#define TELL_NS 500000000   /* a process that fails outside of any call takes so long to tell others: 0.5 s */
#define CANCEL_NS 200000000 /* a failed call waits so long for its messages to release their buffers: 0.2 s */

/* Tags for all pairs of ranks, calls from the ranks' threads. */
static weft_status listen_mpi(weft_world *w, const void **address, size_t *bytes) {
    weft_mpi *m = w->messages_state;
    int *ub = NULL, found = 0, main_thread = 0;
    (void)address, (void)bytes;
    MPI_Comm_get_attr(m->all, MPI_TAG_UB, &ub, &found);
    int64_t tags = found && ub ? *ub : 32767; /* the standard's minimum */
    for (int p = 0; p < w->processes; p++)
        m->max_local =
            m->max_local > w->first_of[p + 1] - w->first_of[p] ? m->max_local : w->first_of[p + 1] - w->first_of[p];
    int64_t channels = (tags - WEFT_MPI_TAG_FIRST + 1) / ((int64_t)m->max_local * m->max_local);
    m->calls = channels >> MPI_CALL_BITS >= MANY_CHANNELS ? 1 << MPI_CALL_BITS : 1;
    m->channels = (int)(channels / m->calls);
    if (m->channels < 1) {
        snprintf(w->trouble, sizeof w->trouble, "%d ranks in one process are too many for MPI's tags", m->max_local);
        return WEFT_ERR_UNSUPPORTED;
    }
    MPI_Is_thread_main(&main_thread);
    if (m->level < MPI_THREAD_SERIALIZED && (m->max_local > 1 || !main_thread)) {
        snprintf(w->trouble, sizeof w->trouble,
                 "MPI was started without MPI_THREAD_SERIALIZED, which several ranks per process need");
        return WEFT_ERR_UNSUPPORTED;
    }
    /* If the caller initialised MPI, the caller's MPI calls are not under m->lock. */
    w->one_thread = m->level < MPI_THREAD_SERIALIZED || (m->owner == WEFT_MPI_THEIRS && m->level < MPI_THREAD_MULTIPLE);
    return WEFT_OK;
}

int weft_mpi_bytes_open(size_t bytes, weft_mpi_bytes *out) {
    *out = (weft_mpi_bytes){ MPI_BYTE, (int)bytes };
    if (bytes <= INT_MAX) return MPI_SUCCESS;
    /* As many full chunks as possible, and the rest after them. */
    MPI_Datatype parts[2] = { MPI_DATATYPE_NULL, MPI_BYTE };
    int lengths[2] = { 1, (int)(bytes % WEFT_MPI_CHUNK) };
    MPI_Aint at[2] = { 0, (MPI_Aint)(bytes - bytes % WEFT_MPI_CHUNK) };
    *out = (weft_mpi_bytes){ MPI_DATATYPE_NULL, 1 };
    MPI_Datatype chunk = MPI_DATATYPE_NULL;
    int e = bytes / WEFT_MPI_CHUNK > INT_MAX ? MPI_ERR_COUNT : MPI_Type_contiguous(WEFT_MPI_CHUNK, MPI_BYTE, &chunk);
    if (e == MPI_SUCCESS) e = MPI_Type_contiguous((int)(bytes / WEFT_MPI_CHUNK), chunk, &parts[0]);
    if (e == MPI_SUCCESS) e = MPI_Type_create_struct(2, lengths, at, parts, &out->type);
    if (e == MPI_SUCCESS) e = MPI_Type_commit(&out->type);
    if (parts[0] != MPI_DATATYPE_NULL) MPI_Type_free(&parts[0]);
    if (chunk != MPI_DATATYPE_NULL) MPI_Type_free(&chunk);
    return e;
}

/* Messages in progress keep their type. */
void weft_mpi_bytes_close(weft_mpi_bytes *b) {
    if (b->type != MPI_BYTE && b->type != MPI_DATATYPE_NULL) MPI_Type_free(&b->type);
}

static int tag_of(const weft_world *w, const weft_mpi *m, weft_address at) {
    int channel = (int)((at.channel >> 16) % (uint64_t)m->channels) * m->calls + (int)at.call % m->calls,
        from = at.from - w->first_of[weft_process_of(w, at.from)];
    return (channel * m->max_local + from) * m->max_local + (at.to - w->first_of[weft_process_of(w, at.to)]) +
           WEFT_MPI_TAG_FIRST;
}

static void keep(weft_request *r, MPI_Request q, int peer, int kind) {
    r->data = NULL;
    memcpy(&r->data, &q, sizeof q);
    r->peer = peer;
    r->kind = kind;
    r->why = NULL;
}

bool weft_mpi_is_over(void) {
    int over = 0;
    MPI_Finalized(&over);
    return over;
}

/* The program has finalised MPI during the world's life. */
static weft_status finalised(weft_request *r) {
    r->why = "MPI has been finalised";
    return WEFT_ERR_IO;
}

static weft_status send_message(weft_world *w, weft_address at, const void *p, size_t bytes, weft_request *r) {
    weft_mpi *m = w->messages_state;
    MPI_Request q = MPI_REQUEST_NULL;
    weft_mpi_bytes b;
    *r = (weft_request){ .kind = WEFT_REQUEST_FREE };
    if (weft_mpi_is_over()) return finalised(r);
    pthread_mutex_lock(m->lock);
    int e = weft_mpi_bytes_open(bytes, &b);
    if (e == MPI_SUCCESS) e = MPI_Isend(p, b.count, b.type, weft_process_of(w, at.to), tag_of(w, m, at), m->all, &q);
    weft_mpi_bytes_close(&b);
    pthread_mutex_unlock(m->lock);
    keep(r, q, at.to, WEFT_REQUEST_SEND);
    return e == MPI_SUCCESS ? WEFT_OK : WEFT_ERR_IO;
}

static weft_status receive_message(weft_world *w, weft_address at, void *p, size_t bytes, weft_request *r) {
    weft_mpi *m = w->messages_state;
    MPI_Request q = MPI_REQUEST_NULL;
    weft_mpi_bytes b;
    *r = (weft_request){ .kind = WEFT_REQUEST_FREE };
    if (weft_mpi_is_over()) return finalised(r);
    pthread_mutex_lock(m->lock);
    int e = weft_mpi_bytes_open(bytes, &b);
    if (e == MPI_SUCCESS) e = MPI_Irecv(p, b.count, b.type, weft_process_of(w, at.from), tag_of(w, m, at), m->all, &q);
    weft_mpi_bytes_close(&b);
    pthread_mutex_unlock(m->lock);
    keep(r, q, at.from, WEFT_REQUEST_RECEIVE);
    return e == MPI_SUCCESS ? WEFT_OK : WEFT_ERR_IO;
}

static weft_status test_messages(weft_world *w, weft_request *r, int n, int *left) {
    weft_mpi *m = w->messages_state;
    weft_status st = WEFT_OK;
    *left = 0;
    /* MPI does not tell; see wait_for_messages() in run.c */
    atomic_fetch_add_explicit(&w->moves, 1, memory_order_relaxed);
    pthread_mutex_lock(m->lock);
    for (int i = 0, over = weft_mpi_is_over(); i < n; i++) {
        if (r[i].kind == WEFT_REQUEST_FREE) continue;
        MPI_Request q;
        int done = 0;
        if (over) {
            st = finalised(&r[i]);
            continue;
        }
        memcpy(&q, &r[i].data, sizeof q);
        if (MPI_Test(&q, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
            st = WEFT_ERR_IO;
            r[i].why = "MPI's message has failed";
            continue;
        }
        memcpy(&r[i].data, &q, sizeof q);
        if (done) r[i].kind = WEFT_REQUEST_FREE;
        else ++*left;
    }
    pthread_mutex_unlock(m->lock);
    return st;
}

bool weft_mpi_done_by(MPI_Request *q, int64_t end_ns) {
    int done = 0;
    do {
        if (MPI_Test(q, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    } while (!done && weft_now_ns() < end_ns);
    return done;
}

/* A send cannot be cancelled, nor a receive that has met its message: that ends with its sender, which may be stopped.
 * Their buffers have to stay. */
static void cancel_messages(weft_world *w, weft_request *r, int n) {
    weft_mpi *m = w->messages_state;
    pthread_mutex_lock(m->lock);
    for (int i = 0, over = weft_mpi_is_over(); i < n; i++) {
        if (r[i].kind == WEFT_REQUEST_FREE) continue;
        MPI_Request q;
        if (over) {
            w->memory_is_lent = w->messages_remain = true;
            continue;
        }
        memcpy(&q, &r[i].data, sizeof q);
        bool taken = r[i].kind == WEFT_REQUEST_RECEIVE && MPI_Cancel(&q) == MPI_SUCCESS;
        if (weft_mpi_done_by(&q, taken ? weft_now_ns() + CANCEL_NS : 0)) r[i].kind = WEFT_REQUEST_FREE;
        else w->memory_is_lent = w->messages_remain = true;
    }
    pthread_mutex_unlock(m->lock);
}

bool weft_mpi_may_call(const weft_mpi *m) {
    int main_thread = 0;
    if (weft_mpi_is_over()) return false;
    if (m->level >= MPI_THREAD_SERIALIZED) return true;
    return MPI_Is_thread_main(&main_thread) == MPI_SUCCESS && main_thread;
}

/* A process that does not return to MPI for a while must see that its words are sent. */
static void tell_failed(weft_world *w, weft_hearers who) {
    weft_mpi *m = w->messages_state;
    int64_t end = who == WEFT_HEARERS_ALL ? weft_now_ns() + TELL_NS : 0;
    if (w->nodes == 1 || !weft_mpi_may_call(m)) return;
    pthread_mutex_lock(m->lock);
    if (!m->telling && (m->telling = m->alloc.resize(m->alloc.user, NULL, 0, WEFT_REASON_BYTES))) {
        weft_node_reason(&w->node, m->telling);
        for (int p = 0; p < w->processes; p++) {
            MPI_Request q;
            if (w->node_of[p] == w->node_of[w->process]) continue;
            if (MPI_Isend(m->telling, WEFT_REASON_BYTES, MPI_BYTE, p, WEFT_MPI_TAG_FAILED, m->all, &q) == MPI_SUCCESS &&
                !weft_mpi_done_by(&q, end))
                MPI_Request_free(&q);
        }
    }
    pthread_mutex_unlock(m->lock);
}

static bool heard_failed(weft_world *w, char *reason, size_t bytes) {
    weft_mpi *m = w->messages_state;
    MPI_Status from;
    int there = 0;
    if (w->nodes == 1 || !weft_mpi_may_call(m)) return false;
    pthread_mutex_lock(m->lock);
    if (MPI_Iprobe(MPI_ANY_SOURCE, WEFT_MPI_TAG_FAILED, m->all, &there, &from) == MPI_SUCCESS && there) {
        char text[WEFT_REASON_BYTES] = "";
        MPI_Recv(text, WEFT_REASON_BYTES, MPI_BYTE, from.MPI_SOURCE, WEFT_MPI_TAG_FAILED, m->all, MPI_STATUS_IGNORE);
        text[WEFT_REASON_BYTES - 1] = 0;
        snprintf(reason, bytes, "%s", text);
    }
    pthread_mutex_unlock(m->lock);
    return there;
}

const weft_transport weft_transport_mpi = {
    .name = "mpi",
    .offer = WEFT_TRANSPORT_MESSAGES,
    .call_bits = MPI_CALL_BITS,
    .listen = listen_mpi,
    .send = send_message,
    .receive = receive_message,
    .test = test_messages,
    .cancel = cancel_messages,
    .tell_failed = tell_failed,
    .heard_failed = heard_failed,
};
#endif
