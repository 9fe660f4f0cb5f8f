/* calls.c: what MPI's collectives are to Weft. Here nothing is packed, begun or waited for. */
#include "collectives/mpi/tap.h"

#include <stdlib.h>

static tap_comm *begin(const tap_call *k, tap_kind kind, MPI_Comm comm) {
    if (tap.reports) tap_note_begin(kind, k->when);
    if (!tap.world) return NULL;
    tap_comm *c = tap_comm_of(comm, k->when);
    return tap.is_on ? c : NULL;
}

#define MOST ((int64_t)1 << 50) /* bytes: no product of these numbers overflows */

/* n elements of so many bytes each; -1: no number that MPI would take. */
static int64_t product(int64_t n, int64_t bytes) {
    return n < 0 || bytes < 0 || (bytes && n > MOST / bytes) ? -1 : n * bytes;
}

static bool is_root(const tap_comm *c, int root) { return root >= 0 && root < c->size; }

/* Whether this can be a buffer: the null pointer is MPI_BOTTOM, which types with addresses of their own have.
 * MPI_IN_PLACE stands for none here: where it may, it was taken care of before. */
static bool is_buffer(const void *buf, const tap_shape *s) { return buf != MPI_IN_PLACE && (buf || !s->is_dense); }

/* A side of n elements, blocks times; false: MPI would not take it. */
static bool side(tap_side *s, const void *buf, int64_t n, int64_t blocks, MPI_Datatype t) {
    if (!tap_shape_of(t, &s->shape) || !is_buffer(buf, &s->shape)) return false;
    s->buf = buf, s->t = t;
    s->n = product(n, blocks);
    s->bytes = product(s->n, s->shape.bytes);
    s->is_there = true;
    return s->bytes >= 0;
}

#define CALL(kind_) { .when = k->when, .kind = kind_, .c = c, .dtype = tap_bytes, .root = -1 }

bool tap_barrier(tap_call *k, MPI_Comm comm) {
    tap_comm *c = begin(k, TAP_BARRIER, comm);
    if (!c || !tap_takes(c, TAP_BARRIER, k->when, 0)) return false;
    *k = (tap_call)CALL(TAP_BARRIER);
    return true;
}

bool tap_bcast(tap_call *k, void *buf, int64_t n, MPI_Datatype t, int root, MPI_Comm comm) {
    tap_comm *c = begin(k, TAP_BCAST, comm);
    tap_call it = CALL(TAP_BCAST);
    if (!c || !is_root(c, root) || !side(&it.out, buf, n, 1, t) || it.out.bytes <= 0) return false;
    if (!tap_takes(c, TAP_BCAST, k->when, it.out.bytes)) return false;
    bool gives = c->rank == root;
    it.root = root, it.inner = it.out.bytes;
    it.is_from_out = true, it.fills = gives ? TAP_ALL : TAP_NOTHING, it.empties = !gives;
    *k = it;
    return true;
}

/* --- reductions --------------------------------------------------------------------------------------------------- */

/* A buffer of a reduction, whose elements lie as they are. */
static tap_side plain(const void *buf) {
    return (tap_side){ .buf = buf, .shape.is_dense = true, .is_there = true };
}

/* Operands of so many elements in all; false: MPI has the call. */
static bool reduction(tap_call *it, const void *in, const void *out, int64_t n, int64_t blocks, MPI_Datatype t,
                      MPI_Op op, int64_t *each) {
    if (!it->c || !tap_reduction(t, op, &it->dtype, each, &it->reduce) || !in || !out || out == MPI_IN_PLACE)
        return false;
    int64_t bytes = product(product(n, blocks), *each);
    if (bytes <= 0 || !tap_takes(it->c, it->kind, it->when, bytes)) return false;
    it->inner = n;
    it->in = plain(in), it->out = plain(out);
    it->is_from_out = in == MPI_IN_PLACE;
    return true;
}

