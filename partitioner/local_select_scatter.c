/* local_select_scatter.c: select_and_scatter along a dimension that is cut, as the gradient of max-pooling has it.
 *
 * A device makes its part of the result. What is added there comes from the windows that reach into it: the device fetches the part of
 * the operand that these cover and their part of the source (halo.h), runs the op on both, and keeps what is its own. Windows before
 * the first and behind the last bring what adds nothing. Windows that see padding, and sums that are none, stay whole.
 */
#include "partitioner/halo.h"
#include "partitioner/local_ops.h"
#include "partitioner/window_view.h"

static int64_t window_size(const weft_op *op, uint32_t d) { return weft_op_int_at(op, WEFT_A_window_dimensions, d, 1); }
static int64_t window_stride(const weft_op *op, uint32_t d) { return weft_op_int_at(op, WEFT_A_window_strides, d, 1); }
static bool is_padded(const weft_op *op, uint32_t d) { return weft_op_padding_at(op, d, 0) || weft_op_padding_at(op, d, 1); }
static bool is_single(const weft_op *op, uint32_t d) { return window_size(op, d) == 1 && window_stride(op, d) == 1 && !is_padded(op, d); }

weft_bits weft_factors_select_and_scatter(const weft_op *op, const weft_rule *rule) {
    weft_bits set = weft_factors_moving(op, rule);
    bool adds = weft_partial_of_reducer(op, 1, op->results[0].type->dtype) == WEFT_PARTIAL_SUM;
    for (uint32_t d = 0; d < rule->tensors[0].rank; d++) {
        weft_rule_dim dim = rule->tensors[0].dims[d];
        for (uint32_t k = 0; k < dim.n && !is_single(op, d) && (!adds || is_padded(op, d)); k++) set &= ~weft_bit(rule->factors[dim.first + k]);
    }
    return set;
}

/* --- what reaches into a part ------------------------------------------------------------------------------------- */

typedef struct cover {
    int64_t shards, part;        /* of the result and the operand */
    int64_t windows, span;       /* windows that reach into a part, elements of the operand that they cover */
    int64_t *first, *begin;      /* [shards]: number of the first window and of the first element */
    int64_t *own;                /* [shards]: how far behind it the device's part begins */
} cover;

/* numbers: room for 3 * shards. A part begins inside its first window or behind it. */
static cover cover_of(const weft_op *op, uint32_t d, int64_t shards, int64_t *numbers) {
    int64_t size = window_size(op, d), stride = window_stride(op, d), reach = 0;
    cover c = { shards, weft_ceil_div(op->operands[0]->type->dims[d], shards), 0, 0, numbers, numbers + shards, numbers + 2 * shards };
    for (int64_t k = 0; k < shards; k++) {
        int64_t at = k * c.part;
        c.first[k] = weft_min_i64(-weft_floor_div(-(at - size + 1), stride), weft_floor_div(at, stride));
        c.begin[k] = c.first[k] * stride;
        c.own[k] = at - c.begin[k];
        c.windows = weft_max_i64(c.windows, weft_floor_div(at + c.part - 1, stride) - c.first[k] + 1);
        reach = weft_max_i64(reach, c.own[k] + c.part);
    }
    c.span = weft_max_i64((c.windows - 1) * stride + size, reach);
    return c;
}

static weft_halo halo_of_operand(const cover *c) { return (weft_halo){ c->shards, c->part, c->span, c->begin }; }
static weft_halo halo_of_source(const weft_op *op, uint32_t d, const cover *c) {
    return (weft_halo){ c->shards, weft_ceil_div(op->operands[1]->type->dims[d], c->shards), c->windows, c->first };
}

double weft_talk_select_and_scatter(weft_placements *t, const weft_op *op, const weft_placement_id *operands) {
    weft_context *cx = weft_placements_context(t);
    const weft_placement *l[2] = { weft_placement_of(t, operands[0]), weft_placement_of(t, operands[1]) };
    double bytes[2], sent = 0;
    for (uint32_t i = 0; i < 2; i++) bytes[i] = (double)weft_placement_local_bytes(t, l[i], op->operands[i]->type);
    for (uint32_t d = 0; d < op->operands[0]->type->rank && sent >= 0; d++) {
        int64_t shards = weft_placement_dim_shards(t, l[0], d);
        if (shards == 1 || is_single(op, d)) continue;
        if (op->operands[0]->type->dims[d] <= 0 || op->operands[1]->type->dims[d] <= 0) return -1;
        weft_mark mark = weft_arena_mark(&cx->scratch);
        int64_t *numbers = weft_scratch_array(cx, int64_t, 3 * shards);
        if (!numbers) return -1;
        cover c = cover_of(op, d, shards, numbers);
        weft_halo h[2] = { halo_of_operand(&c), halo_of_source(op, d, &c) };
        for (uint32_t i = 0; i < 2 && sent >= 0; i++) {
            int64_t elems = i && !weft_placement_dim(l[1], d).n ? 0 : weft_halo_sent(&h[i]);
            sent = elems < 0 ? -1 : sent + bytes[i] * (double)elems / (double)h[i].part;
            bytes[i] *= (double)h[i].need / (double)h[i].part;
        }
        weft_arena_reset(&cx->scratch, mark);
    }
    return sent;
}

