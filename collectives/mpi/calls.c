/* calls.c: MPI's collectives as calls of Weft. */
#include "collectives/mpi/tap.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* --- a call and its end ------------------------------------------------------------------------------------------- */

/* With one thread Weft's blocking forms are called. Where several threads may each wait in a call of their own, none
 * holds the rank while it waits: a call is begun, then tested again and again. */
static weft_status finish(weft_status st, weft_coll_request **q) {
    int done = st != WEFT_OK;
    if (!tap.threads) return st;
    if (done) {
        pthread_mutex_unlock(&tap.lock);
        return st;
    }
    for (unsigned turn = 1; weft_coll_test(*q, &done), !done; turn++) {
        pthread_mutex_unlock(&tap.lock);
        if (turn % 32 == 0) {
            tap_idle(NULL);
            sched_yield();
        }
        pthread_mutex_lock(&tap.lock);
    }
    st = weft_coll_wait(*q);
    pthread_mutex_unlock(&tap.lock);
    return st;
}

#define RUN(name, ...)                                                                              \
    finish(tap.threads ? (pthread_mutex_lock(&tap.lock), weft_coll_start_##name(__VA_ARGS__, NULL, &q)) \
                       : weft_coll_##name(__VA_ARGS__, NULL), &q)

/* Weft has failed: the program hears of it as of any error of MPI's. */
static int fail(tap_comm *c, weft_status st) {
    size_t n = weft_context_diag_count(tap.cx);
    const weft_diag *d = n ? weft_context_diag(tap.cx, n - 1) : NULL;
    int code = st == WEFT_ERR_USAGE ? MPI_ERR_BUFFER : st == WEFT_ERR_MEMORY ? MPI_ERR_NO_MEM : MPI_ERR_OTHER;
    tap_say("rank %d: %s", tap.rank, d ? d->message : weft_status_name(st));
    if (weft_world_failed(tap.world)) {
        tap.is_on = false;
        tap_say("rank %d: calls go to MPI from now on", tap.rank);
    }
    PMPI_Comm_call_errhandler(c->mpi, code);
    return code;
}

static bool ended(tap_comm *c, weft_status st, int *rc) {
    *rc = st == WEFT_OK ? MPI_SUCCESS : fail(c, st);
    if (tap.reports) tap_note_weft();
    return true;
}

static bool broken(tap_comm *c, int code, int *rc) {
    *rc = code;
    PMPI_Comm_call_errhandler(c->mpi, code);
    return true;
}

static tap_comm *begin(tap_kind kind, MPI_Comm comm) {
    if (tap.reports) tap_note_begin(kind);
    return tap.is_on ? tap_comm_of(comm) : NULL;
}

#define MOST ((int64_t)1 << 50) /* bytes: no product of these numbers overflows */

/* n elements of so many bytes each; -1: no number that MPI would take. */
static int64_t product(int64_t n, int64_t bytes) {
    return n < 0 || bytes < 0 || (bytes && n > MOST / bytes) ? -1 : n * bytes;
}

static bool is_root(const tap_comm *c, int root) { return root >= 0 && root < c->size; }

/* --- buffers ------------------------------------------------------------------------------------------------------ */

/* The caller's elements as bytes in a row: where they are, or packed in memory of our own. */
typedef struct row {
    char *bytes, *own;
} row;

static bool take_row(row *r, const void *buf, int64_t bytes, const tap_shape *s) {
    r->own = s->is_dense ? NULL : malloc((size_t)(bytes ? bytes : 1));
    r->bytes = s->is_dense ? (char *)(uintptr_t)buf : r->own;
    return s->is_dense || r->own;
}

static int fill_row(row *r, int64_t at, const void *buf, int64_t n, MPI_Datatype t, const tap_shape *s) {
    return r->own ? tap_pack(buf, n, t, s->bytes, s->extent, r->own + at) : MPI_SUCCESS;
}

static int empty_row(const row *r, int64_t at, void *buf, int64_t n, MPI_Datatype t, const tap_shape *s) {
    return r->own ? tap_unpack(r->own + at, n, t, s->bytes, s->extent, buf) : MPI_SUCCESS;
}

/* Whether this can be a buffer: the null pointer is MPI_BOTTOM, which types with addresses of their own have. */
static bool is_buffer(const void *buf, const tap_shape *s) { return buf || !s->is_dense; }

static void *element(const void *buf, int64_t k, const tap_shape *s) {
    return (void *)((uintptr_t)buf + (uintptr_t)(k * s->extent));
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

bool tap_barrier(MPI_Comm comm, int *rc) {
    tap_comm *c = begin(TAP_BARRIER, comm);
    weft_coll_request *q = NULL;
    return c && tap_takes(c, TAP_BARRIER, 0) && ended(c, RUN(barrier, c->weft), rc);
}

bool tap_bcast(void *buf, int64_t n, MPI_Datatype t, int root, MPI_Comm comm, int *rc) {
    tap_comm *c = begin(TAP_BCAST, comm);
    weft_coll_request *q = NULL;
    tap_shape s;
    row r;
    if (!c || !is_root(c, root) || !tap_shape_of(t, &s) || !is_buffer(buf, &s)) return false;
    int64_t bytes = product(n, s.bytes);
    if (bytes <= 0 || !tap_takes(c, TAP_BCAST, bytes)) return false;
    if (!take_row(&r, buf, bytes, &s)) return broken(c, MPI_ERR_NO_MEM, rc);
    int packed = c->rank == root ? fill_row(&r, 0, buf, n, t, &s) : MPI_SUCCESS;
    weft_coll_buf b = { .in = r.bytes, .out = r.bytes, .dtype = tap_bytes, .inner = bytes };
    weft_status st = RUN(broadcast, c->weft, root, &b, 1);
    if (packed == MPI_SUCCESS && st == WEFT_OK && c->rank != root) packed = empty_row(&r, 0, buf, n, t, &s);
    free(r.own);
    return packed == MPI_SUCCESS ? ended(c, st, rc) : broken(c, packed, rc);
}

/* A reduction's operand, of so many bytes in all; false: MPI has the call. */
static bool reduction(tap_comm *c, tap_kind kind, const void *in, const void *out, int64_t n, int64_t blocks,
                      MPI_Datatype t, MPI_Op op, weft_coll_buf *b, weft_op_reduce *reduce) {
    int64_t each;
    if (!c || !tap_reduction(t, op, &b->dtype, &each, reduce) || !in || !out) return false;
    int64_t bytes = product(product(n, blocks), each);
    return bytes > 0 && tap_takes(c, kind, bytes);
}

bool tap_allreduce(const void *in, void *out, int64_t n, MPI_Datatype t, MPI_Op op, MPI_Comm comm, int *rc) {
    tap_comm *c = begin(TAP_ALLREDUCE, comm);
    weft_coll_request *q = NULL;
    weft_op_reduce reduce;
    weft_coll_buf b = { .in = in == MPI_IN_PLACE ? out : in, .out = out, .inner = n };
    if (!reduction(c, TAP_ALLREDUCE, in, out, n, 1, t, op, &b, &reduce)) return false;
    return ended(c, RUN(all_reduce, c->weft, reduce, &b, 1), rc);
}

bool tap_reduce(const void *in, void *out, int64_t n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm comm, int *rc) {
    tap_comm *c = begin(TAP_REDUCE, comm);
    weft_coll_request *q = NULL;
    weft_op_reduce reduce;
    if (!c || !is_root(c, root)) return false;
    bool gets = c->rank == root;
    weft_coll_buf b = { .in = in == MPI_IN_PLACE ? out : in, .out = gets ? out : NULL, .inner = n };
    if (!gets && in == MPI_IN_PLACE) return false; /* a mistake, which MPI reports */
    if (!reduction(c, TAP_REDUCE, in, gets ? out : in, n, 1, t, op, &b, &reduce)) return false;
    return ended(c, RUN(reduce, c->weft, reduce, root, &b, 1), rc);
}

/* In place Weft's result is this rank's block of the input, MPI's its beginning. */
static void to_the_front(char *buf, int64_t at, int64_t bytes) {
    if (at) memmove(buf, buf + at, (size_t)bytes);
}

bool tap_reduce_scatter_block(const void *in, void *out, int64_t n, MPI_Datatype t, MPI_Op op, MPI_Comm comm, int *rc) {
    tap_comm *c = begin(TAP_REDUCE_SCATTER_BLOCK, comm);
    weft_coll_request *q = NULL;
    weft_op_reduce reduce;
    weft_coll_buf b = { .in = in, .out = out, .inner = n };
    tap_shape s;
    if (!c || !reduction(c, TAP_REDUCE_SCATTER_BLOCK, in, out, n, c->size, t, op, &b, &reduce) || !tap_shape_of(t, &s))
        return false;
    int64_t at = in == MPI_IN_PLACE ? c->rank * n * s.bytes : 0;
    if (in == MPI_IN_PLACE) b.in = out, b.out = (char *)out + at;
    weft_status st = RUN(reduce_scatter, c->weft, reduce, &b, 1);
    if (st == WEFT_OK) to_the_front(out, at, n * s.bytes);
    return ended(c, st, rc);
}

/* --- uneven calls ------------------------------------------------------------------------------------------------- */

static int64_t number(const tap_list *l, int k) {
    if (l->narrow) return l->narrow[k];
    return l->bytes == 8 ? ((const int64_t *)l->wide)[k] : ((const int32_t *)l->wide)[k];
}

static bool is_list(const tap_list *l) { return l->narrow || l->wide; }

/* Counts, in `unit` bytes each, into to[size]; their sum, -1 for what MPI would not take. */
static int64_t read_counts(const tap_list *l, int size, int64_t unit, int64_t *to) {
    int64_t sum = 0;
    for (int k = 0; k < size && sum >= 0; k++) {
        to[k] = product(number(l, k), unit);
        sum = to[k] < 0 || sum > MOST - to[k] ? -1 : sum + to[k];
    }
    return sum;
}

bool tap_reduce_scatter(const void *in, void *out, tap_list counts, MPI_Datatype t, MPI_Op op, MPI_Comm comm, int *rc) {
    tap_comm *c = begin(TAP_REDUCE_SCATTER, comm);
    weft_coll_request *q = NULL;
    weft_op_reduce reduce;
    weft_coll_uneven b = { .in = in };
    int64_t each, at = 0;
    if (!c || !is_list(&counts) || !tap_reduction(t, op, &b.dtype, &each, &reduce) || !in) return false;
    int64_t n = read_counts(&counts, c->size, 1, c->lists), mine = c->lists[c->rank], bytes = product(n, each);
    if ((mine && !out) || (in == MPI_IN_PLACE && !out) || bytes <= 0 || !tap_takes(c, TAP_REDUCE_SCATTER, bytes))
        return false;
    for (int k = 0; in == MPI_IN_PLACE && k < c->rank; k++) at += c->lists[k] * each;
    if (in == MPI_IN_PLACE) b.in = out;
    b.out = (char *)out + at;
    b.in_counts = c->lists;
    weft_status st = RUN(reduce_scatter_uneven, c->weft, reduce, &b, 1);
    if (st == WEFT_OK) to_the_front(out, at, mine * each);
    return ended(c, st, rc);
}

bool tap_allgather(const void *in, int64_t n, MPI_Datatype t, void *out, int64_t out_n, MPI_Datatype out_t,
                   MPI_Comm comm, int *rc) {
    tap_comm *c = begin(TAP_ALLGATHER, comm);
    weft_coll_request *q = NULL;
    tap_shape s, out_s;
    row mine = { 0 }, all = { 0 };
    bool is_own = in == MPI_IN_PLACE;
    if (!c || !tap_shape_of(out_t, &out_s) || !is_buffer(out, &out_s)) return false;
    if (is_own) s = out_s, t = out_t, n = out_n, in = element(out, c->rank * n, &s);
    else if (!tap_shape_of(t, &s) || !is_buffer(in, &s)) return false;
    int64_t bytes = product(out_n, out_s.bytes), whole = product(bytes, c->size);
    if (whole <= 0 || bytes != product(n, s.bytes) || !tap_takes(c, TAP_ALLGATHER, whole)) return false;
    if (!take_row(&all, out, whole, &out_s) || (!is_own && !take_row(&mine, in, bytes, &s))) {
        free(all.own);
        return broken(c, MPI_ERR_NO_MEM, rc);
    }
    char *place = all.bytes + c->rank * bytes;
    int packed = is_own ? fill_row(&all, c->rank * bytes, in, n, t, &s) : fill_row(&mine, 0, in, n, t, &s);
    weft_coll_buf b = { .in = is_own ? place : mine.bytes, .out = all.bytes, .dtype = tap_bytes, .inner = bytes };
    weft_status st = RUN(all_gather, c->weft, &b, 1);
    if (packed == MPI_SUCCESS && st == WEFT_OK) packed = empty_row(&all, 0, out, out_n * c->size, out_t, &out_s);
    free(all.own);
    free(mine.own);
    return packed == MPI_SUCCESS ? ended(c, st, rc) : broken(c, packed, rc);
}

bool tap_gather(const void *in, int64_t n, MPI_Datatype t, void *out, int64_t out_n, MPI_Datatype out_t, int root,
                MPI_Comm comm, int *rc) {
    tap_comm *c = begin(TAP_GATHER, comm);
    weft_coll_request *q = NULL;
    tap_shape s, out_s = { 0 };
    row mine = { 0 }, all = { 0 };
    if (!c || !is_root(c, root)) return false;
    bool gets = c->rank == root, is_own = gets && in == MPI_IN_PLACE;
    if (gets && (!tap_shape_of(out_t, &out_s) || !is_buffer(out, &out_s))) return false;
    if (is_own) s = out_s, t = out_t, n = out_n, in = element(out, c->rank * n, &s);
    else if (in == MPI_IN_PLACE || !tap_shape_of(t, &s) || !is_buffer(in, &s)) return false;
    int64_t bytes = product(n, s.bytes), whole = product(bytes, c->size);
    if (whole <= 0 || (gets && bytes != product(out_n, out_s.bytes)) || !tap_takes(c, TAP_GATHER, whole)) return false;
    if ((gets && !take_row(&all, out, whole, &out_s)) || (!is_own && !take_row(&mine, in, bytes, &s))) {
        free(all.own);
        return broken(c, MPI_ERR_NO_MEM, rc);
    }
    int packed = is_own ? fill_row(&all, c->rank * bytes, in, n, t, &s) : fill_row(&mine, 0, in, n, t, &s);
    weft_coll_buf b = { .in = is_own ? all.bytes + c->rank * bytes : mine.bytes, .out = all.bytes, .dtype = tap_bytes,
                        .inner = bytes };
    weft_status st = RUN(gather, c->weft, root, &b, 1);
    if (packed == MPI_SUCCESS && st == WEFT_OK && gets)
        packed = empty_row(&all, 0, out, out_n * c->size, out_t, &out_s);
    free(all.own);
    free(mine.own);
    return packed == MPI_SUCCESS ? ended(c, st, rc) : broken(c, packed, rc);
}

bool tap_scatter(const void *in, int64_t n, MPI_Datatype t, void *out, int64_t out_n, MPI_Datatype out_t, int root,
                 MPI_Comm comm, int *rc) {
    tap_comm *c = begin(TAP_SCATTER, comm);
    weft_coll_request *q = NULL;
    tap_shape s = { 0 }, out_s;
    row mine = { 0 }, all = { 0 };
    if (!c || !is_root(c, root)) return false;
    bool gives = c->rank == root, is_own = gives && out == MPI_IN_PLACE;
    if (gives && (!tap_shape_of(t, &s) || !is_buffer(in, &s))) return false;
    if (is_own) out_s = s, out_t = t, out_n = n;
    else if (out == MPI_IN_PLACE || !tap_shape_of(out_t, &out_s) || !is_buffer(out, &out_s)) return false;
    int64_t bytes = product(out_n, out_s.bytes), whole = product(bytes, c->size);
    if (whole <= 0 || (gives && bytes != product(n, s.bytes)) || !tap_takes(c, TAP_SCATTER, whole)) return false;
    if ((gives && !take_row(&all, in, whole, &s)) || (!is_own && !take_row(&mine, out, bytes, &out_s))) {
        free(all.own);
        return broken(c, MPI_ERR_NO_MEM, rc);
    }
    int packed = gives ? fill_row(&all, 0, in, n * c->size, t, &s) : MPI_SUCCESS;
    weft_coll_buf b = { .in = all.bytes, .out = is_own ? all.bytes + c->rank * bytes : mine.bytes, .dtype = tap_bytes,
                        .inner = bytes };
    weft_status st = RUN(scatter, c->weft, root, &b, 1);
    if (packed == MPI_SUCCESS && st == WEFT_OK && !is_own) packed = empty_row(&mine, 0, out, out_n, out_t, &out_s);
    free(all.own);
    free(mine.own);
    return packed == MPI_SUCCESS ? ended(c, st, rc) : broken(c, packed, rc);
}

bool tap_alltoall(const void *in, int64_t n, MPI_Datatype t, void *out, int64_t out_n, MPI_Datatype out_t,
                  MPI_Comm comm, int *rc) {
    tap_comm *c = begin(TAP_ALLTOALL, comm);
    weft_coll_request *q = NULL;
    tap_shape s, out_s;
    row from = { 0 }, to = { 0 };
    bool is_own = in == MPI_IN_PLACE;
    if (!c || !tap_shape_of(out_t, &out_s) || !is_buffer(out, &out_s)) return false;
    if (is_own) s = out_s, t = out_t, n = out_n;
    else if (!tap_shape_of(t, &s) || !is_buffer(in, &s)) return false;
    int64_t bytes = product(out_n, out_s.bytes), whole = product(bytes, c->size);
    if (whole <= 0 || bytes != product(n, s.bytes) || !tap_takes(c, TAP_ALLTOALL, whole)) return false;
    if (!take_row(&to, out, whole, &out_s) || (!is_own && !take_row(&from, in, whole, &s))) {
        free(to.own);
        return broken(c, MPI_ERR_NO_MEM, rc);
    }
    int packed = is_own ? fill_row(&to, 0, out, n * c->size, t, &s) : fill_row(&from, 0, in, n * c->size, t, &s);
    weft_coll_buf b = { .in = is_own ? to.bytes : from.bytes, .out = to.bytes, .dtype = tap_bytes, .inner = bytes };
    weft_status st = RUN(all_to_all, c->weft, 1, &b, 1);
    if (packed == MPI_SUCCESS && st == WEFT_OK) packed = empty_row(&to, 0, out, out_n * c->size, out_t, &out_s);
    free(to.own);
    free(from.own);
    return packed == MPI_SUCCESS ? ended(c, st, rc) : broken(c, packed, rc);
}

/* --- blocks at places of their own -------------------------------------------------------------------------------- */

/* One side of a call of uneven blocks: counts and offsets of bytes, in the caller's buffer or in a row of our own. */
typedef struct blocks {
    const void *buf;
    const tap_list *counts, *at;
    MPI_Datatype t;
    tap_shape shape;
    int64_t *bytes, *offset;  /* [size] of the communicator's lists */
    row r;
} blocks;

static bool take_blocks(blocks *b, int size) {
    int64_t sum = 0;
    for (int k = 0; k < size; k++) {
        b->offset[k] = b->shape.is_dense ? number(b->at, k) * b->shape.extent : sum;
        sum += b->bytes[k];
    }
    return take_row(&b->r, b->buf, sum, &b->shape);
}

static int fill_block(blocks *b, int k) {
    return fill_row(&b->r, b->offset[k], element(b->buf, number(b->at, k), &b->shape), number(b->counts, k), b->t,
                    &b->shape);
}

static int empty_blocks(const blocks *b, int size) {
    int rc = MPI_SUCCESS;
    for (int k = 0; b->r.own && k < size && rc == MPI_SUCCESS; k++)
        rc = empty_row(&b->r, b->offset[k], element(b->buf, number(b->at, k), &b->shape), number(b->counts, k), b->t,
                       &b->shape);
    return rc;
}

bool tap_allgatherv(const void *in, int64_t n, MPI_Datatype t, void *out, tap_list counts, tap_list at,
                    MPI_Datatype out_t, MPI_Comm comm, int *rc) {
    tap_comm *c = begin(TAP_ALLGATHERV, comm);
    weft_coll_request *q = NULL;
    tap_shape s;
    row mine = { 0 };
    bool is_own = in == MPI_IN_PLACE;
    if (!c || !is_list(&counts) || !is_list(&at)) return false;
    blocks all = { out, &counts, &at, out_t, .bytes = c->lists, .offset = c->lists + c->size };
    if (!tap_shape_of(out_t, &all.shape) || !is_buffer(out, &all.shape)) return false;
    int64_t whole = read_counts(&counts, c->size, all.shape.bytes, all.bytes), bytes = all.bytes[c->rank];
    if (!is_own && (!tap_shape_of(t, &s) || (n && !is_buffer(in, &s)) || product(n, s.bytes) != bytes)) return false;
    if (whole <= 0 || !tap_takes(c, TAP_ALLGATHERV, whole)) return false;
    if (!take_blocks(&all, c->size) || (!is_own && !take_row(&mine, in, bytes, &s))) {
        free(all.r.own);
        return broken(c, MPI_ERR_NO_MEM, rc);
    }
    int packed = is_own ? fill_block(&all, c->rank) : fill_row(&mine, 0, in, n, t, &s);
    weft_coll_uneven b = { .in = is_own ? all.r.bytes + all.offset[c->rank] : mine.bytes, .out = all.r.bytes,
                           .dtype = tap_bytes, .out_counts = all.bytes, .out_offsets = all.offset };
    weft_status st = RUN(all_gather_uneven, c->weft, &b, 1);
    if (packed == MPI_SUCCESS && st == WEFT_OK) packed = empty_blocks(&all, c->size);
    free(all.r.own);
    free(mine.own);
    return packed == MPI_SUCCESS ? ended(c, st, rc) : broken(c, packed, rc);
}

bool tap_alltoallv(const void *in, tap_list counts, tap_list at, MPI_Datatype t, void *out, tap_list out_counts,
                   tap_list out_at, MPI_Datatype out_t, MPI_Comm comm, int *rc) {
    tap_comm *c = begin(TAP_ALLTOALLV, comm);
    weft_coll_request *q = NULL;
    bool is_own = in == MPI_IN_PLACE;
    if (!c || !tap_takes(c, TAP_ALLTOALLV, 0) || !is_list(&out_counts) || !is_list(&out_at)) return false;
    int size = c->size;
    blocks to = { out, &out_counts, &out_at, out_t, .bytes = c->lists, .offset = c->lists + size };
    blocks from = { in, &counts, &at, t, .bytes = c->lists + 2 * size, .offset = c->lists + 3 * size };
    if (!tap_shape_of(out_t, &to.shape) || read_counts(&out_counts, size, to.shape.bytes, to.bytes) < 0) return false;
    if (!is_own && (!is_list(&counts) || !is_list(&at) || !tap_shape_of(t, &from.shape) ||
                    read_counts(&counts, size, from.shape.bytes, from.bytes) < 0))
        return false;
    if (!take_blocks(&to, size) || (!is_own && !take_blocks(&from, size))) {
        free(to.r.own);
        return broken(c, MPI_ERR_NO_MEM, rc);
    }
    int packed = MPI_SUCCESS;
    for (int k = 0; k < size && packed == MPI_SUCCESS; k++) packed = fill_block(is_own ? &to : &from, k);
    const blocks *source = is_own ? &to : &from;
    weft_coll_uneven b = { .in = source->r.bytes, .out = to.r.bytes, .dtype = tap_bytes, .in_counts = source->bytes,
                           .in_offsets = source->offset, .out_counts = to.bytes, .out_offsets = to.offset };
    weft_status st = RUN(all_to_all_uneven, c->weft, &b, 1);
    if (packed == MPI_SUCCESS && st == WEFT_OK) packed = empty_blocks(&to, size);
    free(to.r.own);
    free(from.r.own);
    return packed == MPI_SUCCESS ? ended(c, st, rc) : broken(c, packed, rc);
}