bool tap_allreduce(tap_call *k, const void *in, void *out, int64_t n, MPI_Datatype t, MPI_Op op, MPI_Comm comm) {
    tap_comm *c = begin(k, TAP_ALLREDUCE, comm);
    tap_call it = CALL(TAP_ALLREDUCE);
    int64_t each;
    if (!reduction(&it, in, out, n, 1, t, op, &each)) return false;
    *k = it;
    return true;
}

bool tap_reduce(tap_call *k, const void *in, void *out, int64_t n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm comm) {
    tap_comm *c = begin(k, TAP_REDUCE, comm);
    tap_call it = CALL(TAP_REDUCE);
    int64_t each;
    if (!c || !is_root(c, root)) return false;
    bool gets = c->rank == root;
    if (!gets && in == MPI_IN_PLACE) return false; /* a mistake, which MPI reports */
    if (!reduction(&it, in, gets ? out : in, n, 1, t, op, &each)) return false;
    it.root = root;
    if (!gets) it.out = (tap_side){ 0 };
    *k = it;
    return true;
}

bool tap_reduce_scatter_block(tap_call *k, const void *in, void *out, int64_t n, MPI_Datatype t, MPI_Op op,
                              MPI_Comm comm) {
    tap_comm *c = begin(k, TAP_REDUCE_SCATTER_BLOCK, comm);
    tap_call it = CALL(TAP_REDUCE_SCATTER_BLOCK);
    int64_t each;
    if (!c || !reduction(&it, in, out, n, c->size, t, op, &each)) return false;
    /* In place Weft's result is this rank's block of the input, MPI's its beginning, and the rest stays as it is. */
    if (in == MPI_IN_PLACE && c->rank) it.front = n * each;
    *k = it;
    return true;
}

/* --- uneven calls ------------------------------------------------------------------------------------------------- */

int64_t tap_number(const tap_list *l, int k) {
    if (l->narrow) return l->narrow[k];
    return l->bytes == 8 ? ((const int64_t *)l->wide)[k] : ((const int32_t *)l->wide)[k];
}

static bool is_list(const tap_list *l) { return l->narrow || l->wide; }

/* Counts, in `unit` bytes each, into to[size]; their sum, -1 for what MPI would not take. */
static int64_t read_counts(const tap_list *l, int size, int64_t unit, int64_t *to) {
    int64_t sum = 0;
    for (int k = 0; k < size && sum >= 0; k++) {
        to[k] = product(tap_number(l, k), unit);
        sum = to[k] < 0 || sum > MOST - to[k] ? -1 : sum + to[k];
    }
    return sum;
}

/* Blocks that lie as they are. MPI's may begin before the buffer, and one without elements at any place; Weft's begin
 * in it. So the buffer becomes the first block that has some. */
static void place(tap_side *s, int size) {
    int64_t first = 0;
    bool is_any = false;
    for (int k = 0; k < size; k++) {
        s->places[k] = s->sizes[k] ? tap_number(&s->at, k) * s->shape.extent : 0;
        if (s->sizes[k] && (!is_any || s->places[k] < first)) first = s->places[k], is_any = true;
    }
    for (int k = 0; k < size; k++)
        if (s->sizes[k]) s->places[k] -= first;
    s->buf = (const void *)((uintptr_t)s->buf + (uintptr_t)first);
}

/* A side of blocks at places of their own, whose numbers are kept in lists[2 * size]. */
static bool blocks(tap_side *s, const void *buf, tap_list counts, tap_list at, MPI_Datatype t, int size,
                   int64_t *lists) {
    if (!is_list(&counts) || !is_list(&at) || buf == MPI_IN_PLACE || !tap_shape_of(t, &s->shape)) return false;
    s->buf = buf, s->t = t, s->counts = counts, s->at = at, s->is_there = true;
    s->sizes = lists, s->places = lists + size;
    s->bytes = read_counts(&counts, size, s->shape.bytes, s->sizes);
    if (s->bytes < 0) return false;
    if (s->shape.is_dense && buf) place(s, size);
    else
        for (int64_t k = 0, sum = 0; k < size; sum += s->sizes[k++]) s->places[k] = sum;
    return true;
}

