/* bodies_scatter: scatter and select_and_scatter one element after another (see bodies.c).
 *
 * Source: StableHLO docs/spec.md, scatter, select_and_scatter. The region's result for an update outside of the operand
 * is dropped.
 */
#include "legalize/bodies.h"

static bool among(weft_ints v, int64_t x) {
    for (uint32_t i = 0; i < v.n; i++)
        if (v.v[i] == x) return true;
    return false;
}

/* 0 <= x < n, and ok. */
static weft_value *in_bounds(weft_builder *b, weft_value *x, int64_t n, weft_value *ok) {
    weft_value *low = lg_ge(b, x, lg_const(b, x, 0)), *high = lg_lt(b, x, lg_const(b, x, (double)n)),
               *both = lg_and(b, low, high);
    return ok ? lg_and(b, ok, both) : both;
}

static weft_value *plus_product(weft_builder *b, weft_value *sum, weft_value *x, int64_t step) {
    weft_value *term = lg_mul_c(b, x, (double)step);
    return lg_add(b, sum, term);
}

/* ---- scatter ---- */

typedef struct scatter {
    const weft_op *op;
    const weft_scatter_dims *dims;
    uint32_t n;
    const weft_type *input, *indices, *update;
    weft_value *index;              /* list, of i64 */
    weft_value *updates[LG_MOST_VALUES];
} scatter;

/* The digits of the update's number in its non-window dimensions, in order: number `which` of them. */
static weft_value *scatter_digit(const scatter *s, weft_value *const *digits, int64_t which) {
    for (uint32_t d = 0; d < s->update->rank; d++)
        if (!among(s->dims->update_window_dims, d) && which-- == 0) return digits[d];
    return NULL;
}

/* The digit of scatter_indices along dimension d: which of its vectors, or 0 along the vector itself. */
static weft_value *vector_digit(const scatter *s, weft_builder *b, weft_value *const *digits, int64_t d) {
    if (d == s->dims->index_vector_dim) return lg_const(b, s->index ? digits[0] : NULL, 0);
    return scatter_digit(s, digits, d - (d > s->dims->index_vector_dim));
}

/* Component c of the start index. */
static weft_value *start(const scatter *s, weft_builder *b, weft_value *zero, weft_value *const *digits, int64_t c) {
    int64_t steps[WEFT_MAX_RANK];
    weft_value *at = zero;
    lg_row_major(s->indices->rank, s->indices->dims, steps);
    for (uint32_t d = 0; d < s->indices->rank; d++) {
        if (d == s->dims->index_vector_dim) at = lg_add_c(b, at, (double)(c * steps[d]));
        else at = plus_product(b, at, vector_digit(s, b, digits, d), steps[d]);
    }
    return lg_element(b, s->index, at);
}

/* The place of the update, and whether it is inside. */
static weft_value *place(const scatter *s, weft_builder *b, weft_value *i, weft_value **inside) {
    weft_value *digits[WEFT_MAX_RANK], *zero = lg_const(b, i, 0), *at = zero;
    int64_t steps[WEFT_MAX_RANK];
    uint32_t window = 0;
    lg_digits(b, i, s->update->rank, s->update->dims, digits);
    lg_row_major(s->input->rank, s->input->dims, steps);
    *inside = NULL;
    for (uint32_t d = 0; d < s->input->rank; d++) {
        weft_value *x = zero;
        for (uint32_t c = 0; c < s->dims->scatter_dims_to_operand_dims.n; c++)
            if (s->dims->scatter_dims_to_operand_dims.v[c] == d) x = start(s, b, zero, digits, c);
        for (uint32_t k = 0; k < s->dims->input_batching_dims.n; k++)
            if (s->dims->input_batching_dims.v[k] == d)
                x = vector_digit(s, b, digits, s->dims->scatter_indices_batching_dims.v[k]);
        if (!among(s->dims->inserted_window_dims, d) && !among(s->dims->input_batching_dims, d))
            x = lg_add(b, x, digits[s->dims->update_window_dims.v[window++]]);
        *inside = in_bounds(b, x, s->input->dims[d], *inside);
        at = plus_product(b, at, x, steps[d]);
    }
    return *inside ? lg_select(b, *inside, at, zero) : zero;
}

