/* window_view.c: see window_view.h. */
#include "partitioner/lower/window_view.h"
#include "partitioner/lower/local_ops.h"

bool weft_view_is_plain(const weft_view_dim *d) {
    const weft_view *v = &d->v;
    return d->cut == WEFT_VIEW_BETWEEN && v->in == v->out && v->stride == 1 && v->low == 0 && v->taps == 1 &&
           v->dilation == 1;
}

/* --- what a device sees ------------------------------------------------------------------------------------------- */

typedef struct span {
    weft_halo h;
    int64_t *begin;              /* [shards], h's */
    int64_t *lead;               /* [shards]: how far after the first position the first needed element stands */
    int64_t positions;           /* from the first to the last */
    int64_t least, most;         /* leads */
} span;

/* The first position that device k sees, when parts of the results or of the window have `part` elements. */
static int64_t first_position(const weft_view_dim *d, int64_t part, int64_t k) {
    const weft_view *v = &d->v;
    switch (d->cut) {
    case WEFT_VIEW_INSIDE: return k * part * v->spread - v->low;
    case WEFT_VIEW_INSIDE_REVERSED: return (v->taps - (k + 1) * part) * v->spread - v->low;
    default: return k * part * v->stride - v->low;
    }
}

/* The elements that the results are made of, all devices' together. */
static void wanted(const weft_view *v, weft_halo *h) {
    const int64_t last = (v->out - 1) * v->stride - v->low + (v->taps - 1) * v->spread;
    h->from = weft_max_i64(0, -weft_floor_div(v->low, v->dilation));
    h->to = weft_min_i64(v->in, weft_floor_div(last, v->dilation) + 1);
}

/* begin and lead have room for shards. False when results would begin between elements. */
static bool see(const weft_view_dim *d, int64_t shards, int64_t *begin, int64_t *lead, span *s) {
    const weft_view *v = &d->v;
    if (v->in <= 0 || v->out <= 0) return false;
    bool between = d->cut == WEFT_VIEW_BETWEEN;
    int64_t results = between ? weft_ceil_div(v->out, shards) : v->out,
            taps = between ? v->taps : weft_ceil_div(v->taps, shards);
    *s = (span){ .h = { .shards = shards, .part = weft_ceil_div(v->in, shards), .need = 1, .begin = begin },
                 .begin = begin, .lead = lead, .positions = (results - 1) * v->stride + (taps - 1) * v->spread + 1 };
    wanted(v, &s->h);
    for (int64_t k = 0; k < shards; k++) {
        int64_t at = first_position(d, between ? results : taps, k);
        int64_t first = -weft_floor_div(-at, v->dilation), last = weft_floor_div(at + s->positions - 1, v->dilation);
        begin[k] = first;
        lead[k] = first * v->dilation - at;
        s->h.need = weft_max_i64(s->h.need, last - first + 1);
        s->least = k ? weft_min_i64(s->least, lead[k]) : lead[k];
        s->most = weft_max_i64(s->most, lead[k]);
    }
    for (int64_t k = 0; k < shards; k++)
        if ((s->most - lead[k]) % v->stride) return false;
    return true;
}

double weft_view_talk(weft_placements *t, const weft_op *op, weft_placement_id operand, const weft_view_dim *views,
                      uint32_t n) {
    weft_context *cx = weft_placements_context(t);
    const weft_placement *l = weft_placement_of(t, operand);
    double bytes = (double)weft_placement_local_bytes(t, l, op->operands[0]->type), sent = 0;
    for (uint32_t i = 0; i < n && sent >= 0; i++) {
        int64_t shards = weft_placement_dim_shards(t, l, views[i].dim);
        if (shards == 1 || weft_view_is_plain(&views[i])) continue;
        weft_mark mark = weft_arena_mark(&cx->scratch);
        int64_t *numbers = weft_scratch_array(cx, int64_t, 2 * shards);
        span s;
        bool can = numbers && see(&views[i], shards, numbers, numbers + shards, &s);
        int64_t elems = can ? weft_halo_sent(cx, &s.h) : -1;
        sent = elems < 0 ? -1 : sent + bytes * (double)elems / (double)s.h.part;
        if (can) bytes *= (double)s.h.need / (double)s.h.part;
        weft_arena_reset(&cx->scratch, mark);
    }
    return sent;
}

/* --- looking ------------------------------------------------------------------------------------------------------ */

