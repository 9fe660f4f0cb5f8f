/* exchange.c: see exchange.h. */
#include "partitioner/layout/device_number.h"
#include "partitioner/shardy/exchange.h"

/* --- windows ------------------------------------------------------------------------------------------------------ */

void weft_window_reach(weft_window *w, int64_t size) {
    w->before = w->after = 0;
    for (int64_t k = 0; k < w->shards; k++) {
        int64_t start = w->begin[k] / w->spread, first = weft_max_i64(start, 0),
                last = weft_min_i64(start + w->need, size) - 1;
        if (first > last) continue;
        w->before = weft_max_i64(w->before, k - first / w->part);
        w->after = weft_max_i64(w->after, last / w->part - k);
    }
}

bool weft_window_is_part(const weft_window *w) {
    if (w->spread != 1 || w->need != w->part) return false;
    for (int64_t k = 0; k < w->shards; k++)
        if (w->begin[k] != k * w->part) return false;
    return true;
}

/* --- ops ---------------------------------------------------------------------------------------------------------- */

weft_value *weft_sharded(weft_resolver *z, weft_builder *b, weft_value *v, const weft_sharding *s) {
    if (!v) return NULL;
    weft_status st = s ? weft_op_set_shardings(z->x.t, b->m, v->def, &s) : weft_oom();
    if (st == WEFT_OK) return v;
    b->status = st;
    return NULL;
}

weft_value *weft_build_padded(weft_resolver *z, weft_builder *b, weft_value *x, const int64_t *dims, weft_value *fill,
                              const weft_sharding *s) {
    int64_t none[WEFT_MAX_RANK] = { 0 }, high[WEFT_MAX_RANK];
    bool any = false;
    for (uint32_t d = 0; d < x->type->rank; d++) {
        high[d] = dims[d] - x->type->dims[d];
        any |= high[d] != 0;
    }
    if (!any) return x;
    if (!fill) fill = weft_build_splat(b, weft_type_with_dims(z->x.cx, x->type, 0, NULL), 0);
    return weft_sharded(z, b, weft_build_pad(b, x, fill, none, high, none), s);
}

weft_value *weft_build_trimmed(weft_resolver *z, weft_builder *b, weft_value *x, const weft_type *to,
                               const weft_sharding *s) {
    int64_t starts[WEFT_MAX_RANK] = { 0 }, strides[WEFT_MAX_RANK];
    if (!x || x->type == to) return x;
    for (uint32_t d = 0; d < to->rank; d++) strides[d] = 1;
    return weft_sharded(z, b, weft_build_slice(b, x, starts, to->dims, strides), s);
}

/* --- shardings ---------------------------------------------------------------------------------------------------- */

weft_bits weft_exchange_axes(const weft_sharding *s, weft_bits axes) {
    for (weft_bits had = ~axes; had != axes;) {
        had = axes;
        for (uint32_t d = 0; d < s->rank; d++)
            if (weft_axes_mask(s->dims[d].axes) & axes) axes |= weft_axes_mask(s->dims[d].axes);
    }
    return axes;
}

int64_t weft_exchange_shards(const weft_sharding *s, uint32_t d, weft_bits manual) {
    return weft_axes_mask(s->dims[d].axes) & manual ? weft_dim_shards(s, d) : 1;
}

const weft_sharding *weft_exchange_inside(weft_resolver *z, const weft_sharding *s, weft_bits manual) {
    return weft_sharding_drop_manual(z->x.t, s, manual);
}

/* dims, until the devices divide them. */
static void round_up(const weft_sharding *s, const weft_type *type, weft_bits manual, int64_t *dims) {
    for (uint32_t d = 0; d < type->rank; d++)
        dims[d] = weft_round_up(type->dims[d], weft_exchange_shards(s, d, manual));
}

/* --- permutes ----------------------------------------------------------------------------------------------------- */

