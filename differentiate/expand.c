/* expand.c: reductions, windows and maps by any associative function, written as element-wise ops.
 *
 * A reduction combines neighbours of a dimension, in their order, until one element is left. A window that reaches from
 * one end of a dimension to each element (a cumulative sum, product, log-sum-exp) is made by doubling: after step k
 * each element combines the 2^k before it. Other windows are made one dimension after another, each from windows of
 * powers of two. The new ops take the op's place in the forward program, and are differentiated: a product needs no
 * division, so that derivatives of any order are right at zeros. Source of doubling: Hillis and Steele, Data parallel
 * algorithms, 1986.
 */
#include "differentiate/grad.h"

typedef struct expansion {
    gd *g;
    weft_op *op;
    weft_builder b;          /* before the op */
    const weft_op *before;   /* what was before it */
    uint32_t n;              /* values */
    weft_value **initial;
    weft_op_kind chosen;     /* WEFT_OP_maximum or minimum: the first of the largest or smallest; else WEFT_OP_COUNT */
    weft_map map;
} expansion;

/* v, a scalar of the body or from outside it, with the shape of `like`. */
static weft_value *shaped(expansion *e, weft_value *v, const weft_type *like) {
    if (!v || v->type->rank == like->rank) return v;
    return weft_build_broadcast(&e->b, v, weft_type_with_dtype(e->g->cx, like, v->type->dtype), NULL);
}

/* The body over whole values of the type like, which the map has for its arguments: its results to out[0..n). */
static void apply_body(expansion *e, const weft_type *like, weft_value **out) {
    const weft_block *body = weft_op_body(e->op, 0);
    WEFT_EACH_OP(op, body) {
        weft_value *in[8];
        if (op == body->last) break;
        if (op->operand_count > WEFT_COUNT(in) || op->region_count || op->result_count != 1) {
            gd_refuse(e->g, e->op, "its body has an op that does not work element by element");
            return;
        }
        for (uint32_t i = 0; i < op->operand_count; i++) {
            weft_value *v = op->operands[i], *made = e->map.to[v->id];
            in[i] = shaped(e, made ? made : v, like);
            if (!in[i]) return;
        }
        const bool constant = weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_CONSTANT);
        const weft_type *t = constant ? op->results[0].type
                                      : weft_type_with_dtype(e->g->cx, like, op->results[0].type->dtype);
        weft_op *made = weft_build_op(&e->b, &(weft_op_spec){ .kind = (weft_op_kind)op->kind, .operands = in,
                                                              .operand_count = op->operand_count, .types = &t,
                                                              .result_count = 1, .attrs = op->attrs,
                                                              .attr_count = op->attr_count });
        if (!made) return;
        e->map.to[op->results[0].id] = &made->results[0];
    }
    for (uint32_t i = 0; i < e->n; i++) {
        weft_value *v = body->last->operands[i], *made = e->map.to[v->id];
        out[i] = shaped(e, made ? made : v, like);
    }
}

/* x or y, of two values whose order says which; a NaN is kept, as maximum and minimum do. */
static weft_value *chosen(expansion *e, weft_value *x, weft_value *y) {
    lg *b = &e->b;
    weft_value *first = e->chosen == WEFT_OP_maximum ? lg_ge(b, x, y) : lg_le(b, x, y);
    return lg_select(b, lg_or(b, first, lg_compare(b, WEFT_comparison_direction_NE, x, x)), x, y);
}

/* x[0..n) and y[0..n), which come after them, to out[0..n). */
static void apply(expansion *e, weft_value *const *x, weft_value *const *y, weft_value **out) {
    const weft_block *body = weft_op_body(e->op, 0);
    if (!x[0] || e->b.status != WEFT_OK) return;
    if (e->chosen != WEFT_OP_COUNT) {
        out[0] = chosen(e, x[0], y[0]);
        return;
    }
    for (uint32_t i = 0; i < e->n; i++) {
        e->map.to[body->args[i]->id] = x[i];
        e->map.to[body->args[e->n + i]->id] = y[i];
    }
    apply_body(e, x[0]->type, out);
}

static bool open(gd *g, expansion *e, const weft_op *op) {
    e->g = g;
    e->op = (weft_op *)op;
    e->n = op->result_count;
    e->before = op->prev;
    weft_builder_init(&e->b, g->m, op->parent);
    e->b.before = e->op;
    e->b.loc = op->loc;
    e->initial = e->op->operands + e->n;
    e->chosen = WEFT_OP_COUNT;
    if (weft_map_init(&e->map, g->arena, g->m) != WEFT_OK) gd_fail(g, weft_oom());
    return gd_status(g) == WEFT_OK;
}

static weft_value *cut(expansion *e, weft_value *x, uint32_t d, int64_t low, int64_t high) {
    return x && (low || high < x->type->dims[d]) ? weft_build_cut(&e->b, x, d, low, high) : x;
}

