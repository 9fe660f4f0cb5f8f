/* pad_ops.c: ops that would take padding for elements: what they add is masked, what they look up stays within the old
 * sizes. */
#include "partitioner/lower/local_ops.h"
#include "partitioner/shardy/pad.h"

/* --- loops that add ----------------------------------------------------------------------------------------------- */

weft_status weft_pad_dot(weft_padder *p, const weft_op *op) {
    weft_padding with;
    weft_status st = weft_pad_by_rule(p, op, &with);
    for (uint32_t i = 0; st == WEFT_OK && i < 2; i++)
        weft_pad_mask_zero(p, op->operands[i], weft_dot_summed(op, i), &with.operands[i]);
    return st == WEFT_OK ? weft_pad_close(p, op, &with, NULL) : st;
}

static bool is_padded(const weft_value *v, const weft_padded *x, weft_bits dims) {
    for (uint32_t d = 0; d < v->type->rank; d++)
        if (weft_bits_has(dims, d) && x->v->type->dims[d] != v->type->dims[d]) return true;
    return false;
}

/* Padding is what the reducer changes nothing with; of one that says nothing of the kind, its initial value, which
 * StableHLO lets it take as often as it likes. */
weft_status weft_pad_reduce(weft_padder *p, const weft_op *op) {
    uint32_t n = op->result_count;
    weft_bits dims = weft_reduced_dims(op);
    weft_padding with;
    weft_status st = weft_pad_by_rule(p, op, &with);
    for (uint32_t i = 0; st == WEFT_OK && i < n; i++) {
        weft_dtype dtype = op->operands[i]->type->dtype;
        weft_op_kind kind = n == 1 ? weft_reducer_kind(op, 0) : WEFT_OP_other;
        if (!is_padded(op->operands[i], &with.operands[i], dims)) continue;
        if (kind == WEFT_OP_add || kind == WEFT_OP_or || kind == WEFT_OP_xor) {
            weft_pad_mask_zero(p, op->operands[i], dims, &with.operands[i]);
            continue;
        }
        weft_value *fill = weft_build_neutral(p->b, kind, dtype);
        weft_pad_mask(p, op->operands[i], dims, fill ? fill : with.operands[n + i].v, &with.operands[i]);
    }
    return st == WEFT_OK ? weft_pad_close(p, op, &with, NULL) : st;
}

/* --- indices ------------------------------------------------------------------------------------------------------ */

/* Dimensions of the operand of which a slice takes one element, with no dimension of the result for it. */
static weft_bits single_dims(const weft_gather_dims *g) {
    weft_bits set = 0;
    for (uint32_t i = 0; i < g->collapsed_slice_dims.n; i++) set |= weft_bit((uint32_t)g->collapsed_slice_dims.v[i]);
    for (uint32_t i = 0; i < g->operand_batching_dims.n; i++) set |= weft_bit((uint32_t)g->operand_batching_dims.v[i]);
    return set;
}

/* The largest index along each component that the old operand lets through, as far as dtype has it; false when none is
 * needed. */
static bool highest_of(const weft_gather_dims *g, const weft_value *v, const weft_padded *x, weft_dtype dtype,
                       int64_t *highest) {
    const weft_dtype_info *info = weft_dtype_of(dtype);
    uint32_t bits = info->bits - (info->kind == WEFT_KIND_UINT ? 0 : 1);
    int64_t most = (INT64_C(1) << weft_min_i64(bits, 53)) - 1; /* longer than any dimension, and a double */
    bool any = false;
    for (uint32_t c = 0; c < g->start_index_map.n; c++) {
        uint32_t d = (uint32_t)g->start_index_map.v[c];
        bool longer = weft_bits_has(single_dims(g), d) && v->type->dims[d] != x->v->type->dims[d];
        highest[c] = longer ? weft_min_i64(most, v->type->dims[d] - 1) : most;
        any = any || highest[c] < most;
    }
    return any;
}

/* highest[c] for each component c, in the shape of the indices. */
static weft_value *components(weft_padder *p, const weft_type *type, const weft_gather_dims *g,
                              const int64_t *highest) {
    int64_t n = g->start_index_map.n;
    uint8_t bytes[WEFT_MAX_RANK * sizeof(int64_t)];
    bool line = g->index_vector_dim < type->rank;
    const weft_type *row = weft_type_tensor(p->cx, type->dtype, line ? 1 : 0, &n);
    for (int64_t c = 0; c < n; c++)
        weft_dtype_store_int(type->dtype, bytes + (size_t)c * weft_dtype_bytes(type->dtype), highest[c]);
    weft_value *v = row ? weft_build_constant(p->b, weft_attr_dense(p->cx, row, bytes, false)) : NULL;
    return weft_build_broadcast(p->b, v, type, &g->index_vector_dim);
}

