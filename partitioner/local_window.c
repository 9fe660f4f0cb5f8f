/* local_window.c: ops whose result along a dimension is made of windows over the operand: pad, slice, reduce_window, convolution,
 * and reverse and concatenate, which move elements too.
 *
 * Seen along one dimension, element i of the operand stands at i * dilation; result o is made of what stands in
 * [o * stride - low, o * stride - low + window). A device that holds an even part of operand and result fetches what its results
 * see beyond its part (halo.h), puts there what padding has where that is outside of the operand, and runs the op on this with its
 * padding changed. A slice is a window of one element with a negative low, a pad one with dilation.
 * Source: StableHLO docs/spec.md, the ops' own sections.
 */
#include "partitioner/halo.h"
#include "partitioner/local_ops.h"

typedef struct view {
    int64_t in, out;             /* whole sizes */
    int64_t stride, low, window, dilation;
} view;

/* How the result's dimension result_dim and the operand's dim see each other; index is the place in the op's attributes. */
typedef struct view_dim { uint32_t dim, result_dim, index; view v; } view_dim;

typedef uint32_t (*views_fn)(const weft_op *op, view_dim *out); /* out has room for every dimension */

static int64_t int_at(const weft_op *op, weft_attr_name name, uint32_t i, int64_t absent) {
    weft_ints v = weft_op_ints(op, name);
    return i < v.n ? v.v[i] : absent;
}

static int64_t padding_at(const weft_op *op, uint32_t i) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_padding);
    return a && a->kind == WEFT_ATTR_DENSE ? weft_dense_int(a, 2 * (int64_t)i) : 0;
}

static view_dim same_dim(const weft_op *op, uint32_t d, int64_t stride, int64_t low, int64_t window, int64_t dilation) {
    return (view_dim){ d, d, d, { op->operands[0]->type->dims[d], op->results[0].type->dims[d], stride, low, window, dilation } };
}

static uint32_t pad_views(const weft_op *op, view_dim *out) {
    uint32_t rank = op->results[0].type->rank;
    for (uint32_t d = 0; d < rank; d++)
        out[d] = same_dim(op, d, 1, int_at(op, WEFT_A_edge_padding_low, d, 0), 1, int_at(op, WEFT_A_interior_padding, d, 0) + 1);
    return rank;
}

static uint32_t slice_views(const weft_op *op, view_dim *out) {
    uint32_t rank = op->results[0].type->rank;
    for (uint32_t d = 0; d < rank; d++) out[d] = same_dim(op, d, int_at(op, WEFT_A_strides, d, 1), -int_at(op, WEFT_A_start_indices, d, 0), 1, 1);
    return rank;
}

static uint32_t reduce_window_views(const weft_op *op, view_dim *out) {
    uint32_t rank = op->results[0].type->rank;
    for (uint32_t d = 0; d < rank; d++)
        out[d] = same_dim(op, d, int_at(op, WEFT_A_window_strides, d, 1), padding_at(op, d),
                          (int_at(op, WEFT_A_window_dimensions, d, 1) - 1) * int_at(op, WEFT_A_window_dilations, d, 1) + 1,
                          int_at(op, WEFT_A_base_dilations, d, 1));
    return rank;
}

static uint32_t convolution_views(const weft_op *op, view_dim *out) {
    const weft_conv_dims *n = &weft_op_attr(op, WEFT_A_dimension_numbers)->conv;
    for (uint32_t i = 0; i < n->input_spatial.n; i++) {
        uint32_t d = (uint32_t)n->input_spatial.v[i], r = (uint32_t)n->output_spatial.v[i];
        int64_t window = op->operands[1]->type->dims[n->kernel_spatial.v[i]];
        view v = { op->operands[0]->type->dims[d], op->results[0].type->dims[r], int_at(op, WEFT_A_window_strides, i, 1), padding_at(op, i),
                   (window - 1) * int_at(op, WEFT_A_rhs_dilation, i, 1) + 1, int_at(op, WEFT_A_lhs_dilation, i, 1) };
        out[i] = (view_dim){ d, r, i, v };
    }
    return n->input_spatial.n;
}

