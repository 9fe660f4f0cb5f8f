/* expand.c: reductions and windows whose body is any associative function, written as element-wise ops.
 *
 * A reduction combines the two halves of a dimension until one element is left. A window that reaches from one end of
 * a dimension to each element (a cumulative sum, product, log-sum-exp) is made by doubling: after step k each element
 * combines the 2^k before it. Other windows combine their shifted images one after the other. The new ops take the
 * op's place in the forward program, and are differentiated. Source of doubling: Hillis and Steele, Data parallel
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
    weft_map map;
} expansion;

/* v, a scalar of the body or from outside it, with the shape of `like`. */
static weft_value *shaped(expansion *e, weft_value *v, const weft_type *like) {
    if (!v || v->type->rank == like->rank) return v;
    return weft_build_broadcast(&e->b, v, weft_type_with_dtype(e->g->cx, like, v->type->dtype), NULL);
}

/* The body over whole values: x[0..n) and y[0..n) to out[0..n). */
static void apply(expansion *e, weft_value *const *x, weft_value *const *y, weft_value **out) {
    const weft_block *body = weft_op_body(e->op, 0);
    const weft_type *like = x[0] ? x[0]->type : NULL;
    if (!like || e->b.status != WEFT_OK) return;
    for (uint32_t i = 0; i < e->n; i++) {
        e->map.to[body->args[i]->id] = x[i];
        e->map.to[body->args[e->n + i]->id] = y[i];
    }
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

static bool open(gd *g, expansion *e, const weft_op *op) {
    e->g = g;
    e->op = (weft_op *)op;
    e->n = op->result_count;
    e->before = op->prev;
    weft_builder_init(&e->b, g->m, op->parent);
    e->b.before = e->op;
    e->b.loc = op->loc;
    e->initial = e->op->operands + e->n;
    if (weft_map_init(&e->map, g->arena, g->m) != WEFT_OK) gd_fail(g, weft_oom());
    return gd_status(g) == WEFT_OK;
}

static weft_value *cut(expansion *e, weft_value *x, uint32_t d, int64_t low, int64_t high) {
    return x && (low || high < x->type->dims[d]) ? weft_build_cut(&e->b, x, d, low, high) : x;
}

/* Dimension d of x[0..n) to one element. */
static void halve(expansion *e, weft_value **x, uint32_t d) {
    weft_value **low = weft_arena_array(e->g->arena, weft_value *, 3 * (size_t)e->n), **high = low + e->n,
               **rest = high + e->n;
    if (!low) {
        gd_fail(e->g, weft_oom());
        return;
    }
    while (x[0] && x[0]->type->dims[d] > 1) {
        const int64_t size = x[0]->type->dims[d], half = size / 2;
        for (uint32_t i = 0; i < e->n; i++) {
            low[i] = cut(e, x[i], d, 0, half);
            high[i] = cut(e, x[i], d, half, 2 * half);
            rest[i] = size % 2 ? cut(e, x[i], d, 2 * half, size) : NULL;
        }
        apply(e, low, high, x);
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
    for (uint32_t k = 0; k < dims.n && gd_status(g) == WEFT_OK; k++) halve(&e, x, (uint32_t)dims.v[k]);
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

void gd_expand_window(gd *g, const weft_op *op) {
    expansion e = { 0 };
    int64_t way;
    if (!open(g, &e, op)) return;
    weft_value **x = weft_arena_array(g->arena, weft_value *, e.n);
    if (!x) {
        gd_fail(g, weft_oom());
        return;
    }
    for (uint32_t i = 0; i < e.n; i++) x[i] = op->operands[i];
    for (uint32_t d = 0; d < op->operands[0]->type->rank && gd_status(g) == WEFT_OK; d++) {
        const int64_t size = weft_op_int_at(op, WEFT_A_window_dimensions, d, 1);
        if (size == 1 && op->operands[0]->type->dims[d] == op->results[0].type->dims[d]) continue;
        if (is_cumulative(op, d, &way)) doubling(&e, x, d, size - 1, way);
        else gd_refuse(g, op, "its body is not a sum, maximum or minimum, and its windows are not cumulative");
    }
    if (gd_status(g) == WEFT_OK) finish(&e, x);
}