/* Each `stride`-th element along d of the first `size`, from the one at `first` on. */
static weft_value *strided(expansion *e, weft_value *x, uint32_t d, int64_t first, int64_t size, int64_t stride) {
    int64_t starts[WEFT_MAX_RANK] = { 0 }, limits[WEFT_MAX_RANK], strides[WEFT_MAX_RANK];
    if (!x) return NULL;
    for (uint32_t i = 0; i < x->type->rank; i++) limits[i] = x->type->dims[i], strides[i] = 1;
    starts[d] = first;
    limits[d] = size;
    strides[d] = stride;
    return weft_build_slice(&e->b, x, starts, limits, strides);
}

/* Dimension d of x[0..n) to one element. */
static void pair(expansion *e, weft_value **x, uint32_t d) {
    weft_value **even = weft_arena_array(e->g->arena, weft_value *, 3 * (size_t)e->n), **odd = even + e->n,
               **rest = odd + e->n;
    if (!even) {
        gd_fail(e->g, weft_oom());
        return;
    }
    while (x[0] && x[0]->type->dims[d] > 1) {
        const int64_t size = x[0]->type->dims[d], paired = size / 2 * 2;
        for (uint32_t i = 0; i < e->n; i++) {
            even[i] = strided(e, x[i], d, 0, paired, 2);
            odd[i] = strided(e, x[i], d, 1, paired, 2);
            rest[i] = size % 2 ? cut(e, x[i], d, paired, size) : NULL;
        }
        apply(e, even, odd, x);
        if (gd_status(e->g) != WEFT_OK || e->b.status != WEFT_OK) return;
        for (uint32_t i = 0; i < e->n && size % 2; i++) {
            weft_value *both[] = { x[i], rest[i] };
            x[i] = weft_build_concatenate(&e->b, both, 2, d);
        }
    }
}

static void finish(expansion *e, weft_value **out) {
    gd *g = e->g;
    if (e->b.status != WEFT_OK) gd_fail(g, e->b.status);
    if (gd_status(g) == WEFT_OK) gd_take_place(g, e->op, e->before, out);
}

void gd_expand_reduce(gd *g, const weft_op *op) {
    expansion e = { 0 };
    weft_ints dims = weft_op_ints(op, WEFT_A_dimensions);
    if (!open(g, &e, op)) return;
    weft_value **x = weft_arena_array(g->arena, weft_value *, 2 * (size_t)e.n), **first = x + e.n;
    if (!x) {
        gd_fail(g, weft_oom());
        return;
    }
    for (uint32_t i = 0; i < e.n; i++) x[i] = op->operands[i];
    for (uint32_t d = op->operands[0]->type->rank; d-- > 0 && gd_status(g) == WEFT_OK;)
        if (weft_ints_has(dims, d)) pair(&e, x, d);
    for (uint32_t i = 0; i < e.n && x[i]; i++) {
        x[i] = weft_build_1(&e.b, WEFT_OP_reshape, op->results[i].type, &x[i], 1, NULL, 0);
        first[i] = shaped(&e, e.initial[i], op->results[i].type);
    }
    if (gd_status(g) == WEFT_OK) apply(&e, first, x, x);
    finish(&e, x);
}

/* Elements of x along d moved by `by`, with the initial value where none comes from. */
static weft_value *shifted(expansion *e, weft_value *x, weft_value *fill, uint32_t d, int64_t by) {
    int64_t low[WEFT_MAX_RANK] = { 0 }, high[WEFT_MAX_RANK] = { 0 }, none[WEFT_MAX_RANK] = { 0 };
    low[d] = by;
    high[d] = -by;
    return weft_build_pad(&e->b, x, fill, low, high, none);
}

/* Each element combines the `reach` before it (way 1) or after it (way -1) and itself. */
static void doubling(expansion *e, weft_value **x, uint32_t d, int64_t reach, int64_t way) {
    weft_value **moved = weft_arena_array(e->g->arena, weft_value *, e->n);
    if (!moved) gd_fail(e->g, weft_oom());
    for (int64_t by = 1; by <= reach && gd_status(e->g) == WEFT_OK && e->b.status == WEFT_OK; by *= 2) {
        for (uint32_t i = 0; i < e->n; i++) moved[i] = shifted(e, x[i], e->initial[i], d, way * by);
        if (way > 0) apply(e, moved, x, x);
        else apply(e, x, moved, x);
    }
}

/* A window as long as the dimension, at the end of one padding. */
static bool is_cumulative(const weft_op *op, uint32_t d, int64_t *way) {
    const int64_t n = op->operands[0]->type->dims[d], size = weft_op_int_at(op, WEFT_A_window_dimensions, d, 1);
    const int64_t low = weft_op_padding_at(op, d, 0), high = weft_op_padding_at(op, d, 1);
    *way = low ? 1 : -1;
    return size == n && weft_op_int_at(op, WEFT_A_window_strides, d, 1) == 1 &&
           weft_op_int_at(op, WEFT_A_window_dilations, d, 1) == 1 &&
           weft_op_int_at(op, WEFT_A_base_dilations, d, 1) == 1 && (!low || !high) && low + high == n - 1;
}

