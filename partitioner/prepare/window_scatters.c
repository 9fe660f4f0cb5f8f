/* window_scatters: a scatter that writes one window at a known place, or places that follow each other evenly, is an
 * update of a slice; a gather that reads so is a slice.
 *
 * JAX writes x.at[a:b].set(u) as a scatter of one index, which is a constant, and x.at[a:b:s].set(u) as one of the
 * indices a + s * iota. A scatter gets its updates whole on every device, for an index may be anywhere; an update at a
 * constant place is shifted (local_dynamic.c). The gradient of such an update reads it back by a gather of the same
 * index, which would get its operand whole.
 *
 * Pass weft-window-scatters. Needs: shardings of values. Leaves: no scatter of windows whose indices are known to rise
 * by steps along dimensions of their own and which lie inside of the operand, if its body keeps the update or combines
 * it with the element by one op: that op is applied to the slice, and a dynamic_update_slice puts it back; with steps
 * above one, a pad between the elements and a select. (One that combines single places along the dimensions that are
 * cut with what need not be sent stays: it moves nothing.) No such gather either: it is a slice. Source: StableHLO's
 * specification, scatter, gather and dynamic_update_slice.
 */
#include "partitioner/lower/index_steps.h"
#include "partitioner/lower/local.h"
#include "partitioner/partition.h"
#include "partitioner/prepare/spot.h"
#include "sharding/data_flow.h"

typedef struct window {
    weft_spot spot;
    uint32_t from[WEFT_MAX_RANK];     /* dimension of the updates; WEFT_NO_DIM: inserted */
    weft_op_kind combine;             /* of element and update; WEFT_OP_other: the update alone */
} window;

static bool keeps_update(const weft_op *op) {
    const weft_block *body = weft_op_body(op, 0);
    return body->first == body->last && body->last->operand_count == 1 && body->last->operands[0] == body->args[1];
}

/* How a scatter's or gather's indices say where windows are; windows: dimensions of the updates or the result that are
 * of a window. */
typedef struct addressing {
    const weft_value *indices;
    int64_t vector_dim;
    weft_ints to, windows;
} addressing;

/* The updates' dimension of dimension b of the indices, which is no dimension of a window. */
static uint32_t updates_dim(const addressing *by, uint32_t b) {
    const uint32_t k = b - (by->vector_dim < (int64_t)b);
    uint32_t at = 0;
    for (uint32_t d = 0;; d++)
        if (!weft_ints_has(by->windows, d) && at++ == k) return d;
}

/* Component i of the indices: where it begins along its dimension, and by which dimension of the indices it rises
 * there, if by any. Dimensions by which one rises are taken out of `left`. */
static bool component_of(const addressing *by, uint32_t i, weft_bits *left, window *w) {
    const weft_type *index = by->indices->type;
    /* each index is one number, without a dimension of its own */
    const bool own_dim = by->vector_dim == (int64_t)index->rank;
    const uint32_t d = (uint32_t)by->to.v[i];
    weft_steps at;
    if (!weft_index_steps(by->indices, own_dim ? index->rank : (uint32_t)by->vector_dim, i, &at)) return false;
    w->spot.at[d] = at.start;
    for (uint32_t b = 0; b < index->rank; b++) {
        if ((int64_t)b == by->vector_dim || index->dims[b] == 1 || !at.step[b]) continue;
        if (at.step[b] < 0 || !(*left & weft_bit(b)) || w->from[d] != WEFT_NO_DIM) return false;
        *left &= ~weft_bit(b);
        w->from[d] = updates_dim(by, b);
        w->spot.n[d] = index->dims[b];
        w->spot.step[d] = at.step[b];
    }
    return true;
}

/* Whether dimensions of the window stand as in the updates, all of which has elements inside of the whole. */
static bool is_inside(const window *w, const weft_type *whole) {
    uint32_t last = WEFT_NO_DIM;
    for (uint32_t d = 0; d < whole->rank; d++) {
        const int64_t end = w->spot.at[d] + (w->spot.n[d] - 1) * w->spot.step[d] + 1;
        if (w->spot.n[d] < 1 || w->spot.at[d] < 0 || end > whole->dims[d]) return false;
        if (w->spot.n[d] == 1 || w->from[d] == WEFT_NO_DIM) continue;
        if (last != WEFT_NO_DIM && w->from[d] < last) return false;
        last = w->from[d];
    }
    return true;
}

/* Fills in the window where the indices say that it is; one: sizes of a window, inserted: its dimensions that the
 * updates or the result do not have. */
