/* window.c: rules of reduce_window and select_and_scatter. A window that keeps its largest element has for its
 * cotangent a select_and_scatter, and that has a window of pairs, of an element and a cotangent.
 */
#include "differentiate/grad.h"

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

static bool is_dilated(const weft_op *op) {
    return !all_one(weft_op_ints(op, WEFT_A_base_dilations)) || !all_one(weft_op_ints(op, WEFT_A_window_dilations));
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

/* The cotangent of operand `from` is that of result `from`: of each window the element that op's operand 0 has first of
 * the largest (or smallest) has it. */
static void window_chosen(gd *g, const weft_op *op, weft_enum_value direction, uint32_t from) {
    const weft_type *t = op->operands[0]->type, *scalar = gd_scalar(g, t);
    if (!gd_wants(g, op, from) || !gd_ct(g, op, from)) return;
    weft_named_attr attrs[WINDOW_ATTRS];
    const uint32_t n = window_attrs(g, op, attrs);
    weft_value *in[] = { gd_in(g, op, 0), gd_ct(g, op, from), gd_zeros(g, scalar) };
    weft_op *made = weft_build_op(gd_b(g), &(weft_op_spec){ .kind = WEFT_OP_select_and_scatter, .operands = in,
                                                            .operand_count = 3, .types = &t, .result_count = 1,
                                                            .attrs = attrs, .attr_count = n, .region_count = 2 });
    build_choice(g, made, scalar, direction);
    if (made) gd_build_reducer(g, made, 1, scalar, WEFT_OP_add);
    if (made) gd_give(g, op, from, &made->results[0]);
}

/* Whether `only` compares these two values, in an order that chooses one of them, and by which. */
static bool compares(const weft_op *only, const weft_value *x, const weft_value *y, weft_enum_value *direction) {
    if (!only || only->kind != WEFT_OP_compare || only->operands[0] != x || only->operands[1] != y) return false;
    *direction = weft_op_attr(only, WEFT_A_comparison_direction)->e;
    return *direction != WEFT_comparison_direction_EQ && *direction != WEFT_comparison_direction_NE;
}

/* Whether the element of a window is selected by a comparison of two of them. */
static bool selects(const weft_op *op, weft_enum_value *direction) {
    const weft_block *body = weft_op_body(op, 0);
    return body && body->first->next == body->last && body->last->operands[0] == &body->first->results[0] &&
           compares(body->first, body->args[0], body->args[1], direction);
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

/* Whether op is such a window of pairs. */
static bool selects_pairs(const weft_op *op, weft_enum_value *direction) {
    const weft_block *body = weft_op_body(op, 0);
    if (op->result_count != 2 || !body || body->arg_count != 4 ||
        !compares(body->first, body->args[0], body->args[2], direction))
        return false;
    const weft_op *pick = body->first->next;
    for (uint32_t i = 0; i < 2; i++, pick = pick->next)
        if (pick->kind != WEFT_OP_select || pick->operands[0] != &body->first->results[0] ||
            pick->operands[1] != body->args[i] || pick->operands[2] != body->args[2 + i] ||
            body->last->operands[i] != &pick->results[0])
            return false;
    return pick == body->last && op->operands[0]->type == op->operands[1]->type;
}

void gd_rule_reduce_window(gd *g, const weft_op *op) {
    const weft_op_kind kind = weft_reducer_kind(op, 0);
    const bool initial = gd_wants(g, op, op->result_count), chosen = kind == WEFT_OP_maximum || kind == WEFT_OP_minimum;
    weft_enum_value direction;
    if (kind == WEFT_OP_add && !initial) window_sum(g, op);
    else if (chosen && (initial || is_dilated(op))) gd_expand_choice(g, op);
    else if (chosen)
        window_chosen(g, op, kind == WEFT_OP_maximum ? WEFT_comparison_direction_GE : WEFT_comparison_direction_LE, 0);
    else if (selects_pairs(op, &direction) && !is_dilated(op) && !initial && !gd_wants(g, op, 3))
        for (uint32_t i = 0; i < 2; i++) window_chosen(g, op, direction, i);
    else gd_expand_window(g, op);
}

/* A source's element went to the element that its window selected, and has its cotangent. */
void gd_rule_select_and_scatter(gd *g, const weft_op *op) {
    weft_builder *b = gd_b(g);
    weft_enum_value direction;
    if (!selects(op, &direction) || weft_reducer_kind(op, 1) != WEFT_OP_add) {
        gd_refuse(g, op, "it does not select by a comparison and add");
        return;
    }
    weft_value *c = gd_ct(g, op, 0);
    if (gd_wants(g, op, 2)) gd_give(g, op, 2, gd_sum_all(g, c));
    if (!gd_wants(g, op, 1)) return;
    const bool largest = direction == WEFT_comparison_direction_GE || direction == WEFT_comparison_direction_GT;
    const weft_type *source = op->operands[1]->type, *scalar = gd_scalar(g, source), *types[] = { source, source };
    weft_value *least = weft_build_splat(
        b, scalar, largest ? weft_dtype_least(scalar->dtype) : weft_dtype_greatest(scalar->dtype));
    weft_value *in[] = { gd_in(g, op, 0), c, least, gd_zeros(g, scalar) };
    weft_named_attr attrs[WINDOW_ATTRS];
    const uint32_t n = window_attrs(g, op, attrs);
    weft_op *made = weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_reduce_window, .operands = in, .operand_count = 4,
                                                      .types = types, .result_count = 2, .attrs = attrs,
                                                      .attr_count = n, .region_count = 1 });
    build_selection(g, made, scalar, direction);
    if (made) gd_give(g, op, 1, &made->results[1]);
}
