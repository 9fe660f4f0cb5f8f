/* local_dynamic.c: dynamic_slice and dynamic_update_slice along a dimension that is cut.
 *
 * The start is clamped as the whole tensor would clamp it; device k then sees it at start - k * part of its own part, which may lie
 * before the part or behind it. With w elements of window, the smaller of part and slice:
 *
 *   slice    w elements of the part that overlap, shifted to where the slice has them, between zeros: the sum over the devices is the
 *            slice, so that it is sent and not the operand.
 *   update   w elements of the part that overlap, with the update's in place of those that it replaces, are put back: nobody sends
 *            anything, and the part changes in place.
 *
 * Whoever has no overlap sends zeros, or puts back what was there. Padding behind the last element is never inside a slice.
 */
#include "partitioner/halo.h"
#include "partitioner/local_ops.h"

/* Dimensions where a is as large as b are taken whole, whatever the start. */
static weft_bits smaller_dims(const weft_type *whole, const weft_type *piece) {
    weft_bits set = 0;
    for (uint32_t d = 0; d < whole->rank; d++)
        if (whole->dims[d] != piece->dims[d]) set |= weft_bit(d);
    return set;
}

/* Factors of these dimensions of operand 0. */
static weft_bits factors_at(const weft_rule *rule, weft_bits dims) {
    weft_bits set = 0;
    WEFT_EACH_BIT(d, dims) {
        weft_rule_dim dim = rule->tensors[0].dims[d];
        for (uint32_t k = 0; k < dim.n; k++) set |= weft_bit(rule->factors[dim.first + k]);
    }
    return set;
}

weft_bits weft_factors_dynamic_slice(const weft_op *op, const weft_rule *rule) {
    return weft_pass_factors(op, rule) | (rule->reduction & factors_at(rule, smaller_dims(op->operands[0]->type, op->results[0].type)));
}

weft_bits weft_places_dynamic_slice(const weft_op *op, const weft_rule *rule) {
    return rule->reduction & factors_at(rule, smaller_dims(op->operands[0]->type, op->results[0].type));
}

/* The sum of a value and of zeros is exact; of truth values it is the maximum. */
weft_partial weft_partial_dynamic_slice(const weft_op *op) { return op->results[0].type->dtype == WEFT_I1 ? WEFT_PARTIAL_MAX : WEFT_PARTIAL_SUM; }

/* What the update does not have cut is cut in operand and result only. */
weft_bits weft_factors_dynamic_update_slice(const weft_op *op, const weft_rule *rule) {
    return weft_pass_factors(op, rule) & rule->tensors[0].factors;
}

weft_bits weft_places_dynamic_update_slice(const weft_op *op, const weft_rule *rule) {
    return rule->tensors[0].factors & factors_at(rule, smaller_dims(op->operands[0]->type, op->operands[1]->type));
}

/* --- where it begins ---------------------------------------------------------------------------------------------- */

typedef struct begin {
    weft_value *at;        /* offset: of the window in this device's part; NULL: 0 */
    weft_value *ahead;     /* offset: how far the window begins behind the slice; cut dimensions only */
    int64_t part, piece, window;
} begin;

static weft_value *number(weft_localizer *z, int64_t v) { return weft_build_splat(z->b, weft_local_offset_type(z), (double)v); }

static weft_value *binary(weft_localizer *z, weft_op_kind kind, weft_value *a, weft_value *b) { return a && b ? weft_build_binary(z->b, kind, a, b) : NULL; }

/* start within [0, last], as an offset. Clamped in its own type, which may not be able to say `last`. */
static weft_value *clamped(weft_localizer *z, weft_value *start, int64_t last) {
    if (!start || last == 0) return start ? number(z, 0) : NULL;
    const weft_dtype_info *of = weft_dtype_of(start->type->dtype);
    bool is_signed = of->kind != WEFT_KIND_UINT;
    uint32_t bits = of->bits - is_signed;
    if (bits >= 63 || last < (int64_t)1 << bits) start = binary(z, WEFT_OP_minimum, start, weft_build_splat(z->b, start->type, (double)last));
    if (is_signed) start = binary(z, WEFT_OP_maximum, start, start ? weft_build_splat(z->b, start->type, 0) : NULL);
    return start ? weft_local_convert(z, start, weft_local_offset_type(z)->dtype) : NULL;
}

