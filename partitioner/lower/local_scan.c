/* local_scan.c: cumulative operations (sums, products, maxima, logarithms of sums of exponentials) along a dimension
 * that is split.
 *
 * StableHLO writes them as a reduce_window whose windows all begin before the first element, or end after the last, and
 * see padding there. Seen as windows they need all that other devices have. Here each device accumulates its part, the
 * devices tell each other their totals, and what comes before a part is put in front of all of it: one element is sent
 * where a gather sends a part. The order of such a sum is the op's own affair, and a body of several ops is taken to
 * form a monoid with its initial value: what else it gives is said nowhere (StableHLO, reduce_window and reduce).
 */
#include "partitioner/lower/halo.h"
#include "partitioner/lower/local_ops.h"
#include "partitioner/lower/window_view.h"

static bool has_several_ops(const weft_op *op) {
    const weft_block *body = weft_op_body(op, 0);
    return body && body->first != body->last && body->first->next != body->last;
}

/* Taking init in more than once changes nothing. Of a body that is one op this can be seen. */
static bool absorbs_init(const weft_op *op) {
    if (op->operand_count != 2) return false;
    switch (weft_reducer_kind(op, 0)) {
    case WEFT_OP_maximum:
    case WEFT_OP_minimum:
    case WEFT_OP_and:
    case WEFT_OP_or: return true;
    case WEFT_OP_add: return weft_value_is(op->operands[1], 0);
    case WEFT_OP_multiply: return weft_value_is(op->operands[1], 1);
    case WEFT_OP_other: return has_several_ops(op);
    default: return false;
    }
}

static bool is_single(const weft_op *op, uint32_t d) {
    return weft_op_int_at(op, WEFT_A_window_dimensions, d, 1) == 1 &&
           weft_op_int_at(op, WEFT_A_window_strides, d, 1) == 1 &&
           weft_op_int_at(op, WEFT_A_base_dilations, d, 1) == 1 && !weft_op_padding_at(op, d, 0) &&
           !weft_op_padding_at(op, d, 1);
}

weft_scan weft_scan_of(const weft_op *op) {
    weft_scan s = { WEFT_SCAN_NONE, 0 };
    uint32_t rank = op->results[0].type->rank, windows = 0;
    if (!absorbs_init(op)) return s;
    for (uint32_t d = 0; d < rank; d++) {
        if (is_single(op, d)) continue;
        windows++;
        s.dim = d;
    }
    int64_t n = windows == 1 ? op->operands[0]->type->dims[s.dim] : 0;
    if (n < 1 || op->results[0].type->dims[s.dim] != n || weft_op_int_at(op, WEFT_A_window_dimensions, s.dim, 1) != n ||
        weft_op_int_at(op, WEFT_A_window_strides, s.dim, 1) != 1 ||
        weft_op_int_at(op, WEFT_A_window_dilations, s.dim, 1) != 1 ||
        weft_op_int_at(op, WEFT_A_base_dilations, s.dim, 1) != 1)
        return s;
    if (weft_op_padding_at(op, s.dim, 0) == n - 1 && weft_op_padding_at(op, s.dim, 1) == 0) s.way = WEFT_SCAN_UP;
    if (weft_op_padding_at(op, s.dim, 0) == 0 && weft_op_padding_at(op, s.dim, 1) == n - 1) s.way = WEFT_SCAN_DOWN;
    return s;
}

double weft_talk_scan(weft_placements *t, const weft_op *op, const weft_placement_id *operands, uint32_t d) {
    const weft_placement *l = weft_placement_of(t, operands[0]);
    int64_t shards = weft_placement_dim_shards(t, l, d), part = weft_ceil_div(op->operands[0]->type->dims[d], shards);
    return (double)weft_placement_local_bytes(t, l, op->operands[0]->type) / (double)part * (double)(shards - 1);
}

/* The windows of op over n elements in place of all. */
static weft_status accumulate(weft_localizer *z, const weft_op *op, weft_scan s, weft_value *x, weft_op **out) {
    int64_t n = x->type->dims[s.dim], sizes[WEFT_MAX_RANK], padding[2 * WEFT_MAX_RANK] = { 0 },
            shape[2] = { x->type->rank, 2 };
    weft_status st = weft_local_clone(z, op, out);
    if (st != WEFT_OK) return st;
    for (uint32_t d = 0; d < x->type->rank; d++) sizes[d] = d == s.dim ? n : 1;
    padding[2 * s.dim + (s.way == WEFT_SCAN_DOWN)] = n - 1;
    const weft_attr *a = weft_attr_dense_i64(z->cx, 2, shape, padding);
    (*out)->operands[0] = x;
    st = a ? weft_op_set(z->rewrite->out, *out, WEFT_A_padding, a) : weft_oom();
    return st == WEFT_OK ? weft_op_set_ints(z->rewrite->out, *out, WEFT_A_window_dimensions, sizes, x->type->rank) : st;
}