/* Element o of the result is element o of the operand. */
static bool is_plain(const view *v) { return v->in == v->out && v->stride == 1 && v->low == 0 && v->window == 1 && v->dilation == 1; }

/* --- what a device sees ------------------------------------------------------------------------------------------- */

typedef struct sight {
    weft_halo h;
    int64_t *begin;              /* [shards], h's */
    int64_t *lead;               /* [shards]: how far behind the first position the first needed element stands */
    int64_t span;                /* positions */
    bool even_lead;
} sight;

/* begin and lead have room for shards. False when the sizes do not divide. */
static bool see(const view *v, int64_t shards, int64_t *begin, int64_t *lead, sight *s) {
    if (v->in <= 0 || v->out <= 0 || v->in % shards || v->out % shards) return false;
    int64_t part = v->out / shards;
    *s = (sight){ .h = { shards, v->in / shards, 1, begin }, .begin = begin, .lead = lead, .span = (part - 1) * v->stride + v->window, .even_lead = true };
    for (int64_t k = 0; k < shards; k++) {
        int64_t at = k * part * v->stride - v->low, first = -weft_floor_div(-at, v->dilation), last = weft_floor_div(at + s->span - 1, v->dilation);
        begin[k] = first;
        lead[k] = first * v->dilation - at;
        s->h.need = weft_max_i64(s->h.need, last - first + 1);
        s->even_lead = s->even_lead && lead[k] == lead[0];
    }
    return true;
}

typedef enum leads { LEADS_EVEN, LEADS_ANY } leads;

/* Bytes that a device sends for operand 0, or -1 when it cannot be cut so. */
static double talk(weft_placements *t, const weft_op *op, const weft_placement_id *operands, const view_dim *views, uint32_t n, leads may) {
    weft_context *cx = weft_placements_context(t);
    const weft_placement *l = weft_placement_of(t, operands[0]);
    double bytes = (double)weft_placement_local_bytes(t, l, op->operands[0]->type), sent = 0;
    for (uint32_t i = 0; i < n && sent >= 0; i++) {
        int64_t shards = weft_placement_dim_shards(t, l, views[i].dim);
        if (shards == 1 || is_plain(&views[i].v)) continue;
        weft_mark mark = weft_arena_mark(&cx->scratch);
        int64_t *numbers = weft_scratch_array(cx, int64_t, 2 * shards);
        sight s;
        bool can = numbers && see(&views[i].v, shards, numbers, numbers + shards, &s) && (may == LEADS_ANY || s.even_lead);
        int64_t elems = can ? weft_halo_sent(&s.h) : -1;
        sent = elems < 0 ? -1 : sent + bytes * (double)elems / (double)s.h.part;
        if (can) bytes *= (double)s.h.need / (double)s.h.part;
        weft_arena_reset(&cx->scratch, mark);
    }
    return sent;
}

/* x with what it sees along dimension d in place of its own part; fill (a scalar) where that is no element. */
static weft_value *widen(weft_localizer *z, weft_value *x, uint32_t d, const uint8_t *atoms, uint32_t n, const sight *s, int64_t size, weft_value *fill) {
    x = weft_halo_fetch(z, x, d, atoms, n, &s->h);
    if (!x || !fill) return x;
    weft_value *in = weft_halo_inside(z, x->type, d, atoms, n, s->begin, s->h.shards, 0, size);
    return in ? weft_local_select(z, in, x, weft_local_broadcast(z, fill, x->type)) : x;
}

/* What a dimension's padding becomes, and where a piece begins whose lead is its own. */
typedef struct padded { int64_t low, high; weft_value *start; } padded;

typedef struct seen {
    weft_value *x[WEFT_MAX_RANK];   /* operands [count], widened */
    padded pad[WEFT_MAX_RANK];      /* by index of the view */
    bool changed[WEFT_MAX_RANK];
    bool pieces;                    /* some start is set */
} seen;