static weft_status scatter_turn(lg_turns *t, weft_builder *b, weft_value *i) {
    const scatter *s = t->user;
    weft_value *args[2 * LG_MOST_VALUES], *now[LG_MOST_VALUES], *inside = NULL, *at = place(s, b, i, &inside);
    for (uint32_t v = 0; v < s->n; v++) {
        args[v] = lg_element(b, t->carried[v], at);
        args[s->n + v] = lg_element(b, s->updates[v], i);
    }
    const weft_status st = b->status == WEFT_OK ? lg_apply(t->r, b, weft_op_body(s->op, 0), args, now) : b->status;
    for (uint32_t v = 0; v < s->n && st == WEFT_OK; v++) {
        weft_value *kept = inside ? lg_select(b, inside, now[v], args[v]) : now[v];
        t->carried[v] = lg_with_element(b, t->carried[v], at, kept);
    }
    return st == WEFT_OK ? b->status : st;
}

weft_status lg_scatter_in_turns(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in,
                                weft_value **out) {
    const uint32_t n = op->operand_count / 2;
    const weft_attr *dims = weft_op_attr(op, WEFT_A_scatter_dimension_numbers);
    weft_value *carried[LG_MOST_VALUES];
    scatter s = { .op = op, .dims = &dims->scatter, .n = n, .input = in[0]->type, .indices = in[n]->type,
                  .update = in[n + 1]->type };
    s.index = lg_convert(b, lg_flat(b, in[n]), WEFT_I64);
    const weft_block *body = weft_op_body(op, 0);
    const bool inside = weft_type_elems(s.input) > 0; /* else every update is outside */
    for (uint32_t v = 0; v < n; v++) {
        carried[v] = lg_convert(b, lg_flat(b, in[v]), body->args[v]->type->dtype);
        s.updates[v] = lg_flat(b, in[n + 1 + v]);
    }
    lg_turns turns = { .r = r, .count = inside ? weft_type_elems(s.update) : 0, .carried = carried, .n = n, .user = &s,
                       .turn = scatter_turn };
    const weft_status st = lg_turn(&turns, b);
    for (uint32_t v = 0; v < n && st == WEFT_OK; v++) out[v] = lg_shaped(b, carried[v], op->results[v].type);
    return st == WEFT_OK ? b->status : st;
}

/* ---- select_and_scatter ---- */

typedef struct selection {
    const weft_op *op;
    weft_value *x, *source;         /* lists */
    const weft_type *input, *output;
    int64_t size[WEFT_MAX_RANK], stride[WEFT_MAX_RANK], low[WEFT_MAX_RANK], window;
} selection;

static weft_value *candidate(const selection *s, weft_builder *b, weft_value *k, weft_value *m, weft_value **inside) {
    weft_value *o[WEFT_MAX_RANK], *w[WEFT_MAX_RANK], *zero = lg_const(b, k, 0), *at = zero;
    int64_t steps[WEFT_MAX_RANK];
    const uint32_t rank = s->input->rank;
    lg_digits(b, k, rank, s->output->dims, o);
    lg_digits(b, m, rank, s->size, w);
    lg_row_major(rank, s->input->dims, steps);
    *inside = NULL;
    for (uint32_t d = 0; d < rank; d++) {
        weft_value *x = lg_add_c(b, plus_product(b, w[d], o[d], s->stride[d]), (double)-s->low[d]);
        *inside = in_bounds(b, x, s->input->dims[d], *inside);
        at = plus_product(b, at, x, steps[d]);
    }
    return *inside ? lg_select(b, *inside, at, zero) : zero;
}

