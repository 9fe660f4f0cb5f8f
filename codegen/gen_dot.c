/* gen_dot.c: column `gen` of sums of products over whole dimensions. */
#include "codegen/import.h"
#include "codegen/product.h"

/* An algorithm's precision is what products and sums have at least. More costs nothing: nothing here is less precise
 * than f32 but operands that are so themselves. */
static weft_dtype least_of(const weft_op *op) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_algorithm);
    if (!a || a->kind != WEFT_ATTR_ALGORITHM) return WEFT_DTYPE_NONE;
    const weft_type *types[3] = { a->algorithm.lhs, a->algorithm.rhs, a->algorithm.accumulation };
    for (int i = 0; i < 3; i++)
        if (types[i]->kind == WEFT_TYPE_SCALAR && types[i]->dtype == WEFT_F64) return WEFT_F64;
    return WEFT_F32;
}

static weft_status product(cg_import *im, const weft_op *op, const weft_dot_dims *d) {
    const cg_product_spec spec = { .least = least_of(op) };
    return cg_set(im, op, 0,
                  cg_product(im->g, cg_of(im, op, 0), cg_of(im, op, 1), d, op->results[0].type->dtype, &spec));
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
