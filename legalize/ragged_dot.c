/* ragged_dot: chlo.ragged_dot as dot_general between masks.
 *
 * One dimension of lhs is split into consecutive groups of the given sizes. Ragged among lhs's own dimensions: each row
 * is multiplied by the matrix of its group: every group's product is computed, and a row keeps its own group's. Ragged
 * and contracted: each group gives a product, with elements outside of the group 0 in both operands. Ragged and
 * batched: groups change nothing. Rows of no group are 0. Masks select, so that infinities and NaNs of one group stay
 * in it.
 * Source: ChloOps.td, CHLO_RaggedDotOp; jax.lax.ragged_dot_general.
 */
#include "legalize/product.h"

typedef struct ragged {
    weft_builder *b;
    const weft_ragged_dims *d;
    int64_t dim;                  /* of lhs */
    lg_value begin, end;          /* of each group: [outer ..., group] */
    int64_t groups;
    int64_t outer[WEFT_MAX_RANK]; /* dimensions of lhs with sizes of their own */
    uint32_t outer_count;
} ragged;

/* The ends of groups: sums of the sizes up to each. */
static void borders(ragged *x, lg_value sizes) {
    lg *g = x->b;
    const uint32_t n = sizes->type->rank;
    int64_t dims[WEFT_MAX_RANK + 1], where[WEFT_MAX_RANK], last = n;
    sizes = lg_convert(g, sizes, WEFT_I64);
    for (uint32_t i = 0; i < n; i++) dims[i] = sizes ? sizes->type->dims[i] : 0, where[i] = i;
    dims[n] = dims[n - 1];
    where[n - 1] = n;
    lg_value each = lg_broadcast(g, sizes, n + 1, dims, where), to = lg_iota(g, WEFT_I64, n + 1, dims, n - 1),
             from = lg_iota(g, WEFT_I64, n + 1, dims, n);
    if (!each || !to || !from) return;
    x->end = lg_sum_over(g, lg_select(g, lg_le(g, from, to), each, lg_const(g, each, 0)), (weft_ints){ &last, 1 });
    x->begin = x->end ? lg_sub(g, x->end, sizes) : NULL;
}

/* The dimensions of lhs that the sizes have before the groups': batch, then those of the ragged one's kind before
 * it. */
static void outer_dims(ragged *x, const weft_type *lhs, uint32_t count) {
    const weft_dot_dims *d = &x->d->dot;
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->lhs_batch.n && n < count; i++)
        if (d->lhs_batch.v[i] != x->dim) x->outer[n++] = d->lhs_batch.v[i];
    const bool contracted = weft_ints_has(d->lhs_contract, x->dim);
    for (uint32_t i = 0; contracted && i < d->lhs_contract.n && n < count; i++)
        if (d->lhs_contract.v[i] != x->dim) x->outer[n++] = d->lhs_contract.v[i];
    for (int64_t i = 0; !contracted && i < lhs->rank && n < count; i++)
        if (i != x->dim && !weft_ints_has(d->lhs_batch, i) && !weft_ints_has(d->lhs_contract, i)) x->outer[n++] = i;
    x->outer_count = n;
}

/* Whether an element of a tensor of these dims is in its group. at: the ragged and the group dimension; of[i]: the i-th
 * outer dimension. */
static lg_value mask(const ragged *x, uint32_t rank, const int64_t *dims, int64_t ragged_at, int64_t group_at,
                     const int64_t *of) {
    lg *g = x->b;
    int64_t where[WEFT_MAX_RANK + 1];
    for (uint32_t i = 0; i < x->outer_count; i++) where[i] = of[i];
    where[x->outer_count] = group_at;
    lg_value at = lg_iota(g, WEFT_I64, rank, dims, ragged_at), begin = lg_broadcast(g, x->begin, rank, dims, where),
             end = lg_broadcast(g, x->end, rank, dims, where);
    if (!at || !begin || !end) return NULL;
    lg_value low = lg_ge(g, at, begin), high = lg_lt(g, at, end);
    return low && high ? lg_and(g, low, high) : NULL;
}

static lg_value masked(const ragged *x, lg_value v, int64_t ragged_at, int64_t group_at, const int64_t *of) {
    if (!v) return NULL;
    lg_value m = mask(x, v->type->rank, v->type->dims, ragged_at, group_at, of);
    return m ? lg_select(x->b, m, v, lg_const(x->b, v, 0)) : NULL;
}