/* Carried: the selected value and its place (-1: none yet), the result. The source is added at the window's end. */
static weft_status select_turn(lg_turns *t, weft_builder *b, weft_value *i) {
    const selection *s = t->user;
    weft_value *size = lg_const(b, i, (double)s->window), *zero = lg_const(b, i, 0), *none = lg_const(b, i, -1),
               *inside = NULL, *chosen = NULL, *sum = NULL;
    weft_value *k = lg_div(b, i, size), *m = lg_binary(b, WEFT_OP_remainder, i, size);
    weft_value *at = candidate(s, b, k, m, &inside), *value = lg_element(b, s->x, at);
    weft_value *before = lg_select(b, lg_eq(b, m, zero), none, t->carried[1]), *first = lg_lt(b, before, zero);
    weft_value *args[2] = { t->carried[0], value };
    weft_status st = b->status == WEFT_OK ? lg_apply(t->r, b, weft_op_body(s->op, 0), args, &chosen) : b->status;
    if (st != WEFT_OK) return st;
    weft_value *keep = lg_and(b, lg_unary(b, WEFT_OP_not, first), chosen), *take = lg_unary(b, WEFT_OP_not, keep);
    if (inside) take = lg_and(b, inside, take);
    t->carried[0] = lg_select(b, take, value, t->carried[0]);
    t->carried[1] = lg_select(b, take, at, before);
    weft_value *ends = lg_eq(b, m, lg_const(b, m, (double)(s->window - 1))), *found = lg_ge(b, t->carried[1], zero),
               *adds = lg_and(b, ends, found);
    weft_value *to = lg_select(b, adds, t->carried[1], zero), *old = lg_element(b, t->carried[2], to),
               *both[2] = { old, lg_element(b, s->source, k) };
    st = b->status == WEFT_OK ? lg_apply(t->r, b, weft_op_body(s->op, 1), both, &sum) : b->status;
    if (st != WEFT_OK) return st;
    t->carried[2] = lg_with_element(b, t->carried[2], to, lg_select(b, adds, sum, old));
    return b->status;
}

weft_status lg_select_and_scatter_in_turns(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in,
                                           weft_value **out) {
    const weft_ints size = weft_op_ints(op, WEFT_A_window_dimensions), stride = weft_op_ints(op, WEFT_A_window_strides);
    const weft_attr *pad = weft_op_attr(op, WEFT_A_padding);
    const weft_dtype type = weft_op_body(op, 1)->args[0]->type->dtype;
    selection s = { .op = op, .input = in[0]->type, .output = in[1]->type, .window = 1 };
    for (uint32_t d = 0; d < s.input->rank; d++) {
        s.size[d] = size.n ? size.v[d] : 1;
        s.stride[d] = stride.n ? stride.v[d] : 1;
        s.low[d] = pad ? weft_dense_int(pad, 2 * (int64_t)d) : 0;
        s.window *= s.size[d];
    }
    s.x = lg_flat(b, in[0]);
    s.source = lg_flat(b, in[1]);
    const weft_type *counter = weft_type_tensor(b->m->cx, WEFT_I64, 0, NULL),
                    *element = weft_type_with_dims(b->m->cx, in[0]->type, 0, NULL);
    const int64_t n = weft_type_elems(s.input);
    static const uint8_t none[16] = { 0 };
    const weft_attr *zero = element ? weft_attr_dense(b->m->cx, element, none, true) : NULL;
    if (!counter || !zero) return weft_oom();
    weft_value *carried[3] = { weft_build_constant(b, zero), weft_build_splat(b, counter, -1),
                               lg_spread(b, lg_convert(b, in[2], type), n) };
    lg_turns turns = { .r = r, .count = n ? weft_type_elems(s.output) * s.window : 0, .carried = carried, .n = 3,
                       .user = &s, .turn = select_turn };
    if (b->status != WEFT_OK) return b->status;
    const weft_status st = lg_turn(&turns, b);
    if (st == WEFT_OK) out[0] = lg_shaped(b, carried[2], op->results[0].type);
    return st == WEFT_OK ? b->status : st;
}