/* fill[i]: of operand i; NULL entries: nothing is outside. */
static weft_status look(weft_localizer *z, const weft_op *op, const view_dim *views, uint32_t n, uint32_t count, weft_value *const *fill, seen *out) {
    const weft_placement *l = weft_local_placement(z, op->operands[0]);
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < count; i++) out->x[i] = weft_local_value(z, op->operands[i]);
    for (uint32_t i = 0; i < n; i++) {
        const view *v = &views[i].v;
        uint8_t atoms[WEFT_MAX_ATOMS];
        uint32_t cut = weft_placement_dim_atoms(l, views[i].dim, atoms);
        int64_t shards = weft_placement_dim_shards(z->t, l, views[i].dim), most = 0;
        sight s;
        if (!cut || is_plain(v)) continue;
        weft_mark mark = weft_arena_mark(&z->cx->scratch);
        int64_t *numbers = weft_scratch_array(z->cx, int64_t, 3 * shards);
        if (!numbers) return weft_oom();
        if (!see(v, shards, numbers, numbers + shards, &s))
            return weft_report(z->cx, WEFT_D_partition, op->loc, "dimension %u of %s is cut into parts of different sizes", views[i].dim, op->name->text);
        for (int64_t k = 0; k < shards; k++) most = weft_max_i64(most, s.lead[k]);
        for (uint32_t k = 0; k < count; k++) out->x[k] = widen(z, out->x[k], views[i].dim, atoms, cut, &s, v->in, fill[k]);
        int64_t spare = s.even_lead ? 0 : v->dilation - 1; /* room for the piece to begin later */
        out->changed[views[i].index] = true;
        out->pad[views[i].index] = (padded){ most, s.span + spare - (most + (s.h.need - 1) * v->dilation + 1), NULL };
        if (!s.even_lead) {
            for (int64_t k = 0; k < shards; k++) numbers[2 * shards + k] = most - s.lead[k];
            out->pad[views[i].index].start = weft_halo_number(z, atoms, cut, numbers + 2 * shards, shards);
            out->pieces = true;
        }
        weft_arena_reset(&z->cx->scratch, mark);
    }
    return z->b->status;
}

/* --- the ops ------------------------------------------------------------------------------------------------------ */

/* Factors of results that no loop sums over and that need not be whole. */
static weft_bits moving_factors(const weft_rule *rule) {
    weft_bits in_results = 0;
    for (uint32_t i = rule->operand_count; i < rule->tensor_count; i++) in_results |= rule->tensors[i].factors;
    return in_results & ~(rule->reduction | rule->replicated);
}

weft_bits weft_factors_moving(const weft_op *op, const weft_rule *rule) {
    (void)op;
    return moving_factors(rule);
}

static weft_value *zero_like(weft_localizer *z, weft_dtype dtype) { return weft_build_splat(z->b, weft_type_tensor(z->cx, dtype, 0, NULL), 0); }

double weft_talk_pad(weft_placements *t, const weft_op *op, const weft_placement_id *operands) {
    view_dim views[WEFT_MAX_RANK];
    return talk(t, op, operands, views, pad_views(op, views), LEADS_ANY);
}

/* Fetching has done all: nothing is left to pad. */
static bool is_whole(const weft_op *op, const seen *s, const weft_value *x) {
    static const weft_attr_name amounts[] = { WEFT_A_edge_padding_low, WEFT_A_edge_padding_high, WEFT_A_interior_padding };
    for (uint32_t d = 0; x && d < x->type->rank; d++) {
        if (s->changed[d] && (s->pad[d].low || s->pad[d].high || s->pad[d].start || int_at(op, WEFT_A_interior_padding, d, 0))) return false;
        for (size_t i = 0; !s->changed[d] && i < WEFT_COUNT(amounts); i++)
            if (int_at(op, amounts[i], d, 0)) return false;
    }
    return x != NULL;
}

