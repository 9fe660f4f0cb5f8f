/* pack_reduce_scatter: several small reduce_scatters as one, though StableHLO gives the op one operand.
 *
 * Each operand is laid out as [q][rest], q being the group: what goes to one device is a row. Rows are put side by
 * side, one reduce_scatter sends each device its row, and the row is split up again. The copies are why only small
 * operands are packed.
 */
#include "partitioner/collective_opt/combine.h"

/* The operand as [q][rest]: the scattered dimension split in q and the rest, and q brought to the front. */
static weft_value *rows(weft_context *cx, weft_builder *b, weft_value *x, uint32_t dim, int64_t q) {
    int64_t split[WEFT_MAX_RANK + 1], turned[WEFT_MAX_RANK + 1], order[WEFT_MAX_RANK + 1],
        flat[2] = { q, weft_type_elems(x->type) / q };
    uint32_t rank = x->type->rank, n = 0;
    if (dim > 0 && rank < WEFT_MAX_RANK) {
        for (uint32_t d = 0; d < rank; d++) {
            if (d == dim) split[n++] = q;
            split[n++] = d == dim ? x->type->dims[d] / q : x->type->dims[d];
        }
        order[0] = dim;
        for (uint32_t d = 0, k = 1; d < n; d++)
            if (d != dim) order[k++] = d;
        for (uint32_t d = 0; d < n; d++) turned[d] = split[order[d]];
        x = weft_build_1(b, WEFT_OP_reshape, weft_type_with_dims(cx, x->type, n, split), &x, 1, NULL, 0);
        if (!x) return NULL;
        weft_attr_pair permutation[] = { { WEFT_A_permutation, weft_attr_ints(cx, WEFT_I64, order, n) } };
        x = weft_build_1(b, WEFT_OP_transpose, weft_type_with_dims(cx, x->type, n, turned), &x, 1, permutation, 1);
    }
    return x ? weft_build_1(b, WEFT_OP_reshape, weft_type_with_dims(cx, x->type, 2, flat), &x, 1, NULL, 0) : NULL;
}

/* Columns [from, to) of the one row that is left, as this type. */
static weft_value *cut_out(weft_builder *b, weft_value *row, int64_t from, int64_t to, const weft_type *type) {
    weft_value *x = weft_build_cut(b, row, 1, from, to);
    return x ? weft_build_1(b, WEFT_OP_reshape, type, &x, 1, NULL, 0) : NULL;
}

weft_status weft_pack_reduce_scatters(weft_rewrite *r, weft_builder *b, const weft_op *const *members, uint32_t n) {
    weft_context *cx = b->m->cx;
    const weft_op *first = members[0];
    uint32_t dim0 = (uint32_t)weft_op_int(first, WEFT_A_scatter_dimension, 0);
    int64_t q = first->operands[0]->type->dims[dim0] / first->results[0].type->dims[dim0], total = 0;
    weft_value *parts[WEFT_MAX_COMBINED];
    for (uint32_t i = 0; i < n; i++) {
        weft_value *x = r->map.to[members[i]->operands[0]->id];
        parts[i] = x ? rows(cx, b, x, (uint32_t)weft_op_int(members[i], WEFT_A_scatter_dimension, 0), q) : NULL;
        if (!parts[i]) return b->status;
        total += parts[i]->type->dims[1];
    }
    int64_t row[2] = { 1, total };
    const weft_type *type = weft_type_with_dims(cx, first->results[0].type, 2, row);
    weft_value *x = weft_build_concatenate(b, parts, n, 1);
    weft_op *made = weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_reduce_scatter, .operands = &x,
                                                      .operand_count = 1, .types = &type, .result_count = 1,
                                                      .attrs = first->attrs, .attr_count = first->attr_count,
                                                      .region_count = 1 });
    const weft_attr *zero = weft_attr_i64(cx, 0);
    if (!made || !zero) return b->status != WEFT_OK ? b->status : weft_oom();
    weft_status st = weft_op_set(b->m, made, WEFT_A_scatter_dimension, zero);
    if (st == WEFT_OK) st = weft_rewrite_regions(r, first, made);
    int64_t from = 0;
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++) {
        int64_t to = from + parts[i]->type->dims[1];
        weft_value *v = cut_out(b, &made->results[0], from, to, members[i]->results[0].type);
        r->map.to[members[i]->results[0].id] = v;
        st = v ? WEFT_OK : b->status;
        from = to;
    }
    return st;
}