/* --- lowering ----------------------------------------------------------------------------------------------------- */

/* What adds nothing, not even the sign of a zero. */
static weft_value *nothing(weft_localizer *z, const weft_value *x) {
    return weft_build_splat(z->b, weft_type_tensor(z->cx, x->type->dtype, 0, NULL), -0.0);
}

/* The windows of the source that reach into this device's part, and nothing where there are none: from the devices that have them, or
 * from what is here whole. */
static weft_value *source_of(weft_localizer *z, const weft_op *op, weft_value *x, uint32_t d, const uint8_t *atoms, uint32_t n, const cover *c) {
    int64_t count = op->operands[1]->type->dims[d], low = 0, high = 0;
    if (weft_placement_dim(weft_local_placement(z, op->operands[1]), d).n) {
        weft_halo h = halo_of_source(op, d, c);
        x = weft_halo_fetch(z, x, d, atoms, n, &h);
        weft_value *in = x ? weft_halo_inside(z, x->type, d, atoms, n, c->first, c->shards, 0, count) : NULL;
        return in ? weft_local_select(z, in, x, weft_local_broadcast(z, nothing(z, x), x->type)) : x;
    }
    weft_value *starts[WEFT_MAX_RANK] = { NULL };
    for (int64_t k = 0; k < c->shards; k++) {
        low = weft_max_i64(low, -c->first[k]);
        high = weft_max_i64(high, c->first[k] + c->windows - count);
    }
    for (int64_t k = 0; k < c->shards; k++) c->first[k] += low;
    starts[d] = weft_halo_number(z, atoms, n, c->first, c->shards);
    if (low || high) x = weft_local_padded(z, x, d, low, high, nothing(z, x));
    return x ? weft_local_part(z, x, weft_local_resized(z, x->type, d, c->windows), starts) : NULL;
}

weft_status weft_lower_select_and_scatter(weft_localizer *z, const weft_op *op) {
    const weft_placement *l = weft_local_placement(z, op->operands[0]);
    weft_value *x = weft_local_value(z, op->operands[0]), *source = weft_local_value(z, op->operands[1]), *starts[WEFT_MAX_RANK] = { NULL };
    bool more = false;
    weft_op *made = NULL;
    for (uint32_t d = 0; x && source && d < op->operands[0]->type->rank; d++) {
        uint8_t atoms[WEFT_MAX_ATOMS];
        uint32_t n = weft_placement_dim_atoms(l, d, atoms);
        int64_t shards = weft_placement_dim_shards(z->t, l, d);
        if (!n || is_single(op, d)) continue;
        if (is_padded(op, d)) return weft_report(z->cx, WEFT_D_unsupported, op->loc, "%s whose windows see padding, along dimension %u, which is cut", op->name->text, d);
        weft_mark mark = weft_arena_mark(&z->cx->scratch);
        int64_t *numbers = weft_scratch_array(z->cx, int64_t, 3 * shards);
        if (!numbers) return weft_oom();
        cover c = cover_of(op, d, shards, numbers);
        weft_halo h = halo_of_operand(&c);
        x = weft_halo_fetch(z, x, d, atoms, n, &h);
        source = x ? source_of(z, op, source, d, atoms, n, &c) : NULL;
        if (c.span != c.part) starts[d] = weft_halo_number(z, atoms, n, c.own, shards);
        more = more || c.span != c.part;
        weft_arena_reset(&z->cx->scratch, mark);
    }
    weft_status st = z->b->status == WEFT_OK ? weft_local_clone(z, op, &made) : z->b->status;
    if (st != WEFT_OK || !x || !source) return st != WEFT_OK ? st : weft_oom();
    made->operands[0] = x;
    made->operands[1] = source;
    if (!more) return WEFT_OK;
    const weft_type *type = made->results[0].type;
    made->results[0].type = x->type;
    weft_local_map(z, &op->results[0], weft_local_part(z, &made->results[0], type, starts));
    return z->b->status;
}
