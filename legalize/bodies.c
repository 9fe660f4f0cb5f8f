/* bodies: writes ops that apply a region to elements as loops, if the region is more than scalar arithmetic.
 *
 * Pass weft-expand-bodies. Needs: static shapes. Leaves: no reduce, reduce_window, map, scatter, select_and_scatter or
 * sort whose region contains a loop, another reduction, a tensor, or a value from outside. Kernels apply regions of
 * scalar arithmetic to many elements at a time; any other region is applied to one element after another here, and its
 * ops move to the loop's body, where they have their usual kernels. Elements are combined in row-major order, starting
 * from the initial value.
 */
#include "legalize/bodies.h"
#include "legalize/chlo.h"
#include "legalize/legalize.h"

/* ---- the regions to expand ---- */

static bool one_element(const weft_type *t) {
    return weft_type_is_tensor(t) && weft_type_is_static(t) && weft_type_elems(t) == 1;
}

static bool outside(const weft_value *v, const weft_region *r) {
    const weft_block *blk = weft_value_block(v);
    for (; blk; blk = blk->parent->parent->parent) {
        if (blk->parent == r) return false;
        if (!blk->parent || !blk->parent->parent) return true;
    }
    return true;
}

static bool is_arithmetic(const weft_op *op) {
    const weft_op_kind k = (weft_op_kind)op->kind;
    if (weft_op_kind_has(k, WEFT_TRAIT_POINTWISE) || weft_op_kind_has(k, WEFT_TRAIT_CONSTANT)) return true;
    if (k == WEFT_OP_bitcast_convert)
        return weft_dtype_of(op->operands[0]->type->dtype)->bits == weft_dtype_of(op->results[0].type->dtype)->bits;
    return weft_op_kind_has(k, WEFT_TRAIT_VIEW) && op->operand_count;
}

static bool is_scalar_code(const weft_region *r, const weft_region *root) {
    WEFT_EACH_BLOCK(blk, r)
        WEFT_EACH_OP(op, blk) {
            const bool branches = op->kind == WEFT_OP_case || op->kind == WEFT_OP_if;
            for (uint32_t i = 0; i < op->operand_count; i++) {
                const weft_value *v = op->operands[i];
                if (!one_element(v->type) || (outside(v, root) && !(v->def && v->def->kind == WEFT_OP_constant)))
                    return false;
            }
            for (uint32_t i = 0; i < op->result_count; i++)
                if (!one_element(op->results[i].type)) return false;
            for (uint32_t i = 0; branches && i < op->region_count; i++)
                if (!is_scalar_code(&op->regions[i], root)) return false;
            if (!branches && !is_arithmetic(op) && !weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_TERMINATOR))
                return false;
        }
    return true;
}

/* ---- map ---- */

typedef struct mapping { const weft_op *op; weft_value *x[LG_MOST_VALUES]; } mapping;

static weft_status map_turn(lg_turns *t, weft_builder *b, weft_value *i) {
    const mapping *m = t->user;
    weft_value *args[LG_MOST_VALUES], *result = NULL;
    for (uint32_t k = 0; k < m->op->operand_count; k++) args[k] = lg_element(b, m->x[k], i);
    const weft_status st = lg_apply(t->r, b, weft_op_body(m->op, 0), args, &result);
    if (st == WEFT_OK) t->carried[0] = lg_with_element(b, t->carried[0], i, result);
    return st == WEFT_OK ? b->status : st;
}

static weft_status map(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in, weft_value **out) {
    static const uint8_t zero[16] = { 0 };
    const weft_type *t = op->results[0].type;
    const int64_t n = weft_type_elems(t);
    mapping m = { .op = op };
    for (uint32_t k = 0; k < op->operand_count; k++) m.x[k] = lg_flat(b, in[k]);
    const weft_type *list = weft_type_with_dims(b->m->cx, t, 1, &n);
    const weft_attr *start = list ? weft_attr_dense(b->m->cx, list, zero, true) : NULL;
    weft_value *made = start ? weft_build_constant(b, start) : NULL;
    if (!made) return b->status != WEFT_OK ? b->status : weft_oom();
    lg_turns turns = { .r = r, .count = n, .carried = &made, .n = 1, .user = &m, .turn = map_turn };
    const weft_status st = lg_turn(&turns, b);
    if (st == WEFT_OK) out[0] = lg_shaped(b, made, t);
    return st == WEFT_OK ? b->status : st;
}