weft_status weft_lower_pad(weft_localizer *z, const weft_op *op) {
    view_dim views[WEFT_MAX_RANK];
    weft_value *fill = weft_local_value(z, op->operands[1]), *starts[WEFT_MAX_RANK];
    weft_ints lows = weft_op_ints(op, WEFT_A_edge_padding_low), highs = weft_op_ints(op, WEFT_A_edge_padding_high), inner = weft_op_ints(op, WEFT_A_interior_padding);
    int64_t low[WEFT_MAX_RANK], high[WEFT_MAX_RANK], dims[WEFT_MAX_RANK];
    weft_op *made = NULL;
    seen s;
    weft_status st = look(z, op, views, pad_views(op, views), 1, &fill, &s);
    if (st == WEFT_OK && is_whole(op, &s, s.x[0])) {
        weft_local_map(z, &op->results[0], s.x[0]);
        return WEFT_OK;
    }
    if (st == WEFT_OK) st = weft_local_clone(z, op, &made);
    if (st != WEFT_OK || !s.x[0]) return st != WEFT_OK ? st : weft_oom();
    made->operands[0] = s.x[0];
    for (uint32_t d = 0; d < lows.n; d++) {
        low[d] = s.changed[d] ? s.pad[d].low : lows.v[d];
        high[d] = s.changed[d] ? s.pad[d].high : highs.v[d];
        dims[d] = low[d] + weft_max_i64(0, (s.x[0]->type->dims[d] - 1) * (inner.v[d] + 1) + 1) + high[d];
        starts[d] = s.pad[d].start;
    }
    st = weft_local_set_ints(z, made, WEFT_A_edge_padding_low, low, lows.n);
    if (st == WEFT_OK) st = weft_local_set_ints(z, made, WEFT_A_edge_padding_high, high, lows.n);
    if (st != WEFT_OK || !s.pieces) return st;
    const weft_type *type = made->results[0].type;
    made->results[0].type = weft_type_with_dims(z->cx, type, lows.n, dims);
    weft_local_map(z, &op->results[0], made->results[0].type ? weft_local_part(z, &made->results[0], type, starts) : NULL);
    return z->b->status;
}

double weft_talk_slice(weft_placements *t, const weft_op *op, const weft_placement_id *operands) {
    view_dim views[WEFT_MAX_RANK];
    return talk(t, op, operands, views, slice_views(op, views), LEADS_EVEN);
}

weft_status weft_lower_slice(weft_localizer *z, const weft_op *op) {
    view_dim views[WEFT_MAX_RANK];
    weft_value *none = NULL;
    weft_ints starts = weft_op_ints(op, WEFT_A_start_indices), limits = weft_op_ints(op, WEFT_A_limit_indices), strides = weft_op_ints(op, WEFT_A_strides);
    const weft_placement *l = weft_local_placement(z, op->operands[0]);
    int64_t start[WEFT_MAX_RANK], limit[WEFT_MAX_RANK];
    weft_op *made = NULL;
    seen s;
    weft_status st = look(z, op, views, slice_views(op, views), 1, &none, &s);
    if (st == WEFT_OK) st = weft_local_clone(z, op, &made);
    if (st != WEFT_OK || !s.x[0]) return st != WEFT_OK ? st : weft_oom();
    made->operands[0] = s.x[0];
    for (uint32_t d = 0; d < starts.n; d++) {
        bool cut = weft_placement_dim(l, d).n > 0;
        start[d] = cut ? 0 : starts.v[d];
        limit[d] = cut ? (made->results[0].type->dims[d] - 1) * strides.v[d] + 1 : limits.v[d];
    }
    st = weft_local_set_ints(z, made, WEFT_A_start_indices, start, starts.n);
    return st == WEFT_OK ? weft_local_set_ints(z, made, WEFT_A_limit_indices, limit, starts.n) : st;
}

