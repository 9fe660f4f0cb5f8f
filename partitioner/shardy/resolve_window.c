/* resolve_window.c: slices and pads along dimensions that are split.
 *
 * A device's part of the result is a window of the operand, with fill between and around the elements for a pad: it is
 * exchanged (exchange.h). Dimensions that are not split are sliced and padded locally after that, and a slice's steps
 * are taken there. Left as they are: a slice of which each device has its part in its own, and a pad of which each
 * device has what is not padding, since sdy-convert-global-to-local writes these. Windows that reach over as many parts
 * as a gather brings, in more than one hop, are no case for exchanges.
 */
#include "partitioner/shardy/exchange.h"
#include "partitioner/lower/local_ops.h"

/* --- windows ------------------------------------------------------------------------------------------------------ */

/* Along dimension d, devices having `part` elements of the result: device k's window begins at first + k * step. */
typedef struct course { int64_t first, step, spread, need; } course;
typedef course (*course_fn)(const weft_op *op, uint32_t d, int64_t part);

static course slice_course(const weft_op *op, uint32_t d, int64_t part) {
    int64_t by = weft_op_ints(op, WEFT_A_strides).v[d];
    return (course){ weft_op_ints(op, WEFT_A_start_indices).v[d], part * by, 1, (part - 1) * by + 1 };
}

static course pad_course(const weft_op *op, uint32_t d, int64_t part) {
    return (course){ -weft_op_ints(op, WEFT_A_edge_padding_low).v[d], part,
                     weft_op_ints(op, WEFT_A_interior_padding).v[d] + 1, part };
}

/* On scratch memory; without `begin` where d is not split. */
static weft_status window_of(weft_context *cx, const weft_op *op, const weft_sharding *s, uint32_t d,
                             course_fn course_of, weft_window *w) {
    int64_t shards = weft_dim_shards(s, d), size = op->operands[0]->type->dims[d], *begin = NULL;
    *w = (weft_window){ .shards = shards };
    if (shards == 1) return WEFT_OK;
    if (!(begin = weft_scratch_array(cx, int64_t, shards))) return weft_oom();
    course c = course_of(op, d, weft_ceil_div(op->results[0].type->dims[d], shards));
    for (int64_t k = 0; k < shards; k++) begin[k] = c.first + k * c.step;
    *w = (weft_window){ .axes = s->dims[d].axes, .shards = shards, .part = weft_ceil_div(size, shards),
                        .spread = c.spread, .need = c.need, .begin = begin };
    weft_window_reach(w, size);
    return WEFT_OK;
}