bool tap_reduce_scatter(tap_call *k, const void *in, void *out, tap_list counts, MPI_Datatype t, MPI_Op op,
                        MPI_Comm comm) {
    tap_comm *c = begin(k, TAP_REDUCE_SCATTER, comm);
    tap_call it = CALL(TAP_REDUCE_SCATTER);
    int64_t each;
    bool is_own = in == MPI_IN_PLACE;
    if (!c || !is_list(&counts) || !tap_reduction(t, op, &it.dtype, &each, &it.reduce) || !in) return false;
    int64_t n = read_counts(&counts, c->size, 1, c->lists), mine = c->lists[c->rank], bytes = product(n, each);
    if (((mine || is_own) && !out) || out == MPI_IN_PLACE || bytes <= 0) return false;
    if (!tap_takes(c, TAP_REDUCE_SCATTER, k->when, bytes)) return false;
    it.lists = it.counts = c->lists;
    it.in = plain(in), it.out = plain(out);
    it.is_from_out = is_own, it.front = is_own && c->rank ? mine * each : 0;
    *k = it;
    return true;
}

bool tap_allgatherv(tap_call *k, const void *in, int64_t n, MPI_Datatype t, void *out, tap_list counts, tap_list at,
                    MPI_Datatype out_t, MPI_Comm comm) {
    tap_comm *c = begin(k, TAP_ALLGATHERV, comm);
    tap_call it = CALL(TAP_ALLGATHERV);
    bool is_own = in == MPI_IN_PLACE;
    if (!c || !blocks(&it.out, out, counts, at, out_t, c->size, c->lists) || it.out.bytes <= 0) return false;
    if (!is_buffer(out, &it.out.shape)) return false;
    int64_t bytes = it.out.sizes[c->rank];
    if (!is_own && n == 0 && !in) in = out; /* an address that stands for none */
    if (!is_own && (!side(&it.in, in, n, 1, t) || it.in.bytes != bytes)) return false;
    if (!tap_takes(c, TAP_ALLGATHERV, k->when, it.out.bytes)) return false;
    it.lists = c->lists;
    it.is_from_out = is_own, it.from_at = is_own ? it.out.places[c->rank] : 0;
    it.fills = is_own ? TAP_OWN_BLOCK : TAP_NOTHING, it.empties = true;
    *k = it;
    return true;
}

bool tap_alltoallv(tap_call *k, const void *in, tap_list counts, tap_list at, MPI_Datatype t, void *out,
                   tap_list out_counts, tap_list out_at, MPI_Datatype out_t, MPI_Comm comm) {
    tap_comm *c = begin(k, TAP_ALLTOALLV, comm);
    tap_call it = CALL(TAP_ALLTOALLV);
    bool is_own = in == MPI_IN_PLACE;
    if (!c || !tap_takes(c, TAP_ALLTOALLV, k->when, 0)) return false;
    if (!blocks(&it.out, out, out_counts, out_at, out_t, c->size, c->lists)) return false;
    if (!is_own && !blocks(&it.in, in, counts, at, t, c->size, c->lists + 2 * c->size)) return false;
    it.lists = c->lists;
    it.is_from_out = is_own, it.fills = is_own ? TAP_ALL : TAP_NOTHING, it.empties = true;
    *k = it;
    return true;
}

/* --- even calls --------------------------------------------------------------------------------------------------- */