/* An index is clamped as the old operand would; windows along a padded dimension that they take whole are as long. */
weft_status weft_pad_gather(weft_padder *p, const weft_op *op) {
    const weft_gather_dims *g = &weft_op_attr(op, WEFT_A_dimension_numbers)->gather;
    weft_ints sizes = weft_op_ints(op, WEFT_A_slice_sizes);
    int64_t highest[WEFT_MAX_RANK], v[WEFT_MAX_RANK];
    const weft_value *x = op->operands[0];
    weft_op *made = NULL;
    weft_padding with;
    weft_status st = weft_pad_by_rule(p, op, &with);
    if (st != WEFT_OK) return st;
    for (uint32_t d = 0; d < sizes.n; d++)
        v[d] = sizes.v[d] == x->type->dims[d] && !weft_bits_has(single_dims(g), d) ? with.operands[0].v->type->dims[d]
                                                                                   : sizes.v[d];
    weft_padded *i = &with.operands[1];
    if (highest_of(g, x, &with.operands[0], i->v->type->dtype, highest)) {
        weft_value *most = components(p, i->v->type, g, highest);
        weft_pad_shard_like(p, op->operands[1], most);
        i->v = most ? weft_build_binary(p->b, WEFT_OP_minimum, i->v, most) : NULL;
        weft_pad_shard_like(p, op->operands[1], i->v);
    }
    st = weft_pad_close(p, op, &with, &made);
    return st == WEFT_OK ? weft_op_set_ints(p->rewrite->out, made, WEFT_A_slice_sizes, v, sizes.n) : st;
}

/* Padded indices are nowhere, so that their updates are dropped. An index after the old end of the operand writes into
 * its padding. */
weft_status weft_pad_scatter(weft_padder *p, const weft_op *op) {
    uint32_t n = op->result_count;
    weft_op *made = NULL;
    weft_padding with;
    weft_status st = weft_pad_by_rule(p, op, &with);
    if (st != WEFT_OK || !with.operands[n].v) return st != WEFT_OK ? st : p->b->status;
    weft_padded *i = &with.operands[n];
    bool padded = is_padded(op->operands[n], i, ~(weft_bits)0);
    const int64_t nowhere = weft_scatter_nowhere(op);
    if (padded && !weft_scatter_index_holds(i->v->type->dtype, nowhere)) {
        i->v =
            weft_build_1(p->b, WEFT_OP_convert, weft_type_with_dtype(p->cx, i->v->type, WEFT_I64), &i->v, 1, NULL, 0);
        weft_pad_shard_like(p, op->operands[n], i->v);
    }
    if (padded && i->v)
        weft_pad_mask(p, op->operands[n], ~(weft_bits)0,
                      weft_build_integer(p->b, weft_type_tensor(p->cx, i->v->type->dtype, 0, NULL), nowhere), i);
    st = weft_pad_close(p, op, &with, &made);
    return st == WEFT_OK && padded ? weft_op_set(p->rewrite->out, made, WEFT_A_indices_are_sorted, NULL) : st;
}

weft_status weft_pad_dynamic_slice(weft_padder *p, const weft_op *op) {
    weft_op *made = NULL;
    weft_padding with;
    weft_status st = weft_pad_by_rule(p, op, &with);
    if (st == WEFT_OK) st = weft_pad_close(p, op, &with, &made);
    return st == WEFT_OK ? weft_op_set_ints(p->rewrite->out, made, WEFT_A_slice_sizes, with.results[0]->dims,
                                            with.results[0]->rank)
                         : st;
}

/* --- values from nothing ------------------------------------------------------------------------------------------ */

/* The elements of a constant in the corner of a longer one, zeros after. */
static const weft_attr *longer(weft_padder *p, const weft_attr *value, const weft_type *from, const weft_type *to) {
    size_t bytes = weft_dtype_bytes(from->dtype);
    int64_t n = weft_type_elems(from), room = weft_type_elems(to);
    uint8_t *all = room >= 0 ? weft_arena_calloc(&p->cx->scratch, (size_t)room, bytes, 8) : NULL;
    const uint8_t *old = value->dense.p;
    if (!all) return NULL;
    for (int64_t i = 0; i < n; i++) {
        int64_t left = i, at = 0, step = 1;
        for (uint32_t d = from->rank; d-- > 0;) {
            at += left % from->dims[d] * step;
            left /= from->dims[d];
            step *= to->dims[d];
        }
        memcpy(all + (size_t)at * bytes, old + (size_t)i * bytes, bytes);
    }
    return weft_attr_dense(p->cx, to, all, false);
}

weft_status weft_pad_constant(weft_padder *p, const weft_op *op) {
    const weft_attr *value = weft_op_attr(op, WEFT_A_value);
    const weft_type *type = weft_pad_type(p, &op->results[0]);
    weft_padding with;
    weft_op *made = NULL;
    weft_status st = type ? weft_pad_open(p, op, &with) : weft_oom();
    if (st != WEFT_OK) return st;
    if (value->kind != WEFT_ATTR_DENSE)
        return weft_report(p->cx, WEFT_D_unsupported, op->loc, "a constant that is not dense");
    value = value->dense.splat ? weft_attr_dense(p->cx, type, value->dense.p, true)
                               : longer(p, value, op->results[0].type, type);
    if (!value) return weft_oom();
    st = weft_pad_close(p, op, &with, &made);
    if (st == WEFT_OK) st = weft_op_set(p->rewrite->out, made, WEFT_A_value, value);
    p->zero[op->results[0].id] = !value->dense.splat || weft_value_is_zero(&op->results[0]) ? ~(weft_bits)0 : 0;
    return st;
}

weft_status weft_pad_made(weft_padder *p, const weft_op *op) {
    weft_padding with;
    weft_status st = weft_pad_open(p, op, &with);
    return st == WEFT_OK ? weft_pad_close(p, op, &with, NULL) : st;
}