static weft_status is_alone(weft_context *cx, const weft_op *op, const weft_sharding *s, uint32_t d,
                            course_fn course_of, bool *yes) {
    weft_window w;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_status st = window_of(cx, op, s, d, course_of, &w);
    *yes = st == WEFT_OK && (!w.begin || (course_of == pad_course ? w.spread == 1 && !weft_window_moves(&w)
                                                                  : weft_window_is_part(&w)));
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

weft_status weft_alone_slice(weft_context *cx, const weft_op *op, const weft_sharding *s, uint32_t d, bool *yes) {
    return is_alone(cx, op, s, d, slice_course, yes);
}

weft_status weft_alone_pad(weft_context *cx, const weft_op *op, const weft_sharding *s, uint32_t d, bool *yes) {
    return is_alone(cx, op, s, d, pad_course, yes);
}

static bool too_far(const weft_window *w) {
    return w->before + w->after + 1 >= w->shards && (w->before > 1 || w->after > 1);
}

static weft_status windows_of(weft_resolver *z, const weft_op *op, const weft_sharding *s, course_fn course_of,
                              weft_window *w, weft_resolved *how) {
    bool pads = course_of == pad_course;
    weft_status st = WEFT_OK;
    *how = WEFT_RESOLVE_NOTHING;
    for (uint32_t d = 0; st == WEFT_OK && d < s->rank; d++) {
        st = window_of(z->x.cx, op, s, d, course_of, &w[d]);
        if (st == WEFT_OK && w[d].begin && (pads ? weft_window_moves(&w[d]) : !weft_window_is_part(&w[d])))
            *how = WEFT_RESOLVE_DONE;
    }
    for (uint32_t d = 0; st == WEFT_OK && *how == WEFT_RESOLVE_DONE && d < s->rank; d++) {
        if (w[d].begin && too_far(&w[d])) *how = WEFT_RESOLVE_BY_RESHARDS;
        if (w[d].begin && weft_window_is_part(&w[d])) w[d].begin = NULL;
    }
    return st;
}

/* --- what is done locally ----------------------------------------------------------------------------------------- */

/* The window's own steps, and all of the slice along dimensions that are not split. */
static weft_value *local_slice(weft_resolver *z, const weft_op *op, weft_exchange *e, const weft_window *w,
                               const weft_sharding *s) {
    weft_ints starts = weft_op_ints(op, WEFT_A_start_indices), limits = weft_op_ints(op, WEFT_A_limit_indices),
              strides = weft_op_ints(op, WEFT_A_strides);
    const weft_type *local = e->local->type;
    int64_t start[WEFT_MAX_RANK], limit[WEFT_MAX_RANK], by[WEFT_MAX_RANK];
    bool any = false;
    for (uint32_t d = 0; d < local->rank; d++) {
        bool whole = w[d].shards == 1;
        start[d] = whole ? starts.v[d] : 0;
        limit[d] = whole ? limits.v[d] : local->dims[d];
        by[d] = whole || w[d].begin ? strides.v[d] : 1;
        any |= start[d] || limit[d] != local->dims[d] || by[d] != 1;
    }
    return any ? weft_sharded(z, &e->inside, weft_build_slice(&e->inside, e->local, start, limit, by), s) : e->local;
}

static weft_value *local_pad(weft_resolver *z, const weft_op *op, weft_exchange *e, const weft_window *w,
                             const weft_sharding *s) {
    weft_ints lows = weft_op_ints(op, WEFT_A_edge_padding_low), highs = weft_op_ints(op, WEFT_A_edge_padding_high),
              interiors = weft_op_ints(op, WEFT_A_interior_padding);
    int64_t low[WEFT_MAX_RANK] = { 0 }, high[WEFT_MAX_RANK] = { 0 }, interior[WEFT_MAX_RANK] = { 0 };
    bool any = false;
    for (uint32_t d = 0; d < e->local->type->rank; d++) {
        if (w[d].shards > 1) continue;
        low[d] = lows.v[d];
        high[d] = highs.v[d];
        interior[d] = interiors.v[d];
        any |= low[d] || high[d] || interior[d];
    }
    return any ? weft_sharded(z, &e->inside, weft_build_pad(&e->inside, e->local, e->local_fill, low, high, interior),
                              s)
               : e->local;
}

/* --- the op ------------------------------------------------------------------------------------------------------- */

static weft_status exchange(weft_resolver *z, weft_builder *b, const weft_op *op, weft_exchange *e,
                            course_fn course_of) {
    bool pads = course_of == pad_course;
    const weft_type *x = op->operands[0]->type;
    weft_value *v;
    for (uint32_t d = 0; d < x->rank; d++) e->manual |= weft_axes_mask(e->in->dims[d].axes);
    e->fill = pads ? weft_resolver_value(z, op->operands[1])
                   : weft_build_splat(b, weft_type_with_dims(z->x.cx, x, 0, NULL), 0);
    weft_status st = e->fill ? weft_exchange_open(z, b, e) : b->status;
    if (st != WEFT_OK) return st;
    const weft_sharding *s = weft_exchange_inside(z, e->in, e->manual);
    e->local = pads ? local_pad(z, op, e, e->windows, s) : local_slice(z, op, e, e->windows, s);
    if (!e->local) return e->inside.status;
    st = weft_exchange_close(e, &v);
    if (st != WEFT_OK) return st;
    weft_resolver_map(z, op, weft_build_trimmed(z, b, v, op->results[0].type, e->out));
    return b->status;
}

static weft_status resolve(weft_resolver *z, weft_builder *b, const weft_op *op, course_fn course_of,
                           weft_resolved *how) {
    weft_exchange e = { .op = op };
    weft_mark mark = weft_arena_mark(&z->x.cx->scratch);
    weft_status st = weft_resolver_ends_of(z, op, &e.in, &e.out);
    if (st != WEFT_OK || !e.in || z->exchanges == WEFT_EXCHANGES_NONE || !weft_sharding_equivalent(e.in, e.out))
        return st;
    weft_window *w = weft_scratch_array(z->x.cx, weft_window, e.in->rank);
    st = w ? windows_of(z, op, e.in, course_of, w, how) : weft_oom();
    e.windows = w;
    if (st == WEFT_OK && *how == WEFT_RESOLVE_DONE) st = exchange(z, b, op, &e, course_of);
    weft_arena_reset(&z->x.cx->scratch, mark);
    return st;
}

weft_status weft_resolve_slice(weft_resolver *z, weft_builder *b, const weft_op *op, weft_resolved *how) {
    return resolve(z, b, op, slice_course, how);
}

weft_status weft_resolve_pad(weft_resolver *z, weft_builder *b, const weft_op *op, weft_resolved *how) {
    return resolve(z, b, op, pad_course, how);
}
