/* reduce.c: rules of reduce and reduce_window with a sum, product, maximum or minimum. */
#include <math.h>
#include "differentiate/grad.h"

static weft_op_kind reducer_of(const weft_op *op, uint32_t region) {
    const weft_block *blk = weft_op_body(op, region);
    const weft_op *only = blk ? blk->first : NULL;
    if (op->result_count != 1 || !only || only->next != blk->last || only->operand_count != 2 ||
        blk->last->operands[0] != &only->results[0])
        return WEFT_OP_COUNT;
    const weft_value *x = only->operands[0], *y = only->operands[1], *a = blk->args[0], *o = blk->args[1];
    return (x == a && y == o) || (x == o && y == a) ? (weft_op_kind)only->kind : WEFT_OP_COUNT;
}

weft_op_kind gd_reducer_of(const weft_op *op) { return reducer_of(op, 0); }

typedef struct reduction {
    const weft_op *op;
    const weft_type *type; /* of the operand */
    int64_t dims[WEFT_MAX_RANK];
    uint32_t n;
} reduction;

static weft_value *spread(gd *g, const reduction *r, weft_value *v) {
    return gd_expand(g, v, r->type, r->dims, r->n);
}

/* The elements that equal the result share its cotangent evenly. */
static weft_value *of_chosen(gd *g, const reduction *r, weft_value *c) {
    weft_builder *b = gd_b(g);
    weft_value *x = gd_in(g, r->op, 0), *y = spread(g, r, gd_out(g, r->op, 0));
    weft_value *mask = lg_convert(b, lg_eq(b, x, y), r->type->dtype);
    weft_value *share = lg_div(b, c, gd_sum(g, mask, r->dims, r->n));
    return lg_mul(b, mask, spread(g, r, share));
}

/* The product of the others: the whole divided by the element; where there is one zero, its own is the product of the
 * rest, and that of the rest is zero. */
static weft_value *of_product(gd *g, const reduction *r, weft_value *c) {
    weft_builder *b = gd_b(g);
    weft_value *x = gd_in(g, r->op, 0), *zero = lg_const(b, x, 0), *one = lg_const(b, x, 1);
    weft_value *is_zero = lg_eq(b, x, zero), *safe = lg_select(b, is_zero, one, x);
    weft_value *count = spread(g, r, gd_sum(g, lg_select(b, is_zero, one, zero), r->dims, r->n));
    weft_value *in[] = { safe, gd_here(g, r->op->operands[1]) };
    weft_op *whole = weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_reduce, .operands = in, .operand_count = 2,
                                                       .types = &r->op->results[0].type, .result_count = 1,
                                                       .attrs = r->op->attrs, .attr_count = r->op->attr_count,
                                                       .region_count = 1 });
    gd_build_reducer(g, whole, 0, gd_scalar(g, r->type), WEFT_OP_multiply);
    weft_value *rest = whole ? spread(g, r, &whole->results[0]) : NULL;
    weft_value *lone = lg_select(b, lg_eq(b, count, one), lg_select(b, is_zero, rest, zero), zero);
    weft_value *slope = lg_select(b, lg_eq(b, count, zero), lg_div(b, rest, safe), lone);
    return lg_mul(b, spread(g, r, c), slope);
}

void gd_rule_reduce(gd *g, const weft_op *op) {
    const weft_op_kind kind = gd_reducer_of(op);
    weft_value *c = gd_of(g, &op->results[0])->ct;
    weft_ints dims = weft_op_ints(op, WEFT_A_dimensions);
    reduction r = { .op = op, .type = op->operands[0]->type };
    for (uint32_t d = 0; d < r.type->rank; d++)
        if (weft_ints_has(dims, d)) r.dims[r.n++] = d;
    const bool chosen = kind == WEFT_OP_maximum || kind == WEFT_OP_minimum;
    if (kind != WEFT_OP_add && kind != WEFT_OP_multiply && !chosen) {
        gd_expand_reduce(g, op);
        return;
    }
    if (gd_wants(g, op, 1) && kind != WEFT_OP_add) {
        gd_refuse(g, op, "its initial value depends on what the gradient is for");
        return;
    }
    if (gd_wants(g, op, 1)) gd_give(g, op, 1, gd_sum_all(g, c));
    if (!gd_wants(g, op, 0) || (chosen && gd_cancels(g, op))) return;
    gd_give(g, op, 0, chosen ? of_chosen(g, &r, c) : kind == WEFT_OP_add ? spread(g, &r, c) : of_product(g, &r, c));
}

