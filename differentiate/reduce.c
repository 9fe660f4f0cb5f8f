/* reduce.c: the rule of reduce with a sum, maximum or minimum; others are expanded. */
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

void gd_rule_reduce(gd *g, const weft_op *op) {
    const weft_op_kind kind = weft_reducer_kind(op, 0);
    weft_value *c = gd_of(g, &op->results[0])->ct;
    weft_ints dims = weft_op_ints(op, WEFT_A_dimensions);
    reduction r = { .op = op, .type = op->operands[0]->type };
    for (uint32_t d = 0; d < r.type->rank; d++)
        if (weft_ints_has(dims, d)) r.dims[r.n++] = d;
    const bool chosen = kind == WEFT_OP_maximum || kind == WEFT_OP_minimum;
    if ((kind != WEFT_OP_add && !chosen) || (chosen && gd_wants(g, op, 1))) {
        gd_expand_reduce(g, op);
        return;
    }
    if (gd_wants(g, op, 1)) gd_give(g, op, 1, gd_sum_all(g, c));
    if (!gd_wants(g, op, 0) || (chosen && gd_cancels(g, op))) return;
    gd_give(g, op, 0, chosen ? of_chosen(g, &r, c) : spread(g, &r, c));
}
