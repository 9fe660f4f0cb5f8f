/* carry.c: carries calls out: packs, lets Weft work, unpacks. */
#include "collectives/mpi/tap.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* --- rows --------------------------------------------------------------------------------------------------------- */

static bool take_row(tap_side *s) {
    s->own = s->is_there && !s->shape.is_dense ? malloc((size_t)(s->bytes ? s->bytes : 1)) : NULL;
    s->row = s->own ? s->own : s->is_there ? (char *)(uintptr_t)s->buf : NULL;
    return !s->is_there || s->shape.is_dense || s->own;
}

static void *element(const tap_side *s, int64_t k) {
    return (void *)((uintptr_t)s->buf + (uintptr_t)(k * s->shape.extent));
}

static int pack(const tap_side *s, int64_t first, int64_t n, int64_t at) {
    return tap_pack(element(s, first), n, s->t, s->shape.bytes, s->shape.extent, s->own + at);
}

static int pack_block(const tap_side *s, int k, int size) {
    if (s->sizes) return pack(s, tap_number(&s->at, k), tap_number(&s->counts, k), s->places[k]);
    return pack(s, k * (s->n / size), s->n / size, k * (s->bytes / size));
}

static int fill(const tap_side *s, tap_fill how, int rank, int size) {
    int rc = MPI_SUCCESS;
    if (!s->own || how == TAP_NOTHING) return rc;
    if (how == TAP_OWN_BLOCK) return pack_block(s, rank, size);
    if (!s->sizes) return pack(s, 0, s->n, 0);
    for (int k = 0; k < size && rc == MPI_SUCCESS; k++) rc = pack_block(s, k, size);
    return rc;
}

static int empty(const tap_side *s, int size) {
    int rc = MPI_SUCCESS;
    if (!s->own) return rc;
    if (!s->sizes) return tap_unpack(s->own, s->n, s->t, s->shape.bytes, s->shape.extent, element(s, 0));
    for (int k = 0; k < size && rc == MPI_SUCCESS; k++)
        rc = tap_unpack(s->own + s->places[k], tap_number(&s->counts, k), s->t, s->shape.bytes, s->shape.extent,
                        element(s, tap_number(&s->at, k)));
    return rc;
}

static void drop_rows(tap_call *k) {
    free(k->in.own);
    free(k->out.own);
    free(k->elsewhere);
    k->in.own = k->out.own = k->elsewhere = NULL;
}

/* Rows of both sides, the input's filled. */
static int take(tap_call *k) {
    k->elsewhere = k->front ? malloc((size_t)k->front) : NULL;
    if (!take_row(&k->in) || !take_row(&k->out) || (k->front && !k->elsewhere)) {
        drop_rows(k);
        return MPI_ERR_NO_MEM;
    }
    int rc = fill(&k->in, TAP_ALL, k->c->rank, k->c->size);
    return rc == MPI_SUCCESS ? fill(&k->out, k->fills, k->c->rank, k->c->size) : rc;
}

/* --- Weft's calls ------------------------------------------------------------------------------------------------- */

static char *from_of(const tap_call *k) {
    char *row = k->is_from_out ? k->out.row : k->in.row;
    return row ? row + k->from_at : NULL;
}

static char *to_of(const tap_call *k) {
    char *row = k->elsewhere ? k->elsewhere : k->is_to_in ? k->in.row : k->out.row;
    return row ? row + k->to_at : NULL;
}

