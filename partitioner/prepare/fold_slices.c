/* fold_slices: slices, pads and concatenations that follow each other along sharded dimensions are one op for each
 * dimension.
 *
 * Such ops only say of each element of their result which element of a value it is, or that it is the fill. Seen
 * together, a rotation (jnp.roll: the end of x, then its beginning) takes each device's elements from one neighbour; op
 * by op, its pieces are values of other sizes, which lie in other parts, and the elements move twice. The same holds
 * for halos that are cut off again and for slices of what was padded.
 *
 * Pass weft-fold-slices. Needs: shardings of values. Leaves: `weft.assemble` where a concatenation along a sharded
 * dimension takes slices, and one slice or pad in place of several; no op that is new where nothing was sharded. The
 * ops that it took together stay for other readers; cse drops them.
 *
 * A view says for each dimension by itself which elements of a base follow each other; what two dimensions say together
 * (a concatenation of different values, a padding of padding by another value) begins a view of its own.
 */
#include "ir/rewrite.h"
#include "partitioner/prepare/element_order.h"
#include "partitioner/lower/index_range.h"
#include "partitioner/partition.h"
#include "partitioner/prepare/spot.h"
#include "sharding/data_flow.h"

#define FILL (-1)
#define MAX_SPANS 16 /* a program that joins more pieces of one value than this is none that shifts it */

/* elements [from, from + n) of the base, or n times the fill (from: FILL) */
typedef struct span { int64_t from, n; } span;
typedef struct track { span v[MAX_SPANS]; uint32_t n; } track;
typedef struct view {
    const weft_value *base, *fill;                /* fill: NULL where there is none */
    track along[];                                /* [rank] */
} view;

typedef struct folder {
    weft_context *cx;
    weft_arena *arena;
    weft_shardings *shardings;
    weft_uses uses;
    view **view;        /* by value id: of results of moving ops; NULL: the value is a base */
    bool *folds;        /* by op id: made anew from its view */
} folder;

/* --- what an op does ---------------------------------------------------------------------------------------------- */

static bool all_are(weft_ints v, int64_t to) {
    for (uint32_t i = 0; i < v.n; i++)
        if (v.v[i] != to) return false;
    return true;
}

/* Whether op is an update at a known place of some of one dimension, all of the others. *d: of that; *at: where it
 * begins. */
static bool is_known_update(const weft_op *op, uint32_t *d, int64_t *at) {
    uint32_t partial = 0;
    if (op->kind != WEFT_OP_dynamic_update_slice) return false;
    const weft_type *whole = op->operands[0]->type, *piece = op->operands[1]->type;
    for (uint32_t k = 0; k < whole->rank; k++) {
        if (whole->dims[k] == piece->dims[k]) continue;
        const weft_range start = weft_index_range(op->operands[2 + k], 0, 0);
        if (partial++ || start.low != start.high || start.low < 0 || start.low > whole->dims[k] - piece->dims[k])
            return false;
        *d = k;
        *at = start.low;
    }
    return partial == 1;
}

/* Whether operand `i` of op is moved as a whole number of steps, each of one element. */
static bool moves(const weft_op *op, uint32_t i) {
    uint32_t d;
    int64_t at;
    if (is_known_update(op, &d, &at)) return i < 2;
    if (op->kind == WEFT_OP_slice) return all_are(weft_op_ints(op, WEFT_A_strides), 1);
    if (op->kind == WEFT_OP_pad) return i == 0 && all_are(weft_op_ints(op, WEFT_A_interior_padding), 0);
    return op->kind == WEFT_OP_concatenate;
}

static bool is_empty(const weft_value *v) { return weft_type_elems(v->type) == 0; }

static bool is_moving(const weft_op *op) {
    if (!moves(op, 0) || !weft_type_is_static(op->results[0].type) || is_empty(&op->results[0])) return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!weft_type_is_static(op->operands[i]->type) ||
            (is_empty(op->operands[i]) && op->kind != WEFT_OP_concatenate))
            return false;
    return true;
}