/* An op of this kind that applies the body of op. */
static weft_value *apply_body(weft_localizer *z, const weft_op *op, weft_op_kind kind, weft_value *const *operands,
                              const weft_type *type, weft_ints dims) {
    weft_named_attr attr = { weft_name_at(z->cx, WEFT_A_dimensions), weft_attr_ints(z->cx, WEFT_I64, dims.v, dims.n) };
    weft_op *made = !operands[0] || !operands[1] || !type ? NULL
                                                          : weft_build_op(z->b, &(weft_op_spec){ .kind = kind,
                                                                                                 .operands = operands,
                                                                                                 .operand_count = 2,
                                                                                                 .types = &type,
                                                                                                 .result_count = 1,
                                                                                                 .attrs = &attr,
                                                                                                 .attr_count = 1,
                                                                                                 .region_count = 1 });
    weft_status st = made ? weft_rewrite_regions(z->rewrite, op, made) : z->b->status;
    if (st != WEFT_OK && z->b->status == WEFT_OK) z->b->status = st;
    return made && st == WEFT_OK ? &made->results[0] : NULL;
}

/* What the devices before this one (after it, when down) have in all: their totals, where `all` has one of each along
 * the dimension. */
static weft_value *before_part(weft_localizer *z, const weft_op *op, weft_scan s, weft_value *all, const uint8_t *atoms,
                               uint32_t n) {
    int64_t shards = all ? all->type->dims[s.dim] : 0, dims[WEFT_MAX_RANK], along = s.dim;
    weft_value *init = weft_local_value(z, op->operands[1]), *v = NULL;
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *from = all ? weft_scratch_array(z->cx, int64_t, shards) : NULL;
    for (int64_t k = 0; from && k < shards; k++) from[k] = -k; /* device j is from[k] + j after this one */
    if (from) v = s.way == WEFT_SCAN_UP ? weft_halo_inside(z, all->type, s.dim, atoms, n, from, shards, -shards, 0)
                                        : weft_halo_inside(z, all->type, s.dim, atoms, n, from, shards, 1, shards);
    weft_arena_reset(&z->cx->scratch, mark);
    if (!v) return NULL;
    v = weft_local_select(z, v, all, weft_local_broadcast(z, init, all->type));
    uint32_t rank = 0;
    for (uint32_t d = 0; d < all->type->rank; d++)
        if (d != s.dim) dims[rank++] = all->type->dims[d];
    const weft_type *type = weft_type_with_dims(z->cx, all->type, rank, dims);
    weft_value *operands[2] = { v, init };
    return apply_body(z, op, WEFT_OP_reduce, operands, type, (weft_ints){ &along, 1 });
}

/* The body of op, element by element, of what comes before and what is here, in the order in which they stand. */
static weft_value *combine(weft_localizer *z, const weft_op *op, weft_scan s, weft_value *before, weft_value *mine) {
    int64_t dims[WEFT_MAX_RANK];
    weft_value *operands[2] = { s.way == WEFT_SCAN_UP ? before : mine, s.way == WEFT_SCAN_UP ? mine : before };
    if (weft_reducer_kind(op, 0) != WEFT_OP_other)
        return before ? weft_build_binary(z->b, weft_reducer_kind(op, 0), before, mine) : NULL;
    for (uint32_t d = 0; d < mine->type->rank; d++) dims[d] = d;
    return apply_body(z, op, WEFT_OP_map, operands, mine->type, (weft_ints){ dims, mine->type->rank });
}

weft_status weft_lower_scan(weft_localizer *z, const weft_op *op, weft_scan s) {
    const weft_value *old = op->operands[0];
    uint8_t atoms[WEFT_MAX_ATOMS];
    uint32_t n = weft_placement_dim_atoms(weft_local_placement(z, old), s.dim, atoms), rank = 0;
    int64_t dims[WEFT_MAX_RANK];
    weft_op *made = NULL;
    weft_value *x =
        weft_local_masked(z, old, weft_local_value(z, old), weft_bit(s.dim), weft_local_value(z, op->operands[1]));
    weft_status st = x ? accumulate(z, op, s, x, &made) : weft_oom();
    if (st != WEFT_OK) return st;
    weft_value *mine = &made->results[0];
    int64_t part = mine->type->dims[s.dim], last = s.way == WEFT_SCAN_UP ? part - 1 : 0;
    weft_value *all = weft_local_gathered(z, weft_local_cut(z, mine, s.dim, last, last + 1), s.dim, atoms, n);
    weft_value *before = before_part(z, op, s, all, atoms, n);
    if (!before) return z->b->status != WEFT_OK ? z->b->status : weft_oom();
    for (uint32_t d = 0; d < mine->type->rank; d++)
        if (d != s.dim) dims[rank++] = d;
    weft_attr_pair to[] = { { WEFT_A_broadcast_dimensions, weft_attr_ints(z->cx, WEFT_I64, dims, rank) } };
    before = weft_build_1(z->b, WEFT_OP_broadcast_in_dim, mine->type, &before, 1, to, 1);
    weft_local_map(z, &op->results[0], combine(z, op, s, before, mine));
    return z->b->status;
}
