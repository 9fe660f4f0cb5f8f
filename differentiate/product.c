/* product.c: rules of dot and dot_general.
 *
 * The cotangent of one operand is the product of the result's cotangent and the other operand, contracted over the
 * other's free dimensions. Its dimensions come out as batch, free, contracting ones and are put in the operand's
 * order.
 */
#include "differentiate/grad.h"

typedef struct side {
    weft_ints batch, contract;
    int64_t free[WEFT_MAX_RANK]; /* ascending */
    uint32_t free_count;
} side;

static side side_of(weft_ints batch, weft_ints contract, uint32_t rank) {
    side s = { .batch = batch, .contract = contract };
    for (uint32_t d = 0; d < rank; d++)
        if (!weft_ints_has(batch, d) && !weft_ints_has(contract, d)) s.free[s.free_count++] = d;
    return s;
}

/* Of the contracting dimensions of s, the one with k smaller ones. */
static uint32_t contract_at(const side *s, uint32_t k) {
    for (uint32_t i = 0; i < s->contract.n; i++) {
        uint32_t less = 0;
        for (uint32_t j = 0; j < s->contract.n; j++) less += s->contract.v[j] < s->contract.v[i];
        if (less == k) return i;
    }
    return 0;
}

static weft_value *product(gd *g, const weft_op *op, weft_value *const *in, const weft_dot_dims *dims,
                           const weft_type *t) {
    weft_attr node = { .kind = WEFT_ATTR_DOT, .dot = *dims };
    weft_named_attr attrs[3] = { { weft_name_at(g->cx, WEFT_A_dot_dimension_numbers),
                                   weft_attr_copy(g->cx, &node) } };
    const weft_attr_name kept[] = { WEFT_A_precision_config, WEFT_A_algorithm };
    uint32_t n = 1;
    for (size_t i = 0; i < WEFT_COUNT(kept); i++)
        if (weft_op_attr(op, kept[i]))
            attrs[n++] = (weft_named_attr){ weft_name_at(g->cx, kept[i]), weft_op_attr(op, kept[i]) };
    weft_op *made = weft_build_op(gd_b(g), &(weft_op_spec){ .kind = WEFT_OP_dot_general, .operands = in,
                                                            .operand_count = 2, .types = &t, .result_count = 1,
                                                            .attrs = attrs, .attr_count = n });
    return made ? &made->results[0] : NULL;
}

/* Where the dimensions of a product of c and the other operand lie in mine: batch ones, then from c my free ones and
 * from the other my contracting ones, or the other way round. */
typedef enum order { C_FIRST, OTHER_FIRST } order;

static void place(const side *mine, const side *his, order which, int64_t *permutation) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < mine->batch.n; i++, n++) permutation[mine->batch.v[i]] = n;
    for (int part = 0; part < 2; part++) {
        const bool free = (part == 0) == (which == C_FIRST);
        for (uint32_t i = 0; free && i < mine->free_count; i++, n++) permutation[mine->free[i]] = n;
        for (uint32_t k = 0; !free && k < his->contract.n; k++, n++)
            permutation[mine->contract.v[contract_at(his, k)]] = n;
    }
}

static bool in_order(const int64_t *permutation, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (permutation[i] != (int64_t)i) return false;
    return true;
}

/* The cotangent of operand `me` (0 or 1), whose dimensions are `mine`; in the order that needs no transpose, if there
 * is one. */
static void operand(gd *g, const weft_op *op, uint32_t me, const side *mine, const side *his) {
    weft_value *c = gd_ct(g, op, 0), *other = gd_in(g, op, 1 - me), *x = op->operands[me];
    const uint32_t nb = mine->batch.n, n = x->type->rank, his_at = me ? nb : nb + mine->free_count;
    int64_t batch[WEFT_MAX_RANK], contract[WEFT_MAX_RANK], dims[WEFT_MAX_RANK], permutation[WEFT_MAX_RANK];
    if (!c || !other) return;
    for (uint32_t i = 0; i < nb; i++) batch[i] = i;
    for (uint32_t i = 0; i < his->free_count; i++) contract[i] = his_at + i;
    order which = OTHER_FIRST;
    place(mine, his, which, permutation);
    if (!in_order(permutation, n)) place(mine, his, which = C_FIRST, permutation);
    for (uint32_t i = 0; i < n; i++) dims[permutation[i]] = x->type->dims[i];
    weft_dot_dims d = { { batch, nb }, his->batch, { contract, his->free_count }, { his->free, his->free_count } };
    if (which == OTHER_FIRST) d = (weft_dot_dims){ d.rhs_batch, d.lhs_batch, d.rhs_contract, d.lhs_contract };
    other = lg_convert(gd_b(g), other, c->type->dtype);
    weft_value *in[] = { which == C_FIRST ? c : other, which == C_FIRST ? other : c };
    weft_value *made = product(g, op, in, &d, weft_type_tensor(g->cx, c->type->dtype, n, dims));
    gd_give(g, op, me, gd_as(g, gd_transpose(g, made, permutation), x));
}

static void both(gd *g, const weft_op *op, const weft_dot_dims *d) {
    const side lhs = side_of(d->lhs_batch, d->lhs_contract, op->operands[0]->type->rank);
    const side rhs = side_of(d->rhs_batch, d->rhs_contract, op->operands[1]->type->rank);
    if (gd_wants(g, op, 0)) operand(g, op, 0, &lhs, &rhs);
    if (gd_wants(g, op, 1)) operand(g, op, 1, &rhs, &lhs);
}

void gd_rule_dot_general(gd *g, const weft_op *op) {
    both(g, op, &weft_op_attr(op, WEFT_A_dot_dimension_numbers)->dot);
}

/* A vector or matrix times a vector or matrix: over the last dimension and the first. */
void gd_rule_dot(gd *g, const weft_op *op) {
    const int64_t last = op->operands[0]->type->rank - 1, first = 0;
    both(g, op, &(weft_dot_dims){ .lhs_contract = { &last, 1 }, .rhs_contract = { &first, 1 } });
}
