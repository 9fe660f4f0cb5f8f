/* chlo_broadcast: CHLO's ops with an implicit broadcast become broadcast_in_dim and the op itself.
 *
 * Pass weft-expand-chlo-broadcasts. Needs static shapes; other ops are left alone. Leaves: no chlo.broadcast_* op; the
 * op's annotations (a sharding) are on its replacement. Source: CHLO's ops in StableHLO's ChloOps.td:
 * broadcast_dimensions place the operand of lower rank, without it shapes are aligned at their last
 * dimensions.
 */
#include "ir/rewrite.h"
#include "legalize/chlo.h"
#include "legalize/legalize.h"

/* The op on operands of one shape, for each op with a broadcast. */
static const uint16_t same_shaped[WEFT_OP_COUNT] = {
    [WEFT_OP_chlo_broadcast_add] = WEFT_OP_add,
    [WEFT_OP_chlo_broadcast_and] = WEFT_OP_and,
    [WEFT_OP_chlo_broadcast_atan2] = WEFT_OP_atan2,
    [WEFT_OP_chlo_broadcast_compare] = WEFT_OP_compare,
    [WEFT_OP_chlo_broadcast_complex] = WEFT_OP_complex,
    [WEFT_OP_chlo_broadcast_divide] = WEFT_OP_divide,
    [WEFT_OP_chlo_broadcast_maximum] = WEFT_OP_maximum,
    [WEFT_OP_chlo_broadcast_minimum] = WEFT_OP_minimum,
    [WEFT_OP_chlo_broadcast_multiply] = WEFT_OP_multiply,
    [WEFT_OP_chlo_broadcast_next_after] = WEFT_OP_chlo_next_after,
    [WEFT_OP_chlo_broadcast_or] = WEFT_OP_or,
    [WEFT_OP_chlo_broadcast_polygamma] = WEFT_OP_chlo_polygamma,
    [WEFT_OP_chlo_broadcast_power] = WEFT_OP_power,
    [WEFT_OP_chlo_broadcast_remainder] = WEFT_OP_remainder,
    [WEFT_OP_chlo_broadcast_select] = WEFT_OP_select,
    [WEFT_OP_chlo_broadcast_shift_left] = WEFT_OP_shift_left,
    [WEFT_OP_chlo_broadcast_shift_right_arithmetic] = WEFT_OP_shift_right_arithmetic,
    [WEFT_OP_chlo_broadcast_shift_right_logical] = WEFT_OP_shift_right_logical,
    [WEFT_OP_chlo_broadcast_subtract] = WEFT_OP_subtract,
    [WEFT_OP_chlo_broadcast_xor] = WEFT_OP_xor,
    [WEFT_OP_chlo_broadcast_zeta] = WEFT_OP_chlo_zeta,
};

bool lg_is_broadcast(const weft_op *op) { return same_shaped[op->kind] != 0; }

/* x in the shape of result, with its dimensions placed by map or, without one, at the end. */
static weft_value *spread(weft_builder *b, weft_value *x, const weft_type *result, weft_ints map) {
    int64_t dims[WEFT_MAX_RANK];
    if (!x) return NULL;
    const weft_type *t = weft_type_with_dims(b->m->cx, x->type, result->rank, result->dims);
    if (t == x->type) return x;
    const uint32_t n = x->type->rank;
    const bool placed = map.n == n && n < result->rank;
    for (uint32_t i = 0; i < n; i++) dims[i] = placed ? map.v[i] : (int64_t)(result->rank - n + i);
    weft_attr_pair attr = { WEFT_A_broadcast_dimensions, weft_attr_ints(b->m->cx, WEFT_I64, dims, n) };
    return weft_build_1(b, WEFT_OP_broadcast_in_dim, t, &x, 1, &attr, 1);
}

/* StableHLO has the same keywords in the same order, as sets of its own. */
static const weft_attr *direction_of(weft_context *cx, const weft_op *op) {
    int e = (int)weft_op_attr(op, WEFT_A_comparison_direction)->e - WEFT_chlo_comparison_direction_EQ;
    return weft_attr_enum(cx, (weft_enum_value)(e + WEFT_comparison_direction_EQ));
}

static const weft_attr *type_of(weft_context *cx, const weft_op *op) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_compare_type);
    return a ? weft_attr_enum(cx, (weft_enum_value)((int)a->e - WEFT_chlo_comparison_type_NOTYPE +
                                                    WEFT_comparison_type_NOTYPE))
             : NULL;
}

weft_value *lg_expand_broadcast(weft_builder *b, const weft_op *op, weft_value *const *in) {
    weft_value *all[3] = { NULL };
    weft_attr_pair attrs[2];
    uint32_t n = 0;
    weft_context *cx = b->m->cx;
    const weft_type *result = op->results[0].type;
    for (uint32_t i = 0; i < op->operand_count; i++)
        all[i] = spread(b, in[i], result, weft_op_ints(op, WEFT_A_broadcast_dimensions));
    if (op->kind == WEFT_OP_chlo_broadcast_compare) {
        attrs[n++] = (weft_attr_pair){ WEFT_A_comparison_direction, direction_of(cx, op) };
        if (weft_op_attr(op, WEFT_A_compare_type))
            attrs[n++] = (weft_attr_pair){ WEFT_A_compare_type, type_of(cx, op) };
    }
    return weft_build_1(b, (weft_op_kind)same_shaped[op->kind], result, all, op->operand_count, attrs, n);
}

static weft_status expand(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    return lg_is_broadcast(op) ? lg_replace(r, b, op, lg_expand_broadcast, did) : WEFT_OK;
}

weft_status weft_pass_expand_chlo_broadcasts(weft_pass *p, const weft_module *in, weft_module **out) {
    (void)p;
    return lg_run(in, expand, lg_is_broadcast, out);
}
