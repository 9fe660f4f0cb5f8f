/* local_window.c: pad, slice and reduce_window on local shapes; what their windows see is window_view.h's affair. */
#include "partitioner/lower/local_ops.h"
#include "partitioner/lower/window_view.h"

typedef weft_view_dim view_dim;

static view_dim same_dim(const weft_op *op, uint32_t d, int64_t stride, int64_t low, int64_t taps, int64_t spread,
                         int64_t dilation) {
    weft_view v = { op->operands[0]->type->dims[d], op->results[0].type->dims[d], stride, low, taps, spread, dilation };
    return (view_dim){ d, d, d, WEFT_VIEW_BETWEEN, v };
}

static uint32_t pad_views(const weft_op *op, view_dim *out) {
    uint32_t rank = op->results[0].type->rank;
    for (uint32_t d = 0; d < rank; d++)
        out[d] = same_dim(op, d, 1, weft_op_int_at(op, WEFT_A_edge_padding_low, d, 0), 1, 1,
                          weft_op_int_at(op, WEFT_A_interior_padding, d, 0) + 1);
    return rank;
}

static uint32_t slice_views(const weft_op *op, view_dim *out) {
    uint32_t rank = op->results[0].type->rank;
    for (uint32_t d = 0; d < rank; d++)
        out[d] = same_dim(op, d, weft_op_int_at(op, WEFT_A_strides, d, 1),
                          -weft_op_int_at(op, WEFT_A_start_indices, d, 0), 1, 1, 1);
    return rank;
}

static uint32_t reduce_window_views(const weft_op *op, view_dim *out) {
    uint32_t rank = op->results[0].type->rank;
    for (uint32_t d = 0; d < rank; d++)
        out[d] = same_dim(op, d, weft_op_int_at(op, WEFT_A_window_strides, d, 1), weft_op_padding_at(op, d, 0),
                          weft_op_int_at(op, WEFT_A_window_dimensions, d, 1),
                          weft_op_int_at(op, WEFT_A_window_dilations, d, 1),
                          weft_op_int_at(op, WEFT_A_base_dilations, d, 1));
    return rank;
}

/* Factors of results that no loop sums over and that need not be whole. */
weft_bits weft_factors_moving(const weft_op *op, const weft_rule *rule) {
    weft_bits in_results = 0;
    (void)op;
    for (uint32_t i = rule->operand_count; i < rule->tensor_count; i++) in_results |= rule->tensors[i].factors;
    return in_results & ~(rule->reduction | rule->replicated);
}

/* --- pad ---------------------------------------------------------------------------------------------------------- */

double weft_talk_pad(weft_placements *t, const weft_op *op, const weft_placement_id *operands) {
    view_dim views[WEFT_MAX_RANK];
    return weft_view_talk(t, op, operands[0], views, pad_views(op, views));
}

/* Fetching has done all: nothing is left to pad. */
static bool is_whole(const weft_op *op, const weft_sight *s, const weft_value *x) {
    static const weft_attr_name amounts[] = { WEFT_A_edge_padding_low, WEFT_A_edge_padding_high,
                                              WEFT_A_interior_padding };
    for (uint32_t d = 0; x && d < x->type->rank; d++) {
        if (s->changed[d] &&
            (s->pad[d].low || s->pad[d].high || s->pad[d].start || weft_op_int_at(op, WEFT_A_interior_padding, d, 0)))
            return false;
        for (size_t i = 0; !s->changed[d] && i < WEFT_COUNT(amounts); i++)
            if (weft_op_int_at(op, amounts[i], d, 0)) return false;
    }
    return x != NULL;
}

weft_status weft_lower_pad(weft_localizer *z, const weft_op *op) {
    view_dim views[WEFT_MAX_RANK];
    weft_value *fill = weft_local_value(z, op->operands[1]);
    uint32_t n = pad_views(op, views);
    int64_t low[WEFT_MAX_RANK], high[WEFT_MAX_RANK];
    weft_op *made = NULL;
    weft_sight s;
    weft_status st = weft_view_look(z, op, views, n, 1, &fill, &s);
    if (st == WEFT_OK && is_whole(op, &s, s.x[0])) {
        weft_local_map(z, &op->results[0], s.x[0]);
        return WEFT_OK;
    }
    if (st == WEFT_OK) st = weft_local_clone(z, op, &made);
    if (st != WEFT_OK || !s.x[0]) return st != WEFT_OK ? st : weft_oom();
    made->operands[0] = s.x[0];
    for (uint32_t d = 0; d < n; d++) {
        low[d] = s.changed[d] ? s.pad[d].low : weft_op_int_at(op, WEFT_A_edge_padding_low, d, 0);
        high[d] = s.changed[d] ? s.pad[d].high : weft_op_int_at(op, WEFT_A_edge_padding_high, d, 0);
    }
    st = weft_op_set_ints(z->rewrite->out, made, WEFT_A_edge_padding_low, low, n);
    if (st == WEFT_OK) st = weft_op_set_ints(z->rewrite->out, made, WEFT_A_edge_padding_high, high, n);
    return st == WEFT_OK ? weft_view_cut_results(z, made, op, views, n, &s) : st;
}