/* What a concatenation or an update is made of along its dimension: elements [low, high) of operands, one after the
 * other. */
typedef struct part { uint32_t of; int64_t low, high; } part;
typedef struct parts { uint32_t n, d; int64_t at; } parts;

static parts parts_of(const weft_op *op) {
    parts p = { .n = 3 };
    if (!is_known_update(op, &p.d, &p.at))
        p = (parts){ op->operand_count, (uint32_t)weft_op_int(op, WEFT_A_dimension, 0), 0 };
    return p;
}

static part part_at(const weft_op *op, const parts *p, uint32_t i) {
    if (op->kind == WEFT_OP_concatenate) return (part){ i, 0, op->operands[i]->type->dims[p->d] };
    const int64_t end = p->at + op->operands[1]->type->dims[p->d];
    return i == 0   ? (part){ 0, 0, p->at }
           : i == 1 ? (part){ 1, 0, end - p->at }
                    : (part){ 0, end, op->operands[0]->type->dims[p->d] };
}

/* The first operand that has an element. */
static const weft_value *first_of(const weft_op *op) {
    uint32_t i = 0;
    while (is_empty(op->operands[i])) i++;
    return op->operands[i];
}

/* Whether v need not be there: whoever reads it moves it on, in the same block. A slice costs nothing to see through.
 */
static bool is_between(const folder *f, const weft_value *v, const weft_op *reader) {
    v = weft_value_first_alike(v);
    if (!v->def || v->def->parent != reader->parent || !f->view[v->id]) return false;
    for (uint32_t i = f->uses.start[v->id]; v->def->kind != WEFT_OP_slice && i < f->uses.start[v->id + 1]; i++)
        if (f->uses.use[i].op->parent != reader->parent || !moves(f->uses.use[i].op, f->uses.use[i].operand))
            return false;
    return true;
}

/* --- views -------------------------------------------------------------------------------------------------------- */

static bool add_span(track *t, span s) {
    span *last = t->n ? &t->v[t->n - 1] : NULL;
    if (!s.n) return true;
    if (last && (s.from == FILL ? last->from == FILL : last->from != FILL && last->from + last->n == s.from)) {
        last->n += s.n;
        return true;
    }
    if (t->n == MAX_SPANS) return false;
    t->v[t->n++] = s;
    return true;
}

/* Adds elements [low, high) of what `of` says. */
static bool add_part(track *t, const track *of, int64_t low, int64_t high) {
    int64_t at = 0;
    for (uint32_t i = 0; i < of->n; i++) {
        const span s = of->v[i];
        const int64_t from = weft_max_i64(low - at, 0), to = weft_min_i64(high - at, s.n);
        if (from < to && !add_span(t, (span){ s.from == FILL ? FILL : s.from + from, to - from })) return false;
        at += s.n;
    }
    return true;
}

static bool same_track(const track *a, const track *b) {
    for (uint32_t i = 0; i < a->n && a->n == b->n; i++)
        if (a->v[i].from != b->v[i].from || a->v[i].n != b->v[i].n) return false;
    return a->n == b->n;
}

static bool is_all(const track *t, int64_t size) { return t->n == 1 && t->v[0].from == 0 && t->v[0].n == size; }

static view *new_view(const folder *f, const weft_value *base, const weft_value *fill, uint32_t rank) {
    view *v = weft_arena_alloc(f->arena, sizeof *v + rank * sizeof v->along[0], _Alignof(view));
    if (!v) return NULL;
    v->base = base;
    v->fill = fill;
    for (uint32_t d = 0; d < rank; d++) v->along[d].n = 0;
    return v;
}

/* v as its reader sees it; NULL only when memory is out. */
static const view *seen(const folder *f, const weft_value *v, const weft_op *reader) {
    v = weft_value_first_alike(v);
    if (is_between(f, v, reader)) return f->view[v->id];
    view *all = new_view(f, v, NULL, v->type->rank);
    for (uint32_t d = 0; all && d < v->type->rank; d++) add_span(&all->along[d], (span){ 0, v->type->dims[d] });
    return all;
}