static bool place_of(const addressing *by, const weft_type *whole, const int64_t *one, weft_ints inserted, window *w) {
    const weft_type *index = by->indices->type;
    weft_bits left = 0;
    for (uint32_t d = 0; d < index->rank; d++)
        if (d != by->vector_dim && index->dims[d] != 1) left |= weft_bit(d);
    for (uint32_t d = 0, k = 0; d < whole->rank; d++) {
        w->from[d] = weft_ints_has(inserted, d) ? WEFT_NO_DIM : (uint32_t)by->windows.v[k++];
        w->spot.n[d] = w->from[d] == WEFT_NO_DIM ? 1 : one[w->from[d]];
        w->spot.step[d] = 1;
        w->spot.at[d] = 0;
    }
    for (uint32_t i = 0; i < by->to.n; i++)
        if (!component_of(by, i, &left, w)) return false;
    return !left && is_inside(w, whole);
}

/* Whether op writes one window inside of its operand, or elements that follow each other evenly, at a place that is
 * known. */
static bool window_of(const weft_op *op, window *w) {
    if (op->kind != WEFT_OP_scatter || op->operand_count != 3) return false;
    const weft_type *whole = op->operands[0]->type, *index = op->operands[1]->type, *updates = op->operands[2]->type;
    const weft_scatter_dims *n = &weft_op_attr(op, WEFT_A_scatter_dimension_numbers)->scatter;
    const addressing by = { op->operands[1], n->index_vector_dim, n->scatter_dims_to_operand_dims,
                            n->update_window_dims };
    if (!weft_type_is_static(whole) || !weft_type_is_static(index) || !weft_type_is_static(updates) ||
        n->input_batching_dims.n)
        return false;
    w->combine = keeps_update(op) ? WEFT_OP_other : weft_reducer_kind(op, 0);
    if (w->combine == WEFT_OP_other && !keeps_update(op)) return false;
    return place_of(&by, whole, updates->dims, n->inserted_window_dims, w);
}

/* Whether op reads so. */
static bool read_window_of(const weft_op *op, window *w) {
    if (op->kind != WEFT_OP_gather) return false;
    const weft_type *whole = op->operands[0]->type, *index = op->operands[1]->type, *result = op->results[0].type;
    const weft_gather_dims *n = &weft_op_attr(op, WEFT_A_dimension_numbers)->gather;
    const addressing by = { op->operands[1], n->index_vector_dim, n->start_index_map, n->offset_dims };
    if (!weft_type_is_static(whole) || !weft_type_is_static(index) || !weft_type_is_static(result) ||
        n->operand_batching_dims.n)
        return false;
    return weft_type_elems(result) > 0 && place_of(&by, whole, result->dims, n->collapsed_slice_dims, w);
}

/* The updates with the dimensions of the window, as sharded along these as they are. */
static weft_value *as_window(const weft_sharded *w, weft_builder *b, const weft_op *op, const window *win,
                             weft_value *updates) {
    const weft_type *whole = op->operands[0]->type;
    const weft_type *type = weft_type_with_dims(w->cx, whole, whole->rank, win->spot.n);
    if (!type || type == updates->type) return type ? updates : NULL;
    return weft_sharded_as(w, b, op->operands[2], win->from,
                           weft_build_1(b, WEFT_OP_reshape, type, &updates, 1, NULL, 0));
}

/* The window at its place in x: by an update, or where it has steps among zeros, of which none is taken. */
static weft_value *put(const weft_sharded *w, weft_builder *b, const weft_op *op, const window *win, weft_value *x,
                       weft_value *piece) {
    const weft_type *index = weft_type_tensor(w->cx, WEFT_I64, 0, NULL);
    weft_value *in[2 + WEFT_MAX_RANK] = { x, piece };
    int64_t high[WEFT_MAX_RANK], between[WEFT_MAX_RANK];
    const weft_sharding *s;
    bool steps = false;
    for (uint32_t d = 0; d < x->type->rank; d++) {
        between[d] = win->spot.step[d] - 1;
        high[d] = x->type->dims[d] - win->spot.at[d] - (win->spot.n[d] - 1) * win->spot.step[d] - 1;
        steps = steps || between[d];
    }
    for (uint32_t d = 0; index && !steps && d < x->type->rank; d++)
        in[2 + d] = weft_build_integer(b, index, win->spot.at[d]);
    if (!steps)
        return weft_sharded_like(b, op,
                                 weft_build_1(b, WEFT_OP_dynamic_update_slice, x->type, in, 2 + x->type->rank, NULL,
                                              0));
    weft_value *zero = weft_build_splat(b, weft_type_tensor(w->cx, x->type->dtype, 0, NULL), 0);
    weft_value *spread =
        zero ? weft_sharded_like(b, op, weft_build_pad(b, piece, zero, win->spot.at, high, between)) : NULL;
    if (spread) b->status = weft_value_sharding_inside(w->cx, w->shardings, &op->results[0], &s);
    return spread && b->status == WEFT_OK ? weft_spot_select(w->shardings, b, op, s, &win->spot, spread, x) : NULL;
}

