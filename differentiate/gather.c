/* gather.c: rules of gather and scatter: each is the other's transpose.
 *
 * A gather moves a start index that is too large back into the operand; a scatter leaves a window out that does not
 * fit. So the indices of a gather are moved back for its scatter, and what a scatter left out gets a cotangent of
 * zero.
 */
#include "differentiate/grad.h"

/* ---- indices ---- */

/* A value of the indices' shape that has v[k] for component k. */
static weft_value *by_component(gd *g, const weft_value *indices, int64_t vector_dim, const int64_t *v, uint32_t n) {
    weft_builder *b = gd_b(g);
    bool same = true;
    for (uint32_t k = 1; k < n; k++) same &= v[k] == v[0];
    if (same || vector_dim >= (int64_t)indices->type->rank) return weft_build_integer(b, indices->type, n ? v[0] : 0);
    const int64_t count = n;
    const weft_type *row = weft_type_tensor(g->cx, WEFT_I64, 1, &count);
    weft_value *c = row ? weft_build_constant(b, weft_attr_dense(g->cx, row, v, false)) : NULL;
    c = lg_convert(b, c, indices->type->dtype);
    return weft_build_broadcast(b, c, indices->type, &vector_dim);
}

typedef struct windows {
    weft_ints map;              /* component k is along dimension map.v[k] */
    int64_t vector_dim;
    int64_t last[WEFT_MAX_RANK];/* by component: the largest start that fits */
} windows;

static weft_value *moved_back(gd *g, const windows *w, weft_value *indices) {
    weft_builder *b = gd_b(g);
    if (!indices) return NULL;
    weft_value *most = by_component(g, indices, w->vector_dim, w->last, w->map.n), *zero = lg_const(b, indices, 0);
    return lg_max(b, lg_min(b, indices, most), zero);
}

/* ---- gather ---- */

static windows of_gather(const weft_op *op) {
    const weft_gather_dims *d = &weft_op_attr(op, WEFT_A_dimension_numbers)->gather;
    windows w = { .map = d->start_index_map, .vector_dim = d->index_vector_dim };
    for (uint32_t k = 0; k < w.map.n; k++)
        w.last[k] = op->operands[0]->type->dims[w.map.v[k]] -
                    weft_op_int_at(op, WEFT_A_slice_sizes, (uint32_t)w.map.v[k], 1);
    return w;
}

weft_value *gd_build_scatter(gd *g, weft_value *into, weft_value *indices, weft_value *updates,
                             const weft_scatter_dims *dims, gd_places places) {
    weft_attr node = { .kind = WEFT_ATTR_SCATTER, .scatter = *dims };
    const weft_named_attr attrs[] = {
        { weft_name_at(g->cx, WEFT_A_scatter_dimension_numbers), weft_attr_copy(g->cx, &node) },
        { weft_name_at(g->cx, WEFT_A_indices_are_sorted), weft_attr_bool(g->cx, false) },
        { weft_name_at(g->cx, WEFT_A_unique_indices), weft_attr_bool(g->cx, places == GD_UNIQUE) },
    };
    weft_value *in[] = { into, indices, updates };
    weft_op *made = weft_build_op(gd_b(g), &(weft_op_spec){ .kind = WEFT_OP_scatter, .operands = in,
                                                            .operand_count = 3,
                                                            .types = into ? &into->type : NULL, .result_count = 1,
                                                            .attrs = attrs, .attr_count = 3, .region_count = 1 });
    if (made) gd_build_reducer(g, made, 0, gd_scalar(g, into->type), WEFT_OP_add);
    return made ? &made->results[0] : NULL;
}

