/* gen_pointwise.c: column `gen` of the ops that work element by element: each is the scalar instruction of its name. */
#include "codegen/import.h"

/* aux of the instructions that need more than their operands: compare's direction and type, convert's operand type,
 * reduce_precision's bits. */
static int64_t aux_of(const weft_op *op, cg_op s, const cg_node *x) {
    if (s == CG_OP_compare) {
        const weft_attr *type = weft_op_attr(op, WEFT_A_compare_type);
        int64_t total = type && type->e == WEFT_comparison_type_TOTALORDER;
        return (int64_t)weft_op_attr(op, WEFT_A_comparison_direction)->e | total << 32;
    }
    if (s == CG_OP_convert) return x->dtype;
    if (s == CG_OP_reduce_precision)
        return weft_op_int(op, WEFT_A_exponent_bits, 8) | weft_op_int(op, WEFT_A_mantissa_bits, 23) << 32;
    return 0;
}

static weft_status pointwise(cg_import *im, const weft_op *op, cg_op s) {
    cg_node *in[3] = { 0 };
    for (uint32_t i = 0; i < op->operand_count; i++) in[i] = cg_of(im, op, i);
    const weft_type *t = op->results[0].type;
    if ((weft_dtype_is_complex(t->dtype) || weft_dtype_is_complex((weft_dtype)in[0]->dtype)) && !cg_complex_has(s))
        return weft_report(im->g->cx, WEFT_D_unsupported, op->loc, "'%s' of complex numbers has no meaning here",
                           op->name->text);
    if (s == CG_OP_select && in[0]->cls != CG_SPLAT && in[0]->rank == 0 && t->rank)
        in[0] = cg_broadcast(im->g, in[0], t->rank, t->dims, (weft_ints){ 0 });
    return cg_set(im, op, 0, cg_scalar(im->g, s, t->dtype, aux_of(op, s, in[0]), in));
}

#define SCALAR(name, arity, weight) \
    weft_status weft_gen_##name(cg_import *im, const weft_op *op); \
    weft_status weft_gen_##name(cg_import *im, const weft_op *op) { return pointwise(im, op, CG_OP_##name); }
#include "codegen/scalar.def"