enum { WAITS, BEGINS };
#define GO(name, ...)                                                      \
    (how == BEGINS ? weft_coll_start_##name(__VA_ARGS__, NULL, &k->q)      \
                   : weft_coll_##name(__VA_ARGS__, NULL))

static weft_status go_uneven(tap_call *k, int how) {
    weft_comm *w = k->c->weft;
    weft_coll_uneven b = { .in = from_of(k), .out = to_of(k), .dtype = k->dtype };
    if (k->kind == TAP_REDUCE_SCATTER) {
        b.in_counts = k->counts;
        return GO(reduce_scatter_uneven, w, k->reduce, &b, 1);
    }
    b.out_counts = k->out.sizes, b.out_offsets = k->out.places;
    if (k->kind == TAP_ALLGATHERV) return GO(all_gather_uneven, w, &b, 1);
    const tap_side *from = k->is_from_out ? &k->out : &k->in;
    b.in_counts = from->sizes, b.in_offsets = from->places;
    return GO(all_to_all_uneven, w, &b, 1);
}

static weft_status go(tap_call *k, int how) {
    weft_comm *w = k->c->weft;
    weft_coll_buf b = { .in = from_of(k), .out = to_of(k), .dtype = k->dtype, .inner = k->inner };
    switch (k->kind) {
    case TAP_BARRIER: return how == BEGINS ? weft_coll_start_barrier(w, NULL, &k->q) : weft_coll_barrier(w, NULL);
    case TAP_BCAST: return GO(broadcast, w, k->root, &b, 1);
    case TAP_ALLREDUCE: return GO(all_reduce, w, k->reduce, &b, 1);
    case TAP_REDUCE: return GO(reduce, w, k->reduce, k->root, &b, 1);
    case TAP_REDUCE_SCATTER_BLOCK: return GO(reduce_scatter, w, k->reduce, &b, 1);
    case TAP_ALLGATHER: return GO(all_gather, w, &b, 1);
    case TAP_GATHER: return GO(gather, w, k->root, &b, 1);
    case TAP_SCATTER: return GO(scatter, w, k->root, &b, 1);
    case TAP_ALLTOALL: return GO(all_to_all, w, 1, &b, 1);
    default: return go_uneven(k, how);
    }
}

/* --- the end of a call -------------------------------------------------------------------------------------------- */

MPI_Comm tap_told(const tap_comm *c) {
    const tap_comm *program = c->of ? c->of : c;
    return program->is_gone ? MPI_COMM_WORLD : program->mpi;
}

int tap_broken(const tap_comm *c, int code) {
    PMPI_Comm_call_errhandler(tap_told(c), code);
    return code;
}

/* Weft has failed: the program hears of it as of any error of MPI's. */
static int code_of(weft_status st) {
    if (st == WEFT_OK) return MPI_SUCCESS;
    size_t n = weft_context_diag_count(tap.cx);
    const weft_diag *d = n ? weft_context_diag(tap.cx, n - 1) : NULL;
    tap_say("rank %d: %s", tap.rank, d ? d->message : weft_status_name(st));
    if (weft_world_failed(tap.world)) {
        tap.is_on = false;
        tap_say("rank %d: calls go to MPI from now on", tap.rank);
    }
    return st == WEFT_ERR_USAGE ? MPI_ERR_BUFFER : st == WEFT_ERR_MEMORY ? MPI_ERR_NO_MEM : MPI_ERR_OTHER;
}

/* Its results go where they belong. packed: how its beginning went. */
static int finish(tap_call *k, int packed, weft_status st) {
    int rc = packed == MPI_SUCCESS ? code_of(st) : packed;
    if (rc == MPI_SUCCESS && k->empties) rc = empty(&k->out, k->c->size);
    if (rc == MPI_SUCCESS && k->front) memcpy(k->out.row, k->elsewhere, (size_t)k->front);
    drop_rows(k);
    return rc;
}

/* Where several threads may each wait in a call of their own, none holds the rank while it waits: a call is begun, then
 * tested again and again. */
static weft_status run_among_threads(tap_call *k) {
    int done = 0;
    pthread_mutex_lock(&tap.lock);
    weft_status st = go(k, BEGINS);
    for (unsigned turn = 1; st == WEFT_OK && (weft_coll_test(k->q, &done), !done); turn++) {
        pthread_mutex_unlock(&tap.lock);
        if (turn % 32 == 0) {
            tap_idle(NULL);
            sched_yield();
        }
        pthread_mutex_lock(&tap.lock);
    }
    if (st == WEFT_OK) st = weft_coll_wait(k->q);
    pthread_mutex_unlock(&tap.lock);
    return st;
}

static weft_status run_alone(tap_call *k) {
    tap.is_inside = true;
    weft_status st = go(k, WAITS);
    tap.is_inside = false;
    return st;
}

int tap_run(tap_call *k) {
    int rc = take(k);
    if (rc == MPI_ERR_NO_MEM) return tap_broken(k->c, rc);
    rc = finish(k, rc, tap.threads ? run_among_threads(k) : run_alone(k));
    if (rc == MPI_SUCCESS && tap.reports) tap_note_weft();
    return rc == MPI_SUCCESS ? rc : tap_broken(k->c, rc);
}

int tap_begin(tap_call *k) {
    k->rc = take(k);
    if (k->rc == MPI_ERR_NO_MEM) return k->rc;
    int rc = code_of(go(k, BEGINS));
    if (rc != MPI_SUCCESS) drop_rows(k);
    return rc;
}

bool tap_is_done(tap_call *k) {
    int done = 0;
    weft_coll_test(k->q, &done);
    if (!done) return false;
    k->rc = finish(k, k->rc, weft_coll_wait(k->q));
    return true;
}