/* A scatter of its own: devices may have parts of the sum that is there, which are added first then. */
void gd_rule_gather(gd *g, const weft_op *op) {
    if (!gd_wants(g, op, 0)) return;
    const weft_gather_dims *d = &weft_op_attr(op, WEFT_A_dimension_numbers)->gather;
    const windows w = of_gather(op);
    const weft_scatter_dims dims = { d->offset_dims, d->collapsed_slice_dims, d->operand_batching_dims,
                                     d->start_indices_batching_dims, d->start_index_map, d->index_vector_dim };
    weft_value *indices = moved_back(g, &w, gd_in(g, op, 1)), *into = gd_zeros(g, op->operands[0]->type);
    if (!into || !indices) return;
    gd_give(g, op, 0, gd_build_scatter(g, into, indices, gd_ct(g, op, 0), &dims, GD_MAY_MEET));
}

/* ---- scatter ---- */

/* The operand dimensions that windows have, with their sizes: 1 along inserted and batching ones. */
static void slice_sizes(const weft_op *op, const weft_scatter_dims *d, int64_t *sizes) {
    const weft_type *updates = op->operands[op->operand_count - 1]->type;
    uint32_t k = 0;
    for (uint32_t i = 0; i < op->operands[0]->type->rank; i++) {
        const bool one = weft_ints_has(d->inserted_window_dims, i) || weft_ints_has(d->input_batching_dims, i);
        sizes[i] = one ? 1 : updates->dims[d->update_window_dims.v[k++]];
    }
}

static weft_value *build_gather(gd *g, weft_value *x, weft_value *indices, const weft_scatter_dims *d,
                                const int64_t *sizes, const weft_type *t) {
    weft_attr node = { .kind = WEFT_ATTR_GATHER,
                       .gather = { d->update_window_dims, d->inserted_window_dims, d->input_batching_dims,
                                   d->scatter_indices_batching_dims, d->scatter_dims_to_operand_dims,
                                   d->index_vector_dim } };
    if (!x) return NULL;
    weft_attr_pair attrs[] = { { WEFT_A_dimension_numbers, weft_attr_copy(g->cx, &node) },
                               { WEFT_A_slice_sizes, weft_attr_ints(g->cx, WEFT_I64, sizes, x->type->rank) },
                               { WEFT_A_indices_are_sorted, weft_attr_bool(g->cx, false) } };
    weft_value *in[] = { x, indices };
    return weft_build_1(gd_b(g), WEFT_OP_gather, weft_type_with_dtype(g->cx, t, x->type->dtype), in, 2, attrs, 3);
}

/* x where the window fits, else 0. x has the type of the updates. */
static weft_value *where_it_fits(gd *g, const weft_scatter_dims *d, const windows *w, weft_value *indices,
                                 weft_value *x) {
    weft_builder *b = gd_b(g);
    if (!x || !indices) return NULL;
    weft_value *most = by_component(g, indices, w->vector_dim, w->last, w->map.n), *zero = lg_const(b, indices, 0);
    weft_value *inside = lg_le(b, indices, most);
    inside = lg_and(b, inside, lg_ge(b, indices, zero));
    if (w->vector_dim < (int64_t)indices->type->rank) { /* all components */
        weft_value *outside = lg_convert(b, lg_unary(b, WEFT_OP_not, inside), WEFT_I32);
        outside = gd_sum(g, outside, &w->vector_dim, 1);
        inside = lg_eq(b, outside, outside ? lg_const(b, outside, 0) : NULL);
    }
    int64_t at[WEFT_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->type->rank; i++)
        if (!weft_ints_has(d->update_window_dims, i)) at[n++] = i;
    inside = weft_build_broadcast(b, inside, weft_type_with_dtype(g->cx, x->type, WEFT_I1), at);
    return lg_select(b, inside, x, lg_const(b, x, 0));
}