/* Below, each makes of what is seen of the operands what the op makes of it; NULL where that is no view. */
static view *view_slice(const folder *f, const weft_op *op, const view *x) {
    const weft_ints low = weft_op_ints(op, WEFT_A_start_indices), high = weft_op_ints(op, WEFT_A_limit_indices);
    view *v = new_view(f, x->base, x->fill, low.n);
    for (uint32_t d = 0; v && d < low.n; d++)
        if (!add_part(&v->along[d], &x->along[d], low.v[d], high.v[d])) return NULL;
    return v;
}

static view *view_pad(const folder *f, const weft_op *op, const view *x) {
    const weft_value *fill = op->operands[1];
    const weft_type *type = op->operands[0]->type;
    if (x->fill && x->fill != fill) return NULL;
    view *v = new_view(f, x->base, fill, type->rank);
    for (uint32_t d = 0; v && d < type->rank; d++) {
        const int64_t low = weft_op_int_at(op, WEFT_A_edge_padding_low, d, 0),
                      high = weft_op_int_at(op, WEFT_A_edge_padding_high, d, 0);
        const int64_t from = weft_max_i64(-low, 0), to = type->dims[d] + weft_min_i64(high, 0);
        if (from >= to || !add_span(&v->along[d], (span){ FILL, weft_max_i64(low, 0) }) ||
            !add_part(&v->along[d], &x->along[d], from, to) ||
            !add_span(&v->along[d], (span){ FILL, weft_max_i64(high, 0) }))
            return NULL;
    }
    return v;
}

static view *view_joined(const folder *f, const weft_op *op, const view *x) {
    const parts all = parts_of(op);
    const uint32_t rank = op->results[0].type->rank;
    view *v = new_view(f, x->base, x->fill, rank);
    for (uint32_t d = 0; v && d < rank; d++)
        if (d != all.d) v->along[d] = x->along[d];
    for (uint32_t i = 0; v && i < all.n; i++) {
        const part p = part_at(op, &all, i);
        if (p.low == p.high || is_empty(op->operands[p.of])) continue;
        const view *y = seen(f, op->operands[p.of], op);
        if (!y || y->base != x->base || (v->fill && y->fill && v->fill != y->fill)) return NULL;
        if (y->fill) v->fill = y->fill;
        for (uint32_t d = 0; d < rank; d++)
            if (d != all.d && !same_track(&y->along[d], &v->along[d])) return NULL;
        if (!add_part(&v->along[all.d], &y->along[all.d], p.low, p.high)) return NULL;
    }
    return v;
}

/* --- what is made anew -------------------------------------------------------------------------------------------- */

/* Where they lie otherwise, it may be less to move what a slice leaves. */
static bool lie_alike(const weft_sharding *a, const weft_sharding *b) {
    return weft_sharding_equivalent(a, b) && (!a || !b || a->mesh == b->mesh);
}

static bool has_something_between(const folder *f, const weft_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (is_between(f, op->operands[i], op)) return true;
    return false;
}

/* Whether op, whose result lies at s, is to be made from what is seen through its operands: along a dimension that is
 * sharded, they move something. */
static bool is_folded(const folder *f, const weft_op *op, const view *v, const weft_sharding *s) {
    if (!s || !has_something_between(f, op)) return false;
    if (op->kind != WEFT_OP_slice && op->kind != WEFT_OP_pad && weft_dim_shards(s, parts_of(op).d) > 1) return true;
    for (uint32_t d = 0; v && d < s->rank; d++)
        if (weft_dim_shards(s, d) > 1 && (!is_all(&v->along[d], v->base->type->dims[d]) ||
                                          op->operands[0]->type->dims[d] != op->results[0].type->dims[d]))
            return true;
    return false;
}