/* For each dimension of `whole` (the old operand), of which the op takes `piece` at starts; *cut: dimensions that are cut and taken
 * in part. */
static weft_status begin_of(weft_localizer *z, const weft_value *whole, const weft_type *piece, weft_value *const *starts, begin *out, weft_bits *cut) {
    const weft_placement *l = weft_local_placement(z, whole);
    const weft_type *local = weft_local_type(z, whole);
    *cut = 0;
    if (!local) return weft_oom();
    for (uint32_t d = 0; d < local->rank; d++) {
        begin *b = &out[d];
        *b = (begin){ .at = number(z, 0), .part = local->dims[d], .piece = piece->dims[d], .window = weft_min_i64(local->dims[d], piece->dims[d]) };
        if (whole->type->dims[d] == piece->dims[d]) continue;
        b->at = clamped(z, weft_local_value(z, starts[d]), whole->type->dims[d] - piece->dims[d]);
        if (!weft_placement_dim(l, d).n) continue;
        weft_value *here = binary(z, WEFT_OP_subtract, b->at, weft_local_dim_index(z, l, d, b->part));
        b->at = binary(z, WEFT_OP_maximum, binary(z, WEFT_OP_minimum, here, number(z, b->part - b->window)), number(z, 0));
        b->ahead = binary(z, WEFT_OP_subtract, b->at, here);
        *cut |= weft_bit(d);
    }
    return z->b->status;
}

static weft_value *slice_at(weft_localizer *z, weft_value *x, weft_value *const *at, const int64_t *sizes) {
    return x ? weft_local_part(z, x, weft_type_with_dims(z->cx, x->type, x->type->rank, sizes), at) : NULL;
}

/* x between zeros, `room[d]` on both sides of the dimensions in set. */
static weft_value *between_zeros(weft_localizer *z, weft_value *x, weft_bits set, const int64_t *room) {
    WEFT_EACH_BIT(d, set) x = weft_local_padded(z, x, d, room[d], room[d], NULL);
    return x;
}

/* --- the ops ------------------------------------------------------------------------------------------------------ */

/* Without a dimension to look up in another device's part: the op on local shapes. */
static weft_status lower_plainly(weft_localizer *z, const weft_op *op) {
    weft_op *made = NULL;
    weft_status st = weft_local_clone(z, op, &made);
    if (st != WEFT_OK || op->kind != WEFT_OP_dynamic_slice || weft_local_placement(z, &op->results[0])->n == 0) return st;
    return weft_op_set_ints(z->rewrite->out, made, WEFT_A_slice_sizes, made->results[0].type->dims, made->results[0].type->rank);
}

static bool is_cut_at(const weft_localizer *z, const weft_value *v, weft_bits dims) {
    WEFT_EACH_BIT(d, dims)
        if (weft_placement_dim(weft_local_placement(z, v), d).n) return true;
    return false;
}

weft_status weft_lower_dynamic_slice(weft_localizer *z, const weft_op *op) {
    const weft_value *whole = op->operands[0];
    const weft_type *made = weft_local_type(z, &op->results[0]);
    begin b[WEFT_MAX_RANK];
    weft_value *at[WEFT_MAX_RANK] = { NULL };
    int64_t sizes[WEFT_MAX_RANK], room[WEFT_MAX_RANK];
    weft_bits cut, smaller = smaller_dims(whole->type, op->results[0].type);
    if (!made) return weft_oom();
    if (!is_cut_at(z, whole, smaller)) return lower_plainly(z, op);
    if (is_cut_at(z, &op->results[0], smaller)) return weft_report(z->cx, WEFT_D_unsupported, op->loc, "%s along a dimension that is cut in its result too", op->name->text);
    weft_status st = begin_of(z, whole, op->results[0].type, (weft_value *const *)op->operands + 1, b, &cut);
    for (uint32_t d = 0; st == WEFT_OK && d < made->rank; d++) {
        at[d] = b[d].at;
        sizes[d] = weft_bits_has(cut, d) ? b[d].window : made->dims[d];
        room[d] = made->dims[d];
    }
    weft_value *x = st == WEFT_OK ? slice_at(z, weft_local_value(z, whole), at, sizes) : NULL;
    x = between_zeros(z, x, cut, room);
    for (uint32_t d = 0; x && d < made->rank; d++) at[d] = weft_bits_has(cut, d) ? binary(z, WEFT_OP_subtract, number(z, b[d].piece), b[d].ahead) : number(z, 0);
    weft_local_map(z, &op->results[0], slice_at(z, x, at, made->dims));
    return z->b->status;
}