/* The op, which replaces, over other values. */
static weft_value *build_replacing(gd *g, const weft_op *op, weft_value *into, weft_value *indices,
                                   weft_value *updates) {
    weft_builder r;
    weft_value *in[] = { into, indices, updates };
    weft_op *made = into ? weft_build_op(gd_b(g), &(weft_op_spec){ .kind = WEFT_OP_scatter, .operands = in,
                                                                   .operand_count = 3, .types = &into->type,
                                                                   .result_count = 1, .attrs = op->attrs,
                                                                   .attr_count = op->attr_count, .region_count = 1 })
                         : NULL;
    if (!made) return NULL;
    const weft_type *scalar = gd_scalar(g, into->type);
    weft_builder_init(&r, g->m, NULL);
    r.loc = gd_b(g)->loc;
    r.block = weft_build_block(&r, &made->regions[0]);
    weft_build_block_arg(&r, r.block, scalar, r.loc);
    weft_value *last = weft_build_block_arg(&r, r.block, scalar, r.loc);
    gd_build_return(g, &r, WEFT_OP_return, &last, 1);
    if (r.status != WEFT_OK) gd_fail(g, r.status);
    return &made->results[0];
}

/* Which updates are in the result, where several were written to one place: their numbers are scattered alike. */
static weft_value *is_winner(gd *g, const weft_op *op, const weft_scatter_dims *d, const int64_t *sizes,
                             weft_value *indices) {
    weft_builder *b = gd_b(g);
    const weft_type *t = op->operands[2]->type;
    const int64_t n = weft_type_elems(t);
    const weft_type *flat = weft_type_tensor(g->cx, n > INT32_MAX ? WEFT_I64 : WEFT_I32, 1, &n);
    weft_value *numbers = gd_reshape(g, weft_build_iota(b, flat, 0), t);
    if (!numbers) return NULL;
    weft_value *into = gd_zeros(g, weft_type_with_dtype(g->cx, op->operands[0]->type, flat->dtype));
    weft_value *written = build_replacing(g, op, into, indices, numbers);
    return lg_eq(b, numbers, build_gather(g, written, indices, d, sizes, t));
}

static bool replaces(const weft_op *op) {
    const weft_block *blk = weft_op_body(op, 0);
    return op->result_count == 1 && blk && blk->first == blk->last && blk->last->operands[0] == blk->args[1];
}

typedef struct scattered {
    const weft_op *op;
    const weft_scatter_dims *dims;
    int64_t sizes[WEFT_MAX_RANK];      /* of a window in the operand */
    windows w;
    weft_value *indices;
} scattered;

/* Of each update the elements of x, which has the operand's shape, that it went to; 0 where it did not fit. */
static weft_value *gathered(gd *g, const scattered *s, weft_value *x) {
    weft_value *mine = build_gather(g, x, s->indices, s->dims, s->sizes, s->op->operands[2]->type);
    return where_it_fits(g, s->dims, &s->w, s->indices, mine);
}

static void adding(gd *g, const scattered *s, weft_value *c) {
    if (gd_wants(g, s->op, 0)) gd_give(g, s->op, 0, c);
    if (gd_wants(g, s->op, 2)) gd_give(g, s->op, 2, gathered(g, s, c));
}

static void subtracting(gd *g, const scattered *s, weft_value *c) {
    if (gd_wants(g, s->op, 0)) gd_give(g, s->op, 0, c);
    if (gd_wants(g, s->op, 2)) gd_give(g, s->op, 2, lg_neg(gd_b(g), gathered(g, s, c)));
}

static void replacing(gd *g, const scattered *s, weft_value *c) {
    const weft_op *op = s->op;
    weft_builder *b = gd_b(g);
    if (gd_wants(g, op, 0))
        gd_give(g, op, 0, build_replacing(g, op, c, s->indices, gd_zeros(g, op->operands[2]->type)));
    if (!gd_wants(g, op, 2)) return;
    weft_value *mine = gathered(g, s, c);
    if (!weft_op_int(op, WEFT_A_unique_indices, 0))
        mine = lg_select(b, is_winner(g, op, s->dims, s->sizes, s->indices), mine, lg_const(b, mine, 0));
    gd_give(g, op, 2, mine);
}

