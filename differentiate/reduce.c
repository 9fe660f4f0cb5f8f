/* reduce.c: the rule of reduce with a sum, product, maximum or minimum. */
#include "differentiate/grad.h"

typedef struct reduction {
    const weft_op *op;
    const weft_type *type; /* of the operand */
    int64_t dims[WEFT_MAX_RANK];
    uint32_t n;
} reduction;

static weft_value *spread(gd *g, const reduction *r, weft_value *v) {
    return gd_expand(g, v, r->type, r->dims, r->n);
}

/* The elements that equal the result share its cotangent evenly. */
static weft_value *of_chosen(gd *g, const reduction *r, weft_value *c) {
    weft_builder *b = gd_b(g);
    weft_value *x = gd_in(g, r->op, 0), *y = spread(g, r, gd_out(g, r->op, 0));
    weft_value *mask = lg_convert(b, lg_eq(b, x, y), r->type->dtype);
    weft_value *share = lg_div(b, c, gd_sum(g, mask, r->dims, r->n));
    return lg_mul(b, mask, spread(g, r, share));
}

/* The product of the others: the whole divided by the element; where there is one zero, its own is the product of the
 * rest, and that of the rest is zero. */
static weft_value *of_product(gd *g, const reduction *r, weft_value *c) {
    weft_builder *b = gd_b(g);
    weft_value *x = gd_in(g, r->op, 0), *zero = lg_const(b, x, 0), *one = lg_const(b, x, 1);
    weft_value *is_zero = lg_eq(b, x, zero), *safe = lg_select(b, is_zero, one, x);
    weft_value *count = spread(g, r, gd_sum(g, lg_select(b, is_zero, one, zero), r->dims, r->n));
    weft_value *in[] = { safe, gd_here(g, r->op->operands[1]) };
    weft_op *whole = weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_reduce, .operands = in, .operand_count = 2,
                                                       .types = &r->op->results[0].type, .result_count = 1,
                                                       .attrs = r->op->attrs, .attr_count = r->op->attr_count,
                                                       .region_count = 1 });
    gd_build_reducer(g, whole, 0, gd_scalar(g, r->type), WEFT_OP_multiply);
    weft_value *rest = whole ? spread(g, r, &whole->results[0]) : NULL;
    weft_value *lone = lg_select(b, lg_eq(b, count, one), lg_select(b, is_zero, rest, zero), zero);
    weft_value *slope = lg_select(b, lg_eq(b, count, zero), lg_div(b, rest, safe), lone);
    return lg_mul(b, spread(g, r, c), slope);
}

void gd_rule_reduce(gd *g, const weft_op *op) {
    const weft_op_kind kind = weft_reducer_kind(op, 0);
    weft_value *c = gd_of(g, &op->results[0])->ct;
    weft_ints dims = weft_op_ints(op, WEFT_A_dimensions);
    reduction r = { .op = op, .type = op->operands[0]->type };
    for (uint32_t d = 0; d < r.type->rank; d++)
        if (weft_ints_has(dims, d)) r.dims[r.n++] = d;
    const bool chosen = kind == WEFT_OP_maximum || kind == WEFT_OP_minimum;
    if (kind != WEFT_OP_add && kind != WEFT_OP_multiply && !chosen) {
        gd_expand_reduce(g, op);
        return;
    }
    if (gd_wants(g, op, 1) && kind != WEFT_OP_add) {
        gd_refuse(g, op, "its initial value depends on what the gradient is for");
        return;
    }
    if (gd_wants(g, op, 1)) gd_give(g, op, 1, gd_sum_all(g, c));
    if (!gd_wants(g, op, 0) || (chosen && gd_cancels(g, op))) return;
    gd_give(g, op, 0, chosen ? of_chosen(g, &r, c) : kind == WEFT_OP_add ? spread(g, &r, c) : of_product(g, &r, c));
}

/* ---- windows ---- */