/* In the order of the program, so that operands come first. */
static weft_status look_at(void *user, weft_op *op) {
    folder *f = user;
    const weft_sharding *here, *there;
    if (!is_moving(op)) return WEFT_OK;
    const view *x = seen(f, first_of(op), op);
    if (!x) return weft_oom();
    weft_status st = weft_value_sharding_inside(f->cx, f->shardings, &op->results[0], &here);
    view *v = op->kind == WEFT_OP_slice ? view_slice(f, op, x)
              : op->kind == WEFT_OP_pad ? view_pad(f, op, x)
                                        : view_joined(f, op, x);
    if (st == WEFT_OK && v) st = weft_value_sharding_inside(f->cx, f->shardings, v->base, &there);
    if (st != WEFT_OK) return st;
    if (v && !lie_alike(here, there)) v = NULL;
    f->view[op->results[0].id] = v;
    f->folds[op->id] = is_folded(f, op, v, here);
    return WEFT_OK;
}

/* --- making it ---------------------------------------------------------------------------------------------------- */

/* Where one pad or slice of a dimension does: at most some fill, elements that follow each other, some fill. */
typedef struct edges { int64_t low, high; } edges;

static bool edges_of(const track *t, int64_t size, edges *e) {
    const uint32_t i = t->v[0].from == FILL, after = t->n - 1 - i;
    if (i >= t->n || t->v[i].from == FILL || after > 1 || (after && t->v[t->n - 1].from != FILL)) return false;
    const span s = t->v[i];
    if ((i && s.from) || (after && s.from + s.n != size)) return false;
    *e = (edges){ i ? t->v[0].n : -s.from, after ? t->v[t->n - 1].n : s.from + s.n - size };
    return true;
}

/* Dimensions of v but one for which a pad or slice does. */
static weft_bits with_edges(const view *v, uint32_t but) {
    weft_bits dims = 0;
    edges e;
    for (uint32_t d = 0; d < v->base->type->rank; d++)
        if (d != but && edges_of(&v->along[d], v->base->type->dims[d], &e)) dims |= weft_bit(d);
    return dims;
}

/* Of these, those that get shorter though nothing is sharded along them: done first, so that less moves along the
 * others. */
static weft_bits shrinking(const view *v, weft_bits dims, const weft_sharding *s) {
    weft_bits found = 0;
    for (uint32_t d = 0; d < v->base->type->rank; d++) {
        edges e = { 0, 0 };
        const bool is_sharded = s && weft_dim_shards(s, d) > 1;
        if ((dims & weft_bit(d)) && !is_sharded && edges_of(&v->along[d], v->base->type->dims[d], &e) && e.low <= 0 &&
            e.high <= 0)
            found |= weft_bit(d);
    }
    return found;
}

/* x as v says along these dimensions. */
static weft_value *make_edges(weft_builder *b, const weft_op *op, const view *v, weft_value *x, weft_value *fill,
                              weft_bits dims) {
    int64_t low[WEFT_MAX_RANK], high[WEFT_MAX_RANK], steps[WEFT_MAX_RANK];
    bool grows = false, any = false;
    for (uint32_t d = 0; x && d < x->type->rank; d++) {
        edges e = { 0, 0 };
        if (dims & weft_bit(d)) edges_of(&v->along[d], x->type->dims[d], &e);
        grows = grows || e.low > 0 || e.high > 0;
        any = any || e.low || e.high;
        low[d] = e.low;
        high[d] = e.high;
        steps[d] = 0;
    }
    if (!any) return x;
    if (grows) return weft_sharded_like(b, op, weft_build_pad(b, x, fill, low, high, steps));
    for (uint32_t d = 0; d < x->type->rank; d++) {
        low[d] = -low[d];
        high[d] = x->type->dims[d] + high[d];
        steps[d] = 1;
    }
    return weft_sharded_like(b, op, weft_build_slice(b, x, low, high, steps));
}

typedef struct pieces { weft_value *of[MAX_SPANS]; int64_t low[MAX_SPANS], high[MAX_SPANS]; uint32_t n; } pieces;