/* The product's derivative by one of several updates of an element is not known from the product alone. */
static void multiplying(gd *g, const scattered *s, weft_value *c) {
    const weft_op *op = s->op;
    weft_builder *b = gd_b(g);
    if (gd_wants(g, op, 2) && !weft_op_int(op, WEFT_A_unique_indices, 0)) {
        gd_refuse(g, op, "its updates are multiplied, and unique_indices does not say that they never meet");
        return;
    }
    if (gd_wants(g, op, 0)) {
        weft_value *in[] = { c, s->indices, gd_in(g, op, 2) };
        weft_op *made = weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_scatter, .operands = in, .operand_count = 3,
                                                          .types = &c->type, .result_count = 1, .attrs = op->attrs,
                                                          .attr_count = op->attr_count, .region_count = 1 });
        gd_build_reducer(g, made, 0, gd_scalar(g, c->type), WEFT_OP_multiply);
        gd_give(g, op, 0, made ? &made->results[0] : NULL);
    }
    if (gd_wants(g, op, 2)) gd_give(g, op, 2, gathered(g, s, lg_mul(b, c, gd_in(g, op, 0))));
}

/* The operand's element and the updates that equal the result share its cotangent evenly. */
static void choosing(gd *g, const scattered *s, weft_value *c) {
    const weft_op *op = s->op;
    weft_builder *b = gd_b(g);
    weft_value *x = gd_in(g, op, 0), *u = gd_in(g, op, 2), *r = gd_out(g, op, 0);
    if (!x || !u || !r) return;
    const weft_dtype t = (weft_dtype)c->type->dtype;
    weft_value *stayed = lg_convert(b, lg_eq(b, x, r), t);
    weft_value *there = build_gather(g, r, s->indices, s->dims, s->sizes, u->type);
    weft_value *came = where_it_fits(g, s->dims, &s->w, s->indices, lg_convert(b, lg_eq(b, u, there), t));
    weft_value *count = came ? gd_build_scatter(g, stayed, s->indices, came, s->dims, GD_MAY_MEET) : NULL;
    weft_value *share = lg_div(b, c, lg_max(b, count, lg_const(b, count, 1))); /* no one equals NaN */
    if (gd_wants(g, op, 0)) gd_give(g, op, 0, lg_mul(b, stayed, share));
    if (gd_wants(g, op, 2)) gd_give(g, op, 2, lg_mul(b, came, gathered(g, s, share)));
}

void gd_rule_scatter(gd *g, const weft_op *op) {
    const weft_op_kind kind = replaces(op) ? WEFT_OP_return : weft_reducer_kind(op, 0);
    void (*rule)(gd *, const scattered *, weft_value *) =
        kind == WEFT_OP_return     ? replacing
        : kind == WEFT_OP_add      ? adding
        : kind == WEFT_OP_subtract ? subtracting
        : kind == WEFT_OP_multiply ? multiplying
        : kind == WEFT_OP_maximum || kind == WEFT_OP_minimum ? choosing
                                                             : NULL;
    if (op->operand_count != 3 || !rule) {
        gd_refuse(g, op, "its body is none of a sum, difference, product, maximum, minimum and the update alone");
        return;
    }
    scattered s = { .op = op, .dims = &weft_op_attr(op, WEFT_A_scatter_dimension_numbers)->scatter,
                    .indices = gd_in(g, op, 1) };
    weft_value *c = gd_ct(g, op, 0);
    if (!c || !s.indices) return;
    slice_sizes(op, s.dims, s.sizes);
    s.w = (windows){ .map = s.dims->scatter_dims_to_operand_dims, .vector_dim = s.dims->index_vector_dim };
    for (uint32_t k = 0; k < s.w.map.n; k++)
        s.w.last[k] = op->operands[0]->type->dims[s.w.map.v[k]] - s.sizes[s.w.map.v[k]];
    rule(g, &s, c);
}
