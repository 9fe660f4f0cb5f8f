/* kernel_bits.c: which narrow floats a kernel only moves.
 *
 * A narrow float is an f32 in registers. What is loaded, selected and stored without any arithmetic need not become
 * one: its bits are moved, a NaN's too.
 */
#include "codegen/kernel.h"

static bool passes_on(const cg_ins *x) {
    return x->kind == CG_I_SCALAR && (x->op == CG_OP_select || x->op == CG_OP_copy);
}

static bool may_be_bits(const cg_ins *x) {
    const weft_dtype t = (weft_dtype)x->dtype;
    return weft_dtype_is_narrow_float(t) && weft_dtype_of(t)->bits == 8u * weft_dtype_bytes(t) &&
           (x->kind == CG_I_LOAD || x->kind == CG_I_SPLAT || passes_on(x));
}

/* Value i has operand a, and passes it on or computes with it. False where that has made one of them a number. */
static bool agree(uint32_t i, uint32_t a, bool passed, bool *bits) {
    if (a == CG_NONE) return true;
    const bool both = passed && bits[i] && bits[a], none = !bits[a] && !(passed && bits[i]);
    if (both || none) return true;
    bits[a] = false;
    if (passed) bits[i] = false;
    return false;
}

static void numbers(const cg_fold *f, bool *bits) {
    for (uint32_t r = 0; r < f->n; r++) bits[f->value[r]] = bits[f->init[r]] = false;
}

void cg_kernel_bits(const cg_kernel *k, bool *bits) {
    for (uint32_t i = 0; i < k->ins_count; i++) bits[i] = !k->row && may_be_bits(&k->ins[i]);
    for (uint32_t i = 0; i < k->fold_count; i++) numbers(&k->folds[i], bits);
    for (uint32_t i = 0; i < k->sum_count; i++) numbers(&k->sums[i], bits);
    for (uint32_t i = 0; i < k->store_count; i++) {
        const cg_store *s = &k->stores[i];
        if (s->kind == CG_STORE && k->params[s->param]->dtype != k->ins[s->value].dtype) bits[s->value] = false;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < k->ins_count; i++) {
            const cg_ins *x = &k->ins[i];
            for (uint32_t a = 0; a < 3; a++)
                changed |= !agree(i, x->a[a], passes_on(x) && (a || x->op == CG_OP_copy), bits);
        }
    }
}