weft_value *weft_exchange_shift(weft_resolver *z, const weft_exchange *e, weft_builder *b, weft_value *x,
                                weft_axes axes, int64_t hops) {
    const weft_mesh *mesh = e->in->mesh;
    const weft_sharding *s = weft_exchange_inside(z, e->in, e->manual);
    int64_t shards = weft_axes_size(axes), count = 0;
    if (!hops || !x) return x;
    if (hops >= shards || -hops >= shards) {
        weft_value *zero = weft_build_splat(b, weft_type_with_dims(z->x.cx, x->type, 0, NULL), 0);
        return weft_sharded(z, b, weft_build_broadcast(b, zero, x->type, NULL), s);
    }
    weft_mark mark = weft_arena_mark(&z->x.cx->scratch);
    int64_t *pairs = weft_scratch_array(z->x.cx, int64_t, 2 * mesh->device_count);
    for (int64_t place = 0; pairs && place < mesh->device_count; place++) {
        int64_t to = weft_mesh_number(mesh, axes, place) + hops;
        if (to < 0 || to >= shards) continue;
        pairs[2 * count] = weft_mesh_device_at(mesh, place);
        pairs[2 * count++ + 1] = weft_mesh_device_at(mesh, weft_mesh_place(mesh, axes, place, to));
    }
    int64_t dims[2] = { count, 2 };
    weft_attr channel = { .kind = WEFT_ATTR_CHANNEL, .channel = { ++z->channel, 1 } };
    weft_attr_pair attrs[] = {
        { WEFT_A_source_target_pairs, pairs ? weft_attr_dense_i64(z->x.cx, 2, dims, pairs) : NULL },
        { WEFT_A_channel_handle, weft_attr_copy(z->x.cx, &channel) },
    };
    weft_value *v = weft_build_1(b, WEFT_OP_collective_permute, x->type, &x, 1, attrs, WEFT_COUNT(attrs));
    weft_arena_reset(&z->x.cx->scratch, mark);
    return weft_sharded(z, b, v, s);
}

/* --- one dimension ------------------------------------------------------------------------------------------------ */

/* Elements of fill on each side of what was fetched: no window that begins before it or ends after it reaches further.
 */
static int64_t edge_of(const weft_window *w) { return w->need * w->spread; }

static weft_value *fetch(weft_resolver *z, weft_exchange *e, uint32_t d, const weft_sharding *s) {
    const weft_window *w = &e->windows[d];
    weft_builder *b = &e->inside;
    weft_mark mark = weft_arena_mark(&z->x.cx->scratch);
    weft_value **pieces = weft_scratch_array(z->x.cx, weft_value *, w->before + 1 + w->after);
    uint32_t n = 0;
    for (int64_t hops = w->before; pieces && hops >= -w->after; hops--)
        pieces[n++] = weft_exchange_shift(z, e, b, e->local, w->axes, hops);
    weft_value *v = NULL;
    if (!pieces) b->status = weft_oom();
    else v = weft_build_concatenate(b, pieces, n, d);
    weft_arena_reset(&z->x.cx->scratch, mark);
    return weft_sharded(z, b, v, s);
}

static weft_value *surround(weft_resolver *z, weft_exchange *e, uint32_t d, weft_value *x, const weft_sharding *s) {
    const weft_window *w = &e->windows[d];
    int64_t edge[WEFT_MAX_RANK] = { 0 }, between[WEFT_MAX_RANK] = { 0 };
    edge[d] = edge_of(w);
    between[d] = w->spread - 1;
    return weft_sharded(z, &e->inside, weft_build_pad(&e->inside, x, e->local_fill, edge, edge, between), s);
}

/* Where the windows begin in what was fetched and surrounded. */
static weft_value *offset_of(weft_resolver *z, weft_exchange *e, const weft_window *w, weft_value *number) {
    weft_mark mark = weft_arena_mark(&z->x.cx->scratch);
    int64_t *at = weft_scratch_array(z->x.cx, int64_t, w->shards);
    for (int64_t k = 0; at && k < w->shards; k++)
        at[k] = w->begin[k] + (w->before - k) * w->part * w->spread + edge_of(w);
    if (!at) e->inside.status = weft_oom();
    weft_value *v = at ? weft_build_by_number(&e->inside, at, w->shards, number) : NULL;
    weft_arena_reset(&z->x.cx->scratch, mark);
    return v;
}