/* --- slice -------------------------------------------------------------------------------------------------------- */

double weft_talk_slice(weft_placements *t, const weft_op *op, const weft_placement_id *operands) {
    view_dim views[WEFT_MAX_RANK];
    return weft_view_talk(t, op, operands[0], views, slice_views(op, views));
}

weft_status weft_lower_slice(weft_localizer *z, const weft_op *op) {
    view_dim views[WEFT_MAX_RANK];
    weft_value *none = NULL;
    weft_ints starts = weft_op_ints(op, WEFT_A_start_indices), limits = weft_op_ints(op, WEFT_A_limit_indices),
              strides = weft_op_ints(op, WEFT_A_strides);
    const weft_placement *l = weft_local_placement(z, op->operands[0]);
    int64_t start[WEFT_MAX_RANK], limit[WEFT_MAX_RANK];
    weft_op *made = NULL;
    weft_sight s;
    weft_status st = weft_view_look(z, op, views, slice_views(op, views), 1, &none, &s);
    if (st == WEFT_OK) st = weft_local_clone(z, op, &made);
    if (st != WEFT_OK || !s.x[0]) return st != WEFT_OK ? st : weft_oom();
    made->operands[0] = s.x[0];
    for (uint32_t d = 0; d < starts.n; d++) {
        bool cut = weft_placement_dim(l, d).n > 0;
        start[d] = cut ? 0 : starts.v[d];
        limit[d] = cut ? (made->results[0].type->dims[d] - 1) * strides.v[d] + 1 : limits.v[d];
    }
    st = weft_op_set_ints(z->rewrite->out, made, WEFT_A_start_indices, start, starts.n);
    return st == WEFT_OK ? weft_op_set_ints(z->rewrite->out, made, WEFT_A_limit_indices, limit, starts.n) : st;
}

/* --- reduce_window ------------------------------------------------------------------------------------------------ */

double weft_talk_reduce_window(weft_placements *t, const weft_op *op, const weft_placement_id *operands) {
    view_dim views[WEFT_MAX_RANK];
    weft_scan scan = weft_scan_of(op);
    if (scan.way != WEFT_SCAN_NONE && weft_placement_dim(weft_placement_of(t, operands[0]), scan.dim).n)
        return weft_talk_scan(t, op, operands, scan.dim);
    return (double)op->result_count * weft_view_talk(t, op, operands[0], views, reduce_window_views(op, views));
}

weft_status weft_lower_reduce_window(weft_localizer *z, const weft_op *op) {
    view_dim views[WEFT_MAX_RANK];
    weft_value *fill[WEFT_MAX_RANK];
    uint32_t n = op->result_count, count = reduce_window_views(op, views);
    weft_op *made = NULL;
    weft_sight s;
    weft_scan scan = weft_scan_of(op);
    if (scan.way != WEFT_SCAN_NONE && weft_placement_dim(weft_local_placement(z, op->operands[0]), scan.dim).n)
        return weft_lower_scan(z, op, scan);
    if (n > WEFT_MAX_RANK)
        return weft_report(z->cx, WEFT_D_unsupported, op->loc, "windows over more than %d tensors", WEFT_MAX_RANK);
    for (uint32_t i = 0; i < n; i++) fill[i] = weft_local_value(z, op->operands[n + i]);
    weft_status st = weft_view_look(z, op, views, count, n, fill, &s);
    if (st == WEFT_OK) st = weft_local_clone(z, op, &made);
    if (st != WEFT_OK || !s.any) return st;
    for (uint32_t i = 0; i < n; i++) made->operands[i] = s.x[i];
    st = weft_view_set_padding(z, made, op, &s, count);
    return st == WEFT_OK ? weft_view_cut_results(z, made, op, views, count, &s) : st;
}
