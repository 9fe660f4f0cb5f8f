/* resolve_reshape.c: reshapes whose dimensions are split unevenly.
 *
 * 6 elements over 4 devices are parts 2 2 2 0; as 2x3 over 2 and 2 they are 2 1 2 1, so devices 1 to 3 need an element
 * of their neighbour. Where a dimension is split into several (a group of the reshape) and one hop reaches all, that is
 * an exchange (exchange.h): each device's window of the operand's dimension, as wide as its part, is its part of the
 * result with the padding inside. Otherwise the groups that are uneven are resharded to where they are whole. Even
 * reshapes, and those that only add or drop dimensions of 1, are left. Source: Shardy, sdy-resolve-permutation-factors
 * and its tests.
 */
#include "partitioner/shardy/exchange.h"
#include "partitioner/lower/local_ops.h"
#include "partitioner/layout/reshape_cut.h"

typedef struct reshape {
    const weft_op *op;
    const weft_type *from, *to;
    const weft_sharding *in, *out;
    weft_reshape_group *groups;
    uint32_t count;
} reshape;

static bool uneven_dims(const weft_type *type, const weft_sharding *s, uint32_t first, uint32_t end) {
    for (uint32_t d = first; d < end; d++)
        if (type->dims[d] % weft_dim_shards(s, d)) return true;
    return false;
}

static bool is_uneven(const reshape *r, const weft_reshape_group *g) {
    return uneven_dims(r->from, r->in, g->in, g->in_end) || uneven_dims(r->to, r->out, g->out, g->out_end);
}

static bool needs_help(const reshape *r, const weft_reshape_group *g) {
    return !weft_reshape_group_keeps(g) && is_uneven(r, g);
}

static void add_axes(weft_axis_list *l, const weft_sharding *s, uint32_t first, uint32_t end) {
    for (uint32_t d = first; d < end; d++)
        for (uint32_t i = 0; i < s->dims[d].axes.n; i++) weft_axis_list_push(l, s->dims[d].axes.v[i]);
}

/* --- by reshards -------------------------------------------------------------------------------------------------- */

static const weft_sharding *without(weft_resolver *z, const weft_sharding *s, const weft_axis_list *axes) {
    weft_axis_list left;
    for (uint32_t d = 0; s && d < s->rank; d++) {
        weft_axis_list_difference(&left, s->dims[d].axes, weft_axes_of(axes));
        weft_dim dim = s->dims[d];
        dim.axes = weft_axes_of(&left);
        s = weft_sharding_with_dim(z->x.t, s, d, dim);
    }
    return s;
}

static weft_status by_reshards(weft_resolver *z, weft_builder *b, const reshape *r, weft_resolved *how) {
    weft_axis_list axes = { 0 };
    weft_value *v = weft_resolver_value(z, r->op->operands[0]);
    for (uint32_t i = 0; i < r->count; i++) {
        if (!needs_help(r, &r->groups[i])) continue;
        add_axes(&axes, r->in, r->groups[i].in, r->groups[i].in_end);
        add_axes(&axes, r->out, r->groups[i].out, r->groups[i].out_end);
    }
    if (!axes.n) return WEFT_OK;
    const weft_sharding *in = without(z, r->in, &axes), *out = without(z, r->out, &axes);
    if (!in || !out) return weft_oom();
    weft_status st = weft_build_reshard(&z->x, b, v, in, &v);
    b->loc = r->op->loc;
    v = st == WEFT_OK ? weft_sharded(z, b, weft_build_1(b, WEFT_OP_reshape, r->to, &v, 1, NULL, 0), out) : NULL;
    if (st == WEFT_OK) st = v ? weft_build_reshard(&z->x, b, v, r->out, &v) : b->status;
    *how = WEFT_RESOLVE_DONE;
    weft_resolver_map(z, r->op, v);
    return st;
}

/* --- by exchange -------------------------------------------------------------------------------------------------- */

static int64_t padded(const weft_type *type, const weft_sharding *s, uint32_t first, uint32_t end) {
    int64_t n = 1;
    for (uint32_t d = first; d < end; d++)
        n *= weft_ceil_div(type->dims[d], weft_dim_shards(s, d)) * weft_dim_shards(s, d);
    return n;
}

/* One dimension becomes several, none of them 1, and padded they have room for as many elements. */
static bool can_exchange(const reshape *r, const weft_reshape_group *g) {
    if (g->in_wide != g->in_end - g->in || g->out_wide != g->out_end - g->out || !weft_reshape_group_splits(g))
        return false;
    return padded(r->from, r->in, g->in, g->in_end) == padded(r->to, r->out, g->out, g->out_end);
}

/* The first element, in memory, of the part of the result that the device with number k along the group has. */
static int64_t part_begin(const reshape *r, const weft_reshape_group *g, int64_t k) {
    int64_t begin = 0, stride = 1;
    for (uint32_t d = g->out_end; d-- > g->out; stride *= r->to->dims[d]) {
        int64_t shards = weft_dim_shards(r->out, d);
        begin += k % shards * weft_ceil_div(r->to->dims[d], shards) * stride;
        k /= shards;
    }
    return begin;
}

