/* shape.c: rules of ops that move elements: each is linear, and its rule is the transposed map. */
#include "differentiate/grad.h"

/* An operand of size 1 along a dimension is repeated along it, as along those that it does not have. */
void gd_rule_broadcast_in_dim(gd *g, const weft_op *op) {
    const weft_type *from = op->operands[0]->type, *to = op->results[0].type;
    weft_ints map = weft_op_ints(op, WEFT_A_broadcast_dimensions);
    int64_t summed[WEFT_MAX_RANK], order[WEFT_MAX_RANK];
    weft_bits kept = 0;
    uint32_t n = 0, k = 0;
    for (uint32_t i = 0; i < from->rank; i++)
        if (from->dims[i] == to->dims[map.v[i]]) kept |= weft_bit((unsigned)map.v[i]);
    for (uint32_t d = 0; d < to->rank; d++)
        if (!weft_bits_has(kept, d)) summed[n++] = d;
    weft_value *c = gd_sum(g, gd_ct(g, op, 0), summed, n);
    /* the dimensions that are left lie in the order of the result's; the operand's may be another */
    for (uint32_t i = 0; i < from->rank; i++) {
        if (!weft_bits_has(kept, (unsigned)map.v[i])) continue;
        order[k] = 0;
        for (uint32_t j = 0; j < from->rank; j++)
            order[k] += weft_bits_has(kept, (unsigned)map.v[j]) && map.v[j] < map.v[i];
        k++;
    }
    gd_give(g, op, 0, gd_reshape(g, gd_transpose(g, c, order), from));
}

void gd_rule_broadcast(gd *g, const weft_op *op) {
    int64_t dims[WEFT_MAX_RANK];
    const uint32_t n = op->results[0].type->rank - op->operands[0]->type->rank;
    for (uint32_t i = 0; i < n; i++) dims[i] = i;
    gd_give(g, op, 0, gd_sum(g, gd_ct(g, op, 0), dims, n));
}

void gd_rule_reshape(gd *g, const weft_op *op) {
    gd_give(g, op, 0, gd_reshape(g, gd_ct(g, op, 0), op->operands[0]->type));
}

void gd_rule_transpose(gd *g, const weft_op *op) {
    weft_ints p = weft_op_ints(op, WEFT_A_permutation);
    int64_t back[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < p.n; i++) back[p.v[i]] = i;
    gd_give(g, op, 0, gd_transpose(g, gd_ct(g, op, 0), back));
}

void gd_rule_reverse(gd *g, const weft_op *op) {
    weft_value *c = gd_ct(g, op, 0);
    gd_give(g, op, 0, gd_like(g, op, c->type, &c, 1));
}

/* Zeros around and between the elements. */
void gd_rule_slice(gd *g, const weft_op *op) {
    const weft_type *from = op->operands[0]->type;
    weft_value *c = gd_ct(g, op, 0);
    weft_ints start = weft_op_ints(op, WEFT_A_start_indices), stride = weft_op_ints(op, WEFT_A_strides);
    int64_t high[WEFT_MAX_RANK], between[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < from->rank; d++) {
        const int64_t n = c->type->dims[d];
        between[d] = n > 1 ? stride.v[d] - 1 : 0;
        high[d] = from->dims[d] - start.v[d] - (n ? (n - 1) * (between[d] + 1) + 1 : 0);
    }
    weft_value *zero = gd_zeros(g, gd_scalar(g, from));
    gd_give(g, op, 0, weft_build_pad(gd_b(g), c, zero, start.v, high, between));
}

/* The operand has what it left in the result; the padding value the rest. */
void gd_rule_pad(gd *g, const weft_op *op) {
    weft_builder *b = gd_b(g);
    const weft_type *from = op->operands[0]->type;
    weft_value *c = gd_ct(g, op, 0), *x = NULL;
    int64_t low[WEFT_MAX_RANK], high[WEFT_MAX_RANK], none[WEFT_MAX_RANK] = { 0 }, start[WEFT_MAX_RANK] = { 0 },
        stride[WEFT_MAX_RANK], limit[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < from->rank; d++) { /* first without the padding at both ends, also a negative one */
        low[d] = -weft_op_int_at(op, WEFT_A_edge_padding_low, d, 0);
        high[d] = -weft_op_int_at(op, WEFT_A_edge_padding_high, d, 0);
        stride[d] = weft_op_int_at(op, WEFT_A_interior_padding, d, 0) + 1;
        limit[d] = from->dims[d] ? (from->dims[d] - 1) * stride[d] + 1 : 0;
    }
    weft_value *zero = gd_zeros(g, gd_scalar(g, from));
    x = weft_build_slice(b, weft_build_pad(b, c, zero, low, high, none), start, limit, stride);
    gd_give(g, op, 0, x);
    if (gd_wants(g, op, 1)) gd_give(g, op, 1, lg_sub(b, gd_sum_all(g, c), gd_sum_all(g, x)));
}

