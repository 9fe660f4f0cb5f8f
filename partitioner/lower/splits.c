/* splits.c: see splits.h. Shapes below: R rows, G windows (one in the first round, where all are alike, then one for
 * each border between devices), J borders, P devices, S elements told of a window, Q = P S. */
#include "partitioner/lower/local_ops.h"
#include "partitioner/lower/splits.h"

/* --- the plan ---------------------------------------------------------------------------------------------------- */

/* Of elements told so far apart, on each device: what is left of all windows together. An element's rank is known up to
 * the other devices' elements between two that they tell (step - 1 each), and the element before the border and the one
 * behind it are at most a step further. */
static int64_t left_after(int64_t window, int64_t all, int64_t told, int64_t devices) {
    const int64_t step = weft_ceil_div(window, told);
    if (step <= 1) return 0;
    return 2 * weft_min_i64(devices * (step - 1), all / told) + 2 * step;
}

/* Rounds until nothing is left; 0 where there are too many. */
static int64_t rounds_of(int64_t part, int64_t devices, int64_t first, int64_t later) {
    enum { MOST = 12 };
    int64_t all = left_after(part, part * devices, first, devices);
    for (int64_t n = 1; n <= MOST; n++) {
        if (!all) return n;
        all = left_after(weft_min_i64(all, part), all, later, devices);
    }
    return 0;
}

int64_t weft_split_told(const weft_split_plan *p, int64_t devices) {
    return p->first + (p->rounds - 1) * (devices - 1) * p->later;
}

int64_t weft_split_room(const weft_split_plan *p, int64_t devices) {
    const int64_t later = p->rounds > 1 ? (devices - 1) * p->later : 0; /* of the first round the windows are alike */
    return devices * devices * weft_max_i64(p->first, later);
}

/* A round takes the time of so many elements that a device gets: some microseconds. */
static int64_t weight_of(const weft_split_plan *p, int64_t devices) {
    enum { ROUND_ELEMS = 512 };
    return weft_split_told(p, devices) * (devices - 1) + p->rounds * ROUND_ELEMS;
}

weft_split_plan weft_split_plan_of(int64_t part, int64_t devices) {
    weft_split_plan best = { part, 1, 1 };
    for (int64_t first = 1; first < part; first += 1 + first / 4)
        for (int64_t later = 1; later <= part; later += 1 + later / 4) {
            const weft_split_plan p = { first, later, rounds_of(part, devices, first, later) };
            if (p.rounds && weight_of(&p, devices) < weight_of(&best, devices)) best = p;
        }
    return best;
}

/* --- builders ---------------------------------------------------------------------------------------------------- */

static const weft_type *shaped(weft_localizer *z, weft_dtype dtype, uint32_t rank, const int64_t *dims) {
    return weft_type_tensor(z->cx, dtype, rank, dims);
}

weft_value *weft_split_spread(weft_localizer *z, weft_value *y, uint32_t rank, const int64_t *shape,
                              const int64_t *dims) {
    return y ? weft_build_broadcast(z->b, y, shaped(z, y->type->dtype, rank, shape), dims) : NULL;
}

static weft_value *filled(weft_localizer *z, const weft_value *like, int64_t v) {
    return like ? weft_local_offset(z, like->type, v) : NULL;
}

static weft_value *plus(weft_localizer *z, weft_value *x, int64_t v) {
    return v ? weft_build_binary(z->b, WEFT_OP_add, x, filled(z, x, v)) : x;
}

/* x with dimension d reduced by an op of this kind. */
static weft_value *reduced(weft_localizer *z, weft_op_kind kind, weft_value *x, int64_t init, uint32_t d) {
    int64_t dims[WEFT_MAX_RANK], along = d;
    uint32_t rank = 0;
    if (!x) return NULL;
    for (uint32_t i = 0; i < x->type->rank; i++)
        if (i != d) dims[rank++] = x->type->dims[i];
    const weft_type *type = weft_type_with_dims(z->cx, x->type, rank, dims);
    weft_value *operands[2] = { x, weft_local_offset(z, shaped(z, x->type->dtype, 0, NULL), init) };
    const weft_named_attr attr = { weft_name_at(z->cx, WEFT_A_dimensions), weft_attr_ints(z->cx, WEFT_I64, &along, 1) };
    weft_op *made = operands[1] ? weft_build_op(z->b, &(weft_op_spec){ .kind = WEFT_OP_reduce, .operands = operands,
                                                                       .operand_count = 2, .types = &type,
                                                                       .result_count = 1, .attrs = &attr,
                                                                       .attr_count = 1, .region_count = 1 })
                                : NULL;
    if (made) weft_local_reducer(z, &made->regions[0], kind, x->type->dtype);
    return made ? &made->results[0] : NULL;
}