/* On scratch memory. */
static weft_status window_of(weft_resolver *z, const reshape *r, const weft_reshape_group *g, weft_window *w) {
    int64_t shards = weft_dim_shards(r->in, g->in), size = r->from->dims[g->in], part = weft_ceil_div(size, shards);
    int64_t *begin = weft_scratch_array(z->x.cx, int64_t, shards);
    weft_axis_list axes = { 0 };
    add_axes(&axes, r->out, g->out, g->out_end);
    weft_axis *v = weft_scratch_array(z->x.cx, weft_axis, axes.n);
    if (!begin || !v) return weft_oom();
    memcpy(v, axes.v, axes.n * sizeof *v);
    for (int64_t k = 0; k < shards; k++) begin[k] = part_begin(r, g, k);
    *w = (weft_window){
        .axes = weft_axes_at(v, axes.n), .shards = shards, .part = part, .spread = 1, .need = part, .begin = begin
    };
    weft_window_reach(w, size);
    return WEFT_OK;
}

/* *can is false where some group is no case for an exchange. */
static weft_status windows_of(weft_resolver *z, const reshape *r, weft_window *w, bool *can) {
    weft_status st = WEFT_OK;
    bool any = false;
    *can = true;
    for (uint32_t i = 0; st == WEFT_OK && i < r->count; i++) {
        const weft_reshape_group *g = &r->groups[i];
        if (!needs_help(r, g)) continue;
        any = true;
        if (!can_exchange(r, g)) *can = false;
        else st = window_of(z, r, g, &w[g->in]);
        if (!*can || w[g->in].before > 1 || w[g->in].after > 1) *can = false;
    }
    *can = *can && any;
    return st;
}

/* All that is uneven is the computation's business, what only keeps its dimensions too. */
static weft_bits manual_axes(const reshape *r) {
    weft_bits set = 0, had;
    for (uint32_t i = 0; i < r->count; i++) {
        if (!is_uneven(r, &r->groups[i])) continue;
        for (uint32_t d = r->groups[i].in; d < r->groups[i].in_end; d++) set |= weft_axes_mask(r->in->dims[d].axes);
        for (uint32_t d = r->groups[i].out; d < r->groups[i].out_end; d++) set |= weft_axes_mask(r->out->dims[d].axes);
    }
    do {
        had = set;
        set = weft_exchange_axes(r->out, weft_exchange_axes(r->in, set));
    } while (set != had);
    return set;
}

static weft_status exchange(weft_resolver *z, weft_builder *b, const reshape *r, const weft_window *w) {
    weft_exchange e = { .op = r->op, .in = r->in, .out = r->out, .manual = manual_axes(r), .windows = w };
    weft_value *v;
    e.fill = weft_build_splat(b, weft_type_with_dims(z->x.cx, r->from, 0, NULL), 0);
    weft_status st = e.fill ? weft_exchange_open(z, b, &e) : b->status;
    if (st != WEFT_OK) return st;
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < r->to->rank; d++)
        dims[d] = weft_ceil_div(r->to->dims[d], weft_exchange_shards(r->out, d, e.manual));
    e.local = weft_build_1(&e.inside, WEFT_OP_reshape, weft_type_with_dims(z->x.cx, r->to, r->to->rank, dims), &e.local,
                           1, NULL, 0);
    e.local = weft_sharded(z, &e.inside, e.local, weft_exchange_inside(z, r->out, e.manual));
    if (!e.local) return e.inside.status;
    st = weft_exchange_close(&e, &v);
    if (st != WEFT_OK) return st;
    weft_resolver_map(z, r->op, weft_build_trimmed(z, b, v, r->to, r->out));
    return b->status;
}

/* --- the op ------------------------------------------------------------------------------------------------------- */

/* Every group keeps its dimensions but for 1s. */
static bool keeps(const reshape *r) {
    for (uint32_t i = 0; i < r->count; i++)
        if (!weft_reshape_group_keeps(&r->groups[i])) return false;
    return true;
}

static weft_status resolve(weft_resolver *z, weft_builder *b, reshape *r, weft_resolved *how) {
    bool same = weft_cut_alike(r->in, r->from, r->out, r->to, WEFT_CUT_UP_TO_PADDING), can = false;
    weft_window *w = weft_scratch_array(z->x.cx, weft_window, r->from->rank);
    r->groups = weft_scratch_array(z->x.cx, weft_reshape_group, r->from->rank + r->to->rank);
    if (!w || !r->groups) return weft_oom();
    r->count = weft_reshape_groups(r->from, r->to, r->groups);
    if (same && keeps(r)) return WEFT_OK;
    weft_status st = same && z->exchanges != WEFT_EXCHANGES_NONE ? windows_of(z, r, w, &can) : WEFT_OK;
    if (st != WEFT_OK || !can) return st == WEFT_OK ? by_reshards(z, b, r, how) : st;
    *how = WEFT_RESOLVE_DONE;
    return exchange(z, b, r, w);
}

weft_status weft_resolve_reshape(weft_resolver *z, weft_builder *b, const weft_op *op, weft_resolved *how) {
    reshape r = { .op = op, .from = op->operands[0]->type, .to = op->results[0].type };
    weft_mark mark = weft_arena_mark(&z->x.cx->scratch);
    *how = WEFT_RESOLVE_NOTHING;
    weft_status st = weft_resolver_ends_of(z, op, &r.in, &r.out);
    if (st == WEFT_OK && r.in && !weft_cut_alike(r.in, r.from, r.out, r.to, WEFT_CUT_EXACTLY))
        st = resolve(z, b, &r, how);
    weft_arena_reset(&z->x.cx->scratch, mark);
    return st;
}