static weft_value *compare(weft_resolver *z, weft_builder *b, weft_value *x, int64_t with, weft_enum_value direction) {
    weft_value *operands[2] = { x, x ? weft_build_splat(b, x->type, (double)with) : NULL };
    weft_attr_pair how[] = { { WEFT_A_comparison_direction, weft_attr_enum(z->x.cx, direction) } };
    return x ? weft_build_1(b, WEFT_OP_compare, weft_type_with_dtype(z->x.cx, x->type, WEFT_I1), operands, 2, how, 1)
             : NULL;
}

/* Bit by bit: neither -0.0 nor a complex number without a real part is zeros. */
static bool is_zeros(const weft_value *v) {
    const weft_attr *a = weft_value_splat(v);
    for (size_t i = 0; a && i < weft_dtype_bytes(v->type->dtype); i++)
        if (((const char *)a->dense.p)[i]) return false;
    return a != NULL;
}

/* What the window holds of nobody's part becomes fill. */
static weft_value *fill_outside(weft_resolver *z, weft_exchange *e, uint32_t d, weft_value *x, weft_value *number) {
    const weft_window *w = &e->windows[d];
    weft_builder *b = &e->inside;
    int64_t dim = d;
    if (!x || !weft_window_moves(w) || is_zeros(e->fill)) return x;
    const weft_type *row = weft_type_tensor(z->x.cx, WEFT_I64, 1, &x->type->dims[d]);
    weft_attr_pair along[] = { { WEFT_A_iota_dimension, weft_attr_i64(z->x.cx, 0) } };
    weft_value *at = weft_build_1(b, WEFT_OP_iota, row, NULL, 0, along, 1);
    at = weft_build_binary(b, WEFT_OP_add, at,
                           weft_build_broadcast(b, weft_build_by_number(b, w->begin, w->shards, number), row, NULL));
    weft_value *low = compare(z, b, at, 0, WEFT_comparison_direction_GE);
    weft_value *in =
        weft_build_binary(b, WEFT_OP_and, low,
                          compare(z, b, at, w->shards * w->part * w->spread, WEFT_comparison_direction_LT));
    weft_value *operands[3] = { weft_build_broadcast(b, in, weft_type_with_dtype(z->x.cx, x->type, WEFT_I1), &dim), x,
                                weft_build_broadcast(b, e->local_fill, x->type, NULL) };
    return weft_build_1(b, WEFT_OP_select, x->type, operands, 3, NULL, 0);
}

/* e->local becomes its window along d. */
static weft_status cut_window(weft_resolver *z, weft_exchange *e, uint32_t d) {
    const weft_window *w = &e->windows[d];
    const weft_sharding *s = weft_exchange_inside(z, e->in, e->manual);
    weft_builder *b = &e->inside;
    weft_value *x = surround(z, e, d, fetch(z, e, d, s), s);
    weft_value *number = weft_build_device_number(b, e->in->mesh, w->axes, weft_build_device_id(b, z->id)),
               *offset = offset_of(z, e, w, number);
    weft_value *zero = offset ? weft_build_splat(b, offset->type, 0) : NULL, *operands[1 + WEFT_MAX_RANK] = { x };
    offset = weft_build_binary(b, WEFT_OP_maximum, offset, zero);
    if (!x || !offset) return b->status;
    for (uint32_t k = 0; k < x->type->rank; k++) operands[1 + k] = k == d ? offset : zero;
    const weft_type *type = weft_type_with_dim(z->x.cx, x->type, d, w->need);
    weft_attr_pair sizes[] = { { WEFT_A_slice_sizes,
                                 type ? weft_attr_ints(z->x.cx, WEFT_I64, type->dims, type->rank) : NULL } };
    e->local =
        weft_sharded(z, b, weft_build_1(b, WEFT_OP_dynamic_slice, type, operands, 1 + x->type->rank, sizes, 1), s);
    e->local = fill_outside(z, e, d, e->local, number);
    return b->status;
}

