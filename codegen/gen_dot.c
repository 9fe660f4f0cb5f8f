/* gen_dot.c: column `gen` of sums of products over whole dimensions. */
#include "codegen/import.h"
#include "codegen/product.h"

static weft_status product(cg_import *im, const weft_op *op, const weft_dot_dims *d) {
    const weft_type *t = op->results[0].type;
    cg_node *in[2] = { cg_of(im, op, 0), cg_of(im, op, 1) };
    return cg_set(im, op, 0, cg_product(im->g, in[0], in[1], d, t->dtype, NULL));
}

weft_status weft_gen_dot_general(cg_import *im, const weft_op *op) {
    return product(im, op, &weft_op_attr(op, WEFT_A_dot_dimension_numbers)->dot);
}

weft_status weft_gen_dot(cg_import *im, const weft_op *op) {
    int64_t *v = weft_arena_array(&im->g->arena, int64_t, 2);
    if (!v) return weft_oom();
    v[0] = op->operands[0]->type->rank - 1;
    return product(im, op, &(weft_dot_dims){ .lhs_contract = { v, 1 }, .rhs_contract = { v + 1, 1 } });
}