/* ---- windows ---- */

/* A sum over windows: result o has the elements at low + i base = o stride + w dilation. Element i has those results,
 * at spacing `stride`, in windows that begin at i base - ((size - 1) dilation - low). */
static void window_sum(gd *g, const weft_op *op) {
    weft_builder *b = gd_b(g);
    const weft_type *t = op->operands[0]->type, *out = op->results[0].type;
    const uint32_t rank = t->rank;
    int64_t strides[WEFT_MAX_RANK], bases[WEFT_MAX_RANK], padding[2 * WEFT_MAX_RANK];
    for (uint32_t d = 0; d < rank; d++) {
        const int64_t size = weft_op_int_at(op, WEFT_A_window_dimensions, d, 1),
                      stride = weft_op_int_at(op, WEFT_A_window_strides, d, 1),
                      base = weft_op_int_at(op, WEFT_A_base_dilations, d, 1),
                      reach = (size - 1) * weft_op_int_at(op, WEFT_A_window_dilations, d, 1);
        strides[d] = base;
        bases[d] = stride;
        const int64_t low = reach - weft_op_padding_at(op, d, 0), length = (out->dims[d] - 1) * stride + 1;
        padding[2 * d] = low;
        padding[2 * d + 1] = (t->dims[d] - 1) * base + reach + 1 - low - length;
    }
    const int64_t shape[] = { rank, 2 };
    const weft_attr *dilations = weft_op_attr(op, WEFT_A_window_dilations);
    weft_named_attr attrs[5] = {
        { weft_name_at(g->cx, WEFT_A_window_dimensions), weft_op_attr(op, WEFT_A_window_dimensions) },
        { weft_name_at(g->cx, WEFT_A_window_strides), weft_attr_ints(g->cx, WEFT_I64, strides, rank) },
        { weft_name_at(g->cx, WEFT_A_base_dilations), weft_attr_ints(g->cx, WEFT_I64, bases, rank) },
        { weft_name_at(g->cx, WEFT_A_padding), weft_attr_dense_i64(g->cx, 2, shape, padding) },
        { weft_name_at(g->cx, WEFT_A_window_dilations), dilations },
    };
    const weft_type *scalar = gd_scalar(g, t);
    weft_value *in[] = { gd_ct(g, op, 0), gd_zeros(g, scalar) };
    weft_op *made = weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_reduce_window, .operands = in, .operand_count = 2,
                                                      .types = &t, .result_count = 1, .attrs = attrs,
                                                      .attr_count = dilations ? 5 : 4, .region_count = 1 });
    gd_build_reducer(g, made, 0, scalar, WEFT_OP_add);
    if (made) gd_give(g, op, 0, &made->results[0]);
}

static void build_choice(gd *g, weft_op *op, const weft_type *t, weft_enum_value direction) {
    weft_builder in;
    if (!op) return;
    weft_builder_init(&in, g->m, NULL);
    in.loc = gd_b(g)->loc;
    in.block = weft_build_block(&in, &op->regions[0]);
    weft_value *x = weft_build_block_arg(&in, in.block, t, in.loc);
    weft_value *y = weft_build_block_arg(&in, in.block, t, in.loc);
    weft_value *v = lg_compare(&in, direction, x, y);
    gd_build_return(g, &in, WEFT_OP_return, &v, 1);
    if (in.status != WEFT_OK) gd_fail(g, in.status);
}

static bool all_one(weft_ints v) {
    for (uint32_t i = 0; i < v.n; i++)
        if (v.v[i] != 1) return false;
    return true;
}

/* Those of windows without dilation. */
enum { WINDOW_ATTRS = 3 };

static uint32_t window_attrs(gd *g, const weft_op *op, weft_named_attr *out) {
    const weft_attr_name kept[WINDOW_ATTRS] = { WEFT_A_window_dimensions, WEFT_A_window_strides, WEFT_A_padding };
    uint32_t n = 0;
    for (size_t i = 0; i < WINDOW_ATTRS; i++)
        if (weft_op_attr(op, kept[i]))
            out[n++] = (weft_named_attr){ weft_name_at(g->cx, kept[i]), weft_op_attr(op, kept[i]) };
    return n;
}