/* i1 in the shape of type: which elements of the window are the update's. */
static weft_value *inside_update(weft_localizer *z, const weft_type *type, const begin *b, weft_bits cut) {
    weft_value *all = NULL;
    WEFT_EACH_BIT(d, cut) {
        int64_t size = type->dims[d], dim = d;
        const weft_type *row = weft_type_tensor(z->cx, weft_local_offset_type(z)->dtype, 1, &size);
        weft_attr_pair along[] = { { WEFT_A_iota_dimension, weft_attr_i64(z->cx, 0) } };
        weft_attr_pair dims[] = { { WEFT_A_broadcast_dimensions, weft_attr_ints(z->cx, WEFT_I64, &dim, 1) } };
        weft_value *v = row ? weft_build_1(z->b, WEFT_OP_iota, row, NULL, 0, along, 1) : NULL;
        v = binary(z, WEFT_OP_add, v, v ? weft_local_broadcast(z, b[d].ahead, row) : NULL);
        if (!v) return NULL;
        weft_value *low = weft_local_compare(z, v, weft_build_splat(z->b, row, 0), WEFT_comparison_direction_GE);
        weft_value *high = weft_local_compare(z, v, weft_build_splat(z->b, row, (double)b[d].piece), WEFT_comparison_direction_LT);
        v = binary(z, WEFT_OP_and, low, high);
        if (v) v = weft_build_1(z->b, WEFT_OP_broadcast_in_dim, weft_type_with_dtype(z->cx, type, WEFT_I1), &v, 1, dims, 1);
        all = all ? binary(z, WEFT_OP_and, all, v) : v;
    }
    return all;
}

weft_status weft_lower_dynamic_update_slice(weft_localizer *z, const weft_op *op) {
    const weft_value *whole = op->operands[0], *update = op->operands[1];
    weft_value *x = weft_local_value(z, whole), *u = weft_local_value(z, update), *operands[2 + WEFT_MAX_RANK], *at[WEFT_MAX_RANK] = { NULL };
    begin b[WEFT_MAX_RANK];
    int64_t sizes[WEFT_MAX_RANK], room[WEFT_MAX_RANK];
    weft_bits cut, smaller = smaller_dims(whole->type, update->type);
    if (!x || !u) return weft_oom();
    if (!is_cut_at(z, whole, smaller)) return lower_plainly(z, op);
    if (is_cut_at(z, update, smaller)) return weft_report(z->cx, WEFT_D_unsupported, op->loc, "%s along a dimension that is cut in its update too", op->name->text);
    uint32_t rank = whole->type->rank;
    weft_status st = begin_of(z, whole, update->type, (weft_value *const *)op->operands + 2, b, &cut);
    for (uint32_t d = 0; st == WEFT_OK && d < rank; d++) {
        at[d] = b[d].at;
        sizes[d] = weft_bits_has(cut, d) ? b[d].window : u->type->dims[d];
        room[d] = sizes[d];
    }
    if (st != WEFT_OK) return st;
    weft_value *was = slice_at(z, x, at, sizes), *in = was ? inside_update(z, was->type, b, cut) : NULL;
    u = between_zeros(z, u, cut, room);
    for (uint32_t d = 0; u && d < rank; d++) at[d] = weft_bits_has(cut, d) ? binary(z, WEFT_OP_add, b[d].ahead, number(z, b[d].window)) : number(z, 0);
    operands[0] = x;
    operands[1] = weft_local_select(z, in, slice_at(z, u, at, sizes), was);
    for (uint32_t d = 0; d < rank; d++) operands[2 + d] = b[d].at;
    weft_local_map(z, &op->results[0], operands[1] ? weft_build_1(z->b, WEFT_OP_dynamic_update_slice, x->type, operands, 2 + rank, NULL, 0) : NULL);
    return z->b->status;
}