weft_value *weft_split_running(weft_localizer *z, weft_value *x, uint32_t d) {
    int64_t window[WEFT_MAX_RANK], padding[2 * WEFT_MAX_RANK] = { 0 };
    if (!x) return NULL;
    for (uint32_t i = 0; i < x->type->rank; i++) window[i] = i == d ? x->type->dims[d] : 1;
    padding[2 * d] = x->type->dims[d] - 1;
    weft_value *operands[2] = { x, weft_local_offset(z, shaped(z, x->type->dtype, 0, NULL), 0) };
    const weft_named_attr attrs[2] = {
        { weft_name_at(z->cx, WEFT_A_window_dimensions), weft_attr_ints(z->cx, WEFT_I64, window, x->type->rank) },
        { weft_name_at(z->cx, WEFT_A_padding), weft_attr_dense_i64(z->cx, 2, (int64_t[]){ x->type->rank, 2 }, padding) }
    };
    weft_op *made = operands[1] ? weft_build_op(z->b, &(weft_op_spec){ .kind = WEFT_OP_reduce_window,
                                                                       .operands = operands, .operand_count = 2,
                                                                       .types = &x->type, .result_count = 1,
                                                                       .attrs = attrs, .attr_count = 2,
                                                                       .region_count = 1 })
                                : NULL;
    if (made) weft_local_reducer(z, &made->regions[0], WEFT_OP_add, x->type->dtype);
    return made ? &made->results[0] : NULL;
}

weft_value *weft_split_elements(weft_localizer *z, weft_value *x, weft_value *at) {
    if (!x || !at) return NULL;
    const int64_t *d = at->type->dims, flat[3] = { d[0], d[1] * d[2], 1 }, sizes[2] = { 1, 1 }, zero = 0, one = 1;
    const weft_attr dims = { .kind = WEFT_ATTR_GATHER,
                             .gather = { .collapsed_slice_dims = { &one, 1 }, .operand_batching_dims = { &zero, 1 },
                                         .start_indices_batching_dims = { &zero, 1 }, .start_index_map = { &one, 1 },
                                         .index_vector_dim = 2 } };
    const weft_attr_pair attrs[2] = { { WEFT_A_dimension_numbers, weft_attr_copy(z->cx, &dims) },
                                      { WEFT_A_slice_sizes, weft_attr_ints(z->cx, WEFT_I64, sizes, 2) } };
    weft_value *in[2] = { x, weft_local_reshaped(z, at, 3, flat) };
    weft_value *got =
        in[1] ? weft_build_1(z->b, WEFT_OP_gather, shaped(z, x->type->dtype, 2, flat), in, 2, attrs, 2) : NULL;
    return weft_local_reshaped(z, got, 3, d);
}

weft_op *weft_sort_build(weft_localizer *z, const weft_op *op, weft_value *const *x, uint32_t carried, uint32_t d) {
    const uint32_t count = op->operand_count + carried;
    const weft_named_attr attrs[2] = { { weft_name_at(z->cx, WEFT_A_dimension), weft_attr_i64(z->cx, d) },
                                       { weft_name_at(z->cx, WEFT_A_is_stable), weft_attr_bool(z->cx, true) } };
    const weft_mark mark = weft_arena_mark(&z->cx->scratch);
    uint32_t *from = weft_scratch_array(z->cx, uint32_t, count);
    for (uint32_t i = 0; from && i < count; i++) from[i] = i < op->operand_count ? i : WEFT_NOT_COMPARED;
    if (!from) z->b->status = weft_oom();
    weft_op *made = from ? weft_rewrite_sort(z->rewrite, z->b, op, x, from, count, attrs, 2) : NULL;
    weft_arena_reset(&z->cx->scratch, mark);
    return made;
}

/* --- a round ------------------------------------------------------------------------------------------------------ */

typedef struct finder {
    weft_localizer *z;
    const weft_op *op;
    const weft_split_rows *s;
} finder;

/* Windows [low, high) of all devices, of which everybody knows: [R, G, P]. */
typedef struct windows { weft_value *low, *high; } windows;

/* Entry `number of this device` of the last dimension of x: [R, G]. */
static weft_value *own(const finder *f, weft_value *x) {
    weft_localizer *z = f->z;
    weft_value *starts[WEFT_MAX_RANK] = { NULL };
    if (!x) return NULL;
    starts[2] = weft_local_index(z, f->s->atoms, f->s->n, 1);
    const int64_t dims[2] = { x->type->dims[0], x->type->dims[1] };
    return weft_local_reshaped(z, weft_local_part(z, x, weft_type_with_dim(z->cx, x->type, 2, 1), starts), 2, dims);
}