/* The first of the largest elements of a window has its cotangent. */
static void window_chosen(gd *g, const weft_op *op, weft_enum_value direction) {
    const weft_type *t = op->operands[0]->type, *scalar = gd_scalar(g, t);
    if (!all_one(weft_op_ints(op, WEFT_A_base_dilations)) || !all_one(weft_op_ints(op, WEFT_A_window_dilations))) {
        gd_refuse(g, op, "it has dilated windows");
        return;
    }
    weft_named_attr attrs[WINDOW_ATTRS];
    const uint32_t n = window_attrs(g, op, attrs);
    weft_value *in[] = { gd_in(g, op, 0), gd_ct(g, op, 0), gd_zeros(g, scalar) };
    weft_op *made = weft_build_op(gd_b(g), &(weft_op_spec){ .kind = WEFT_OP_select_and_scatter, .operands = in,
                                                            .operand_count = 3, .types = &t, .result_count = 1,
                                                            .attrs = attrs, .attr_count = n, .region_count = 2 });
    build_choice(g, made, scalar, direction);
    if (made) gd_build_reducer(g, made, 1, scalar, WEFT_OP_add);
    if (made) gd_give(g, op, 0, &made->results[0]);
}

void gd_rule_reduce_window(gd *g, const weft_op *op) {
    const weft_op_kind kind = gd_reducer_of(op);
    if (op->operand_count == 2 && gd_wants(g, op, 1))
        gd_refuse(g, op, "its initial value depends on what the gradient is for");
    else if (kind == WEFT_OP_add) window_sum(g, op);
    else if (kind == WEFT_OP_maximum) window_chosen(g, op, WEFT_comparison_direction_GE);
    else if (kind == WEFT_OP_minimum) window_chosen(g, op, WEFT_comparison_direction_LE);
    else gd_expand_window(g, op);
}

/* Whether the element of a window is selected by a comparison of two of them, and by which. */
static bool selects(const weft_op *op, weft_enum_value *direction) {
    const weft_block *body = weft_op_body(op, 0);
    const weft_op *only = body ? body->first : NULL;
    if (!only || only->kind != WEFT_OP_compare || only->next != body->last ||
        body->last->operands[0] != &only->results[0] || only->operands[0] != body->args[0] ||
        only->operands[1] != body->args[1])
        return false;
    *direction = weft_op_attr(only, WEFT_A_comparison_direction)->e;
    return *direction != WEFT_comparison_direction_EQ && *direction != WEFT_comparison_direction_NE;
}

/* Pairs of an element and its cotangent; the selected element's is kept. */
static void build_selection(gd *g, weft_op *op, const weft_type *t, weft_enum_value direction) {
    weft_builder in;
    weft_value *a[4];
    if (!op) return;
    weft_builder_init(&in, g->m, NULL);
    in.loc = gd_b(g)->loc;
    in.block = weft_build_block(&in, &op->regions[0]);
    for (int i = 0; i < 4; i++) a[i] = weft_build_block_arg(&in, in.block, t, in.loc);
    weft_value *first = lg_compare(&in, direction, a[0], a[2]);
    weft_value *x = lg_select(&in, first, a[0], a[2]), *c = lg_select(&in, first, a[1], a[3]);
    weft_value *both[] = { x, c };
    gd_build_return(g, &in, WEFT_OP_return, both, 2);
    if (in.status != WEFT_OK) gd_fail(g, in.status);
}

/* A source's element went to the element that its window selected, and has its cotangent. */
void gd_rule_select_and_scatter(gd *g, const weft_op *op) {
    weft_builder *b = gd_b(g);
    weft_enum_value direction;
    if (!selects(op, &direction) || reducer_of(op, 1) != WEFT_OP_add) {
        gd_refuse(g, op, "it does not select by a comparison and add");
        return;
    }
    weft_value *c = gd_ct(g, op, 0);
    if (gd_wants(g, op, 2)) gd_give(g, op, 2, gd_sum_all(g, c));
    if (!gd_wants(g, op, 1)) return;
    const bool largest = direction == WEFT_comparison_direction_GE || direction == WEFT_comparison_direction_GT;
    const weft_type *source = op->operands[1]->type, *scalar = gd_scalar(g, source), *types[] = { source, source };
    weft_value *least = weft_build_splat(b, scalar, largest ? -INFINITY : INFINITY);
    weft_value *in[] = { gd_in(g, op, 0), c, least, gd_zeros(g, scalar) };
    weft_named_attr attrs[WINDOW_ATTRS];
    const uint32_t n = window_attrs(g, op, attrs);
    weft_op *made = weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_reduce_window, .operands = in, .operand_count = 4,
                                                      .types = types, .result_count = 2, .attrs = attrs,
                                                      .attr_count = n, .region_count = 1 });
    build_selection(g, made, scalar, direction);
    if (made) gd_give(g, op, 1, &made->results[1]);
}