static weft_value *splat(weft_builder *b, const weft_op *op, weft_value *fill, const weft_type *like, uint32_t d,
                         int64_t n) {
    const weft_type *type = weft_type_with_dim(b->m->cx, like, d, n);
    if (!type) b->status = weft_oom();
    return type ? weft_sharded_like(b, op, weft_build_broadcast(b, fill, type, NULL)) : NULL;
}

/* Adds what the track says of x along d; false when there are too many pieces. */
static bool add_pieces(weft_builder *b, const weft_op *op, pieces *p, weft_value *x, weft_value *fill, uint32_t d,
                       const track *t) {
    for (uint32_t i = 0; x && i < t->n; i++) {
        const span s = t->v[i];
        if (p->n == MAX_SPANS) return false;
        p->of[p->n] = s.from == FILL ? splat(b, op, fill, x->type, d, s.n) : x;
        p->low[p->n] = s.from == FILL ? 0 : s.from;
        p->high[p->n] = p->low[p->n] + s.n;
        p->n++;
    }
    return true;
}

static weft_value *assembled(weft_builder *b, const weft_op *op, const pieces *p, uint32_t d) {
    int64_t size = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        if (!p->of[i]) return NULL;
        size += p->high[i] - p->low[i];
    }
    const weft_attr_pair attrs[] = { { WEFT_A_dimension, weft_attr_i64(b->m->cx, d) },
                                     { WEFT_A_start_indices, weft_attr_ints(b->m->cx, WEFT_I64, p->low, p->n) },
                                     { WEFT_A_limit_indices, weft_attr_ints(b->m->cx, WEFT_I64, p->high, p->n) } };
    return weft_sharded_like(b, op,
                             weft_build_1(b, WEFT_OP_weft_assemble,
                                          weft_type_with_dim(b->m->cx, p->of[0]->type, d, size), p->of, p->n, attrs,
                                          WEFT_COUNT(attrs)));
}

#define NO_DIM UINT32_MAX

/* What the view says, along all dimensions but one. */
static weft_value *made_of(const folder *f, const weft_map *map, weft_builder *b, const weft_op *op, const view *v,
                           uint32_t but) {
    const weft_sharding *s;
    b->status = weft_value_sharding_inside(f->cx, f->shardings, &op->results[0], &s);
    const weft_bits edged = with_edges(v, but), first = shrinking(v, edged, s);
    weft_value *fill = v->fill ? map->to[v->fill->id] : NULL, *x = b->status == WEFT_OK ? map->to[v->base->id] : NULL;
    x = make_edges(b, op, v, x, fill, first);
    x = make_edges(b, op, v, x, fill, edged & ~first);
    for (uint32_t d = 0; x && d < v->base->type->rank; d++) {
        pieces p = { .n = 0 };
        if (d == but || (edged & weft_bit(d))) continue;
        add_pieces(b, op, &p, x, fill, d, &v->along[d]); /* no track has more spans than there is room for */
        x = assembled(b, op, &p, d);
    }
    return x;
}

/* Whether a part is all of a value that each device has whole along d, where the result is split: to write it there
 * sends nothing, to split it first does. */
static weft_status is_whole(const folder *f, const weft_op *op, part p, uint32_t d, bool *whole) {
    const weft_value *v = op->operands[p.of];
    const weft_sharding *s;
    *whole = false;
    if (p.low || !p.high || p.high != v->type->dims[d] || is_between(f, v, op)) return WEFT_OK;
    weft_status st = weft_value_sharding_inside(f->cx, f->shardings, v, &s);
    *whole = st == WEFT_OK && (!s || weft_dim_shards(s, d) == 1);
    return st;
}