/* The part of the length `to` along d that begins at `from`, of each of x[0..n). */
static void part(expansion *e, weft_value *const *x, uint32_t d, int64_t from, int64_t to, weft_value **out) {
    for (uint32_t i = 0; i < e->n; i++) out[i] = cut(e, x[i], d, from, from + to);
}

/* Along d each of x[0..n), padded by the initial values as the window is. */
static void padded(expansion *e, weft_value **x, uint32_t d) {
    int64_t low[WEFT_MAX_RANK] = { 0 }, high[WEFT_MAX_RANK] = { 0 }, between[WEFT_MAX_RANK] = { 0 };
    low[d] = weft_op_padding_at(e->op, d, 0);
    high[d] = weft_op_padding_at(e->op, d, 1);
    between[d] = weft_op_int_at(e->op, WEFT_A_base_dilations, d, 1) - 1;
    if (!low[d] && !high[d] && !between[d]) return;
    for (uint32_t i = 0; i < e->n; i++) x[i] = weft_build_pad(&e->b, x[i], e->initial[i], low, high, between);
}

/* Windows along d. Those of 1, 2, 4, ... elements are `power`; `sum` has as many as the bits of the size so far. */
static void windows(expansion *e, weft_value **x, uint32_t d) {
    const int64_t size = weft_op_int_at(e->op, WEFT_A_window_dimensions, d, 1),
                  step = weft_op_int_at(e->op, WEFT_A_window_dilations, d, 1),
                  stride = weft_op_int_at(e->op, WEFT_A_window_strides, d, 1);
    weft_value **power = weft_arena_array(e->g->arena, weft_value *, 4 * (size_t)e->n), **sum = power + e->n,
               **a = sum + e->n, **b = a + e->n;
    if (!power) gd_fail(e->g, weft_oom());
    if (gd_status(e->g) != WEFT_OK) return;
    padded(e, x, d);
    if (e->b.status != WEFT_OK) return;
    const int64_t length = x[0]->type->dims[d];
    int64_t done = 0;
    for (uint32_t i = 0; i < e->n; i++) power[i] = x[i];
    for (int64_t bit = 1; bit <= size && gd_status(e->g) == WEFT_OK && e->b.status == WEFT_OK; bit *= 2) {
        if (bit > 1) {
            const int64_t left = length - (bit - 1) * step;
            part(e, power, d, 0, left, a);
            part(e, power, d, bit / 2 * step, left, b);
            apply(e, a, b, power);
        }
        if (!(size & bit)) continue;
        const int64_t left = length - (done + bit - 1) * step;
        part(e, power, d, done * step, left, done ? b : sum);
        if (done) {
            part(e, sum, d, 0, left, a);
            apply(e, a, b, sum);
        }
        done += bit;
    }
    if (gd_status(e->g) != WEFT_OK || e->b.status != WEFT_OK) return;
    for (uint32_t i = 0; i < e->n; i++)
        x[i] = stride > 1 ? strided(e, sum[i], d, 0, sum[i]->type->dims[d], stride) : sum[i];
}

static void expand_window(gd *g, const weft_op *op, weft_op_kind chosen) {
    expansion e = { 0 };
    int64_t way;
    if (!open(g, &e, op)) return;
    e.chosen = chosen;
    weft_value **x = weft_arena_array(g->arena, weft_value *, 2 * (size_t)e.n), **first = x + e.n;
    bool initial = false;
    if (!x) {
        gd_fail(g, weft_oom());
        return;
    }
    for (uint32_t i = 0; i < e.n; i++) x[i] = op->operands[i];
    for (uint32_t d = op->operands[0]->type->rank; d-- > 0 && gd_status(g) == WEFT_OK && e.b.status == WEFT_OK;) {
        const int64_t size = weft_op_int_at(op, WEFT_A_window_dimensions, d, 1);
        if (size == 1 && op->operands[0]->type->dims[d] == op->results[0].type->dims[d]) continue;
        if (is_cumulative(op, d, &way)) doubling(&e, x, d, size - 1, way);
        else windows(&e, x, d);
    }
    for (uint32_t i = 0; i < e.n; i++) initial |= gd_varies(g, e.initial[i]);
    for (uint32_t i = 0; i < e.n && initial; i++) first[i] = shaped(&e, e.initial[i], op->results[i].type);
    if (initial && gd_status(g) == WEFT_OK) apply(&e, first, x, x);
    if (gd_status(g) == WEFT_OK) finish(&e, x);
}

void gd_expand_window(gd *g, const weft_op *op) { expand_window(g, op, WEFT_OP_COUNT); }

void gd_expand_choice(gd *g, const weft_op *op) { expand_window(g, op, weft_reducer_kind(op, 0)); }

void gd_rule_map(gd *g, const weft_op *op) {
    expansion e = { 0 };
    weft_value *out = NULL;
    const weft_block *body = weft_op_body(op, 0);
    if (!open(g, &e, op)) return;
    for (uint32_t i = 0; i < op->operand_count; i++) e.map.to[body->args[i]->id] = op->operands[i];
    apply_body(&e, op->results[0].type, &out);
    if (gd_status(g) == WEFT_OK) finish(&e, &out);
}