/* ---- reduce, reduce_window: folds[k] of the elements counted by m ---- */

typedef struct axis { int64_t size, step; } axis; /* number of elements, and their distance */

typedef struct fold {
    const weft_op *op;
    uint32_t n;                     /* operands */
    weft_value *x[LG_MOST_VALUES], *init[LG_MOST_VALUES]; /* lists; scalars */
    axis k[WEFT_MAX_RANK], m[WEFT_MAX_RANK];
    uint32_t k_rank, m_rank;
    int64_t results, folded;        /* elements of a result; elements folded into each */
} fold;

static weft_value *along(weft_builder *b, weft_value *i, const axis *a, uint32_t rank, weft_value *sum) {
    int64_t sizes[WEFT_MAX_RANK] = { 0 };
    weft_value *digit[WEFT_MAX_RANK] = { NULL };
    for (uint32_t d = 0; d < rank; d++) sizes[d] = a[d].size;
    lg_digits(b, i, rank, sizes, digit);
    for (uint32_t d = 0; d < rank; d++) sum = lg_add(b, sum, lg_mul_c(b, digit[d], (double)a[d].step));
    return sum;
}

/* Carried: the partial fold, then the results. */
static weft_status fold_turn(lg_turns *t, weft_builder *b, weft_value *i) {
    const fold *f = t->user;
    weft_value *args[2 * LG_MOST_VALUES], *now[LG_MOST_VALUES], *size = lg_const(b, i, (double)f->folded);
    weft_value *k = lg_div(b, i, size), *m = lg_binary(b, WEFT_OP_remainder, i, size);
    weft_value *first = lg_eq(b, m, lg_const(b, m, 0)),
               *at = along(b, m, f->m, f->m_rank, along(b, k, f->k, f->k_rank, lg_const(b, i, 0)));
    for (uint32_t v = 0; v < f->n; v++) {
        args[v] = lg_select(b, first, f->init[v], t->carried[v]);
        args[f->n + v] = lg_element(b, f->x[v], at);
    }
    weft_status st = b->status == WEFT_OK ? lg_apply(t->r, b, weft_op_body(f->op, 0), args, now) : b->status;
    for (uint32_t v = 0; v < f->n && st == WEFT_OK; v++) {
        t->carried[v] = now[v];
        t->carried[f->n + v] = lg_with_element(b, t->carried[f->n + v], k, now[v]);
    }
    return st == WEFT_OK ? b->status : st;
}

static weft_status run_fold(weft_rewrite *r, weft_builder *b, fold *f, weft_value **out) {
    weft_value *carried[2 * LG_MOST_VALUES];
    for (uint32_t v = 0; v < f->n; v++) {
        carried[v] = f->init[v];
        carried[f->n + v] = lg_spread(b, f->init[v], f->results);
    }
    if (b->status != WEFT_OK) return b->status;
    lg_turns turns = {
        .r = r, .count = f->results * f->folded, .carried = carried, .n = 2 * f->n, .user = f, .turn = fold_turn
    };
    const weft_status st = lg_turn(&turns, b);
    for (uint32_t v = 0; v < f->n && st == WEFT_OK; v++)
        out[v] = lg_shaped(b, carried[f->n + v], f->op->results[v].type);
    return st == WEFT_OK ? b->status : st;
}

/* Initial values in the types of the region. */
static fold begin_fold(weft_builder *b, const weft_op *op, weft_value *const *in) {
    fold f = { .op = op, .n = op->operand_count / 2, .results = weft_type_elems(op->results[0].type), .folded = 1 };
    const weft_block *body = weft_op_body(op, 0);
    for (uint32_t v = 0; v < f.n; v++) f.init[v] = lg_convert(b, in[f.n + v], body->args[v]->type->dtype);
    return f;
}