/* Which elements this device tells: number i of a window is the last of its i + 1st step. */
static weft_value *told_at(const finder *f, const windows *w, weft_value *step, int64_t told) {
    weft_localizer *z = f->z;
    if (!step) return NULL;
    const int64_t shape[3] = { step->type->dims[0], step->type->dims[1], told }, to[2] = { 0, 1 };
    const weft_type *type = shaped(z, step->type->dtype, 3, shape);
    weft_value *i = type ? plus(z, weft_build_iota(z->b, type, 2), 1) : NULL;
    weft_value *at = weft_build_binary(z->b, WEFT_OP_multiply, i, weft_split_spread(z, own(f, step), 3, shape, to));
    at = weft_build_binary(z->b, WEFT_OP_add, at, weft_split_spread(z, own(f, w->low), 3, shape, to));
    at = plus(z, at, -1);
    return weft_build_binary(z->b, WEFT_OP_minimum, at, filled(z, at, f->s->part - 1));
}

/* What all devices tell of an operand: [R, G, Q], device by device. */
static weft_value *told_by_all(const finder *f, weft_value *x, weft_value *at) {
    weft_localizer *z = f->z;
    if (!at) return NULL;
    const int64_t *d = at->type->dims, apart[4] = { d[0], d[1], 1, d[2] },
                  joined[3] = { d[0], d[1], d[2] * f->s->devices };
    weft_value *mine = weft_local_reshaped(z, weft_split_elements(z, x, at), 4, apart);
    return weft_local_reshaped(z, mine ? weft_local_gathered(z, mine, 2, f->s->atoms, f->s->n) : NULL, 3, joined);
}

/* The sorted elements that all devices tell: of each, its device and how many elements it stands for. An element past
 * the end of its window stands for none, and may be any. */
typedef struct sample { weft_value *device, *weight; } sample;

static sample take(const finder *f, const windows *w, weft_value *step, weft_value *width, int64_t told) {
    weft_localizer *z = f->z;
    const uint32_t count = f->s->count;
    const weft_mark mark = weft_arena_mark(&z->cx->scratch);
    weft_value **x = weft_scratch_array(z->cx, weft_value *, count + 2);
    weft_op *made = NULL;
    if (x && step) {
        const int64_t *d = step->type->dims, shape[4] = { d[0], d[1], d[2], told },
                      joined[3] = { d[0], d[1], d[2] * told }, to[3] = { 0, 1, 2 };
        const weft_type *type = shaped(z, step->type->dtype, 4, shape);
        weft_value *at = told_at(f, w, step, told);
        weft_value *full = weft_split_spread(z, weft_build_binary(z->b, WEFT_OP_divide, width, step), 4, shape, to);
        weft_value *steps = weft_split_spread(z, step, 4, shape, to);
        weft_value *is_there = weft_local_compare(z, type ? weft_build_iota(z->b, type, 3) : NULL, full,
                                                  WEFT_comparison_direction_LT);
        for (uint32_t i = 0; i < count; i++)
            x[i] = f->s->x[i] ? told_by_all(f, f->s->x[i], at)
                              : weft_build_splat(z->b, shaped(z, f->op->operands[i]->type->dtype, 3, joined), 0);
        x[count] = weft_local_reshaped(z, type ? weft_build_iota(z->b, type, 2) : NULL, 3, joined);
        x[count + 1] = weft_local_reshaped(z, weft_local_select(z, is_there, steps, filled(z, steps, 0)), 3, joined);
        made = weft_sort_build(z, f->op, x, 2, 2);
    }
    weft_arena_reset(&z->cx->scratch, mark);
    return made ? (sample){ &made->results[count], &made->results[count + 1] } : (sample){ NULL, NULL };
}

/* [R, J, Q, P]: for how many of each device's elements the first elements of the sample stand. */
static weft_value *counted(const finder *f, const sample *e) {
    weft_localizer *z = f->z;
    if (!e->device || !e->weight) return NULL;
    const int64_t *d = e->device->type->dims, devices = f->s->devices, borders = devices - 1,
                  shape[4] = { d[0], d[1], d[2], devices }, to[3] = { 0, 1, 2 }, flat[3] = { d[0], d[2], devices },
                  all[4] = { d[0], borders, d[2], devices }, past[3] = { 0, 2, 3 };
    const weft_type *type = shaped(z, e->device->type->dtype, 4, shape);
    weft_value *weight = weft_split_spread(z, e->weight, 4, shape, to);
    weft_value *its = weft_local_compare(z, weft_split_spread(z, e->device, 4, shape, to),
                                         type ? weft_build_iota(z->b, type, 3) : NULL, WEFT_comparison_direction_EQ);
    weft_value *c = weft_split_running(z, weft_local_select(z, its, weight, filled(z, weight, 0)), 2);
    if (d[1] == borders) return c;
    return weft_split_spread(z, weft_local_reshaped(z, c, 3, flat), 4, all, past);
}