/* Padding [n][2] of op with what has changed. */
static weft_status set_padding(weft_localizer *z, weft_op *made, const weft_op *op, const seen *s, uint32_t n) {
    const weft_attr *old = weft_op_attr(op, WEFT_A_padding);
    int64_t dims[2] = { n, 2 }, v[2 * WEFT_MAX_RANK];
    bool same = true;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < 2; k++) {
            int64_t was = old && old->kind == WEFT_ATTR_DENSE ? weft_dense_int(old, 2 * (int64_t)i + k) : 0;
            v[2 * i + k] = !s->changed[i] ? was : k ? s->pad[i].high : s->pad[i].low;
            same = same && v[2 * i + k] == was;
        }
    if (same) return WEFT_OK;
    const weft_attr *a = weft_attr_dense_i64(z->cx, 2, dims, v);
    return a ? weft_op_set(z->rewrite->out, made, WEFT_A_padding, a) : weft_oom();
}

static bool any_changed(const seen *s, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (s->changed[i]) return true;
    return false;
}

double weft_talk_reduce_window(weft_placements *t, const weft_op *op, const weft_placement_id *operands) {
    view_dim views[WEFT_MAX_RANK];
    return (double)op->result_count * talk(t, op, operands, views, reduce_window_views(op, views), LEADS_EVEN);
}

weft_status weft_lower_reduce_window(weft_localizer *z, const weft_op *op) {
    view_dim views[WEFT_MAX_RANK];
    weft_value *fill[WEFT_MAX_RANK];
    uint32_t n = op->result_count, count = reduce_window_views(op, views);
    weft_op *made = NULL;
    seen s;
    if (n > WEFT_MAX_RANK) return weft_report(z->cx, WEFT_D_unsupported, op->loc, "windows over more than %d tensors", WEFT_MAX_RANK);
    for (uint32_t i = 0; i < n; i++) fill[i] = weft_local_value(z, op->operands[n + i]);
    weft_status st = look(z, op, views, count, n, fill, &s);
    if (st == WEFT_OK) st = weft_local_clone(z, op, &made);
    if (st != WEFT_OK || !any_changed(&s, count)) return st;
    for (uint32_t i = 0; i < n; i++) made->operands[i] = s.x[i];
    return set_padding(z, made, op, &s, count);
}

/* Spatial dimensions are cut between windows, where these are the major factor of the input. */
weft_bits weft_factors_convolution(const weft_op *op, const weft_rule *rule) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_dimension_numbers);
    if (!a || a->kind != WEFT_ATTR_CONV) return 0;
    weft_bits set = weft_pass_factors(op, rule) | rule->reduction, moving = moving_factors(rule);
    weft_ints spatial[3] = { a->conv.input_spatial, a->conv.kernel_spatial, a->conv.output_spatial };
    for (uint32_t t = 0; t < 3; t++)
        for (uint32_t i = 0; i < spatial[t].n; i++) {
            weft_rule_dim d = rule->tensors[t].dims[spatial[t].v[i]];
            for (uint32_t k = 0; k < d.n; k++) set &= ~weft_bit(rule->factors[d.first + k]);
        }
    for (uint32_t i = 0; i < spatial[0].n; i++) {
        weft_rule_dim d = rule->tensors[0].dims[spatial[0].v[i]];
        if (d.n) set |= weft_bit(rule->factors[d.first]) & moving;
    }
    return set;
}

double weft_talk_convolution(weft_placements *t, const weft_op *op, const weft_placement_id *operands) {
    view_dim views[WEFT_MAX_RANK];
    return talk(t, op, operands, views, convolution_views(op, views), LEADS_EVEN);
}

weft_status weft_lower_convolution(weft_localizer *z, const weft_op *op) {
    view_dim views[WEFT_MAX_RANK];
    uint32_t count = convolution_views(op, views);
    weft_value *fill = NULL;
    weft_op *made = NULL;
    seen s;
    const weft_placement *l = weft_local_placement(z, op->operands[0]);
    for (uint32_t i = 0; i < count && !fill; i++)
        if (weft_placement_dim(l, views[i].dim).n && !is_plain(&views[i].v)) fill = zero_like(z, op->operands[0]->type->dtype);
    weft_status st = look(z, op, views, count, 1, &fill, &s);
    if (st == WEFT_OK) st = weft_local_groups(z, op, &made);
    if (st != WEFT_OK || !any_changed(&s, count)) return st;
    made->operands[0] = s.x[0];
    return set_padding(z, made, op, &s, count);
}