static weft_status reduce(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in,
                          weft_value **out) {
    fold f = begin_fold(b, op, in);
    const weft_type *t = in[0]->type;
    const weft_ints dims = weft_op_ints(op, WEFT_A_dimensions);
    int64_t steps[WEFT_MAX_RANK];
    lg_row_major(t->rank, t->dims, steps);
    for (uint32_t d = 0; d < t->rank; d++) {
        bool reduced = false;
        for (uint32_t i = 0; i < dims.n; i++) reduced = reduced || dims.v[i] == d;
        const axis a = { t->dims[d], steps[d] };
        if (reduced) f.m[f.m_rank++] = a, f.folded *= a.size;
        else f.k[f.k_rank++] = a;
    }
    for (uint32_t v = 0; v < f.n; v++) f.x[v] = lg_flat(b, in[v]);
    return run_fold(r, b, &f, out);
}

/* Operands are padded and dilated with the initial values, which are then folded like any other (spec, reduce_window).
 */
static weft_value *padded(weft_builder *b, const weft_op *op, weft_value *x, weft_value *init) {
    const weft_ints base = weft_op_ints(op, WEFT_A_base_dilations);
    const weft_attr *pad = weft_op_attr(op, WEFT_A_padding);
    const uint32_t rank = x->type->rank;
    int64_t low[WEFT_MAX_RANK], high[WEFT_MAX_RANK], interior[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < rank; d++) {
        low[d] = pad ? weft_dense_int(pad, 2 * (int64_t)d) : 0;
        high[d] = pad ? weft_dense_int(pad, 2 * (int64_t)d + 1) : 0;
        interior[d] = base.n ? base.v[d] - 1 : 0;
    }
    return weft_build_pad(b, x, init, low, high, interior);
}

static weft_status reduce_window(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in,
                                 weft_value **out) {
    fold f = begin_fold(b, op, in);
    const weft_ints size = weft_op_ints(op, WEFT_A_window_dimensions), stride = weft_op_ints(op, WEFT_A_window_strides),
                    dilation = weft_op_ints(op, WEFT_A_window_dilations);
    int64_t steps[WEFT_MAX_RANK];
    for (uint32_t v = 0; v < f.n; v++) {
        weft_value *x = padded(b, op, in[v], in[f.n + v]);
        if (!x) return b->status;
        lg_row_major(x->type->rank, x->type->dims, steps);
        f.x[v] = lg_flat(b, x);
    }
    f.k_rank = f.m_rank = in[0]->type->rank;
    for (uint32_t d = 0; d < f.k_rank; d++) {
        f.k[d] = (axis){ op->results[0].type->dims[d], steps[d] * (stride.n ? stride.v[d] : 1) };
        f.m[d] = (axis){ size.v[d], steps[d] * (dilation.n ? dilation.v[d] : 1) };
        f.folded *= size.v[d];
    }
    return run_fold(r, b, &f, out);
}

/* ---- the pass ---- */

static const lg_expander expander_of[WEFT_OP_COUNT] = {
    [WEFT_OP_map] = map,
    [WEFT_OP_reduce] = reduce,
    [WEFT_OP_reduce_window] = reduce_window,
    [WEFT_OP_scatter] = lg_scatter_in_turns,
    [WEFT_OP_select_and_scatter] = lg_select_and_scatter_in_turns,
    [WEFT_OP_sort] = lg_sort_in_turns,
};

static bool wanted(const weft_op *op) {
    if (!expander_of[op->kind] || op->operand_count > LG_MOST_VALUES) return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!weft_type_is_static(op->operands[i]->type)) return false;
    for (uint32_t r = 0; r < op->region_count; r++)
        if (!is_scalar_code(&op->regions[r], &op->regions[r])) return true;
    return false;
}

static weft_status expand(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    if (!wanted(op)) return WEFT_OK;
    weft_value *in[LG_MOST_VALUES] = { NULL }, *out[LG_MOST_VALUES] = { NULL };
    for (uint32_t i = 0; i < op->operand_count; i++) in[i] = r->map.to[op->operands[i]->id];
    weft_status st = expander_of[op->kind](r, b, op, in, out);
    if (st == WEFT_OK) st = b->status;
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) r->map.to[op->results[i].id] = out[i];
    *did = WEFT_DONE;
    return st;
}

weft_status weft_pass_expand_bodies(weft_pass *p, const weft_module *in, weft_module **out) {
    (void)p;
    return lg_run(in, expand, wanted, out);
}
