/* pad_windows.c: slice, pad and convolution on padded shapes.
 *
 * A slice or pad of a padded dimension is one that goes on further; a convolution has more windows, of which those
 * after the old last one are cut off. What a window of the old result sees after the old operand's end must be what is
 * there without padding. Source: Shardy, sdy-pad-for-divisibility.
 */
#include "partitioner/lower/local_ops.h"
#include "partitioner/shardy/pad.h"

/* The slice goes on to where its result has to end, unless the operand ends before. */
weft_status weft_pad_slice(weft_padder *p, const weft_op *op) {
    weft_ints starts = weft_op_ints(op, WEFT_A_start_indices), limits = weft_op_ints(op, WEFT_A_limit_indices);
    const weft_value *r = &op->results[0];
    int64_t limit[WEFT_MAX_RANK], dims[WEFT_MAX_RANK], want[WEFT_MAX_RANK];
    weft_op *made = NULL;
    weft_padding with;
    weft_status st = weft_pad_open(p, op, &with);
    if (st != WEFT_OK) return st;
    for (uint32_t d = 0; d < starts.n; d++) {
        want[d] = with.results[0]->dims[d];
        int64_t stride = weft_op_int_at(op, WEFT_A_strides, d, 1), end = starts.v[d] + (want[d] - 1) * stride + 1;
        bool more = want[d] > r->type->dims[d] && end <= with.operands[0].v->type->dims[d];
        limit[d] = more ? end : limits.v[d];
        dims[d] = more ? want[d] : r->type->dims[d];
    }
    if (!(with.results[0] = weft_type_with_dims(p->cx, r->type, starts.n, dims))) return weft_oom();
    st = weft_pad_close(p, op, &with, &made);
    if (st == WEFT_OK) st = weft_op_set_ints(p->rewrite->out, made, WEFT_A_limit_indices, limit, starts.n);
    return st == WEFT_OK ? weft_pad_finish(p, op, 0, want) : st;
}

/* High padding makes up for what operand and result have become longer by; it may end before the old one did, where the
 * operand's own padding then stands. So does that between elements, where the old result ends after the first of them.
 */
weft_status weft_pad_pad(weft_padder *p, const weft_op *op) {
    weft_ints low = weft_op_ints(op, WEFT_A_edge_padding_low), high = weft_op_ints(op, WEFT_A_edge_padding_high);
    const weft_value *x = op->operands[0], *r = &op->results[0];
    bool fills_zero = weft_value_is_zero(op->operands[1]);
    int64_t v[WEFT_MAX_RANK];
    weft_bits seen = 0;
    weft_op *made = NULL;
    weft_padding with;
    weft_status st = weft_pad_open(p, op, &with);
    if (st != WEFT_OK) return st;
    weft_padded *in = &with.operands[0];
    for (uint32_t d = 0; d < low.n; d++) {
        int64_t n = in->v->type->dims[d], step = weft_op_int_at(op, WEFT_A_interior_padding, d, 0) + 1,
                old = x->type->dims[d];
        v[d] = with.results[0]->dims[d] - low.v[d] - (n ? (n - 1) * step + 1 : 0);
        bool reached = old * step + low.v[d] < r->type->dims[d] || v[d] < high.v[d];
        if (n > old && reached && !(fills_zero && weft_bits_has(in->zero, d))) seen |= weft_bit(d);
    }
    weft_pad_mask(p, x, seen, with.operands[1].v, in);
    st = weft_pad_close(p, op, &with, &made);
    return st == WEFT_OK ? weft_op_set_ints(p->rewrite->out, made, WEFT_A_edge_padding_high, v, low.n) : st;
}

/* --- convolution -------------------------------------------------------------------------------------------------- */

typedef struct sizes { int64_t lhs[WEFT_MAX_RANK], rhs[WEFT_MAX_RANK], out[WEFT_MAX_RANK]; } sizes;

static void take_dims(int64_t *to, const weft_type *type) { memcpy(to, type->dims, type->rank * sizeof to[0]); }

/* Dimensions that two tensors share are as long as the longer; groups of features or batches keep their sizes, as
 * kernels do. */
