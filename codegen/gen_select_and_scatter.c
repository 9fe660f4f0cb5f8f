/* gen_select_and_scatter.c: column `gen` of select_and_scatter.
 *
 * Each window's selected element is found by reducing pairs of value and row-major number, padding having number -1,
 * which any other beats (spec: windows are reduced without initial values); the source is then scattered to these
 * numbers, in the source's row-major order, onto the initial value. Number -1 is outside of the result, so windows of
 * padding alone add nothing; the spec leaves them open.
 */
#include "codegen/body.h"
#include "codegen/window.h"

/* The reducer of pairs: the other side where one is padding, else what the select region says. */
static cg_block *pairing(cg_import *im, const cg_block *select, weft_dtype value, weft_dtype number) {
    cg_graph *g = im->g;
    cg_block *outer = g->block, *b = cg_block_new(g, outer);
    if (!b || !(b->args = weft_arena_array(&g->arena, cg_node *, 4)) ||
        !(b->results = weft_arena_array(&g->arena, cg_node *, 2)))
        return NULL;
    b->arg_count = 4;
    b->result_count = 2;
    g->block = b;
    for (uint32_t i = 0; i < 4; i++) {
        const weft_type *t = weft_type_tensor(g->cx, i % 2 ? number : value, 0, NULL);
        if (!t) g->status = weft_oom();
        else b->args[i] = cg_argument(g, b, i, t);
    }
    cg_node *zero = cg_splat_value(g, number, 0, NULL, 0), *values[2] = { b->args[0], b->args[2] };
    cg_node *left =
        cg_scalar(g, CG_OP_compare, WEFT_I1, WEFT_comparison_direction_GE, (cg_node *[]){ b->args[1], zero });
    cg_node *no_right =
        cg_scalar(g, CG_OP_compare, WEFT_I1, WEFT_comparison_direction_LT, (cg_node *[]){ b->args[3], zero });
    cg_node *chosen = g->status == WEFT_OK ? cg_inline_body(g, select, values, 0) : NULL;
    cg_node *pick = cg_binary(g, CG_OP_or, no_right, cg_binary(g, CG_OP_and, left, chosen));
    for (uint32_t i = 0; i < 2; i++)
        b->results[i] =
            cg_scalar(g, CG_OP_select, i ? number : value, 0, (cg_node *[]){ pick, b->args[i], b->args[2 + i] });
    g->block = outer;
    return b->results[0] && b->results[1] ? b : NULL;
}

static weft_status selected(cg_import *im, const weft_op *op, const cg_block *select, cg_node **number) {
    cg_graph *g = im->g;
    cg_node *x = cg_of(im, op, 0), *source = cg_of(im, op, 1);
    const weft_dtype type = x->elems > INT32_MAX ? WEFT_I64 : WEFT_I32;
    cg_window w[WEFT_MAX_RANK];
    cg_node *pair[2] = { x, cg_reshape(g, cg_iota(g, type, 1, (int64_t[]){ x->elems }, 0), x->rank, x->dims) };
    cg_node *init[2] = { cg_splat_value(g, (weft_dtype)x->dtype, 0, NULL, 0), cg_splat_value(g, type, 0, NULL, -1) };
    cg_reduction r = {
        .body = pairing(im, select, (weft_dtype)x->dtype, type), .x = pair, .init = init, .n = 2, .op = CG_OP_COUNT
    };
    if (!r.body || !pair[1] || !init[0] || !init[1]) return weft_oom();
    cg_window_read(op, x->rank, w);
    r.order = cg_body_order(g, r.body);
    weft_status st = cg_window_reduce(im, &r, w, source->dims);
    *number = st == WEFT_OK ? cg_reshape(g, r.x[1], 1, &source->elems) : NULL;
    return st == WEFT_OK && !*number ? weft_oom() : st;
}

weft_status weft_gen_select_and_scatter(cg_import *im, const weft_op *op) {
    static const int64_t first = 0;
    cg_graph *g = im->g;
    cg_block *select = NULL, *add = NULL;
    cg_node *x = cg_of(im, op, 0), *source = cg_of(im, op, 1), *number = NULL;
    weft_status st = cg_import_body(im, &op->regions[0], &select);
    if (st == WEFT_OK) st = cg_import_body(im, &op->regions[1], &add);
    if (st != WEFT_OK) return st;
    const weft_dtype t = (weft_dtype)add->args[0]->dtype;
    cg_node *start = cg_broadcast(g, cg_convert(g, cg_of(im, op, 2), t), 1, &x->elems, (weft_ints){ 0 });
    if (!x->elems || !source->elems) return cg_set(im, op, 0, cg_reshape(g, start, x->rank, x->dims));
    st = selected(im, op, select, &number);
    if (st != WEFT_OK) return st;
    cg_node *in[3] = { cg_copy(g, start), number, cg_reshape(g, cg_convert(g, source, t), 1, &source->elems) };
    cg_node *n = cg_begin(g, CG_SCATTER, t, 1, &x->elems, in, 3);
    if (!n) return weft_oom();
    n->scatter.body = add;
    n->scatter.dims = (weft_scatter_dims){ .inserted_window_dims = { &first, 1 },
                                           .scatter_dims_to_operand_dims = { &first, 1 }, .index_vector_dim = 1 };
    return cg_set(im, op, 0, cg_reshape(g, cg_finish(g, n), x->rank, x->dims));
}