/* x [R, G, P] for each border. */
static weft_value *for_borders(const finder *f, weft_value *x) {
    const int64_t borders = f->s->devices - 1, to[2] = { 0, 2 };
    if (!x || x->type->dims[1] == borders) return x;
    const int64_t flat[2] = { x->type->dims[0], x->type->dims[2] }, all[3] = { flat[0], borders, flat[1] };
    return weft_split_spread(f->z, weft_local_reshaped(f->z, x, 2, flat), 3, all, to);
}

/* Of borders [R, J]: how many elements before them lie in the windows. */
static weft_value *rank_in_windows(const finder *f, weft_value *low) {
    weft_localizer *z = f->z;
    weft_value *below = reduced(z, WEFT_OP_add, low, 0, 2);
    if (!below) return NULL;
    weft_value *border = plus(z, weft_build_iota(z->b, below->type, 1), 1);
    border = weft_build_binary(z->b, WEFT_OP_multiply, border, filled(z, border, f->s->part));
    border = weft_build_binary(z->b, WEFT_OP_minimum, border, filled(z, border, f->s->size));
    return weft_build_binary(z->b, WEFT_OP_subtract, border, below);
}

/* The windows after a round in which each device tells so many elements of each. */
static windows narrowed(const finder *f, windows w, int64_t told) {
    weft_localizer *z = f->z;
    weft_value *width = weft_build_binary(z->b, WEFT_OP_subtract, w.high, w.low), *step = plus(z, width, told - 1);
    step = weft_build_binary(z->b, WEFT_OP_divide, step, filled(z, step, told));
    step = weft_build_binary(z->b, WEFT_OP_maximum, step, filled(z, step, 1));
    const sample e = take(f, &w, step, width, told);
    weft_value *c = counted(f, &e);
    w = (windows){ for_borders(f, w.low), for_borders(f, w.high) };
    step = plus(z, for_borders(f, step), -1); /* how many more there may be than are counted */
    width = for_borders(f, width);
    if (!c || !step || !width) return (windows){ NULL, NULL };
    const int64_t *d = c->type->dims, shape[3] = { d[0], d[1], d[2] }, to[2] = { 0, 1 }, wide[3] = { 0, 1, 2 },
                  over[3] = { 0, 1, 3 };
    weft_value *least = reduced(z, WEFT_OP_add, c, 0, 3);
    weft_value *most = weft_build_binary(
        z->b, WEFT_OP_add, least, weft_split_spread(z, reduced(z, WEFT_OP_add, step, 0, 2), 3, shape, to));
    weft_value *rank = weft_split_spread(z, rank_in_windows(f, w.low), 3, shape, to);
    weft_value *before = weft_local_compare(z, most, rank, WEFT_comparison_direction_LE);
    weft_value *behind = weft_local_compare(z, least, rank, WEFT_comparison_direction_GE);
    before = weft_local_select(z, weft_split_spread(z, before, 4, d, wide), c, filled(z, c, 0));
    behind = weft_local_select(z, weft_split_spread(z, behind, 4, d, wide), c, weft_split_spread(z, width, 4, d, over));
    before = reduced(z, WEFT_OP_maximum, before, 0, 2);
    behind = weft_build_binary(z->b, WEFT_OP_add, reduced(z, WEFT_OP_minimum, behind, f->s->part, 2), step);
    behind = weft_build_binary(z->b, WEFT_OP_minimum, behind, width);
    return (windows){ weft_build_binary(z->b, WEFT_OP_add, w.low, before),
                      weft_build_binary(z->b, WEFT_OP_add, w.low, behind) };
}

weft_value *weft_split_find(weft_localizer *z, const weft_op *op, const weft_split_rows *s) {
    const finder f = { z, op, s };
    const weft_split_plan p = weft_split_plan_of(s->part, s->devices);
    const int64_t shape[3] = { s->rows, 1, s->devices }, to = 2;
    weft_value *real = weft_split_spread(z, s->real, 3, shape, &to), *none = filled(z, real, 0);
    windows w = { none, real };
    for (int64_t i = 0; i < p.rounds && w.low; i++) w = narrowed(&f, w, i ? p.later : p.first);
    weft_value *all[3] = { none, w.low, real };
    return weft_build_concatenate(z->b, all, 3, 1);
}