static weft_value *slice_of(weft_builder *b, const window *win, weft_value *x) {
    int64_t limits[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < x->type->rank; d++)
        limits[d] = win->spot.at[d] + (win->spot.n[d] - 1) * win->spot.step[d] + 1;
    return weft_build_slice(b, x, win->spot.at, limits, win->spot.step);
}

/* The window of x that op reads, in the dimensions of its result. */
static weft_value *read(const weft_sharded *w, weft_builder *b, const weft_op *op, const window *win, weft_value *x) {
    weft_value *v = slice_of(b, win, x);
    if (!v || v->type == op->results[0].type) return v ? weft_sharded_like(b, op, v) : NULL;
    return weft_sharded_as(w, b, &op->results[0], win->from, v)
               ? weft_sharded_like(b, op, weft_build_1(b, WEFT_OP_reshape, op->results[0].type, &v, 1, NULL, 0))
               : NULL;
}

/* The operand of op with the window that it writes. */
static weft_value *written(const weft_sharded *w, weft_builder *b, const weft_op *op, const window *win, weft_value *x,
                           weft_value *updates) {
    weft_value *piece = as_window(w, b, op, win, updates);
    if (!piece) return NULL;
    if (win->combine != WEFT_OP_other) {
        weft_value *old = weft_sharded_like(b, op, slice_of(b, win, x));
        piece = old ? weft_sharded_like(b, op, weft_build_binary(b, win->combine, old, piece)) : NULL;
    }
    return piece ? put(w, b, op, win, x, piece) : NULL;
}

#define MOST_STEPS 8 /* from the updates back to what they are made of */

/* Whether v is where the updates are read, whatever place that is: arguments, constants, and what follows from these
 * element by element or by repeating them, unlike a part of something that lies on one device. */
static bool is_everywhere(const weft_value *v, uint32_t steps) {
    if (!v->def || !steps) return !v->def;
    const weft_op_kind k = (weft_op_kind)v->def->kind;
    if (!weft_op_kind_has(k, WEFT_TRAIT_POINTWISE) && k != WEFT_OP_constant && k != WEFT_OP_broadcast_in_dim &&
        k != WEFT_OP_reshape)
        return false;
    for (uint32_t i = 0; i < v->def->operand_count; i++)
        if (!is_everywhere(v->def->operands[i], steps - 1)) return false;
    return true;
}

/* Whether the scatter itself is cheaper: it combines single places along each dimension that is split and that it does
 * not write whole with what need not be sent, so every device does its own part. The slice of one place would have to
 * be sent. */
static weft_status is_local(const weft_sharded *w, const weft_op *op, const window *win, bool *local) {
    const weft_sharding *s;
    weft_status st = weft_value_sharding_inside(w->cx, w->shardings, op->operands[0], &s);
    *local = false;
    if (st != WEFT_OK || !s || win->combine == WEFT_OP_other) return st;
    for (uint32_t d = 0; d < op->operands[0]->type->rank; d++) {
        if (!s->dims[d].axes.n || win->spot.n[d] == op->operands[0]->type->dims[d]) continue;
        *local = win->spot.n[d] == 1;
        if (!*local) return WEFT_OK;
    }
    *local = *local && is_everywhere(op->operands[2], MOST_STEPS);
    return WEFT_OK;
}

static weft_status offered(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const weft_sharded *w = r->user;
    window win;
    const bool reads = read_window_of(op, &win);
    bool local = false;
    if (!reads && !window_of(op, &win)) return WEFT_OK;
    weft_status st = reads ? WEFT_OK : is_local(w, op, &win, &local);
    if (st != WEFT_OK || local) return st;
    *did = WEFT_DONE;
    weft_value *x = r->map.to[op->operands[0]->id];
    weft_value *made = reads ? read(w, b, op, &win, x) : written(w, b, op, &win, x, r->map.to[op->operands[2]->id]);
    if (!made) return b->status != WEFT_OK ? b->status : weft_oom();
    made->hint = op->results[0].hint;
    r->map.to[op->results[0].id] = made;
    return WEFT_OK;
}

static bool has_window(const weft_op *op) {
    window win;
    return read_window_of(op, &win) || window_of(op, &win);
}

weft_status weft_pass_window_scatters(weft_pass *p, const weft_module *in, weft_module **out) {
    return weft_sharded_rewrite(p, in, has_window, offered, out);
}