bool tap_allgather(tap_call *k, const void *in, int64_t n, MPI_Datatype t, void *out, int64_t out_n,
                   MPI_Datatype out_t, MPI_Comm comm) {
    tap_comm *c = begin(k, TAP_ALLGATHER, comm);
    tap_call it = CALL(TAP_ALLGATHER);
    bool is_own = in == MPI_IN_PLACE;
    if (!c || !side(&it.out, out, out_n, c->size, out_t) || it.out.bytes <= 0) return false;
    it.inner = it.out.bytes / c->size;
    if (!is_own && (!side(&it.in, in, n, 1, t) || it.in.bytes != it.inner)) return false;
    if (!tap_takes(c, TAP_ALLGATHER, k->when, it.out.bytes)) return false;
    it.is_from_out = is_own, it.from_at = is_own ? c->rank * it.inner : 0;
    it.fills = is_own ? TAP_OWN_BLOCK : TAP_NOTHING, it.empties = true;
    *k = it;
    return true;
}

bool tap_gather(tap_call *k, const void *in, int64_t n, MPI_Datatype t, void *out, int64_t out_n, MPI_Datatype out_t,
                int root, MPI_Comm comm) {
    tap_comm *c = begin(k, TAP_GATHER, comm);
    tap_call it = CALL(TAP_GATHER);
    if (!c || !is_root(c, root)) return false;
    bool gets = c->rank == root, is_own = gets && in == MPI_IN_PLACE;
    if (gets && !side(&it.out, out, out_n, c->size, out_t)) return false;
    if (!is_own && (in == MPI_IN_PLACE || !side(&it.in, in, n, 1, t))) return false;
    it.inner = is_own ? it.out.bytes / c->size : it.in.bytes;
    int64_t whole = product(it.inner, c->size);
    if (whole <= 0 || (gets && whole != it.out.bytes) || !tap_takes(c, TAP_GATHER, k->when, whole)) return false;
    it.root = root;
    it.is_from_out = is_own, it.from_at = is_own ? c->rank * it.inner : 0;
    it.fills = is_own ? TAP_OWN_BLOCK : TAP_NOTHING, it.empties = gets;
    *k = it;
    return true;
}

bool tap_scatter(tap_call *k, const void *in, int64_t n, MPI_Datatype t, void *out, int64_t out_n, MPI_Datatype out_t,
                 int root, MPI_Comm comm) {
    tap_comm *c = begin(k, TAP_SCATTER, comm);
    tap_call it = CALL(TAP_SCATTER);
    if (!c || !is_root(c, root)) return false;
    bool gives = c->rank == root, is_own = gives && out == MPI_IN_PLACE;
    if (gives && !side(&it.in, in, n, c->size, t)) return false;
    if (!is_own && (out == MPI_IN_PLACE || !side(&it.out, out, out_n, 1, out_t))) return false;
    it.inner = is_own ? it.in.bytes / c->size : it.out.bytes;
    int64_t whole = product(it.inner, c->size);
    if (whole <= 0 || (gives && whole != it.in.bytes) || !tap_takes(c, TAP_SCATTER, k->when, whole)) return false;
    it.root = root;
    it.is_to_in = is_own, it.to_at = is_own ? c->rank * it.inner : 0, it.empties = !is_own;
    *k = it;
    return true;
}

bool tap_alltoall(tap_call *k, const void *in, int64_t n, MPI_Datatype t, void *out, int64_t out_n,
                  MPI_Datatype out_t, MPI_Comm comm) {
    tap_comm *c = begin(k, TAP_ALLTOALL, comm);
    tap_call it = CALL(TAP_ALLTOALL);
    bool is_own = in == MPI_IN_PLACE;
    if (!c || !side(&it.out, out, out_n, c->size, out_t) || it.out.bytes <= 0) return false;
    if (!is_own && (!side(&it.in, in, n, c->size, t) || it.in.bytes != it.out.bytes)) return false;
    if (!tap_takes(c, TAP_ALLTOALL, k->when, it.out.bytes)) return false;
    it.inner = it.out.bytes / c->size;
    it.is_from_out = is_own, it.fills = is_own ? TAP_ALL : TAP_NOTHING, it.empties = true;
    *k = it;
    return true;
}