/* Puts values that each device has whole where op has them; what stands there is nobody's. */
static weft_value *write_whole(const folder *f, const weft_map *map, weft_builder *b, const weft_op *op,
                               weft_value *x) {
    const parts all = parts_of(op);
    const weft_type *index = weft_type_tensor(f->cx, WEFT_I64, 0, NULL);
    int64_t at = 0;
    for (uint32_t i = 0; x && index && i < all.n; i++) {
        const part p = part_at(op, &all, i);
        bool whole;
        b->status = is_whole(f, op, p, all.d, &whole);
        if (b->status == WEFT_OK && whole) {
            weft_value *in[2 + WEFT_MAX_RANK] = { x, map->to[op->operands[p.of]->id] };
            for (uint32_t d = 0; d < x->type->rank; d++) in[2 + d] = weft_build_integer(b, index, d == all.d ? at : 0);
            x = weft_sharded_like(b, op,
                                  weft_build_1(b, WEFT_OP_dynamic_update_slice, x->type, in, 2 + x->type->rank, NULL,
                                               0));
        }
        at += p.high - p.low;
    }
    return index ? x : NULL;
}

/* Pieces of different values: of each what is taken of it, what is whole written over. *out stays NULL where that is
 * too much. */
static weft_status join(const folder *f, const weft_map *map, weft_builder *b, const weft_op *op, weft_value **out) {
    const parts all = parts_of(op);
    uint32_t spans = 0;
    pieces made = { .n = 0 };
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < all.n; i++) {
        const view *v = seen(f, op->operands[part_at(op, &all, i).of], op);
        if (!v) return weft_oom();
        spans += v->along[all.d].n;
    }
    if (spans > MAX_SPANS) return WEFT_OK;
    for (uint32_t i = 0; i < all.n && st == WEFT_OK; i++) {
        const part p = part_at(op, &all, i);
        const view *v = seen(f, op->operands[p.of], op);
        bool whole;
        if (!v) return weft_oom();
        if (p.low == p.high || is_empty(op->operands[p.of])) continue;
        st = is_whole(f, op, p, all.d, &whole);
        weft_value *fill = v->fill ? map->to[v->fill->id] : NULL,
                   *x = st == WEFT_OK ? made_of(f, map, b, op, v, all.d) : NULL;
        track taken = { .n = 0 };
        if (whole) add_span(&taken, (span){ FILL, p.high - p.low });
        else add_part(&taken, &v->along[all.d], p.low, p.high);
        if (whole && x) fill = weft_build_splat(b, weft_type_tensor(f->cx, x->type->dtype, 0, NULL), 0);
        if (!x || (whole && !fill)) return b->status != WEFT_OK ? b->status : weft_oom();
        add_pieces(b, op, &made, x, fill, all.d, &taken);
    }
    if (st == WEFT_OK) *out = write_whole(f, map, b, op, assembled(b, op, &made, all.d));
    return st == WEFT_OK ? b->status : st;
}

static weft_status offered(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const folder *f = r->user;
    const weft_value *old = op->result_count ? &op->results[0] : NULL;
    weft_value *made = NULL;
    if (!old || !f->folds[op->id]) return WEFT_OK;
    weft_status st = WEFT_OK;
    if (f->view[old->id]) made = made_of(f, &r->map, b, op, f->view[old->id], NO_DIM);
    else st = join(f, &r->map, b, op, &made);
    if (st == WEFT_OK) st = b->status;
    if (st != WEFT_OK || !made) return st;
    r->map.to[old->id] = made;
    *did = WEFT_DONE;
    return WEFT_OK;
}

weft_status weft_pass_fold_slices(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_arena arena;
    weft_arena_init(&arena, &p->cx->chunks);
    folder f = { .cx = p->cx, .arena = &arena };
    bool any = false;
    f.view = weft_arena_array(&arena, view *, in->value_count);
    f.folds = weft_arena_array(&arena, bool, in->op_count);
    weft_status st = f.view && f.folds ? weft_uses_build(in, &arena, &f.uses) : weft_oom();
    if (st == WEFT_OK) st = weft_shardings_open(p->cx, in, &arena, &f.shardings);
    if (st == WEFT_OK) st = weft_module_walk(in, look_at, &f);
    for (uint32_t i = 0; st == WEFT_OK && i < in->op_count; i++) any = any || f.folds[i];
    if (any) st = weft_rewrite_module(&(weft_rewrite){ .user = &f, .op = offered }, in, &arena, out);
    weft_arena_free(&arena);
    return st;
}
