/* sort.c: rules of sort and chlo.top_k.
 *
 * The forward sort sorts the elements' numbers, too. They say where each result came from; sorting the cotangents by
 * them brings each one back.
 */
#include "differentiate/grad.h"

/* The numbers of elements along dimension d of type t. */
static weft_value *build_numbers(gd *g, weft_builder *b, const weft_type *t, int64_t d) {
    const weft_dtype dtype = t->dims[d] > INT32_MAX ? WEFT_I64 : WEFT_I32;
    return weft_build_iota(b, weft_type_with_dtype(g->cx, t, dtype), d);
}

static weft_op *build_sort(gd *g, weft_builder *b, weft_value *const *in, uint32_t n, const weft_named_attr *attrs,
                           uint32_t attr_count) {
    const weft_type **types = weft_arena_array(g->arena, const weft_type *, n + 1);
    for (uint32_t i = 0; types && i < n; i++) types[i] = in[i] ? in[i]->type : NULL;
    weft_op *op = types ? weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_sort, .operands = in, .operand_count = n,
                                                            .types = types, .result_count = n, .attrs = attrs,
                                                            .attr_count = attr_count, .region_count = 1 })
                        : NULL;
    if (!op) gd_fail(g, weft_oom());
    return op;
}

/* The op anew, with numbers as its last operand. */
static weft_op *with_numbers(gd *g, const weft_op *op, int64_t d) {
    const uint32_t n = op->operand_count;
    weft_value **in = weft_arena_array(g->arena, weft_value *, n + 1);
    weft_builder b;
    weft_builder_init(&b, g->m, op->parent);
    b.before = (weft_op *)op;
    b.loc = op->loc;
    for (uint32_t i = 0; in && i < n; i++) in[i] = op->operands[i];
    if (in) in[n] = build_numbers(g, &b, op->operands[0]->type, d);
    weft_op *made = in ? build_sort(g, &b, in, n + 1, op->attrs, op->attr_count) : NULL;
    if (!made) return NULL;
    gd_extend_shardings(g, op, made);
    const weft_type *scalar = gd_scalar(g, in[n]->type);
    gd_move_region(&((weft_op *)op)->regions[0], &made->regions[0]);
    for (int k = 0; k < 2; k++) weft_build_block_arg(&b, weft_op_body(made, 0), scalar, op->loc);
    if (b.status != WEFT_OK) gd_fail(g, b.status);
    return made;
}

/* The comparator of values[0..n): those of the first are ascending. */
static void build_ascending(gd *g, weft_op *sort) {
    weft_builder r;
    weft_builder_init(&r, g->m, NULL);
    r.loc = sort->loc;
    r.block = weft_build_block(&r, &sort->regions[0]);
    weft_value *pair[2] = { NULL };
    for (uint32_t i = 0; i < sort->operand_count; i++)
        for (int k = 0; k < 2; k++) {
            weft_value *v = weft_build_block_arg(&r, r.block, gd_scalar(g, sort->operands[i]->type), r.loc);
            if (!i) pair[k] = v;
        }
    weft_value *less = lg_lt(&r, pair[0], pair[1]);
    gd_build_return(g, &r, WEFT_OP_return, &less, 1);
    if (r.status != WEFT_OK) gd_fail(g, r.status);
}

void gd_rule_sort(gd *g, const weft_op *op) {
    const uint32_t rank = op->operands[0]->type->rank, n = op->operand_count;
    int64_t d = weft_op_int(op, WEFT_A_dimension, -1);
    if (d < 0) d += rank;
    weft_op *forward = with_numbers(g, op, d);
    weft_value **in = weft_arena_array(g->arena, weft_value *, n + 1);
    if (!in) gd_fail(g, weft_oom());
    if (!forward || gd_status(g) != WEFT_OK) return;
    uint32_t k = 0;
    in[k++] = gd_here(g, &forward->results[n]);
    for (uint32_t i = 0; i < n; i++)
        if (gd_wants(g, op, i) && gd_ct(g, op, i)) in[k++] = gd_ct(g, op, i);
    weft_named_attr attrs[] = { { weft_name_at(g->cx, WEFT_A_dimension), weft_attr_i64(g->cx, d) },
                                { weft_name_at(g->cx, WEFT_A_is_stable), weft_attr_bool(g->cx, false) } };
    weft_op *back = build_sort(g, gd_b(g), in, k, attrs, 2);
    if (!back) return;
    build_ascending(g, back);
    k = 1;
    for (uint32_t i = 0; i < n; i++)
        if (gd_wants(g, op, i) && gd_ct(g, op, i)) gd_give(g, op, i, &back->results[k++]);
    gd_replace_by_op(g, (weft_op *)op, forward);
}

/* Each cotangent goes to the place that its index names. */
void gd_rule_top_k(gd *g, const weft_op *op) {
    const weft_type *t = op->operands[0]->type;
    const int64_t last = t->rank - 1;
    int64_t dims[WEFT_MAX_RANK + 1], batch[WEFT_MAX_RANK];
    weft_value *indices = gd_out(g, op, 1), *c = gd_ct(g, op, 0);
    if (!c || !indices || t->rank == WEFT_MAX_RANK) return;
    for (uint32_t d = 0; d < t->rank; d++) dims[d] = indices->type->dims[d];
    for (uint32_t d = 0; d < t->rank; d++) batch[d] = d;
    dims[t->rank] = 1;
    const weft_ints others = { batch, t->rank - 1 }, along = { &last, 1 };
    const weft_scatter_dims s = { { NULL, 0 }, along, others, others, along, t->rank };
    indices = gd_reshape(g, indices, weft_type_tensor(g->cx, indices->type->dtype, t->rank + 1, dims));
    gd_give(g, op, 0, gd_build_scatter(g, gd_zeros(g, t), indices, c, &s, GD_UNIQUE));
}