/* --- the computation ---------------------------------------------------------------------------------------------- */

static const weft_attr *axis_names(weft_resolver *z, const weft_mesh *mesh, weft_bits manual) {
    weft_axis axes[WEFT_MAX_MESH_AXES];
    uint32_t n = 0;
    WEFT_EACH_BIT(a, manual) axes[n++] = weft_mesh_axis_at(mesh, (uint32_t)a);
    return weft_axes_to_attr(z->x.cx, mesh, weft_axes_at(axes, n));
}

static weft_status build_computation(weft_resolver *z, weft_builder *b, weft_exchange *e, weft_value *x) {
    const weft_type *result = e->op->results[0].type;
    int64_t dims[WEFT_MAX_RANK];
    round_up(e->out, result, e->manual, dims);
    weft_value *operands[2] = { x, e->fill };
    const weft_type *type = weft_type_with_dims(z->x.cx, result, result->rank, dims);
    const weft_sharding *in[2] = { e->in, weft_sharding_empty(z->x.t, e->in->mesh, 0, WEFT_OPEN) };
    const weft_attr *manual = axis_names(z, e->in->mesh, e->manual);
    uint32_t n = e->fill ? 2 : 1;
    if (!type || !in[1] || !manual) return weft_oom();
    e->computation = weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_sdy_manual_computation, .operands = operands,
                                                       .operand_count = n, .types = &type, .result_count = 1,
                                                       .region_count = 1 });
    if (!e->computation) return b->status;
    weft_status st = weft_op_set_shardings_attr(z->x.t, b->m, e->computation, WEFT_A_in_shardings, in, n);
    if (st == WEFT_OK) st = weft_op_set_shardings_attr(z->x.t, b->m, e->computation, WEFT_A_out_shardings, &e->out, 1);
    return st == WEFT_OK ? weft_op_set(b->m, e->computation, WEFT_A_manual_axes, manual) : st;
}

static weft_status build_body(weft_resolver *z, weft_builder *b, weft_exchange *e, const weft_type *global) {
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < global->rank; d++) dims[d] = global->dims[d] / weft_exchange_shards(e->in, d, e->manual);
    const weft_type *local = weft_type_with_dims(z->x.cx, global, global->rank, dims);
    weft_block *body = weft_build_block(b, &e->computation->regions[0]);
    if (!body || !local) return weft_oom();
    weft_builder_init(&e->inside, b->m, body);
    e->inside.loc = b->loc;
    e->local = weft_build_block_arg(b, body, local, b->loc);
    e->local_fill = e->fill ? weft_build_block_arg(b, body, e->fill->type, b->loc) : NULL;
    return b->status;
}

weft_status weft_exchange_open(weft_resolver *z, weft_builder *b, weft_exchange *e) {
    weft_value *x = weft_resolver_value(z, e->op->operands[0]);
    int64_t dims[WEFT_MAX_RANK];
    round_up(e->in, x->type, e->manual, dims);
    if (!(x = weft_build_padded(z, b, x, dims, e->fill, e->in))) return b->status != WEFT_OK ? b->status : weft_oom();
    weft_status st = build_computation(z, b, e, x);
    if (st == WEFT_OK) st = build_body(z, b, e, x->type);
    for (uint32_t d = 0; st == WEFT_OK && e->windows && d < x->type->rank; d++)
        if (e->windows[d].begin) st = cut_window(z, e, d);
    return st;
}

weft_status weft_exchange_close(weft_exchange *e, weft_value **out) {
    weft_op_spec end = { .kind = WEFT_OP_sdy_return, .operands = &e->local, .operand_count = 1 };
    if (!weft_build_op(&e->inside, &end)) return e->inside.status;
    *out = &e->computation->results[0];
    return WEFT_OK;
}