/* x with what it sees along dimension d in place of its own part; fill (a scalar) where that is no element. */
static weft_value *widen(weft_localizer *z, weft_value *x, uint32_t d, const uint8_t *atoms, uint32_t n, const span *s,
                         int64_t size, weft_value *fill) {
    x = weft_halo_fetch(z, x, d, atoms, n, &s->h);
    if (!x || !fill) return x;
    weft_value *in = weft_halo_inside(z, x->type, d, atoms, n, s->begin, s->h.shards, 0, size);
    return in ? weft_local_select(z, in, x, weft_local_broadcast(z, fill, x->type)) : x;
}

/* numbers: room for shards. */
static weft_view_padding padding_of(weft_localizer *z, const weft_view *v, const uint8_t *atoms, uint32_t n,
                                    const span *s, int64_t *numbers) {
    int64_t spare = s->most - s->least;
    weft_view_padding p = { s->most, s->positions + spare - (s->most + (s->h.need - 1) * v->dilation + 1),
                            spare / v->stride, NULL };
    for (int64_t k = 0; k < s->h.shards; k++) numbers[k] = (s->most - s->lead[k]) / v->stride;
    if (spare) p.start = weft_halo_number(z, atoms, n, numbers, s->h.shards);
    return p;
}

weft_status weft_view_look(weft_localizer *z, const weft_op *op, const weft_view_dim *views, uint32_t n, uint32_t count,
                           weft_value *const *fill, weft_sight *out) {
    const weft_placement *l = weft_local_placement(z, op->operands[0]);
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < count; i++) out->x[i] = weft_local_value(z, op->operands[i]);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t atoms[WEFT_MAX_ATOMS];
        uint32_t cut = weft_placement_dim_atoms(l, views[i].dim, atoms);
        int64_t shards = weft_placement_dim_shards(z->t, l, views[i].dim);
        span s;
        if (!cut || weft_view_is_plain(&views[i])) continue;
        weft_mark mark = weft_arena_mark(&z->cx->scratch);
        int64_t *numbers = weft_scratch_array(z->cx, int64_t, 3 * shards);
        if (!numbers) return weft_oom();
        if (!see(&views[i], shards, numbers, numbers + shards, &s))
            return weft_report(z->cx, WEFT_D_partition, op->loc,
                               "the parts of dimension %u of %s do not begin where its windows do", views[i].dim,
                               op->name->text);
        for (uint32_t k = 0; k < count; k++)
            out->x[k] = widen(z, out->x[k], views[i].dim, atoms, cut, &s, views[i].v.in, fill[k]);
        out->any = out->changed[views[i].index] = true;
        out->pad[views[i].index] = padding_of(z, &views[i].v, atoms, cut, &s, numbers + 2 * shards);
        weft_arena_reset(&z->cx->scratch, mark);
    }
    return z->b->status;
}

/* --- the op after it --------------------------------------------------------------------------------------------- */

weft_status weft_view_set_padding(weft_localizer *z, weft_op *made, const weft_op *op, const weft_sight *s,
                                  uint32_t n) {
    int64_t dims[2] = { n, 2 }, v[2 * WEFT_MAX_RANK];
    bool same = true;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < 2; k++) {
            int64_t was = weft_op_padding_at(op, i, k);
            v[2 * i + k] = !s->changed[i] ? was : k ? s->pad[i].high : s->pad[i].low;
            same = same && v[2 * i + k] == was;
        }
    if (same) return WEFT_OK;
    const weft_attr *a = weft_attr_dense_i64(z->cx, 2, dims, v);
    return a ? weft_op_set(z->rewrite->out, made, WEFT_A_padding, a) : weft_oom();
}

weft_status weft_view_cut_results(weft_localizer *z, weft_op *made, const weft_op *op, const weft_view_dim *views,
                                  uint32_t n, const weft_sight *s) {
    weft_value *starts[WEFT_MAX_RANK] = { NULL };
    bool more = false;
    for (uint32_t i = 0; i < n; i++) {
        if (!s->changed[views[i].index] || !s->pad[views[i].index].start) continue;
        starts[views[i].result_dim] = s->pad[views[i].index].start;
        more = true;
    }
    for (uint32_t r = 0; more && r < made->result_count; r++) {
        const weft_type *type = made->results[r].type, *larger = type;
        for (uint32_t i = 0; larger && i < n; i++)
            if (starts[views[i].result_dim])
                larger = weft_local_resized(z, larger, views[i].result_dim,
                                            larger->dims[views[i].result_dim] + s->pad[views[i].index].more);
        if (!larger) return weft_oom();
        made->results[r].type = larger;
        weft_local_map(z, &op->results[r], weft_local_part(z, &made->results[r], type, starts));
    }
    return z->b->status;
}
