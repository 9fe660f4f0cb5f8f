/* local_uneven.c: parts of dimensions that the devices do not divide.
 *
 * The last parts end with padding (placement.h), whose elements are anything: what was read, computed from it, or got
 * from others. Element-wise work may do with them what it likes. Three things may not:
 *
 *   a loop that adds along the dimension   its operands are masked: zeros for a product, the initial value for a
 *                                          reduction
 *   indices of a scatter                   masked with an index that is nowhere
 *   a collective                           what is split is padded first to whole parts, what is joined loses that
 *
 * What moves elements along a dimension says in column `uneven` of local_table.c which of its factors may be split so.
 */
#include "partitioner/lower/local_ops.h"

/* --- masks -------------------------------------------------------------------------------------------------------- */

static int64_t padding_of(const weft_localizer *z, const weft_value *old, uint32_t d) {
    const weft_placement *l = weft_local_placement(z, old);
    int64_t n = old->type->dims[d], shards = weft_placement_dim_shards(z->t, l, d);
    return weft_round_up(n, shards) - n;
}

/* Over x, the part of old: which elements of dimension d are old's. */
static weft_value *own_elements(weft_localizer *z, const weft_value *old, const weft_value *x, uint32_t d) {
    int64_t part = x->type->dims[d], to = d;
    const weft_dtype index = z->index_dtype;
    const weft_type *line = weft_type_tensor(z->cx, index, 1, &part), *scalar = weft_type_tensor(z->cx, index, 0, NULL);
    weft_attr_pair along[] = { { WEFT_A_broadcast_dimensions, weft_attr_ints(z->cx, WEFT_I64, &to, 1) } };
    weft_value *begin = weft_local_convert(z, weft_local_dim_index(z, weft_local_placement(z, old), d, part), index);
    weft_value *end = weft_build_integer(z->b, scalar, old->type->dims[d]);
    if (!begin || !end) return NULL;
    weft_value *left = weft_local_broadcast(z, weft_build_binary(z->b, WEFT_OP_subtract, end, begin), line);
    weft_value *mine = weft_local_compare(z, weft_build_iota(z->b, line, 0), left, WEFT_comparison_direction_LT);
    return mine ? weft_build_1(z->b, WEFT_OP_broadcast_in_dim, weft_type_with_dtype(z->cx, x->type, WEFT_I1), &mine, 1,
                               along, 1)
                : NULL;
}

weft_value *weft_local_masked(weft_localizer *z, const weft_value *old, weft_value *x, weft_bits dims,
                              weft_value *fill) {
    weft_value *mask = NULL;
    if (!x) return NULL;
    for (uint32_t d = 0; d < old->type->rank; d++) {
        if (!weft_bits_has(dims, d) || !padding_of(z, old, d)) continue;
        weft_value *mine = own_elements(z, old, x, d);
        mask = mask ? weft_build_binary(z->b, WEFT_OP_and, mask, mine) : mine;
        if (!mask) return NULL;
    }
    if (!mask) return x;
    fill = fill ? fill : weft_build_splat(z->b, weft_type_tensor(z->cx, x->type->dtype, 0, NULL), 0);
    return weft_local_select(z, mask, x, weft_local_broadcast(z, fill, x->type));
}

/* --- loops that add ----------------------------------------------------------------------------------------------- */

/* op on local shapes with its first two operands replaced. */
static weft_status clone_with(weft_localizer *z, const weft_op *op, weft_value *a, weft_value *b) {
    weft_op *made = NULL;
    if (!a || !b) return z->b->status != WEFT_OK ? z->b->status : weft_oom();
    weft_status st = weft_local_clone(z, op, &made);
    if (st != WEFT_OK) return st;
    made->operands[0] = a;
    made->operands[1] = b;
    return WEFT_OK;
}

weft_status weft_lower_dot(weft_localizer *z, const weft_op *op) {
    weft_value *x[2];
    for (uint32_t i = 0; i < 2; i++)
        x[i] =
            weft_local_masked(z, op->operands[i], weft_local_value(z, op->operands[i]), weft_dot_summed(op, i), NULL);
    return clone_with(z, op, x[0], x[1]);
}

/* --- indices ------------------------------------------------------------------------------------------------------ */

weft_value *weft_local_nowhere(weft_localizer *z, const weft_value *old, weft_value *indices, int64_t nowhere) {
    bool padded = false;
    if (!indices) return NULL;
    for (uint32_t d = 0; d < old->type->rank; d++) padded = padded || padding_of(z, old, d);
    if (!padded) return indices;
    if (!weft_scatter_index_holds(indices->type->dtype, nowhere)) indices = weft_local_convert(z, indices, WEFT_I64);
    if (!indices) return NULL;
    weft_value *out = weft_build_integer(z->b, weft_type_tensor(z->cx, indices->type->dtype, 0, NULL), nowhere);
    return out ? weft_local_masked(z, old, indices, ~(weft_bits)0, out) : NULL;
}

/* --- collectives -------------------------------------------------------------------------------------------------- */

weft_value *weft_local_padded(weft_localizer *z, weft_value *x, uint32_t d, int64_t low, int64_t high,
                              weft_value *fill) {
    int64_t none[WEFT_MAX_RANK] = { 0 }, before[WEFT_MAX_RANK] = { 0 }, after[WEFT_MAX_RANK] = { 0 };
    if (!x || (low == 0 && high == 0)) return x;
    before[d] = low;
    after[d] = high;
    fill = fill ? fill : weft_build_splat(z->b, weft_type_tensor(z->cx, x->type->dtype, 0, NULL), 0);
    return weft_build_pad(z->b, x, fill, before, after, none);
}

weft_value *weft_local_pad_to(weft_localizer *z, weft_value *x, uint32_t d, int64_t size) {
    return x && x->type->dims[d] < size ? weft_local_padded(z, x, d, 0, size - x->type->dims[d], NULL) : x;
}

const weft_type *weft_local_resized(weft_localizer *z, const weft_type *type, uint32_t d, int64_t size) {
    return weft_type_with_dim(z->cx, type, d, size);
}

weft_value *weft_local_cut(weft_localizer *z, weft_value *x, uint32_t d, int64_t low, int64_t high) {
    return !x || (low == 0 && high == x->type->dims[d]) ? x : weft_build_cut(z->b, x, d, low, high);
}

weft_value *weft_local_trim_to(weft_localizer *z, weft_value *x, uint32_t d, int64_t size) {
    return x && x->type->dims[d] > size ? weft_local_cut(z, x, d, 0, size) : x;
}

weft_status weft_local_check_step(weft_localizer *z, const weft_op *op) {
    const weft_type *type = op->operands[0]->type;
    if (weft_placement_fits_step(z->t, weft_local_placement(z, op->operands[0]),
                                 weft_local_placement(z, &op->results[0]), type))
        return WEFT_OK;
    return weft_report(z->cx, WEFT_D_unsupported, op->loc,
                       "%s between shards whose sizes do not divide each other: gather the dimension first",
                       op->name->text);
}