/* [batch, m, k] x [g, batch, k, n]: the product is [batch, lhs's own, rhs's own with g]. */
static lg_value by_rows(const ragged *x, const weft_op *op, lg_value lhs, lg_value rhs) {
    const weft_dot_dims *d = &x->d->dot;
    int64_t place[WEFT_MAX_RANK], group_at = 0, of[WEFT_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->lhs_batch.n; i++) place[d->lhs_batch.v[i]] = n++;
    for (int64_t i = 0; i < lhs->type->rank; i++)
        if (!weft_ints_has(d->lhs_batch, i) && !weft_ints_has(d->lhs_contract, i)) place[i] = n++;
    for (int64_t i = 0; i < rhs->type->rank; i++) {
        if (weft_ints_has(d->rhs_batch, i) || weft_ints_has(d->rhs_contract, i)) continue;
        if (i == x->d->rhs_group.v[0]) group_at = n;
        n++;
    }
    for (uint32_t i = 0; i < x->outer_count; i++) of[i] = place[x->outer[i]];
    lg_value p = lg_dot(x->b, lhs, rhs, d, op->results[0].type->dtype, NULL);
    return lg_sum_over(x->b, masked(x, p, place[x->dim], group_at, of), (weft_ints){ &group_at, 1 });
}

/* v with groups in front, each with its own part. of lhs or rhs: the places of lhs's dimensions. */
static lg_value per_group(const ragged *x, lg_value v, const int64_t *place) {
    int64_t dims[WEFT_MAX_RANK + 1], where[WEFT_MAX_RANK], of[WEFT_MAX_RANK];
    const uint32_t rank = v->type->rank;
    dims[0] = x->groups;
    for (uint32_t i = 0; i < rank; i++) dims[i + 1] = v->type->dims[i], where[i] = i + 1;
    for (uint32_t i = 0; i < x->outer_count; i++) of[i] = place[x->outer[i]] + 1;
    return masked(x, lg_broadcast(x->b, v, rank + 1, dims, where), place[x->dim] + 1, 0, of);
}

/* shifted by one, after a first dimension 0 if room[0] is there for it */
static weft_ints moved(weft_ints v, int64_t *room) {
    for (uint32_t i = 0; i < v.n; i++) room[i] = v.v[i] + 1;
    return (weft_ints){ room, v.n };
}

static lg_value by_terms(const ragged *x, const weft_op *op, lg_value lhs, lg_value rhs) {
    const weft_dot_dims *d = &x->d->dot;
    int64_t same[WEFT_MAX_RANK], place[WEFT_MAX_RANK] = { 0 }, room[4][WEFT_MAX_RANK + 1] = { { 0 } };
    for (uint32_t i = 0; i < lhs->type->rank; i++) same[i] = i;
    for (uint32_t i = 0; i < d->lhs_batch.n; i++) place[d->lhs_batch.v[i]] = d->rhs_batch.v[i];
    for (uint32_t i = 0; i < d->lhs_contract.n; i++) place[d->lhs_contract.v[i]] = d->rhs_contract.v[i];
    lg_value a = per_group(x, lhs, same), b = per_group(x, rhs, place);
    weft_dot_dims dot = { moved(d->lhs_batch, room[0] + 1), moved(d->rhs_batch, room[1] + 1),
                          moved(d->lhs_contract, room[2]), moved(d->rhs_contract, room[3]) };
    dot.lhs_batch = (weft_ints){ room[0], dot.lhs_batch.n + 1 };
    dot.rhs_batch = (weft_ints){ room[1], dot.rhs_batch.n + 1 };
    return lg_dot(x->b, a, b, &dot, op->results[0].type->dtype, NULL);
}

weft_status lg_ragged_dot(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in,
                          weft_value **out) {
    const weft_ragged_dims *d = &weft_op_attr(op, WEFT_A_ragged_dot_dimension_numbers)->ragged;
    const weft_type *sizes = in[2]->type;
    ragged x = { .b = b, .d = d, .dim = d->lhs_ragged.v[0], .groups = sizes->dims[sizes->rank - 1] };
    (void)r;
    if (weft_ints_has(d->dot.lhs_batch, x.dim)) {
        out[0] = lg_dot(b, in[0], in[1], &d->dot, op->results[0].type->dtype, NULL);
        return b->status;
    }
    outer_dims(&x, in[0]->type, sizes->rank - 1);
    borders(&x, in[2]);
    if (!x.begin) return b->status == WEFT_OK ? weft_oom() : b->status;
    out[0] = weft_ints_has(d->dot.lhs_contract, x.dim) ? by_terms(&x, op, in[0], in[1]) : by_rows(&x, op, in[0], in[1]);
    return b->status;
}