void gd_rule_concatenate(gd *g, const weft_op *op) {
    const uint32_t d = (uint32_t)weft_op_int(op, WEFT_A_dimension, 0);
    int64_t at = 0;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const int64_t n = op->operands[i]->type->dims[d];
        if (gd_wants(g, op, i)) gd_give(g, op, i, weft_build_cut(gd_b(g), gd_ct(g, op, 0), d, at, at + n));
        at += n;
    }
}

/* The cotangent has the constraint, too; a marker's result is its operand. */
void gd_rule_constraint(gd *g, const weft_op *op) {
    weft_value *c = gd_ct(g, op, 0);
    const bool constrains = op->kind == WEFT_OP_sdy_sharding_constraint || op->kind == WEFT_OP_sdy_reshard;
    gd_give(g, op, 0, constrains ? gd_like(g, op, c->type, &c, 1) : c);
}

/* ---- slices at computed indices ---- */

static weft_value *build_dynamic_slice(gd *g, weft_value *x, weft_value *const *index, const weft_type *t) {
    weft_value *in[1 + WEFT_MAX_RANK];
    if (!x) return NULL;
    in[0] = x;
    for (uint32_t d = 0; d < x->type->rank; d++) in[1 + d] = index[d];
    weft_attr_pair sizes = { WEFT_A_slice_sizes, weft_attr_ints(g->cx, WEFT_I64, t->dims, t->rank) };
    return weft_build_1(gd_b(g), WEFT_OP_dynamic_slice, t, in, 1 + x->type->rank, &sizes, 1);
}

static weft_value *build_update(gd *g, weft_value *x, weft_value *part, weft_value *const *index) {
    weft_value *in[2 + WEFT_MAX_RANK];
    if (!x) return NULL;
    in[0] = x;
    in[1] = part;
    for (uint32_t d = 0; d < x->type->rank; d++) in[2 + d] = index[d];
    return weft_build_1(gd_b(g), WEFT_OP_dynamic_update_slice, x->type, in, 2 + x->type->rank, NULL, 0);
}

static void indices(gd *g, const weft_op *op, uint32_t first, weft_value **index) {
    for (uint32_t i = first; i < op->operand_count; i++) index[i - first] = gd_in(g, op, i);
}

/* In a loop the part is added within the sum that is there: a slice of one layer's parameters does not touch those of
 * others. Elsewhere it is a value of its own: devices may have parts of the sum, which are added first then. */
void gd_rule_dynamic_slice(gd *g, const weft_op *op) {
    weft_value *index[WEFT_MAX_RANK], *c = gd_ct(g, op, 0);
    if (!gd_wants(g, op, 0)) return;
    indices(g, op, 1, index);
    weft_value *v = gd_origin(g, op->operands[0]), **sum = gd_slot(g, v);
    if (!*sum || !g->scope->begin) {
        gd_give(g, op, 0, build_update(g, gd_zeros(g, v->type), c, index));
        return;
    }
    weft_value *old = *sum, *part = c;
    if (!gd_written_once(g, v, op)) part = lg_add(gd_b(g), build_dynamic_slice(g, old, index, c->type), c);
    weft_value *made = build_update(g, old, part, index);
    *gd_slot(g, v) = made;
}

void gd_rule_dynamic_update_slice(gd *g, const weft_op *op) {
    weft_value *index[WEFT_MAX_RANK], *c = gd_ct(g, op, 0);
    indices(g, op, 2, index);
    if (gd_wants(g, op, 0)) gd_give(g, op, 0, build_update(g, c, gd_zeros(g, op->operands[1]->type), index));
    if (gd_wants(g, op, 1)) gd_give(g, op, 1, build_dynamic_slice(g, c, index, op->operands[1]->type));
}