static void join_sizes(const weft_op *op, const weft_padding *with, const weft_conv_dims *n, sizes *s) {
    const weft_type *lhs = with->operands[0].v->type, *rhs = with->operands[1].v->type;
    bool batches = weft_op_int(op, WEFT_A_batch_group_count, 1) == 1,
         features = weft_op_int(op, WEFT_A_feature_group_count, 1) == 1;
    take_dims(s->lhs, op->operands[0]->type);
    take_dims(s->rhs, op->operands[1]->type);
    take_dims(s->out, op->results[0].type);
    if (batches)
        s->lhs[n->input_batch] = s->out[n->output_batch] =
            weft_max_i64(lhs->dims[n->input_batch], with->results[0]->dims[n->output_batch]);
    if (features)
        s->lhs[n->input_feature] = s->rhs[n->kernel_input_feature] =
            weft_max_i64(lhs->dims[n->input_feature], rhs->dims[n->kernel_input_feature]);
    if (features && batches)
        s->rhs[n->kernel_output_feature] = s->out[n->output_feature] =
            weft_max_i64(rhs->dims[n->kernel_output_feature], with->results[0]->dims[n->output_feature]);
    for (uint32_t i = 0; i < n->input_spatial.n; i++) s->lhs[n->input_spatial.v[i]] = lhs->dims[n->input_spatial.v[i]];
}

/* Windows over the longer input; high padding for those that are missing. pad: [n][2]. */
static void count_windows(const weft_op *op, const weft_conv_dims *n, const weft_type *want, sizes *s, int64_t *pad,
                          bool *more) {
    *more = false;
    for (uint32_t i = 0; i < n->input_spatial.n; i++) {
        int64_t in = s->lhs[n->input_spatial.v[i]], r = n->output_spatial.v[i],
                stride = weft_op_int_at(op, WEFT_A_window_strides, i, 1);
        int64_t window = (s->rhs[n->kernel_spatial.v[i]] - 1) * weft_op_int_at(op, WEFT_A_rhs_dilation, i, 1) + 1;
        for (uint32_t k = 0; k < 2; k++) pad[2 * i + k] = weft_op_padding_at(op, i, k);
        int64_t spread = in ? (in - 1) * weft_op_int_at(op, WEFT_A_lhs_dilation, i, 1) + 1 : 0,
                room = pad[2 * i] + spread + pad[2 * i + 1];
        int64_t missing = (want->dims[r] - 1) * stride + window - room;
        if (missing > 0) {
            pad[2 * i + 1] += missing;
            room += missing;
            *more = true;
        }
        s->out[r] = room < window ? 0 : (room - window) / stride + 1;
    }
}

static weft_bits summed_dims(const weft_conv_dims *n, uint32_t operand) {
    weft_ints spatial = operand ? n->kernel_spatial : n->input_spatial;
    weft_bits set = weft_bit((uint32_t)(operand ? n->kernel_input_feature : n->input_feature));
    for (uint32_t i = 0; i < spatial.n; i++) set |= weft_bit((uint32_t)spatial.v[i]);
    return set;
}

weft_status weft_pad_convolution(weft_padder *p, const weft_op *op) {
    const weft_conv_dims *n = &weft_op_attr(op, WEFT_A_dimension_numbers)->conv;
    int64_t pad[2 * WEFT_MAX_RANK], shape[2] = { n->input_spatial.n, 2 }, want[WEFT_MAX_RANK];
    const weft_value *r = &op->results[0];
    weft_op *made = NULL;
    weft_padding with;
    sizes s;
    bool more;
    weft_status st = weft_pad_open(p, op, &with);
    if (st != WEFT_OK) return st;
    take_dims(want, with.results[0]);
    join_sizes(op, &with, n, &s);
    count_windows(op, n, with.results[0], &s, pad, &more);
    for (uint32_t i = 0; st == WEFT_OK && i < 2; i++)
        st = weft_pad_resize(p, op, op->operands[i], i ? s.rhs : s.lhs, &with.operands[i]);
    for (uint32_t i = 0; st == WEFT_OK && i < 2; i++)
        weft_pad_mask_zero(p, op->operands[i], summed_dims(n, i), &with.operands[i]);
    if (st == WEFT_OK && !(with.results[0] = weft_type_with_dims(p->cx, r->type, r->type->rank, s.out)))
        st = weft_oom();
    if (st == WEFT_OK) st = weft_pad_close(p, op, &with, &made);
    const weft_attr *padding = st == WEFT_OK && more ? weft_attr_dense_i64(p->cx, 2, shape, pad) : NULL;
    if (st == WEFT_OK && more) st = padding ? weft_op_set(p->rewrite->out, made, WEFT_A_padding, padding) : weft_oom();
    want[n->output_batch] = s.out[n->output_batch];
    want[n->output_feature] = s.out[n->output_feature];
    return st == WEFT_OK ? weft_pad_finish(p, op, 0, want) : st;
}
